"""How long the posterior of a run takes: evidence, deviations and leave-one-out of 20 000 rows with 2000 features.

Random cosine features of ten inputs and one target. The baseline is the product ΦᵀΦ alone, in double precision.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from kernlab import devices
from kernlab.bench.base import BENCHMARKS, in_turns, medians, ratio
from kernlab.heads.posterior import posterior

__all__ = ["posterior_speed"]

ROWS, FEATURES, INPUTS, BLOCK, TURNS = 20_000, 2000, 10, 500, 3


@BENCHMARKS.register("posterior")
def posterior_speed() -> dict[str, Any]:
    """Seconds of the whole (evidence maximised, every row left out), and of the Gram matrix alone."""
    threads = torch.get_num_threads()
    torch.set_num_threads(devices.cores())
    try:
        draw = torch.Generator().manual_seed(0)
        X, omega = (torch.randn(*shape, generator=draw) for shape in ((ROWS, INPUTS), (INPUTS, FEATURES)))
        Phi = (X @ omega + 2 * math.pi * torch.rand(FEATURES, generator=draw)).cos_() * math.sqrt(2 / FEATURES)
        Y = torch.sin(X[:, :1]) + 0.3 * torch.randn(ROWS, 1, generator=draw)
        blocks = torch.split(Phi, BLOCK)

        def whole() -> None:
            posterior(lambda: blocks, Y).left_out(blocks, Y)

        def product() -> None:
            wide = Phi.double()
            wide.mT @ wide

        seconds = in_turns({"whole": whole, "product": product}, rounds=TURNS)
    finally:
        torch.set_num_threads(threads)
    return {**medians(seconds), "whole_over_product": ratio(seconds["whole"], seconds["product"])}

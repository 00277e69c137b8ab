"""Features of wide inputs on one CPU thread: Fastfood against a dense frequency matrix of as many columns.

Both make the same cosines and sines; what differs is the product before them, O(D log d) or O(D d) a sample.
"""

from __future__ import annotations

from typing import Any

import torch

from kernlab.bench.base import BENCHMARKS, in_turns, ratio
from kernlab.feature_maps import Fastfood, Stationary

__all__ = ["fastfood"]

ROWS, BATCH, WIDTH, INPUTS = 500, 32, 4096, (128, 512, 784, 2048)


@BENCHMARKS.register("fastfood")
def fastfood() -> dict[str, Any]:
    """How many times faster the features are, and the gradient of a mini-batch, by inputs d."""
    threads, cotangent = torch.get_num_threads(), torch.ones(BATCH, WIDTH)
    figures: dict[str, Any] = {"threads": 1, "samples": ROWS, "mini_batch": BATCH, "features": WIDTH}
    try:
        torch.set_num_threads(1)
        for d in INPUTS:
            X = torch.randn(ROWS, d, generator=torch.Generator().manual_seed(0))
            calls = {}
            for kind in (Fastfood, Stationary):
                made = kind(n_features=WIDTH, frequency_scale=d**-0.5)
                params = made.init(X, torch.Generator().manual_seed(0))
                calls[f"{made.name} features"] = lambda m=made, p=params, X=X: m.apply(p, X)
                calls[f"{made.name} gradient"] = lambda m=made, p=params, X=X[:BATCH]: m.pullback(p, X)[1](cotangent)
            with torch.no_grad():
                seconds = in_turns(calls)
            for part in ("features", "gradient"):
                slow, fast = seconds[f"stationary {part}"], seconds[f"fastfood {part}"]
                figures[f"{part}_times_faster_d{d}"] = ratio(slow, fast)
    finally:
        torch.set_num_threads(threads)
    return figures

"""Features of wide inputs on one CPU thread: Fastfood against a dense frequency matrix with the same number of columns.

Both compute the same cosines and sines, after a product that takes O(D log d) or O(D d) for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from kernlab import devices
from kernlab.bench.base import BENCHMARKS, in_turns, ratio
from kernlab.feature_maps import Fastfood, FeatureMap, Stationary
from kernlab.typing import Params, Tensor

__all__ = ["fastfood"]

ROWS, BATCH, WIDTH, INPUTS = 500, 32, 4096, (128, 512, 784, 2048)


@BENCHMARKS.register("fastfood")
def fastfood() -> dict[str, Any]:
    """How many times faster the features and the gradient of a mini-batch are, for several numbers of inputs d."""
    cotangent = torch.ones(BATCH, WIDTH)
    figures: dict[str, Any] = {"threads": 1, "samples": ROWS, "mini_batch": BATCH, "features": WIDTH}
    with devices.one_thread():
        for d in INPUTS:
            X = torch.randn(ROWS, d, generator=torch.Generator().manual_seed(0))
            calls: dict[str, dict[str, Callable[[], object]]] = {"features": {}, "gradient": {}}
            for kind in (Fastfood, Stationary):
                made = kind(n_features=WIDTH, frequency_scale=d**-0.5)
                params = made.init(X, torch.Generator().manual_seed(0))
                calls["features"][made.name] = partial(made.apply, params, X)
                calls["gradient"][made.name] = partial(_gradient, made, params, X[:BATCH], cotangent)
            for part, each in calls.items():  # apart, since memory that the many features free has to be mapped anew
                with torch.no_grad():
                    seconds = in_turns(each, rounds=25)
                figures[f"{part}_times_faster_d{d}"] = ratio(seconds["stationary"], seconds["fastfood"])
    return figures


def _gradient(made: FeatureMap, params: Params, X: Tensor, cotangent: Tensor) -> object:
    return made.pullback(params, X)[1](cotangent)

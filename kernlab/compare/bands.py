"""Curves of many repeats as one: the mean over the repeats and a band around it, on a common grid.

    mean(t) = 1/R Σ_r y_r(t);   band: mean ± standard deviation (R − 1), or from the least to the greatest y_r(t)

y_r is linear between its points; a repeat that stopped early keeps its last value, as its model does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.compare.base import Record

__all__ = ["Band", "Bands", "band", "bands"]


class Band(NamedTuple):
    """One method's repeats.

    Attributes:
        method: its name.
        x: epochs [k].
        mean, low, high: [k]; low and high are the mean where there is one repeat.
        n: repeats R.
    """

    method: str
    x: NDArray[np.float32]
    mean: NDArray[np.float32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    n: int


class Bands(NamedTuple):
    """Several methods on one data set.

    Attributes:
        dataset: its name.
        metric: "accuracy" or "rmse".
        curve: "test_metric" or "train_metric".
        spread: what the bands span: "std" or "range".
        bands: one for each method that has curves.
        constant: the constant predictor's mean test metric, None where unknown.
    """

    dataset: str
    metric: str
    curve: str
    spread: str
    bands: tuple[Band, ...]
    constant: float | None


def band(
    method: str,
    curves: Iterable[tuple[ArrayLike, ArrayLike]],
    *,
    spread: Literal["std", "range"] = "std",
    limit: int = 300,
) -> Band | None:
    """Mean and band of some curves; None where none has a finite point.

    Args:
        method: whose they are.
        curves: (epochs [n], values [n]) of each repeat, epochs ascending; points that are not finite are left out.
        spread: "std": mean ± standard deviation; "range": least to greatest.
        limit: points of the common grid at most, above 1.
    """
    kept = []
    for epochs, values in curves:
        x, y = np.asarray(epochs, np.float64), np.asarray(values, np.float64)
        finite = np.isfinite(x) & np.isfinite(y)
        if finite.any():
            kept.append((x[finite], y[finite]))
    if not kept:
        return None
    # From where all have begun: before, the mean would change because another repeat begins.
    first = max(x[0] for x, _ in kept)
    grid = np.unique(np.concatenate([[first], *(x[x >= first] for x, _ in kept)]))
    if len(grid) > limit:
        grid = np.linspace(first, grid[-1], limit)
    Y = np.array([np.interp(grid, x, y) for x, y in kept])
    mean = Y.mean(axis=0)
    if spread == "range":
        low, high = Y.min(axis=0), Y.max(axis=0)
    else:
        deviation = Y.std(axis=0, ddof=1) if len(Y) > 1 else np.zeros_like(mean)
        low, high = mean - deviation, mean + deviation
    epochs, middle, bottom, top = (np.asarray(each, np.float32) for each in (grid, mean, low, high))
    return Band(method, epochs, middle, bottom, top, len(Y))


def bands(
    records: Iterable[Record],
    dataset: str,
    *,
    methods: Sequence[str] = (),
    curve: Literal["test_metric", "train_metric"] = "test_metric",
    spread: Literal["std", "range"] = "std",
    limit: int = 300,
) -> Bands:
    """The curves of every method on one data set, for an overlay.

    Args:
        records: of a comparison; failed cells and those without curves are left out.
        dataset: its name.
        methods: the order in which methods are shown; by default as they occur.
        curve: which metric.
        spread, limit: as in :func:`band`; many methods share 10 · ``limit`` points.
    """
    mine = [r for r in records if r.cell["data"]["dataset"] == dataset and r.status == "done"]
    curves: dict[str, list[tuple[ArrayLike, ArrayLike]]] = {name: [] for name in methods}
    for r in mine:
        if curve in r.curve:
            curves.setdefault(r.cell["method"], []).append((r.curve["epoch"], r.curve[curve]))
    share = max(2, min(limit, 10 * limit // max(1, len({r.cell["method"] for r in mine}))))
    found = (band(name, each, spread=spread, limit=share) for name, each in curves.items())
    constants = [float(r.constant) for r in mine if r.constant is not None]
    return Bands(
        dataset,
        next((r.metric for r in mine), ""),
        curve,
        spread,
        tuple(each for each in found if each is not None),
        float(np.mean(constants)) if constants else None,
    )

"""What is in each column of a table: its kind, how it is distributed by class, and how much it says of the target.

The relation to the target is the share of it that the column explains alone, 0 … 1, from the column in at most ten
intervals with equally many rows (a category: one a value; missing values: one of their own), whatever the shape of the
dependence. Both measures are corrected for what intervals explain by chance, so that noise has 0 in the mean.

    classes          (I(column; y) − (B−1)(K−1)/2n) / H(y)      Theil's U with the correction of Miller (1955)
    real targets     1 − (1 − η²)(n−1)/(n−B)                    ε² of Kelley (1935), the mean over the targets
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.typing import Task

_INTERVALS = 10  # of the relation
_BARS = 20  # of a distribution drawn small
_COLOURS = 5  # classes that are distinguished in it


class ColumnSummary(NamedTuple):
    """What is in one column of a table."""

    name: str
    kind: str  # "number", "whole number", "boolean", "category" or "constant"
    missing: int  # rows without a value
    distinct: int  # different values
    counts: NDArray[np.int64]  # rows in each bar, by class [c b]; of many classes or a real target all together [1 b]
    ends: tuple[str, str]  # the least and the greatest value, or the most and the least frequent category
    relation: float  # share of the target that it explains alone


def column(name: str, values: ArrayLike, y: NDArray[Any], task: Task, labels: Sequence[str] = ()) -> ColumnSummary:
    """One column beside the target.

    Args:
        name: of the column.
        values: numbers [n], NaN where one is missing; of a category its codes.
        y: class codes [n] (0 … K−1), or targets [n K].
        task: "classification" or "regression".
        labels: the values of a category by their codes.
    """
    numbers = np.asarray(values, np.float64)
    present = np.isfinite(numbers)
    known = numbers[present]
    kinds = np.unique(known)
    if labels:
        bars, ends = _categories(known, labels)
        kind = "category"
    else:
        bars, ends, kind = _bars(known), ("", ""), _kind(kinds)
        if len(kinds):
            ends = (f"{kinds[0]:.4g}", f"{kinds[-1]:.4g}")
    groups = np.zeros(len(known), np.int64)
    several = 1
    if task == "classification" and (K := int(y.max(initial=0)) + 1) <= _COLOURS:
        groups, several = y[present].astype(np.int64), K
    width = int(bars.max(initial=-1)) + 1
    counts = np.bincount(groups * width + bars, minlength=several * width).reshape(several, width)
    return ColumnSummary(
        name, "constant" if len(kinds) < 2 else kind, int((~present).sum()), len(kinds), counts, ends,
        relation(intervals(numbers), y, task),
    )  # fmt: skip


def _kind(kinds: NDArray[np.float64]) -> str:
    if np.isin(kinds, (0.0, 1.0)).all():
        return "boolean"
    return "whole number" if (kinds == np.round(kinds)).all() else "number"


def _bars(known: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bar of each value: one a value where these are few, else of equal width from the least to the greatest."""
    kinds = np.unique(known)
    if len(kinds) <= _BARS:
        return np.asarray(np.searchsorted(kinds, known))
    share = (known - kinds[0]) / (kinds[-1] - kinds[0])
    return np.asarray(np.minimum((share * _BARS).astype(np.int64), _BARS - 1))


def _categories(known: NDArray[np.float64], labels: Sequence[str]) -> tuple[NDArray[np.int64], tuple[str, str]]:
    """The bar of each value, the most frequent first, the rarest together in the last; and the names of both ends."""
    counts = np.bincount(known.astype(np.int64), minlength=len(labels))
    order = np.argsort(-counts, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.minimum(np.arange(len(order)), _BARS - 1)
    last = order[min(int((counts > 0).sum()), _BARS) - 1] if len(known) else order[0]
    return place[known.astype(np.int64)], (str(labels[order[0]]), str(labels[last]))


def intervals(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The interval of each value [n], 0 … B−1: a distinct value each, or ten with equally many rows; NaN: the last."""
    present = np.isfinite(values)
    known = values[present]
    kinds = np.unique(known)
    if len(kinds) <= _INTERVALS:
        found = np.searchsorted(kinds, known)
    else:
        edges = np.unique(np.quantile(known, np.linspace(0, 1, _INTERVALS + 1)[1:-1]))
        found = np.searchsorted(edges, known, side="right")
    codes = np.full(len(values), found.max(initial=-1) + 1)
    codes[present] = found
    return codes


def relation(codes: NDArray[np.int64], y: NDArray[Any], task: Task) -> float:
    """The share of the target that intervals explain, corrected for chance.

    Args:
        codes: interval of each row [n].
        y: class codes [n], or targets [n K].
        task: "classification" or "regression".
    """
    n = len(codes)
    used, codes = np.unique(codes, return_inverse=True)
    B = len(used)
    if B < 2 or n <= B:
        return 0.0
    if task == "classification":
        K = int(y.max()) + 1
        joint = np.bincount(codes * K + y, minlength=B * K).reshape(B, K) / n
        classes = int((joint.sum(0) > 0).sum())
        own = _entropy(joint.sum(0))
        shared = _entropy(joint.sum(1)) + own - _entropy(joint.ravel()) - (B - 1) * (classes - 1) / (2 * n)
        return float(np.clip(shared / own, 0, 1)) if own > 0 else 0.0
    targets = np.asarray(y, np.float64).reshape(n, -1)
    targets = targets - targets.mean(0)
    rows = np.bincount(codes)
    sums = np.stack([np.bincount(codes, weights=column) for column in targets.T], axis=1)  # [B K]
    total = (targets**2).sum(0)
    eta = (sums**2 / rows[:, None]).sum(0) / np.where(total > 0, total, 1)
    return float(np.clip(1 - (1 - eta) * (n - 1) / (n - B), 0, 1).mean())


def _entropy(shares: NDArray[np.float64]) -> float:
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())

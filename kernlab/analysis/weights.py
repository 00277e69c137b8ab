"""What the weights W and the kernel's diagonal look like: singular values with the rank, values of k(x, x)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Diagonal", "SingularValues", "diagonal", "singular_values"]


class SingularValues(NamedTuple):
    """Singular values of W, falling.

    Attributes:
        values: σ₁ ≥ … ≥ σ_r [r].
        rank: how many are above ``tolerance``.
        tolerance: σ₁ times float32's rounding at the size of W.
        trace_norm: ‖W‖_* = Σ σ_j.
    """

    values: NDArray[np.float32]
    rank: int
    tolerance: float
    trace_norm: float


class Diagonal(NamedTuple):
    """Histogram of k(x, x) over a sample.

    Attributes:
        left, width: bins [b], and their common width.
        share: share of the sample in each bin [b], sums to 1.
        mean, deviation: of the sample; a deviation of 0 means that the kernel treats all points alike,
            as every stationary kernel does.
        n: sample size.
    """

    left: NDArray[np.float32]
    width: float
    share: NDArray[np.float32]
    mean: float
    deviation: float
    n: int


def singular_values(values: ArrayLike, *, rows: int = 1) -> SingularValues:
    """Order singular values [r] and count the rank; ``rows`` is W's larger side D, for the rounding error."""
    falling = np.sort(np.asarray(values, np.float64))[::-1]
    largest = float(falling[0]) if len(falling) else 0.0
    tolerance = largest * max(rows, len(falling)) * float(np.finfo(np.float32).eps)
    rank = int((falling > tolerance).sum())
    return SingularValues(falling.astype(np.float32), rank, tolerance, float(falling.sum()))


def diagonal(values: ArrayLike, bins: int = 40) -> Diagonal:
    """Histogram of the values k(x, x) [n], n ≥ 1; the window reaches at least 5 % either side of the mean."""
    sample = np.asarray(values, np.float64)
    mean = float(sample.mean())
    room = 0.05 * abs(mean) or 0.05
    low, high = min(float(sample.min()), mean - room), max(float(sample.max()), mean + room)
    count, edges = np.histogram(sample, bins, (low, high))
    share = (count / len(sample)).astype(np.float32)
    width = float(edges[1] - edges[0])
    return Diagonal(edges[:-1].astype(np.float32), width, share, mean, float(sample.std()), len(sample))

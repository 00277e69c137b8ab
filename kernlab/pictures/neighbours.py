"""Rows that nearly repeat one another, and rows that are like no other.

The kernel is k(x, x') = exp(−‖x − x'‖² / 2ℓ²) with ℓ, the median distance of two rows. A row is the stranger, the
smaller its mean similarity to the other rows, which is its kernel density estimate up to a factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_BLOCK = 2**21  # distances at once
_WORK = 2e9  # multiplications for all pairs
_MOST, _LEAST = 4000, 500  # rows
_MEASURED = 1000  # rows whose distances the median is taken of


class Neighbours(NamedTuple):
    """What the distances between the rows of a sample show; places are those in the sample."""

    first: NDArray[np.int64]  # first, second: the two rows of each of the nearest pairs [p], the nearest first
    second: NDArray[np.int64]
    distance: NDArray[np.float64]  # between them [p]
    median: float  # distance of two rows
    similarity: NDArray[np.float64]  # mean of k(x, x') over the other rows [n]

    def strangest(self, count: int) -> NDArray[np.int64]:
        """Places of the rows with the smallest mean similarity, the smallest first."""
        return np.argsort(self.similarity, kind="stable")[:count]


def room(d: int) -> int:
    """Rows of d columns that are compared with one another in a fraction of a second."""
    return int(np.clip(np.sqrt(_WORK / max(1, d)), _LEAST, _MOST))


def neighbours(X: ArrayLike, pairs: int = 8) -> Neighbours:
    """The nearest pairs of rows, and how similar each row is to the others.

    Args:
        X: scaled rows [n d], at least two.
        pairs: nearest pairs; of several between the same rows there is one.
    """
    from scipy.spatial.distance import pdist

    rows = np.asarray(X, np.float32)
    rows = rows - rows.mean(0)
    n = len(rows)
    apart = pdist(rows[:_MEASURED].astype(np.float64))
    apart = apart[apart > 0]
    median = float(np.median(apart)) if len(apart) else 1.0
    squares = np.einsum("ij,ij->i", rows, rows)
    similarity = np.empty(n)
    wanted = min(8 * pairs, n * (n - 1) // 2)  # more than asked for: those in 32 bits are in no exact order
    near, at = np.empty(0, np.float32), np.empty((0, 2), np.int64)
    step = max(1, _BLOCK // n)
    for start in range(0, n, step):
        stop = min(n, start + step)
        square = np.maximum(squares[start:stop, None] + squares - 2 * (rows[start:stop] @ rows.T), 0)
        own = np.arange(stop - start)
        square[own, own + start] = 0
        similarity[start:stop] = (np.exp(square * np.float32(-0.5 / median**2)).sum(1, dtype=np.float64) - 1) / (n - 1)
        square[np.arange(n) <= (own + start)[:, None]] = np.inf  # each pair once
        flat = square.ravel()
        best = np.argpartition(flat, min(wanted, flat.size) - 1)[:wanted]
        best = best[np.isfinite(flat[best])]
        near = np.concatenate([near, flat[best]])
        at = np.concatenate([at, np.stack([best // n + start, best % n], 1)])
        kept = np.argsort(near, kind="stable")[:wanted]
        near, at = near[kept], at[kept]
    exact = np.linalg.norm(rows[at[:, 0]].astype(np.float64) - rows[at[:, 1]].astype(np.float64), axis=1)
    order = np.lexsort((at[:, 1], at[:, 0], exact))[:pairs]
    return Neighbours(at[order, 0], at[order, 1], exact[order], median, similarity)

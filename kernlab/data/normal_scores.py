"""Normal scores: the normal quantile of a value's rank among the training part, which no unit changes.

    F(x) = (weight of values below x + ½ weight of values equal to x) / weight of all,      r(x) = Φ⁻¹(F(x))

Each column of r is then standardised over the training part. Between two measured values r is linear, beyond the
least and the largest value it is constant. A heavy tail, which takes most of a standardised column's deviation, is
pulled in, and values that lie close together are spread out.

Source: Blom 1958; Conover & Iman 1981.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NormalScores"]

KNOTS = 1000  # of a column at most


@dataclass(frozen=True, eq=False)
class NormalScores:
    """The function r of every column, linear between knots.

    Attributes:
        starts: int64 [d+1]; column j's knots are ``starts[j]`` … ``starts[j+1]`` − 1.
        values: float64, positions of the knots, ascending within a column.
        scores: float64, r at the knots.
    """

    starts: NDArray[np.int64]
    values: NDArray[np.float64]
    scores: NDArray[np.float64]

    @classmethod
    def fit(
        cls, X: NDArray[Any], rows: NDArray[np.int64] | None = None, weight: NDArray[np.float64] | None = None
    ) -> NormalScores:
        """Measure the function of each column.

        Args:
            X: [n d], finite.
            rows: the rows to measure on; all by default.
            weight: how often each of them counts, above 0; once by default.
        """
        columns = [_column(X[:, j] if rows is None else X[rows, j], weight) for j in range(X.shape[1])]
        starts = np.cumsum([0, *(len(values) for values, _ in columns)], dtype=np.int64)
        return cls(starts, *(np.concatenate(each) for each in zip(*columns, strict=True)))

    def transform(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """r of every entry, [n d]."""
        Z = np.empty_like(X)
        for j, (start, end) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            Z[:, j] = np.interp(X[:, j], self.values[start:end], self.scores[start:end])
        return Z

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Plain numeric arrays, under the names that the files of models have had from the start."""
        return {"rank_starts": self.starts, "rank_values": self.values, "rank_scores": self.scores}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> NormalScores:
        """The normal scores that :meth:`to_arrays` wrote."""
        return cls(
            np.asarray(arrays["rank_starts"], np.int64),
            np.asarray(arrays["rank_values"], np.float64),
            np.asarray(arrays["rank_scores"], np.float64),
        )


def _column(x: NDArray[Any], weight: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Knots of one column: values, scores."""
    from scipy.special import ndtri

    values, place = np.unique(np.asarray(x, np.float64), return_inverse=True)
    mass = np.bincount(place, weight)
    below = np.cumsum(mass)
    share = (below - mass / 2) / below[-1]
    scores = ndtri(share)
    mean = mass @ scores / below[-1]
    spread = np.sqrt(mass @ (scores - mean) ** 2 / below[-1])
    scores = (scores - mean) / spread if len(values) > 1 else np.zeros(1)
    if len(values) > KNOTS:
        # Even steps of the score, not of the share: the tails keep every value.
        kept = np.unique(np.searchsorted(scores, np.linspace(scores[0], scores[-1], KNOTS)).clip(0, len(values) - 1))
        values, scores = values[kept], scores[kept]
    return values, scores

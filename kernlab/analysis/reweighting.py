"""Weights of re-weighted features: how unequal they are, and how few features carry them.

    q_(1) ≥ q_(2) ≥ … ,   mass(k) = Σ_{j ≤ k} q_(j),   effective number 1/Σq²

The density of the re-weighted frequencies is :func:`kernlab.analysis.density.direction_density` with
``weights=q``. Source: LKRF eq. 8 and 14.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.thinning import thin

__all__ = ["FeatureWeights", "WeightMass", "feature_weights", "weight_mass"]


class FeatureWeights(NamedTuple):
    """Weights in falling order.

    Attributes:
        rank: 1 … support, thinned for drawing [p].
        q: weight at each rank [p], above 0.
        support: how many features have a weight.
        candidates: N_w.
        uniform: 1/N_w, the weight that each candidate began with.
        effective: 1/Σq².
    """

    rank: NDArray[np.int32]
    q: NDArray[np.float32]
    support: int
    candidates: int
    uniform: float
    effective: float


class WeightMass(NamedTuple):
    """What the k heaviest features carry together.

    Attributes:
        rank: k = 0 … support, thinned for drawing [p].
        mass: share of all weight, from 0 to 1 [p].
        marks: (share, k): the fewest features that carry half, 90 % and 99 % of the weight.
        support: how many features have a weight.
        candidates: N_w.
    """

    rank: NDArray[np.int32]
    mass: NDArray[np.float32]
    marks: tuple[tuple[float, int], ...]
    support: int
    candidates: int


def feature_weights(q: ArrayLike, candidates: int) -> FeatureWeights:
    """Weights by rank.

    Args:
        q: weights [s] of the features that were kept, in any order; zeros are left out.
        candidates: N_w ≥ 1, with those that were dropped.
    """
    falling = _falling(q)
    rank = np.arange(1, len(falling) + 1)
    shown = thin(rank.astype(np.float64), falling)
    effective = 1 / float(falling @ falling)
    return FeatureWeights(
        rank[shown].astype(np.int32),
        falling[shown].astype(np.float32),
        len(rank),
        candidates,
        1 / candidates,
        effective,
    )


def weight_mass(q: ArrayLike, candidates: int) -> WeightMass:
    """Cumulative weights by rank; arguments as for :func:`feature_weights`."""
    falling = _falling(q)
    mass = np.concatenate([[0.0], np.cumsum(falling)])
    rank = np.arange(len(mass))
    shown = thin(rank.astype(np.float64), mass)
    # Rounding may leave the last sums a hair below the share they should reach.
    marks = tuple((share, int(np.searchsorted(mass, share * (1 - 1e-6)))) for share in (0.5, 0.9, 0.99))
    return WeightMass(rank[shown].astype(np.int32), mass[shown].astype(np.float32), marks, len(falling), candidates)


def _falling(q: ArrayLike) -> NDArray[np.float64]:
    """The weights above 0, largest first, scaled to the sum 1."""
    weights = np.asarray(q, np.float64)
    falling = np.sort(weights[weights > 0])[::-1]
    return np.asarray(falling / falling.sum())

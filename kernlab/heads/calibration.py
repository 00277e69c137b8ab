"""Whether what a model promises comes true: among rows whose class has the probability p, a share p should have it, and
a share q of real targets should lie in the interval of probability q.

Source: Guo et al. 2017 (reliability, expected calibration error); Kuleshov, Fenner & Ermon 2018 (for targets).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

__all__ = ["Calibration", "intervals", "reliability"]

BINS = 10
_LEVELS = np.array([0.05, *np.arange(0.1, 0.91, 0.1), 0.95, 0.99])


class Calibration(NamedTuple):
    """What was promised, and what came true."""

    promised: NDArray[np.float64]  # mean probability of each bin, or probability of each interval [b]
    observed: NDArray[np.float64]  # share of the rows for which it came true [b]
    counts: NDArray[np.int64]  # rows of each [b]
    error: float  # mean of |observed − promised| over the rows
    loss: float  # mean −log p(y | x) over the rows, in nats; of targets in the reported unit
    classes: bool


def reliability(probabilities: ArrayLike, codes: ArrayLike, bins: int = BINS) -> Calibration:
    """Calibration of the most probable class.

    Args:
        probabilities: of the classes [m K].
        codes: the true ones [m].
        bins: with equally many rows each, so that none is empty.
    """
    chances, truth = np.asarray(probabilities, np.float64), np.asarray(codes)
    best, order = chances.max(1), np.argsort(chances.max(1), kind="stable")
    right = chances.argmax(1) == truth
    parts = [part for part in np.array_split(order, bins) if len(part)]
    promised, observed = (np.array([values[part].mean() for part in parts]) for values in (best, right))
    counts = np.array([len(part) for part in parts])
    own = np.log(np.maximum(chances[np.arange(len(truth)), truth], 1e-300))
    error = float(np.average(np.abs(observed - promised), weights=counts))
    return Calibration(promised, observed, counts, error, -float(own.mean()), True)


def intervals(mean: ArrayLike, deviation: ArrayLike, targets: ArrayLike) -> Calibration:
    """Shares of targets [m] inside the intervals of a normal prediction with this mean and deviation [m]."""
    m, s, y = (np.asarray(each, np.float64) for each in (mean, deviation, targets))
    s = np.maximum(s, 1e-150)
    # The probability of the smallest interval that has the target.
    inside = scipy.stats.norm.cdf(np.abs(y - m) / s) * 2 - 1
    observed = (inside[:, None] <= _LEVELS).mean(0)
    error = float(np.abs(observed - _LEVELS).mean())
    counts = np.full(len(_LEVELS), len(y))
    return Calibration(_LEVELS, observed, counts, error, -float(scipy.stats.norm.logpdf(y, m, s).mean()), False)

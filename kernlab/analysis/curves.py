"""Metrics over training: smoothed, thinned, ready to overlay.

    s_t = β s_{t−1} + (1−β) y_t,  s_0 = 0;   smoothed_t = s_t / (1 − βᵗ)

The division removes the pull towards the zero start, so the first smoothed value is the first value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import lfilter

from kernlab.analysis.thinning import MAX_POINTS, thin
from kernlab.errors import OptionError

__all__ = ["Curve", "Curves", "History", "Series", "curves", "last", "smooth"]

#: (steps [n], epochs [n], values [n]) of one metric, as the run store gives them.
Series: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]

#: The metrics of a run by name.
History: TypeAlias = Mapping[str, Series]


class Curve(NamedTuple):
    """One metric of one run.

    Attributes:
        name: the metric.
        x: steps or epochs of the drawn points [k].
        y: their smoothed values [k].
        raw_x, raw_y: the unsmoothed points [k']; empty when nothing was smoothed.
        total: finite points before thinning.
        dropped: non-finite points that were left out.
    """

    name: str
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    raw_x: NDArray[np.float32]
    raw_y: NDArray[np.float32]
    total: int
    dropped: int

    @property
    def thinned(self) -> bool:
        """Fewer points are drawn than were recorded."""
        return len(self.x) < self.total


class Curves(NamedTuple):
    """Some metrics of one run.

    Attributes:
        label: what the run is called in a legend ("" for the only run of a picture).
        method: the named method, which fixes the colour.
        axis: "step" or "epoch".
        curves: those of the wanted metrics that have at least one point.
        constant: the constant predictor's metric, None where it is unknown.
    """

    label: str
    method: str
    axis: Literal["step", "epoch"]
    curves: tuple[Curve, ...]
    constant: float | None = None


def smooth(values: ArrayLike, weight: float) -> NDArray[np.float64]:
    """Debiased exponential moving average of ``values`` [n]; a weight β of 0 leaves them, near 1 is smoothest.

    Raises:
        OptionError: a weight outside [0, 1).
    """
    if not 0 <= weight < 1:
        raise OptionError("smoothing must be a number of at least 0 and below 1", weight, "0.9 is a good start")
    values = np.asarray(values, np.float64)
    if weight == 0 or not len(values):
        return values
    pulled = lfilter([1 - weight], [1.0, -weight], values)
    return np.asarray(pulled / -np.expm1(np.log(weight) * np.arange(1, len(values) + 1)))


def curves(
    history: History,
    names: Sequence[str],
    *,
    smoothing: float = 0.0,
    axis: Literal["step", "epoch"] = "epoch",
    label: str = "",
    method: str = "",
    limit: int = MAX_POINTS,
) -> Curves:
    """The metrics ``names`` of one run as curves of at most ``limit`` points each.

    Args:
        history: metric name to (steps, epochs, values).
        names: metrics wanted, in legend order; those without a finite point are left out.
        smoothing: β of :func:`smooth`, in [0, 1).
        axis: what stands on the x-axis.
        label, method: the run's legend text and named method.
        limit: points per curve; many curves share 4 · ``limit``.
    """
    wanted = [name for name in names if name in history]
    share = max(100, min(limit, 4 * limit // max(1, len(wanted) * (2 if smoothing else 1))))
    drawn = [_curve(name, history[name], smoothing, axis, share) for name in wanted]
    return Curves(label, method, axis, tuple(c for c in drawn if c.total), last(history, "constant"))


def last(history: History, name: str) -> float | None:
    """The newest finite value of a metric, None where there is none."""
    values = np.asarray(history[name][2], np.float64) if name in history else np.empty(0)
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else None


def _curve(name: str, series: Series, smoothing: float, axis: str, limit: int) -> Curve:
    x = np.asarray(series[0] if axis == "step" else series[1], np.float64)
    raw = np.asarray(series[2], np.float64)
    finite = np.isfinite(raw) & np.isfinite(x)
    x, raw = x[finite], raw[finite]
    smoothed = smooth(raw, smoothing)
    kept = thin(x, smoothed, limit)
    under = thin(x, raw, limit) if smoothing else np.empty(0, np.intp)
    f32 = np.float32
    return Curve(
        name,
        x[kept].astype(f32),
        smoothed[kept].astype(f32),
        x[under].astype(f32),
        raw[under].astype(f32),
        len(x),
        int((~finite).sum()),
    )

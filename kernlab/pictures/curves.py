"""Metrics over training: smoothed, thinned, ready to overlay.

    s_t = β s_{t−1} + (1−β) y_t,  s_0 = 0;   smoothed_t = s_t / (1 − βᵗ)

The division removes the bias towards the zero start, so the first smoothed value is the first value. Where a run
repeats its epochs on all rows, smoothing starts anew: the two stretches are of different models.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
import scipy
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError
from kernlab.pictures.base import At, picture
from kernlab.pictures.changes import values_at
from kernlab.pictures.marks import line
from kernlab.pictures.theme import CONSTANT, fade, figure, role
from kernlab.pictures.thinning import MAX_POINTS, thin
from kernlab.pictures.timed import second_stretch, timed
from kernlab.regularizers import REGULARIZERS

#: (steps [n], epochs [n], values [n]) of one metric, as the run store gives them.
Series: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]
#: The metrics of a run by name.
History: TypeAlias = Mapping[str, Series]


class DrawnCurve(NamedTuple):
    """One metric of one run."""

    name: str  # the metric
    x: NDArray[np.float32]  # steps or epochs of the drawn points [k]
    y: NDArray[np.float32]  # their smoothed values [k]
    raw_x: NDArray[np.float32]  # raw_x, raw_y: the unsmoothed points [k']; empty when nothing was smoothed
    raw_y: NDArray[np.float32]
    total: int  # finite points before thinning
    dropped: int  # non-finite points that were left out
    factor: int = 1  # a power of ten by which y and raw_y are multiples of the values

    @property
    def thinned(self) -> bool:
        """Whether fewer points are drawn than were recorded."""
        return len(self.x) < self.total


class Curves(NamedTuple):
    """Some metrics of one run."""

    axis: Literal["step", "epoch"]  # "step" or "epoch"
    curves: tuple[DrawnCurve, ...]  # those of the wanted metrics that have at least one point
    constant: float | None = None  # the constant predictor's metric, None where it is unknown


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
    pulled = scipy.signal.lfilter([1 - weight], [1.0, -weight], values)
    return np.asarray(pulled / -np.expm1(np.log(weight) * np.arange(1, len(values) + 1)))


def curves(
    history: History, names: Sequence[str], *, smoothing: float = 0.0, boundary: float | None = None,
    axis: Literal["step", "epoch"] = "epoch", limit: int = MAX_POINTS,
) -> Curves:  # fmt: skip
    """The metrics ``names`` of one run as curves of at most ``limit`` points each.

    Args:
        history: metric name to (steps, epochs, values).
        names: metrics wanted, in legend order; those without a finite point are left out.
        smoothing: β of :func:`smooth`, in [0, 1).
        boundary: epoch at which the run began to repeat its epochs on all rows; smoothing does not cross it.
        axis: the x-axis.
        limit: points per curve; many curves share 4 · ``limit``.
    """
    wanted = [name for name in names if name in history]
    share = max(100, min(limit, 4 * limit // max(1, len(wanted) * (2 if smoothing else 1))))
    drawn = [_curve(name, history[name], smoothing, boundary, axis, share) for name in wanted]
    return Curves(axis, tuple(c for c in drawn if c.total), last(history, "constant"))


def last(history: History, name: str) -> float | None:
    """The newest finite value of a metric, None where there is none."""
    values = np.asarray(history[name][2], np.float64) if name in history else np.empty(0)
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else None


def _curve(name: str, series: Series, smoothing: float, boundary: float | None, axis: str, limit: int) -> DrawnCurve:
    steps, epochs, raw = (np.asarray(each, np.float64) for each in series)
    finite = np.isfinite(raw) & np.isfinite(epochs)
    raw, epochs = raw[finite], epochs[finite]
    x = steps[finite] if axis == "step" else epochs
    stretches = np.split(raw, [second_stretch(epochs, boundary)])
    smoothed = np.concatenate([smooth(each, smoothing) for each in stretches])
    kept = thin(x, smoothed, limit)
    under = thin(x, raw, limit) if smoothing else np.empty(0, np.intp)
    x32, y32, raw32 = (each.astype(np.float32) for each in (x, smoothed, raw))
    return DrawnCurve(name, x32[kept], y32[kept], x32[under], raw32[under], len(x), int((~finite).sum()))


def plot_curves(
    run: Curves, *, title: str, y: str, log_x: bool = False, log_y: bool = False, constant: bool = False
) -> go.Figure:
    """Curves of one run, coloured by what they are.

    Args:
        run: what :func:`curves` returned.
        title: heading.
        y: name of the y-axis with its unit.
        log_x, log_y: logarithmic axes.
        constant: draw the constant predictor's line where it is known.
    """
    traces = [trace for curve in run.curves for trace in _traces(curve, run.axis)]
    if constant and run.constant is not None:
        ends = [x for curve in run.curves for x in (curve.x[0], curve.x[-1])] or [0, 1]
        traces.append(constant_line(run.constant, min(ends), max(ends)))
    return figure(
        traces, title=title, subtitle=_note(run.curves), y=y, revision=f"{title}:{run.axis}:{log_x}:{log_y}",
        x=run.axis if run.axis == "epoch" else "step (mini-batches)", xaxis={"type": "log" if log_x else "linear"},
        yaxis={"type": "log" if log_y else "linear", "exponentformat": "power" if log_y else "none"},
        hovermode="x unified",
    )  # fmt: skip


def constant_line(value: float, start: float, end: float) -> go.Scatter:
    """The constant predictor's metric as a line from ``start`` to ``end``."""
    name = "constant predictor"
    words = f"{name}: %{{y:.4~g}}"
    return line([start, end], [value, value], name, CONSTANT.colour, words, dash=CONSTANT.dash, width=2)


def _traces(curve: DrawnCurve, axis: str) -> list[go.Scatter]:
    words, colour, dash = role(curve.name)
    words += f" × {curve.factor}" if curve.factor > 1 else ""
    strong = line(
        curve.x, curve.y, words, colour, f"{words}: %{{y:.4~g}}", extra=f"{axis} %{{x:.4~g}}", dash=dash,
        mode="lines+markers" if len(curve.x) == 1 else "lines", legendgroup=words,
    )  # fmt: skip
    if not len(curve.raw_x):
        return [strong]
    faint = line(
        curve.raw_x, curve.raw_y, f"{words} (raw)", fade(colour, 0.3), None, width=1, legendgroup=words,
        showlegend=False,
    )  # fmt: skip
    return [faint, strong]


def _note(drawn: Sequence[DrawnCurve]) -> str:
    thinned = next((curve for curve in drawn if curve.thinned), None)
    notes = [f"{len(thinned.x)} of {thinned.total} points drawn"] if thinned else []
    dropped = sum(curve.dropped for curve in drawn)
    notes += [f"{dropped} values not finite"] if dropped else []
    return ", ".join(notes)


def enlarged(drawn: Curves, names: Collection[str]) -> Curves:
    """Those of the named curves that would lie flat at zero beside the others, times a power of ten each."""
    heights = {curve.name: float(np.abs(curve.y).max()) for curve in drawn.curves}
    top = max(heights.values(), default=0.0)

    def grown(curve: DrawnCurve) -> DrawnCurve:
        own = heights[curve.name]
        if curve.name not in names or not 0 < own < 0.1 * top:
            return curve
        factor = 10 ** math.floor(math.log10(top / own))
        return curve._replace(y=curve.y * factor, raw_y=curve.raw_y * factor, factor=factor)

    return drawn._replace(curves=tuple(map(grown, drawn.curves)))


_SMOOTHING = 0.9  # weight of the past in the running mean of the curves
#: Names of the parts of a solver's objective.
_PENALTIES = ("penalty", "norm", *REGULARIZERS)
_PARTS = ("objective", "loss", *_PENALTIES)


def _seen(at: At, history: History, names: Sequence[str]) -> Curves:
    """Curves of a run, smoothed if its view asks for it."""
    kept = at.run.kept
    smoothing = _SMOOTHING if at.view["smooth"] else 0.0
    return curves(history, names, smoothing=smoothing, boundary=float(kept.stopped) if kept else None)


def _iterative(at: At) -> bool:
    return not at.run.at_once


def metric_name(facts: Mapping[str, Any]) -> str:
    """The test metric with its unit, for an axis."""
    if facts.get("metric") == "rmse":
        unit = facts.get("target_unit", "original")
        return "RMSE (unit of the target)" if unit == "original" else f"RMSE (targets in {unit})"
    return "accuracy (%)"


@picture("overview", alt="The objective and its parts over training", when=_iterative, uses=("smooth", "log"),
         height=300, over_time=True, together=("objective",))  # fmt: skip
def draw_objective(at: At) -> go.Figure:
    """The objective with its loss and penalties over training."""
    history = _weighted(at)
    names = [name for name in _PARTS if name in history]
    if len(names) == 2 and names[1] == "loss" and at.method and not at.method.regularizers:
        names = names[:1]  # without a penalty they are the same
    # An objective below zero (an information, an alignment) has no logarithm.
    low = min((float(history[name].values.min()) for name in names if len(history[name].values)), default=1.0)
    drawn, log = _seen(at, history, names), at.view["log"] and low >= 0
    if not log:
        drawn = enlarged(drawn, _PENALTIES)
    title = "Objective and its parts" if len(names) > 1 else "Objective"
    return timed(plot_curves(drawn, title=title, y="objective", log_y=log), at)


def _weighted(at: At) -> dict[str, Any]:
    """The history with each penalty times its λ at that step, as it enters the objective."""
    found: dict[str, Any] = dict(at.run.history)
    start = {each.name: each.weight for each in at.method.regularizers} if at.method else {}
    for name in found.keys() & REGULARIZERS.keys():  # one that was 0 may have been changed to more
        curve = found[name]
        found[name] = curve._replace(values=curve.values * values_at(at.run, name, start.get(name, 0.0), curve.steps))
    return found


@picture("overview", alt="Training, test and held-out metric over training", when=_iterative, uses=("smooth", "log"),
         height=300, over_time=True, together=("test", "train"))  # fmt: skip
def draw_metric(at: At) -> go.Figure:
    """Metric of training, test and held-out rows over training, with the constant predictor's."""
    names = ["train_metric", "test_metric", "validation_metric", "assigned_validation_metric"]
    drawn = _seen(at, at.run.history, names)._replace(constant=at.facts.get("constant"))
    name = metric_name(at.facts)
    title = "RMSE" if name.startswith("RMSE") else "Accuracy"
    return timed(plot_curves(drawn, title=title, y=name, log_y=at.view["log"], constant=True), at)

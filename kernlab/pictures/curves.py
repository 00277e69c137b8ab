"""Metrics over training: smoothed, thinned, ready to overlay.

    s_t = β s_{t−1} + (1−β) y_t,  s_0 = 0;   smoothed_t = s_t / (1 − βᵗ)

The division removes the pull towards the zero start, so the first smoothed value is the first value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from scipy.signal import lfilter

from kernlab.errors import OptionError
from kernlab.pictures.base import At, picture
from kernlab.pictures.theme import CONSTANT, fade, figure, role
from kernlab.pictures.thinning import MAX_POINTS, thin
from kernlab.pictures.timed import timed
from kernlab.regularizers import REGULARIZERS

#: (steps [n], epochs [n], values [n]) of one metric, as the run store gives them.
Series: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]


#: The metrics of a run by name.
History: TypeAlias = Mapping[str, Series]


class DrawnCurve(NamedTuple):
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
        axis: "step" or "epoch".
        curves: those of the wanted metrics that have at least one point.
        constant: the constant predictor's metric, None where it is unknown.
    """

    axis: Literal["step", "epoch"]
    curves: tuple[DrawnCurve, ...]
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
    limit: int = MAX_POINTS,
) -> Curves:
    """The metrics ``names`` of one run as curves of at most ``limit`` points each.

    Args:
        history: metric name to (steps, epochs, values).
        names: metrics wanted, in legend order; those without a finite point are left out.
        smoothing: β of :func:`smooth`, in [0, 1).
        axis: what stands on the x-axis.
        limit: points per curve; many curves share 4 · ``limit``.
    """
    wanted = [name for name in names if name in history]
    share = max(100, min(limit, 4 * limit // max(1, len(wanted) * (2 if smoothing else 1))))
    drawn = [_curve(name, history[name], smoothing, axis, share) for name in wanted]
    return Curves(axis, tuple(c for c in drawn if c.total), last(history, "constant"))


def last(history: History, name: str) -> float | None:
    """The newest finite value of a metric, None where there is none."""
    values = np.asarray(history[name][2], np.float64) if name in history else np.empty(0)
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else None


def _curve(name: str, series: Series, smoothing: float, axis: str, limit: int) -> DrawnCurve:
    x = np.asarray(series[0] if axis == "step" else series[1], np.float64)
    raw = np.asarray(series[2], np.float64)
    finite = np.isfinite(raw) & np.isfinite(x)
    x, raw = x[finite], raw[finite]
    smoothed = smooth(raw, smoothing)
    kept = thin(x, smoothed, limit)
    under = thin(x, raw, limit) if smoothing else np.empty(0, np.intp)
    f32 = np.float32
    return DrawnCurve(
        name,
        x[kept].astype(f32),
        smoothed[kept].astype(f32),
        x[under].astype(f32),
        raw[under].astype(f32),
        len(x),
        int((~finite).sum()),
    )


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
        traces,
        title=title,
        subtitle=_note(run.curves),
        x=run.axis if run.axis == "epoch" else "step (mini-batches)",
        y=y,
        revision=f"{title}:{run.axis}:{log_x}:{log_y}",
        xaxis={"type": "log" if log_x else "linear"},
        yaxis={"type": "log" if log_y else "linear", "exponentformat": "power" if log_y else "none"},
        hovermode="x unified",
    )


def constant_line(value: float, start: float, end: float) -> go.Scatter:
    """The constant predictor's metric as a line from ``start`` to ``end``."""
    return go.Scatter(
        x=[start, end],
        y=[value, value],
        mode="lines",
        name="constant predictor",
        line={"color": CONSTANT.colour, "dash": CONSTANT.dash, "width": 2},
        hovertemplate="constant predictor: %{y:.4~g}<extra></extra>",
    )


def _traces(curve: DrawnCurve, axis: str) -> list[Any]:
    words, colour, dash = role(curve.name)
    faint = go.Scatter(
        x=curve.raw_x,
        y=curve.raw_y,
        mode="lines",
        name=f"{words} (raw)",
        legendgroup=words,
        showlegend=False,
        hoverinfo="skip",
        line={"color": fade(colour, 0.3), "width": 1},
    )
    strong = go.Scatter(
        x=curve.x,
        y=curve.y,
        mode="lines+markers" if len(curve.x) == 1 else "lines",
        name=words,
        legendgroup=words,
        line={"color": colour, "dash": dash, "width": 2.5},
        hovertemplate=f"{words}: %{{y:.4~g}}<extra>{axis} %{{x:.4~g}}</extra>",
    )
    return [faint, strong] if len(curve.raw_x) else [strong]


def _note(drawn: Sequence[DrawnCurve]) -> str:
    thinned = next((curve for curve in drawn if curve.thinned), None)
    notes = [f"{len(thinned.x)} of {thinned.total} points drawn"] if thinned else []
    dropped = sum(curve.dropped for curve in drawn)
    notes += [f"{dropped} values not finite"] if dropped else []
    return ", ".join(notes)


_SMOOTHING = 0.9  # weight of the past in the running mean of the curves


#: What the solvers call the parts of their objective.
_PARTS = ("objective", "loss", "penalty", "norm", *REGULARIZERS)


def _iterative(at: At) -> bool:
    return not at.run.at_once


def metric_name(facts: Mapping[str, Any]) -> str:
    """The test metric with its unit, for an axis."""
    if facts.get("metric") == "rmse":
        unit = facts.get("target_unit", "original")
        return "RMSE (unit of the target)" if unit == "original" else f"RMSE (targets in {unit})"
    return "accuracy (%)"


@picture("overview", alt="The objective and its parts over training", when=_iterative, uses=("smooth", "log"),
         height=300, over_time=True)  # fmt: skip
def draw_objective(at: At) -> go.Figure:
    """The objective with its loss and penalties over training."""
    history = _weighted(at)
    names = [name for name in _PARTS if name in history]
    if len(names) == 2 and names[1] == "loss" and at.method and not at.method.regularizers:
        names = names[:1]  # without a penalty they are the same
    smoothing = _SMOOTHING if at.view["smooth"] else 0.0
    # What is below zero (an information, an alignment) has no logarithm.
    low = min((float(history[name].values.min()) for name in names if len(history[name].values)), default=1.0)
    drawn = curves(history, names, smoothing=smoothing)
    title = "Objective and its parts" if len(names) > 1 else "Objective"
    return timed(plot_curves(drawn, title=title, y="objective", log_y=at.view["log"] and low > 0), at)


def _weighted(at: At) -> dict[str, Any]:
    """The history with each penalty times its λ: the share it has in the objective."""
    factors = {each.name: each.weight for each in at.method.regularizers} if at.method else {}
    return {
        name: curve._replace(values=curve.values * factors[name]) if name in factors else curve
        for name, curve in at.run.history.items()
    }


@picture("overview", alt="Training, test and held-out metric over training", when=_iterative, uses=("smooth", "log"),
         height=300, over_time=True)  # fmt: skip
def draw_metric(at: At) -> go.Figure:
    """Metric of training, test and held-out rows over training, with the constant predictor's."""
    drawn = curves(
        at.run.history, ["train_metric", "test_metric", "validation_metric", "assigned_validation_metric"],
        smoothing=_SMOOTHING if at.view["smooth"] else 0.0,
    )._replace(constant=at.facts.get("constant"))  # fmt: skip
    name = metric_name(at.facts)
    title = "RMSE" if name.startswith("RMSE") else "Accuracy"
    return timed(plot_curves(drawn, title=title, y=name, log_y=at.view["log"], constant=True), at)

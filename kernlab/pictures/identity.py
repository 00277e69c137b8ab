"""The identity of discriminant information, over training.

    min over W, b of ‖ΦW + 1bᵀ − Y‖² + ρ‖W‖²  =  ‖Ȳ‖² − DI

What the left-hand side comes to is measured by fitting the ridge regression; the right-hand side is the
criterion that the map was trained by. The two are one number computed in two ways. Source: DI eq. 6–10.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go

from kernlab.pictures.base import At, picture
from kernlab.pictures.curves import Curves, DrawnCurve, History, curves
from kernlab.pictures.theme import fade, figure, role
from kernlab.pictures.timed import timed

#: Metric of each curve, by its name, in legend order.
_METRICS = ("target_norm", "discriminant_information", "predicted_error", "ridge_error")


_PREDICTED, _MEASURED = "bound/predicted_error", "bound/ridge_error"


class Identity(NamedTuple):
    """Both sides of the identity.

    Attributes:
        curves: target_norm ‖Ȳ‖², discriminant_information, predicted_error ‖Ȳ‖² − DI and ridge_error (measured),
            as far as known.
        apart: largest |measured − predicted| over ‖Ȳ‖² (over the largest of the predicted, where that is not
            known); None where the two were never known at the same step.
    """

    curves: Curves
    apart: float | None


def identity(history: History, *, axis: Literal["step", "epoch"] = "epoch") -> Identity:
    """Both sides of the identity over training.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/discriminant_information``,
            ``bound/target_norm``, ``bound/predicted_error`` and ``bound/ridge_error``.
        axis: as in :func:`kernlab.pictures.curves.curves`.
    """
    terms = {name: history[f"bound/{name}"] for name in _METRICS if f"bound/{name}" in history}
    return Identity(curves(terms, _METRICS, axis=axis), _apart(history))


def _apart(history: History) -> float | None:
    if not {_PREDICTED, _MEASURED} <= history.keys():
        return None
    predicted, measured = (_by_step(history, name) for name in (_PREDICTED, _MEASURED))
    both = predicted.keys() & measured.keys()
    if not both:
        return None
    whole = _by_step(history, "bound/target_norm") if "bound/target_norm" in history else {}
    size = max((abs(value) for value in (whole or predicted).values()), default=0.0)
    largest = max(abs(measured[step] - predicted[step]) for step in both)
    return largest / size if size else largest


def _by_step(history: History, name: str) -> dict[int, float]:
    """Finite values by their step."""
    steps, _, values = history[name]
    pairs = zip(np.asarray(steps).tolist(), np.asarray(values, np.float64).tolist(), strict=True)
    return {int(step): value for step, value in pairs if np.isfinite(value)}


def plot_identity(view: Identity, *, log_y: bool = False) -> go.Figure:
    """‖Ȳ‖² as the ceiling, DI growing towards it, ‖Ȳ‖² − DI as a broad band, and the measured error as rings on it."""
    axis = view.curves.axis
    traces = [_trace(curve, axis) for curve in view.curves.curves]
    note = "" if view.apart is None else f"measured and predicted differ by at most {view.apart:.1e} of ‖Ȳ‖²"
    return figure(
        traces,
        title="Discriminant information and the ridge error",
        subtitle=note,
        x=axis if axis == "epoch" else "step (mini-batches)",
        y="squared error",
        revision=f"identity:{axis}:{log_y}",
        yaxis={"type": "log", "exponentformat": "power"} if log_y else {"rangemode": "tozero"},
    )


def _trace(curve: DrawnCurve, axis: str) -> Any:
    words, colour, dash = role(curve.name)
    line: dict[str, Any] = {"color": colour, "dash": dash, "width": 2.5}
    marker: dict[str, Any] = {"color": colour, "size": 9}
    mode = "lines" if len(curve.x) > 1 else "markers"
    if curve.name == "predicted_error":
        line |= {"color": fade(colour, 0.45), "width": 10}
        marker |= {"color": fade(colour, 0.45), "size": 20}
    if curve.name == "ridge_error":  # rings, so that the band shows through
        mode = "markers"
        marker |= {"symbol": "circle-open", "size": 8, "line": {"width": 2}, "maxdisplayed": 60}
    return go.Scatter(
        x=curve.x,
        y=curve.y,
        mode=mode,
        name=words,
        line=line,
        marker=marker,
        hovertemplate=f"{words}: %{{y:.5~g}}<extra>{axis} %{{x:.3~g}}</extra>",
    )


@picture("bounds", alt="Discriminant information and the ridge error that it predicts, over training",
         metrics=("bound/discriminant_information",), uses=("boundlog",), height=400, over_time=True)  # fmt: skip
def draw_discriminant_identity(at: At) -> go.Figure:
    """‖Ȳ‖² − DI against the measured ridge error."""
    return timed(plot_identity(identity(at.run.history), log_y=at.view["boundlog"]), at)

"""The identity of discriminant information, over training.

    min over W, b of ‖ΦW + 1bᵀ − Y‖² + ρ‖W‖²  =  ‖Ȳ‖² − DI

The left-hand side is measured by fitting the ridge regression; the right-hand side is the criterion by which the map
was trained. Both are the same number, computed in two ways. Source: DI eq. 6–10.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from kernlab.pictures.base import At, picture
from kernlab.pictures.curves import DrawnCurve, History, Series, curves
from kernlab.pictures.marks import FROM_ZERO, LOG, line
from kernlab.pictures.theme import fade, figure, role
from kernlab.pictures.timed import timed

#: The curves in the order of the legend.
_METRICS = ("target_norm", "discriminant_information", "predicted_error", "ridge_error")


class Identity(NamedTuple):
    """Both sides of the identity."""

    # target_norm ‖Ȳ‖², discriminant_information, predicted_error ‖Ȳ‖² − DI and ridge_error (measured), as far as they
    # are known
    curves: tuple[DrawnCurve, ...]
    # largest |measured − predicted| over ‖Ȳ‖² (over the largest predicted one, where that is not known); None where the
    # two were never known at the same step
    apart: float | None


def identity(history: History) -> Identity:
    """Both sides of the identity over training.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/discriminant_information``,
            ``bound/target_norm``, ``bound/predicted_error`` and ``bound/ridge_error``.
    """
    terms = {name: history[f"bound/{name}"] for name in _METRICS if f"bound/{name}" in history}
    return Identity(curves(terms, _METRICS).curves, _apart(terms))


def _apart(terms: History) -> float | None:
    whole, predicted, measured = (
        _by_step(terms[name]) if name in terms else {} for name in ("target_norm", "predicted_error", "ridge_error")
    )
    both = predicted.keys() & measured.keys()
    if not both:
        return None
    size = max((abs(value) for value in (whole or predicted).values()), default=0.0)
    largest = max(abs(measured[step] - predicted[step]) for step in both)
    return largest / size if size else largest


def _by_step(series: Series) -> dict[int, float]:
    """Finite values by their step."""
    steps, _, values = series
    pairs = zip(np.asarray(steps).tolist(), np.asarray(values, np.float64).tolist(), strict=True)
    return {int(step): value for step, value in pairs if np.isfinite(value)}


def plot_identity(view: Identity, *, log_y: bool = False) -> go.Figure:
    """‖Ȳ‖² as the ceiling, DI growing towards it, ‖Ȳ‖² − DI as a broad band, and the measured error as rings on it."""
    traces = []
    for curve in view.curves:
        words, colour, dash = role(curve.name)
        mode, width = "lines" if len(curve.x) > 1 else "markers", 2.5
        marker: dict[str, Any] = {"color": colour, "size": 9}
        if curve.name == "predicted_error":
            colour, width = fade(colour, 0.45), 10
            marker = {"color": colour, "size": 20}
        if curve.name == "ridge_error":  # rings, so that the band shows through
            mode = "markers"
            marker |= {"symbol": "circle-open", "size": 8, "line": {"width": 2}, "maxdisplayed": 60}
        traces.append(line(
            curve.x, curve.y, words, colour, f"{words}: %{{y:.5~g}}", extra="epoch %{x:.3~g}", width=width, dash=dash,
            mode=mode, marker=marker,
        ))  # fmt: skip
    note = "" if view.apart is None else f"measured and predicted differ by at most {view.apart:.1e} of ‖Ȳ‖²"
    return figure(
        traces, title="Discriminant information and the ridge error", subtitle=note, x="epoch", y="squared error",
        revision=f"identity:{log_y}", yaxis=LOG if log_y else FROM_ZERO,
    )  # fmt: skip


@picture("bounds", alt="Discriminant information and the ridge error that it predicts, over training",
         metrics=("bound/discriminant_information",), uses=("boundlog",), height=400, over_time=True,
         together=("DI", "ridge error, measured"))  # fmt: skip
def draw_discriminant_identity(at: At) -> go.Figure:
    """‖Ȳ‖² − DI against the measured ridge error."""
    return timed(plot_identity(identity(at.run.history), log_y=at.view["boundlog"]), at)

"""Both sides of the identity of discriminant information: the measured error on the one that was predicted."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.curves import Curve
from kernlab.analysis.identity import Identity
from kernlab.plots.theme import fade, figure, role

__all__ = ["plot_identity"]


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


def _trace(curve: Curve, axis: str) -> Any:
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

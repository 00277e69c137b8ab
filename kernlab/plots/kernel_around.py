"""The kernel around one point: curves along a line, contours over the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.kernel_around import KernelProfile, KernelSurface
from kernlab.plots.moments import moment_style
from kernlab.plots.theme import DIVERGING, GREY, VERMILLION, class_style, colourbar, fade, figure

__all__ = ["plot_kernel_profile", "plot_kernel_surface"]

# From nothing to full, so that either background shows where a point has no kin.
_POSITIVE = [[0, "rgba(0,114,178,0)"], [0.15, "rgba(0,114,178,0.3)"], [1, "rgba(0,114,178,1)"]]
_LEVELS = 12  # lines between the lowest colour and the highest


def plot_kernel_profile(view: KernelProfile) -> go.Figure:
    """k(x₀, ·) along the line, one curve a kernel; a dotted line stands at x₀."""
    traces = []
    for name, values in zip(view.names, view.values, strict=True):
        style = moment_style(name)
        traces.append(
            go.Scatter(
                x=view.x,
                y=values,
                mode="lines",
                name=name,
                line={"color": style.colour, "width": 2.5, "dash": style.dash},
                hovertemplate=f"{name}: k = %{{y:.3~g}} at %{{x:.3~g}}<extra></extra>",
            )
        )
    own = ", ".join(f"{value:.3g} {name}" for name, value in zip(view.names, view.own, strict=True))
    shown = figure(
        traces,
        title="The kernel around a point",
        subtitle=f"row {view.row} of the sample; k(x₀, x₀) = {own}",
        x=view.axis,
        y="k(x₀, x) / k(x₀, x₀)" if view.relative else "k(x₀, x)",
        revision=f"kernel-profile:{view.relative}",
    )
    return shown.add_vline(x=view.at, line={"color": GREY, "width": 1.5, "dash": "dot"})


def plot_kernel_surface(view: KernelSurface) -> go.Figure:
    """k(x₀, ·) as contours over the sample; the cross is x₀."""
    low, high = float(view.values.min()), max(float(view.values.max()), view.own, 1e-12)
    signed = low < -0.02 * high
    top = max(-low, high)
    bottom = -top if signed else low if low > 0.3 * high else 0.0  # a kernel that is high everywhere still has a shape
    traces: list[Any] = [
        go.Contour(
            x=view.x,
            y=view.y,
            z=view.values,
            zmin=bottom,
            zmax=top,
            colorscale=DIVERGING if signed else _POSITIVE,
            colorbar=colourbar("k(x₀, x)") | {"tickformat": ".2~g"},
            contours={"coloring": "heatmap", "start": bottom, "end": top, "size": (top - bottom) / _LEVELS},
            line={"width": 0.5, "color": fade(GREY, 0.7)},
            name="k(x₀, x)",
            hovertemplate="k(x₀, x) = %{z:.3~g}<extra></extra>",
        )
    ]
    for code in np.unique(view.codes).tolist():
        mine = np.flatnonzero(view.codes == code)
        colour, symbol = class_style(code) if view.classes else (GREY, "circle")
        name = view.classes[code] if view.classes else "sample"
        traces.append(
            go.Scatter(
                x=view.points[mine, 0],
                y=view.points[mine, 1],
                customdata=mine.astype(np.int32),
                mode="markers",
                name=name,
                marker={"color": fade(colour, 0.75), "symbol": symbol, "size": 6},
                hovertemplate=f"row %{{customdata}} of {name}: click to look around it<extra></extra>",
            )
        )
    traces.append(
        go.Scatter(
            x=[view.at[0]],
            y=[view.at[1]],
            mode="markers",
            name="x₀",
            marker={"color": VERMILLION, "symbol": "x", "size": 13, "line": {"color": "white", "width": 1.5}},
            hovertemplate=f"x₀, row {view.row}: k(x₀, x₀) = {view.own:.3g}<extra></extra>",
        )
    )
    held = "" if view.share > 0.999 else f"; the plane holds {view.share:.0%} of the variance"
    return figure(
        traces,
        title=f"The kernel around a point, {view.name}",
        subtitle=f"row {view.row}: k(x₀, x₀) = {view.own:.3g}{held}",
        x=view.axes[0],
        y=view.axes[1],
        revision=f"kernel-surface:{view.axes}",
        xaxis={"showgrid": False, "zeroline": False},
        yaxis={"showgrid": False, "zeroline": False},
    )

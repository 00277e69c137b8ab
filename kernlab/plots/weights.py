"""Singular values of W with the rank, and the histogram of k(x, x)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.weights import Diagonal, SingularValues
from kernlab.plots.moments import moment_style
from kernlab.plots.theme import BLUE, GREY, VERMILLION, figure

__all__ = ["plot_diagonal", "plot_singular_values"]


def plot_singular_values(
    view: SingularValues, *, before: Mapping[str, SingularValues] | None = None, log_y: bool = False
) -> go.Figure:
    """Falling singular values; those beyond the rank are hollow.

    Args:
        view: now.
        before: at other moments, by name, drawn beneath as lines.
        log_y: logarithmic axis.
    """
    index = np.arange(1, len(view.values) + 1, dtype=np.int32)
    traces: list[Any] = [
        go.Scatter(
            x=np.arange(1, len(other.values) + 1, dtype=np.int32),
            y=other.values,
            mode="lines+markers",
            name=f"{name}: rank {other.rank}",
            line={"color": moment_style(name).colour, "width": 1.5, "dash": moment_style(name).dash},
            marker={"color": moment_style(name).colour, "symbol": moment_style(name).symbol, "size": 7},
            hovertemplate=f"{name}: σ%{{x}} = %{{y:.4~g}}<extra></extra>",
        )
        for name, other in (before or {}).items()
    ] + [
        go.Scatter(
            x=index[part],
            y=view.values[part],
            mode="markers",
            name=name,
            cliponaxis=False,
            marker={"color": colour, "symbol": symbol, "size": 9},
            hovertemplate="σ%{x} = %{y:.4~g}<extra></extra>",
        )
        for name, part, colour, symbol in (
            ("counted in the rank", slice(0, view.rank), BLUE, "circle"),
            ("zero", slice(view.rank, None), GREY, "circle-open"),
        )
    ]
    return figure(
        traces,
        title="Singular values of W",
        subtitle=f"rank {view.rank} of {len(view.values)}, ‖W‖⁎ = {view.trace_norm:.3g}",
        x="index j",
        y="σ<sub>j</sub>",
        revision=f"singular-values:{log_y}",
        yaxis={"type": "log", "exponentformat": "power"} if log_y else {"rangemode": "tozero"},
    )


def plot_diagonal(view: Diagonal, *, marked: Mapping[str, float] | None = None) -> go.Figure:
    """Histogram of k(x, x) with its mean; a single bar means that every point has the same norm.

    Args:
        view: the histogram.
        marked: k(x, x) of single points, by name.
    """
    bars: Any = go.Bar(
        x=view.left,
        y=view.share,
        width=view.width,
        offset=0,
        name="sample",
        marker={"color": BLUE},
        showlegend=False,
        hovertemplate="k(x, x) from %{x:.3~f}: %{y:.1%}<extra></extra>",
    )
    points = go.Scatter(
        x=list((marked or {}).values()),
        y=[0.0] * len(marked or {}),
        text=list(marked or {}),
        mode="markers",
        name="selected points",
        cliponaxis=False,
        marker={"color": VERMILLION, "symbol": "triangle-up", "size": 13},
        hovertemplate="%{text}: k(x, x) = %{x:.4~g}<extra></extra>",
    )
    return figure(
        [bars, points] if marked else [bars],
        title="Diagonal of the kernel",
        subtitle=f"k(x, x) = {view.mean:.3f} ± {view.deviation:.3f} over {view.n} points",
        x="k(x, x)",
        y="share of points",
        revision="diagonal",
        yaxis={"tickformat": ".0%"},
        shapes=[
            {
                "type": "line",
                "x0": view.mean,
                "x1": view.mean,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": VERMILLION, "width": 2, "dash": "dash"},
            }
        ],
    )

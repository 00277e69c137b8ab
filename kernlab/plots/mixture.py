"""Weights of the kernels in a dictionary as bars, beside the equal weights they began with."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.mixture import Mixture
from kernlab.plots.theme import BLUE, GREY, ORANGE, figure

__all__ = ["plot_mixture"]

_LOOKS = {"Gaussian": (BLUE, ""), "polynomial": (ORANGE, "/")}


def plot_mixture(view: Mixture) -> go.Figure:
    """Share of every kernel; the dotted line is where each began."""
    traces: list[go.Bar | go.Scatter] = []
    for family, (colour, pattern) in _LOOKS.items():
        mine = np.array([each == family for each in view.families])
        traces.append(
            go.Bar(
                x=[name for name, here in zip(view.names, mine, strict=True) if here],
                y=view.share[mine],
                name=family,
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate=f"{family}, %{{x}}: %{{y:.1%}}<extra></extra>",
            )
        )
    traces.append(
        go.Scatter(
            x=list(view.names),
            y=view.start,
            mode="lines",
            name="at the start",
            line={"color": GREY, "width": 2, "dash": "dot"},
            hovertemplate="%{x} began at %{y:.1%}<extra></extra>",
        )
    )
    return figure(
        traces,
        title="Weights of the kernels",
        subtitle=f"{len(view.names)} kernels, worth {view.effective:.1f} of equal weight",
        x="kernel",
        y="share of the weight",
        revision="mixture",
        yaxis={"tickformat": ".0%", "rangemode": "tozero"},
        xaxis={"type": "category", "tickangle": -60},
    )

"""Importance of the inputs, now and before training."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.importance import Importance, ImportancePicture
from kernlab.plots.theme import BLUE, DIVERGING, GREY, colourbar, figure

__all__ = ["plot_importance", "plot_importance_picture"]


def plot_importance(view: Importance, since: str = "before training") -> go.Figure:
    """A bar an input, the most important first; a mark where it was at the moment that ``since`` names."""
    traces = [
        go.Bar(
            x=view.now,
            y=view.names,
            orientation="h",
            name="now",
            marker={"color": BLUE},
            hovertemplate="%{y}: %{x:.2%} now<extra></extra>",
        ),
        go.Scatter(
            x=view.before,
            y=view.names,
            mode="markers",
            name=since,
            marker={"color": GREY, "symbol": "line-ns-open", "size": 16, "line": {"width": 3}},
            hovertemplate=f"%{{y}}: %{{x:.2%}} {since}<extra></extra>",
        ),
    ]
    some = (
        f"{len(view.names)} of {view.total} inputs, {view.shown:.0%} of the sum" if view.total > len(view.names) else ""
    )
    return figure(
        traces,
        title="Importance of the inputs",
        subtitle=some,
        x="share of E ω² (inputs scaled)",
        y="",
        revision="importance",
        xaxis={"rangemode": "tozero", "tickformat": ".0%"},
        yaxis={"autorange": "reversed", "type": "category", "title": {"text": "input"}},
    )


def plot_importance_picture(view: ImportancePicture, since: str = "") -> go.Figure:
    """The same for every pixel; 1 is what each would have if all were alike. Of a change ``since`` names the moment."""
    trace = go.Heatmap(
        z=view.values,
        zmin=-view.limit if view.change else 0,
        zmax=view.limit,
        colorscale=DIVERGING if view.change else "Cividis",
        colorbar=colourbar("now − then, times the average" if view.change else "times the average"),
        name="importance",
        hovertemplate="column %{x}, row %{y}: %{z:.2f} times the average<extra></extra>",
    )
    hidden = {"visible": False}
    return figure(
        [trace],
        title="Change of the pixels' importance" if view.change else "Importance of the pixels",
        subtitle=f"since {since}" if view.change else "E ω² of each pixel beside the average",
        x="",
        y="",
        revision="importance-picture",
        xaxis={**hidden, "constrain": "domain"},
        yaxis={**hidden, "autorange": "reversed", "scaleanchor": "x", "constrain": "domain"},
    )

"""Frequencies as pictures, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.frequency_pictures import FrequencyPictures
from kernlab.plots.selection import selecting
from kernlab.plots.theme import DIVERGING, GREEN, colourbar, figure

__all__ = ["plot_frequency_pictures"]


def plot_frequency_pictures(view: FrequencyPictures) -> go.Figure:
    """Blue above zero, vermillion below; the selected ones are framed. A tile's middle names its frequency."""
    height, width = view.size
    moved = view.length if view.moved is None else view.moved
    told = [
        f"length {a:.3g}" + ("" if view.moved is None else f", moved {b:.3g}")
        for a, b in zip(view.length, moved, strict=True)
    ]
    traces = [
        go.Heatmap(
            z=view.mosaic,
            zmin=-view.limit,
            zmax=view.limit,
            colorscale=DIVERGING,
            hoverongaps=False,
            colorbar=colourbar(f"{view.name} now − then" if view.change else view.name),
            name=view.name,
            hovertemplate=f"{view.name} at this pixel: %{{z:.3~g}}<extra></extra>",
        ),
        go.Scatter(
            x=view.x,
            y=view.y,
            mode="markers",
            name="frequencies",
            showlegend=False,
            customdata=view.shown.astype(np.int32),
            text=told,
            marker={"color": "rgba(0,0,0,0)", "size": 14},
            hovertemplate="frequency %{customdata}<br>%{text}<extra></extra>",
        ),
    ]
    frames: list[dict[str, Any]] = [
        {
            "type": "rect",
            "x0": float(view.x[place]) - width / 2,
            "x1": float(view.x[place]) + width / 2,
            "y0": float(view.y[place]) - height / 2,
            "y1": float(view.y[place]) + height / 2,
            "line": {"color": GREEN, "width": 3},
        }
        for place in view.marked
    ]
    hidden = {"visible": False}
    return figure(
        traces,
        title="What changed about the frequencies" if view.change else "Frequencies as pictures",
        subtitle=f"{len(view.shown)} of {view.total}, {view.order}",
        x="",
        y="",
        revision=f"frequencies:{view.name}:{view.change}:{view.order}",
        xaxis={**hidden, "constrain": "domain"},
        yaxis={**hidden, "autorange": "reversed", "scaleanchor": "x", "constrain": "domain"},
        shapes=frames,
        **selecting(view.marked),
    )

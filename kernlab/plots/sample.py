"""The sample behind the kernel's pictures, as points that can be selected."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.sample_plane import SampleView
from kernlab.plots.theme import GREY, VERMILLION, class_style, colourbar, figure

__all__ = ["plot_sample"]


def plot_sample(view: SampleView) -> go.Figure:
    """Points by class, or coloured by target; the selected ones carry a ring. Hovering names k(x, x)."""
    if view.classes:
        codes = np.unique(view.targets).tolist()
        parts = [(view.classes[code], np.flatnonzero(view.targets == code), code) for code in codes]
    else:
        parts = [("sample", np.arange(len(view.x)), -1)]
    traces: list[Any] = []
    for name, mine, code in parts:
        if code < 0:
            look: dict[str, Any] = {"color": view.targets[mine], "colorscale": "Cividis", "size": 8}
            look |= {"colorbar": colourbar("target"), "line": {"color": GREY, "width": 0.5}}
        else:
            colour, symbol = class_style(code)
            look = {"color": colour, "symbol": symbol, "size": 8, "opacity": 0.8}
        traces.append(
            go.Scatter(
                x=view.x[mine],
                y=view.y[mine],
                customdata=mine.astype(np.int32),
                text=[f"{value:.4g}" for value in view.diagonal[mine]],
                mode="markers",
                name=name,
                marker=look,
                hovertemplate=f"row %{{customdata}} of {name}: k(x, x) = %{{text}}<extra></extra>",
            )
        )
    if view.selected:
        kept = list(view.selected)
        traces.append(
            go.Scatter(
                x=view.x[kept],
                y=view.y[kept],
                mode="markers",
                name="selected",
                marker={"symbol": "circle-open", "size": 16, "color": VERMILLION, "line": {"width": 3}},
                hoverinfo="skip",
            )
        )
    held = "" if view.share > 0.999 else f"; the plane holds {view.share:.0%} of the variance"
    return figure(
        traces,
        title="The sample",
        subtitle=f"{len(view.x)} rows, {len(view.selected)} selected{held}",
        x=view.axes[0],
        y=view.axes[1],
        revision=f"sample:{view.axes}",
        xaxis={"zeroline": False},
        yaxis={"zeroline": False},
        dragmode="select",
    )

"""Frequencies as points that can be selected."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.selection import Cloud
from kernlab.plots.density import FREQUENCY_UNIT
from kernlab.plots.theme import GREEN, GREY, fade, figure

__all__ = ["plot_cloud", "points", "selecting"]


def plot_cloud(cloud: Cloud) -> go.Figure:
    """Single frequencies by their part along a line and their length; pairs by ω and ω'."""
    some = f", {len(cloud.x)} of {cloud.total} drawn" if len(cloud.x) < cloud.total else ""
    return figure(
        points(cloud),
        title="Pairs of frequencies" if cloud.pairs else "Frequencies",
        subtitle=f"{cloud.what}{some}",
        x=f"ω ({FREQUENCY_UNIT})",
        y="ω'" if cloud.pairs else f"‖ω‖ ({FREQUENCY_UNIT})",
        revision=f"cloud:{cloud.what}",
        **selecting(cloud.marked),
    )


def selecting(marked: Any) -> dict[str, Any]:
    """Layout in which dragging selects; what was drawn for that goes as soon as the selection is marked itself."""
    return {"dragmode": "select", "selections": [], "selectionrevision": ",".join(map(str, marked))}


def points(cloud: Cloud) -> list[Any]:
    """Traces of the points; a selection reports as ``customdata`` which frequency each is."""
    other = "ω'" if cloud.pairs else "‖ω‖"
    marked = np.isin(np.arange(len(cloud.x)), cloud.marked)
    looks = (
        ("pairs" if cloud.pairs else "frequencies", ~marked, {"color": fade(GREY, 0.6), "size": 5}),
        ("selected", marked, {"color": GREEN, "size": 9, "symbol": "diamond", "line": {"color": "white", "width": 1}}),
    )
    return [
        go.Scatter(
            x=cloud.x[mine],
            y=cloud.y[mine],
            customdata=cloud.places[mine],
            mode="markers",
            name=name,
            marker=marker,
            unselected={"marker": {"opacity": 1}},
            hovertemplate=f"frequency %{{customdata}}<br>ω %{{x:.3~g}}, {other} %{{y:.3~g}}<extra></extra>",
        )
        for name, mine, marker in looks
        if mine.any()
    ]

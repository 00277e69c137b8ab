"""Landmarks on the data, and landmarks as pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.landmarks import LandmarkPictures, Landmarks
from kernlab.plots.theme import BLUE, DIVERGING, GREY, class_style, colourbar, fade, figure

__all__ = ["plot_landmark_pictures", "plot_landmarks"]


def plot_landmarks(view: Landmarks) -> go.Figure:
    """Large marks where the landmarks are, a thin line from where each began, the data faint beneath."""
    path_x, path_y = (_paths(starts[view.lined], ends[view.lined]) for starts, ends in (
        (view.start_x, view.x), (view.start_y, view.y)
    ))  # fmt: skip
    ticks = view.curve is not None
    traces = _data(view)
    if view.curve is not None:
        traces.append(
            go.Scatter(
                x=view.curve[0],
                y=view.curve[1],
                mode="lines",
                name="prediction" if not view.classes else "highest score",
                line={"color": BLUE, "width": 2},
                hoverinfo="skip",
            )
        )
    traces += [
        go.Scatter(
            x=path_x,
            y=path_y,
            mode="lines+markers",
            name="from its start",
            line={"color": GREY, "width": 4 if ticks else 1},
            marker={"color": GREY, "size": np.tile(np.array([7 if ticks else 4, 0, 0], np.int8), len(view.lined))},
            hoverinfo="skip",
        ),
        go.Scatter(
            x=view.x,
            y=view.y,
            mode="markers",
            name="landmarks",
            customdata=np.hypot(view.x - view.start_x, view.y - view.start_y),
            marker={
                "symbol": "line-ns-open" if ticks else "star",
                "color": GREY,
                "size": 18 if ticks else 12 if len(view.x) < 100 else 9,
                "line": {"color": GREY, "width": 3} if ticks else {"color": "white", "width": 1},
            },
            hovertemplate="landmark at %{x:.3~g}, %{y:.3~g}<br>moved %{customdata:.2~g} here<extra></extra>",
        ),
    ]
    return figure(
        traces,
        title="Landmarks on the data",
        subtitle=_note(view),
        x=view.axes[0],
        y=view.axes[1],
        revision=f"landmarks:{view.axes}",
        xaxis={"showgrid": False, "zeroline": False},
        yaxis={"showgrid": False, "zeroline": False},
    )


def plot_landmark_pictures(view: LandmarkPictures) -> go.Figure:
    """The mosaic of :func:`kernlab.analysis.landmarks.landmark_pictures`; a change in blue above zero."""
    what = "change" if view.change else "input"
    trace = go.Heatmap(
        z=view.mosaic,
        zmin=view.limits[0],
        zmax=view.limits[1],
        colorscale=DIVERGING if view.change else "Greys_r",
        hoverongaps=False,
        colorbar=colourbar(f"{what} (scaled)"),
        name=what,
        hovertemplate=f"{what} at this pixel: %{{z:.3~g}}<extra></extra>",
    )
    hidden = {"visible": False}
    return figure(
        [trace],
        title="What training changed about the landmarks" if view.change else "Landmarks as pictures",
        subtitle=f"{len(view.shown)} of {view.total}, those that moved farthest",
        x="",
        y="",
        revision=f"landmark-pictures:{view.change}",
        xaxis={**hidden, "constrain": "domain"},
        yaxis={**hidden, "autorange": "reversed", "scaleanchor": "x", "constrain": "domain"},
    )


def _data(view: Landmarks) -> list[Any]:
    """Faint points, coloured by class or by target."""
    points = view.points
    if not view.classes:
        marker: dict[str, Any] = {"size": 6, "opacity": 0.6}
        if view.curve is None:
            marker |= {"color": points.value, "colorscale": "Cividis", "colorbar": colourbar(view.target)}
        else:  # the height tells the target already
            marker |= {"color": fade(GREY, 0.6)}
        return [
            go.Scatter(
                x=points.x,
                y=points.y,
                mode="markers",
                name="data",
                customdata=points.value,
                marker=marker,
                hovertemplate="target %{customdata:.4~g}<extra></extra>",
            )
        ]
    traces = []
    for code in np.unique(points.value).tolist():
        mine = points.value == code
        colour, symbol = class_style(code)
        traces.append(
            go.Scatter(
                x=points.x[mine],
                y=points.y[mine],
                mode="markers",
                name=view.classes[code],
                marker={"color": fade(colour, 0.4), "symbol": symbol, "size": 6},
                hovertemplate=f"data point of {view.classes[code]}<extra></extra>",
            )
        )
    return traces


def _paths(starts: Any, ends: Any) -> Any:
    """One coordinate of many separate lines: start, end, gap."""
    return np.stack([starts, ends, np.full_like(ends, np.nan)], axis=1).ravel()


def _note(view: Landmarks) -> str:
    shown = len(view.x)
    count = f"{shown} of {view.total}" if shown < view.total else f"{view.total}"
    lines = f", lines for {len(view.lined)} of them" if len(view.lined) < shown else ""
    return f"{count} landmarks{lines}; moved {view.moved:.2g} on average (scaled inputs)"

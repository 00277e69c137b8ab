"""The joint density s(ω, ω') with the diagonal on which a stationary kernel's mass lies."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.joint import Joint, JointChange
from kernlab.analysis.selection import Cloud
from kernlab.plots.density import FREQUENCY_UNIT
from kernlab.plots.selection import points, selecting
from kernlab.plots.theme import BLUE, ORANGE, VERMILLION, colourbar, figure

__all__ = ["plot_joint", "plot_joint_change", "plot_joint_surface"]

# From nothing to full, so that either background shows where there is no mass.
_SCALE = [[0, "rgba(0,114,178,0)"], [0.15, "rgba(0,114,178,0.45)"], [0.6, "rgba(0,114,178,0.95)"], [1, "#56B4E9"]]


#: Nothing where nothing has changed.
_CHANGE = [[0, VERMILLION], [0.5, "rgba(128,128,128,0)"], [1, BLUE]]
#: The surface has no background to show through.
_SOLID = [[0, "#f2f2f2"], [0.02, "#cfe0ee"], [0.3, "#56B4E9"], [1, "#0072B2"]]


def plot_joint(joint: Joint, cloud: Cloud | None = None) -> go.Figure:
    """Density now as colour, the assigned one as dotted lines round 50 % and 90 % of its mass; ν as the subtitle.

    ν is 0 where the kernel is stationary and ½ where ω and ω' are uncorrelated. With a ``cloud`` of pairs they are
    drawn as points that can be selected, each with its place among the frequencies.
    """
    outer, inner = joint.levels
    traces = [
        go.Heatmap(
            x=joint.grid,
            y=joint.grid,
            z=joint.now,
            name="now",
            colorscale=_SCALE,
            colorbar=colourbar("density"),
            zsmooth="best",
            hovertemplate="ω %{x:.3~g}, ω' %{y:.3~g}: density %{z:.3~g}<extra></extra>",
        ),
        *(
            go.Contour(
                x=joint.grid,
                y=joint.grid,
                z=joint.assigned,
                name="assigned",
                legendgroup="assigned",
                showlegend=level == outer,
                contours={"type": "constraint", "operation": "=", "value": level},
                line={"color": ORANGE, "width": 2, "dash": "dot"},
                hoverinfo="skip",
            )
            for level in (outer, inner)
        ),
        _diagonal(joint.grid),
        *([] if cloud is None else points(cloud)),
    ]
    return figure(
        traces,
        title="Joint density of ω and ω'",
        subtitle=_subtitle(joint) + ("" if cloud is None else _drawn(cloud)),
        x=f"ω ({FREQUENCY_UNIT})",
        y="ω'",
        revision=f"joint:{joint.what}",
        xaxis={"zeroline": False, "showgrid": False, "constrain": "domain", "range": _ends(joint.grid)},
        yaxis={"zeroline": False, "showgrid": False, "range": _ends(joint.grid)},
        **({} if cloud is None else selecting(cloud.marked)),
    )


def plot_joint_surface(joint: Joint) -> go.Figure:
    """The same density as a surface, with a line above the diagonal; a stationary kernel would be a wall there."""
    shown = {"showgrid": True, "zeroline": False, "tickfont": {"size": 12}}
    traces = [
        go.Surface(
            x=joint.grid,
            y=joint.grid,
            z=joint.now,
            name="now",
            colorscale=_SOLID,
            showscale=False,
            hovertemplate="ω %{x:.3~g}, ω' %{y:.3~g}: density %{z:.3~g}<extra></extra>",
        ),
        go.Scatter3d(
            x=joint.grid,
            y=joint.grid,
            z=np.diagonal(joint.now),
            mode="lines",
            name="stationary",
            line={"color": VERMILLION, "width": 6},
            hovertemplate="ω = ω' = %{x:.3~g}: density %{z:.3~g}<extra></extra>",
        ),
    ]
    return figure(
        traces,
        title="Joint density of ω and ω'",
        subtitle=_subtitle(joint),
        x=f"ω ({FREQUENCY_UNIT})",
        y="ω'",
        revision=f"joint-surface:{joint.what}",
        scene={
            "xaxis": {**shown, "title": {"text": "ω"}},
            "yaxis": {**shown, "title": {"text": "ω'"}},
            "zaxis": {**shown, "title": {"text": "density"}},
            "aspectratio": {"x": 1, "y": 1, "z": 0.6},
            "camera": {"eye": {"x": 1.2, "y": -1.5, "z": 0.9}},
        },
        showlegend=True,
    )


def plot_joint_change(change: JointChange, since: str) -> go.Figure:
    """Where pairs have come to (blue) and gone from (vermillion) since a moment, which ``since`` names."""
    traces = [
        go.Heatmap(
            x=change.grid,
            y=change.grid,
            z=change.values,
            zmin=-change.limit,
            zmax=change.limit,
            name="now − then",
            colorscale=_CHANGE,
            colorbar=colourbar("density now − then"),
            zsmooth="best",
            hovertemplate="ω %{x:.3~g}, ω' %{y:.3~g}: %{z:+.3~g}<extra></extra>",
        ),
        _diagonal(change.grid),
    ]
    return figure(
        traces,
        title="Change of the joint density",
        subtitle=f"{change.what}, since {since}: ν {change.along_then:.3f} → {change.along:.3f}",
        x=f"ω ({FREQUENCY_UNIT})",
        y="ω'",
        revision=f"joint-change:{change.what}",
        xaxis={"zeroline": False, "showgrid": False, "constrain": "domain"},
        yaxis={"zeroline": False, "showgrid": False},
    )


def _diagonal(grid: Any) -> go.Scatter:
    return go.Scatter(
        x=_ends(grid),
        y=_ends(grid),
        mode="lines",
        name="stationary",
        line={"color": VERMILLION, "width": 2, "dash": "dash"},
        hoverinfo="skip",
    )


def _ends(grid: Any) -> list[float]:
    return [float(grid[0]), float(grid[-1])]


def _subtitle(joint: Joint) -> str:
    return f"{joint.what}: ν = {joint.along:.2f} (all inputs {joint.total:.2f})"


def _drawn(cloud: Cloud) -> str:
    return f"; {len(cloud.x)} of {cloud.total} pairs drawn" if len(cloud.x) < cloud.total else ""

"""The joint density s(ω, ω') with the diagonal on which a stationary kernel's mass lies."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.joint import Joint
from kernlab.plots.density import FREQUENCY_UNIT
from kernlab.plots.theme import ORANGE, VERMILLION, colourbar, figure

__all__ = ["plot_joint"]

# From nothing to full, so that either background shows where there is no mass.
_SCALE = [[0, "rgba(0,114,178,0)"], [0.15, "rgba(0,114,178,0.45)"], [0.6, "rgba(0,114,178,0.95)"], [1, "#56B4E9"]]


def plot_joint(joint: Joint) -> go.Figure:
    """Density now as colour, the assigned one as dotted lines round 50 % and 90 % of its mass; ν as the subtitle.

    ν is 0 where the kernel is stationary and ½ where ω and ω' are uncorrelated.
    """
    outer, inner = joint.levels
    ends = [float(joint.grid[0]), float(joint.grid[-1])]
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
        go.Scatter(
            x=ends,
            y=ends,
            mode="lines",
            name="stationary",
            line={"color": VERMILLION, "width": 2, "dash": "dash"},
            hoverinfo="skip",
        ),
    ]
    return figure(
        traces,
        title="Joint density of ω and ω'",
        subtitle=f"{joint.what}: ν = {joint.along:.2f} (all inputs {joint.total:.2f})",
        x=f"ω ({FREQUENCY_UNIT})",
        y="ω'",
        revision=f"joint:{joint.what}",
        xaxis={"zeroline": False, "showgrid": False, "constrain": "domain"},
        yaxis={"zeroline": False, "showgrid": False},
    )

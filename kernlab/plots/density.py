"""The spectral density along a line: now (filled) and as assigned (dotted), for ω and ω'."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.density import Density, DensityChange
from kernlab.plots.theme import BLUE, GREY, VERMILLION, fade, figure

__all__ = ["FREQUENCY_UNIT", "plot_density", "plot_density_change"]

#: Inputs are scaled before they meet a frequency, so this is the only unit frequencies have.
FREQUENCY_UNIT = "rad / scaled unit"

_COLOURS = {"ω": BLUE, "ω'": VERMILLION}


def plot_density(density: Density) -> go.Figure:
    """Curves of :func:`kernlab.analysis.density.direction_density` or ``length_density``; grey beneath, the law."""
    length = density.what == "length"
    traces = []
    if density.law is not None:
        traces.append(
            go.Scatter(
                x=density.grid,
                y=density.law,
                mode="lines",
                name="assigned, exact",
                line={"color": GREY, "width": 1, "simplify": False},
                fill="tozeroy",
                fillcolor=fade(GREY, 0.2),
                hovertemplate="assigned, exact: %{y:.3~g} at %{x:.3~g}<extra></extra>",
            )
        )
    for curve in density.curves:
        colour, now = _COLOURS[curve.name], curve.when == "now"
        line = {"color": colour, "width": 2.5, "dash": "solid" if curve.name == "ω" else "dash", "simplify": False}
        traces.append(
            go.Scatter(
                x=density.grid,
                y=curve.values,
                mode="lines",
                name=f"{curve.name} {curve.when}",
                line=line if now else {"color": colour, "width": 1.5, "dash": "dot", "simplify": False},
                fill="tozeroy" if now else None,
                fillcolor=fade(colour, 0.15) if now else None,
                hovertemplate=f"{curve.name} {curve.when}: %{{y:.3~g}} at %{{x:.3~g}}<extra></extra>",
            )
        )
    outside = max((curve.outside for curve in density.curves if curve.when == "now"), default=0.0)
    return figure(
        traces,
        title="Length of the frequencies" if length else "Spectral density",
        subtitle=", ".join(
            ([] if length else [density.what]) + ([f"{outside:.1%} beyond the edges"] if outside > 0.005 else [])
        ),
        x=f"{'‖ω‖' if length else 'ω'} ({FREQUENCY_UNIT})",
        y="density",
        revision=f"density:{density.what}",
        yaxis={"rangemode": "tozero"},
    )


def plot_density_change(change: DensityChange, since: str) -> go.Figure:
    """Where frequencies have come to (above 0) and gone from (below) since a moment, which ``since`` names."""
    length = change.what == "length"
    traces = [
        go.Scatter(
            x=change.grid,
            y=values,
            mode="lines",
            name=name,
            line={"color": _COLOURS[name], "width": 2.5, "dash": "solid" if name == "ω" else "dash", "simplify": False},
            fill="tozeroy",
            fillcolor=fade(_COLOURS[name], 0.15),
            hovertemplate=f"{name}: %{{y:+.3~g}} at %{{x:.3~g}}<extra></extra>",
        )
        for name, values in zip(change.names, change.values, strict=True)
    ]
    moved = ", ".join(f"{share:.0%} of {name}" for name, share in zip(change.names, change.moved, strict=True))
    return figure(
        traces,
        title=f"Change of {'the lengths' if length else 'the spectral density'}",
        subtitle=", ".join(([] if length else [change.what]) + [f"since {since}: {moved} elsewhere"]),
        x=f"{'‖ω‖' if length else 'ω'} ({FREQUENCY_UNIT})",
        y="density now − then",
        revision=f"density-change:{change.what}",
        yaxis={"zerolinewidth": 2},
    )

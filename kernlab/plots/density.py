"""The spectral density along a line: now (filled) and as assigned (dotted), for ω and ω'."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.density import Density
from kernlab.plots.theme import BLUE, VERMILLION, fade, figure

__all__ = ["FREQUENCY_UNIT", "plot_density"]

#: Inputs are scaled before they meet a frequency, so this is the only unit frequencies have.
FREQUENCY_UNIT = "rad / scaled unit"

_COLOURS = {"ω": BLUE, "ω'": VERMILLION}


def plot_density(density: Density) -> go.Figure:
    """Curves of :func:`kernlab.analysis.density.direction_density` or ``length_density``."""
    length = density.what == "length"
    traces = []
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

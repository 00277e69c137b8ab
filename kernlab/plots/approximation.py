"""Error of features against the exact kernel as there are more of them, and the law of independent draws."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.approximation import Approximation
from kernlab.plots.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, figure

__all__ = ["plot_approximation"]

_LOOKS = (
    (BLUE, "solid", "circle"),
    (ORANGE, "dash", "diamond"),
    (GREEN, "dashdot", "square"),
    (PURPLE, "longdash", "triangle-up"),
    (SKY, "dot", "cross"),
)
_WORDS = {"relative": "‖K̂ − K‖ / ‖K‖", "mean": "mean |K̂ − K|", "largest": "largest |K̂ − K|"}


def plot_approximation(view: Approximation, *, letter: str = "D") -> go.Figure:
    """One curve a way of drawing, with its slope, and the line c/√D.

    Args:
        view: the errors.
        letter: what the number of features is called: D, or J for landmarks.
    """
    words = _WORDS[view.measure]
    traces = [
        go.Scatter(
            x=curve.size,
            y=curve.error,
            mode="lines+markers",
            name=curve.name + ("" if curve.slope is None else f": slope {curve.slope:.2f}".replace("-", "−")),
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"color": colour, "symbol": symbol, "size": 8},
            hovertemplate=f"{curve.name}, {letter} = %{{x}}: %{{y:.3~g}}<extra></extra>",
        )
        for curve, (colour, dash, symbol) in zip(view.curves, _LOOKS, strict=False)
        if len(curve.size)
    ]
    if len(view.law):
        traces.append(
            go.Scatter(
                x=view.law_size,
                y=view.law,
                mode="lines",
                name=f"c/√{letter}: slope −0.5",
                line={"color": GREY, "width": 2, "dash": "dot"},
                hovertemplate=f"c/√{letter} at %{{x}}: %{{y:.3~g}}<extra></extra>",
            )
        )
    return figure(
        traces,
        title=f"Error of the approximation against {letter}",
        subtitle=f"on {view.rows} rows; each error a mean over separate sets of features",
        x=f"features {letter}" if letter == "D" else f"landmarks {letter}",
        y=words,
        revision=f"approximation:{view.measure}",
        xaxis={"type": "log", "dtick": 1},
        yaxis={"type": "log", "exponentformat": "power"},
    )

"""Bars of the training and test metric for every head, with the constant predictor's line."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.results import Results
from kernlab.plots.theme import CONSTANT, figure, role

__all__ = ["plot_results"]

_PATTERNS = {"train": "/", "test": ""}


def plot_results(view: Results, *, y: str) -> go.Figure:
    """Two bars a head, each with its number above.

    Args:
        view: what :func:`kernlab.analysis.results.results` gave.
        y: name of the metric with its unit.
    """
    every = [value for result in view.heads for value in (result.train, result.test) if value is not None]
    digits = ".1f" if view.percent else ".3~s" if max(every, default=0) >= 1000 else ".3~g"
    heads = [result.head for result in view.heads]
    traces = []
    for part in ("train", "test"):
        words, colour, _ = role(f"{part}_metric")
        traces.append(
            go.Bar(
                x=heads,
                y=[getattr(result, part) for result in view.heads],
                name=words,
                marker={"color": colour, "pattern": {"shape": _PATTERNS[part]}},
                texttemplate=f"%{{y:{digits}}}",
                textposition="outside",
                textfont={"size": 15},
                cliponaxis=False,
                hovertemplate=f"{words}, %{{x}}: %{{y:.4~g}}<extra></extra>",
            )
        )
    line = {"color": CONSTANT.colour, "dash": CONSTANT.dash, "width": 2}
    shapes = []
    if view.constant is not None:
        shapes = [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": view.constant,
                "y1": view.constant,
                "line": line,
                "name": "constant predictor",
                "showlegend": True,
            }
        ]
    return figure(
        traces,
        title="What was reached",
        x="",
        y=y,
        revision="results",
        barmode="group",
        bargap=0.4,
        shapes=shapes,
        xaxis={"tickangle": 0},
        yaxis={"range": [0, 110], "tickvals": [0, 20, 40, 60, 80, 100]} if view.percent else {"rangemode": "tozero"},
    )

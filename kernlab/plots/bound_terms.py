"""The terms of a generalisation bound, over training and now, beside the gap that was measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.bound_terms import BoundHistory, BoundNow
from kernlab.analysis.curves import Curve
from kernlab.plots.theme import GREY, figure, role

__all__ = ["plot_bound_history", "plot_bound_now"]


def plot_bound_history(
    bound: BoundHistory, *, labels: Mapping[str, str] | None = None, log_y: bool = True
) -> go.Figure:
    """Lines of :func:`kernlab.analysis.bound_terms.bound_history`.

    Args:
        bound: the terms over training.
        labels: term to words, where they should differ from the theme's.
        log_y: logarithmic axis (terms differ by orders of magnitude; a gap ≤ 0 cannot be drawn on it).
    """
    words = labels or {}
    traces = [_line(curve, words, bound.terms.axis, 2.0) for curve in bound.terms.curves]
    if bound.gap is not None:
        traces.append(_line(bound.gap, words, bound.terms.axis, 4.0))
    axis = bound.terms.axis
    note = (
        f"{bound.hidden} of {len(bound.gap.y)} gaps are ≤ 0: not on a log axis"
        if bound.gap and bound.hidden and log_y
        else ""
    )
    return figure(
        traces,
        title="Bound against the measured gap",
        subtitle=note,
        x=axis if axis == "epoch" else "step (mini-batches)",
        y="loss units",
        revision=f"bound-history:{axis}:{log_y}",
        yaxis={"type": "log", "dtick": 1, "exponentformat": "power"} if log_y else {},
    )


def plot_bound_now(bound: BoundNow, *, labels: Mapping[str, str] | None = None) -> go.Figure:
    """Stacked bars of :func:`kernlab.analysis.bound_terms.bound_now`; ``labels`` maps a term to words."""
    words = labels or {}
    # One trace a term, so that a term has one legend entry and one colour in all bars.
    terms = list(dict.fromkeys(term for bar in bound.bars for term, _ in bar.parts))
    traces: list[Any] = []
    for term in terms:
        held = [(bar, value) for bar in bound.bars for name, value in bar.parts if name == term]
        text, colour, _ = role(term)
        traces.append(
            go.Bar(
                orientation="h",
                y=[bar.name for bar, _ in held],
                x=[value for _, value in held],
                name=words.get(term, text),
                showlegend=term in ("complexity", "confidence"),  # the other bars are named on the axis
                marker={"color": colour, "pattern": {"shape": {"gap": "/", "confidence": "."}.get(term, "")}},
                hovertemplate=f"%{{y}}: {words.get(term, text)} %{{x:.3~g}}<extra></extra>",
            )
        )
    unsure = [bar for bar in bound.bars if bar.error]
    traces += [
        go.Scatter(
            x=[bar.total for bar in unsure],
            y=[bar.name for bar in unsure],
            error_x={"array": [bar.error for bar in unsure], "color": GREY, "thickness": 2},
            mode="markers",
            marker={"color": GREY, "size": 1},
            name="standard error",
            showlegend=False,
            hoverinfo="skip",
        ),
        go.Scatter(
            x=[bar.end for bar in bound.bars],
            y=[bar.name for bar in bound.bars],
            mode="text",
            text=[f"\u2002{bar.total:.3g}" + (f" ± {bar.error:.1g}" if bar.error else "") for bar in bound.bars],
            textposition="middle right",
            textfont={"size": 15},
            cliponaxis=False,
            name="total",
            showlegend=False,
            hovertemplate="%{y}: %{text}<extra></extra>",
        ),
    ]
    return figure(
        traces,
        title="The bound now",
        x="loss units",
        y="",
        revision="bound-now",
        barmode="stack",
        margin={"r": 100},
        legend={"traceorder": "normal"},
    )


def _line(curve: Curve, labels: Mapping[str, str], axis: str, width: float) -> Any:
    text, colour, dash = role(curve.name)
    text = labels.get(curve.name, text)
    return go.Scatter(
        x=curve.x,
        y=curve.y,
        mode="lines" if len(curve.x) > 1 else "markers",
        name=text,
        line={"color": colour, "dash": dash, "width": width},
        marker={"color": colour, "size": 9},
        hovertemplate=f"{text}: %{{y:.3~g}}<extra>{axis} %{{x:.3~g}}</extra>",
    )

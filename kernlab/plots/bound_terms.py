"""The terms of a bound, over training and now, beside what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.bound_terms import BoundHistory, BoundNow
from kernlab.analysis.curves import Curve
from kernlab.plots.theme import BLUE, GREEN, GREY, OLIVE, ORANGE, PURPLE, ROLES, SKY, figure

__all__ = ["plot_bound_history", "plot_bound_now"]

#: For terms that have no part of their own in the theme, in the order they come.
_OTHERS = (
    (BLUE, "dash", ""),
    (ORANGE, "longdash", "x"),
    (GREEN, "dashdot", "\\"),
    (PURPLE, "dot", "."),
    (SKY, "longdash", "|"),
    (OLIVE, "dash", "+"),
)
_PATTERNS = {"gap": "/", "confidence": "."}


def plot_bound_history(
    bound: BoundHistory, *, labels: Mapping[str, str] | None = None, log_y: bool = True
) -> go.Figure:
    """Lines of :func:`kernlab.analysis.bound_terms.bound_history`.

    Args:
        bound: the terms over training.
        labels: term to words, where they should differ from the theme's.
        log_y: logarithmic axis (terms differ by orders of magnitude; a gap ≤ 0 cannot be drawn on it).
    """
    axis = bound.terms.axis
    drawn = [*bound.terms.curves, *([bound.gap] if bound.gap is not None else [])]
    look = _styles([curve.name for curve in drawn], labels or {}, bound.words)
    traces = [_line(curve, look[curve.name], axis, 4.0 if curve is bound.gap else 2.0) for curve in drawn]
    note = (
        f"{bound.hidden} of {len(bound.gap.y)} gaps are ≤ 0: not on a log axis"
        if bound.gap and bound.hidden and log_y
        else ""
    )
    return figure(
        traces,
        title=bound.title,
        subtitle=note,
        x=axis if axis == "epoch" else "step (mini-batches)",
        y=bound.unit,
        revision=f"bound-history:{axis}:{log_y}",
        yaxis={"type": "log", "dtick": 1, "exponentformat": "power"} if log_y else {},
    )


def plot_bound_now(bound: BoundNow, *, labels: Mapping[str, str] | None = None) -> go.Figure:
    """Stacked bars of :func:`kernlab.analysis.bound_terms.bound_now`; ``labels`` maps a term to words."""
    # One trace a term, so that a term has one legend entry and one colour in all bars.
    terms = list(dict.fromkeys(term for bar in bound.bars for term, _ in bar.parts))
    look = _styles(terms, labels or {}, bound.words)
    traces: list[Any] = []
    for term in terms:
        held = [(bar, value) for bar in bound.bars for name, value in bar.parts if name == term]
        text, colour, _, pattern = look[term]
        traces.append(
            go.Bar(
                orientation="h",
                y=[bar.name for bar, _ in held],
                x=[value for _, value in held],
                name=text,
                showlegend=term in bound.stacked,  # the other bars are named on the axis
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate=f"%{{y}}: {text} %{{x:.3~g}}<extra></extra>",
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
        title=bound.title,
        x=bound.unit,
        y="",
        revision="bound-now",
        barmode="stack",
        margin={"r": 100},
        legend={"traceorder": "normal"},
    )


def _styles(
    terms: Sequence[str], labels: Mapping[str, str], words: Mapping[str, str]
) -> dict[str, tuple[str, str, str, str]]:
    """Words, colour, dash and pattern of each term: the theme's, or the next that is free."""
    taken = {ROLES[term][1] for term in terms if term in ROLES}
    found, free = {}, iter([look for look in _OTHERS if look[0] not in taken] + [*_OTHERS] * len(terms))
    for term in terms:
        if term in ROLES:
            (text, colour, dash), pattern = ROLES[term], _PATTERNS.get(term, "")
        else:
            text = words.get(term, term.replace("_", " "))
            colour, dash, pattern = next(free)
        found[term] = (labels.get(term, text), colour, dash, pattern)
    return found


def _line(curve: Curve, style: tuple[str, str, str, str], axis: str, width: float) -> Any:
    text, colour, dash, _ = style
    return go.Scatter(
        x=curve.x,
        y=curve.y,
        mode="lines" if len(curve.x) > 1 else "markers",
        name=text,
        line={"color": colour, "dash": dash, "width": width},
        marker={"color": colour, "size": 9},
        hovertemplate=f"{text}: %{{y:.3~g}}<extra>{axis} %{{x:.3~g}}</extra>",
    )

"""The terms of a bound, over training and now, beside what was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.bound_terms import BoundBar, BoundHistory, BoundNow, BoundStack
from kernlab.analysis.curves import Curve
from kernlab.plots.theme import BLUE, GREEN, GREY, OLIVE, ORANGE, PURPLE, ROLES, SKY, fade, figure

__all__ = ["plot_bound_history", "plot_bound_now", "plot_bound_stack"]

#: For terms that have no part of their own in the theme, in the order they come.
_OTHERS = (
    (BLUE, "dash", ""),
    (ORANGE, "longdash", "x"),
    (GREEN, "dashdot", "\\"),
    (PURPLE, "dot", "."),
    (SKY, "longdash", "|"),
    (OLIVE, "dash", "+"),
)
#: A logarithmic axis; few ticks, so that powers of ten stand alone where there are many.
_LOG: dict[str, Any] = {"type": "log", "exponentformat": "power", "nticks": 6}
_PATTERNS = {"gap": "/", "confidence": "."}
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "hourglass")


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
        yaxis=_LOG if log_y else {},
    )


def plot_bound_stack(bound: BoundStack, *, labels: Mapping[str, str] | None = None, log_y: bool = True) -> go.Figure:
    """Areas and lines of :func:`kernlab.analysis.bound_terms.bound_stack`.

    Args:
        bound: the terms over training.
        labels: term to words, where they should differ from the theme's.
        log_y: logarithmic axis; the top of each area is still the sum of all up to it.
    """
    keys = [*(term for term, _ in bound.areas), *(key for key, _ in bound.lines)]
    look = _styles(keys, {**bound.totals, **(labels or {})}, bound.words)
    single = len(bound.x) == 1
    traces: list[Any] = []
    for term, values in bound.areas:
        text, colour, _, pattern = look[term]
        traces.append(
            go.Scatter(
                x=bound.x,
                y=values,
                stackgroup="terms",
                mode="lines+markers" if single else "lines",
                name=text,
                line={"color": colour, "width": 1},
                fillcolor=fade(colour, 0.55),
                fillpattern={"shape": pattern, "fgcolor": colour, "bgcolor": fade(colour, 0.4)} if pattern else None,
                hovertemplate=f"{text}: %{{y:.3~g}}<extra>{bound.axis} %{{x:.3~g}}</extra>",
            )
        )
    for key, values in bound.lines:
        text, colour, dash, _ = look[key]
        if key == bound.trivial:
            colour, dash = GREY, "dot"
        traces.append(
            go.Scatter(
                x=bound.x,
                y=values,
                mode="markers" if single else "lines",
                name=text,
                line={"color": colour, "dash": dash, "width": 4 if key == bound.measured else 2.5},
                marker={"color": colour, "size": 9},
                hovertemplate=f"{text}: %{{y:.3~g}}<extra>{bound.axis} %{{x:.3~g}}</extra>",
            )
        )
    notes = [f"{len(bound.x)} of {bound.total} moments drawn"] if len(bound.x) < bound.total else []
    if bound.hidden and log_y:
        notes.append(f"values ≤ 0 are not on a log axis: {bound.hidden}")
    return figure(
        traces,
        title=bound.title,
        subtitle="; ".join(notes),
        x=bound.axis if bound.axis == "epoch" else "step (mini-batches)",
        y=bound.unit,
        revision=f"bound-stack:{bound.axis}:{log_y}",
        yaxis=_LOG if log_y else {"rangemode": "tozero"},
        legend={"traceorder": "normal"},
    )


def plot_bound_now(
    bound: BoundNow,
    before: BoundNow | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    log_x: bool = False,
) -> go.Figure:
    """Bars of :func:`kernlab.analysis.bound_terms.bound_now`.

    Args:
        bound: the terms as they stand.
        before: as they stood at another moment; only the ends of those bars are marked.
        labels: term to words, where they should differ from the theme's.
        log_x: logarithmic axis. Lengths that lie beside one another do not add up there, so each bar is drawn from
            the left to its total, with a mark where each of its terms stands by itself.
    """
    # One trace a term, so that a term has one legend entry and one colour in all bars.
    terms = list(dict.fromkeys(term for bar in bound.bars for term, _ in bar.parts))
    look = _styles(terms, labels or {}, bound.words)
    bars = [bar for bar in bound.bars if bar.total > 0] if log_x else list(bound.bars)
    traces: list[Any] = []
    if log_x:
        traces.append(
            go.Bar(
                orientation="h",
                y=[bar.name for bar in bars],
                x=[bar.total for bar in bars],
                name="total",
                showlegend=False,
                marker={"color": fade(GREY, 0.28), "line": {"color": GREY, "width": 1}},
                hovertemplate="%{y}: %{x:.3~g}<extra></extra>",
            )
        )
    for place, term in enumerate(terms):
        held = [(bar, value) for bar in bars for name, value in bar.parts if name == term and (value > 0 or not log_x)]
        text, colour, _, pattern = look[term]
        where: dict[str, Any] = {"y": [bar.name for bar, _ in held], "x": [value for _, value in held], "name": text}
        where |= {"showlegend": term in bound.stacked}  # the other bars are named on the axis
        where |= {"hovertemplate": f"%{{y}}: {text} %{{x:.3~g}}<extra></extra>"}
        if log_x:
            symbol = _SYMBOLS[place % len(_SYMBOLS)]
            traces.append(go.Scatter(mode="markers", marker={"color": colour, "symbol": symbol, "size": 13}, **where))
        else:
            marker = {"color": colour, "pattern": {"shape": pattern}}
            traces.append(go.Bar(orientation="h", marker=marker, **where))
    unsure = [bar for bar in bars if bar.error]
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
            x=[bar.end for bar in bars],
            y=[bar.name for bar in bars],
            mode="text",
            text=[f"\u2002{_number(bar.total)}" + (f" ± {bar.error:.1g}" if bar.error else "") for bar in bars],
            textposition="middle right",
            textfont={"size": 15},
            cliponaxis=False,
            name="total",
            showlegend=False,
            hovertemplate="%{y}: %{text}<extra></extra>",
        ),
    ]
    if before is not None:
        ends = {bar.name: bar.total for bar in before.bars if bar.total > 0 or not log_x}
        traces.append(
            go.Scatter(
                x=list(ends.values()),
                y=list(ends),
                mode="markers",
                name="at the other moment",
                marker={"color": GREY, "symbol": "line-ns-open", "size": 30, "line": {"width": 3}},
                hovertemplate="%{y} at the other moment: %{x:.3~g}<extra></extra>",
            )
        )
    drawn = figure(
        traces,
        title=bound.title,
        subtitle=f"bars ≤ 0 are not on a log axis: {len(bound.bars) - len(bars)}"
        if len(bars) < len(bound.bars)
        else "",
        x=bound.unit,
        y="",
        revision=f"bound-now:{log_x}",
        xaxis=_LOG | {"range": _decades(bars, bound.trivial)} if log_x else {},
        barmode="overlay" if log_x else "stack",
        margin={"r": 80},
        legend={"traceorder": "normal"},
    )
    if bound.trivial is not None and bound.trivial > 0:
        drawn.add_vline(x=bound.trivial, line={"color": GREY, "dash": "dot", "width": 2})
        drawn.add_annotation(
            x=math.log10(bound.trivial) if log_x else bound.trivial,  # of lines the value, of words its logarithm
            y=1,
            yref="paper",
            yanchor="bottom",
            text="risk of answering zero",
            font={"size": 14, "color": GREY},
            showarrow=False,
        )
    return drawn


def _decades(bars: Sequence[BoundBar], trivial: float | None) -> list[float]:
    """What the axis shows: every bar, and the mark of every term that is not tiny beside the smallest bar."""
    ends = [bar.end for bar in bars] + ([trivial] if trivial else [])
    least = min((bar.total for bar in bars), default=1.0)
    parts = [value for bar in bars for _, value in bar.parts if value > 0.01 * least]
    return [math.log10(min(ends + parts, default=0.1)) - 0.4, math.log10(max(ends, default=1.0)) + 0.1]


def _number(value: float) -> str:
    """Three digits; thousands are written out."""
    if not 1e3 <= abs(value) < 1e7:
        return f"{value:.3g}"
    return f"{float(f'{value:.3g}'):,.0f}".replace(",", "\u202f")


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

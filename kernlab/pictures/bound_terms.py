"""A bound taken apart: its terms over training, and as they stand now.

Which terms add up to the total, which stand beside it and which are drawn over training, the bound itself
says (:class:`kernlab.bounds.Bound`). Of the spectral bound, for one,

    gap = test loss − train loss,   beside   4√2·L·R̂ + √(log(1/δ)/n)

R̂, the Rademacher complexity, enters three times: by the paper's bound, exactly (dual norm, with a
Monte-Carlo error) and in the worst case; each is multiplied by 4√2·L, so that all stand on the scale of
the loss and can be compared with the measured gap. Source: ASKL Theorem 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.bounds import SPECTRAL, Bound
from kernlab.pictures.base import At, picture
from kernlab.pictures.curves import Curves, DrawnCurve, History, Series, curves, last
from kernlab.pictures.theme import BLUE, GREEN, GREY, OLIVE, ORANGE, PURPLE, ROLES, SKY, fade, figure
from kernlab.pictures.thinning import MAX_POINTS, thin
from kernlab.pictures.timed import timed

_PREFIX = "bound/"


#: Names keep their capital inside a sentence.
_NAMES = ("Rademacher", "Lipschitz")


class BoundHistory(NamedTuple):
    """The bound's terms over training against what they bound.

    Attributes:
        terms: curves of the terms that the bound draws over time, as far as known.
        gap: what the bound is about, measured; None where it was not.
        hidden: drawn gap values ≤ 0, which a logarithmic axis cannot show.
        title: what is compared.
        words: term to words.
        unit: what the values are measured in.
    """

    terms: Curves
    gap: DrawnCurve | None
    hidden: int
    title: str
    words: Mapping[str, str]
    unit: str


class BoundBar(NamedTuple):
    """One stacked bar.

    Attributes:
        name: what it is, in words: "measured gap", "exact".
        parts: (term, value) from the left.
        total: sum of the parts.
        error: Monte-Carlo standard error of the total, 0 where there is none.
    """

    name: str
    parts: tuple[tuple[str, float], ...]
    total: float
    error: float = 0.0

    @property
    def end(self) -> float:
        """Where the bar and its error end."""
        return self.total + self.error


class BoundNow(NamedTuple):
    """The bound at one moment.

    Attributes:
        bars: what stands beside the bound, then the bound itself, once for each of its estimates, as far as
            known.
        terms: term to value, as given.
        stacked: terms that stand inside a bar of several, which a legend has to name.
        title: what is shown.
        words: term to words.
        unit: what the values are measured in.
        trivial: the risk that needs no learning, where it is known: a bar beyond it says nothing.
    """

    bars: tuple[BoundBar, ...]
    terms: Mapping[str, float]
    stacked: tuple[str, ...]
    title: str
    words: Mapping[str, str]
    unit: str
    trivial: float | None = None


class BoundStack(NamedTuple):
    """The terms of a bound over training, one on top of the other.

    Attributes:
        x: steps or epochs of the drawn points [p].
        areas: (term, values [p]) from the bottom. The term that ends smallest lies lowest: on a logarithmic axis
            every area keeps a height that can be seen, whatever the others are.
        lines: (key, values [p]) of what is compared with the stack.
        totals: words of those lines that are the whole bound in another reading.
        measured: key of the line that the bound is about.
        trivial: key of the line of the risk that needs no learning.
        hidden: drawn values of lines that are ≤ 0, which a logarithmic axis cannot show.
        total: recorded points before thinning.
        axis: "step" or "epoch".
        title, words, unit: as of :class:`BoundNow`.
    """

    x: NDArray[np.float32]
    areas: tuple[tuple[str, NDArray[np.float32]], ...]
    lines: tuple[tuple[str, NDArray[np.float32]], ...]
    totals: Mapping[str, str]
    measured: str
    trivial: str
    hidden: int
    total: int
    axis: Literal["step", "epoch"]
    title: str
    words: Mapping[str, str]
    unit: str


def bound_history(
    history: History,
    bound: Bound = SPECTRAL,
    *,
    smoothing: float = 0.0,
    axis: Literal["step", "epoch"] = "epoch",
) -> BoundHistory:
    """The terms of a bound over training, all on one scale.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/<term>``.
        bound: which bound they belong to.
        smoothing, axis: as in :func:`kernlab.pictures.curves.curves`.
    """
    terms = {key.removeprefix(_PREFIX): series for key, series in history.items() if key.startswith(_PREFIX)}
    for each in bound.estimates:
        if {each.of, each.factor} <= terms.keys():
            terms[each.key] = _scaled(terms[each.of], terms[each.factor], each.scale)
    found = curves(terms, bound.over_time, smoothing=smoothing, axis=axis)
    gap = next((curve for curve in found.curves if curve.name == bound.measured), None)
    kept = tuple(curve for curve in found.curves if curve.name != bound.measured)
    hidden = int((gap.y <= 0).sum()) if gap is not None else 0
    words = _words(bound)
    title = f"Bound against the {words[bound.measured]}" if _sums_up(bound) else bound.title
    return BoundHistory(found._replace(curves=kept), gap, hidden, title, words, bound.unit)


def bound_now(values: Mapping[str, float], bound: Bound = SPECTRAL) -> BoundNow:
    """A bound as bars: what stands beside it one by one, then its terms stacked to the total.

    Args:
        values: term to value (see :func:`newest`); a bar is drawn where all that it needs is known.
        bound: which bound they belong to.
    """
    words = _words(bound)
    bars = [BoundBar(words[term], ((term, values[term]),), values[term]) for term in bound.beside if term in values]
    for each in bound.estimates:
        if {each.of, each.factor, *bound.stack} - {each.replaces} <= values.keys():
            factor = each.scale * values[each.factor]
            known = {**values, each.replaces: factor * values[each.of]}
            bars.append(_bar(each.title, bound.stack, known, factor * values.get(each.error, 0.0)))
    if not bound.estimates and bound.stack and set(bound.stack) <= values.keys():
        bars.append(_bar(words.get(bound.total, bound.total), bound.stack, values))
    title = "The bound now" if _sums_up(bound) else bound.title
    trivial = values.get(bound.trivial)
    return BoundNow(tuple(bars), dict(values), bound.stack, title, words, bound.unit, trivial)


def bound_stack(
    history: History, bound: Bound = SPECTRAL, *, axis: Literal["step", "epoch"] = "epoch", limit: int = MAX_POINTS
) -> BoundStack | None:
    """The terms that add up to a bound, over training, with what they are compared with.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/<term>``.
        bound: which bound they belong to.
        axis: what stands on the x-axis.
        limit: points drawn at most, of all areas and lines together four times as many.

    Returns:
        None where a term of the stack was never measured, or the bound has none.
    """
    terms = {key.removeprefix(_PREFIX): series for key, series in history.items() if key.startswith(_PREFIX)}
    if not bound.stack or not set(bound.stack) <= terms.keys():
        return None
    # What lies on one another has to be known at one time: every term is read off where the first was measured.
    steps, epochs, _ = (np.asarray(each, float) for each in terms[bound.stack[0]])
    values = {key: _read(terms[key], steps) for key in terms}
    finite = np.isfinite([values[term] for term in bound.stack]).all(0) & np.isfinite(epochs)
    if not finite.any():
        return None
    totals, lines = {}, {}
    for each in bound.estimates:
        if each.key not in bound.stack and {each.of, each.factor} <= values.keys():
            rest = sum(values[term] for term in bound.stack if term != each.replaces)
            lines[each.key] = each.scale * values[each.factor] * values[each.of] + rest
            totals[each.key] = f"{each.title}, in total"
    words = _words(bound)
    wanted = dict.fromkeys((*bound.beside, *((bound.measured,) if _sums_up(bound) else ()), bound.trivial))
    lines |= {key: values[key] for key in wanted if key in values and key not in bound.stack}
    x = (steps if axis == "step" else epochs)[finite]
    total = np.sum([values[term][finite] for term in bound.stack], axis=0)
    kept = thin(x, total, max(100, min(limit, 4 * limit // (len(bound.stack) + len(lines)))))
    drawn = {key: line[finite][kept].astype(np.float32) for key, line in {**values, **lines}.items()}
    areas = sorted(bound.stack, key=lambda term: float(drawn[term][-1]))
    return BoundStack(
        x[kept].astype(np.float32),
        tuple((term, drawn[term]) for term in areas),
        tuple((key, drawn[key]) for key in lines),
        totals,
        bound.measured,
        bound.trivial,
        sum(int((drawn[key] <= 0).sum()) for key in lines),
        len(x),
        axis,
        f"Terms of the bound against the {words[bound.measured]}" if _sums_up(bound) else bound.title,
        words,
        bound.unit,
    )


def _read(series: Series, steps: NDArray[np.float64]) -> NDArray[np.float64]:
    at, _, values = (np.asarray(each, float) for each in series)
    return np.asarray(np.interp(steps, at, values))


def newest(history: History) -> dict[str, float]:
    """The newest finite value of every bound term in a history, by its name without ``bound/``."""
    found = {key.removeprefix(_PREFIX): last(history, key) for key in history if key.startswith(_PREFIX)}
    return {key: value for key, value in found.items() if value is not None}


def _bar(name: str, stack: tuple[str, ...], values: Mapping[str, float], error: float = 0.0) -> BoundBar:
    parts = tuple((term, values[term]) for term in stack)
    return BoundBar(name, parts, sum(value for _, value in parts), error)


def _scaled(series: Series, factor: Series, scale: float) -> Series:
    """One term times another and a number; the factor is read off at the same steps."""
    steps, epochs, values = series
    at = np.interp(np.asarray(steps, float), np.asarray(factor[0], float), np.asarray(factor[2], float))
    return steps, epochs, scale * at * np.asarray(values, float)


def _sums_up(bound: Bound) -> bool:
    """Whether it is a bound on a gap, and no other account of numbers that belong together."""
    return bool(bound.stack) and bound.measured in bound.over_time


def _words(bound: Bound) -> dict[str, str]:
    """Titles of the terms as they stand inside a sentence, by key."""
    return {term.key: _lowered(term.title) for term in bound.terms}


def _lowered(title: str) -> str:
    name = title.split()[0] in _NAMES or not title[1:2].islower()  # an abbreviation, a formula
    return title if name else title[0].lower() + title[1:]


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
    """Lines of :func:`kernlab.pictures.bound_terms.bound_history`.

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
    """Areas and lines of :func:`kernlab.pictures.bound_terms.bound_stack`.

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
    bound: BoundNow, before: BoundNow | None = None, *, labels: Mapping[str, str] | None = None, log_x: bool = False
) -> go.Figure:
    """Bars of :func:`kernlab.pictures.bound_terms.bound_now`.

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
        shown = [(bar, value) for bar in bars for name, value in bar.parts if name == term and (value > 0 or not log_x)]
        text, colour, _, pattern = look[term]
        where: dict[str, Any] = {"y": [bar.name for bar, _ in shown], "x": [value for _, value in shown], "name": text}
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


def _line(curve: DrawnCurve, style: tuple[str, str, str, str], axis: str, width: float) -> Any:
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


_IDENTITY = "bound/discriminant_information"


# -- as measured -----------------------------------------------------------------------------------------------


def newest_terms(at: At) -> dict[str, float]:
    return newest(at.run.until(at.moment.step))


def _now(at: At) -> BoundNow:
    assert at.bound
    return bound_now(newest_terms(at), at.bound)


def _before(at: At) -> BoundNow | None:
    if at.reference is None or at.bound is None:
        return None
    return bound_now(newest(at.run.until(at.reference.step)), at.bound)


@picture("bounds", alt="The terms of the bound as bars beside what was measured", uses=("boundlog",), height=400,
         over_time=True, when=lambda at: at.bound is not None and bool(at.bound.trivial and _now(at).bars))  # fmt: skip
def draw_bound_now(at: At) -> go.Figure:
    """The bound in all its readings, beside what was measured."""
    return plot_bound_now(_now(at), _before(at), log_x=at.view["boundlog"])


@picture("bounds", alt="The terms as bars", height=400, over_time=True,
         when=lambda at: at.bound is not None and not at.bound.trivial and bool(_now(at).bars))  # fmt: skip
def draw_bound_parts(at: At) -> go.Figure:
    """The same where nothing is bounded: numbers of one order, that need no logarithm."""
    return plot_bound_now(_now(at), _before(at))


def _stacked(at: At) -> bool:
    return (
        at.bound is not None
        and not at.run.at_once
        and {f"bound/{key}" for key in at.bound.stack or ("",)} <= (at.run.history.keys())
    )


@picture("inside.bounds", alt="The terms of the bound stacked over training, with the measured gap", uses=("boundlog",),
         height=400, over_time=True, when=_stacked)  # fmt: skip
def draw_bound_stack(at: At) -> go.Figure:
    """The terms that add up to the bound, as areas over training."""
    found = bound_stack(at.run.history, at.bound) if at.bound else None
    assert found is not None
    assert at.bound
    return timed(plot_bound_stack(found, log_y=bool(at.bound.trivial) and at.view["boundlog"]), at)


def _has_history(at: At) -> bool:
    keys = [f"bound/{key}" for key in (*at.bound.over_time, at.bound.measured)] if at.bound else []
    return not at.run.at_once and any(key in at.run.history for key in keys)


@picture("bounds", alt="The terms of the bound over training, each by itself", uses=("boundlog",), height=400,
         over_time=True, when=lambda at: _has_history(at) and _IDENTITY not in at.run.history)  # fmt: skip
def draw_bound_history(at: At) -> go.Figure:
    """The bound's terms over training, each by itself."""
    assert at.bound
    drawn = bound_history(at.run.history, at.bound)
    return timed(plot_bound_history(drawn, log_y=at.view["boundlog"]), at)

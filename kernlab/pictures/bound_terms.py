"""The terms of a bound, over training and at one moment.

Each bound names the terms that add up to its total, those beside it and those that are drawn over training
(:class:`kernlab.bounds.Bound`). Of the spectral bound, for example,

    gap = test loss − train loss,   beside   4√2·L·R̂ + √(log(1/δ)/n)

The Rademacher complexity R̂ enters three times: by the paper's bound, exactly (dual norm, with a Monte-Carlo error)
and in the worst case. Each is multiplied by 4√2·L, so that all are on the scale of the loss and can be compared with
the measured gap. Source: ASKL Theorem 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.bounds import SPECTRAL, Bound
from kernlab.numerals import number
from kernlab.pictures.base import At, picture
from kernlab.pictures.curves import DrawnCurve, History, Series, curves, last
from kernlab.pictures.marks import FROM_ZERO, LOG, bars, dots, line
from kernlab.pictures.theme import BLUE, GREEN, GREY, OLIVE, ORANGE, PURPLE, ROLES, SKY, fade, figure, with_words_above
from kernlab.pictures.thinning import MAX_POINTS, thin
from kernlab.pictures.timed import timed

_PREFIX = "bound/"
_IDENTITY = "discriminant_information"  # a term of an equality, which bounds nothing
#: Names keep their capital inside a sentence.
_NAMES = ("Rademacher", "Lipschitz")


class BoundHistory(NamedTuple):
    """The bound's terms over training against what they bound."""

    terms: tuple[DrawnCurve, ...]  # curves of the terms that the bound draws over time, as far as they are known
    gap: DrawnCurve | None  # the measured quantity that the bound limits; None where it was not measured
    hidden: int  # drawn gap values ≤ 0, which a logarithmic axis cannot show
    title: str  # of the picture
    words: Mapping[str, str]  # term to words
    unit: str  # of the values


class BoundBar(NamedTuple):
    """One stacked bar."""

    name: str  # in words: "measured gap", "exact"
    parts: tuple[tuple[str, float], ...]  # (term, value) from the left
    error: float = 0.0  # Monte-Carlo standard error of the total, 0 where there is none

    @property
    def total(self) -> float:
        """Sum of the parts."""
        return sum(value for _, value in self.parts)

    @property
    def end(self) -> float:
        """Where the bar and its error end."""
        return self.total + self.error


class BoundNow(NamedTuple):
    """The bound at one moment."""

    # the quantities beside the bound, then the bound itself, once for each of its estimates, as far as they are known
    bars: tuple[BoundBar, ...]
    stacked: tuple[str, ...]  # terms of a bar with several parts, which a legend has to name
    title: str  # of the picture
    words: Mapping[str, str]  # term to words
    unit: str  # of the values
    trivial: float | None = None  # the risk that needs no learning, where it is known: a bound above it is vacuous


class BoundStack(NamedTuple):
    """The terms of a bound over training, one on top of the other."""

    x: NDArray[np.float32]  # epochs of the drawn points [p]
    # (term, values [p]) from the bottom. The term that ends smallest lies lowest: on a logarithmic axis every area
    # keeps a visible height, whatever the others are.
    areas: tuple[tuple[str, NDArray[np.float32]], ...]
    lines: tuple[tuple[str, NDArray[np.float32]], ...]  # (key, values [p]) that are compared with the stack
    totals: Mapping[str, str]  # words of those lines that are the whole bound by another estimate
    measured: str  # key of the line of the quantity that the bound limits
    trivial: str  # key of the line of the risk that needs no learning
    hidden: int  # drawn values of lines that are ≤ 0, which a logarithmic axis cannot show
    total: int  # recorded points before thinning
    title: str  # of the picture
    words: Mapping[str, str]  # term to words
    unit: str  # of the values


def bound_history(history: History, bound: Bound = SPECTRAL) -> BoundHistory:
    """The terms of a bound over training, all on one scale.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/<term>``.
        bound: the bound that they belong to.
    """
    terms = _terms(history)
    for each in bound.estimates:
        if {each.of, each.factor} <= terms.keys():
            steps, epochs, values = terms[each.of]
            factor = _at_steps(terms[each.factor], np.asarray(steps, float))
            terms[each.key] = steps, epochs, each.scale * factor * np.asarray(values, float)
    found = {curve.name: curve for curve in curves(terms, bound.over_time).curves}
    gap, words = found.pop(bound.measured, None), {**_words(bound), **bound.short}
    title = f"Bound against the {words[bound.measured]}" if _limits(bound) else bound.title
    return BoundHistory(
        tuple(found.values()), gap, 0 if gap is None else int((gap.y <= 0).sum()), title, words, bound.unit
    )


def bound_now(values: Mapping[str, float], bound: Bound = SPECTRAL) -> BoundNow:
    """A bound as bars: the quantities beside it one by one, then its terms stacked to the total.

    Args:
        values: term to value (see :func:`newest`); a bar is drawn where all its terms are known.
        bound: the bound that they belong to.
    """
    words = _words(bound)
    found = [BoundBar(words[term], ((term, values[term]),)) for term in bound.beside if term in values]

    def stacked(name: str, known: Mapping[str, float], error: float = 0.0) -> BoundBar:
        return BoundBar(name, tuple((term, known[term]) for term in bound.stack), error)

    for each in bound.estimates:
        if {each.of, each.factor, *bound.stack} - {each.replaces} <= values.keys():
            factor = each.scale * values[each.factor]
            known = {**values, each.replaces: factor * values[each.of]}
            found.append(stacked(each.title, known, factor * values.get(each.error, 0.0)))
    if not bound.estimates and bound.stack and set(bound.stack) <= values.keys():
        found.append(stacked(words.get(bound.total, bound.total), values))
    title = "The bound now" if _limits(bound) else bound.title
    return BoundNow(tuple(found), bound.stack, title, words, bound.unit, values.get(bound.trivial))


def bound_stack(history: History, bound: Bound = SPECTRAL) -> BoundStack | None:
    """The terms that add up to a bound, over training, with the quantities that they are compared with.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/<term>``.
        bound: the bound that they belong to.

    Returns:
        None where a term of the stack was never measured, or the bound has none.
    """
    terms = _terms(history)
    if not bound.stack or not set(bound.stack) <= terms.keys():
        return None
    # Areas on top of each other need common times: every term is interpolated to the steps of the first.
    steps, epochs, _ = (np.asarray(each, float) for each in terms[bound.stack[0]])
    values = {key: _at_steps(terms[key], steps) for key in terms}
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
    wanted = dict.fromkeys((*bound.beside, *((bound.measured,) if _limits(bound) else ()), bound.trivial))
    lines |= {key: values[key] for key in wanted if key in values and key not in bound.stack}
    total = np.sum([values[term][finite] for term in bound.stack], axis=0)
    limit = 4 * MAX_POINTS // (len(bound.stack) + len(lines))  # points of all areas and lines together: 4 · MAX_POINTS
    kept = thin(epochs[finite], total, max(100, min(MAX_POINTS, limit)))
    drawn = {key: series[finite][kept].astype(np.float32) for key, series in {**values, **lines}.items()}
    return BoundStack(
        epochs[finite][kept].astype(np.float32),
        tuple((term, drawn[term]) for term in sorted(bound.stack, key=lambda term: float(drawn[term][-1]))),
        tuple((key, drawn[key]) for key in lines), totals, bound.measured, bound.trivial,
        sum(int((drawn[key] <= 0).sum()) for key in lines), int(finite.sum()),
        f"Terms of the bound against the {words[bound.measured]}" if _limits(bound) else bound.title, words, bound.unit,
    )  # fmt: skip


def _terms(history: History) -> dict[str, Series]:
    return {key.removeprefix(_PREFIX): series for key, series in history.items() if key.startswith(_PREFIX)}


def _at_steps(series: Series, steps: NDArray[np.float64]) -> NDArray[np.float64]:
    at, _, values = (np.asarray(each, float) for each in series)
    return np.asarray(np.interp(steps, at, values))


def newest(history: History) -> dict[str, float]:
    """The newest finite value of every bound term in a history, by its name without ``bound/``."""
    found = {key: last(history, _PREFIX + key) for key in _terms(history)}
    return {key: value for key, value in found.items() if value is not None}


def _limits(bound: Bound) -> bool:
    """Whether it limits a measured quantity; else its numbers only belong together."""
    return bool(bound.stack) and bound.measured in bound.over_time


def _words(bound: Bound) -> dict[str, str]:
    """Titles of the terms inside a sentence, by key."""
    return {term.key: _lowered(term.title) for term in bound.terms}


def _lowered(title: str) -> str:
    name = title.split()[0] in _NAMES or not title[1:2].islower()  # an abbreviation, a formula
    return title if name else title[0].lower() + title[1:]


#: Colour, dash and pattern of terms that have no role in the theme, in this order.
_OTHERS = (
    (BLUE, "dash", ""), (ORANGE, "longdash", "x"), (GREEN, "dashdot", "\\"), (PURPLE, "dot", "."),
    (SKY, "longdash", "|"), (OLIVE, "dash", "+"),
)  # fmt: skip
_PATTERNS = {"gap": "/", "confidence": "."}
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star", "hourglass")


def plot_bound_history(bound: BoundHistory, *, log_y: bool = True) -> go.Figure:
    """Lines of :func:`bound_history`; terms differ by orders of magnitude, and ``log_y`` shows that."""
    drawn = [*bound.terms, *([bound.gap] if bound.gap is not None else [])]
    look = _styles([curve.name for curve in drawn], bound.words)
    traces = []
    for curve in drawn:
        words, colour, dash, _ = look[curve.name]
        traces.append(line(
            curve.x, curve.y, words, colour, f"{words}: %{{y:.3~g}}", extra="epoch %{x:.3~g}", dash=dash,
            width=4 if curve is bound.gap else 2, mode="lines" if len(curve.x) > 1 else "markers",
            marker={"color": colour, "size": 9},
        ))  # fmt: skip
    some = bound.gap is not None and bound.hidden and log_y
    return figure(
        traces, title=bound.title, x="epoch", y=bound.unit, revision=f"bound-history:{log_y}",
        subtitle=f"{bound.hidden} of {len(bound.gap.y)} gaps are ≤ 0: not on a log axis" if some and bound.gap else "",
        yaxis=LOG if log_y else {},
    )  # fmt: skip


def plot_bound_stack(bound: BoundStack, *, log_y: bool = True) -> go.Figure:
    """Areas and lines of :func:`bound_stack`; with ``log_y`` the top of each area is still the sum of all up to it."""
    look = _styles([key for key, _ in (*bound.areas, *bound.lines)], bound.words)
    single, extra = len(bound.x) == 1, "epoch %{x:.3~g}"
    traces = []
    for term, values in bound.areas:
        words, colour, _, pattern = look[term]
        hatched = {"shape": pattern, "fgcolor": colour, "bgcolor": fade(colour, 0.4)} if pattern else None
        traces.append(line(
            bound.x, values, words, colour, f"{words}: %{{y:.3~g}}", extra=extra, width=1,
            mode="lines+markers" if single else "lines", stackgroup="terms", fillcolor=fade(colour, 0.55),
            fillpattern=hatched,
        ))  # fmt: skip
    for key, values in bound.lines:
        words, colour, dash, _ = look[key]
        words = bound.totals.get(key, words)
        if key == bound.trivial:
            colour, dash = GREY, "dot"
        traces.append(line(
            bound.x, values, words, colour, f"{words}: %{{y:.3~g}}", extra=extra, dash=dash,
            width=4 if key == bound.measured else 2.5, mode="markers" if single else "lines",
            marker={"color": colour, "size": 9},
        ))  # fmt: skip
    notes = [f"{len(bound.x)} of {bound.total} moments drawn"] if len(bound.x) < bound.total else []
    if bound.hidden and log_y:
        notes.append(f"values ≤ 0 are not on a log axis: {bound.hidden}")
    return figure(
        traces, title=bound.title, subtitle="; ".join(notes), x="epoch", y=bound.unit, revision=f"bound-stack:{log_y}",
        yaxis=LOG if log_y else FROM_ZERO, legend={"traceorder": "normal"},
    )  # fmt: skip


def plot_bound_now(bound: BoundNow, before: BoundNow | None = None, *, log_x: bool = False) -> go.Figure:
    """Bars of :func:`bound_now`.

    Args:
        bound: the terms at the moment.
        before: the terms at another moment; only the ends of those bars are marked.
        log_x: logarithmic axis. Lengths beside each other do not add up on it, so each bar is drawn from the left to
            its total, with a mark at the value of each of its terms.
    """
    # One trace a term, so that a term has one legend entry and one colour in all bars.
    terms = list(dict.fromkeys(term for bar in bound.bars for term, _ in bar.parts))
    look = _styles(terms, bound.words)
    shown = [bar for bar in bound.bars if bar.total > 0] if log_x else list(bound.bars)
    names, traces = [bar.name for bar in shown], []
    if log_x:
        pale = {"color": fade(GREY, 0.28), "line": {"color": GREY, "width": 1}}
        whole = bars([bar.total for bar in shown], names, "total", GREY, "%{y}: %{x:.3~g}", orientation="h")
        traces.append(whole.update(showlegend=False, marker=pale))
    for place, term in enumerate(terms):
        words, colour, _, pattern = look[term]
        mine = [(bar, value) for bar in shown for key, value in bar.parts if key == term and (value > 0 or not log_x)]
        x, y, hover = [value for _, value in mine], [bar.name for bar, _ in mine], f"%{{y}}: {words} %{{x:.3~g}}"
        named = term in bound.stacked  # the other bars are named on the axis
        if log_x:
            symbol = _SYMBOLS[place % len(_SYMBOLS)]
            traces.append(dots(x, y, words, colour, hover, size=13, symbol=symbol, showlegend=named))
        else:
            traces.append(bars(x, y, words, colour, hover, pattern=pattern, orientation="h", showlegend=named))
    unsure = [bar for bar in shown if bar.error]
    spread = {"array": [bar.error for bar in unsure], "color": GREY, "thickness": 2}
    traces += [
        dots([bar.total for bar in unsure], [bar.name for bar in unsure], "standard error", GREY, None, size=1,
             error_x=spread, showlegend=False),
        go.Scatter(
            x=[bar.end for bar in shown], y=names, name="total", mode="text", showlegend=False, cliponaxis=False,
            text=[f"\u2002{number(bar.total, 3)}" + (f" ± {bar.error:.1g}" if bar.error else "") for bar in shown],
            textposition="middle right", textfont={"size": 15}, hovertemplate="%{y}: %{text}<extra></extra>",
        ),
    ]  # fmt: skip
    if before is not None:
        ends = {bar.name: bar.total for bar in before.bars if bar.total > 0 or not log_x}
        traces.append(dots(
            list(ends.values()), list(ends), "at the other moment", GREY, "%{y} at the other moment: %{x:.3~g}",
            size=30, symbol="line-ns-open", outline={"width": 3},
        ))  # fmt: skip
    hidden = len(bound.bars) - len(shown)
    drawn = figure(
        traces, title=bound.title, subtitle=f"bars ≤ 0 are not on a log axis: {hidden}" if hidden else "",
        x=bound.unit, y="", revision=f"bound-now:{log_x}", barmode="overlay" if log_x else "stack", margin={"r": 80},
        xaxis=LOG | {"range": _decades(shown, bound.trivial)} if log_x else {}, legend={"traceorder": "normal"},
    )  # fmt: skip
    if bound.trivial is not None and bound.trivial > 0:
        drawn.add_vline(x=bound.trivial, line={"color": GREY, "dash": "dot", "width": 2})
        label_x = math.log10(bound.trivial) if log_x else bound.trivial  # of lines the value, of words its logarithm
        drawn.add_annotation(x=label_x, y=1, yref="paper", yanchor="bottom", **ANSWERING_ZERO)
        with_words_above(drawn)
    return drawn


#: The words at the risk that needs no learning.
ANSWERING_ZERO: dict[str, Any] = {
    "text": "risk of answering zero", "font": {"size": 14, "color": GREY}, "showarrow": False,
}  # fmt: skip


def _decades(shown: Sequence[BoundBar], trivial: float | None) -> list[float]:
    """Limits of the axis: every bar is inside, and the mark of every term that is not tiny beside the smallest bar."""
    ends = [bar.end for bar in shown] + ([trivial] if trivial else [])
    least = min((bar.total for bar in shown), default=1.0)
    parts = [value for bar in shown for _, value in bar.parts if value > 0.01 * least]
    return [math.log10(min(ends + parts, default=0.1)) - 0.4, math.log10(max(ends, default=1.0)) + 0.1]


def _styles(terms: Sequence[str], words: Mapping[str, str]) -> dict[str, tuple[str, str, str, str]]:
    """Words, colour, dash and pattern of each term: the theme's, or the next free ones."""
    taken = {ROLES[term][1] for term in terms if term in ROLES}
    free = iter([look for look in _OTHERS if look[0] not in taken] + [*_OTHERS] * len(terms))
    return {
        term: (*ROLES[term], _PATTERNS.get(term, ""))
        if term in ROLES
        else (words.get(term, term.replace("_", " ")), *next(free))
        for term in terms
    }


# -- the bound of a run ----------------------------------------------------------------------------------------


def newest_terms(at: At) -> dict[str, float]:
    """The terms of the bound at the moment."""
    return newest(at.run.until(at.moment.step))


def _now(at: At) -> BoundNow:
    assert at.bound
    return bound_now(newest_terms(at), at.bound)


def _before(at: At) -> BoundNow | None:
    if at.reference is None or at.bound is None:
        return None
    return bound_now(newest(at.run.until(at.reference.step)), at.bound)


@picture("bounds", alt="The terms of the bound as bars beside what was measured", uses=("boundlog",), height=400,
         when=lambda at: at.bound is not None and bool(at.bound.trivial and _now(at).bars))  # fmt: skip
def draw_bound_now(at: At) -> go.Figure:
    """The bound in all its readings, beside what was measured."""
    return plot_bound_now(_now(at), _before(at), log_x=at.view["boundlog"])


@picture("bounds", alt="The terms as bars", height=400,
         when=lambda at: at.bound is not None and not at.bound.trivial and bool(_now(at).bars))  # fmt: skip
def draw_bound_parts(at: At) -> go.Figure:
    """The same where nothing is bounded: numbers of one order, that need no logarithm."""
    return plot_bound_now(_now(at), _before(at))


def _stacked(at: At) -> bool:
    wanted = {f"bound/{key}" for key in at.bound.stack or ("",)} if at.bound else {""}
    return not at.run.at_once and wanted <= at.run.history.keys()


@picture("inside.bounds", alt="The terms of the bound stacked over training, with the measured gap", uses=("boundlog",),
         height=400, over_time=True, when=_stacked)  # fmt: skip
def draw_bound_stack(at: At) -> go.Figure:
    """The terms that add up to the bound, as areas over training."""
    assert at.bound
    found = bound_stack(at.run.history, at.bound)
    assert found is not None
    return timed(plot_bound_stack(found, log_y=bool(at.bound.trivial) and at.view["boundlog"]), at)


def _has_history(at: At) -> bool:
    keys = [f"bound/{key}" for key in (*at.bound.over_time, at.bound.measured)] if at.bound else []
    measured = at.run.history or keys  # before anything has been measured, what the bound promises counts
    return not at.run.at_once and any(key in measured for key in keys)


def _bounds_over_time(at: At) -> bool:
    return _has_history(at) and at.bound is not None and _IDENTITY not in at.bound.over_time


@picture("overview", "bounds", alt="The terms of the bound over training, each by itself", uses=("boundlog",),
         height=400, over_time=True, when=_bounds_over_time,
         together=("gap", "total"))  # fmt: skip
def draw_bound_history(at: At) -> go.Figure:
    """The bound's terms over training, each by itself."""
    assert at.bound
    return timed(plot_bound_history(bound_history(at.run.history, at.bound), log_y=at.view["boundlog"]), at)

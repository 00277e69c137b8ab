"""A bound taken apart: its terms over training, and as they stand now.

Which terms add up to the total, which stand beside it and which are drawn over training, the bound itself
says (:class:`kernlab.bounds.Bound`). Of the spectral bound, for one,

    gap = test loss − train loss,   beside   4√2·L·R̂ + √(log(1/δ)/n)

R̂, the Rademacher complexity, enters three times: by the paper's bound, exactly (dual norm, with a
Monte-Carlo error) and in the worst case; each is multiplied by 4√2·L, so that all stand on the scale of
the loss and can be compared with the measured gap. Source: ASKL Theorem 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernlab.analysis.curves import Curve, Curves, History, Series, curves, last
from kernlab.analysis.thinning import MAX_POINTS, thin
from kernlab.bounds import SPECTRAL, Bound

__all__ = ["BoundBar", "BoundHistory", "BoundNow", "BoundStack", "bound_history", "bound_now", "bound_stack", "newest"]

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
    gap: Curve | None
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
    method: str = "",
) -> BoundHistory:
    """The terms of a bound over training, all on one scale.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/<term>``.
        bound: which bound they belong to.
        smoothing, axis, method: as in :func:`kernlab.analysis.curves.curves`.
    """
    terms = {key.removeprefix(_PREFIX): series for key, series in history.items() if key.startswith(_PREFIX)}
    for each in bound.estimates:
        if {each.of, each.factor} <= terms.keys():
            terms[each.key] = _scaled(terms[each.of], terms[each.factor], each.scale)
    found = curves(terms, bound.over_time, smoothing=smoothing, axis=axis, method=method)
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

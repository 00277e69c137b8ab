"""A bound over the number of rows, over λ₁, and whether it is vacuous.

    paper, exact, worst case      1/√n
    frames                        6k r*/B, near n^{−γ/(γ+1)}   against   1/√n   and the 1/n that is printed

Source: ASKL Theorem 3; FKS Theorem 3 and eq. 9.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.bounds import ALIGNMENT, DELTA, DISCRIMINANT, FRAME, SPECTRAL
from kernlab.numerals import number
from kernlab.pictures.bound_sliders import (
    READINGS,
    Changes,
    Given,
    frame_setting,
    guarantees,
    known,
    promised,
    sliders,
    what_if,
)
from kernlab.pictures.bound_terms import ANSWERING_ZERO
from kernlab.pictures.marks import FROM_ZERO, LOG, dots, line
from kernlab.pictures.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, fade, figure


class Rate(NamedTuple):
    """One estimate of the bound over n."""

    key: str  # its name
    words: str  # the same in words
    y: NDArray[np.float64]  # values [g]
    slope: float | None  # on logarithmic axes; None where the line is not straight


class AgainstN(NamedTuple):
    """A bound over the number of training rows, all else unchanged."""

    n: NDArray[np.float64]  # numbers of rows [g]
    rates: tuple[Rate, ...]  # the bound by each estimate
    here: int  # the number of rows that is set
    # the quantity that the bound limits, with its words; None where it was not above 0
    measured: tuple[float, str] | None
    measured_at: int  # the rows of the run
    trivial: float | None  # a bound above this risk is vacuous
    crossings: tuple[tuple[float, float, str], ...]  # (n, height, words) of places where lines cross
    note: str  # sentences about them
    title: str  # of the picture
    y: str  # name of its axis


class Verdict(NamedTuple):
    """Whether a bound is vacuous."""

    total: float  # the bound
    trivial: float  # the risk that needs no learning
    needed: float | None  # the n from which on the bound is below that, all else unchanged; None: no n is enough
    sentence: str  # the same in plain words

    @property
    def vacuous(self) -> bool:
        """The bound is not below the risk that needs no learning."""
        return self.total >= self.trivial


class WeightGuarantee(NamedTuple):
    """‖W‖_* that no minimiser exceeds, over λ₁."""

    penalty: str  # the regularizer that λ₁ weighs
    strength: NDArray[np.float64]  # λ₁ [g]
    most: NDArray[np.float64]  # the guaranteed ‖W‖_* [g]
    here: float  # λ₁ of the run
    measured: float  # ‖W‖_* of the run
    chosen: float  # the λ₁ that is set
    guaranteed: float  # ‖W‖_* that it guarantees


class Sweep(NamedTuple):
    """Some terms over the range of one slider."""

    x: NDArray[np.float64]  # the slider's values [g]
    lines: tuple[tuple[str, NDArray[np.float64]], ...]  # (words, values [g])
    # (words, least [g], most [g]) of terms that are known as a range only
    bands: tuple[tuple[str, NDArray[np.float64], NDArray[np.float64]], ...]
    here: float  # the slider's value
    title: str  # of the picture
    x_title: str  # of its axes
    y_title: str  # of its axes
    log_y: bool  # the lines are of different orders


# -- over n, over λ₁ -------------------------------------------------------------------------------------------


def against_n(given: Given, changes: Changes | None = None, *, points: int = 121) -> AgainstN | None:
    """The bound over n by every estimate; None for a bound without n, or where a term is unknown.

    Args:
        given: the bound of a run.
        changes: as for :func:`what_if`; the lines are marked at its n.
        points: on each line.
    """
    if given.bound.name not in (SPECTRAL.name, FRAME.name) or not known(given):
        return None
    changes = changes or {}
    make = _spectral_rates if given.bound.name == SPECTRAL.name else _frame_rates
    return make(given, changes, points)


def _grid(points: int, *reached: float) -> NDArray[np.float64]:
    """Whole numbers from 10 to ten times the largest that matters."""
    top = math.ceil(math.log10(max(1e4, *reached))) + 1
    return np.unique(np.round(np.geomspace(10.0, 10.0 ** min(top, 18), points)))


def _measured(given: Given) -> tuple[float, str] | None:
    value = given.values.get("gap", math.nan)
    return (value, "measured gap") if value > 0 else None


def _spectral_rates(given: Given, changes: Changes, points: int) -> AgainstN:
    here = int(changes.get("n", given.n))
    found = verdict(given, changes)
    n = _grid(points, here, given.n, (found.needed or 0.0) if found else 0.0)
    fall = np.sqrt(here / n)
    totals = _totals(what_if(given, changes))
    rates = tuple(Rate(each, f"{each}, 1/√n", total * fall, -0.5) for each, total in totals.items())
    return AgainstN(
        n, rates, here, _measured(given), given.n, given.values.get("zero_risk"), (), "",
        "The bound against the number of rows", "excess risk (loss units)",
    )  # fmt: skip


def _totals(values: Mapping[str, float]) -> dict[str, float]:
    """Complexity and confidence together, for every estimate that is known."""
    return {
        each.title: each.scale * values[each.factor] * values[each.of] + values["confidence"]
        for each in READINGS.estimates
        if each.of in values
    }


def _frame_rates(given: Given, changes: Changes, points: int) -> AgainstN:
    setting, here, set_to = frame_setting(given), int(changes.get("n", given.n)), "t" in changes
    delta, risk = float(changes.get("delta", DELTA)), setting.empirical_risk
    values = what_if(given, changes)
    k, t = int(values["k"]), int(values["t"])
    overtaken = setting.overtaken(t if set_to else None)
    n = _grid(points, here, given.n, overtaken or 0.0)
    roots = np.array([setting.fixed_point(m, t) if set_to else setting.fixed_points(m).min() for m in n.tolist()])
    roots, printed = 6 * k / setting.B * roots, 6 * k / setting.B * values["printed_fixed_point"] * here / n
    whole = np.array([setting.terms(m, *setting.best(m, delta), delta)["total"] for m in n.astype(int).tolist()]) - risk
    slow = (values["rademacher_total"] - risk) * np.sqrt(here / n)
    exponent = setting.exponent / (setting.exponent + 1)
    order = np.exp(np.interp(math.log(here), np.log(n), np.log(roots))) * (here / n) ** exponent
    crossings = []
    if overtaken is not None and n[0] <= overtaken:
        height = 6 * k / setting.B * values["printed_fixed_point"] * here / overtaken
        crossings.append((overtaken, height, "as printed falls below the root"))
    rates = (
        Rate("rademacher", "Rademacher, 1/√n", slow, -0.5),
        Rate("size", f"6k r⁎/B, k = {k}, {f't = {t}' if set_to else 'best t'}", roots, None),
        Rate("printed", "6k(a + b)/B, as printed, 1/n", printed, -1.0),
        Rate("order", f"order n<sup>−{exponent:.2f}</sup>, γ = {setting.exponent:.3g}", order, -exponent),
        Rate("best", "whole bound, best k and t", whole, None),
    )
    trivial = given.values.get("zero_risk")
    return AgainstN(
        n, rates, here, _measured(given), given.n, None if trivial is None else max(trivial - risk, 0.0) or None,
        tuple(crossings), _frame_note(values, overtaken, n, whole - slow),
        "1/√n, n<sup>−γ/(γ+1)</sup> and 1/n", "bound − training error (loss units)",
    )  # fmt: skip


def _frame_note(
    values: Mapping[str, float], overtaken: float | None, n: NDArray[np.float64], behind: NDArray[np.float64]
) -> str:
    """Where the printed value is too small, and where the bound is below that of the order 1/√n."""
    r, printed = values["fixed_point"], values["printed_fixed_point"]
    note = (
        f"The printed bound puts a + b = {number(printed, 3)} in the place of the root r⁎ = {number(r, 3)} of "
        "r² − ar − b = 0, which it must not fall below. "
    )
    if overtaken is None:
        note += "This kernel's rank is so small that r⁎ is of the order 1/n itself, and a + b stays above it. "
    elif printed < r:
        note += f"It does: from n = {_count(overtaken)} on. "
    else:
        note += f"Here it is above; from n = {_count(overtaken)} on it is below, so the rate 1/n is not proved. "
    lower = n[behind < 0]
    if not len(lower):
        return note + "At no n that is drawn is the whole bound below the one of the order 1/√n."
    begins = f" from n = {_count(lower[0])} on" if lower[0] > n[0] else ""
    ends = f" up to n = {_count(lower[-1])}" if lower[-1] < n[-1] else ""
    return note + f"The whole bound is below the one of the order 1/√n{begins}{ends}."


def weight_guarantee(given: Given, changes: Changes | None = None, *, points: int = 81) -> WeightGuarantee | None:
    """‖W‖_* that no minimiser exceeds, over λ₁ with λ₂ as it is set; None without a penalty on W."""
    if given.bound.name != SPECTRAL.name or not known(given) or not guarantees(given):
        return None
    penalty = "trace_norm" if given.penalties.get("trace_norm", 0.0) > 0 else "frobenius"
    changes, here = changes or {}, float(given.penalties[penalty])

    def most(strength: float) -> float:
        found = promised(given, {**changes, penalty: strength})
        return math.nan if found is None else found.weight_norm

    set_to = float(changes.get(penalty, here))
    strengths = np.geomspace(min(here, set_to, 1e-6), max(here, set_to, 10.0), points)
    line = np.array([most(float(each)) for each in strengths])
    return WeightGuarantee(penalty, strengths, line, here, given.values["weight_norm"], set_to, most(set_to))


#: A sweep's slider, lines (term, words), bands (least, most, words), title, axis, and whether that is logarithmic.
_SWEEPS: dict[str, tuple[str, dict[str, str], dict[tuple[str, str], str], str, str, bool]] = {
    DISCRIMINANT.name: (
        "rho", {"target_norm": "‖Ȳ‖²", "discriminant_information": "DI", "predicted_error": "‖Ȳ‖² − DI"}, {},
        "The ridge error against ρ", "squared error", False,
    ),
    ALIGNMENT.name: (
        "radius",
        {"effective_size": "effective number of features", "support": "features kept (in a smaller ball at least)"},
        {("gain_least", "gain_most"): "growth of ⟨K, YYᵀ⟩"},
        "What the radius of the ball costs and gains", "features; growth in times", True,
    ),
}  # fmt: skip


def sweep(given: Given, changes: Changes | None = None) -> Sweep | None:
    """The terms over the one slider of an equality or a ball; None for other bounds and without that slider."""
    found = {each.key: each for each in sliders(given)}
    if given.bound.name not in _SWEEPS or (key := _SWEEPS[given.bound.name][0]) not in found:
        return None
    _, lines, bands, title, y_title, log_y = _SWEEPS[given.bound.name]
    x = np.array(found[key].choices)
    answers = [what_if(given, {key: float(value)}) for value in x]

    def over(term: str) -> NDArray[np.float64]:
        return np.array([answer.get(term, math.nan) for answer in answers])

    return Sweep(
        x,
        tuple((words, over(term)) for term, words in lines.items()),
        tuple((words, over(low), over(high)) for (low, high), words in bands.items() if low in answers[0]),
        float((changes or {}).get(key, found[key].value)), title, found[key].title, y_title, log_y,
    )  # fmt: skip


# -- whether it is vacuous -------------------------------------------------------------------------------------


def verdict(given: Given, changes: Changes | None = None) -> Verdict | None:
    """Whether the bound is below the risk that needs no learning, and from which n on it would be.

    The spectral bound is on the excess risk over the best function of a class that contains f = 0: where that may be
    as large as the risk of f = 0, the model may be no better than one that answers zero. The frame bound is on the
    risk itself.
    """
    if not given.bound.trivial or given.bound.trivial not in given.values or not known(given):
        return None
    changes, trivial = changes or {}, given.values[given.bound.trivial]
    values, whole = what_if(given, changes), given.bound.name == FRAME.name
    subject, risk = ("it", "a risk") if whole else ("the paper's bound", "an excess risk")
    if whole:
        total, needed = values["total"], _frame_needs(given, changes, trivial)
        later = (
            f" All else as it is, with its best k and t it would not be vacuous from n = {_count(needed)} rows on."
            if needed is not None
            else " No number of rows changes that: the training error is no smaller."
        )
    else:
        totals, n = _totals(values), int(changes.get("n", given.n))
        rows = {title: n * (value / trivial) ** 2 for title, value in totals.items()} if trivial > 0 else {}
        total, needed, later = totals["paper"], rows.get("paper"), ""
        if needed is not None:
            later = f" All else as it is, it would not be vacuous from n = {_count(needed)} rows on"
            later += f"; the exact complexity from {_count(rows['exact'])}." if "exact" in rows else "."
    if total >= trivial:
        sentence = (
            f"Vacuous: {subject} allows {risk} of {number(total, 3)}, while answering zero everywhere, which needs no "
            f"learning, risks {number(trivial, 3)}.{later}"
        )
    else:
        sentence = (
            f"Not vacuous: {subject} allows {risk} of {number(total, 3)}, and answering zero everywhere risks "
            f"{number(trivial, 3)}."
        )
    return Verdict(total, trivial, needed, sentence)


def _frame_needs(given: Given, changes: Changes, trivial: float) -> float | None:
    """The n from which on a frame's bound with its best k and t is below a risk; None: no n up to 10¹⁸ is enough."""
    setting, delta = frame_setting(given), float(changes.get("delta", DELTA))

    def enough(power: float) -> bool:
        rows = int(10.0**power)
        return setting.terms(rows, *setting.best(rows, delta), delta)["total"] < trivial

    low, high = 0.0, 18.0  # of log₁₀ n; the best bound falls with n
    if setting.empirical_risk >= trivial or not enough(high):
        return None
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(10.0**high)


def _count(n: float) -> str:
    """A number of rows with two digits that count: 3 400, 1.2 · 10⁹."""
    if n < 1e6:
        return number(n, 2)
    lead, exponent = f"{n:.1e}".split("e")
    power = str(int(exponent)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{lead} · 10{power}"


_LOOKS = {
    "exact": (GREEN, "longdash"),
    "paper": (BLUE, "solid"),
    "worst case": (ORANGE, "dot"),
    "any minimiser": (PURPLE, "dashdot"),
    "size": (BLUE, "solid"),
    "printed": (VERMILLION, "dash"),
    "order": (GREY, "dot"),
    "best": (GREEN, "dashdot"),
    "rademacher": (PURPLE, "longdash"),
}


def plot_against_n(view: AgainstN) -> go.Figure:
    """Lines of :func:`against_n` on logarithmic axes, marked at the n that is set."""
    traces, extra = [], "n = %{x:.3~s}"
    for rate in view.rates:
        colour, dash = _LOOKS[rate.key]
        slope = "" if rate.slope is None else f", slope {rate.slope:g}".replace("-", "−")
        hover = f"{rate.words}{slope}: %{{y:.3~g}}"
        traces.append(line(view.n, rate.y, rate.words, colour, hover, extra=extra, dash=dash))
    if view.measured is not None:
        value, words = view.measured
        hover = f"{words}: %{{y:.3~g}}"
        traces.append(dots([view.measured_at], [value], words, VERMILLION, hover, extra=extra, size=14, symbol="star"))
    for n, height, words in view.crossings:
        look: dict[str, Any] = {"size": 12, "symbol": "x-open", "outline": {"width": 3}}
        traces.append(dots([n], [height], words, GREY, f"{words} from n = %{{x:.3~s}} on", **look))
    drawn = figure(
        traces, title=view.title, x="n (training rows)", y=view.y, revision="bound-against-n", xaxis=LOG,
        yaxis=LOG, legend={"traceorder": "normal"},
    )  # fmt: skip
    drawn.add_vline(x=view.here, line={"color": GREY, "dash": "dash", "width": 2})
    if view.trivial is not None:
        drawn.add_hline(y=view.trivial, line={"color": GREY, "dash": "dot", "width": 2})
        height = math.log10(view.trivial)  # of lines the value, of words its logarithm
        drawn.add_annotation(x=1, xref="paper", xanchor="right", y=height, yanchor="bottom", **ANSWERING_ZERO)
    return drawn


def plot_weight_guarantee(view: WeightGuarantee) -> go.Figure:
    """The line of :func:`weight_guarantee`, with the trace norm that the run has found."""
    most, extra = "at most %{y:.3~g}", "λ₁ = %{x:.3~g}"
    traces = [
        line(view.strength, view.most, "no minimiser has more", PURPLE, most, extra=extra, dash="dashdot"),
        dots([view.chosen], [view.guaranteed], "at the λ₁ that is set", PURPLE, most, extra=extra, size=13,
             symbol="circle-open", outline={"width": 3}),
        dots([view.here], [view.measured], "this run, measured", VERMILLION, "measured %{y:.3~g}", extra=extra,
             size=14, symbol="star"),
    ]  # fmt: skip
    return figure(
        traces, title="What λ₁ guarantees of the weights", x="λ₁", y="‖W‖⁎", revision="weight-guarantee",
        xaxis=LOG, yaxis=LOG, legend={"traceorder": "normal"},
    )  # fmt: skip


def plot_sweep(view: Sweep) -> go.Figure:
    """Lines and bands of :func:`sweep` on a logarithmic axis."""
    looks, extra = ((GREY, "dash"), (BLUE, "solid"), (ORANGE, "longdash")), "%{x:.3~g}"
    traces = [
        line(view.x, values, words, colour, f"{words}: %{{y:.3~g}}", extra=extra, dash=dash)
        for (words, values), (colour, dash) in zip(view.lines, looks, strict=False)
    ]
    for words, least, most in view.bands:
        for values, fill, label in ((least, None, f"{words}, at least"), (most, "tonexty", f"{words}, at most")):
            traces.append(line(
                view.x, values, label, GREEN, f"{label}: %{{y:.3~g}}", extra=extra, width=1.5,
                dash="dot" if fill else "solid", fill=fill, fillcolor=fade(GREEN, 0.3),
            ))  # fmt: skip
    drawn = figure(
        traces, title=view.title, x=view.x_title, y=view.y_title, revision="bound-sweep", xaxis=LOG,
        yaxis=LOG if view.log_y else FROM_ZERO, legend={"traceorder": "normal"},
    )  # fmt: skip
    return drawn.add_vline(x=view.here, line={"color": GREY, "dash": "dash", "width": 2})

"""What stands around the pictures of the Bounds page: whether the bound says anything, sliders, every term in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from kernlab.bounds import BOUNDS, Bound
from kernlab.numerals import number
from kernlab.pictures.base import At
from kernlab.pictures.bound_rates import (
    against_n,
    plot_against_n,
    plot_sweep,
    plot_weight_guarantee,
    sweep,
    verdict,
    weight_guarantee,
)
from kernlab.pictures.bound_sliders import BoundSlider, Given, bars_if, given, read_changes, sliders, what_if
from kernlab.pictures.bound_terms import plot_bound_now
from kernlab.pictures.recorded import Moment
from kernlab.ui import pictures
from kernlab.ui.view import VIEW

__all__ = ["measured", "terms", "verdicts", "what_if_section"]

_COLUMNS = 4
#: On a narrow page, where every row of the table becomes a paragraph, each number says what it is. A style alone would
#: take the place of the page's own style: Streamlit keeps styles apart and counts those of a fragment anew.
_NARROW = "<style>@media (max-width: 640px) {{ {names} }}</style><i hidden></i>"
_EQUALITIES = {
    "discriminant": "An equality and no bound: the ridge error on the training rows, computed from moments alone, "
    "against the same error measured. It says nothing about other rows.",
    "alignment": "No number bounds the risk here: the paper's bound holds for every kernel of the ball alike and "
    "leaves its constants open. What can be shown is how far the weights moved and how much the alignment grew.",
}
_GAMMA = (
    "As printed, the bound has a wrong root in its proof (see Papers) and asks for eigenvalues that fall faster than "
    "1/i (γ > 1), while the paper's experiments all set γ = 1 in the solver; its γ here is read off the spectrum that "
    "was found. The total has the right root and the exact sum of the smaller eigenvalues. Two things stay open in it: "
    "the proof restricts functions to a small mean square where its theorem asks for a small mean square of their "
    "loss, and the kernel was selected on the same rows. So take it as the size of the numbers."
)
_GUARANTEE = r"\|W^*\|_*\le\tfrac1{\lambda_1}\bigl(\lambda_2t+\min\{\ell(0),\,\hat{\mathcal E}+\lambda_1r(W)\}\bigr)"
_KINDS = {
    "formula": "Exact, it stands in the formula",
    "scaling": "By a law of scaling",
    "guarantee": "A guarantee for any minimiser, not a prediction",
}


# -- above the pictures ----------------------------------------------------------------------------------------


def verdicts(shown: Sequence[At]) -> None:
    """Whether each run's bound says anything, in a sentence."""
    for at, column in zip(shown, st.columns(len(shown)), strict=True):
        with column:
            _verdict(at)


def _verdict(at: At) -> None:
    found = given(at)
    if found is None:
        known = ", ".join(f"{bound.title.lower()} ({bound.source})" for bound in BOUNDS.values())
        st.info(f"There is no bound here for {at.run.run.method}. kernlab has these: {known}.", icon=":material/info:")
        return
    if not found.values:
        why = " It is about squared errors, and this run minimises another loss." if found.bound.name == "frame" else ""
        st.info(f"Nothing was measured for the bound “{found.bound.title}”.{why}", icon=":material/info:")
    elif (judged := verdict(found)) is not None:
        icon = ":material/do_not_disturb_on:" if judged.vacuous else ":material/check_circle:"
        st.markdown(f"{icon} {judged.sentence}")
    elif found.bound.name in _EQUALITIES:
        st.markdown(f":material/info: {_EQUALITIES[found.bound.name]}")
    if found.bound.name == "frame" and found.values:
        st.caption(_GAMMA)


# -- beneath them ----------------------------------------------------------------------------------------------


def what_if_section(shown: Sequence[At]) -> None:
    """Sliders, the bound as it would be, and all terms with their formulas."""
    found = [(at, bound) for at in shown if (bound := given(at)) is not None and bound.values]
    offered: dict[str, BoundSlider] = {}
    for _, bound in found:
        for each in sliders(bound):
            offered[each.key] = offered[each.key].joined(each) if each.key in offered else each
    asked = read_changes(VIEW["whatif"])
    changes = {key: each.allowed(asked[key]) for key, each in offered.items() if key in asked}
    if offered:
        st.header("What if", anchor=False)
        _sliders(list(offered.values()), changes)
        places = st.columns(len(found))
        for (at, bound), place in zip(found, places, strict=True):
            with place:
                _answers(at, bound, changes, alone=len(found) == 1)
    for name in dict.fromkeys(bound.bound.name for _, bound in found):
        _terms([(at, bound) for at, bound in found if bound.bound.name == name], changes)


def _sliders(offered: Sequence[BoundSlider], changes: Mapping[str, float]) -> None:
    """One slider each, in the order given; those that were not moved stand where the run does."""
    for start in range(0, len(offered), _COLUMNS):
        for each, column in zip(offered[start : start + _COLUMNS], st.columns(_COLUMNS), strict=False):
            value = changes.get(each.key, each.value)
            with column:
                st.select_slider(
                    each.title, sorted({*each.choices, value}), value, help=each.sentence,
                    format_func=number if each.whole else _short,
                    **VIEW.widget("whatif", value, partial(_with, each.key), called=f"whatif.{each.key}"),
                )  # fmt: skip
    words = [
        f"**{text}**: {', '.join(dict.fromkeys(each.title.split(',')[0] for each in offered if each.kind == kind))}."
        for kind, text in _KINDS.items()
        if any(each.kind == kind for each in offered)
    ]
    with st.container(horizontal=True, vertical_alignment="center", key="whatif-words"):
        st.caption(" ".join(words) + " What is not named stays as it was measured.")
        if changes:
            st.button("Back to the run", icon=":material/undo:", on_click=VIEW.change, kwargs={"whatif": ""})


def _short(value: float) -> str:
    return f"{value:.3g}"


def _with(key: str, value: float) -> str:
    """The changes in the view with another one, as text."""
    changes = read_changes(VIEW["whatif"]) | {key: float(value)}
    return ",".join(f"{name}={value:.12g}" for name, value in changes.items())


def _answers(at: At, bound: Given, changes: Mapping[str, float], *, alone: bool) -> None:
    """The bound as bars, over n or over its slider, and what λ₁ guarantees."""
    mine = {each.key for each in sliders(bound)}
    changes = {key: value for key, value in changes.items() if key in mine}
    if not mine:
        st.caption(f"{at.run.run.method}: this bound has no slider.")
        return
    log = bool(bound.bound.trivial and at.view["boundlog"])
    stamp = (at.run.id, *at.run.version, at.moment.step, log, tuple(changes.items()))
    if (judged := verdict(bound, changes)) is not None and changes:
        st.markdown(judged.sentence)
    rates, swept, promised = against_n(bound, changes), sweep(bound, changes), weight_guarantee(bound, changes)
    places = st.columns(2) if alone else [st.container()] * 2
    if bound.bound.stack:
        now = bars_if(bound, changes)
        with places[0]:
            pictures.show(
                f"whatif_bars{at.side}", stamp, lambda: plot_bound_now(now, log_x=log), height=400,
                alt="The bound as it would be with the values of the sliders",
            )  # fmt: skip
    with places[1 if bound.bound.stack else 0]:
        if rates is not None:
            pictures.show(
                f"whatif_rates{at.side}", stamp, lambda: plot_against_n(rates), height=460,
                alt="The bound over the number of training rows on logarithmic axes",
            )  # fmt: skip
            if rates.note:
                st.caption(rates.note)
        if swept is not None:
            pictures.show(f"whatif_sweep{at.side}", stamp, lambda: plot_sweep(swept), height=400, alt=swept.title)
    if bound.bound.name == "alignment":
        with places[1]:
            _numbers(what_if(bound, changes))
    if promised is not None:
        with places[0]:
            pictures.show(
                f"whatif_weights{at.side}", stamp, lambda: plot_weight_guarantee(promised), height=360,
                alt="The trace norm of the weights that no minimiser exceeds, over the penalty",
            )  # fmt: skip
        with places[1]:
            st.latex(_GUARANTEE)
            st.caption(
                "From ASKL eq. 4: a minimiser is no worse than this run's model and no worse than W = 0, so its "
                "penalties cost no more than theirs do. With r = ‖W‖² it is a bound on ‖W‖², and ‖W‖⁎ is at most "
                "√min(D, K) times its root. The Lipschitz constant is taken as measured."
            )


def _numbers(values: Mapping[str, float]) -> None:
    """Of a ball about uniform weights."""
    with st.container(horizontal=True):
        for key, label in (("chi_square", "Divergence ρ"), ("effective_size", "Effective number"),
                           ("support", "Features kept")):  # fmt: skip
            st.metric(label, number(values[key], 4), width="content")
        if "gain_least" in values:
            ends = [f"{values[key]:.3g}" for key in ("gain_least", "gain_most")]
            st.metric("Growth of ⟨K, YYᵀ⟩", " to ".join(dict.fromkeys(ends)), width="content")


def _terms(found: Sequence[tuple[At, Given]], changes: Mapping[str, float]) -> None:
    """A bound with its values; two runs of one bound share the table."""
    values = {}
    for at, each in found:
        whose = f" ({at.run.run.method})" if len(found) > 1 else ""
        values[f"now{whose}"] = measured(at.moment)
        if at.reference:
            values[f"then{whose}"] = measured(at.reference)
        if mine := {slider.key for slider in sliders(each)} & changes.keys():
            values[f"what if{whose}"] = what_if(each, {key: changes[key] for key in mine})
    terms(found[0][1].bound, values)


def terms(bound: Bound, values: Mapping[str, Mapping[str, float]]) -> None:
    """A bound's formula, and every term in symbols, in words and with its values, a column each."""
    rows = ["| " + " | ".join(("term", "formula", *values, "in words", "source")) + " |"]
    rows.append("|:--|:--|" + "--:|" * len(values) + ":--|:--|")
    for term in bound.terms:
        if any(term.key in each for each in values.values()):
            numbers = [number(each[term.key], 4) if term.key in each else "–" for each in values.values()]
            cells = (term.title, f"${term.formula}$", *numbers, term.sentence.replace("|", r"\|"), term.source)
            rows.append("| " + " | ".join(cells) + " |")
    st.markdown(f"**{bound.title}** ({bound.source})")
    st.latex(bound.formula)
    with st.container(key=f"terms-{bound.name}"), st.expander("Every term, in symbols and words", expanded=True):
        scope = f".st-key-terms-{bound.name}"
        names = (
            f'{scope} td:nth-child({place}):before {{ content: "{name}: "; }}' for place, name in enumerate(values, 3)
        )
        st.html(_NARROW.format(names="\n".join(names)))
        st.markdown("\n".join(rows))


def measured(moment: Moment) -> dict[str, float]:
    """The terms of the bound as they were measured at a moment."""
    prefix = "bound/"
    return {key.removeprefix(prefix): value for key, value in moment.values.items() if key.startswith(prefix)}

"""What stands around the pictures of the Bounds page: whether the bound says anything, sliders, every term in words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kernlab.analysis.bound_rates import against_n, sweep, verdict, weight_guarantee
from kernlab.analysis.bound_sliders import Given, Slider, bars_if, sliders, what_if
from kernlab.bounds import BOUNDS
from kernlab.plots.bound_rates import plot_against_n, plot_sweep, plot_weight_guarantee
from kernlab.plots.bound_terms import plot_bound_now
from kernlab.ui import pictures, view
from kernlab.ui.live import digits
from kernlab.ui.pictures import Shown
from kernlab.ui.pictures.bounds import given, read_changes

__all__ = ["said", "what_if_section"]

_COLUMNS = 4
_EQUALITIES = {
    "discriminant": "An equality and no bound: the ridge error on the training rows, computed from moments alone, "
    "against the same error measured. It says nothing about other rows.",
    "alignment": "No number bounds the risk here: the paper's bound holds for every kernel of the ball alike and "
    "leaves its constants open. What can be shown is how far the weights went and what that gained.",
}
_GAMMA = (
    "The theorem asks for eigenvalues that fall faster than 1/i (γ > 1). The γ here is read off the spectrum that was "
    "found; the paper's experiments all set γ = 1 in the solver, where nothing enforces such a fall. The kernel was "
    "also selected on the same rows, which the theorem does not cover: take it as the size of the numbers."
)
_KINDS = {
    "formula": "Exact, it stands in the formula",
    "scaling": "By a law of scaling",
    "guarantee": "A guarantee for any minimiser, not a prediction",
}


# -- above the pictures ----------------------------------------------------------------------------------------


def said(shown: Sequence[Shown]) -> None:
    """Whether each run's bound says anything, in a sentence."""
    for at, column in zip(shown, st.columns(len(shown)), strict=True):
        with column:
            _said(at)


def _said(at: Shown) -> None:
    found = given(at)
    if found is None:
        known = ", ".join(f"{bound.title.lower()} ({bound.source})" for bound in BOUNDS.values())
        st.info(f"No bound is known for {at.watch.run.method}. There are four: {known}.", icon=":material/info:")
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


def what_if_section(shown: Sequence[Shown]) -> None:
    """Sliders, the bound as it would be, and all terms with their formulas."""
    found = [(at, bound) for at in shown if (bound := given(at)) is not None and bound.values]
    offered: dict[str, Slider] = {}
    for _, bound in found:
        for each in sliders(bound):
            offered.setdefault(each.key, each)
    changes = read_changes(view.now()["whatif"])
    if offered:
        st.subheader("What if", anchor=False)
        _sliders(list(offered.values()), changes)
        places = st.columns(len(found))
        for (at, bound), place in zip(found, places, strict=True):
            with place:
                _answers(at, bound, {key: changes[key] for key in changes if key in offered}, alone=len(found) == 1)
    for (at, bound), place in zip(found, st.columns(len(found)) if found else (), strict=True):
        with place:
            _terms(at, bound, changes)


def _sliders(offered: Sequence[Slider], changes: dict[str, float]) -> None:
    """One slider each, in the order given; those that were not moved stand where the run does."""
    for start in range(0, len(offered), _COLUMNS):
        for each, column in zip(offered[start : start + _COLUMNS], st.columns(_COLUMNS), strict=False):
            choices, key = each.choices, f"whatif.{each.key}"
            wanted = changes.get(each.key, each.value)
            value = min(choices, key=lambda choice: abs(choice - wanted))
            if st.session_state.get(key) != value:
                st.session_state[key] = value
            with column:
                st.select_slider(
                    each.title, choices, key=key, help=each.sentence, on_change=_moved, args=(each.key,),
                    format_func=digits if each.whole else _short,
                )  # fmt: skip
    words = [
        f"**{text}**: {', '.join(each.title.split(',')[0] for each in offered if each.kind == kind)}."
        for kind, text in _KINDS.items()
        if any(each.kind == kind for each in offered)
    ]
    with st.container(horizontal=True, vertical_alignment="center", key="whatif-words"):
        st.caption(" ".join(words) + " What is not named stays as it was measured.")
        if changes:
            st.button("Back to the run", icon=":material/undo:", on_click=view.change, kwargs={"whatif": ""})


def _short(value: float) -> str:
    return f"{value:.3g}"


def _moved(key: str) -> None:
    changes = read_changes(view.now()["whatif"]) | {key: float(st.session_state[f"whatif.{key}"])}
    view.now()["whatif"] = ",".join(f"{name}={value:.12g}" for name, value in changes.items())


def _answers(at: Shown, bound: Given, changes: dict[str, float], *, alone: bool) -> None:
    """The bound as bars, over n or over its slider, and what λ₁ guarantees."""
    mine = {each.key for each in sliders(bound)}
    changes = {key: value for key, value in changes.items() if key in mine}
    if not mine:
        st.caption(f"{at.watch.run.method}: no slider moves this bound.")
        return
    log = bool(at.view["boundlog"])
    stamp = (at.watch.id, *at.watch.version, at.moment.step, log, tuple(changes.items()))
    if (judged := verdict(bound, changes)) is not None and changes:
        st.markdown(judged.sentence)
    left, right = st.columns(2) if alone else (st.container(), st.container())
    with left:
        if (rates := against_n(bound, changes)) is not None or bound.bound.stack:
            now = bars_if(bound, changes)._replace(title="The bound with these values")
            pictures.show(
                f"whatif_bars{at.side}", stamp, lambda: plot_bound_now(now, log_x=log), height=400,
                alt="The bound as it would be with the values of the sliders",
            )  # fmt: skip
    with right:
        if rates is not None:
            pictures.show(
                f"whatif_rates{at.side}", stamp, lambda: plot_against_n(rates), height=440,
                alt="The bound over the number of training rows on logarithmic axes",
            )  # fmt: skip
            if rates.note:
                st.caption(rates.note)
        if (swept := sweep(bound, changes)) is not None:
            pictures.show(f"whatif_sweep{at.side}", stamp, lambda: plot_sweep(swept), height=400, alt=swept.title)
    if (promised := weight_guarantee(bound, changes)) is not None:
        with left:
            pictures.show(
                f"whatif_weights{at.side}", stamp, lambda: plot_weight_guarantee(promised), height=360,
                alt="The trace norm of the weights that no minimiser exceeds, over the penalty",
            )  # fmt: skip
        with right:
            st.latex(
                r"\|W^*\|_*\le\tfrac1{\lambda_1}\bigl(\lambda_2t+\min\{\ell(0),\,\hat{\mathcal E}+\lambda_1r(W)\}\bigr)"
            )
            st.caption(
                "From ASKL eq. 4: a minimiser is no worse than this run's model and no worse than W = 0, so its "
                "penalties cost no more than theirs do. With r = ‖W‖² it is a bound on ‖W‖², and ‖W‖⁎ is at most "
                "√min(D, K) times its root. The Lipschitz constant is taken as measured."
            )


def _terms(at: Shown, bound: Given, changes: dict[str, float]) -> None:
    """The formula, and every term with its value and what it says."""
    mine = {each.key for each in sliders(bound)} & changes.keys()
    moved = what_if(bound, {key: changes[key] for key in mine}) if mine else {}
    st.markdown(f"**{bound.bound.title}** ({bound.bound.source})")
    st.latex(bound.bound.formula)
    head = ("term", "formula", "now", *(("what if",) if moved else ()), "in words", "source")
    rows = ["| " + " | ".join(head) + " |", "|:--|:--|--:|" + ("--:|" if moved else "") + ":--|:--|"]
    measured = {
        key.removeprefix("bound/"): value for key, value in at.moment.values.items() if key.startswith("bound/")
    }
    for term in bound.bound.terms:
        if term.key not in measured:
            continue
        cells = [term.title, f"${term.formula}$", f"{measured[term.key]:.4g}"]
        if moved:
            cells.append(f"{moved[term.key]:.4g}" if term.key in moved else "–")
        cells += [term.sentence.replace("|", r"\|"), term.source]
        rows.append("| " + " | ".join(cells) + " |")
    with st.expander("Every term, in symbols and words", expanded=not moved or at.side == ""):
        st.markdown("\n".join(rows))

"""The right side of the Train page: one run at one moment, as it happens or scrubbed back in time."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.feature_maps import FeatureMap
from kernlab.methods import MethodSpec
from kernlab.numerals import number
from kernlab.objectives import OBJECTIVES, Loss
from kernlab.options import Component
from kernlab.pictures.base import At, Picture
from kernlab.pictures.gallery import offered, views_of
from kernlab.pictures.recorded import Moment
from kernlab.solvers import ProximalGradient
from kernlab.spec import RunSpec
from kernlab.ui import bounds, chosen, elements, foreseen, notes, pictures
from kernlab.ui.controls import controls
from kernlab.ui.links import link
from kernlab.ui.pages import PAGES
from kernlab.ui.previews import Preview
from kernlab.ui.selected import selection
from kernlab.ui.setup import label
from kernlab.ui.transport import duration
from kernlab.ui.view import TABS, VIEW
from kernlab.ui.watch import Watch

__all__ = [
    "FORMULAS",
    "LOW",
    "auto_words",
    "choice",
    "columns",
    "heading",
    "invitation",
    "last_run",
    "look_inside",
    "preview",
    "repeat",
    "time_line",
    "timeless",
    "views",
]


#: The state of the fold of formulas: whether it is open.
FORMULAS = "train.formulas"

_ROW, LOW = 3, 290  # pictures in a row of the overview, and their height in pixels


def last_run() -> str:
    """The run that the Train page showed last; empty: none."""
    watch = st.session_state.get("train.watch")
    return watch.id if watch else ""


def heading(watch: Watch | None) -> str:
    """The heading of the page."""
    return f"Train · {watch.run.method} on {watch.run.dataset}" if watch else "Train"


# -- time ------------------------------------------------------------------------------------------------------


def timeless(watch: Watch) -> bool:
    """Whether the run has one moment alone: nothing has changed, or will."""
    method = watch.method
    unchanged = method is not None and not method.solver.changes
    return watch.at_once and (len(watch.snapshots.steps) < 2 or unchanged)


def time_line(watch: Watch, *, every: float | None = None) -> None:
    """The slider over the run's snapshots, with Play; before and after, where nothing lies between.

    Args:
        watch: the run.
        every: as of :func:`kernlab.ui.elements.timeline`.
    """
    if timeless(watch):
        return
    words = ("Before the step", "After it") if watch.at_once else ()
    elements.timeline(watch.id, chosen.marks(watch), words=words, every=every, view=VIEW)
    elements.marks(watch.id, notes.version(watch))


def repeat(spec: RunSpec | None) -> None:
    """The lines that repeat the run elsewhere."""
    if spec is None:
        return
    with st.popover("Copy as Python", icon=":material/code:"):
        st.code(spec.python(), language="python", wrap_lines=True)
    with st.popover("Copy as command", icon=":material/terminal:"):
        st.code(spec.command(), language="bash", wrap_lines=True)


# -- pictures --------------------------------------------------------------------------------------------------


def views(watch: Watch, moment: Moment) -> None:
    """The chosen view of the run."""
    at = At(watch, moment, VIEW.now())
    with st.container(horizontal=True, vertical_alignment="center", key="views"):
        tab = VIEW.choice("view", "View", [name for name in TABS if offered(name, at)] or ["overview"], TABS)
        shown = offered(tab, at)
        controls(shown, at)
        selection(at)
    at = at._replace(view=VIEW.now())  # without values that this run does not offer
    if tab == "overview":
        _rows(shown, at)
    else:
        columns(shown, at)
    choice(watch)
    if tab == "overview":
        if warnings := watch.facts.get("warnings"):
            st.caption(":material/warning: " + " ".join(warnings))
        if words := chosen.settled(watch):
            st.caption(words)
        if method := watch.method:
            formulas(method, str(watch.facts.get("task")))
    if tab == "spectrum" and "omega" in moment.arrays and "omega_prime" not in moment.arrays:
        st.caption("A stationary kernel has one frequency per feature: all its mass lies on the diagonal ω = ω'.")
    if tab == "bounds" and at.bound:
        bounds.terms(at.bound, {"now": bounds.measured(moment)})


def choice(watch: Watch) -> None:
    """What the rows that did not train chose: below the pictures, since the first screen belongs to these."""
    if sentence := chosen.sentence(watch):
        st.caption(sentence)


def look_inside(shown: Sequence[At]) -> None:
    """Links to the pages that look inside the first two of these runs, where they have pictures of one of them."""
    two = shown[:2]
    with st.container(horizontal=True, key="inside"):
        st.caption("Look inside the first two:" if len(two) > 1 else "Look inside this run:")
        runs = dict(zip(("run", "beside"), (at.run.run.id for at in two), strict=False))
        for page in PAGES:
            if any(offered(views_of(page.name), at) for at in two):
                link(page.name, page.title, page.icon, **runs)


def preview(spec: RunSpec) -> None:
    """What a run of ``spec`` would start from: the data, the assigned kernel, and what "auto" comes to."""
    try:
        run = foreseen.preview(spec)
    except KernlabError as error:
        st.warning(str(error), icon=":material/warning:")
        return
    moment = run.moment()
    assert moment
    at = At(run, moment, VIEW.now())
    shown = offered("preview", at)
    st.caption(invitation(spec, run))
    _rows(shown, at, note=False)
    with st.container(horizontal=True, vertical_alignment="center", key="views"):
        controls(shown, at)
        selection(at)


def invitation(spec: RunSpec, run: Preview) -> str:
    """The words above the pictures of a preview, in Markdown."""
    return f"Press **Train** and watch this kernel being learned. {auto_words(spec, run)}"


def auto_words(spec: RunSpec, run: Preview) -> str:
    """What the rules choose where ``spec`` says "auto", how many rows judge, and how long the training may take."""
    assert run.method
    asked, found, facts = spec.method.options(), run.method.options(), run.facts
    held = facts["n_held"]
    omitted = {"validation"} if held else {"validation", "n_iter_no_change"}  # nothing is chosen without such rows
    words = [
        f"{label(key)} {value:.4g}" if isinstance(value, float) else f"{label(key)} {value}"
        for key, value in found.items()
        if asked.get(key) == "auto" and isinstance(value, int | float) and key not in omitted
    ]
    if few := chosen.reduced(spec.method, run.method):
        words.append(few)
    if held:
        words.append(f"{number(held)} of {number(facts['n_train'])} training rows judge how long to train")
    else:
        words.append(f"{number(facts['n_train'])} training rows")
    words.append(f"{number(facts['n_test'])} test rows")
    if (begin := facts["compiled_from"]) is not None:
        words.append(f"compiled steps from step {number(begin)} on")
    if (seconds := facts["expected_seconds"]) is not None:
        # Choosing trains the assigned map beside the learned one, and repeats the best epochs on all rows.
        words.append(f"{'at most ' if held else ''}about {duration(seconds * (3 if held else 1))}")
    return "What *auto* comes to: " + " · ".join(words)


def _rows(shown: Sequence[Picture], at: At, note: bool = True) -> None:
    """Pictures in rows of three, low enough for two rows on a first screen; a narrow page has fewer in a row."""
    for start in range(0, len(shown), _ROW):
        row = shown[start : start + _ROW]
        with st.container(key=f"overview-{start}"):
            for place, each in zip(st.columns(len(row)), row, strict=True):
                with place:
                    pictures.draw(each, at, LOW, note=note)


def columns(shown: Sequence[Picture], at: At) -> None:
    """Pictures in two columns, each put where there is more room; one left over, or that asks for it, has the whole
    width."""
    if any(each.wide for each in shown):
        first = next(place for place, each in enumerate(shown) if each.wide)
        columns(shown[:first], at)
        pictures.draw(shown[first], at)
        columns(shown[first + 1 :], at)
        return
    filled, places = [0, 0], []
    for each in shown:
        places.append(filled.index(min(filled)))
        filled[places[-1]] += each.height
    rest = list(shown)
    alone = rest.pop() if rest and abs(filled[0] - filled[1]) >= rest[-1].height else None
    for column, beside in zip(st.columns(2) if rest else (), (0, 1), strict=False):
        with column:
            for each, place in zip(rest, places, strict=False):
                if place == beside:
                    pictures.draw(each, at)
    if alone:
        pictures.draw(alone, at, max(alone.height, 420))


def formulas(method: MethodSpec, task: str) -> None:
    """What is being learned and how, in symbols and words, once the fold is opened.

    Setting a dozen formulas nobody sees would keep the browser from the pictures.
    """
    fold = st.expander("The formulas behind these pictures", key=FORMULAS, on_change="rerun")
    if fold.open:
        with fold:
            for formula, words in _lines(method, task):
                st.latex(formula)
                st.caption(words)


def _lines(method: MethodSpec, task: str) -> list[tuple[str, str]]:
    """Formulas of the objective and of each part, each with its words."""
    lines: list[tuple[str, str]] = []
    loss = method.objective or OBJECTIVES["hinge" if task == "classification" else "squared"].build()
    jointly = not method.two_stage and isinstance(loss, Loss) and isinstance(method.solver, ProximalGradient)
    if jointly:
        penalties = "".join(rf"+{_power(r.weight)}\cdot {r.formula}" for r in method.regularizers)
        lines.append(
            (
                rf"\min\ \tfrac1n\sum_{{i=1}}^n\ell(f(x_i),y_i){penalties},\qquad f(x)=W^\top\varphi(x)",
                "The objective: the mean loss and the penalties, each with its weight. ASKL eq. 4",
            )
        )
    parts: list[tuple[Component, str]] = [
        (
            method.feature_map,
            "how inputs become features" if isinstance(method.feature_map, FeatureMap) else "how alike two inputs are",
        )
    ]
    if jointly:
        parts.append((loss, "the loss of one sample"))
    elif method.objective is not None:
        parts.append((method.objective, "what the features are learned by, on every mini-batch"))
    if method.solver.changes:
        finding = "how the parameters of the map are found" if method.two_stage else "one step of the training"
        parts.append((method.solver, finding if isinstance(method.solver, ProximalGradient) else "what is solved"))
    if not jointly:
        first, *others = method.heads
        parts += [(first, "what predicts"), *((head, "fitted too, and reported beside it") for head in others)]
    return lines + [(part.formula, f"{part.title}: {words}. {part.source}") for part, words in parts]


def _power(value: float) -> str:
    """A number in LaTeX: 10^{-5} instead of 1e-05."""
    lead, exponent = f"{value:e}".split("e")
    power = int(exponent)
    if -3 <= power <= 3:
        return f"{value:g}"
    return rf"10^{{{power}}}" if float(lead) == 1 else rf"{float(lead):g}\cdot10^{{{power}}}"

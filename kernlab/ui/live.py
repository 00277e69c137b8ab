"""The right side of the Train page: one run at one moment, as it happens or scrubbed back in time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from kernlab.bounds import Bound
from kernlab.feature_maps import FeatureMap
from kernlab.methods import MethodSpec
from kernlab.objectives import OBJECTIVES, Loss
from kernlab.options import Component
from kernlab.pictures.base import At, Picture, offered
from kernlab.pictures.recorded import Moment
from kernlab.pictures.results import head_words
from kernlab.pictures.weights import rank
from kernlab.solvers import Assigned, ProximalGradient
from kernlab.spec import RunSpec
from kernlab.ui import chosen, pictures, view
from kernlab.ui.controls import controls
from kernlab.ui.watch import Watch

__all__ = [
    "columns",
    "fill_view",
    "follow",
    "moment_of",
    "numbers",
    "pace",
    "playing",
    "repeat",
    "time_line",
    "view_scene",
    "views",
]

_VIEWS = {"overview": "Overview", "spectrum": "Spectrum", "kernel": "Kernel", "bounds": "Bounds"}

_FRAME = 0.5  # seconds a snapshot stays while time is played
_ECHO = 10.0  # seconds after which a slider has surely taken over the place that playback gave it


def fill_view(scene: Mapping[str, str]) -> None:
    """Take the view from an address; what makes no sense there means the default."""
    view.fill(scene)
    if view.now()["view"] not in _VIEWS:
        view.change(view="overview")


def view_scene() -> dict[str, str]:
    """What the address has to say about the view."""
    changed = view.scene()
    if playing():  # a link to a moment that lasts half a second helps nobody, and fills the browser's history
        changed.pop("at", None)
    return changed


def follow() -> None:
    """Show the newest moment from now on."""
    view.change(at=None)
    st.session_state["view.playing"] = False


# -- time ------------------------------------------------------------------------------------------------------


def playing() -> bool:
    """Time is being played back."""
    return bool(st.session_state.get("view.playing"))


def pace() -> float | None:
    """Seconds between two drawings while time is played back."""
    return _FRAME if playing() else None


def moment_of(watch: Watch) -> Moment | None:
    """The moment that all pictures show: the newest, or where time was scrubbed or played to."""
    if playing():
        _advance(watch)
    return watch.moment(view.now()["at"])


def time_line(watch: Watch, moment: Moment) -> None:
    """The slider over the run's snapshots, with Play; before and after, where nothing lies between."""
    if watch.at_once:
        _before_after(watch)
        return
    at, unit = view.now()["at"], watch.unit
    total = max(watch.length, 1e-3)
    position = total if at is None else min(float(at), total)
    key = "view.time"
    if st.session_state.get(key) != position:
        st.session_state[key] = position
    if playing():
        _played()[position] = time.monotonic()
    place = f"{moment.epoch:.2f}" if unit == "epoch" else f"{moment.epoch:.0f}"
    with st.container(horizontal=True, vertical_alignment="center", key="timeline"):
        st.button(
            "Hold" if playing() else "Play", icon=f":material/{'pause' if playing() else 'replay'}:", key="view.play",
            on_click=_toggle_play, help="Play the run from its start, snapshot by snapshot",
        )  # fmt: skip
        st.slider(
            "Time: " + ("newest" if at is None else f"{unit} {place}"), 0.0, total, position, key=key,
            step=total / 400, format="%.1f" if unit == "epoch" else "%.0f", on_change=_moved, args=(total,),
            help=f"Every picture below shows this moment (in {unit}s); the right end follows the run.",
        )  # fmt: skip
    chosen.marks(watch, total)


def _before_after(watch: Watch) -> None:
    method = watch.method
    if len(watch.snapshots.steps) < 2 or (method and isinstance(method.solver, Assigned)):
        return  # nothing has changed, or will
    key, words = "view.moment", {True: "Before the step", False: "After it"}
    before = view.now()["at"] is not None and view.now()["at"] < 1
    if st.session_state.get(key) != before:
        st.session_state[key] = before
    st.segmented_control(
        "Moment", list(words), default=before, key=key, format_func=words.__getitem__, required=True,
        on_change=_turned, label_visibility="collapsed",
    )  # fmt: skip


def _turned() -> None:
    view.now()["at"] = 0.0 if st.session_state["view.moment"] else None


def _played() -> dict[float, float]:
    """The places of the slider that playback has set, and when."""
    played: dict[float, float] = st.session_state.setdefault("view.played", {})
    return played


def _moved(total: float) -> None:
    value = float(st.session_state["view.time"])
    if time.monotonic() - _played().get(value, -_ECHO) < _ECHO:
        return  # nobody touched it: a busy browser still reports where playback had put it
    view.now()["at"] = None if value >= total * (1 - 1e-6) else value
    st.session_state["view.playing"] = False


def _toggle_play() -> None:
    state, said = st.session_state, view.now()
    state["view.playing"] = not playing()
    _played().clear()
    if playing() and said["at"] is None:
        said["at"] = 0.0
    state["view.moved"] = time.monotonic()


def _advance(watch: Watch) -> None:
    """On to the next snapshot, once a frame has been long enough on the screen."""
    state, said = st.session_state, view.now()
    if time.monotonic() - state.get("view.moved", 0.0) < _FRAME * 0.8:
        return
    state["view.moved"] = time.monotonic()
    later = [float(epoch) for epoch in watch.snapshots.epochs if epoch > (said["at"] or 0.0) + 1e-9]
    if later:
        said["at"] = later[0]
    else:
        said["at"], state["view.playing"] = None, False


# -- numbers ---------------------------------------------------------------------------------------------------


def numbers(watch: Watch, moment: Moment) -> None:
    """The moment's results; of a finished run, those of every head."""
    at, values = At(watch, moment, view.now()), moment.values
    percent = watch.facts.get("metric") == "accuracy"
    name = "accuracy" if percent else "RMSE"

    def shown(value: float | None) -> str:
        if value is None:
            return "–"
        return f"{value:.1f} %" if percent else digits(value)

    heads: dict[str, Any] = watch.run.summary.get("heads", {}) if moment.latest else {}
    cells = [(f"Test {name}, {head_words(head)}", shown(found["test_metric"])) for head, found in heads.items()]
    cells = cells or [(f"Test {name}", shown(values.get("test_metric")))]
    cells.append((f"Training {name}", shown(values.get("train_metric"))))
    if "objective" in watch.history or not watch.at_once:
        cells.append(("Objective", digits(values["objective"]) if "objective" in values else "–"))
    if "bound/support" in values:
        cells.append(("Features kept", f"{values['bound/support']:.0f}"))
    if "nonzero" in values:
        cells.append(("Functions kept", f"{values['nonzero']:.0f}"))
    if (found := rank(at)) is not None:
        cells.append(("Rank of W", str(found)))
    for label, value in cells:
        st.metric(label, value, width="content")


def digits(value: float) -> str:
    """Four digits; thousands are written out: 59 980 instead of 5.998e+04."""
    if 1e4 <= abs(value) < 1e9:
        return f"{float(f'{value:.4g}'):,.0f}".replace(",", "\u202f")
    return f"{value:.4g}"


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
    said = view.now()
    at = At(watch, moment, said)
    there = [name for name in _VIEWS if offered(name, at)] or ["overview"]
    if said["view"] not in there:
        view.change(view=there[0])
    with st.container(horizontal=True, vertical_alignment="center", key="views"):
        if len(there) > 1:
            said["view"] = st.segmented_control(
                "View", there, default=said["view"], key=view.held("view"), required=True,
                format_func=_VIEWS.__getitem__, label_visibility="collapsed",
            )  # fmt: skip
        shown = offered(said["view"], at)
        controls(shown, at)
    columns(shown, at)
    if said["view"] == "overview":
        if warnings := watch.facts.get("warnings"):
            st.caption(":material/warning: " + " ".join(warnings))
        if words := chosen.settled(watch):
            st.caption(words)
        if method := watch.method:
            formulas(method, str(watch.facts.get("task")))
    if said["view"] == "spectrum" and "omega" in moment.arrays and "omega_prime" not in moment.arrays:
        st.caption("A stationary kernel has one frequency per feature: all its mass lies on the diagonal ω = ω'.")
    if said["view"] == "bounds" and at.bound:
        _terms(at.bound, moment)


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
    """What is being learned and how, in symbols and words."""
    told: list[tuple[str, str]] = []
    loss = method.objective or OBJECTIVES["hinge" if task == "classification" else "squared"].build()
    jointly = not method.two_stage and isinstance(loss, Loss) and isinstance(method.solver, ProximalGradient)
    if jointly:
        penalties = "".join(rf"+{_power(r.weight)}\cdot {r.formula}" for r in method.regularizers)
        told.append(
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
    if not isinstance(method.solver, Assigned):
        finding = (
            "how the map's parameters are found, in the place of W" if method.two_stage else "one step of learning"
        )
        parts.append((method.solver, finding if isinstance(method.solver, ProximalGradient) else "what is solved"))
    if not jointly:
        first, *others = method.heads
        parts += [(first, "what predicts"), *((head, "fitted too, and reported beside it") for head in others)]
    told += [(part.formula, f"{part.title}: {words}. {part.source}") for part, words in parts]
    with st.expander("The formulas behind these pictures"):
        for formula, words in told:
            st.latex(formula)
            st.caption(words)


def _power(value: float) -> str:
    """A number in LaTeX: 10^{-5} instead of 1e-05."""
    lead, exponent = f"{value:e}".split("e")
    power = int(exponent)
    if -3 <= power <= 3:
        return f"{value:g}"
    return rf"10^{{{power}}}" if float(lead) == 1 else rf"{float(lead):g}\cdot10^{{{power}}}"


def _terms(bound: Bound, moment: Moment) -> None:
    """A bound's formula, and every term with its value and what it says."""
    st.markdown(f"**{bound.title}** ({bound.source})")
    st.latex(bound.formula)
    rows = ["| term | formula | now | in words | source |", "|:--|:--|--:|:--|:--|"]
    for term in bound.terms:
        value = moment.values.get(f"bound/{term.key}")
        if value is not None:
            said = (term.title, f"${term.formula}$", f"{value:.4g}", term.sentence, term.source)
            rows.append(
                "| " + " | ".join(word.replace("|", r"\|") if i != 1 else word for i, word in enumerate(said)) + " |"
            )
    st.markdown("\n".join(rows))

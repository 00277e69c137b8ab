"""The right side of the Train page: one run at one moment, as it happens or scrubbed back in time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import streamlit as st

from kernlab.bounds import BOUNDS
from kernlab.objectives import OBJECTIVES
from kernlab.options import Component
from kernlab.spec import RunSpec
from kernlab.ui import pictures
from kernlab.ui.forms import to_text
from kernlab.ui.watch import Moment, Watch

__all__ = [
    "VIEW",
    "fill_view",
    "follow",
    "moment_of",
    "numbers",
    "playing",
    "repeat",
    "time_line",
    "view_scene",
    "views",
]

_VIEWS = {"overview": "Overview", "spectrum": "Spectrum", "kernel": "Kernel", "bound": "Bound"}

#: What the address may say about the view; leaving it out means this.
_DEFAULTS: dict[str, Any] = {
    "view": "overview",
    "smooth": False,
    "log": False,
    "boundlog": True,
    "look": "principal direction 1",
    "at": None,
    "output": 0,
}

#: The address's words for the view.
VIEW = tuple(_DEFAULTS)

_SMOOTHING = 0.9  # weight of the past in the running mean of the curves
_FRAME = 0.45  # seconds a snapshot stays while time is played


# Widgets that are not drawn lose their value, so what the view shows is kept here and given to them.
def _view() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault("view", dict(_DEFAULTS))
    return kept


def _held(name: str) -> str:
    """The key of the widget for ``name``; a widget that was not there starts at what the view says."""
    key = f"view.{name}"
    if key not in st.session_state:
        st.session_state[key] = _view()[name]
    return key


def _set(**values: Any) -> None:
    """Change the view, and the widgets with it."""
    for name, value in values.items():
        _view()[name] = value
        st.session_state.pop(f"view.{name}", None)


def fill_view(scene: Mapping[str, str]) -> None:
    """Take the view from an address; what makes no sense there means the default."""
    _set(
        view=scene["view"] if scene.get("view") in _VIEWS else "overview",
        smooth=scene.get("smooth") == "true",
        log=scene.get("log") == "true",
        boundlog=scene.get("boundlog") != "false",
        look=scene.get("look", _DEFAULTS["look"]),
        at=_number(scene.get("at"), 0.0, 1e9),
        output=int(_number(scene.get("output"), 0, 1e4) or 0),
    )


def _number(text: str | None, low: float, high: float) -> float | None:
    try:
        return min(max(float(text or ""), low), high)
    except ValueError:
        return None


def view_scene() -> dict[str, str]:
    """What the address has to say about the view."""
    changed = {key: value for key, value in _view().items() if value != _DEFAULTS[key]}
    if playing():  # a link to a moment that lasts half a second helps nobody, and fills the browser's history
        changed.pop("at", None)
    return {key: to_text(value) for key, value in changed.items()}


def follow() -> None:
    """Show the newest moment from now on."""
    _set(at=None)
    st.session_state["view.playing"] = False


# -- time ------------------------------------------------------------------------------------------------------


def playing() -> bool:
    """Time is being played back."""
    return bool(st.session_state.get("view.playing"))


def moment_of(watch: Watch) -> Moment | None:
    """The moment that all pictures show: the newest, or where time was scrubbed or played to."""
    if playing():
        _advance(watch)
    return watch.moment(_view()["at"])


def time_line(watch: Watch, moment: Moment) -> None:
    """The slider over the run's snapshots, with Play."""
    at = _view()["at"]
    total = float(watch.facts["total_steps"]) / float(watch.facts["steps_per_epoch"])
    position = total if at is None else min(float(at), total)
    key = "view.time"
    if st.session_state.get(key) != position:
        st.session_state[key] = position
    with st.container(horizontal=True, vertical_alignment="center", key="timeline"):
        st.button(
            "Hold" if playing() else "Play", icon=f":material/{'pause' if playing() else 'replay'}:", key="view.play",
            on_click=_toggle_play, help="Play the run from its start, snapshot by snapshot",
        )  # fmt: skip
        st.slider(
            "Time: " + ("newest" if at is None else f"epoch {moment.epoch:.2f}"), 0.0, total, position, key=key,
            step=total / 400, format="%.1f", on_change=_moved, args=(total,),
            help="Every picture below shows this moment (in epochs); the right end follows the run.",
        )  # fmt: skip


def _moved(total: float) -> None:
    value = float(st.session_state["view.time"])
    _view()["at"] = None if value >= total * (1 - 1e-6) else value
    st.session_state["view.playing"] = False


def _toggle_play() -> None:
    state, view = st.session_state, _view()
    state["view.playing"] = not playing()
    if playing() and view["at"] is None:
        view["at"] = 0.0
    state["view.moved"] = time.monotonic()


def _advance(watch: Watch) -> None:
    """On to the next snapshot, once a frame has been long enough on the screen."""
    state, view = st.session_state, _view()
    if time.monotonic() - state.get("view.moved", 0.0) < _FRAME * 0.8:
        return
    state["view.moved"] = time.monotonic()
    later = [float(epoch) for epoch in watch.snapshots.epochs if epoch > (view["at"] or 0.0) + 1e-9]
    if later:
        view["at"] = later[0]
    else:
        view["at"], state["view.playing"] = None, False


# -- numbers ---------------------------------------------------------------------------------------------------


def numbers(watch: Watch, moment: Moment) -> None:
    """The moment's results."""
    values, percent = moment.values, watch.facts.get("metric") == "accuracy"
    name = "accuracy" if percent else "RMSE"

    def shown(key: str) -> str:
        if key not in values:
            return "–"
        return f"{values[key]:.1f} %" if percent else f"{values[key]:.4g}"

    cells = [
        (f"Test {name}", shown("test_metric")),
        (f"Training {name}", shown("train_metric")),
        ("Objective", f"{values['objective']:.4g}" if "objective" in values else "–"),
        ("Rank of W", f"{values['bound/rank']:.0f}" if "bound/rank" in values else "–"),
    ]
    for label, value in cells:
        st.metric(label, value, width="content")


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
    view = _view()
    with st.container(horizontal=True, vertical_alignment="center", key="views"):
        view["view"] = st.segmented_control(
            "View", list(_VIEWS), default=view["view"], key=_held("view"), required=True,
            format_func=_VIEWS.__getitem__, label_visibility="collapsed",
        )  # fmt: skip
        if view["view"] == "bound":
            view["boundlog"] = st.toggle("Log axis", value=view["boundlog"], key=_held("boundlog"))
        if view["view"] == "overview":
            view["log"] = st.toggle("Log axis", value=view["log"], key=_held("log"))
            view["smooth"] = st.toggle("Smooth", value=view["smooth"], key=_held("smooth"))
        if view["view"] in ("overview", "spectrum") and "omega" in moment.arrays:
            looks = pictures.directions(watch)
            if view["look"] not in looks:
                _set(look=looks[0])
            view["look"] = st.selectbox(
                "Look along", looks, looks.index(view["look"]), key=_held("look"), width=220,
                label_visibility="collapsed", format_func=lambda look: f"along {look}",
            )  # fmt: skip
        if watch.facts.get("task") == "regression" and watch.facts.get("K", 1) > 1:
            names = range(int(watch.facts["K"]))
            if view["output"] >= len(names):
                _set(output=0)
            view["output"] = st.selectbox(
                "Output", names, view["output"], key=_held("output"), width=140, label_visibility="collapsed",
                format_func=lambda k: f"output {k + 1}",
            )  # fmt: skip
    {"overview": _overview, "spectrum": _spectrum, "kernel": _kernel, "bound": _bound}[view["view"]](watch, moment)


def _overview(watch: Watch, moment: Moment) -> None:
    view = _view()
    at = None if view["at"] is None else moment.epoch
    smoothing = _SMOOTHING if view["smooth"] else 0.0
    options = (watch.id, watch.version, smoothing, view["log"], at)
    here = (watch.id, moment.step)
    left, right = st.columns(2)
    with left:
        pictures.show(
            "objective", options, lambda: pictures.objective(watch, smoothing, view["log"], at),
            alt="The objective and its parts over training",
        )  # fmt: skip
        pictures.show(
            "function", (*here, view["output"]), lambda: pictures.function(watch, moment, view["output"]),
            alt="The learned function", height=360,
        )  # fmt: skip
    with right:
        pictures.show(
            "metric", options, lambda: pictures.metric(watch, smoothing, view["log"], at),
            alt=f"Training and test {pictures.metric_name(watch)} over training",
        )  # fmt: skip
        if "omega" in moment.arrays:
            _density(watch, moment, 360)
    if warnings := watch.facts.get("warnings"):
        st.caption(":material/warning: " + " ".join(warnings))
    if spec := watch.spec:
        _formulas(spec, str(watch.facts.get("task")))


def _formulas(spec: RunSpec, task: str) -> None:
    """What is being minimised, in symbols and words."""
    method = spec.method
    loss = method.objective or OBJECTIVES["hinge" if task == "classification" else "squared"].build()
    penalties = "".join(rf"+{_power(r.weight)}\cdot {r.formula}" for r in method.regularizers)
    parts: list[tuple[Component, str]] = [
        (loss, "the loss of one sample"),
        (method.feature_map, "how inputs become features"),
        (method.solver, "one step of learning"),
    ]
    with st.expander("The formulas behind these pictures"):
        st.latex(rf"\min\ \tfrac1n\sum_{{i=1}}^n\ell(f(x_i),y_i){penalties},\qquad f(x)=W^\top\varphi(x)")
        st.caption("The objective: the mean loss and the penalties, each with its weight. ASKL eq. 4")
        for part, words in parts:
            st.latex(part.formula)
            st.caption(f"{part.title}: {words}. {part.source}")


def _power(value: float) -> str:
    """A number in LaTeX: 10^{-5} instead of 1e-05."""
    lead, exponent = f"{value:e}".split("e")
    power = int(exponent)
    if -3 <= power <= 3:
        return f"{value:g}"
    return rf"10^{{{power}}}" if float(lead) == 1 else rf"{float(lead):g}\cdot10^{{{power}}}"


def _density(watch: Watch, moment: Moment, height: int = 340) -> None:
    look = _view()["look"]
    pictures.show(
        "density", (watch.id, moment.step, watch.moment().step if watch.moment() else 0, look),  # type: ignore[union-attr]
        lambda: pictures.spectrum(watch, moment, look), alt=f"Spectral density along {look}", height=height,
    )  # fmt: skip


def _spectrum(watch: Watch, moment: Moment) -> None:
    if "omega" not in moment.arrays:
        st.info("This method has no frequencies to look at.")
        return
    look, here = _view()["look"], (watch.id, moment.step)
    left, right = st.columns(2)
    with left:
        _density(watch, moment)
        pictures.show("lengths", here, lambda: pictures.lengths(watch, moment), alt="Lengths of the frequencies")
    with right:
        if "omega_prime" in moment.arrays:
            pictures.show(
                "joint", (*here, watch.version[1], look), lambda: pictures.joint_density(watch, moment, look),
                alt=f"Joint density of the two frequencies along {look}",
                height=340 if watch.facts.get("image_shape") else 660,
            )  # fmt: skip
        else:
            st.info("A stationary kernel has one frequency per feature: all its mass lies on the diagonal.")
        if watch.facts.get("image_shape"):
            pictures.show(
                "frequencies", here, lambda: pictures.frequencies(watch, moment),
                alt="The longest frequencies as pictures", height=380,
            )  # fmt: skip


def _kernel(watch: Watch, moment: Moment) -> None:
    here = (watch.id, moment.step)
    left, right = st.columns(2)
    with left:
        pictures.show("diagonal", here, lambda: pictures.diagonal(moment), alt="Histogram of k(x, x)", height=340)
        st.latex(r"k(x,x)=\tfrac12\left(1+\mathbb E\cos((\omega-\omega')^\top x)\right)")
        st.caption(
            "In expectation, with shared phases (ASKL eq. 5–6). A stationary kernel has the same k(x, x) everywhere; "
            "where the two frequencies of a pair disagree, the kernel knows some places better than others."
        )
    with right:
        pictures.show(
            "singular", here, lambda: pictures.singular_values(watch, moment), alt="Singular values of W", height=340
        )
        st.latex(r"W^{+}=U\,\operatorname{diag}\left((\sigma_j-\lambda_1\eta)_+\right)V^\top")
        st.caption(
            "ASKL eq. 7–8. The proximal step of the trace norm takes λ₁η from every singular value and cuts at "
            "zero, so that the rank of W can fall."
        )


def _bound(watch: Watch, moment: Moment) -> None:
    view = _view()
    at = None if view["at"] is None else moment.epoch
    left, right = st.columns(2)
    with left:
        pictures.show(
            "bound_now", (watch.id, moment.step, watch.version[0] if moment.latest else 0),
            lambda: pictures.bound_now(watch, moment),
            alt="The terms of the bound as stacked bars beside the measured gap", height=360,
        )  # fmt: skip
    with right:
        pictures.show(
            "bound_history", (watch.id, watch.version, view["boundlog"], at),
            lambda: pictures.bound_history(watch, view["boundlog"], at),
            alt="The terms of the bound over training", height=360,
        )  # fmt: skip
    bound = BOUNDS["spectral"]
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

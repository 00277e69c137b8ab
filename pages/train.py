"""Train: choose data and a method, press Train, and watch the kernel being learned."""

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.runs.jobs import manager
from kernlab.ui import live, scene, setup
from kernlab.ui.forms import show_error
from kernlab.ui.transport import progress, transport
from kernlab.ui.watch import Watch

state = st.session_state
VIEW = ("run", "view", "smooth", "log", "boundlog", "look", "at", "output")

try:
    jobs = manager()
except KernlabError as error:
    st.title("Train")
    show_error(error)
    st.stop()


def open_run(run_id: str) -> None:
    """Put a run on the page."""
    state["train.watch"] = Watch(jobs, run_id)
    state["view.restart"] = True


# The address decides on arrival (a link, a reload, "back"); afterwards it follows the page.
if (came := scene.arrived("train")) is not None:
    state.pop("train.trouble", None)
    live.fill_view(came)
    state.pop("train.watch", None)
    said = {key: value for key, value in came.items() if key not in VIEW}
    try:
        if "run" in came:
            open_run(came["run"])
        shown = state.get("train.watch")
        setup.fill(shown.spec if shown and shown.spec and not said else setup.spec_from(said))
    except KernlabError as error:
        state["train.trouble"] = f"{error} (from the address of this page)"
        setup.fill(setup.spec_from({}))

spec = state["train.spec"] = setup.spec_form()
watch: Watch | None = state.get("train.watch")
state["view.restart"] = False


def interval() -> float | None:
    """Seconds between two looks: short until the first point is there, none when nothing moves."""
    watch: Watch | None = state.get("train.watch")
    if not (watch and watch.live):
        return 0.5 if live.playing() else None
    return 0.5 if watch.history else 0.2


def run_panel() -> None:
    """All that moves: one fragment, polling only while there is something to wait for."""
    watch: Watch | None = state.get("train.watch")
    if watch:
        watch.refresh()
    moment = live.moment_of(watch) if watch and watch.facts else None
    transport(jobs, watch, spec, open_run, lambda: live.numbers(watch, moment) if watch and moment else None)
    if watch:
        solver = watch.run.resolved.get("method", {}).get("solver", {})
        progress(watch.state, solver.get("epochs"), watch.facts.get("device", watch.run.device))
        if moment:
            live.time_line(watch, moment)
            live.views(watch, moment)
        elif watch.live:
            st.caption("Reading the data …")
    else:
        st.info(
            "Press **Train** and watch the kernel being learned. Data, method and options stand in the side bar "
            "(on a phone: » at the top left).",
            icon=":material/waves:",
        )
    told = setup.scene_of(spec) if spec else {k: v for k, v in scene.remembered("train").items() if k not in VIEW}
    scene.write("train", told | ({"run": watch.id} if watch else {}) | live.view_scene())
    if state.get("view.restart") or every != interval():
        st.rerun()


shown = watch.spec if watch else None
with st.container(horizontal=True, vertical_alignment="center"):
    st.title(f"Train · {watch.run.method} on {watch.run.dataset}" if watch else "Train", anchor=False)
    repeat = shown or spec
    if repeat:
        with st.popover("Python", icon=":material/code:", help="Lines that repeat this run"):
            st.code(repeat.python(), language="python", wrap_lines=True)
        with st.popover("Command", icon=":material/terminal:", help="The command line that repeats this run"):
            st.code(repeat.command(), language="bash", wrap_lines=True)
    scene.share(scene.remembered("train"))

every = interval()
st.fragment(run_panel, run_every=every)()

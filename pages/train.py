"""Train: choose data and a method, press Train, and watch the kernel being learned."""

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.ui import live, polling, scene, setup, view
from kernlab.ui.forms import sentences
from kernlab.ui.links import link
from kernlab.ui.pages import PAGES
from kernlab.ui.transport import progress, transport
from kernlab.ui.watch import Watch

INSIDE = [page for page in PAGES if page.name in ("spectrum", "kernel", "bounds")]
state = st.session_state
jobs = manager().trainings


def open_run(run_id: str) -> None:
    """Put a run on the page, at its newest moment."""
    state["train.watch"] = Watch(jobs, run_id)
    live.follow()


def arrive(came: dict[str, str]) -> None:
    """The address decides on arrival (a link, a reload, "back"); afterwards it follows the page."""
    said = {key: value for key, value in came.items() if key != "run" and key not in view.VIEW}
    state["train.watch"], state["train.trouble"] = None, ""
    try:
        if "run" in came:
            open_run(came["run"])
        watch: Watch | None = state["train.watch"]
        setup.fill(watch.spec if watch and watch.spec and not said else setup.spec_from(said))
    except KernlabError as error:
        state["train.trouble"] = f"{error} (In the address of this page.)"
        setup.fill(setup.spec_from({}))
    live.fill_view(came)


def pace() -> float | None:
    """Seconds between two looks; none when nothing moves."""
    watch: Watch | None = state["train.watch"]
    return live.pace() or (polling.EVERY if watch and watch.live else None)


@sentences()
def panel() -> None:
    """All that moves."""
    watch: Watch | None = state["train.watch"]
    if watch:
        try:
            watch.refresh()
        except KernlabError as error:  # the run could not start: nothing of it is kept but the reason
            watch = state["train.watch"] = None
            state["train.trouble"] = str(error)
    moment = live.moment_of(watch) if watch and watch.facts else None
    told = setup.scene_of(spec) if spec else scene.remembered("train")
    scene.write("train", told | ({"run": watch.id} if watch else {}) | live.view_scene())

    top, words, way, pictures, inside = (st.container() for _ in range(5))
    with top.container(horizontal=True, vertical_alignment="center"):
        st.title(f"Train · {watch.run.method} on {watch.run.dataset}" if watch else "Train", anchor=False)
        live.repeat((watch and watch.spec) or spec)
        scene.share(scene.remembered("train"))
    with top:
        transport(jobs, watch, spec, open_run, lambda: live.numbers(watch, moment) if watch and moment else None)
    if spec is None:  # on a phone the side bar with the sentence is folded away
        words.warning("Nothing can be started yet: in the side bar a sentence in red says what to change.",
                      icon=":material/left_click:")  # fmt: skip
    elif watch is None:
        words.info(
            "Press **Train** and watch the kernel being learned. Data, method and options stand in the side bar "
            "(on a phone: » at the top left).",
            icon=":material/waves:",
        )
    if not watch:
        return
    with way:
        progress(watch)
        if moment:
            live.time_line(watch, moment)
        elif watch.live:
            waiting = "Measuring where it starts …" if watch.facts else "Reading the data …"
            st.caption("It starts when the device is free." if watch.state.position else waiting)
    if moment:
        with pictures:
            live.views(watch, moment)
        with inside.container(horizontal=True, key="inside"):
            st.caption("Look inside this run:")
            for name, label, icon in INSIDE:
                link(name, label, icon, run=watch.id)


if (came := scene.arrived("train")) is not None:
    arrive(came)
spec = state["train.spec"] = setup.spec_form()
polling.poll(panel, pace)

"""Train: choose data and a method, press Train, and watch the kernel being learned."""

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.pictures.base import At
from kernlab.spec import RunSpec
from kernlab.ui import beside, elements, foreseen, live, notes, setup
from kernlab.ui.changing import changes
from kernlab.ui.forms import sentences
from kernlab.ui.heading import heading
from kernlab.ui.news import phase, phases_before
from kernlab.ui.state import Address
from kernlab.ui.transport import transport
from kernlab.ui.view import VIEW, show_moment
from kernlab.ui.watch import Watch

PATIENCE = 1.0  # seconds that the page waits for the first picture of a run, so that it is drawn once
ADDRESS = Address("train", setup.FORM, VIEW, notes.NOTES, beside.COLUMNS)
state = st.session_state
jobs = manager().trainings


def open_run(run_id: str) -> None:
    """Put a run on the page, at its newest moment."""
    state["train.watch"] = Watch(jobs, run_id)
    setup.FORM.change(run=run_id)
    show_moment(None)


def arrive(settings: dict[str, str]) -> RunSpec:
    """Open the run that the address names, and fill the form with what the address says of it, or else with the run.

    Returns:
        What the form is to say.
    """
    state["train.watch"], run_id = None, setup.FORM["run"]
    show_moment(VIEW["at"])
    watch: Watch | None = None
    try:
        if run_id:
            watch = state["train.watch"] = Watch(jobs, run_id)
        shown = watch.start if watch and watch.start and not settings else setup.spec_from(settings)
    except KernlabError as error:
        ADDRESS.trouble = f"{error} (In the address of this page.)"
        shown = setup.spec_from({})
    try:
        if watch:
            notes.arrive(watch)
    except KernlabError as error:
        ADDRESS.trouble = f"{error} (In the address of this page.)"
    shown = beside.arrive(jobs, ADDRESS, shown, watch)
    setup.show(shown)
    return shown


@sentences()
def panel() -> None:
    """All but the form: it runs again when a person chooses something here, or the run comes into another phase."""
    if beside.several():
        beside.page(jobs, ADDRESS, spec)
        return
    beside.turn()
    watch: Watch | None = state["train.watch"]
    if watch:
        try:
            watch.refresh()
        except KernlabError as error:  # the run could not start: nothing of it is kept but the reason
            watch = state["train.watch"] = None
            state["train.trouble"] = str(error)
    setup.FORM.change(run=watch.id if watch else "")
    notes.stand(watch)
    ADDRESS.write(setup.address_of(spec) if spec else ADDRESS.rest)

    with st.container(key="train-head"):
        top, way = st.container(), st.container()
    begins = watch is not None and watch.live and not len(watch.snapshots.steps)
    # Where a run begins, the pictures of before are gone at once: what comes above them would push them down.
    words, pictures, inside = st.container(), st.empty() if begins else st.container(), st.container()
    with top, heading(live.heading(watch)):
        live.repeat((watch and watch.spec) or spec)
        noting = st.container(width="content")
        ADDRESS.share()

    with top:
        changing = transport(jobs, watch, spec, open_run, lambda: beside.add_button(jobs, spec, watch))
    if spec is None:  # on a phone the side bar with the sentence is folded away
        words.warning("Nothing can be started yet: in the side bar a sentence in red says what to change.",
                      icon=":material/left_click:")  # fmt: skip
    if not watch:
        if spec:
            with pictures:
                live.preview(spec)
        return
    status = phase(watch)[0]  # that of the buttons: where it has changed meanwhile, the browser asks for them again
    try:
        # What a run begins with has been seen before it: the page is drawn while the run is set up.
        at_once = begins and not watch.state.position and watch.start
        if not (at_once and watch.foresee(foreseen.shown(at_once))):
            jobs.begin(watch.id)
            watch.wait(PATIENCE)
    except KernlabError as error:
        state["train.watch"], state["train.trouble"] = None, str(error)
        st.rerun()
    moment = watch.moment(VIEW["at"]) if watch.facts else None
    with changing:
        changes(watch)
    with noting:
        notes.editor(watch)
    with way:
        with st.container(horizontal=True, vertical_alignment="bottom", key="where"):
            before = phases_before(status) if begins else ()
            elements.progress(f"film/{watch.id}", [status, *phase(watch)[1:]], before=before)
            elements.values(watch.id)
        if moment:
            live.time_line(watch, every=5.0 if VIEW["view"] == "bounds" else None)
        elif watch.live:
            waiting = "Measuring where it starts …" if watch.facts else "Reading the data …"
            st.caption("It starts when the device is free." if watch.state.position else waiting)
    if moment:
        with pictures.container() if begins else pictures:
            live.views(watch, moment)
        with inside:
            live.look_inside([At(watch, moment, VIEW.now())])
    jobs.begin(watch.id)


spec: RunSpec | None = ADDRESS.arrive(arrive)
if spec is None:
    spec = state["train.spec"] = setup.spec_form()
    beside.edited(spec)
    st.fragment(panel)()
else:  # on arrival the heading and the pictures come before the form, whose elements the browser draws for long
    st.fragment(panel)()
    state["train.spec"] = setup.spec_form()
    beside.edited(state["train.spec"])
    if state["train.spec"] != spec:  # the form refuses it, or says more
        st.rerun()

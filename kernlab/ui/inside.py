"""The frame of the pages that look inside a run: Spectrum, Kernel, Bounds.

One run, or two side by side; one slider that chooses the snapshot of every picture; another moment to compare
with. A page says which pictures it shows and what stands around them:

    inside.page("spectrum", "Spectrum", "What the kernel is made of.", after=table_of_frequencies)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.jobs.trainings import Trainings
from kernlab.pictures.base import SELECTED, At, Picture
from kernlab.pictures.gallery import PICTURES, offered, views_of
from kernlab.pictures.recorded import Moment
from kernlab.runs.store import Run
from kernlab.spec import RunSpec
from kernlab.ui import elements, live, pictures
from kernlab.ui.controls import controls
from kernlab.ui.forms import sentences
from kernlab.ui.heading import heading
from kernlab.ui.news import phase
from kernlab.ui.selected import selection
from kernlab.ui.state import Address, Value, Values
from kernlab.ui.table import result
from kernlab.ui.view import VIEW, show_moment
from kernlab.ui.watch import Watch

__all__ = ["EXAMPLE", "page"]

#: A run of a few seconds with something to see on every page.
EXAMPLE = RunSpec.of("ASKL", "checkerboard", n_features=500, epochs=20)

_OFFERED = 200  # runs in the list
_EVERY = 8.0  # seconds between two updates of the texts about a run that trains; pictures and numbers follow it at once

#: The runs on the page, by their ids.
RUNS = Values("inside", Value("run"), Value("beside"))

Around: TypeAlias = Callable[[Sequence[At]], None]


def _nothing(shown: Sequence[At]) -> None: ...


def page(
    name: str,
    title: str,
    words: str,
    *,
    before: Around = _nothing,
    after: Around = _nothing,
    without: str = "The method of this run has no pictures of this kind.",
    keeps: Sequence[Values] = (),
) -> None:
    """Draw a page; call it once, as the whole of it.

    Args:
        name: of the page; its pictures are those of :func:`~kernlab.pictures.gallery.views_of`.
        title: above it.
        words: what is seen here, in a sentence.
        before, after: draws what stands above and below the pictures, for the runs shown.
        without: what stands in the place of the pictures where the runs have none; empty: ``before`` says it.
        keeps: what these have in the address.
    """
    jobs, state, address = manager().trainings, st.session_state, Address(name, RUNS, VIEW, *keeps)

    def arrive(rest: dict[str, str]) -> None:
        state.pop("inside.watches", None)
        show_moment(VIEW["at"])

    address.arrive(arrive)
    watches = _watches(jobs, address)

    @sentences()
    def panel() -> None:
        with heading(title):
            for watch in list(watches):
                try:
                    watch.refresh()
                except KernlabError as error:
                    watches.remove(watch)
                    _name(watches)
                    address.trouble = str(error)
            address.write()
            if watches:
                live.repeat(watches[0].spec)
            address.share()
        address.show_trouble()
        if watches:
            _runs(name, watches, before, after, without)
        else:
            st.info(f"{words} There is no run to look into yet.", icon=":material/waves:")

    st.fragment(panel)()
    _pickers(jobs, watches)
    if not watches:
        st.button("Train an example", icon=":material/play_circle:", type="primary", on_click=_example,
                  args=(jobs,), help=f"{EXAMPLE.method.name} on {EXAMPLE.data.dataset}: a few seconds")  # fmt: skip


# -- which runs ------------------------------------------------------------------------------------------------


def _watches(jobs: Trainings, address: Address) -> list[Watch]:
    """The runs on the page; where none is named, the run that the Train page showed last, or the newest run."""
    state = st.session_state
    known = {watch.id: watch for watch in state.get("inside.watches", [])}
    watches: list[Watch] = []

    def add(run_ids: Sequence[str]) -> None:
        for run_id in dict.fromkeys(filter(None, run_ids)):
            try:
                watches.append(known[run_id] if run_id in known else Watch(jobs, run_id))
            except KernlabError as error:
                address.trouble = f"{error} (In the address of this page.)"

    add([RUNS["run"], RUNS["beside"]] if RUNS["run"] or RUNS["beside"] else [live.last_run()])
    if not watches:
        add([run.id for run in jobs.store.list(limit=_OFFERED) if not run.damage][:1])
    _name(watches)
    state["inside.watches"] = watches
    return watches


def _name(watches: Sequence[Watch]) -> None:
    """Let the address name the runs that are followed."""
    run, beside = [*(watch.id for watch in watches), "", ""][:2]
    RUNS.change(run=run, beside=beside)


def _example(jobs: Trainings) -> None:
    RUNS.change(run=jobs.submit(EXAMPLE), beside="")
    show_moment(None)


def _pickers(jobs: Trainings, watches: Sequence[Watch]) -> None:
    """The run, and the one beside it."""
    if not watches:
        return
    runs = {run.id: run for run in jobs.store.list(limit=_OFFERED) if not run.damage}
    runs |= {watch.id: watch.run for watch in watches if watch.id not in runs}

    def turned() -> None:
        VIEW.change(reference=None, **dict.fromkeys(SELECTED.values(), ""))
        show_moment(None)

    others = ["", *(run_id for run_id in runs if run_id != RUNS["run"])]
    with st.sidebar:
        st.subheader("Runs", anchor=False)
        for key, label, ids in (("run", "Run", list(runs)), ("beside", "Beside it", others)):
            if len(ids) > 1 or key == "run":
                st.selectbox(label, ids, ids.index(RUNS[key]), **RUNS.widget(key, then=turned),
                             format_func=lambda run_id: _described(runs[run_id]) if run_id else "nothing")  # fmt: skip


def _described(run: Run) -> str:
    # The list is drawn with the page and stays while a run goes on: it says only what does not change any more.
    ended = run.status if run.status in ("failed", "stopped", "interrupted") else ""
    return " · ".join(filter(None, (run.name, result(run), ended)))


# -- what is shown ---------------------------------------------------------------------------------------------


def _runs(name: str, watches: Sequence[Watch], before: Around, after: Around, without: str) -> None:
    for column, watch in zip(_columns(watches), watches, strict=True):
        with column:
            if len(watches) > 1:
                st.markdown(f"**{watch.run.name}**")
            if watch.live or watch.state.error:
                elements.progress(f"film/{watch.id}", phase(watch), key=f"progress.{watch.id}")
    first = watches[0].moment(VIEW["at"]) if watches[0].facts else None
    if first is None:
        st.caption("Measuring where it starts …")
        return
    moves = [watch for watch in watches if watch.facts and not live.timeless(watch)]
    if moves:  # a run of one moment alone has no time of its own: that of the other one is the page's
        live.time_line(moves[0], every=_EVERY)
        _compared_moment(moves[0])
    shown = []
    for watch, side in zip(watches, ("", ".beside"), strict=False):
        moment = first if watch is watches[0] else watch.moment(VIEW["at"])
        if moment:
            compared = VIEW["reference"] if watch in moves else None
            reference = None if compared is None else watch.moment(compared)
            shown.append(At(watch, moment, VIEW.now(), reference, side))
    before(shown)
    fitting = [offered(views_of(name), at) for at in shown]
    if without and not any(fitting):
        st.info(without, icon=":material/info:")
    with st.container(horizontal=True, vertical_alignment="center", key="inside-switches"):
        controls([each for one in fitting for each in one], next((at for at in shown if at.run in moves), shown[0]))
        selection(shown[0])
    shown = [at._replace(view=VIEW.now()) for at in shown]  # without values that this run does not offer
    if len(shown) == 1:
        live.columns(fitting[0], shown[0])
    else:
        _side_by_side(fitting, shown)
    after(shown)
    for column, watch in zip(_columns(watches), watches, strict=True):
        with column:
            live.choice(watch)


def _columns(watches: Sequence[Watch]) -> Sequence[DeltaGenerator]:
    """A column for each run; of a single one all the width."""
    return st.columns(len(watches)) if len(watches) > 1 else [st.container()]


def _side_by_side(fitting: Sequence[Sequence[Picture]], shown: Sequence[At]) -> None:
    """The same picture of both runs in a row."""
    for each in PICTURES.values():
        if any(each in one for one in fitting):
            for column, at, one in zip(st.columns(len(shown)), shown, fitting, strict=True):
                with column:
                    if each in one:
                        pictures.draw(each, at)
                    else:
                        st.caption(f"{each.alt}: this run has no such picture.")


def _compared_moment(watch: Watch) -> None:
    """Another moment of the same run, for what has changed since."""
    unit, since = watch.unit, VIEW["reference"]
    if len(watch.snapshots.steps) < 2:
        return
    total = max(watch.length, 1e-3)
    with st.container(horizontal=True, vertical_alignment="center", key="reference"):
        compared = VIEW.widget("reference", since is not None, lambda on: 0.0 if on else None, called="compare")
        st.toggle("What has changed", since is not None, **compared,
                  help="Show the difference to another moment of the run")  # fmt: skip
        if since is not None and not watch.at_once:
            at = min(float(since), total)
            st.slider(f"since {unit} {_place(watch.moment(at), unit)}", 0.0, total, at, step=total / 400,
                      format="%.1f" if unit == "epoch" else "%.0f",
                      **VIEW.widget("reference", at, float, called="since"))  # fmt: skip


def _place(moment: Moment | None, unit: str) -> str:
    return "" if moment is None else f"{moment.epoch:.2f}" if unit == "epoch" else f"{moment.epoch:.0f}"

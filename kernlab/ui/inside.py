"""The frame of the pages that look inside a run: Spectrum, Kernel, Bounds.

One run, or two side by side; one slider that moves every picture through the snapshots; another moment to compare
with. A page says which pictures it shows and what stands around them:

    inside.page("spectrum", "Spectrum", "What the kernel is made of.", after=table_of_frequencies)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.jobs import manager
from kernlab.jobs.trainings import Trainings
from kernlab.pictures.base import PICTURES, At, Picture, offered
from kernlab.pictures.recorded import Moment
from kernlab.runs.store import Run
from kernlab.spec import RunSpec
from kernlab.ui import live, pictures, polling, scene, view
from kernlab.ui.controls import controls
from kernlab.ui.forms import sentences
from kernlab.ui.table import result
from kernlab.ui.transport import progress
from kernlab.ui.watch import Watch

__all__ = ["EXAMPLE", "page"]

#: A run of a few seconds with something to see on every page.
EXAMPLE = RunSpec.of("ASKL", "checkerboard", n_features=500, epochs=20)

_OFFERED = 200  # runs in the list
_SHARE, _SELDOM = 0.04, 32  # of the time that drawing may take while a run trains, and seconds between looks at most

Around: TypeAlias = Callable[[Sequence[At]], None]


def _nothing(shown: Sequence[At]) -> None: ...


def page(name: str, title: str, words: str, *, before: Around = _nothing, after: Around = _nothing) -> None:
    """Draw a page; call it once, as the whole of it.

    Args:
        name: of the page; its pictures are those of the Train page's tab of that name, and of ``inside.<name>``.
        title: above it.
        words: what is seen here, in a sentence.
        before, after: draws what stands above and below the pictures, for the runs shown.
    """
    jobs, state = manager().trainings, st.session_state
    if (came := scene.arrived(name)) is not None:
        _arrive(jobs, came)
    watches: list[Watch] = state.setdefault("inside.watches", [])

    @sentences()
    def panel() -> None:
        begun = time.perf_counter()
        trouble = state.get("inside.trouble")
        for watch in list(watches):
            try:
                watch.refresh()
            except KernlabError as error:
                watches.remove(watch)
                trouble = str(error)
        said = {key: watch.id for key, watch in zip(("run", "beside"), watches, strict=False)}
        scene.write(name, said | live.view_scene())
        with st.container(horizontal=True, vertical_alignment="center"):
            st.title(title, anchor=False)
            if watches:
                live.repeat(watches[0].spec)
            scene.share(scene.remembered(name))
        if trouble:
            st.error(trouble, icon=":material/error:")
        if watches:
            _runs(name, watches, before, after)
        else:
            st.info(f"{words} There is no run to look into yet.", icon=":material/waves:")
        state["inside.cost"] = max(time.perf_counter() - begun, 0.8 * state.get("inside.cost", 0.0))

    _pickers(jobs, watches)
    polling.poll(panel, lambda: _pace(watches))
    if not watches:
        st.button("Train an example", icon=":material/play_circle:", type="primary", on_click=_example,
                  args=(jobs,), help=f"{EXAMPLE.method.name} on {EXAMPLE.data.dataset}: a few seconds")  # fmt: skip


def _pace(watches: Sequence[Watch]) -> float | None:
    """Seconds between two looks; none when nothing moves.

    While a run trains on the same cores, what the last looks took decides: drawing may have a small share of the time.
    """
    if any(watch.live for watch in watches) and not live.playing():
        wanted = st.session_state.get("inside.cost", 0.0) / _SHARE
        # In steps, so that the page's clock is not set anew at every look.
        return float(min(_SELDOM, 2 ** (math.ceil(2 * math.log2(max(wanted, polling.EVERY))) / 2)))
    return live.pace()


# -- which runs ------------------------------------------------------------------------------------------------


def _arrive(jobs: Trainings, came: dict[str, str]) -> None:
    """The address decides on arrival; where it names no run it is the one last looked at, or the newest."""
    state = st.session_state
    state["inside.trouble"] = ""
    wanted = [came[key] for key in ("run", "beside") if key in came]
    newest = [run.id for run in jobs.store.list(limit=_OFFERED) if not run.damage][:1]
    if not wanted:
        held = state.get("train.watch")
        wanted = [held.id] if held else newest
    watches: list[Watch] = []
    for run_id in dict.fromkeys(wanted):
        try:
            watches.append(Watch(jobs, run_id))
        except KernlabError as error:
            state["inside.trouble"] = f"{error} (In the address of this page.)"
    state["inside.watches"] = watches or [Watch(jobs, run_id) for run_id in newest]
    live.fill_view(came)


def _example(jobs: Trainings) -> None:
    st.session_state["inside.watches"] = [Watch(jobs, jobs.submit(EXAMPLE))]
    live.follow()


def _pickers(jobs: Trainings, watches: list[Watch]) -> None:
    """The run, and the one beside it."""
    if not watches:
        return
    runs = {run.id: run for run in jobs.store.list(limit=_OFFERED) if not run.damage}
    runs |= {watch.id: watch.run for watch in watches if watch.id not in runs}
    with st.sidebar:
        st.subheader("Runs", anchor=False)
        _picker("Run", "inside.run", list(runs), runs, watches[0].id, jobs, 0)
        others = ["", *(run_id for run_id in runs if run_id != watches[0].id)]
        beside = watches[1].id if len(watches) > 1 else ""
        if len(others) > 1:
            _picker("Beside it", "inside.beside", others, runs, beside if beside in others else "", jobs, 1)


def _picker(
    label: str, key: str, ids: list[str], runs: dict[str, Run], chosen: str, jobs: Trainings, place: int
) -> None:
    state = st.session_state

    def turn() -> None:
        watches: list[Watch] = list(state["inside.watches"])
        picked = state[key]
        del watches[place : place + 1]
        if picked:
            watches.insert(place, Watch(jobs, picked))
        state["inside.watches"] = watches[:1] + [watch for watch in watches[1:] if watch.id != watches[0].id]
        view.change(at=None, reference=None, frequencies="", points="")

    if state.get(key) != chosen:
        state[key] = chosen
    st.selectbox(label, ids, ids.index(chosen), key=key, on_change=turn,
                 format_func=lambda run_id: _described(runs[run_id]) if run_id else "nothing")  # fmt: skip


def _described(run: Run) -> str:
    # The list is drawn with the page and stays while a run goes on: it says only what does not change any more.
    ended = run.status if run.status in ("failed", "stopped", "interrupted") else ""
    return " · ".join(filter(None, (run.name, result(run), ended)))


# -- what is shown ---------------------------------------------------------------------------------------------


def _runs(name: str, watches: Sequence[Watch], before: Around, after: Around) -> None:
    said = view.now()
    columns = st.columns(len(watches)) if len(watches) > 1 else [st.container()]
    for column, watch in zip(columns, watches, strict=True):
        with column:
            if len(watches) > 1:
                st.markdown(f"**{watch.run.name}**")
            if watch.live or watch.state.error:
                progress(watch)
    first = live.moment_of(watches[0]) if watches[0].facts else None
    if first is None:
        st.caption("Measuring where it starts …")
        return
    live.time_line(watches[0], first)
    _compared_moment(watches[0])
    shown = []
    for watch, side in zip(watches, ("", ".beside"), strict=False):
        moment = first if watch is watches[0] else watch.moment(said["at"])
        if moment:
            reference = None if said["reference"] is None else watch.moment(said["reference"])
            shown.append(At(watch, moment, said, reference, side))
    before(shown)
    wanted = (name, f"inside.{name}")
    fitting = [offered(wanted, at) for at in shown]
    if not any(fitting):
        st.info("The method of this run has nothing of this kind to show.", icon=":material/info:")
    with st.container(horizontal=True, vertical_alignment="center", key="inside-switches"):
        controls([each for one in fitting for each in one], shown[0])
        if said["frequencies"] or said["points"]:
            st.button("Clear the selection", icon=":material/deselect:", on_click=view.change,
                      kwargs={"frequencies": "", "points": ""})  # fmt: skip
    if len(shown) == 1:
        live.columns(fitting[0], shown[0])
    else:
        _side_by_side(fitting, shown)
    after(shown)


def _side_by_side(fitting: Sequence[Sequence[Picture]], shown: Sequence[At]) -> None:
    """The same picture of both runs in a row."""
    for each in PICTURES.values():
        if any(each in one for one in fitting):
            for column, at, one in zip(st.columns(len(shown)), shown, fitting, strict=True):
                with column:
                    if each in one:
                        pictures.draw(each, at)
                    else:
                        st.caption(f"{each.alt}: this run has nothing of the kind.")


def _compared_moment(watch: Watch) -> None:
    """Another moment of the same run, for what has changed since."""
    said, key, unit = view.now(), "view.compare", watch.unit
    if len(watch.snapshots.steps) < 2:
        return
    if st.session_state.get(key) != (said["reference"] is not None):
        st.session_state[key] = said["reference"] is not None
    total = max(watch.length, 1e-3)
    with st.container(horizontal=True, vertical_alignment="center", key="reference"):
        st.toggle("What has changed", key=key, on_change=_compare,
                  help="Show the difference to another moment of the run")  # fmt: skip
        if said["reference"] is not None and not watch.at_once:
            at = min(float(said["reference"]), total)
            if st.session_state.get("view.since") != at:
                st.session_state["view.since"] = at
            st.slider(f"since {unit} {_place(watch.moment(at), unit)}", 0.0, total, at, step=total / 400,
                      key="view.since", format="%.1f" if unit == "epoch" else "%.0f", on_change=_since)  # fmt: skip


def _place(moment: Moment | None, unit: str) -> str:
    return "" if moment is None else f"{moment.epoch:.2f}" if unit == "epoch" else f"{moment.epoch:.0f}"


def _compare() -> None:
    view.now()["reference"] = 0.0 if st.session_state["view.compare"] else None


def _since() -> None:
    view.now()["reference"] = float(st.session_state["view.since"])

"""The buttons that steer a run, and the line that says where it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.jobs.queue import RULE, JobState
from kernlab.jobs.trainings import Trainings
from kernlab.pictures.recorded import learns_in_batches, solved_at_once
from kernlab.runs.kept import number
from kernlab.spec import RunSpec
from kernlab.ui.watch import Watch

__all__ = ["ICONS", "duration", "progress", "sharing", "status_words", "transport"]

ICONS = {
    "queued": ":material/hourglass_empty:",
    "running": ":material/play_arrow:",
    "stopping": ":material/hourglass_bottom:",
    "paused": ":material/pause:",
    "finished": ":material/check_circle:",
    "failed": ":material/error:",
    "stopped": ":material/stop_circle:",
    "interrupted": ":material/power_off:",
    "damaged": ":material/broken_image:",
}


#: The buttons that go on by a little, with what each asks for: a method solved all at once has no little.
_PACES = {
    "batches": (
        ("Epoch", ":material/skip_next:", "epoch", "Go on to the end of this epoch, then hold still"),
        ("Mini-batch", ":material/step:", "batch", "One gradient step, then hold still"),
    ),
    "steps": (("Step", ":material/step:", "batch", "One step of the solver on all rows, then hold still"),),
    "once": (),
}


def duration(seconds: float) -> str:
    """Seconds in words a person would use: "8 s", "3 min 20 s", "2 h 5 min"."""
    whole = round(seconds)
    if seconds < 10:
        return f"{seconds:.1f} s"
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def status_words(state: JobState) -> str:
    """Status with its sign, and the place in the queue."""
    words = f"{ICONS[state.status]} {state.status.capitalize()}"
    if state.status == "queued" and state.position:
        several = "s" if state.position > 1 else ""
        words += f" behind {state.position} "
        words += f"run{several} on the same device" if state.kind == "training" else f"{state.kind}{several}"
    return words


def sharing(state: JobState) -> None:
    """What else is computing now and by which rule the machine is shared; who steers a job of another process."""
    if state.live and not state.mine:
        st.caption(f"Another process works on this {state.kind}: it can be watched here and steered there.")
    elif state.live and state.beside:
        uses = f" This one uses {state.uses}." if state.uses else ""
        st.caption(f":material/group_work: Beside {', '.join(state.beside)}.{uses} {RULE}")


def progress(watch: Watch) -> None:
    """One line and a bar: status, how far, elapsed, remaining, device; then what went wrong, if anything did."""
    state = watch.state
    words = [status_words(state)]
    total, over = state.total_steps, state.status == "finished"
    if watch.at_once:
        words.append("solved in one step" if over else "one step that solves it all")
    elif total:
        # Where a run ends by itself, the steps it was given are only the most it may take.
        of = "of at most" if watch.early and not over else "of"
        if found := watch.kept:
            if not over:
                words.append(f"repeating {found.epoch} epochs on all {number(watch.facts['n_train'])} rows")
            words.append(f"epoch {max(0.0, state.epoch - found.stopped):.3g} of {found.epoch}")
        elif watch.unit == "epoch":
            epochs = total / float(watch.facts.get("steps_per_epoch") or total)
            words += ["choosing how long to train"] * watch.choosing
            words.append(f"epoch {state.epoch:.1f} {of} {epochs:g}")
        words.append(f"step {number(state.step)} {of} {number(total)}")
        if over and state.step < total:
            words.append("ended early: nothing more was to be gained")
    words.append(f"{duration(state.elapsed)} trained")
    if state.status == "running" and state.remaining is not None and state.step > 8:
        words.append(f"{'at most ' if watch.early else ''}{duration(state.remaining)} left")
    words.append(str(watch.facts.get("device", watch.run.device)))
    done = 1.0 if over else min(1.0, state.step / total) if total else 0.0
    st.progress(done, " · ".join(words))
    sharing(state)
    if state.error:
        st.error(state.error, icon=":material/error:")


def transport(
    jobs: Trainings,
    watch: Watch | None,
    spec: RunSpec | None,
    opened: Callable[[str], None],
    beside: Callable[[], None] = lambda: None,
) -> None:
    """Train, Pause / Resume, one epoch, one mini-batch or step, Stop: as far as the method has such things.

    Args:
        jobs: who does the work.
        watch: the run on the page.
        spec: what Train would start; None while the form holds a mistake.
        opened: called with the id of a run that was started or set going again.
        beside: draws what stands to the right of the buttons.
    """
    status = watch.state.status if watch else None
    steerable = watch is not None and watch.state.mine and watch.live
    same = watch is not None and spec is not None and watch.spec == spec
    # The buttons are for the run under way, where there is one, else for what the form says.
    method = watch.method if watch and steerable else spec.method if spec else None
    batches = method is None or learns_in_batches(method)
    at_once = watch.at_once if watch and steerable and watch.facts else method is not None and solved_at_once(method)

    def act(what: Callable[[], str | None]) -> None:
        st.session_state.pop("train.trouble", None)
        try:
            if run_id := what():
                opened(run_id)
        except KernlabError as error:
            st.session_state["train.trouble"] = str(error)

    def begin(paused: bool = False) -> str:
        assert spec is not None
        return jobs.submit(spec, paused=paused)

    def advance(unit: str) -> str | None:
        if watch is None or not steerable:
            # Nothing under way: set the run up, hold it before its first mini-batch, and do one step.
            run_id = watch.id if watch and watch.run.resumable and same else begin(paused=True)
            if watch and run_id == watch.id:
                jobs.resume_run(run_id, paused=True)
            jobs.step(run_id, unit)  # type: ignore[arg-type]
            return run_id
        jobs.step(watch.id, unit)  # type: ignore[arg-type]
        return None

    def go_on() -> str | None:
        assert watch is not None
        if steerable:
            jobs.resume(watch.id)
            return None
        jobs.resume_run(watch.id)
        return watch.id

    def hold() -> None:
        assert watch is not None
        jobs.pause(watch.id)

    def stop() -> None:
        assert watch is not None
        jobs.cancel(watch.id)

    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        st.button(
            "Train", type="primary", icon=":material/play_arrow:", disabled=spec is None or (same and steerable),
            help="Start a new run with what stands on the left", on_click=act, args=(begin,),
        )  # fmt: skip
        resumable = status == "paused" or (watch is not None and watch.run.resumable and not watch.live)
        if resumable:
            st.button("Resume", icon=":material/resume:", on_click=act, args=(go_on,),
                      disabled=status == "paused" and not steerable, help="Go on from where it is")  # fmt: skip
        elif not at_once:
            st.button("Pause", icon=":material/pause:", disabled=not steerable or status == "paused",
                      on_click=act, args=(hold,), help="Hold still")  # fmt: skip
        for label, icon, unit, words in _PACES["once" if at_once else "batches" if batches else "steps"]:
            st.button(label, icon=icon, disabled=not (steerable or spec is not None), on_click=act,
                      args=(partial(advance, unit),), help=words)  # fmt: skip
        st.button("Stop", icon=":material/stop:", disabled=not steerable, on_click=act,
                  args=(stop,),
                  help="End the run here; it keeps what it has and can be resumed")  # fmt: skip
        beside()
    if trouble := st.session_state.get("train.trouble"):
        st.error(trouble, icon=":material/error:")

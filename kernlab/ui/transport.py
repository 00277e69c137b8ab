"""The buttons that steer a run, and the line that says where it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kernlab.errors import KernlabError
from kernlab.jobs.queue import RULE, JobState
from kernlab.jobs.trainings import Trainings
from kernlab.numerals import number
from kernlab.pictures.recorded import learns_in_batches, solved_at_once
from kernlab.spec import RunSpec
from kernlab.ui.watch import Watch

__all__ = ["duration", "either", "progress_words", "sharing", "show_trouble", "status_words", "transport", "tried"]

#: Seconds at most for which a run that is started from the page waits until the page has been drawn.
DRAWN = 1.0

#: The buttons that go on by a little, with what each asks for: a method solved all at once has no little.
_PACES = {
    "batches": (
        ("+1 epoch", ":material/skip_next:", "epoch", "Train to the end of this epoch, then pause"),
        ("+1 step", ":material/step:", "batch", "Take one gradient step on one mini-batch, then pause"),
    ),
    "steps": (("+1 step", ":material/step:", "batch", "Take one step of the solver on all rows, then pause"),),
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


def either(label: Literal["Pause", "Resume"], **options: Any) -> None:
    """One of two buttons of which one is offered at a time, in a place that is as wide with either.

    While the page follows a change both are drawn, and what stands behind would move away from under a pointer that is
    pressing it.

    Args:
        label: which of the two.
        options: of ``st.button``.
    """
    place = st.container(key="either", width="content")
    place.button(label, icon=f":material/{label.lower()}:", width="stretch", **options)


def status_words(state: JobState) -> str:
    """Status, and the place in the queue."""
    words = state.status.capitalize()
    if state.status == "queued" and state.position:
        several = "s" if state.position > 1 else ""
        words += f" behind {state.position} "
        words += f"run{several} on the same device" if state.kind == "training" else f"{state.kind}{several}"
    return words


def sharing(state: JobState) -> str:
    """What else is computing now and by which rule the machine is shared; who steers a job of another process."""
    if state.live and not state.mine:
        return f"Another process works on this {state.kind}: it can be watched here and steered there."
    if state.live and state.in_step:
        return f"In step with {' and '.join(state.in_step)}: one of them computes at a time, the one furthest behind."
    if state.live and state.beside:
        uses = f" This one uses {state.uses}." if state.uses else ""
        return f"Beside {', '.join(state.beside)}.{uses} {RULE}"
    return ""


def progress_words(watch: Watch) -> tuple[str, float | None]:
    """Where a run is: status, how far, elapsed, remaining and device in a line, and the share that is done."""
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
    # Before the number of its steps is known nothing is trained: reading a large table takes seconds.
    begins = state.status == "running" and total is None
    words += ["reading the data", duration(state.elapsed)] if begins else [f"{duration(state.elapsed)} trained"]
    if state.status == "running" and state.remaining is not None and state.step > 8:
        words.append(f"{'at most ' if watch.early else ''}{duration(state.remaining)} left")
    words.append(str(watch.facts.get("device", watch.run.device)))
    if state.live and (begin := watch.facts.get("compiled_from")) is not None:
        words.append(
            "compiled steps" if state.step > begin
            else "waiting for the compiler of the step" if state.step == begin
            else f"compiled steps from step {number(begin)} on"
        )  # fmt: skip
    done = 1.0 if over else min(1.0, state.step / total) if total else 0.0 if state.live else None
    return " · ".join(words), done


def tried(what: Callable[[], Any]) -> Any:
    """What ``what`` returns; its mistake is kept for :func:`show_trouble`, in the place of the one before."""
    st.session_state.pop("train.trouble", None)
    try:
        return what()
    except KernlabError as error:
        st.session_state["train.trouble"] = str(error)
        return None


def show_trouble() -> None:
    """The sentence of what went wrong when something was last steered."""
    if trouble := st.session_state.get("train.trouble"):
        st.error(trouble, icon=":material/error:")


def transport(
    jobs: Trainings,
    watch: Watch | None,
    spec: RunSpec | None,
    opened: Callable[[str], None],
    beside: Callable[[], None] = lambda: None,
) -> DeltaGenerator:
    """Train, Pause / Resume, one epoch, one mini-batch or step, Stop: as far as the method has such things.

    Args:
        jobs: who does the work.
        watch: the run on the page.
        spec: what Train would start; None while the form holds a mistake.
        opened: called with the id of a run that was started or set going again.
        beside: draws what stands to the right of the buttons.

    Returns:
        The place of another button, after these.
    """
    status = watch.state.status if watch else None
    steerable = watch is not None and watch.state.mine and watch.live
    same = watch is not None and spec is not None and watch.start == spec
    # The buttons are for the run under way, where there is one, else for what the form says.
    method = watch.method if watch and steerable else spec.method if spec else None
    batches = method is None or learns_in_batches(method)
    at_once = watch.at_once if watch and steerable and watch.facts else method is not None and solved_at_once(method)

    def act(what: Callable[[], str | None]) -> None:
        def both() -> None:
            if run_id := what():
                opened(run_id)

        tried(both)

    def begin(paused: bool = False) -> str:
        assert spec is not None
        return jobs.submit(spec, paused=paused, after=DRAWN)

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
            either("Resume", disabled=status == "paused" and not steerable, on_click=act, args=(go_on,),
                   help="Go on from where the run is")  # fmt: skip
        elif not at_once:
            either("Pause", disabled=not steerable or status == "paused", on_click=act, args=(hold,),
                   help="Interrupt the training; Resume goes on from here")  # fmt: skip
        for label, icon, unit, words in _PACES["once" if at_once else "batches" if batches else "steps"]:
            st.button(label, icon=icon, disabled=not (steerable or spec is not None), on_click=act,
                      args=(partial(advance, unit),), help=words)  # fmt: skip
        st.button("Stop", icon=":material/stop:", disabled=not steerable, on_click=act,
                  args=(stop,),
                  help="End the run here; it keeps what it has and can be resumed")  # fmt: skip
        beside()
        more = st.container(width="content")  # at the end: what it gets is there only while the run is under way
    show_trouble()
    return more

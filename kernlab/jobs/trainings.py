"""Trainings in the background: one at a time on each device. A run is watched and steered by its id."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from kernlab.errors import KernlabError, StoreError, UnknownNameError
from kernlab.jobs.groups import Equal, Group
from kernlab.jobs.queue import LIVE, Job, JobState, Kind, Queue, Status
from kernlab.runs.kept import epoch_at
from kernlab.runs.record import LIVE as STORED_LIVE
from kernlab.runs.record import Run
from kernlab.runs.store import Metrics, Snapshots, Store
from kernlab.runs.writer import Writer
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Event

__all__ = ["RunState", "Train", "Trainings"]

_log = logging.getLogger(__name__)


class Train(Protocol):
    """The function that trains: from a spec as JSON to events."""

    def __call__(self, spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]: ...


def _train(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
    from kernlab.spec import RunSpec
    from kernlab.training.trainer import train

    return train(RunSpec.from_dict(spec), control=control, resume=resume)


def _device_key(device: str) -> str:
    from kernlab.devices import resolve

    found = resolve(device)
    return f"{found.type}:{found.index or 0}"


@dataclass(frozen=True, kw_only=True)
class RunState(JobState):
    """How far a run is.

    Attributes:
        step, total_steps: finished steps, and steps of the whole run (None before it has started).
        epoch: passes over the training part.
        due: seconds until its curves or its snapshots are expected to have another one, None if nothing allows an
            estimate.
        commits: another number whenever something new of it has been stored; None: another process stores it.
    """

    step: int
    total_steps: int | None
    epoch: float
    due: float | None = None
    commits: int | None = None


def _state(step: int, total: int | None, *, since: tuple[int, float], elapsed: float, **facts: Any) -> RunState:
    """The state, with the remaining time at the pace since the step and clock ``since``."""
    steps, seconds = step - since[0], elapsed - since[1]
    remaining = (total - step) * seconds / steps if total is not None and steps > 0 else None
    remaining = remaining if facts["status"] in LIVE else None
    done = step / total if total else None
    return RunState(step=step, total_steps=total, elapsed=elapsed, remaining=remaining, done=done, **facts)


class Pace:
    """Steps a second over the last fifth of the time so far, and five seconds at least.

    The first steps of a process load code, and say little about the others.
    """

    EVERY, LONGEST = 0.2, 5.0  # seconds between two notes, and from the first to the last of them
    SHARE = 0.2  # of the time so far, where that is longer: the pace of busy seconds says little about hours

    def __init__(self) -> None:
        self._notes: deque[tuple[int, float]] = deque()
        self._begun: float | None = None

    def note(self, step: int, seconds: float) -> None:
        """Take down the step that a training has reached, and its clock."""
        notes = self._notes
        self._begun = seconds if self._begun is None else self._begun
        longest = max(self.LONGEST, self.SHARE * (seconds - self._begun))
        if notes and seconds - notes[-1][1] < self.EVERY * longest / self.LONGEST:
            return
        notes.append((step, seconds))
        while len(notes) > 3 and seconds - notes[1][1] > longest:
            notes.popleft()

    @property
    def since(self) -> tuple[int, float] | None:
        """The step and clock from which the pace is measured; None before there is one."""
        return self._notes[1 if len(self._notes) > 2 else 0] if self._notes else None


class Rhythm:
    """The steps at which events of a kind come: the next is as far from the last as that was from the one before it."""

    TOGETHER = 0.15  # seconds after an event in which those that come are seen with it: every look costs the training

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, int]] = {}  # by kind of event: its step, and steps since the one before it
        self._regular: dict[str, tuple[int, int]] = {}  # the same before the last event
        self._at = 0, 0.0  # step and clock of the last

    def note(self, kind: str, step: int, seconds: float) -> None:
        """Take down an event. A point of the curves that is there for the sake of a snapshot changes no rhythm."""
        if kind == "Snapshot" and step == self._at[0] and "Step" in self._regular:
            last, gap = self._regular["Step"]
            self._last = {**self._last, "Step": (_after(step, last, gap) - gap if gap else last, gap)}
        before = self._last.get(kind, (0, 0))[0]
        self._regular, self._at = self._last, (step, seconds)
        self._last = {**self._last, kind: (step, step - before)}

    def due(self, since: tuple[int, float], seconds: float) -> float | None:
        """Seconds until the next event and those soon after it; None while nothing says the pace.

        Args:
            since, seconds: a step and its clock, from which the pace is measured, and the clock now.
        """
        step, at = self._at
        gaps = [(last, gap) for last, gap in self._last.values() if gap > 0]
        if step <= since[0] or not gaps:
            return None
        pace = (at - since[1]) / (step - since[0])  # seconds a step
        first = min(_after(step, *each) for each in gaps)
        until = first + (int(self.TOGETHER / pace) if pace > 0 else 0)
        together = max(_after(until, *each) - each[1] for each in gaps)
        return (max(first, together) - step) * pace - (seconds - at)


def _after(step: int, last: int, gap: int) -> int:
    """The first step later than ``step`` in a rhythm."""
    return last + gap * ((step - last) // gap + 1)


class _Training(Job):
    kind = "training"

    def __init__(
        self, owner: Trainings, run: Run, device: str, writer: Writer, checkpoint: Checkpoint | None, paused: bool,
        group: Group | None, after: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(owner.jobs, run.id, run.name, f"training on {device}", paused=paused, group=group)
        self.run, self.device, self.writer = run, device, writer
        self._owner, self._resume = owner, checkpoint
        self.may_begin, self._after = threading.Event(), after
        self.started, self.pace, self.rhythm = False, Pace(), Rhythm()
        self.total_steps, self._facts = run.total_steps, run.facts
        self._before = 0.0  # epochs of the first stretch, once the second has begun
        self._reached = run.epoch

    def work(self) -> None:
        self.may_begin.wait(self._after)
        spec = self.run.resolved or self.run.spec  # a resumed run keeps what the rules once chose
        events = self._owner.train(spec, control=self, resume=self._resume)
        try:
            for event in events:
                self.consume(event)
        finally:
            getattr(events, "close", lambda: None)()
        if not self.writer.ended:
            raise RuntimeError("the training ended without a final event")

    def skipped(self) -> None:
        self.consume(Cancelled(self.writer.step))

    def consume(self, event: Event) -> None:
        """Store an event and keep its step and number of steps."""
        if self.interrupted:
            self.writer.cancelled_as = "interrupted"
        self.writer.write(event)
        kind = type(event).__name__
        if kind in ("Started", "Kept"):
            before = self._facts if kind == "Kept" else {}
            self._facts = {**before, **event.facts}  # type: ignore[union-attr]
            self.total_steps = self._facts.get("total_steps")
            self._before = float(self._facts.get("kept", {}).get("stopped", 0.0))
            self.started = True
        if self.started:
            self.pace.note(self.writer.step, self.writer.seconds)
        if kind in ("Step", "Snapshot"):
            self.rhythm.note(kind, self.writer.step, self.writer.seconds)

    def failed(self, error: BaseException) -> None:
        message = str(error)
        if isinstance(error, KernlabError) and not (self.started or self.run.facts):
            self._owner.refused[self.id] = error  # before the purge, so that a snapshot finds the run or this
            with suppress(StoreError):
                self.writer.fail(message)
                self._owner.store.purge(self.id)
            return
        if not isinstance(error, KernlabError):
            _log.error("run %s stopped with an unexpected error", self.id, exc_info=error)
            message = (
                f"Training stopped at step {self.writer.step} because of an error inside kernlab "
                f"({type(error).__name__}: {error}). What was stored is kept; the server's log has the details."
            )
        try:
            self.writer.fail(message)
        except StoreError as trouble:
            _log.error("the end of run %s could not be stored: %s", self.id, trouble)
            self._owner.not_stored[self.id] = message

    @property
    def progress(self) -> float:
        return self._reached if self.group.equal == "epochs" else self.writer.seconds

    def give_way(self, epoch: float) -> bool:
        self._reached = self._before + epoch
        if not self.group.over:
            return False
        self.writer.clock(False)
        try:
            return self.group.give_way(self.id, self.progress, lambda: self.cancelled or self.asked_to_pause)
        finally:
            self.writer.clock(True)

    def set_status(self, status: Status) -> None:
        if status != self.status:
            self.writer.status(status)  # type: ignore[arg-type]  # the only ones while it works
            self.status = status

    def state(self) -> RunState:
        own = self._alone()
        left = [each for job in self.queue.in_step(self) if (each := job._alone().remaining)]  # type: ignore[attr-defined]
        return own if own.remaining is None else replace(own, remaining=own.remaining + sum(left))

    def _alone(self) -> RunState:
        """The state, with the time that the run takes for itself."""
        commits = self.writer.commits  # first: whoever reads the store after it has all of these
        step, elapsed = self.writer.step, self.writer.seconds
        since = self.pace.since or (step, elapsed)
        due = 0.0 if self.writer.waiting else self.rhythm.due(since, elapsed)
        return _state(
            step,
            self.total_steps,
            since=since,
            elapsed=elapsed,
            epoch=epoch_at(self._facts, step),
            uses=self.device,
            due=None if due is None else max(due, self.writer.soonest),
            commits=commits,
            **self.facts,
        )


class Trainings(Kind[RunState]):
    """The trainings over one store.

    Args:
        store: where the runs are kept.
        train: the function that trains; default: the trainer.
        device_key: the device that a spec's ``device`` names; of the runs of one key one trains at a time.
        queue: default: a new one.

    Attributes:
        refused: why runs could not start, by their ids; they are not kept.
        not_stored: errors of runs whose end could not be written to the disk.
    """

    kind = "training"

    def __init__(
        self,
        store: Store,
        train: Train | None = None,
        device_key: Callable[[str], str] | None = None,
        queue: Queue | None = None,
    ) -> None:
        super().__init__(queue)
        self.store, self.train = store, train or _train
        self._device_key = device_key or _device_key
        self.refused: dict[str, KernlabError] = {}
        self.not_stored: dict[str, str] = {}

    def group(self, beside: Iterable[str] = (), equal: Equal = "epochs") -> Group:
        """The group for runs that train in step.

        Args:
            beside: the group is that of the first of these runs that this process works on; otherwise a new one.
            equal: what is equal among its runs from now on.
        """
        found = next((job.group for each in beside if (job := self.jobs.get(each))), None) or self.jobs.group()
        found.equal = equal
        return found

    def submit(
        self,
        spec: Any,
        *,
        paused: bool = False,
        name: str | None = None,
        group: Group | None = None,
        after: float = 0.0,
    ) -> str:
        """Start a run as soon as its device is free; returns its id at once.

        Args:
            spec: a RunSpec, or the dictionary of one.
            paused: set it up, then pause before the first mini-batch.
            name: what the user calls it.
            group: the run trains in step with the others of this :meth:`group`.
            after: seconds at most by which it begins later: as soon as :meth:`begin` is called. What shows its
                beginning would otherwise share the time of this process with it.

        Raises:
            DeviceError: this machine lacks the device.
            StoreError: the run cannot be stored.
        """
        wanted: dict[str, Any] = dict(spec) if isinstance(spec, Mapping) else spec.to_dict()
        device = self._device_key(str(wanted.get("device", "auto")))
        run_id = self.store.create(wanted, name)
        self._start(self.store.get(run_id), device, None, paused, group, after)
        return run_id

    def begin(self, run_id: str) -> None:
        """Let a run that was started to begin ``after`` a while begin now; of every other nothing changes."""
        if isinstance(job := self.jobs.get(run_id), _Training):
            job.may_begin.set()

    def resume_run(self, run_id: str, *, paused: bool = False, group: Group | None = None) -> None:
        """Let a stopped, interrupted or failed run go on from its checkpoint (else from its start), or a paused one.

        Args:
            group: as of :meth:`submit`; a run that is under way keeps its own.

        Raises:
            UnknownNameError: no such run.
            StoreError: it has finished, or another process works on it.
        """
        if self._goes_on(run_id, paused):
            return
        run, checkpoint = self.store.get(run_id), self.store.checkpoint(run_id)
        if run.status in STORED_LIVE:
            self._refuse(run.name)
        self._start(run, self._device_key(str(run.spec.get("device", "auto"))), checkpoint, paused, group)

    def _start(
        self, run: Run, device: str, checkpoint: Checkpoint | None, paused: bool, group: Group | None,
        after: float = 0.0,
    ) -> None:  # fmt: skip
        self.jobs.start(_Training(self, run, device, self.store.writer(run.id), checkpoint, paused, group, after))

    def step(self, run_id: str, unit: Literal["batch", "epoch"] = "batch") -> None:
        """Do one mini-batch, or go on to the end of the epoch, then pause."""
        self._job(run_id).step(unit)

    def change(self, run_id: str, **values: float) -> None:
        """Give options of a run under way other values from its next step on; the run keeps that as a part of its spec.

        Args:
            run_id: the run.
            values: by the names of :func:`kernlab.methods.changes.may_change`.

        Raises:
            KernlabError: the method has no such option, the value makes no sense, or nobody here works on the run.
        """
        from kernlab.spec import RunSpec

        job, run = self._job(run_id), self.store.get(run_id)
        spec = RunSpec.from_dict(run.resolved or run.spec)
        for option, value in values.items():
            spec.with_change(0, option, value)
        job.change(values)

    def checkpoint(self, run_id: str) -> None:
        """Ask for a checkpoint after the mini-batch under way."""
        self._job(run_id).request_checkpoint()

    def snapshot(self, id: str) -> RunState:
        """How far the run is, whichever process works or worked on it.

        Raises:
            UnknownNameError: no such run.
            KernlabError: why this run could not start (bad data, no such device); it was not kept.
        """
        if id in self.refused:
            raise self.refused[id]
        job = self.jobs.get(id)
        try:
            if isinstance(job, _Training) and not job.writer.ended:
                return job.state()
            return self._stored(self.store.get(id))
        except UnknownNameError as gone:  # perhaps refused since this call began
            raise self.refused.get(id, gone) from None

    def progress(self, run_id: str, after: int = 0) -> tuple[Metrics, Snapshots]:
        """As :meth:`Store.progress`, without the database where this process works on the run."""
        job = self.jobs.get(run_id)
        recent = job.writer.recent if isinstance(job, _Training) and not job.writer.ended else None
        return (recent and recent.since(after)) or self.store.progress(run_id, after)

    def _stored(self, run: Run) -> RunState:
        error = str(run.trouble or run.error or self.not_stored.get(run.id, ""))
        return _state(
            run.step, run.total_steps, since=(0, 0.0), elapsed=run.seconds, epoch=run.epoch, uses=run.device,
            id=run.id, kind=self.kind, name=run.name, status=run.status, error=error,
        )  # fmt: skip

    def elsewhere(self) -> list[RunState]:
        states = []
        for run in reversed(self.store.list(status=STORED_LIVE)):
            with suppress(KernlabError):  # refused or purged since it was listed
                if not self.jobs.get(run.id):
                    states.append(self.snapshot(run.id))
        return states

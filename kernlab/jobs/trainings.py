"""Trainings in the background: one at a time on each device; whoever has a run's id can watch it and steer it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from kernlab.errors import KernlabError, StoreError, UnknownNameError
from kernlab.jobs.queue import LIVE, Job, JobState, Kind, Queue, Status
from kernlab.runs.record import LIVE as STORED_LIVE
from kernlab.runs.record import Run
from kernlab.runs.store import Store
from kernlab.runs.writer import Writer
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Event

__all__ = ["Train", "TrainingState", "Trainings"]

_log = logging.getLogger(__name__)


class Train(Protocol):
    """What a job runs: a spec as JSON in, events out."""

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
class TrainingState(JobState):
    """How far a run is.

    Attributes:
        step, total_steps: steps done, and steps of the whole run (None before it has started).
        epoch: passes over the training part.
    """

    step: int
    total_steps: int | None
    epoch: float


def _state(step: int, total: int | None, *, since: tuple[int, float], elapsed: float, **facts: Any) -> TrainingState:
    """Args:
    since: step and clock when this process began; what is left is estimated from the pace since then.
    """
    steps, seconds = step - since[0], elapsed - since[1]
    remaining = (total - step) * seconds / steps if total is not None and steps > 0 else None
    remaining = remaining if facts["status"] in LIVE else None
    done = step / total if total else None
    return TrainingState(step=step, total_steps=total, elapsed=elapsed, remaining=remaining, done=done, **facts)


class _Training(Job):
    kind = "training"

    def __init__(
        self, owner: Trainings, run: Run, device: str, writer: Writer, checkpoint: Checkpoint | None, paused: bool
    ) -> None:
        super().__init__(owner.jobs, run.id, run.name, f"training on {device}", paused=paused)
        self.run, self.device, self.writer = run, device, writer
        self._owner, self._resume = owner, checkpoint
        self.started: tuple[int, float] | None = None  # step and clock when training began here
        self.total_steps, self.epoch = run.total_steps, run.epoch

    def work(self) -> None:
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
        """Store an event and remember how far it says the run is."""
        if self.interrupted:
            self.writer.cancelled_as = "interrupted"
        self.writer.write(event)
        kind = type(event).__name__
        if kind == "Started":
            self.total_steps = event.facts.get("total_steps")  # type: ignore[union-attr]
            self.started = self.writer.step, self.writer.seconds
        if kind == "Kept":
            self.total_steps = event.facts["total_steps"]  # type: ignore[union-attr]
        self.epoch = float(getattr(event, "epoch", self.epoch))

    def failed(self, error: BaseException) -> None:
        message = str(error)
        if isinstance(error, KernlabError) and not (self.started or self.run.facts):
            self._owner.refused[self.id] = error  # first: whoever asks must not meet a run that is half gone
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

    def say(self, status: Status) -> None:
        if status != self.status:
            self.writer.status(status)  # type: ignore[arg-type]  # no other is ever said while it works
            self.status = status

    def state(self) -> TrainingState:
        step, elapsed = self.writer.step, self.writer.seconds
        since = self.started or (step, elapsed)
        return _state(
            step, self.total_steps, since=since, elapsed=elapsed, epoch=self.epoch, uses=self.device, **self.facts
        )


class Trainings(Kind):
    """The trainings over one store.

    Args:
        store: where the runs are kept.
        train: what a job runs; default: the trainer.
        device_key: which device a spec's ``device`` means; runs of one key never run at once.
        queue: default: one of its own.

    Attributes:
        refused: why runs never started; nothing of them is kept.
        not_stored: last sentences of runs whose end the disk would not take.
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

    def submit(self, spec: Any, *, paused: bool = False, name: str | None = None) -> str:
        """Start a run as soon as its device is free; returns its id at once.

        Args:
            spec: a RunSpec, or the dictionary of one.
            paused: set it up, then pause before the first mini-batch.
            name: what the user calls it.

        Raises:
            DeviceError: this machine lacks the device.
            StoreError: the run cannot be stored.
        """
        asked: dict[str, Any] = dict(spec) if isinstance(spec, Mapping) else spec.to_dict()
        device = self._device_key(str(asked.get("device", "auto")))
        run_id = self.store.create(asked, name)
        self._start(self.store.get(run_id), device, None, paused)
        return run_id

    def resume_run(self, run_id: str, *, paused: bool = False) -> None:
        """Let a stopped, interrupted or failed run go on from its checkpoint (from the start where it left none).

        Raises:
            UnknownNameError: no such run.
            StoreError: it has finished, or somebody works on it.
        """
        run, checkpoint = self.store.get(run_id), self.store.checkpoint(run_id)
        self._start(run, self._device_key(str(run.spec.get("device", "auto"))), checkpoint, paused)

    def _start(self, run: Run, device: str, checkpoint: Checkpoint | None, paused: bool) -> None:
        self.jobs.start(_Training(self, run, device, self.store.writer(run.id), checkpoint, paused))

    def step(self, run_id: str, unit: Literal["batch", "epoch"] = "batch") -> None:
        """Do one mini-batch, or go on to the end of the epoch, then pause."""
        self._job(run_id).step(unit)

    def checkpoint(self, run_id: str) -> None:
        """Ask for a checkpoint after the mini-batch under way."""
        self._job(run_id).request_checkpoint()

    def snapshot(self, id: str) -> TrainingState:
        """How far the run is, whoever works or worked on it.

        Raises:
            UnknownNameError: no such run.
            KernlabError: why this run could not start (bad data, no such device); nothing of it was kept.
        """
        if id in self.refused:
            raise self.refused[id]
        job = self.jobs.get(id)
        try:
            if isinstance(job, _Training) and not job.writer.ended:
                return job.state()
            return self._stored(self.store.get(id))
        except UnknownNameError as gone:  # perhaps refused since it was asked for
            raise self.refused.get(id, gone) from None

    def _stored(self, run: Run) -> TrainingState:
        error = str(run.trouble or run.error or self.not_stored.get(run.id, ""))
        facts: dict[str, Any] = {
            "id": run.id,
            "kind": self.kind,
            "name": run.name,
            "status": run.status,
            "error": error,
        }
        facts |= {"uses": run.device, "epoch": run.epoch}
        return _state(run.step, run.total_steps, since=(0, 0.0), elapsed=run.seconds, **facts)

    def elsewhere(self) -> list[JobState]:
        states: list[JobState] = []
        for run in reversed(self.store.list(status=STORED_LIVE)):
            with suppress(KernlabError):  # refused or purged since it was listed
                states.append(self.snapshot(run.id))
        return states

    def wait(self, id: str, timeout: float | None = None) -> TrainingState:
        """The run's state once it has ended, or after ``timeout`` seconds.

        Raises:
            KernlabError: as :meth:`snapshot`.
        """
        state = super().wait(id, timeout)
        assert isinstance(state, TrainingState)
        return state

"""Background training: one thread a run, one running training a device, the others in a visible queue.

    submit → queued → running ⇄ paused → finished | failed | stopped

A paused run gives its device to the next in the queue and joins the end of the queue when it goes on.
Nothing here knows pages or sessions: whoever has a run's id can look at it and steer it.
"""

from __future__ import annotations

import atexit
import logging
import sys
import threading
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from kernlab import paths
from kernlab.errors import KernlabError, StoreError, UnknownNameError
from kernlab.runs.record import LIVE, Run, Status
from kernlab.runs.store import Store
from kernlab.runs.writer import Writer
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Event

__all__ = ["JobManager", "JobState", "Train", "manager"]

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


@dataclass(frozen=True)
class JobState:
    """How far a run is.

    Attributes:
        run_id: the run.
        name: what the user calls it.
        status: as in :class:`kernlab.runs.layout.Run`.
        position: how many runs its device must serve before it; 0 while it runs, None when it has
            ended, is paused, or belongs to another process.
        step, total_steps: steps done, and steps of the whole run (None before it has started).
        epoch: passes over the training part.
        elapsed: seconds of training so far, without pauses and queues.
        remaining: estimated seconds to the end, None when there is nothing to estimate from.
        error: the sentence a failed run ended with.
        mine: this manager works on it, so it can be steered here.
    """

    run_id: str
    name: str
    status: Status
    position: int | None
    step: int
    total_steps: int | None
    epoch: float
    elapsed: float
    remaining: float | None
    error: str
    mine: bool


class _Turns:
    """Who may use which device: the first in its line does, the others wait in order of coming."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._lines: dict[str, list[str]] = defaultdict(list)

    def take(self, device: str, run_id: str, given_up: Callable[[], bool]) -> bool:
        """Wait in line for the device; False when ``given_up`` first (then out of the line)."""
        with self.changed:
            line = self._lines[device]
            if run_id not in line:
                line.append(run_id)
            self.changed.wait_for(lambda: line[0] == run_id or given_up())
            if given_up():
                line.remove(run_id)
                self.changed.notify_all()
                return False
            return True

    def leave(self, device: str, run_id: str) -> None:
        with self.changed, suppress(ValueError):
            self._lines[device].remove(run_id)
            self.changed.notify_all()

    def position(self, device: str, run_id: str) -> int | None:
        with self.changed:
            line = self._lines[device]
            return line.index(run_id) if run_id in line else None

    def notify(self) -> None:
        with self.changed:
            self.changed.notify_all()


class _Job(Control):
    """One run under way. It is the trainer's Control, so that holding still can hand the device on."""

    def __init__(self, run: Run, device: str, writer: Writer, turns: _Turns, paused: bool) -> None:
        super().__init__(paused=paused)
        self.run, self.device, self.writer, self._turns = run, device, writer, turns
        self.status: Status = "queued"
        self._off = False  # gave its device away and has not got it back
        self.started: tuple[int, float] | None = None  # step and clock when training began here
        self.total_steps, self.epoch = run.total_steps, run.epoch
        self.thread: threading.Thread | None = None

    # Whoever waits in line must notice these too.

    def pause(self) -> None:
        super().pause()
        self._turns.notify()

    def step(self, unit: Literal["batch", "epoch"] = "batch") -> None:
        super().step(unit)
        self._turns.notify()

    def cancel(self) -> None:
        super().cancel()
        self._turns.notify()

    # The trainer's thread.

    def begin(self) -> bool:
        """Wait for the first turn; a run asked for in pause takes one too, to set itself up."""
        if not self._turns.take(self.device, self.run.id, lambda: self.cancelled):
            return False
        self._say("running")
        return True

    @property
    def asked_to_hold(self) -> bool:
        return super().paused

    @property
    def paused(self) -> bool:
        """Held still: asked to, or still without the device since then."""
        return self.asked_to_hold or (self._off and not self.cancelled)

    def wait(self) -> None:
        """Hold still while asked to, off the device; then wait for the next turn on it.

        A cancel and a checkpoint need no turn: neither trains.
        """
        while self.paused and not self.cancelled:
            if self.asked_to_hold:
                self._off = True
                self._turns.leave(self.device, self.run.id)
                self._say("paused")
                super().wait()
                if self.asked_to_hold and self._checkpoint:
                    return
            else:
                self._say("queued")
                if self._turns.take(self.device, self.run.id, lambda: self.cancelled or self.asked_to_hold):
                    self._off = False
                    self._say("running")

    def consume(self, event: Event) -> None:
        """Store an event and remember how far it says the run is."""
        self.writer.write(event)
        kind = type(event).__name__
        if kind == "Started":
            self.total_steps = event.facts.get("total_steps")  # type: ignore[union-attr]
            self.started = self.writer.step, self.writer.seconds
        if kind == "Kept":
            self.total_steps = event.facts["total_steps"]  # type: ignore[union-attr]
        self.epoch = float(getattr(event, "epoch", self.epoch))

    def _say(self, status: Status) -> None:
        if status != self.status:
            self.writer.status(status)
            self.status = status

    # Anybody's thread.

    def state(self) -> JobState:
        step, elapsed = self.writer.step, self.writer.seconds
        position = self._turns.position(self.device, self.run.id)
        first, since = self.started or (step, elapsed)
        remaining = _remaining(step, self.total_steps, step - first, elapsed - since)
        place = (self.run.id, self.run.name, self.status, position)
        return JobState(*place, step, self.total_steps, self.epoch, elapsed, remaining, "", True)


def _remaining(step: int, total: int | None, done: int, seconds: float) -> float | None:
    return (total - step) * seconds / done if total is not None and done > 0 else None


class JobManager:
    """The trainings of one process over one store.

    Args:
        store: where the runs are kept.
        train: what a job runs; default: the trainer.
        device_key: which device a spec's ``device`` means; runs of one key never run at once.
    """

    def __init__(
        self, store: Store, train: Train | None = None, device_key: Callable[[str], str] | None = None
    ) -> None:
        self.store = store
        self._train, self._device_key = train or _train, device_key or _device_key
        self._turns = _Turns()
        self._jobs: dict[str, _Job] = {}
        self._untold: dict[str, str] = {}  # last words of runs whose end the disk would not take
        self._refused: dict[str, KernlabError] = {}  # why runs never started; nothing of them is kept
        self._lock = threading.Lock()

    # -- starting

    def submit(self, spec: Any, *, paused: bool = False, name: str | None = None) -> str:
        """Start a run as soon as its device is free; returns its id at once.

        Args:
            spec: a RunSpec, or the dictionary of one.
            paused: set it up, then hold still before the first mini-batch.
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
        job = _Job(run, device, self.store.writer(run.id), self._turns, paused)
        job.thread = threading.Thread(target=self._work, args=(job, checkpoint), name=f"run-{run.id}", daemon=True)
        with self._lock:
            self._jobs[run.id] = job
        job.thread.start()

    def _work(self, job: _Job, checkpoint: Checkpoint | None) -> None:
        try:
            if job.begin():
                spec = job.run.resolved or job.run.spec  # a resumed run keeps what the rules once chose
                events = self._train(spec, control=job, resume=checkpoint)
                try:
                    for event in events:
                        job.consume(event)
                finally:
                    getattr(events, "close", lambda: None)()
                if not job.writer.ended:
                    raise RuntimeError("the training ended without a final event")
            else:
                job.consume(Cancelled(job.writer.step))
        except BaseException as error:  # a thread has nobody to raise it to, and the run must not look alive
            self._fail(job, error)
        finally:
            self._turns.leave(job.device, job.run.id)
            with self._lock:
                del self._jobs[job.run.id]

    def _fail(self, job: _Job, error: BaseException) -> None:
        message = str(error)
        if isinstance(error, KernlabError) and not (job.started or job.run.facts):
            self._refused[job.run.id] = error  # first: whoever asks must not meet a run that is half gone
            with suppress(StoreError):
                job.writer.fail(message)
                self.store.purge(job.run.id)
            return
        if not isinstance(error, KernlabError):
            _log.error("run %s stopped with an unexpected error", job.run.id, exc_info=error)
            message = (
                f"Training stopped at step {job.writer.step} because of an error inside kernlab "
                f"({type(error).__name__}: {error}). What was stored is kept; the server's log has the details."
            )
        try:
            job.writer.fail(message)
        except StoreError as trouble:
            _log.error("the end of run %s could not be stored: %s", job.run.id, trouble)
            self._untold[job.run.id] = message

    # -- steering

    def pause(self, run_id: str) -> None:
        """Hold still after the mini-batch under way and let the next run have the device."""
        self._job(run_id).pause()

    def resume(self, run_id: str) -> None:
        """Go on freely, at the end of the device's queue."""
        self._job(run_id).resume()

    def step(self, run_id: str, unit: Literal["batch", "epoch"] = "batch") -> None:
        """Do one mini-batch, or go on to the end of the epoch, then hold still."""
        self._job(run_id).step(unit)

    def cancel(self, run_id: str) -> None:
        """Stop after the mini-batch under way; the run keeps what it has and can be resumed."""
        self._job(run_id).cancel()

    def checkpoint(self, run_id: str) -> None:
        """Ask for a checkpoint after the mini-batch under way."""
        self._job(run_id).request_checkpoint()

    def _job(self, run_id: str) -> _Job:
        with self._lock:
            job = self._jobs.get(run_id)
        if job is None:
            run = self.store.get(run_id)
            if run.live:
                fix = "another process works on it: steer it there"
            else:
                fix = "resume it" if run.resumable else "start it anew with the same options"
            raise StoreError("a run must be under way to be steered", f"{run.name} is {run.status}", fix)
        return job

    # -- looking

    def snapshot(self, run_id: str) -> JobState:
        """How far the run is, whoever works or worked on it.

        Raises:
            UnknownNameError: no such run.
            KernlabError: why this run could not start (bad data, no such device); nothing of it was kept.
        """
        if run_id in self._refused:
            raise self._refused[run_id]
        with self._lock:
            job = self._jobs.get(run_id)
        try:
            return job.state() if job and not job.writer.ended else self._stored(self.store.get(run_id))
        except UnknownNameError as gone:  # perhaps refused while it was looked at
            raise self._refused.get(run_id, gone) from None

    def _stored(self, run: Run) -> JobState:
        remaining = _remaining(run.step, run.total_steps, run.step, run.seconds) if run.live else None
        error = str(run.trouble or run.error or self._untold.get(run.id, ""))
        numbers = (run.step, run.total_steps, run.epoch, run.seconds, remaining)
        return JobState(run.id, run.name, run.status, None, *numbers, error, False)

    def queue(self) -> list[JobState]:
        """Every run under way, of this process and of others: running, then queued in order, then paused."""
        order = {"running": 0, "queued": 1, "paused": 2}
        states = []
        for run in reversed(self.store.list(status=LIVE)):
            with suppress(KernlabError):  # refused or purged since it was listed
                states.append(self.snapshot(run.id))
        live = [state for state in states if state.status in order]
        return sorted(live, key=lambda state: (order[state.status], state.position or 0))

    def wait(self, run_id: str, timeout: float | None = None) -> JobState:
        """The run's state once it has ended, or after ``timeout`` seconds.

        Raises:
            KernlabError: as :meth:`snapshot`.
        """
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        with self._lock:
            job = self._jobs.get(run_id)
        if job and job.thread:
            job.thread.join(timeout)
        while (state := self.snapshot(run_id)).status in LIVE and time.monotonic() < deadline:
            time.sleep(0.05)  # another process works on it
        return state

    # -- the end

    def shutdown(self, timeout: float = 5.0) -> None:
        """Ask every run to write a checkpoint and stop, and wait for that; they are left as interrupted."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.writer.cancelled_as = "interrupted"  # nobody asked for it
            job.cancel()
        deadline = time.monotonic() + timeout
        for job in jobs:
            if job.thread:
                job.thread.join(max(0.0, deadline - time.monotonic()))


def manager(root: Path | None = None) -> JobManager:
    """The one manager of this process for the store in ``root`` (default: :func:`kernlab.paths.home`)."""
    # Kept outside this module, which a hot reload of the app may throw away while its threads go on.
    shelf = sys.modules.setdefault("_kernlab_managers", types.ModuleType("_kernlab_managers"))
    lock: threading.Lock = shelf.__dict__.setdefault("lock", threading.Lock())
    managers: dict[Path, JobManager] = shelf.__dict__.setdefault("managers", {})
    key = Path(root if root is not None else paths.home()).resolve()
    with lock:
        if key not in managers:
            managers[key] = JobManager(Store(key))
            atexit.register(managers[key].shutdown)
        return managers[key]

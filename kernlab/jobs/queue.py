"""The background queue: one thread a job, which waits for its turn, works, and may give its turn to another.

    queued → running ⇄ paused → finished | failed | stopped (asked for) | interrupted (the process ended)
                └ stopping: what is under way is finished first

Jobs of one line work one after the other, in the order in which they came: the trainings on one device, the
comparisons, the reproductions. Jobs of different lines work side by side: :data:`RULE`.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

from kernlab.errors import KernlabError, StoreError
from kernlab.files import Claim
from kernlab.training.control import Control

__all__ = ["LIVE", "RULE", "Claimed", "Job", "JobState", "Kind", "Queue", "Status"]

Status: TypeAlias = Literal[
    "", "queued", "running", "paused", "stopping", "finished", "failed", "stopped", "interrupted", "damaged"
]
LIVE: tuple[Status, ...] = ("running", "stopping", "queued", "paused")

RULE = (
    "One training on each device, one comparison and one reproduction work at a time, the others wait. A comparison "
    "computes on every core and leaves one core to each other job that works."
)


@dataclass(frozen=True, kw_only=True)
class JobState:
    """How far a job is, whichever process works on it.

    Attributes:
        id: of the run, the comparison or the reproduction.
        kind: "training", "comparison" or "reproduction".
        name: what the user calls it.
        status: see above; "" where it was never begun.
        position: how many jobs of its line come before it; 0 while it works, None when it has ended, is paused, or
            belongs to another process.
        done: the share of its work that is done, None where that is not known.
        elapsed: seconds of work so far, without pauses and queues.
        remaining: estimated seconds to the end, None when there is nothing to estimate from.
        uses: the device or the cores that it computes on.
        error: the sentence that a failed one ended with.
        beside: the other jobs of this process that are computing now.
        mine: this process works on it, so it can be steered here.
        pausable: it can be paused.
    """

    id: str
    kind: str
    name: str
    status: Status
    position: int | None = None
    done: float | None = None
    elapsed: float = 0.0
    remaining: float | None = None
    uses: str = ""
    error: str = ""
    beside: tuple[str, ...] = ()
    mine: bool = False
    pausable: bool = True

    @property
    def live(self) -> bool:
        """Somebody works, or waits to work, on it."""
        return self.status in LIVE


class Turns:
    """Who may work in which line: the first one does, the others wait in the order in which they came."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._lines: dict[str, list[str]] = defaultdict(list)

    def take(self, line: str, id: str, given_up: Callable[[], bool]) -> bool:
        """Wait for the turn; False when ``given_up`` comes first (then the job has left the line)."""
        with self.changed:
            waiting = self._lines[line]
            if id not in waiting:
                waiting.append(id)
            self.changed.wait_for(lambda: waiting[0] == id or given_up())
            if given_up():
                waiting.remove(id)
                self.changed.notify_all()
                return False
            return True

    def leave(self, line: str, id: str) -> None:
        with self.changed, suppress(ValueError):
            self._lines[line].remove(id)
            self.changed.notify_all()

    def position(self, line: str, id: str) -> int | None:
        with self.changed:
            waiting = self._lines[line]
            return waiting.index(id) if id in waiting else None

    def notify(self) -> None:
        with self.changed:
            self.changed.notify_all()


class Job(Control):
    """One job under way. It is the :class:`Control` of its work, so that a pause can hand its turn to the next job.

    A kind of job overrides :meth:`work`, :meth:`failed`, :meth:`ended` and :meth:`state`.
    """

    kind: ClassVar[str]

    def __init__(self, queue: Queue, id: str, name: str, line: str, *, paused: bool = False) -> None:
        super().__init__(paused=paused)
        self.queue, self.id, self.name, self.line = queue, id, name, line
        self.status: Status = "queued"
        self.error = ""
        self.interrupted = False  # the process ends; nobody asked this job to stop
        self._turn_given_away = False
        self._seconds, self._since = 0.0, 0.0  # 0: the clock stands
        self.thread = threading.Thread(target=self._run, name=f"{self.kind}-{id}", daemon=True)

    # What a kind of job says of itself.

    def work(self) -> None:
        """Do all of it; runs in the job's thread, in its turn."""
        raise NotImplementedError

    def skipped(self) -> None:
        """It was stopped before its first turn."""

    def failed(self, error: BaseException) -> None:
        """Keep the reason; a thread has nobody to raise it to."""
        raise NotImplementedError

    def ended(self) -> None:
        """Let go of what it holds."""

    def state(self) -> JobState:
        """How far it is."""
        raise NotImplementedError

    # Whoever waits in line must notice these too.

    def pause(self) -> None:
        super().pause()
        self.queue.turns.notify()

    def step(self, unit: Literal["batch", "epoch"] = "batch") -> None:
        super().step(unit)
        self.queue.turns.notify()

    def cancel(self) -> None:
        super().cancel()
        self.queue.turns.notify()

    # The job's own thread.

    def _run(self) -> None:
        try:
            if self.queue.turns.take(self.line, self.id, lambda: self.cancelled):
                self.say("running")  # a job submitted in pause takes a turn too, to set itself up
                self.work()
            else:
                self.skipped()
        except BaseException as error:
            self.failed(error)
        finally:
            self.queue.turns.leave(self.line, self.id)
            self.ended()
            self.queue.forget(self.id)

    @property
    def asked_to_pause(self) -> bool:
        return super().paused

    @property
    def paused(self) -> bool:
        """It must not work: a pause was asked for, or its turn was given away since and has not come again."""
        return self.asked_to_pause or (self._turn_given_away and not self.cancelled)

    def wait(self) -> None:
        """Rest while a pause is asked for, without the turn; then wait for the next turn.

        A cancel and a checkpoint need no turn: neither computes.
        """
        while self.paused and not self.cancelled:
            if self.asked_to_pause:
                self._turn_given_away = True
                self.queue.turns.leave(self.line, self.id)
                self.say("paused")
                super().wait()
                if self.asked_to_pause and self._checkpoint:
                    return
            else:
                self.say("queued")
                if self.queue.turns.take(self.line, self.id, lambda: self.cancelled or self.asked_to_pause):
                    self._turn_given_away = False
                    self.say("running")

    def say(self, status: Status) -> None:
        """The status from now on; the clock goes only while the job is running."""
        self._seconds, self._since = self.elapsed, time.monotonic() if status == "running" else 0.0
        self.status = status

    # Any thread.

    @property
    def elapsed(self) -> float:
        """Seconds of work so far."""
        return self._seconds + (time.monotonic() - self._since if self._since else 0.0)

    @property
    def shown(self) -> Status:
        """The status as others see it: a running job that was asked to stop or to pause first ends what it is at."""
        ending = self.cancelled or (self.asked_to_pause and self.kind == "comparison")
        return "stopping" if self.status == "running" and ending else self.status

    @property
    def facts(self) -> dict[str, Any]:
        """What every state says alike."""
        place: dict[str, Any] = {"id": self.id, "kind": self.kind, "name": self.name, "status": self.shown}
        place |= {"position": self.queue.turns.position(self.line, self.id), "mine": True, "error": self.error}
        return {**place, "beside": tuple(f"the {job.kind} {job.name}" for job in self.queue.beside(self))}


class Claimed(Job):
    """A job that claims what it works on, so that no other process does, and whose end is remembered by its kind.

    Args:
        owner: what remembers it, in ``last``.
        claim: released when the job has ended; of an interrupted one a mark stays.
    """

    def __init__(self, owner: Kind, claim: Claim, id: str, name: str, line: str) -> None:
        super().__init__(owner.jobs, id, name, line)
        self._last, self._claim = owner.last, claim

    def skipped(self) -> None:
        self.say("interrupted" if self.interrupted else "stopped")

    def ended(self) -> None:
        self._last[self.id] = replace(self.state(), position=None, mine=False)
        self._claim.release(interrupted=self.status == "interrupted")


class Queue:
    """The jobs that one process works on."""

    def __init__(self) -> None:
        self.turns = Turns()
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, job: Job) -> None:
        """Let a job wait for its turn and work."""
        with self._lock:
            self._jobs[job.id] = job
        job.thread.start()

    def forget(self, id: str) -> None:
        with self._lock:
            self._jobs.pop(id, None)

    def get(self, id: str) -> Job | None:
        """The job of that id; None where it does not belong to this process, or has ended."""
        with self._lock:
            return self._jobs.get(id)

    def jobs(self, kind: str = "") -> list[Job]:
        """All of them, or those of one kind."""
        with self._lock:
            return [job for job in self._jobs.values() if not kind or job.kind == kind]

    def beside(self, job: Job) -> list[Job]:
        """The other jobs that are computing now."""
        return [other for other in self.jobs() if other is not job and other.status == "running"]

    def shutdown(self, kind: str = "", timeout: float = 5.0) -> None:
        """Ask every job to keep what it has and end, and wait for that; each is left as interrupted."""
        jobs = self.jobs(kind)
        for job in jobs:
            job.interrupted = True
            job.cancel()
        deadline = time.monotonic() + timeout
        for job in jobs:
            job.thread.join(max(0.0, deadline - time.monotonic()))


class Kind:
    """What can be done with the jobs of one kind, whichever process works on them.

    Args:
        queue: of this process; default: one of its own.

    Attributes:
        last: how the claimed ones ended that this process has worked on.
    """

    kind: ClassVar[str]

    def __init__(self, queue: Queue | None = None) -> None:
        self.jobs = queue or Queue()
        self.last: dict[str, Any] = {}

    def snapshot(self, id: str) -> JobState:
        """How far the job is, whoever works or worked on it."""
        raise NotImplementedError

    def elsewhere(self) -> list[JobState]:
        """Those that other processes work on."""
        raise NotImplementedError

    def queue(self) -> list[JobState]:
        """Every job under way, of this process and of others: running, then queued in order, then paused."""
        states = [job.state() for job in self.jobs.jobs(self.kind)]
        known = {state.id for state in states}
        states += [state for state in self.elsewhere() if state.id not in known]
        return sorted((s for s in states if s.live), key=lambda s: (LIVE.index(s.status), s.position or 0))

    def pause(self, id: str) -> None:
        """Rest after what is under way, and let the next job of its line work."""
        self._job(id).pause()

    def resume(self, id: str) -> None:
        """Go on, at the end of its line."""
        self._job(id).resume()

    def cancel(self, id: str) -> None:
        """Stop after what is under way; what is finished is kept, and the job can be resumed."""
        self._job(id).cancel()

    def wait(self, id: str, timeout: float | None = None) -> JobState:
        """The job's state once it has ended, or after ``timeout`` seconds."""
        deadline = time.monotonic() + (float("inf") if timeout is None else timeout)
        if job := self.jobs.get(id):
            job.thread.join(timeout)
        while (state := self.snapshot(id)).live and time.monotonic() < deadline:
            time.sleep(0.05)  # another process works on it
        return state

    def shutdown(self, timeout: float = 5.0) -> None:
        """As :meth:`Queue.shutdown`, for the jobs of this kind."""
        self.jobs.shutdown(self.kind, timeout)

    def _job(self, id: str) -> Any:
        job = self.jobs.get(id)
        if job is None or job.kind != self.kind:
            state = self.snapshot(id)
            if state.live:
                fix = "another process works on it: steer it there"
            else:
                fix = "start it anew with the same options" if state.status == "finished" else "resume it"
            raise StoreError(f"a {self.kind} must be under way to be steered", f"{state.name} is {state.status}", fix)
        return job


def sentence(error: BaseException) -> str:
    """What ended a job, for its reader."""
    return str(error) if isinstance(error, KernlabError) else f"{type(error).__name__}: {error}"


def elsewhere(kind: str, name: str) -> StoreError:
    """The refusal to begin what another process works on."""
    fix = "watch it here and steer it there, or wait for its end"
    return StoreError(f"a {kind} must not be begun while another process works on it", name, fix)

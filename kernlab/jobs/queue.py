"""The background queue: one thread for each job, which waits for its turn, works, and may give its turn to another.

    queued → running ⇄ paused → finished | failed | stopped (by a user) | interrupted (the process ended)
          └ pausing, stopping: the computation under way is finished first

Jobs of one line work one after the other, in the order of their start: the trainings on one device, the comparisons,
the reproductions. Jobs of different lines work side by side: :data:`RULE`. Jobs of one group have one place in their
line and work in step (:mod:`kernlab.jobs.groups`). Each job is claimed by one process; a second process can watch it,
but can neither steer it nor begin it again before it has ended.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Literal, NoReturn, TypeAlias, TypeVar

from kernlab.errors import DeviceError, KernlabError, StoreError
from kernlab.files import Claim
from kernlab.jobs.groups import Group
from kernlab.training.control import Control

__all__ = ["LIVE", "RULE", "Claimed", "Job", "JobState", "Kind", "Queue", "Status", "under_way"]

Status: TypeAlias = Literal[
    "", "queued", "running", "pausing", "paused", "stopping", "finished", "failed", "stopped", "interrupted", "damaged"
]
LIVE: tuple[Status, ...] = ("running", "pausing", "stopping", "queued", "paused")

RULE = (
    "One training on each device, one comparison and one reproduction work at a time, the others wait. A comparison "
    "computes on every core and leaves one core to each other job that works."
)

S = TypeVar("S", bound="JobState")


@dataclass(frozen=True, kw_only=True)
class JobState:
    """How far a job is, whichever process works on it.

    Attributes:
        id: of the run, the comparison or the reproduction.
        kind: "training", "comparison" or "reproduction".
        name: what the user calls it.
        status: see above; "" if it was never begun.
        position: how many jobs of its line come before it; 0 while it works, None if it has ended, is paused, or
            belongs to another process.
        done: the finished share of its work, None if that is unknown.
        elapsed: seconds of work so far, without pauses and queues.
        remaining: estimated seconds to the end, None if nothing allows an estimate.
        uses: the device or the cores that it computes on.
        error: the sentence with which it failed.
        beside: the other jobs of this process that are computing now.
        in_step: the names of the other jobs of its group.
        mine: this process works on it, so this process can pause, resume and stop it.
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
    in_step: tuple[str, ...] = ()
    mine: bool = False
    pausable: bool = True

    @property
    def live(self) -> bool:
        """A process works on it or waits to do so."""
        return self.status in LIVE


class Job(Control):
    """One job under way. It is the :class:`Control` of its work, so that a pause can hand its turn to the next job.

    A kind of job overrides :meth:`work`, :meth:`failed`, :meth:`ended` and :meth:`state`.
    """

    kind: ClassVar[str]

    def __init__(
        self, queue: Queue, id: str, name: str, line: str, *, paused: bool = False, group: Group | None = None
    ) -> None:
        super().__init__(paused=paused)
        self.queue, self.id, self.name, self.line = queue, id, name, line
        self.group = group or queue.group()
        self.status: Status = "queued"
        self.error = ""
        self.interrupted = False  # the process ends; nobody asked this job to stop
        self._turn_given_away = False
        self._seconds, self._since = 0.0, 0.0  # 0: the clock stands
        self.thread = threading.Thread(target=self._run, name=f"{self.kind}-{id}", daemon=True)

    # What a kind of job defines.

    def work(self) -> None:
        """Compute everything; called in the job's thread, in its turn."""
        raise NotImplementedError

    def skipped(self) -> None:
        """The job was stopped before its first turn."""

    def failed(self, error: BaseException) -> None:
        """Keep the reason, since no caller waits for the thread's exceptions."""
        raise NotImplementedError

    def ended(self) -> None:
        """Release the job's claim."""

    def state(self) -> JobState:
        """How far the job is."""
        raise NotImplementedError

    # Requests, which a job that waits in line must notice too.

    def pause(self) -> None:
        super().pause()
        self.queue.notify()

    def step(self, unit: Literal["batch", "epoch"] = "batch") -> None:
        super().step(unit)
        self.queue.notify()

    def cancel(self) -> None:
        super().cancel()
        self.queue.notify()

    # The job's own thread.

    def _run(self) -> None:
        try:
            if self._take(lambda: self.cancelled):
                self.set_status("running")  # a job submitted in pause takes a turn too, to set itself up
                self.work()
            else:
                self.skipped()
        except BaseException as error:
            self.failed(error)
        finally:
            self._end()

    def begin(self) -> None:
        """Start the thread; where the system refuses one, the job has failed."""
        try:
            self.thread.start()
        except RuntimeError as error:
            must, fix = "the machine must have a thread left for a job", "stop other jobs, then start it again"
            try:
                self.failed(DeviceError(must, error, fix))
            finally:
                self._end()

    def _end(self) -> None:
        self._leave()
        self.ended()
        self.queue.forget(self.id)

    def _take(self, given_up: Callable[[], bool]) -> bool:
        """Wait for the turn of the group, then for that of the job in its group; False if ``given_up`` comes first."""
        return self.queue.take(self, given_up) and self.group.take(self.id, self.progress, given_up)

    def _leave(self) -> None:
        self.group.leave(self.id)
        self.queue.leave(self)

    @property
    def progress(self) -> float:
        """What is equal among jobs in step; comparable within a group."""
        return self.elapsed

    @property
    def asked_to_pause(self) -> bool:
        return super().paused

    @property
    def paused(self) -> bool:
        """It must not work: a pause was asked for, or it gave its turn away and waits for the next one."""
        return self.asked_to_pause or (self._turn_given_away and not self.cancelled)

    def wait(self) -> None:
        """Give the turn away while a pause is asked for; then wait for the next turn.

        A cancel, a checkpoint and a change of an option need no turn, since none of them computes.
        """
        while self.paused and not self.cancelled:
            if self.asked_to_pause:
                self._turn_given_away = True
                self._leave()
                self.set_status("paused")
                super().wait()
                if self.asked_to_pause and self.noted:
                    return
            else:
                self.set_status("queued")
                if self._take(lambda: self.cancelled or self.asked_to_pause):
                    self._turn_given_away = False
                    self.set_status("running")

    def set_status(self, status: Status) -> None:
        """Set the status; the clock runs only while the job is running."""
        self._seconds, self._since = self.elapsed, time.monotonic() if status == "running" else 0.0
        self.status = status

    # Any thread.

    @property
    def elapsed(self) -> float:
        """Seconds of work so far."""
        return self._seconds + (time.monotonic() - self._since if self._since else 0.0)

    @property
    def shown(self) -> Status:
        """The status as others see it: a running job finishes its computation before it stops or pauses."""
        if self.status != "running":
            return self.status
        if self.cancelled:
            return "stopping"
        return "pausing" if self.asked_to_pause and self.kind == "comparison" else "running"

    @property
    def facts(self) -> dict[str, Any]:
        """The fields of the state that every kind of job has."""
        place: dict[str, Any] = {"id": self.id, "kind": self.kind, "name": self.name, "status": self.shown}
        place |= {"position": self.queue.position(self), "mine": True, "error": self.error}
        place |= {"in_step": tuple(job.name for job in self.queue.in_step(self))}
        return {**place, "beside": tuple(f"the {job.kind} {job.name}" for job in self.queue.beside(self))}


class Claimed(Job):
    """A job with a :class:`kernlab.files.Claim` on its work, whose last state its kind keeps.

    Args:
        owner: keeps the last state, in ``last``.
        claim: released when the job has ended; the file of an interrupted job stays.
    """

    def __init__(self, owner: Kind[Any], claim: Claim, id: str, name: str, line: str) -> None:
        super().__init__(owner.jobs, id, name, line)
        self._last, self._claim = owner.last, claim

    def skipped(self) -> None:
        self.set_status("interrupted" if self.interrupted else "stopped")

    def ended(self) -> None:
        self._last[self.id] = replace(self.state(), position=None, mine=False)
        self._claim.release(interrupted=self.status == "interrupted")


class Queue:
    """The jobs that one process works on, and their lines: the first group of a line works, the others wait."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._lines: dict[str, dict[Group, set[str]]] = defaultdict(dict)  # groups with those of their jobs that work
        self._jobs: dict[str, Job] = {}

    # -- turns

    def group(self) -> Group:
        """A group that no job has yet."""
        return Group(self._changed)

    def take(self, job: Job, given_up: Callable[[], bool]) -> bool:
        """Wait for the turn of the job's group; False if ``given_up`` comes first, and then the job has left."""
        with self._changed:
            line = self._stand(job)
            self._changed.wait_for(lambda: next(iter(line)) is job.group or given_up())
            if given_up():
                self.leave(job)
                return False
            return True

    def _stand(self, job: Job) -> dict[Group, set[str]]:
        """Give the job a place in its line, unless its group has one, and return the line."""
        line = self._lines[job.line]
        line.setdefault(job.group, set()).add(job.id)
        return line

    def leave(self, job: Job) -> None:
        """Work no longer. A group leaves its line with the last of its jobs."""
        with self._changed:
            line = self._lines[job.line]
            line.get(job.group, set()).discard(job.id)
            if not line.get(job.group, True):
                del line[job.group]
                self._changed.notify_all()

    def position(self, job: Job) -> int | None:
        """How many groups of its line come before the job; None where it does not wait or work."""
        with self._changed:
            line = self._lines[job.line]
            return list(line).index(job.group) if job.id in line.get(job.group, ()) else None

    def notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    # -- jobs

    def start(self, job: Job) -> None:
        """Let a job wait for its turn and work. Its place is that of this call, however late its thread begins."""
        with self._changed:
            self._jobs[job.id] = job
            self._stand(job)
        job.begin()

    def forget(self, id: str) -> None:
        with self._changed:
            self._jobs.pop(id, None)

    def get(self, id: str) -> Job | None:
        """The job of that id; None if it belongs to another process or has ended."""
        with self._changed:
            return self._jobs.get(id)

    def jobs(self, kind: str = "") -> list[Job]:
        """All jobs, or those of one kind."""
        with self._changed:
            return [job for job in self._jobs.values() if not kind or job.kind == kind]

    def beside(self, job: Job) -> list[Job]:
        """The jobs of other groups that are computing now."""
        return [other for other in self.jobs() if other.group is not job.group and other.status == "running"]

    def in_step(self, job: Job) -> list[Job]:
        """The other jobs of its group."""
        return [other for other in self.jobs() if other.group is job.group and other is not job]

    def shutdown(self, kind: str = "", timeout: float = 5.0) -> None:
        """Ask every job to keep its results and end, and wait for that; each is left as interrupted."""
        jobs = self.jobs(kind)
        for job in jobs:
            job.interrupted = True
            job.cancel()
        deadline = time.monotonic() + timeout
        for job in jobs:
            job.thread.join(max(0.0, deadline - time.monotonic()))


def under_way(here: Iterable[Job], elsewhere: Iterable[JobState]) -> list[JobState]:
    """The states of jobs that have not ended: running, then queued in order, then paused.

    Args:
        here: jobs of this process.
        elsewhere: states of others; a job that has come here since is listed once.
    """
    states = [job.state() for job in here]
    known = {state.id for state in states}
    states += [state for state in elsewhere if state.id not in known]
    return sorted((s for s in states if s.live), key=lambda s: (LIVE.index(s.status), s.position or 0))


class Kind(Generic[S]):
    """What can be done with the jobs of one kind, whichever process works on them.

    Args:
        queue: of this process; default: a new one.

    Attributes:
        last: the last states of the claimed jobs of this process.
    """

    kind: ClassVar[str]

    def __init__(self, queue: Queue | None = None) -> None:
        self.jobs = queue or Queue()
        self.last: dict[str, S] = {}

    def snapshot(self, id: str) -> S:
        """How far the job is, whichever process works or worked on it."""
        raise NotImplementedError

    def elsewhere(self) -> list[S]:
        """The states of the jobs that other processes work on."""
        raise NotImplementedError

    def queue(self) -> list[JobState]:
        """Every job under way, of this process and of others: running, then queued in order, then paused."""
        return under_way(self.jobs.jobs(self.kind), self.elsewhere())

    def pause(self, id: str) -> None:
        """Pause after the computation under way, and let the next job of the line work."""
        self._job(id).pause()

    def resume(self, id: str) -> None:
        """Go on, at the end of the line."""
        self._job(id).resume()

    def cancel(self, id: str) -> None:
        """Stop after the computation under way; its results are kept, and the job can be resumed."""
        self._job(id).cancel()

    def wait(self, id: str, timeout: float | None = None) -> S:
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

    # Beginning and resuming: a job of this process goes on, a job of another process is left to it.

    def _goes_on(self, id: str, paused: bool = False) -> bool:
        """Whether this process works on the job; a paused one goes on, unless it is to stay ``paused``."""
        job = self.jobs.get(id)
        if job and self.snapshot(id).live:
            if not paused:
                job.resume()
            return True
        if job:  # its thread is about to release the claim
            job.thread.join()
        return False

    def _refuse(self, name: str) -> NoReturn:
        """Another process works on the job."""
        fix = "watch it here and steer it there, or wait for its end"
        raise StoreError(f"a {self.kind} must not be begun while another process works on it", name, fix)


def sentence(error: BaseException) -> str:
    """Why a job failed, for its reader."""
    return str(error) if isinstance(error, KernlabError) else f"{type(error).__name__}: {error}"

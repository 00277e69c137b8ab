"""The consumer of training events that stores a run. No other object changes a run while it is trained.

Metrics are gathered and committed four times a second, and before every file and every end, so that the curves are
stored at least as far as any file. The run is locked as long as the writer is open.
"""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa
from filelock import FileLock

from kernlab.errors import KernlabError, StoreError
from kernlab.runs import tensors
from kernlab.runs.database import Database
from kernlab.runs.layout import CHANGED, METRICS, RUNS, SNAPSHOTS, versions
from kernlab.runs.recent import Recent
from kernlab.runs.record import Run, Status
from kernlab.training.events import (
    Cancelled,
    Changed,
    Checkpoint,
    Evaluated,
    Event,
    Failed,
    Finished,
    Kept,
    Snapshot,
    Started,
    Step,
)

__all__ = ["Writer"]

_COMMITS = itertools.count(1)
_COMMIT_EVERY = 0.1  # seconds that lie between two commits of metrics at least


class Writer:
    """Stores one run's events. Leaving its ``with`` block closes the run.

    Attributes:
        ended: the run has ended, or the writer has been closed.
        step: of the last event.
        cancelled_as: the status that a cancelled run gets.
        commits: another number after every commit, also of another writer of the same run.
        recent: what was committed since the run began or went on; None before that.
    """

    def __init__(self, store: Database, run: Run, lock: FileLock) -> None:
        self.run_id, self.step, self.ended = run.id, run.step, False
        self.cancelled_as: Status = "stopped"
        self._store, self._files, self._lock = store, store.folder(run.id), lock
        self._seconds, self._running_since = run.seconds, 0.0  # 0: the clock is stopped
        self._known: frozenset[str] = frozenset()  # metrics that a resumed run already has at its first step
        self._first = 0
        self._rows: list[dict[str, Any]] = []
        self._rows_lock, self._commit_lock = threading.Lock(), threading.Lock()
        self._trouble: StoreError | None = None
        self._closed, self._waiting = threading.Event(), threading.Event()  # rows wait to be committed
        self.commits, self._committed = next(_COMMITS), 0.0  # the last: when rows were committed
        self.recent: Recent | None = None
        try:
            self.status("queued")
        except StoreError:
            lock.release()
            raise

    # -- events

    def write(self, event: Event) -> None:
        """Store one event; a final one ends the writer.

        Raises:
            StoreError: the disk refuses; what was committed before stays.
        """
        if self._trouble:
            raise self._trouble
        # By name: after a hot reload an event's class may be a twin of the one imported here.
        getattr(self, f"_{type(event).__name__.lower()}")(event)

    def _started(self, event: Started) -> None:
        self._first = self.step = int(event.facts.get("start_step", 0))
        if event.arrays:
            self._save("static", event.arrays)
        facts = dict(event.facts)
        values: dict[str, Any] = {"resolved": dict(event.spec), "facts": facts, "error": "", "versions": versions()}
        values |= {"fingerprint": str(facts.get("fingerprint", ""))}
        if facts.get("device"):
            values |= {"device": str(facts["device"])}
        self._rewind(values)
        self._store.copy_record(self.run_id)
        self.status("running")
        threading.Thread(target=self._commit_now_and_then, name=f"commit-{self.run_id}", daemon=True).start()

    def _rewind(self, values: dict[str, Any]) -> None:
        """Remove what lies beyond the step from which the run goes on, so that no curve has a point twice."""
        later = METRICS.c.run_id == self.run_id, METRICS.c.step > self._first
        late = SNAPSHOTS.c.run_id == self.run_id, SNAPSHOTS.c.step > self._first
        here = METRICS.c.run_id == self.run_id, METRICS.c.step == self._first
        with self._store.writing() as connection:
            gone = connection.execute(sa.select(SNAPSHOTS.c.step).where(*late)).scalars().all()
            if connection.execute(sa.delete(METRICS).where(*later)).rowcount:
                # One id is left out: readers whose bookmark lies before it start again, those at it go on.
                connection.exec_driver_sql("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'metrics'")
                left_out = connection.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'metrics'")
                values = {**values, "rewound": left_out.scalar_one()}
            connection.execute(sa.delete(SNAPSHOTS).where(*late))
            self._known = frozenset(connection.execute(sa.select(METRICS.c.name).where(*here)).scalars())
            self._update(connection, **values)
            last = sa.select(sa.func.max(METRICS.c.id)).where(METRICS.c.run_id == self.run_id).scalar_subquery()
            cursor = sa.func.max(RUNS.c.rewound, sa.func.coalesce(last, 0))
            left = sa.select(SNAPSHOTS.c.step, SNAPSHOTS.c.epoch).where(SNAPSHOTS.c.run_id == self.run_id)
            bookmark = connection.execute(sa.select(cursor).where(RUNS.c.id == self.run_id)).scalar_one()
            with suppress(TypeError, ValueError):  # of a damaged row the store says what is wrong
                shots = {int(step): float(epoch) for step, epoch in connection.execute(left)}
                self.recent = Recent(bookmark, shots)
        for step in gone:
            with suppress(FileNotFoundError), self._store.guard():
                self._files.snapshot(step).unlink(missing_ok=True)

    def _step(self, event: Step | Evaluated) -> None:
        self.step = event.step
        seen = self._known if event.step == self._first else ()
        place = {"run_id": self.run_id, "step": int(event.step), "epoch": float(event.epoch)}
        rows = [{**place, "name": k, "value": float(v)} for k, v in event.metrics.items() if k not in seen]
        with self._rows_lock:
            self._rows += rows
        if event.step == self._first + 1:
            self.flush()  # a page may be waiting for the first point of the curves
        elif rows:
            self._waiting.set()

    _evaluated = _step

    def _snapshot(self, event: Snapshot) -> None:
        self.step = event.step
        with self._store.guard():
            tensors.save(self._files.snapshot(event.step), event.arrays, {"epoch": event.epoch})
        self.flush((int(event.step), float(event.epoch)))

    def _kept(self, event: Kept) -> None:
        self.step = event.step
        self.flush(facts={**self._column(RUNS.c.facts), **event.facts})

    def _changed(self, event: Changed) -> None:
        """The changes become a part of the run's spec, so that whoever resumes or repeats it makes them too."""
        self.step = event.step
        place = {"run_id": self.run_id, "step": int(event.step), "epoch": float(event.epoch)}
        with self._rows_lock:
            self._rows += [{**place, "name": CHANGED + name, "value": v} for name, v in event.values.items()]
        columns = {"spec": RUNS.c.spec, "resolved": RUNS.c.resolved}
        self.flush(**{name: {**self._column(column), "changes": event.changes} for name, column in columns.items()})

    def _column(self, column: sa.Column[Any]) -> Any:
        with self._store.reading() as connection:
            return connection.execute(sa.select(column).where(RUNS.c.id == self.run_id)).scalar_one()

    def _checkpoint(self, event: Checkpoint) -> None:
        self.step = event.step
        self.flush()  # first: a checkpoint must never be ahead of the curves
        self._save("checkpoint", event.arrays, {"step": event.step, "state": event.state})

    def _finished(self, event: Finished) -> None:
        self.step = event.step
        self.flush()
        self._save("model", event.model, event.meta)
        self.close("finished", summary=dict(event.summary))

    def _failed(self, event: Failed) -> None:
        self.step = event.step
        self.close("failed", error=event.message)

    def _cancelled(self, event: Cancelled) -> None:
        self.step = event.step
        self.close(self.cancelled_as)

    def _save(self, kind: str, arrays: Any, meta: Any = None) -> None:
        with self._store.guard():
            tensors.save(getattr(self._files, kind), arrays, meta)

    # -- status, clock and commits

    @property
    def seconds(self) -> float:
        """Time spent training, without pauses and queues."""
        since = self._running_since
        return self._seconds + (time.monotonic() - since if since else 0.0)

    def status(self, status: Status, **values: Any) -> None:
        """Store what the run does now; its clock goes only while it is running."""
        self._seconds, self._running_since = self.seconds, time.monotonic() if status == "running" else 0.0
        self.flush(status=status, **values)

    def clock(self, going: bool) -> None:
        """Let the clock go or stand, while the status stays: another run has its turn."""
        self._seconds, self._running_since = self.seconds, time.monotonic() if going else 0.0

    def flush(self, snapshot: tuple[int, float] | None = None, /, **values: Any) -> None:
        """Commit everything gathered so far, and with it step and epoch of a snapshot and columns of the run."""
        with self._commit_lock:  # keeps the rows of two threads in order
            with self._rows_lock:
                rows, self._rows = self._rows, []
            try:
                with self._store.writing() as connection:
                    cursor = None
                    if rows:
                        connection.execute(sa.insert(METRICS), rows)
                        cursor = connection.execute(sa.select(sa.func.last_insert_rowid())).scalar_one()
                    if snapshot:
                        place = dict(zip(("step", "epoch"), snapshot, strict=True), run_id=self.run_id)
                        connection.execute(sa.insert(SNAPSHOTS).prefix_with("OR REPLACE").values(place))
                    self._update(connection, **values)
                if self.recent:
                    points = [(row["name"], row["step"], row["epoch"], row["value"]) for row in rows]
                    self.recent.add(cursor, points, snapshot)
                self.commits = next(_COMMITS)
                if rows:
                    self._committed = time.monotonic()
            except BaseException:
                with self._rows_lock:
                    self._rows = rows + self._rows  # another file that could not be written may leave room for them
                raise

    def _update(self, connection: sa.Connection, **values: Any) -> None:
        now = {"step": self.step, "seconds": self.seconds, "updated": time.time()}
        connection.execute(sa.update(RUNS).where(RUNS.c.id == self.run_id).values(**now, **values))

    def _commit_now_and_then(self) -> None:
        # A thread of its own, because rows may wait while the training sends no event (a long evaluation, a pause).
        while self._waiting.wait() and not self._closed.is_set():
            self._waiting.clear()
            try:
                if self._rows:
                    self.flush()
            except StoreError as error:
                self._trouble = error
                return
            self._closed.wait(_COMMIT_EVERY)

    @property
    def waiting(self) -> bool:
        """Whether something is measured and not yet committed."""
        return bool(self._rows)

    @property
    def soonest(self) -> float:
        """Seconds until metrics that are measured now are committed; 0 or less: at once."""
        return self._committed + _COMMIT_EVERY - time.monotonic()

    # -- the end

    def fail(self, message: str) -> None:
        """End the run as failed with a sentence."""
        self.close("failed", error=message)

    def close(self, status: Status = "interrupted", **values: Any) -> None:
        """End the run and release its lock; a run that has ended stays as it is.

        Raises:
            StoreError: the end cannot be stored; the next reader finds the run interrupted.
        """
        if self.ended:
            return
        self._closed.set()
        self._waiting.set()
        try:
            self.status(status, **values)
            with suppress(StoreError):  # it is only a copy
                self._store.copy_record(self.run_id)
        finally:
            self.ended = True
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, KernlabError):
            with suppress(StoreError):  # the error being raised says more
                self.fail(str(error))
        else:
            self.close()

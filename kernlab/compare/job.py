"""Comparisons in the background: one thread each, one at a time in the order of coming.

A comparison that was stopped, or whose process was killed, goes on when it is started again: what is finished
is kept as it was.
"""

from __future__ import annotations

import atexit
import logging
import sys
import threading
import time
import types
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from kernlab import paths
from kernlab.compare.backends import Backend
from kernlab.compare.base import Cell, Comparison, Record
from kernlab.compare.records import RecordStore
from kernlab.compare.run import Computed, Planned, compare
from kernlab.errors import KernlabError

__all__ = ["ComparisonManager", "Snapshot", "manager", "remaining"]

_log = logging.getLogger(__name__)

Status = Literal["queued", "running", "stopping", "finished", "stopped", "failed"]


@dataclass(frozen=True)
class Snapshot:
    """How far a comparison is.

    Attributes:
        id: the comparison.
        status: "queued" behind another one; "stopping": the cells under way are finished first; "stopped": not
            complete, and can be started again.
        records: those there are, in the order of the cells.
        total: cells altogether; 0 until the data are loaded.
        elapsed: seconds since it was started here.
        remaining: estimated seconds to the end; None when there is nothing to estimate from.
        error: the sentence that a failed one ended with.
    """

    id: str
    status: Status
    records: tuple[Record, ...]
    total: int
    elapsed: float
    remaining: float | None
    error: str = ""

    @property
    def live(self) -> bool:
        """It goes on by itself."""
        return self.status in ("queued", "running", "stopping")

    @property
    def failed(self) -> tuple[Record, ...]:
        """Cells that failed; ``start(…, retry=True)`` computes them again."""
        return tuple(record for record in self.records if record.status == "failed")


@dataclass
class _Job:
    comparison: Comparison
    options: Mapping[str, Any]
    status: Status = "queued"
    cells: Sequence[Cell] = ()
    records: dict[str, Record] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)  # keys of the cells that were computed since it was started
    began: float | None = None
    ended: float | None = None
    error: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None


class ComparisonManager:
    """The comparisons that one process works on.

    Args:
        store: where they are kept.
    """

    def __init__(self, store: RecordStore) -> None:
        self.store = store
        self._jobs: dict[str, _Job] = {}
        self._lock, self._turn = threading.Lock(), threading.Lock()

    def start(
        self,
        comparison: Comparison,
        *,
        name: str = "",
        backend: str | Backend = "local",
        address: str | None = None,
        workers: int | None = None,
        retry: bool = False,
    ) -> str:
        """Start or resume a comparison; returns its id at once. One that is under way is left as it is.

        Args:
            comparison: what to compare.
            name: what the user calls it.
            backend, address, workers, retry: as :func:`kernlab.compare.run.compare`.

        Raises:
            StoreError: it cannot be stored.
        """
        id = self.store.keep(comparison, name).id
        options = {"name": name, "backend": backend, "address": address, "workers": workers, "retry": retry}
        with self._lock:
            before = self._jobs.get(id)
            if before and before.ended is None:
                return id
            job = self._jobs[id] = _Job(comparison, options)
            job.thread = threading.Thread(target=self._work, args=(job,), name=f"comparison-{id}", daemon=True)
        job.thread.start()
        return id

    def _work(self, job: _Job) -> None:
        with self._turn:  # each has a process on every core
            try:
                if not job.cancelled.is_set():
                    job.status, job.began = "running", time.monotonic()
                    self._run(job)
                complete = bool(job.cells) and len(job.records) == len(job.cells)
                job.status = "finished" if complete else "stopped"
            except BaseException as error:  # a thread has nobody to raise it to
                if not isinstance(error, KernlabError):
                    _log.error("a comparison stopped with an unexpected error", exc_info=error)
                job.error = str(error) if isinstance(error, KernlabError) else f"{type(error).__name__}: {error}"
                job.status = "failed"
            finally:
                job.ended = time.monotonic()

    def _run(self, job: _Job) -> None:
        for event in compare(job.comparison, store=self.store, stop=job.cancelled.is_set, **job.options):
            if isinstance(event, Planned):
                job.records = dict(event.records)
                job.cells = event.cells
            elif isinstance(event, Computed):
                if not event.elsewhere:
                    job.fresh.add(event.record.key)
                job.records = {**job.records, event.record.key: event.record}  # who reads the old one is not disturbed

    def cancel(self, id: str) -> None:
        """Begin no more cells; those under way are finished and kept."""
        job = self._jobs.get(id)
        if job and job.ended is None:
            job.cancelled.set()
            if job.status == "running":
                job.status = "stopping"

    def snapshot(self, id: str) -> Snapshot:
        """How far the comparison is, also one that this process has never worked on.

        Raises:
            UnknownNameError: there is none of that id.
        """
        job = self._jobs.get(id)
        if job is None:
            stored = self.store.comparison(id)
            found, total = self.store.records(stored), len(stored.keys)
            status: Status = "finished" if total and len(found) == total else "stopped"
            return Snapshot(id, status, tuple(found), total, 0.0, None)
        records, cells = job.records, job.cells
        elapsed = 0.0 if job.began is None else (job.ended or time.monotonic()) - job.began
        left = remaining(cells, records, job.fresh, elapsed) if job.ended is None else None
        ordered = tuple(records[cell.key] for cell in cells if cell.key in records)
        return Snapshot(id, job.status, ordered, len(cells), elapsed, left, job.error)

    def wait(self, id: str, timeout: float | None = None) -> Snapshot:
        """The snapshot once it has ended, or after ``timeout`` seconds."""
        job = self._jobs.get(id)
        if job and job.thread:
            job.thread.join(timeout)
        return self.snapshot(id)

    def running(self) -> list[str]:
        """Ids of those that go on by themselves."""
        return [id for id, job in list(self._jobs.items()) if job.ended is None]

    def shutdown(self) -> None:
        """Begin no more cells."""
        for id in self.running():
            self.cancel(id)


def remaining(cells: Sequence[Cell], records: Mapping[str, Record], fresh: set[str], elapsed: float) -> float | None:
    """Estimated seconds to the end: what is left, at the pace of what was computed in ``elapsed`` seconds.

    A cell is taken to cost what the same method cost on the same data so far, else the mean of all.
    """
    costs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in list(records.values()):
        if record.status == "done":
            place = record.cell["method"], record.cell["data"]["dataset"]
            costs[place].append(record.seconds + record.tuning_seconds)
    every = [cost for each in costs.values() for cost in each]
    done = sum(records[key].seconds + records[key].tuning_seconds for key in list(fresh) if key in records)
    if not every or done <= 0:
        return None
    left = 0.0
    for cell in cells:
        if cell.key not in records:
            known = costs.get((cell.method, cell.data.dataset), every)
            left += sum(known) / len(known)
    return elapsed * left / done


def manager(root: Path | None = None) -> ComparisonManager:
    """The one manager of this process for the folder ``root`` (default: :func:`kernlab.paths.home`)."""
    # Kept outside this module, which a hot reload of the app may throw away while its threads go on.
    shelf = sys.modules.setdefault("_kernlab_comparisons", types.ModuleType("_kernlab_comparisons"))
    lock: threading.Lock = shelf.__dict__.setdefault("lock", threading.Lock())
    managers: dict[Path, ComparisonManager] = shelf.__dict__.setdefault("managers", {})
    key = Path(root if root is not None else paths.home()).resolve()
    with lock:
        if key not in managers:
            managers[key] = ComparisonManager(RecordStore(key))
            atexit.register(managers[key].shutdown)
        return managers[key]

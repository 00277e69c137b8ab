"""Comparisons in the background: one at a time, on the cores that no other job works on.

A comparison that was stopped, or whose process was killed, goes on when it is started again: finished cells are kept.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernlab import devices
from kernlab.compare.backends import Backend
from kernlab.compare.base import Cell, Comparison, Record
from kernlab.compare.records import RecordStore, StoredComparison
from kernlab.compare.run import Computed, Planned, compare
from kernlab.errors import KernlabError
from kernlab.files import Claim
from kernlab.jobs.queue import LIVE, Claimed, JobState, Kind, Queue, Status, sentence

__all__ = ["ComparisonState", "Comparisons", "remaining"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class ComparisonState(JobState):
    """How far a comparison is.

    Attributes:
        records: of the finished cells, in the order of the cells.
        total: cells altogether; 0 until the data are loaded.
    """

    records: tuple[Record, ...] = ()
    total: int = 0

    @property
    def failed(self) -> tuple[Record, ...]:
        """Cells that failed; ``start(…, retry=True)`` computes them again."""
        return tuple(record for record in self.records if record.status == "failed")


class _Comparing(Claimed):
    kind = "comparison"

    def __init__(self, owner: Comparisons, stored: StoredComparison, claim: Claim, options: Mapping[str, Any]) -> None:
        super().__init__(owner, claim, stored.id, stored.name, "comparisons")
        self._store, self._comparison, self._options = owner.store, stored.comparison, options
        self._cells: Sequence[Cell] = ()
        self._records: Mapping[str, Record] = {}
        self._fresh: set[str] = set()  # keys of the cells that were computed since it was started

    def work(self) -> None:
        while True:
            self._compute()
            if self.cancelled or self._complete:
                break
            if self.paused:
                self.wait()
        if self._complete:
            self.set_status("finished")
        else:
            self.skipped()

    def failed(self, error: BaseException) -> None:
        if not isinstance(error, KernlabError):
            _log.error("a comparison stopped with an unexpected error", exc_info=error)
        self.error = sentence(error)
        self.set_status("failed")

    @property
    def _complete(self) -> bool:
        return bool(self._cells) and len(self._records) == len(self._cells)

    def _compute(self) -> None:
        for event in compare(
            self._comparison,
            store=self._store,
            stop=lambda: self.cancelled or self.paused,
            at_once=self._at_once,
            **self._options,
        ):
            if isinstance(event, Planned):
                self._records, self._cells = dict(event.records), event.cells
            elif isinstance(event, Computed):
                if not event.elsewhere:
                    self._fresh.add(event.record.key)
                # A new mapping, so that a thread which iterates over the old one is not disturbed.
                self._records = {**self._records, event.record.key: event.record}

    def _at_once(self) -> int:
        """Cells that may be computed at a time: one core is left to each other group of jobs."""
        return max(1, devices.cores() - len({job.group for job in self.queue.beside(self)}))

    def _uses(self) -> str:
        if self._options["backend"] != "local" or self._comparison.device != "cpu":
            return {"dask": "a Dask cluster", "local": self._comparison.device}.get(str(self._options["backend"]), "")
        cores = self._options["workers"] or devices.cores()
        mine = min(cores, self._at_once())
        return f"{mine} of {cores} cores" if mine < cores else f"{cores} core{'s' * (cores > 1)}"

    def state(self) -> ComparisonState:
        records, cells = self._records, self._cells
        left = remaining(cells, records, self._fresh, self.elapsed) if self.status in LIVE else None
        return ComparisonState(
            **self.facts, uses=self._uses(), elapsed=self.elapsed, remaining=left, total=len(cells),
            done=len(records) / len(cells) if cells else None,
            records=tuple(records[cell.key] for cell in cells if cell.key in records),
        )  # fmt: skip


class Comparisons(Kind[ComparisonState]):
    """The comparisons in one folder.

    Args:
        store: where they are kept.
        queue: default: a new one.
    """

    kind = "comparison"

    def __init__(self, store: RecordStore, queue: Queue | None = None) -> None:
        super().__init__(queue)
        self.store = store
        self._read: dict[str, Record] = {}  # by key of the cell, of comparisons that other processes compute

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
        """Start or resume a comparison; returns its id at once. A paused one goes on.

        Args:
            comparison: what to compare.
            name: what the user calls it.
            backend, address, workers, retry: as :func:`kernlab.compare.run.compare`.

        Raises:
            StoreError: it cannot be stored, or another process works on it.
        """
        stored = self.store.keep(comparison, name)
        if self._goes_on(stored.id):
            return stored.id
        claim = self.store.work(stored.id) or self._refuse(stored.name)
        options = {"name": name, "backend": backend, "address": address, "workers": workers, "retry": retry}
        self.last.pop(stored.id, None)
        self.jobs.start(_Comparing(self, stored, claim, options))
        return stored.id

    def snapshot(self, id: str) -> ComparisonState:
        """How far the comparison is, whichever process works or worked on it.

        Raises:
            UnknownNameError: there is none of that id.
        """
        if isinstance(job := self.jobs.get(id), _Comparing):
            return job.state()
        stored, claim = self.store.comparison(id), self.store.working(id)
        last = self.last.get(id)
        if last and claim != "held" and len(last.records) == self.store.finished(stored):
            return last
        for key in stored.keys:
            if key not in self._read and (record := self.store.get(key)):
                self._read[key] = record
        records = tuple(self._read[key] for key in stored.keys if key in self._read)
        if claim != "held":
            self._read = {}
        return self._stored(stored, claim, len(records), records=records)

    def _stored(self, stored: StoredComparison, claim: str, done: int, **facts: Any) -> ComparisonState:
        total = len(stored.keys)
        status: Status = "stopped"
        if claim == "held":
            status = "running"
        elif total and done == total:
            status = "finished"
        elif claim == "abandoned":
            status = "interrupted"
        return ComparisonState(
            id=stored.id, kind=self.kind, name=stored.name, status=status, done=done / total if total else None,
            total=total, uses="another process" if claim == "held" else "", **facts,
        )  # fmt: skip

    def elsewhere(self) -> list[ComparisonState]:
        found = [stored for stored in self.store.worked_on() if not self.jobs.get(stored.id)]
        return [self._stored(stored, "held", self.store.finished(stored)) for stored in found]

    def running(self) -> list[str]:
        """Ids of the comparisons under way, here or in another process."""
        return [state.id for state in self.queue()]


def remaining(cells: Sequence[Cell], records: Mapping[str, Record], fresh: set[str], elapsed: float) -> float | None:
    """Estimated seconds to the end, at the pace of the ``fresh`` cells, which took ``elapsed`` seconds together.

    The cost of a cell is the mean over the finished cells of the same method on the same data, else over all of them.
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

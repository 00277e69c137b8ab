"""Imports of a person's own tables, and downloads: they read and write files beside everything else that works.

An import keeps nothing before it is complete, so one that was stopped begins anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kernlab.data.download import Arrived
from kernlab.data.tables import Progress, Stored
from kernlab.errors import StoreError, UnknownNameError
from kernlab.jobs.queue import Job, JobState, Kind, sentence

__all__ = ["ImportState", "Imports", "Work"]

#: Reads and keeps a table; it is given a function to report its progress to, and one that says whether to end.
Work: TypeAlias = Callable[[Callable[[Arrived | Progress], object], Callable[[], bool]], Stored | None]

_numbers = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class ImportState(JobState):
    """How far an import is.

    Attributes:
        progress: as it was reported last.
        stored: what was kept, once it is finished.
    """

    progress: Arrived | Progress | None = None
    stored: Stored | None = None
    pausable: bool = False


class _Importing(Job):
    kind = "import"

    def __init__(self, owner: Imports, id: str, name: str, work: Work) -> None:
        super().__init__(owner.jobs, id, name, "imports")
        self._last, self._work = owner.last, work
        self._progress: Arrived | Progress | None = None
        self._stored: Stored | None = None

    def pause(self) -> None:
        raise StoreError("an import cannot be paused", self.name, "stop it; it then begins anew")

    def work(self) -> None:
        self._stored = self._work(self._report, lambda: self.cancelled)
        self.set_status("finished" if self._stored else "stopped")

    def _report(self, progress: Arrived | Progress) -> None:
        self._progress = progress

    def skipped(self) -> None:
        self.set_status("stopped")

    def failed(self, error: BaseException) -> None:
        self.error = sentence(error)
        self.set_status("failed")

    def ended(self) -> None:
        del self._work  # it may hold the bytes of a file
        self._last[self.id] = self.state()

    def state(self) -> ImportState:
        at = self._progress
        return ImportState(
            **self.facts,
            done=1.0 if self._stored else at and at.share,
            elapsed=self.elapsed,
            remaining=at and at.remaining,
            uses="network and disk" if isinstance(at, Arrived) else "the disk",
            progress=at,
            stored=self._stored,
        )


class Imports(Kind[ImportState]):
    """The imports of this process."""

    kind = "import"

    def start(self, name: str, work: Work) -> str:
        """Begin an import, and return its id.

        Args:
            name: of the data set.
            work: reads and keeps it.
        """
        id = f"import-{next(_numbers)}"
        self.jobs.start(_Importing(self, id, name, work))
        return id

    def snapshot(self, id: str) -> ImportState:
        """How far it is.

        Raises:
            UnknownNameError: this process has begun no such import.
        """
        if isinstance(job := self.jobs.get(id), _Importing):
            return job.state()
        if id not in self.last:
            raise UnknownNameError("an import must be one that this server has begun", id, "import the table again")
        return self.last[id]

    def elsewhere(self) -> list[ImportState]:
        return []

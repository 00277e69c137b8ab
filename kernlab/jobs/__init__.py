"""Everything that takes time: trainings, comparisons, reproductions and imports, in one queue for each process.

    jobs = manager();  jobs.trainings.submit(spec);  jobs.comparisons.start(comparison);  jobs.states()

The queue is independent of pages and sessions: a job is watched and steered by its id, and other processes that share
the folder can watch it too.
"""

from __future__ import annotations

import atexit
import sys
import threading
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from kernlab import paths
from kernlab.errors import UnknownNameError
from kernlab.jobs.queue import LIVE, RULE, JobState, Kind, Queue, under_way

if TYPE_CHECKING:
    from kernlab.jobs.comparisons import Comparisons
    from kernlab.jobs.imports import Imports
    from kernlab.jobs.reproductions import Reproductions
    from kernlab.jobs.trainings import Trainings

__all__ = ["LIVE", "RULE", "JobState", "Jobs", "manager"]

T = TypeVar("T")


class Jobs:
    """The jobs over one folder.

    Args:
        root: the folder of runs and comparisons.
    """

    def __init__(self, root: Path) -> None:
        self.root, self._queue = root, Queue()
        self._kinds: dict[str, Any] = {}
        self._lock = threading.Lock()

    def _kind(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:  # made at its first use, so that a store which cannot be opened does not stop the other kinds
            if name not in self._kinds:
                self._kinds[name] = make()
            found: T = self._kinds[name]
            return found

    @property
    def trainings(self) -> Trainings:
        """The runs."""
        from kernlab.jobs.trainings import Trainings
        from kernlab.runs.store import Store

        return self._kind("training", lambda: Trainings(Store(self.root), queue=self._queue))

    @property
    def comparisons(self) -> Comparisons:
        """The comparisons of methods."""
        from kernlab.compare.records import RecordStore
        from kernlab.jobs.comparisons import Comparisons

        return self._kind("comparison", lambda: Comparisons(RecordStore(self.root), self._queue))

    @property
    def reproductions(self) -> Reproductions:
        """The reproductions of published results that are no comparisons."""
        from kernlab.jobs.reproductions import Reproductions

        return self._kind("reproduction", lambda: Reproductions(self.root, self._queue))

    @property
    def imports(self) -> Imports:
        """The imports of tables and the downloads."""
        from kernlab.jobs.imports import Imports

        return self._kind("import", lambda: Imports(self._queue))

    def elsewhere(self) -> list[JobState]:
        """The jobs that other processes work on."""
        kinds: tuple[Kind[Any], ...] = (self.trainings, self.comparisons, self.reproductions, self.imports)
        return [state for kind in kinds for state in kind.elsewhere()]

    def states(self, elsewhere: Sequence[JobState] | None = None) -> list[JobState]:
        """Every job under way, of this process and of others: running first, then queued, then paused.

        Args:
            elsewhere: what :meth:`elsewhere` found a moment ago, which takes the disk; None: look again.
        """
        return under_way(self._queue.jobs(), self.elsewhere() if elsewhere is None else elsewhere)

    def steer(self, id: str, action: Literal["pause", "resume", "cancel"]) -> None:
        """Pause, resume or stop a job of this process.

        Raises:
            UnknownNameError: no such job is under way here.
            StoreError: this job does not allow it.
        """
        job = self._queue.get(id)
        if job is None:
            raise UnknownNameError("a job must be under way here to be steered", id)
        {"pause": job.pause, "resume": job.resume, "cancel": job.cancel}[action]()

    def shutdown(self, timeout: float = 5.0) -> None:
        """Ask every job to keep its results and end, and wait for that; each is left as interrupted."""
        self._queue.shutdown(timeout=timeout)


def manager(root: Path | None = None) -> Jobs:
    """The manager of this process for the folder ``root`` (default: :func:`kernlab.paths.home`)."""
    # Kept outside this module, which a hot reload of the app may replace while its threads go on.
    shelf = sys.modules.setdefault("_kernlab_jobs", types.ModuleType("_kernlab_jobs"))
    lock: threading.Lock = shelf.__dict__.setdefault("lock", threading.Lock())
    managers: dict[Path, Jobs] = shelf.__dict__.setdefault("managers", {})
    asked = Path(root if root is not None else paths.home())
    # A page asks several times a second: the disk is asked once what the name of the folder stands for.
    if asked.is_absolute() and (found := managers.get(asked)):
        return found
    key = asked.resolve()
    with lock:
        if key not in managers:
            managers[key] = Jobs(key)
            atexit.register(managers[key].shutdown)
        return managers.setdefault(asked.absolute(), managers[key])

"""One run as a page follows it: what is new since the last look is fetched, the rest is kept.

Knows the store and the job manager, not Streamlit; a session keeps one of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kernlab.errors import UnknownNameError
from kernlab.jobs.trainings import Trainings, TrainingState
from kernlab.pictures.recorded import RecordedRun, may_end_early

__all__ = ["Watch"]


class Watch(RecordedRun):
    """Follows one run, also while it trains.

    Attributes:
        state: how far it is.
    """

    def __init__(self, jobs: Trainings, run_id: str) -> None:
        self.jobs = jobs
        self.state: TrainingState = jobs.snapshot(run_id)  # first: it knows why a run could not start
        self._over = False
        with self._reason(run_id):
            super().__init__(jobs.store, run_id)

    @property
    def live(self) -> bool:  # type: ignore[override]  # a stored run that nobody follows is never live
        """Something works, or waits to work, on it."""
        return self.state.live

    @property
    def choosing(self) -> bool:
        """It still learns on a part of its rows, to find how long to train."""
        return bool(self.facts.get("n_held")) and not self.kept

    @property
    def early(self) -> bool:
        """It may end before its last step, where it has converged or stands still."""
        method = self.method
        if self.kept and method:
            return bool(method.solver.options()["schedule"] == "plateau")
        return not self.at_once and (method is None or may_end_early(method))

    @property
    def length(self) -> float:
        """Epochs (or full-batch steps) of the whole run; of one that is over, as far as it came."""
        if not self.live and len(self.snapshots.epochs):
            return float(self.snapshots.epochs[-1])
        return float(self.facts.get("total_epochs") or self.facts["total_steps"] / self.facts["steps_per_epoch"])

    def refresh(self) -> None:
        """Fetch what is new. A run that was over at the last look costs nothing."""
        if self._over:
            return
        with self._reason(self.id):
            self.state = self.jobs.snapshot(self.id)
            over = not self.live  # read before the metrics: what comes between the two is still fetched
            if over or self.choosing or not self.run.facts or self.run.status != self.state.status:
                self.run = self._record()
            self._fetch_metrics()
            self._over = over

    @contextmanager
    def _reason(self, run_id: str) -> Iterator[None]:
        """Of a run that is refused while a page follows it, say why it could not start, not that it is gone."""
        try:
            yield
        except UnknownNameError:
            self.jobs.snapshot(run_id)
            raise

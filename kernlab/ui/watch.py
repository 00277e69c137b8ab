"""One run as a page follows it: what is new is fetched, the rest is kept.

Knows the store and the job manager, not Streamlit; a session keeps one of these.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from kernlab.errors import UnknownNameError
from kernlab.jobs.trainings import RunState, Trainings
from kernlab.methods import MethodSpec
from kernlab.pictures.recorded import RecordedRun, learns_in_batches, may_end_early
from kernlab.runs.layout import CHANGED
from kernlab.runs.notes import Note
from kernlab.runs.store import Metrics, Snapshots
from kernlab.spec import RunSpec

__all__ = ["Watch"]

_NOTED = 2.0  # seconds after which the notes of a run are read again


class Watch(RecordedRun):
    """Follows one run, also while it trains.

    Attributes:
        state: how far it is.
        preview: what it begins with, until it has a snapshot of its own; None: that is not known.
    """

    def __init__(self, jobs: Trainings, run_id: str) -> None:
        self.jobs = jobs
        self.state: RunState = jobs.snapshot(run_id)  # first: it knows why a run could not start
        self._over = False
        self._commits: int | None = None  # of the state whose metrics were fetched last
        self.preview: RecordedRun | None = None
        self._notes: tuple[float, int, tuple[Note, ...]] = (-_NOTED, 0, ())  # clock, and notes pinned here by then
        with self._reason(run_id):
            super().__init__(jobs.store, run_id)

    def foresee(self, preview: RecordedRun | None) -> bool:
        """Take the first snapshot and the facts of a run that begins from its preview, until the run has its own.

        A page can then be drawn while the run is set up. Of what a first snapshot has, a preview lacks the scores of
        the function; they are empty here.

        Args:
            preview: of the run's spec; None: there is none.

        Returns:
            Whether the run has a first snapshot now.
        """
        self.preview = preview if preview and learns_in_batches(preview.method or MethodSpec()) else None
        self._take_preview()
        return len(self.snapshots.steps) > 0

    def _take_preview(self) -> None:
        if not self.preview:
            return
        if len(self.snapshots.steps) or not self.live:
            self.preview = None
            self.run, self._arrays = self._record(), OrderedDict()
            self.static = self.store.static(self.id) if self.run.facts else {}
            return
        first = self.preview
        self.run = replace(self.run, facts=first.run.facts, resolved=first.run.resolved)
        self.static, self.snapshots = first.static, first.snapshots
        self._arrays = OrderedDict({0: {**first._load(0), "view_scores": np.zeros((0, 0))}})

    @property
    def live(self) -> bool:  # type: ignore[override]  # a stored run that nobody follows is never live
        """Something works, or waits to work, on it."""
        return self.state.live

    @property
    def in_memory(self) -> bool:
        """This process works on it, and nothing of its record can change before it ends."""
        return self.live and self.state.commits is not None and bool(self.run.facts) and not self.choosing

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes that are pinned to its moments.

        Raises:
            StoreError: their file is damaged.
        """
        return self.store.pinned(self.id)

    @property
    def notes_lately(self) -> tuple[Note, ...]:
        """The notes as of now, or where another process pins them as of two seconds ago.

        Raises:
            StoreError: their file is damaged.
        """
        clock, pins, found = self._notes
        if pins != self.store.pins or time.monotonic() - clock > _NOTED:
            pins = self.store.pins  # first: what is pinned while the file is read is read again
            self._notes = time.monotonic(), pins, (found := self.notes)
        return found

    @property
    def start(self) -> RunSpec | None:
        """What the run began with, as a form says it: without what was changed since."""
        spec = self.spec
        return replace(spec, changes=()) if spec else None

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
        """Epochs (or full-batch steps) of the whole run; of one that is over, those it trained."""
        if not self.live and len(self.snapshots.epochs):
            return float(self.snapshots.epochs[-1])
        return float(self.facts.get("total_epochs") or self.facts["total_steps"] / self.facts["steps_per_epoch"])

    def refresh(self) -> None:
        """Fetch what is new. Of a run that is over nothing is fetched twice, unless it has been resumed."""
        with self._reason(self.id):
            self.state = self.jobs.snapshot(self.id)
            if self._over and not self.live:
                return
            over = not self.live  # read before the metrics: metrics that are written between the two are still fetched
            if over or self.choosing or not self.run.facts or self.run.status != self.state.status:
                self.run = self._record()
            made = self._changes_made
            if self.state.commits is None or self.state.commits != self._commits:
                self._fetch_metrics()
                self._commits = self.state.commits
            self._take_preview()
            if made != self._changes_made:  # they are a part of the run's spec
                self.run = self._record()
            self._over = over

    def _progress(self) -> tuple[Metrics, Snapshots]:
        return self.jobs.progress(self.id, self._cursor)

    @property
    def _changes_made(self) -> int:
        return sum(len(curve.steps) for name, curve in self.history.items() if name.startswith(CHANGED))

    def wait(self, seconds: float) -> None:
        """Wait for the first snapshot of a run that works, at most so many seconds, so that a page shows it at once."""
        end = time.monotonic() + seconds
        while self.live and not len(self.snapshots.steps) and not self.state.position and time.monotonic() < end:
            time.sleep(0.02)
            self.refresh()

    @contextmanager
    def _reason(self, run_id: str) -> Iterator[None]:
        """Of a run that is refused while a page follows it, say why it could not start, not that it is gone."""
        try:
            yield
        except UnknownNameError:
            self.jobs.snapshot(run_id)
            raise

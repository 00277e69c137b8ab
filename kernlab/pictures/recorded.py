"""A stored run as pictures read it: its facts, metrics and snapshots, read from the store when they are needed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.bounds import with_root
from kernlab.errors import KernlabError
from kernlab.methods import MethodSpec
from kernlab.runs.kept import BestEpoch, kept
from kernlab.runs.record import Run
from kernlab.runs.store import Curve, Metrics, Snapshots, Store
from kernlab.solvers import FullBatchSolver, Problem
from kernlab.spec import RunSpec

__all__ = ["Moment", "RecordedRun", "learns_in_batches", "may_end_early", "solved_at_once"]

_TIE = 1e-6  # epochs between two snapshots of the same epoch
_KEPT = 6  # snapshots in memory, of about 2 MB each: enough to scrub to and fro


def learns_in_batches(method: MethodSpec) -> bool:
    """Whether the method learns from mini-batches; otherwise its solver is full-batch."""
    return not isinstance(method.solver, FullBatchSolver)


def may_end_early(method: MethodSpec) -> bool:
    """Whether the method may take fewer steps than its options ask for."""
    if isinstance(method.solver, FullBatchSolver):
        return True
    options = method.solver.options()
    return options["schedule"] == "plateau" or options["validation"] not in ("auto", 0)


def solved_at_once(method: MethodSpec) -> bool:
    """Whether the method's solver takes a single step."""
    solver = method.solver
    if not isinstance(solver, FullBatchSolver):
        return False
    nothing = torch.empty(0, 1)
    return solver.steps(Problem(method.feature_map, method.objective, nothing, nothing, 1, "regression")) == 1


@dataclass(frozen=True, eq=False)
class Moment:
    """The run at one snapshot."""

    index: int  # number of the snapshot, from 0
    step: int  # step, epoch: of the snapshot
    epoch: float
    arrays: dict[str, Any]  # arrays of the snapshot, by name
    values: dict[str, float]  # newest value of each metric that was measured by then, by name
    latest: bool  # whether this is the newest snapshot


class RecordedRun:
    """One run of a store.

    Attributes:
        run: the stored record, as of the last :meth:`refresh`.
        history: the metrics so far, by name.
        snapshots: the moments at which the run can be seen.
        static: the arrays that stay the same over the run.
    """

    #: Whether the run is in progress or waits in the queue.
    live = False

    def __init__(self, store: Store, run_id: str) -> None:
        self.store, self.id = store, run_id
        self.run: Run = self._record()
        self.history: dict[str, Curve] = {}
        self.snapshots = Snapshots(np.zeros(0, np.int64), np.zeros(0))
        self.static: dict[str, NDArray[Any]] = {}
        self._cursor = 0
        self._read: tuple[dict[str, Any], MethodSpec | None] = ({}, None)
        self._arrays: OrderedDict[int, dict[str, NDArray[Any]]] = OrderedDict()

    @property
    def facts(self) -> dict[str, Any]:
        """The facts stated at the run's start; empty before."""
        return self.run.facts

    @property
    def spec(self) -> RunSpec | None:
        """The specification as it was submitted; None where this version of kernlab cannot read it."""
        try:
            return RunSpec.from_dict(self.run.spec)
        except KernlabError:
            return None

    @property
    def method(self) -> MethodSpec | None:
        """The method with every "auto" resolved (before the start as submitted); None where it cannot be read."""
        stated = self.run.resolved or self.run.spec
        if self._read[0] is not stated:
            try:
                self._read = stated, RunSpec.from_dict(stated).method
            except KernlabError:
                self._read = stated, None
        return self._read[1]

    @property
    def kept(self) -> BestEpoch | None:
        """The choice of the held-out rows; None before it is known, and where no rows are held out."""
        return kept(self.facts)

    @property
    def at_once(self) -> bool:
        """Whether the run is solved in one step, and has no moments between its start and its end."""
        return self.facts.get("total_steps") == 1

    @property
    def unit(self) -> str:
        """The unit of time: passes over the data, or steps of a full-batch solver."""
        return "epoch" if (method := self.method) is None or learns_in_batches(method) else "step"

    @property
    def version(self) -> tuple[int, int]:
        """A value that changes whenever new metrics or snapshots have arrived."""
        return self._cursor, len(self.snapshots.steps)

    def refresh(self) -> None:
        """Read the new metrics and snapshots from the store."""
        self.run = self._record()
        self._fetch_metrics()

    def _fetch_metrics(self) -> None:
        new, snapshots = self._progress()
        history = {} if new.whole else dict(self.history)
        for name, curve in new.curves.items():
            old = history.get(name)
            history[name] = curve if old is None else _joined(old, curve)
        if self.run.facts.get("bound") == "frame":
            history = _with_root(history, int(self.facts["n_train"]))
        if new.whole:
            self._arrays = OrderedDict()
        # Snapshots last: what was measured at one is stored with it, and another thread must not see it before that.
        self.history, self._cursor, self.snapshots = history, new.cursor, _apart(snapshots)
        if self.run.facts and not self.static:
            self.static = self.store.static(self.id)

    def _progress(self) -> tuple[Metrics, Snapshots]:
        """What has been measured since the last refresh, and all snapshots."""
        return self.store.progress(self.id, self._cursor)

    def _record(self) -> Run:
        """The run's record; a damaged one raises its error instead of putting wrong values into pictures."""
        run = self.store.get(self.id)
        if run.trouble:
            raise run.trouble
        return run

    def until(self, step: int) -> dict[str, Curve]:
        """The metrics up to ``step``."""
        found = {}
        for name, curve in self.history.items():
            end = int(np.searchsorted(curve.steps, step, "right"))
            found[name] = Curve(curve.steps[:end], curve.epochs[:end], curve.values[:end])
        return found

    def moment(self, epoch: float | None = None) -> Moment | None:
        """The last snapshot at or before ``epoch`` (None: the newest); None before there is one."""
        epochs = self.snapshots.epochs
        if not len(epochs):
            return None
        last = len(epochs) - 1
        index = last if epoch is None else max(0, int(np.searchsorted(epochs, epoch + 1e-9, "right")) - 1)
        step = int(self.snapshots.steps[index])
        values = {name: float(curve.values[-1]) for name, curve in self.until(step).items() if len(curve.values)}
        return Moment(index, step, float(epochs[index]), self._load(step), values, index == last)

    def _load(self, step: int) -> dict[str, NDArray[Any]]:
        kept = self._arrays
        arrays = kept.pop(step, None)  # threads share a run: each of these steps is whole by itself
        kept[step] = arrays = self.store.snapshot(self.id, step) if arrays is None else arrays
        while len(kept) > _KEPT:
            kept.popitem(last=False)
        return arrays


def _apart(snapshots: Snapshots) -> Snapshots:
    """Snapshots at epochs that differ: choosing ends at the epoch at which the repetition begins."""
    steps, epochs = snapshots
    return Snapshots(steps, epochs + np.concatenate([[0.0], _TIE * (np.diff(epochs) <= 0)])[: len(epochs)])


def _joined(old: Curve, new: Curve) -> Curve:
    steps, epochs = np.concatenate([old.steps, new.steps]), np.concatenate([old.epochs, new.epochs])
    return Curve(steps, epochs, np.concatenate([old.values, new.values]))


def _with_root(history: dict[str, Curve], n: int) -> dict[str, Curve]:
    """The bound of a frame as this version computes it, also at steps where an older version stored the printed one."""
    terms = {name: curve for name, curve in history.items() if name.startswith("bound/")}
    steps, epochs, _ = terms.get("bound/total", Curve(np.zeros(0, np.int64), np.zeros(0), np.zeros(0)))
    if "bound/printed_total" in terms and len(terms["bound/printed_total"].steps) == len(steps):
        return history
    found: dict[str, list[int]] = {}
    values: dict[str, list[float]] = {}
    for place, step in enumerate(steps):
        then = {name: curve.values[curve.steps == step] for name, curve in terms.items()}
        stored = {name.removeprefix("bound/"): float(value[-1]) for name, value in then.items() if len(value)}
        for key, value in with_root(stored, n).items():
            found.setdefault(f"bound/{key}", []).append(place)
            values.setdefault(f"bound/{key}", []).append(value)
    anew = {name: Curve(steps[places], epochs[places], np.array(values[name])) for name, places in found.items()}
    return {**history, **anew}

"""A stored run as pictures read it: its facts, metrics and snapshots, fetched from the store as they are needed."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.bounds import with_root
from kernlab.errors import KernlabError
from kernlab.methods import MethodSpec
from kernlab.runs.kept import Kept, kept
from kernlab.runs.record import Run
from kernlab.runs.store import Curve, Snapshots, Store
from kernlab.solvers import FullBatchSolver, Problem
from kernlab.spec import RunSpec

__all__ = ["Moment", "RecordedRun", "learns_in_batches", "may_end_early", "solved_at_once"]

_KEPT = 6  # snapshots in memory, of about 2 MB each: enough to scrub to and fro


def learns_in_batches(method: MethodSpec) -> bool:
    """Whether the method learns from mini-batches; otherwise its solver sees all rows at every step."""
    return not isinstance(method.solver, FullBatchSolver)


def may_end_early(method: MethodSpec) -> bool:
    """Whether the number of steps that was asked for is only the most that the method may take."""
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


class Moment:
    """The run as it stood at one snapshot.

    Attributes:
        index: which of the snapshots.
        step, epoch: when.
        arrays: what the snapshot holds.
        values: the metrics measured by then, by name.
        latest: whether this is the newest snapshot.
    """

    def __init__(
        self, index: int, step: int, epoch: float, arrays: dict[str, Any], values: dict[str, float], latest: bool
    ) -> None:
        self.index, self.step, self.epoch = index, step, epoch
        self.arrays, self.values, self.latest = arrays, values, latest


class RecordedRun:
    """One run of a store.

    Attributes:
        run: the stored record, as of the last :meth:`refresh`.
        history: the metrics so far, by name.
        snapshots: the moments at which the run can be seen.
        static: the arrays that stay the same over the run.
    """

    #: Something works, or waits to work, on the run.
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
        """The specification that was asked for; None where this kernlab cannot read it (a run of another version)."""
        try:
            return RunSpec.from_dict(self.run.spec)
        except KernlabError:
            return None

    @property
    def method(self) -> MethodSpec | None:
        """The method with every "auto" resolved; as asked for before the start, None where it cannot be read."""
        stated = self.run.resolved or self.run.spec
        if self._read[0] is not stated:
            try:
                self._read = stated, RunSpec.from_dict(stated).method
            except KernlabError:
                self._read = stated, None
        return self._read[1]

    @property
    def kept(self) -> Kept | None:
        """What the held-out rows chose; None before they have, and where there are none."""
        return kept(self.facts)

    @property
    def at_once(self) -> bool:
        """The run is solved in one step: there is a before and an after, and nothing in between."""
        return self.facts.get("total_steps") == 1

    @property
    def unit(self) -> str:
        """What time is counted in: passes over the data, or steps of a solver that sees all rows at once."""
        return "epoch" if (method := self.method) is None or learns_in_batches(method) else "step"

    @property
    def version(self) -> tuple[int, int]:
        """Changes whenever there is something new to draw."""
        return self._cursor, len(self.snapshots.steps)

    def refresh(self) -> None:
        """Fetch what is new in the store."""
        self.run = self._record()
        self._fetch_metrics()

    def _record(self) -> Run:
        """The run's record; a damaged one raises a sentence instead of putting wrong values into pictures."""
        run = self.store.get(self.id)
        if run.trouble:
            raise run.trouble
        return run

    def _fetch_metrics(self) -> None:
        new = self.store.metrics(self.id, self._cursor)
        if new.whole:
            self.history, self._arrays = dict(new.curves), OrderedDict()
        else:
            for name, curve in new.curves.items():
                old = self.history.get(name)
                self.history[name] = curve if old is None else _joined(old, curve)
        if self.run.facts.get("bound") == "frame":
            self.history = _with_root(self.history, int(self.facts["n_train"]))
        self._cursor = new.cursor
        self.snapshots = self.store.snapshots(self.id)
        if self.run.facts and not self.static:
            self.static = self.store.static(self.id)

    def until(self, step: int) -> dict[str, Curve]:
        """The metrics up to ``step``."""
        return {
            name: _cut(curve, int(np.searchsorted(curve.steps, step, "right"))) for name, curve in self.history.items()
        }

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
        if step not in self._arrays:
            self._arrays[step] = self.store.snapshot(self.id, step)
            while len(self._arrays) > _KEPT:
                self._arrays.popitem(last=False)
        self._arrays.move_to_end(step)
        return self._arrays[step]


def _joined(old: Curve, new: Curve) -> Curve:
    steps, epochs = np.concatenate([old.steps, new.steps]), np.concatenate([old.epochs, new.epochs])
    return Curve(steps, epochs, np.concatenate([old.values, new.values]))


def _cut(curve: Curve, count: int) -> Curve:
    return Curve(curve.steps[:count], curve.epochs[:count], curve.values[:count])


def _with_root(history: dict[str, Curve], n: int) -> dict[str, Curve]:
    """A frame's bound as this version computes it, at the steps too where an older one stored the printed bound."""
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

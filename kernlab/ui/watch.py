"""One run as a page follows it: what is new since the last look is fetched, the rest is kept.

Knows the store and the job manager, not Streamlit; a session keeps one of these.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.bounds import with_root
from kernlab.errors import KernlabError, UnknownNameError
from kernlab.methods import MethodSpec
from kernlab.runs.jobs import JobManager, JobState
from kernlab.runs.kept import Kept, kept
from kernlab.runs.store import Curve, Run, Snapshots
from kernlab.solvers import Problem, StepwiseSolver
from kernlab.spec import RunSpec

__all__ = ["Moment", "Watch", "learns_in_batches", "may_end_early", "solved_at_once"]

_KEPT = 6  # snapshots in memory, of about 2 MB each: enough to scrub to and fro


def learns_in_batches(method: MethodSpec) -> bool:
    """Whether it learns from mini-batches; else its solver sees all rows at every step."""
    return not isinstance(method.solver, StepwiseSolver)


def may_end_early(method: MethodSpec) -> bool:
    """Whether the steps it is given are only the most that it may take."""
    if isinstance(method.solver, StepwiseSolver):
        return True
    options = method.solver.options()
    return options["schedule"] == "plateau" or options["validation"] not in ("auto", 0)


def solved_at_once(method: MethodSpec) -> bool:
    """Whether its solver takes a single step."""
    solver = method.solver
    if not isinstance(solver, StepwiseSolver):
        return False
    nothing = torch.empty(0, 1)
    return solver.steps(Problem(method.feature_map, method.objective, nothing, nothing, 1, "regression")) == 1


class Moment:
    """The run as it stood at one snapshot.

    Attributes:
        index: which of the snapshots, -1 before there is one.
        step, epoch: when.
        arrays: what the snapshot holds.
        values: the metrics measured then, by name.
        latest: this is the newest there is.
    """

    def __init__(
        self, index: int, step: int, epoch: float, arrays: dict[str, Any], values: dict[str, float], latest: bool
    ) -> None:
        self.index, self.step, self.epoch = index, step, epoch
        self.arrays, self.values, self.latest = arrays, values, latest


class Watch:
    """Follows one run.

    Attributes:
        run: the stored record, as of the last :meth:`refresh`.
        state: how far it is.
        history: its metrics so far.
        snapshots: the moments it can be looked at.
        static: what stays the same over the run.
    """

    def __init__(self, jobs: JobManager, run_id: str) -> None:
        self.jobs, self.id = jobs, run_id
        self.state: JobState = jobs.snapshot(run_id)  # first: it knows why a run could not start
        with self._reason():
            self.run: Run = self._whole()
        self.history: dict[str, Curve] = {}
        self.snapshots = Snapshots(np.zeros(0, np.int64), np.zeros(0))
        self.static: dict[str, NDArray[Any]] = {}
        self._cursor, self._over = 0, False
        self._read: tuple[dict[str, Any], MethodSpec | None] = ({}, None)
        self._arrays: OrderedDict[int, dict[str, NDArray[Any]]] = OrderedDict()

    @property
    def live(self) -> bool:
        """Somebody works, or waits to work, on it."""
        return self.state.status in ("queued", "running", "paused")

    @property
    def facts(self) -> dict[str, Any]:
        """The facts of its start; empty before."""
        return self.run.facts

    @property
    def spec(self) -> RunSpec | None:
        """What it was asked to do; None where this kernlab cannot read it (a run of another version)."""
        try:
            return RunSpec.from_dict(self.run.spec)
        except KernlabError:
            return None

    @property
    def method(self) -> MethodSpec | None:
        """The method with every "auto" resolved; as asked for before the start, None where it cannot be read."""
        said = self.run.resolved or self.run.spec
        if self._read[0] is not said:
            try:
                self._read = said, RunSpec.from_dict(said).method
            except KernlabError:
                self._read = said, None
        return self._read[1]

    @property
    def kept(self) -> Kept | None:
        """What the rows that did not train chose; None before, and where there are none."""
        return kept(self.facts)

    @property
    def choosing(self) -> bool:
        """It still learns on a part of its rows, to find how long to train."""
        return bool(self.facts.get("n_held")) and not self.kept

    @property
    def at_once(self) -> bool:
        """It is solved in one step: there is a before and an after, and nothing in between."""
        return self.facts.get("total_steps") == 1

    @property
    def unit(self) -> str:
        """What time is counted in: passes over the data, or steps of a solver that sees all of them at once."""
        return "epoch" if (method := self.method) is None or learns_in_batches(method) else "step"

    @property
    def early(self) -> bool:
        """It may end before its last step, where it has converged or stands still."""
        method = self.method
        if self.kept and method:
            return bool(method.solver.options()["schedule"] == "plateau")
        return not self.at_once and (method is None or may_end_early(method))

    @property
    def length(self) -> float:
        """Epochs (or such steps) of the whole run; of one that is over, as far as it came."""
        if not self.live and len(self.snapshots.epochs):
            return float(self.snapshots.epochs[-1])
        return float(self.facts.get("total_epochs") or self.facts["total_steps"] / self.facts["steps_per_epoch"])

    @property
    def version(self) -> tuple[int, int]:
        """Changes whenever there is something new to draw."""
        return self._cursor, len(self.snapshots.steps)

    def refresh(self) -> None:
        """Fetch what is new. A run that was over at the last look costs nothing."""
        if not self._over:
            with self._reason():
                self._fetch()

    @contextmanager
    def _reason(self) -> Iterator[None]:
        """A run that is refused while it is looked at: say why it could not start, not that it is gone."""
        try:
            yield
        except UnknownNameError:
            self.jobs.snapshot(self.id)
            raise

    def _whole(self) -> Run:
        """The run's record; a damaged one is a sentence instead of wrong values in pictures."""
        run = self.jobs.store.get(self.id)
        if run.trouble:
            raise run.trouble
        return run

    def _fetch(self) -> None:
        store = self.jobs.store
        self.state = self.jobs.snapshot(self.id)
        over = not self.live  # asked before the metrics: what comes between the two is still fetched
        if over or self.choosing or not self.run.facts or self.run.status != self.state.status:
            self.run = self._whole()
        new = store.metrics(self.id, self._cursor)
        if new.whole:
            self.history, self._arrays = dict(new.curves), OrderedDict()
        else:
            for name, curve in new.curves.items():
                old = self.history.get(name)
                self.history[name] = curve if old is None else _joined(old, curve)
        if self.run.facts.get("bound") == "frame":
            self.history = _with_root(self.history, int(self.facts["n_train"]))
        self._cursor = new.cursor
        self.snapshots = store.snapshots(self.id)
        if self.run.facts and not self.static:
            self.static = store.static(self.id)
        self._over = over

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
            self._arrays[step] = self.jobs.store.snapshot(self.id, step)
            while len(self._arrays) > _KEPT:
                self._arrays.popitem(last=False)
        self._arrays.move_to_end(step)
        return self._arrays[step]


def _joined(old: Curve, new: Curve) -> Curve:
    return Curve(
        np.concatenate([old.steps, new.steps]),
        np.concatenate([old.epochs, new.epochs]),
        np.concatenate([old.values, new.values]),
    )


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


def _cut(curve: Curve, count: int) -> Curve:
    return Curve(curve.steps[:count], curve.epochs[:count], curve.values[:count])

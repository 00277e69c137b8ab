"""Computing one cell: data → split → tuning inside the training part → training → the two parts measured.

Whatever goes wrong in it becomes a failed record with the sentence: one method failing on one split says
nothing about the others.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
import logging
import math
import platform
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from kernlab import __version__, devices
from kernlab.compare.base import Cell, Record
from kernlab.data import Dataset, Prepared, constant_metric, fingerprint, load, prepare
from kernlab.errors import CompositionError, DataError, KernlabError, TrainingError
from kernlab.heads import Head
from kernlab.methods import METHODS, MethodSpec
from kernlab.model import outputs
from kernlab.solvers import ProximalGradient
from kernlab.training import rules
from kernlab.training.state import TrainingState
from kernlab.training.trainer import start
from kernlab.typing import Tensor

__all__ = ["method_of", "prepared_for", "run_cell"]

_log = logging.getLogger(__name__)

LOOKS = 20  # points of a curve, about
LOOK_ROWS = 2000  # rows of each part that a point looks at


def run_cell(cell: Cell, *, dataset: Dataset | None = None, prepared: Prepared | None = None) -> Record:
    """Compute a cell on one thread; it never raises for what goes wrong inside.

    Args:
        cell: what to compute.
        dataset: the cell's data set, where it is at hand; otherwise loaded by its name.
        prepared: the same, split and scaled as :func:`prepared_for` does.
    """
    record = Record(cell.key, cell.to_dict(), "failed", versions=versions())
    try:
        with devices.one_thread(), threadpool_limits(1):
            return dataclasses.replace(record, **_computed(cell, prepared or prepared_for(cell, dataset)))
    except KernlabError as error:
        message = str(error)
    except (torch.linalg.LinAlgError, np.linalg.LinAlgError, FloatingPointError):  # type: ignore[attr-defined]
        message = str(TrainingError("the numbers must stay finite", "no decomposition of a matrix was found"))
    except (torch.OutOfMemoryError, MemoryError):
        advice = "set a smaller n_features or batch_size, or fewer workers"
        message = str(TrainingError("the cell must fit into memory", cell.device, advice))
    except Exception as error:
        _log.error("cell %s failed with an unexpected error", cell.key, exc_info=error)
        message = f"An error inside kernlab ({type(error).__name__}: {error})."
    return dataclasses.replace(record, message=message)


def method_of(cell: Cell) -> MethodSpec | None:
    """The cell's method with its options; None for a rival."""
    if cell.method not in METHODS:
        return None
    spec = METHODS[cell.method].with_options(cell.options)
    if isinstance(spec.solver, ProximalGradient) and spec.solver.compile == "auto":
        # A worker without a compiler must come to the same digits.
        spec = spec.with_options({"compile": "off"})
    return spec


def prepared_for(cell: Cell, dataset: Dataset | None = None) -> Prepared:
    """The cell's split, scaled; where the scaling is "auto" the method may have one of its own.

    Raises:
        DataError: the data are not those that the cell names, or cannot be split so.
    """
    if dataset is None:
        dataset = load(cell.data)
        if fingerprint(dataset) != cell.fingerprint:
            raise DataError(
                "a cell's data must be those that the comparison was planned with",
                f"another content of {dataset.name!r}",
                "start the comparison anew",
            )
    method, data = method_of(cell), cell.data
    if data.scaling == "auto" and method and method.input_scaling:
        data = data.replace(scaling=method.input_scaling)
    return prepare(dataset, data, cell.seed)


def training_part(prepared: Prepared) -> Prepared:
    """The same without a single test row: what tuning is given to see."""
    none = slice(0, 0)
    return dataclasses.replace(
        prepared, test_rows=prepared.test_rows[none], X_test=prepared.X_test[none], y_test=prepared.y_test[none]
    )


def _computed(cell: Cell, prepared: Prepared) -> dict[str, Any]:
    """What is known of the cell once it is computed: fields of its record."""
    options, found = cell.options, {}
    if cell.tuning:
        from kernlab.compare.tuning import tune

        name = method_of(cell) or cell.method
        best = tune(name, options, training_part(prepared), cell.tuning, cell.seed, device=cell.device)
        chosen = {key: value for key, value in best.options.items() if key not in cell.options}
        found = {"chosen": chosen, "tuning_seconds": best.seconds, "trials": best.trials}
        options = {**options, **chosen}
    method = method_of(dataclasses.replace(cell, options=options))
    measured = _trained(method, prepared, cell) if method else _fitted(cell, options, prepared)
    if not all(math.isfinite(measured[part]) for part in ("train", "test")):
        raise TrainingError("what a method predicts must be finite", measured["test"], "look at its options")
    return {
        "status": "done",
        "metric": "accuracy" if prepared.targets is None else "rmse",
        "constant": constant_metric(prepared),
        "n_train": len(prepared.X_train),
        "n_test": len(prepared.X_test),
        **found,
        **measured,
    }


# -- kernlab's methods ------------------------------------------------------------------------------------------


def _trained(method: MethodSpec, prepared: Prepared, cell: Cell) -> dict[str, Any]:
    """Train to the end, looking now and then; the clock stands still while looking."""
    device = devices.resolve(cell.device)
    torch.optim.Adam([torch.zeros(1)])  # a process's first optimizer takes seconds to load: no part of the training
    clock = _Clock(device)
    state = start(rules.resolve(method, prepared), prepared, cell.seed, device)
    watch = _Watch(state)
    looks = _looks(state)
    while not state.done:
        if state.step in looks:
            clock.stop()
            watch.look()
            clock.go()
        state.advance()
    if any(not bool(value.isfinite().all()) for value in state.params.values()):
        raise state.diverged("weights that are not finite")
    state.settle()
    clock.stop()
    heads = {head.name: watch.measured(head) for head in state.method.heads}
    train, test = heads[state.method.head.name]
    watch.add(train, test)
    extra: dict[str, Any] = {"options": state.method.options(), "steps": state.step}
    if len(heads) > 1:
        extra["heads"] = {name: {"train": each[0], "test": each[1]} for name, each in heads.items()}
    if prepared.targets:
        extra["test_rmse_range100"] = watch.range100()
    return {"train": train, "test": test, "seconds": clock.seconds, "curve": watch.curve, "extra": extra}


class _Clock:
    """Seconds of training, without the time spent on looking at it."""

    def __init__(self, device: torch.device) -> None:
        self.seconds, self._device, self._since = 0.0, device, time.perf_counter()

    def stop(self) -> None:
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        self.seconds += time.perf_counter() - self._since

    def go(self) -> None:
        self._since = time.perf_counter()


def _looks(state: TrainingState) -> set[int]:
    """Steps before which the model is looked at: ends of epochs, spread evenly, where its head is quickly fitted."""
    head = state.method.head
    if head.takes != "solver" and not head.quick:
        return set()
    ends = range(0, state.total, state.per_epoch)
    return set(ends[:: math.ceil(len(ends) / LOOKS)])


class _Watch:
    """Measures the training and the test part, and draws the curve."""

    def __init__(self, state: TrainingState) -> None:
        self.state = state
        data, order = state.data, np.random.default_rng(state.seed)
        self._test = state.tensors(data.X_test, data.y_test)
        self._train_rows = torch.from_numpy(order.permutation(state.n)[:LOOK_ROWS]).to(state.device)
        self._test_rows = torch.from_numpy(order.permutation(len(data.X_test))[:LOOK_ROWS]).to(state.device)
        self.curve: dict[str, list[float]] = {"epoch": [], "train_metric": [], "test_metric": []}

    @torch.no_grad()
    def look(self) -> None:
        """A point of the curve, measured on a sample of rows."""
        params, (X_test, y_test) = self.state.with_head(), self._test
        F_train = outputs(self.state.method, params, self.state.X[self._train_rows])
        F_test = outputs(self.state.method, params, X_test[self._test_rows])
        self.add(self._score(F_train, self.state.y[self._train_rows]), self._score(F_test, y_test[self._test_rows]))

    def add(self, train: float, test: float) -> None:
        """A point of the curve."""
        for name, value in (("epoch", self.state.epoch), ("train_metric", train), ("test_metric", test)):
            self.curve[name].append(value)

    @torch.no_grad()
    def measured(self, head: Head) -> tuple[float, float]:
        """Metric on all rows of the training and the test part."""
        params, (X_test, y_test) = self.state.with_head(head), self._test
        F_train, F_test = (outputs(self.state.method, params, X, head) for X in (self.state.X, X_test))
        return self._score(F_train, self.state.y), self._score(F_test, y_test)

    @torch.no_grad()
    def range100(self) -> float:
        """Test RMSE with every target stretched to [0, 100]."""
        X_test, y_test = self._test
        F = outputs(self.state.method, self.state.with_head(), X_test)
        return self._score(F, y_test, self.state.data.range100)

    def _score(self, F: Tensor, y: Tensor, unit: Any = 1.0) -> float:
        return score(F.cpu().numpy(), y.cpu().numpy(), self.state.data, unit)


def score(F: Any, y: Any, prepared: Prepared, unit: Any = 1.0) -> float:
    """Accuracy in percent of class scores [n K], or the RMSE of standardised outputs [n K] in the reported unit."""
    if prepared.targets is None:
        return 100.0 * int((F.argmax(1) == y).sum()) / len(y)
    errors = (F - y).astype(np.float64) * prepared.targets.scale * unit
    return float(np.sqrt(np.mean(errors**2)))


# -- rivals -----------------------------------------------------------------------------------------------------


def _fitted(cell: Cell, options: Mapping[str, Any], prepared: Prepared) -> dict[str, Any]:
    """Fit a rival and measure it."""
    from kernlab.compare.rivals import RIVALS

    rival = RIVALS[cell.method]
    if prepared.dataset.task not in rival.tasks:
        raise CompositionError(
            f"the baseline {cell.method} is for {' or '.join(rival.tasks)}", f"a {prepared.dataset.task} data set"
        )
    measured = rival.fit_score(prepared, cell.seed, options)
    fields = {name: measured.pop(name) for name in ("test", "train", "seconds")}
    return {**fields, "extra": {"options": rival.build(**options).options(), **measured}}


@functools.cache
def versions() -> dict[str, str]:
    """What the numbers may depend on besides the cell."""
    found = {"kernlab": __version__, "python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in ("torch", "numpy", "scikit-learn")}
    return {**found, "machine": f"{platform.system()} {platform.machine()}"}

"""Computing cells: data → split → tuning inside the training part → training → the two parts measured.

Every error inside a cell becomes a failed record with a sentence: one method failing on one split does not concern the
others.
"""

from __future__ import annotations

import functools
import importlib.metadata
import math
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from kernlab import __version__, devices
from kernlab.compare.base import Cell, Record, named
from kernlab.compare.baselines import BASELINES
from kernlab.compare.tuning import tune
from kernlab.data import Dataset, Prepared, constant_metric, fingerprint, load, prepare, rescaled
from kernlab.earlier import options_from_version_1
from kernlab.errors import CompositionError, DataError, KernlabError, TrainingError
from kernlab.methods import MethodSpec
from kernlab.solvers import ProximalGradient
from kernlab.training import rules, stacked
from kernlab.training.failures import failure_message
from kernlab.training.replicates import SHARE_OF_FREE, Replicate, Task, free_memory, replicate, train_replicate

__all__ = ["died", "failed", "method_of", "prediction_ms", "prepared_for", "run_cell", "run_cells", "stackable"]

LOOKS = 20  # points of a curve, approximately


def run_cell(cell: Cell, *, dataset: Dataset | None = None, prepared: Prepared | None = None) -> Record:
    """Compute a cell on one thread; errors inside it never raise.

    Args:
        cell: what to compute.
        dataset: the cell's data set; by default loaded by its name.
        prepared: the same, split and scaled as :func:`prepared_for` does.
    """
    try:
        with devices.one_thread(), threadpool_limits(1):
            return _computed(cell, prepared or prepared_for(cell, dataset))
    except Exception as error:
        return failed(cell, failure_message(error, cell.device))


def run_cells(cells: Sequence[Cell], dataset: Dataset) -> Iterator[Record]:
    """As :func:`run_cell` for each of several, whose trainings are done side by side.

    Args:
        cells: all :func:`stackable`, on one device.
        dataset: the data set of all.
    """
    room = int(SHARE_OF_FREE * free_memory(torch.device("cpu")))
    together = max(1, room // (2 * dataset.X.nbytes))  # each has its own split of the data
    for first in range(0, len(cells), together):
        ready: list[tuple[Cell, MethodSpec, Prepared]] = []
        for cell in cells[first : first + together]:
            try:
                method = method_of(cell)
                assert method, "a baseline has nothing to stack"
                ready.append((cell, method, prepared_for(cell, dataset)))
            except Exception as error:
                yield failed(cell, failure_message(error, cell.device))
        methods, data, seeds = ([r[1] for r in ready], [r[2] for r in ready], [r[0].seed for r in ready])
        for found in replicate(methods, data, seeds, device=cells[0].device, batched=True, evaluations=LOOKS):
            cell, _, prepared = ready[found.number]
            yield _trained(cell, prepared, found, {})


def stackable(cell: Cell) -> bool:
    """Whether the cell's training can be stacked with those of other splits and settings."""
    try:
        method = None if cell.tuning else method_of(cell)
    except KernlabError:
        return False
    return method is not None and stacked.stackable(method)


def failed(cell: Cell, message: str) -> Record:
    """The record of a cell that failed."""
    return Record(cell.key, cell.to_dict(), "failed", message, versions=versions())


def died(cell: Cell) -> Record:
    """The failed record of a cell whose process dies."""
    message = (
        "Every process that computed it died, most likely since it ran out of memory. "
        "Set a smaller n_features or batch_size, or fewer workers."
    )
    return failed(cell, message)


def options_of(cell: Cell) -> dict[str, Any]:
    """The cell's options in the terms of today."""
    if cell.version == 1 and (method := named(cell.method)):
        return options_from_version_1(method, cell.options)
    return dict(cell.options)


def method_of(cell: Cell, chosen: Mapping[str, Any] | None = None) -> MethodSpec | None:
    """The cell's method with its options and those that a search has chosen; None for a baseline."""
    if (method := named(cell.method)) is None:
        return None
    spec = method.with_options({**options_of(cell), **(chosen or {})})
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
    return prepare(dataset, rules.resolve_data(cell.data, method_of(cell)), cell.seed)


def training_part(prepared: Prepared) -> Prepared:
    """The split without its test rows, as tuning sees it."""
    none = slice(0, 0)
    return replace(
        prepared, test_rows=prepared.test_rows[none], X_test=prepared.X_test[none], y_test=prepared.y_test[none]
    )


def _computed(cell: Cell, prepared: Prepared) -> Record:
    options, chosen, tuned = options_of(cell), {}, {}
    if cell.tuning:
        name = method_of(cell) or cell.method
        free = cell.data.scaling == "auto"
        best = tune(name, options, training_part(prepared), cell.tuning, cell.seed, device=cell.device, scaling=free)
        chosen = {key: value for key, value in best.options.items() if key not in options}
        tuned = {"chosen": chosen, "tuning_seconds": best.seconds, "trials": best.trials}
        options = {**options, **chosen}
        if best.scaling:
            prepared = rescaled(prepared, best.scaling)
            tuned["chosen"] = {"scaling": best.scaling, **chosen}
    method = method_of(cell, chosen)
    if method is None:
        return _fitted(cell, options, prepared, tuned)
    found = train_replicate(Task(0, method, prepared, cell.seed), devices.resolve(cell.device), LOOKS)
    return _trained(cell, prepared, found, tuned)


def _trained(cell: Cell, prepared: Prepared, found: Replicate, tuned: Mapping[str, Any]) -> Record:
    """The record of a cell whose method was trained."""
    if found.message:
        return failed(cell, found.message)
    metrics = found.metrics
    extra: dict[str, Any] = {"options": found.options, "steps": metrics["steps"]}
    if "heads" in metrics:
        extra["heads"] = {
            name: {"train": each["train_metric"], "test": each["test_metric"]}
            for name, each in metrics["heads"].items()
        }
    if "test_rmse_range100" in metrics:
        extra["test_rmse_range100"] = metrics["test_rmse_range100"]
    fields = {"train": metrics["train_metric"], "test": metrics["test_metric"], "seconds": found.seconds}
    inputs = prepared.dataset.X[prepared.test_rows]
    return _done(cell, prepared, {**fields, "curve": found.curve, **tuned}, extra, found.model.predict, inputs)


def _fitted(cell: Cell, options: Mapping[str, Any], prepared: Prepared, tuned: Mapping[str, Any]) -> Record:
    """The record of a cell with a baseline."""
    baseline = BASELINES[cell.method].build(**options)
    if prepared.dataset.task not in baseline.tasks:
        raise CompositionError(
            f"the baseline {cell.method} is for {' or '.join(baseline.tasks)}", f"a {prepared.dataset.task} data set"
        )
    measured, predict = baseline.fit_score(prepared, cell.seed)
    fields = {name: measured.pop(name) for name in ("test", "train", "seconds")}
    return _done(
        cell, prepared, {**fields, **tuned}, {"options": baseline.options(), **measured}, predict, prepared.X_test
    )


def _done(
    cell: Cell,
    prepared: Prepared,
    fields: Mapping[str, Any],
    extra: Mapping[str, Any],
    predict: Callable[[NDArray[Any]], NDArray[Any]],
    inputs: NDArray[Any],
) -> Record:
    """The record of a computed cell; a failed one where its metrics are not finite.

    Args:
        fields, extra: of the record.
        predict, inputs: the trained model, and the test rows as it takes them: for what is measured of every model.
    """
    if not all(math.isfinite(fields[part]) for part in ("train", "test")):
        unfit = TrainingError("the predictions of a method must be finite", fields["test"], "change its options")
        return failed(cell, str(unfit))
    return Record(
        cell.key,
        cell.to_dict(),
        "done",
        metric=prepared.metric,
        constant=constant_metric(prepared),
        n_train=len(prepared.X_train),
        n_test=len(prepared.X_test),
        versions=versions(),
        extra={**extra, "prediction_ms": prediction_ms(predict, inputs)},
        **fields,
    )


def prediction_ms(predict: Callable[[NDArray[Any]], NDArray[Any]], X: NDArray[Any]) -> float:
    """Milliseconds for 1000 predictions on one thread: the fastest of three passes (fewer where they take half a second
    in all) over 1000 rows, those of ``X`` [n d] from the first on and, where they are fewer, from the first again."""
    rows, times = np.resize(X, (1000, X.shape[1])), list[float]()
    with devices.one_thread(), threadpool_limits(1):
        while len(times) < 3 and sum(times) < 0.5:
            began = time.perf_counter()
            predict(rows)
            times.append(time.perf_counter() - began)
    return 1e3 * min(times)


@functools.cache
def versions() -> dict[str, str]:
    """Versions on which the numbers may depend besides the cell."""
    found = {"kernlab": __version__, "python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in ("torch", "numpy", "scikit-learn")}
    return {**found, "machine": f"{platform.system()} {platform.machine()}"}

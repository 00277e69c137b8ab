"""From arrays to what training sees: scaled once, with the weights of the samples, and nothing held back for a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.data import Dataset, Prepared, Scaler
from kernlab.data.base import Scaling
from kernlab.errors import DataError, OptionError
from kernlab.methods import MethodSpec
from kernlab.objectives import MapObjective
from kernlab.solvers import FullBatchSolver, ProximalGradient
from kernlab.typing import Task, Tensor

__all__ = ["at_most", "heeds_weights", "precision", "prepared", "scaled", "typical_rows"]

SCALINGS = ("standardize", "[0,1]", "[-1,1]", "none", "ranks")
TYPICAL = 1000  # rows that an automatic scale is read off


def heeds_weights(method: MethodSpec) -> bool:
    """Whether a sample of weight k counts exactly as k copies of it.

    Not where mini-batches are drawn, nor where the representation starts from rows of the data.
    """
    solver, head = method.solver, method.head
    learning = isinstance(solver, FullBatchSolver) and solver.weighted
    predicting = head.takes == "solver" or head.weighted
    return learning and predicting and not method.feature_map.from_rows


def at_most(method: MethodSpec, n: int, *, width: bool, batch: bool) -> MethodSpec:
    """The method cut down to n rows: no more landmarks than rows, no mini-batch larger than all of them, and
    features half as many as the rows where they are judged by how well they explain the targets.

    Args:
        method: the method.
        n: training rows.
        width: the number of features may be changed.
        batch: the size of the mini-batches may be changed.
    """
    options = method.options()
    changes: dict[str, Any] = {}
    if width and "n_features" in options:
        most = max(1, n // 2) if isinstance(method.objective, MapObjective) else n
        if method.feature_map.from_rows or isinstance(method.objective, MapObjective):
            changes["n_features"] = min(options["n_features"], most)
    if batch and isinstance(method.solver, ProximalGradient) and method.solver.batch_size != "auto":
        changes["batch_size"] = min(method.solver.batch_size, n)
    return method.with_options(changes) if changes else method


def precision(method: MethodSpec, device: torch.device) -> type[np.floating[Any]]:
    """float64 where all rows are looked at in every step, float32 for mini-batches and where there is nothing else."""
    return np.float64 if isinstance(method.solver, FullBatchSolver) and device.type != "mps" else np.float32


def scaled(kind: str, X: NDArray[Any], weight: NDArray[np.float64] | None = None) -> Scaler:
    """The scaler of that kind, measured on X.

    Raises:
        OptionError: there is no such scaling.
    """
    if kind not in SCALINGS:
        raise OptionError(f"scaling must be one of auto, {', '.join(SCALINGS)}", repr(kind))
    chosen: Scaling = kind  # type: ignore[assignment]
    return Scaler.fit(chosen, X, weight=weight)


def prepared(
    task: Task,
    X: NDArray[Any],
    y: NDArray[Any],
    names: Sequence[str],
    feature_names: Sequence[str],
    inputs: Scaler,
    targets: Scaler | None,
    dtype: type[np.floating[Any]],
) -> Prepared:
    """Everything as one training part.

    Args:
        task: "classification" or "regression".
        X: inputs, [n d].
        y: class codes [n], or targets [n K].
        names: classes or targets.
        feature_names: d names.
        inputs, targets: scalers.
        dtype: of the numbers.
    """
    rows, none = np.arange(len(X)), np.arange(0)
    dataset = Dataset("given", X, y, task, tuple(feature_names), tuple(names))
    train, codes = inputs.transform(X, dtype=dtype), targets.transform(y, dtype=dtype) if targets else y
    return Prepared(dataset, rows, none, train, train[:0], codes, codes[:0], inputs, targets)


def typical_rows(X: NDArray[Any], weight: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """1000 rows that stand for all, each as often as its weight asks for; the order of the rows has no say.

    Rows are put in the order of their bytes and taken at even distances of the summed weights, so that a
    row of weight k and k copies of it give the same sample, to the last bit for whole weights.
    """
    keys = np.ascontiguousarray(X + 0.0).view(np.dtype((np.void, X.shape[1] * X.itemsize))).reshape(-1)
    order = keys.argsort(kind="stable")
    passed = np.cumsum(np.ones(len(X)) if weight is None else weight[order])
    places = passed[-1] * (2 * np.arange(TYPICAL) + 1) / (2 * TYPICAL)
    return np.asarray(X[order[np.searchsorted(passed, places).clip(max=len(X) - 1)]])


def as_weights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as they are, if they can be.

    Raises:
        DataError: some are negative, or all are zero.
    """
    if (values < 0).any():
        raise DataError("sample weights must not be negative", f"{values.min():g}")
    if not (values > 0).any():
        raise DataError("sample weights must not all be zero", f"{len(values)} weights of 0")
    return values


def tensor(weight: NDArray[np.float64] | None, device: torch.device, dtype: type[np.floating[Any]]) -> Tensor | None:
    """The weights on the device."""
    return None if weight is None else torch.from_numpy(weight.astype(dtype)).to(device)

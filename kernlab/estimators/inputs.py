"""From arrays to the data of a training: scaled once, with the weights of the samples, and without a test part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.data import Dataset, Prepared, Scaler
from kernlab.data.base import Scaling, scaling_name
from kernlab.errors import DataError, OptionError
from kernlab.methods import MethodSpec
from kernlab.solvers import FullBatchSolver, ProximalGradient
from kernlab.training.rules import with_fewer_features
from kernlab.typing import Task

__all__ = ["at_most", "class_codes", "heeds_weights", "precision", "prepared", "scaled", "typical_rows"]

SCALINGS = get_args(Scaling)
TYPICAL = 1000  # rows from which an automatic scale is read


def heeds_weights(method: MethodSpec) -> bool:
    """Whether a sample of weight k counts exactly as k copies of it.

    Not where mini-batches are drawn, nor where the representation starts from rows of the data.
    """
    solver, head = method.solver, method.head
    learning = isinstance(solver, FullBatchSolver) and solver.weighted
    predicting = head.stage == "joint" or head.weighted
    return learning and predicting and not method.feature_map.from_rows


def at_most(method: MethodSpec, n: int, *, width: bool, batch: bool) -> MethodSpec:
    """The method with sizes that suit n rows: few enough features, and mini-batches of at most n rows.

    ``width``, ``batch``: what may be changed.
    """
    if width:
        method = with_fewer_features(method, n)
    if batch and isinstance(method.solver, ProximalGradient) and method.solver.batch_size != "auto":
        method = method.with_options({"batch_size": min(method.solver.batch_size, n)})
    return method


def precision(method: MethodSpec, device: torch.device) -> type[np.floating[Any]]:
    """float64 where every step uses all rows, float32 for mini-batches and on devices without float64."""
    return np.float64 if isinstance(method.solver, FullBatchSolver) and device.type != "mps" else np.float32


def scaled(kind: str, X: NDArray[Any], weight: NDArray[np.float64] | None = None) -> Scaler:
    """The scaler of that kind, measured on X.

    Raises:
        OptionError: there is no such scaling.
    """
    if scaling_name(kind) not in SCALINGS:
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
    """All rows as one training part: inputs X [n d], and class codes [n] or targets [n K] with their names."""
    rows, none = np.arange(len(X)), np.arange(0)
    dataset = Dataset("options_set", X, y, task, tuple(feature_names), tuple(names))
    train, codes = inputs.transform(X, dtype=dtype), targets.transform(y, dtype=dtype) if targets else y
    return Prepared(dataset, rows, none, train, train[:0], codes, codes[:0], inputs, targets)


def class_codes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64], tuple[str, ...]]:
    """The classes among labels, the code of each label, and the names of the classes.

    Raises:
        DataError: fewer than two classes.
    """
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            "learning needs rows of at least two classes",
            f"{len(y)} sample{'s' * (len(y) != 1)} of one class, {classes[0]!r}",
        )
    return classes, codes.reshape(-1).astype(np.int64), tuple(map(str, classes))


def typical_rows(X: NDArray[Any], weight: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """1000 rows that stand for all, each in proportion to its weight; independent of the order of the rows.

    Rows are sorted by their bytes and taken at even distances of the summed weights, so that a row of weight k and k
    copies of it give the same sample, to the last bit for whole weights.
    """
    keys = np.ascontiguousarray(X + 0.0).view(np.dtype((np.void, X.shape[1] * X.itemsize))).reshape(-1)
    order = keys.argsort(kind="stable")
    passed = np.cumsum(np.ones(len(X)) if weight is None else weight[order])
    places = passed[-1] * (2 * np.arange(TYPICAL) + 1) / (2 * TYPICAL)
    return np.asarray(X[order[np.searchsorted(passed, places).clip(max=len(X) - 1)]])


def as_weights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights, checked.

    Raises:
        DataError: some are negative, or all are zero.
    """
    if (values < 0).any():
        raise DataError("sample weights must not be negative", f"{values.min():g}")
    if not (values > 0).any():
        raise DataError("sample weights must not all be zero", f"{len(values)} weights of 0")
    return values

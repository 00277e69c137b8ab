"""The base of classifier and regressor: a method by its name, its options as parameters, and training.

estimator.fit(X, y)            for the length that the method sets
estimator.partial_fit(X, y)    one pass over these rows, where the method learns from mini-batches
estimator.save(path), load     one file of tensors and JSON
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from types import MethodType
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from safetensors import safe_open
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from kernlab import devices
from kernlab.data import Scaler
from kernlab.errors import OptionError
from kernlab.estimators import inputs
from kernlab.estimators.options import (
    STOPPING,
    Configured,
    constructor,
    every_option,
    options_set,
    stopping,
)  # fmt: skip
from kernlab.estimators.persistence import Saved
from kernlab.feature_maps import ExactKernel
from kernlab.heads import feature_blocks
from kernlab.heads.coordinates import Coordinates, coordinates
from kernlab.linalg import wide_parameters
from kernlab.methods import METHODS, MethodSpec
from kernlab.model import Model
from kernlab.objectives import MapObjective
from kernlab.solvers import ProximalGradient
from kernlab.training import rules
from kernlab.training.events import Checkpoint
from kernlab.training.gradient import GradientState, row_order
from kernlab.training.state import TrainingState
from kernlab.training.trainer import trained
from kernlab.typing import Params, Task, Tensor

__all__ = ["ATTRIBUTES", "OPTIONS", "Fit", "KernelEstimator", "learns_by_passes", "seed_of", "threads_kept"]

OPTIONS = every_option()

#: Attributes of every fitted estimator, as they stand in a docstring.
ATTRIBUTES = """model_ : the learned :class:`kernlab.Model`.
    method_ : the method with every "auto" replaced by its value.
    n_iter_ : epochs that the model was trained for, or steps of a solver that uses all rows at once.
    kept_ : what the held-out rows chose, a dict of ``epoch`` (0: the map as it was drawn), ``of`` (epochs at most),
        ``rows``, ``penalty`` (of the head; None: chosen elsewhere) and ``learned`` (False: the assigned map is kept);
        None where no rows were held out.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn."""


class Fit:
    """``fit(X, y, sample_weight=None)`` where the method heeds weights, ``fit(X, y)`` where it cannot."""

    def __get__(self, estimator: KernelEstimator | None, owner: type | None = None) -> Any:
        if estimator is None:
            return _fit_weighted
        return MethodType(_fit_weighted if estimator._weighable() else _fit_plain, estimator)


def _fit_weighted(self: KernelEstimator, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
    """Learn from all rows.

    Args:
        X: inputs, [n d].
        y: labels [n], or targets [n] or [n K].
        sample_weight: how often each row counts, [n], at least 0; once by default.

    Raises:
        ValueError: the data, the method or an option cannot be used.
    """
    return self._fit(X, y, sample_weight)


def _fit_plain(self: KernelEstimator, X: ArrayLike, y: ArrayLike) -> Any:
    return self._fit(X, y, None)


_fit_plain.__doc__ = re.sub(r" *sample_weight: .*\n", "", str(_fit_weighted.__doc__))
for _each in (_fit_weighted, _fit_plain):
    _each.__name__ = "fit"


class KernelEstimator(Configured, Saved, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of :class:`KernelClassifier` and :class:`KernelRegressor`."""

    _task: ClassVar[Task]
    _options = OPTIONS

    method: Any
    random_state: Any
    device: str
    scaling: str
    early_stopping: Any
    validation_fraction: float | None
    model_: Model
    n_iter_: int
    kept_: dict[str, Any] | None

    __init__ = constructor(
        {"method": "ASKL", "random_state": None, "device": "auto", "scaling": "auto", **STOPPING}, OPTIONS
    )
    fit = Fit()

    # -- the method -------------------------------------------------------------------------------------------

    def _method(self) -> MethodSpec:
        changes = options_set(self, OPTIONS)
        spec = self.method if isinstance(self.method, MethodSpec) else METHODS[self.method]
        if "head" in changes:
            spec = spec.with_options({"head": changes.pop("head")})
        spec = replace(spec, heads=spec.heads[:1]).with_options(changes)
        spec.check(self._task)
        return spec

    def _weighable(self) -> bool:
        """Whether a row of weight k can count exactly as k copies of it."""
        method = self._method_or_none()
        return method is not None and inputs.heeds_weights(method)

    def _params(self) -> Params:
        """The model's parameters in float64, on the CPU."""
        return wide_parameters(self.model_.params)

    def _span_of(self, X: Tensor) -> Coordinates | None:
        """The features of an exact kernel that belong to scaled rows; None where the method has features of its own."""
        kernel = self.model_.method.feature_map
        return coordinates(kernel, self._params(), X) if isinstance(kernel, ExactKernel) else None

    def _blocks(self, X: Tensor, span: Coordinates | None) -> Iterable[Tensor]:
        """Features of scaled inputs in float64, some rows at a time."""
        if span is not None:
            return map(span, torch.split(X, 1000))
        return feature_blocks(self.model_.method.feature_map, self._params(), X)

    @property
    def method_(self) -> MethodSpec:
        """The method as it was learned, every "auto" replaced by its value."""
        return self.model_.method

    # -- learning ---------------------------------------------------------------------------------------------

    def _targets(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
        """Checked inputs and targets of ``fit``."""
        raise NotImplementedError

    def _coded(self, y: NDArray[Any]) -> tuple[NDArray[Any], tuple[str, ...]]:
        """Class codes [n] or targets [n K], and the names of the K outputs; keeps what ``predict`` needs."""
        raise NotImplementedError

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        method = self._method()
        rows, known = self._targets(X, y)
        weight = None
        if sample_weight is not None:
            weight = inputs.as_weights(_check_sample_weight(sample_weight, rows, dtype=np.float64))
            counted = weight > 0
            rows, known, weight = rows[counted], known[counted], weight[counted]
        codes, names = self._coded(known)
        method = self._small(method, len(rows))
        scaler, targets = self._scalers(method, rows, codes, weight)
        device = devices.resolve(self.device)
        dtype = inputs.precision(method, device)
        if inputs.heeds_weights(method):
            typical = scaler.transform(inputs.typical_rows(rows, weight), dtype=dtype)
            method = replace(method, feature_map=method.feature_map.resolve(torch.from_numpy(typical)))
        data = inputs.prepared(self._task, rows, codes, names, self._input_names(), scaler, targets, dtype)
        method = stopping(method, data, self.early_stopping, self.validation_fraction)
        method = self._small(method, rules.rows_that_learn(method, len(rows)))
        counts = None if weight is None else torch.from_numpy(weight.astype(dtype)).to(device)
        state = trained(method, data, seed=seed_of(self.random_state), device=str(device), sample_weight=counts)
        self._progress: Checkpoint | None = None
        self.model_ = state.model()
        self.n_iter_ = max(1, math.ceil(state.epoch))
        self.kept_ = _kept(state, method)
        self._keep(data.X_train, data.y_train, sample_weight is not None)
        return self

    def _keep(self, X: NDArray[Any], y: NDArray[Any], weighted: bool) -> None:
        """Keep what a later question about the rows of ``fit`` needs: scaled inputs and targets."""

    def _scalers(
        self, method: MethodSpec, X: NDArray[Any], y: NDArray[Any], weight: NDArray[np.float64] | None = None
    ) -> tuple[Scaler, Scaler | None]:
        kind = (method.input_scaling or "standardize") if self.scaling == "auto" else self.scaling
        targets = inputs.scaled("standardize", y, weight) if self._task == "regression" else None
        return inputs.scaled(kind, X, weight), targets

    def _input_names(self) -> tuple[str, ...]:
        named = getattr(self, "feature_names_in_", None)
        return tuple(named) if named is not None else tuple(f"x{j}" for j in range(self.n_features_in_))

    # -- passes -----------------------------------------------------------------------------------------------

    def _pass(self, X: NDArray[Any], y: NDArray[Any], names: tuple[str, ...]) -> Any:
        """One pass of gradient steps over these rows, continuing after the last call.

        Scaling, automatic scales and the learning rate, which stays as it is, are those of the first call.
        """
        learned: Model | None = getattr(self, "model_", None)
        method = self._method() if learned is None else learned.method
        asked = self._small(self._method(), len(X)).solver
        assert isinstance(asked, ProximalGradient)
        with threads_kept():
            if learned is None:
                scaler, targets = self._scalers(method, X, y)
            else:
                scaler, targets = learned.inputs, learned.targets
            device = devices.resolve(self.device)
            dtype = inputs.precision(method, device)
            data = inputs.prepared(self._task, X, y, names, self._input_names(), scaler, targets, dtype)
            steady = {"schedule": "constant", "epochs": 1, "compile": "off", "batch_size": asked.batch_size,
                      "validation": 0.0}  # fmt: skip
            method = rules.resolve(method.with_options(steady), data)
            seed = seed_of(self.random_state)
            state = GradientState(method, data, seed, device)
            if learned is not None:
                state.restore(getattr(self, "_progress", None) or _without_momentum(learned))
            passed = 0 if learned is None else self.n_iter_
            for rows in torch.split(row_order(seed, passed, len(X)), state.m):
                at = rows.to(device)
                state.learn_from(state.X[at], state.y[at])
            state.check_finite()
            state.take_means()
            self._progress = state.checkpoint()
            self.model_ = state.model()
            self.n_iter_ = passed + 1
            self.kept_ = None
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    # -- files ------------------------------------------------------------------------------------------------

    def _write(self, path: str | Path, described: dict[str, Any]) -> None:
        self.model_.save(path, estimator=described)

    @classmethod
    def _read(cls, path: str | Path) -> tuple[dict[str, Any], Model]:
        model = Model.load(path)
        with safe_open(str(path), "numpy") as file:
            return json.loads(file.metadata()["estimator"]), model

    def _restore(self, found: Mapping[str, Any], content: Model) -> None:
        if len(getattr(self, "classes_", content.names)) != len(content.names):
            raise OptionError("each output must have a label", len(content.names))
        self.model_ = content


def learns_by_passes(estimator: KernelEstimator) -> bool:
    """Whether map and weights are learned together from mini-batches, so that more rows can follow."""
    method = estimator._method_or_none()
    if method is None or not isinstance(method.solver, ProximalGradient):
        return False
    return method.head.stage == "joint" and not isinstance(method.objective, MapObjective)


def _kept(state: TrainingState, asked: MethodSpec) -> dict[str, Any] | None:
    """What the held-out rows chose; None where none were held out, or where they chose no number of epochs."""
    rows = state.n - rules.rows_that_learn(asked, state.n)
    if not (isinstance(state, GradientState) and rows):
        return None
    epoch = state.total // state.per_epoch
    return {
        "epoch": epoch,
        "of": state.scheduled // state.per_epoch,
        "rows": rows,
        "penalty": state.penalty,
        "learned": bool(state.method.learned and epoch),
    }


def _without_momentum(model: Model) -> Checkpoint:
    """A learned model to go on from, the optimizer starting afresh."""
    arrays = {f"param/{name}": value.detach().cpu().numpy() for name, value in model.params.items()}
    return Checkpoint(0, arrays, {"step": 0, "sums": {}, "summed": 0})


def seed_of(random_state: Any) -> int:
    """``random_state`` as a seed: a whole number as it stands, otherwise one drawn from it."""
    random = check_random_state(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(random.randint(np.iinfo(np.int32).max))


@contextmanager
def threads_kept() -> Iterator[None]:
    """Torch has as many threads afterwards as before."""
    threads = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(threads)

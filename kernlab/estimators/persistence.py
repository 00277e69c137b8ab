"""Saving and loading without pickle: the model's file of tensors and JSON, with what an estimator adds as JSON.

The file can be read as a plain :class:`kernlab.Model` too. Reading it never runs code from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from safetensors import SafetensorError, safe_open

from kernlab.earlier import VERSION, options_from_version_1
from kernlab.errors import OptionError, StoreError
from kernlab.methods import METHODS, MethodSpec
from kernlab.model import Model

__all__ = ["Saved"]

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "n_features_in_": int,
    "n_iter_": int,
    "_flat": bool,
    "kept_": lambda found: found and dict(found),
}
ARRAYS = ("classes_", "feature_names_in_")
OWN = ("method", "random_state", "device", "scaling", "task")  # parameters that are no options of a method
LABELS = "biufUO"  # kinds of arrays that labels may have; objects only if they are words


class Saved:
    """Adds ``save`` and ``load`` to an estimator with ``model_``."""

    model_: Model

    def save(self, path: str | Path) -> None:
        """Write the fitted estimator to one safetensors file.

        A ``random_state`` that is a generator is left out; the momentum of ``partial_fit``, too.

        Raises:
            NotFittedError: nothing was fitted.
            StoreError: the place is not writable, or labels are neither numbers nor words.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        described = {
            "class": type(self).__name__,
            "version": VERSION,
            "params": {name: plain(value) for name, value in params.items()},
            "numbers": {name: getattr(self, name) for name in NUMBERS if hasattr(self, name)},
            "arrays": {name: labels(getattr(self, name)) for name in ARRAYS if hasattr(self, name)},
        }
        self.model_.save(path, estimator=described)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The estimator that :meth:`save` wrote; it predicts the same to the last bit.

        Raises:
            StoreError: no such file, another kind of file (a pickle is never opened as one), or another estimator's.
        """
        model = Model.load(path)
        try:
            with safe_open(str(path), "numpy") as file:
                found = json.loads(file.metadata()["estimator"])
            if found["class"] != cls.__name__:
                raise OptionError(f"{cls.__name__} reads its own files", f"one of {found['class']}")
            params = found["params"]
            if isinstance(params["method"], dict):
                params["method"] = MethodSpec.from_dict(params["method"])
            if found.get("version", 1) == 1:
                named = isinstance(params["method"], str)
                start = METHODS[params["method"]] if named else None
                params = from_version_1(params, start, cls._get_param_names())  # type: ignore[attr-defined]
            estimator = cls(**params)
            for name, kind in NUMBERS.items():
                if name in found["numbers"]:
                    setattr(estimator, name, kind(found["numbers"][name]))
            for name in ARRAYS:
                if name in found["arrays"]:
                    held = found["arrays"][name]
                    setattr(estimator, name, np.array(held["values"], dtype=np.dtype(held["dtype"])))
            if len(getattr(estimator, "classes_", model.names)) != len(model.names):
                raise OptionError("there must be a label for each output", len(model.names))
        except (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise StoreError(f"the file must be a {cls.__name__} that kernlab saved", f"{path}: {error}") from None
        estimator.model_ = model
        return estimator


def from_version_1(params: dict[str, Any], named: MethodSpec | None, names: Iterable[str]) -> dict[str, Any]:
    """Parameters as version 1 kept them, in the terms of today.

    Args:
        params: by name, ``None`` for what was not set; the method as it is.
        named: what stands for the method, where it is no whole one.
        names: of the parameters that there are today.
    """
    method = named or params["method"]
    method = replace(method, heads=method.heads[:1])  # an estimator has one
    options = {key: value for key, value in params.items() if key not in OWN and value is not None}
    found = options_from_version_1(method, options, named=named is not None)
    stopping = {"early_stopping": False if "validation" in found else "auto"}
    return {key: params.get(key) if key in OWN else found.get(key) for key in names} | stopping


def labels(values: Any) -> dict[str, Any]:
    words = values.dtype.kind != "O" or all(isinstance(value, str) for value in values)
    if values.dtype.kind not in LABELS or not words:
        raise StoreError("labels must be numbers or words to be saved", values.dtype, "fit to such labels")
    return {"dtype": values.dtype.str, "values": values.tolist()}


def plain(value: Any) -> Any:
    """A parameter as JSON has it."""
    if isinstance(value, MethodSpec):
        return value.to_dict()
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.random.RandomState):
        return None
    raise StoreError("parameters must be numbers or words to be saved", repr(value))

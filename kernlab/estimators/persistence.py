"""Saving and loading without pickle: a file of tensors, with the estimator's parameters as JSON.

The file of a classifier or a regressor can be read as a plain :class:`kernlab.Model` too. Reading a file never runs
code from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from safetensors import SafetensorError

from kernlab.earlier import VERSION, options_from_version_1
from kernlab.errors import OptionError, StoreError
from kernlab.methods import METHODS, MethodSpec

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
    """Adds ``save`` and ``load`` to an estimator or a transformer."""

    def save(self, path: str | Path) -> None:
        """Write what was fitted to one safetensors file.

        A ``random_state`` that is a generator is left out, and so is the momentum of ``partial_fit``.

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
        self._write(path, described)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """What :meth:`save` wrote; it predicts the same to the last bit.

        Raises:
            StoreError: no such file, another kind of file (a pickle is never opened as one), or another estimator's.
        """
        try:
            found, content = cls._read(path)
            if found["class"] != cls.__name__:
                raise OptionError(f"{cls.__name__} reads its own files", f"one of {found['class']}")
            params = found["params"]
            if isinstance(params["method"], dict):
                params["method"] = MethodSpec.from_dict(params["method"])
            if found.get("version", 1) == 1:
                params = from_version_1(params, cls._named(params), cls._get_param_names())  # type: ignore[attr-defined]
            made = cls(**params)
            for name, kind in NUMBERS.items():
                if name in found.get("numbers", ()):
                    setattr(made, name, kind(found["numbers"][name]))
            for name, array in found["arrays"].items():
                if name in ARRAYS:
                    setattr(made, name, np.array(array["values"], dtype=np.dtype(array["dtype"])))
            made._restore(found, content)
        except StoreError:
            raise
        except (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise StoreError(f"the file must be a {cls.__name__} that kernlab saved", f"{path}: {error}") from None
        return made

    def _write(self, path: str | Path, described: dict[str, Any]) -> None:
        """Write the tensors, with the description as JSON beside them."""
        raise NotImplementedError

    @classmethod
    def _read(cls, path: str | Path) -> tuple[dict[str, Any], Any]:
        """The description in a file, and its tensors."""
        raise NotImplementedError

    def _restore(self, found: Mapping[str, Any], content: Any) -> None:
        """Take over what ``_read`` has read."""
        raise NotImplementedError

    @classmethod
    def _named(cls, params: Mapping[str, Any]) -> MethodSpec | None:
        """The method that version 1 meant by the parameters, where they do not contain a whole one."""
        return METHODS[params["method"]] if isinstance(params["method"], str) else None


def from_version_1(params: dict[str, Any], named: MethodSpec | None, names: Iterable[str]) -> dict[str, Any]:
    """Parameters of version 1, in the terms of today.

    Args:
        params: by name, ``None`` for what was not set; the method as it is.
        named: the method that a name stood for; None where ``params`` contain the whole method.
        names: of today's parameters.
    """
    method = named or params["method"]
    method = replace(method, heads=method.heads[:1])  # an estimator has one
    options = {key: value for key, value in params.items() if key not in OWN and value is not None}
    found = options_from_version_1(method, options, named=named is not None)
    stopping = {"early_stopping": False if "validation" in found else "auto"}
    return {key: (params if key in OWN else found).get(key) for key in names if key in OWN or key in found} | stopping


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

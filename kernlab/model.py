"""A trained model: predicts from inputs in their own units, and is saved without pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as packed

from kernlab import files
from kernlab.data import Preparation, Scaler
from kernlab.errors import DataError, StoreError
from kernlab.heads import Head, feature_blocks
from kernlab.linalg import wide_parameters
from kernlab.methods import MethodSpec
from kernlab.typing import Float, Params, Task, Tensor

__all__ = ["Model", "outputs"]


def outputs(
    method: MethodSpec, params: Params, X: Float[Tensor, "n d"], head: Head | None = None
) -> Float[Tensor, "n K"]:
    """f(X) for scaled inputs, block by block, by the method's head or another one with its parameters."""
    head = head or method.head
    F, start = None, 0
    for Phi in feature_blocks(method.feature_map, params, X):
        block = head.scores(params, Phi)
        if F is None:
            # One array from the start: small results between large blocks would fragment the heap and make it grow.
            F = block.new_empty(len(X), block.shape[1])
        F[start : start + len(Phi)] = block
        start += len(Phi)
    return F if F is not None else X.new_empty(0, 0)


@dataclass(frozen=True, eq=False)
class Model:
    """A trained method.

    Attributes:
        method: the method, every "auto" resolved.
        params: the representation's tensors and the head's ("weight" [D K], "bias" [K]; "support" [s d] …).
        inputs: scaling of the inputs.
        targets: scaling of regression targets, None for classes.
        task: "classification" or "regression".
        names: class labels or target names, K of them.
        feature_names: d names.
        preparation: how raw rows become inputs; None where the data set's columns are its inputs.
    """

    method: MethodSpec
    params: Params
    inputs: Scaler
    targets: Scaler | None
    task: Task
    names: tuple[str, ...]
    feature_names: tuple[str, ...]
    preparation: Preparation | None = None

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Outputs f(x), [n K]: class scores, or targets in the reported unit.

        Computed in float64 on the CPU whatever the training used, so that a row's outputs do not depend on the other
        rows.

        Args:
            X: inputs in their original units, [n d]. Where the data set was prepared from a table: also raw rows of
                that table, with words and gaps, as a frame, a list of dicts, or an array of its columns.

        Raises:
            DataError: no rows, the wrong number of columns, or values that are not finite numbers.
        """
        X = self._inputs(X)
        if X.ndim != 2 or not len(X) or X.shape[1] != len(self.feature_names):
            columns = len(self.feature_names)
            raise DataError(f"inputs must have rows of {columns} columns", f"an array of shape {X.shape}")
        if X.dtype.kind not in "biuf":
            try:
                X = X.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise DataError("inputs must be numbers", error) from None
        if not np.isfinite(X).all():
            raise DataError("inputs must be finite", "NaN or infinity", "fill in or drop those rows")
        with torch.no_grad():
            inputs = torch.from_numpy(self.inputs.transform(X, dtype=np.float64))
            scores = outputs(self.method, wide_parameters(self.params), inputs).numpy()
        return self.targets.inverse(scores) if self.targets else scores

    def _inputs(self, X: Any) -> NDArray[Any]:
        """Rows of inputs. Raw rows have the raw columns' names, or are no array of d whole columns of numbers."""
        if self.preparation is None:
            return np.asarray(X)
        first = X[0] if isinstance(X, list | tuple) and X else X
        named = first if isinstance(first, Mapping) else getattr(X, "columns", None)
        if named is None:
            array = X if isinstance(X, np.ndarray) else np.asarray(X, object)
            width = len(self.feature_names)
            with suppress(TypeError, ValueError):
                numbers = array.astype(np.float64)
                if numbers.ndim != 2 or (numbers.shape[1] == width and not np.isnan(numbers).any()):
                    return numbers
            return self.preparation.transform(array)
        if not set(self.preparation.columns) <= {*map(str, named)} and set(self.feature_names) <= {*map(str, named)}:
            return np.asarray(X[list(self.feature_names)])
        return self.preparation.transform(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels [n], or targets [n K] in the reported unit."""
        scores = self.decision_function(X)
        return scores if self.task == "regression" else np.asarray(self.names)[scores.argmax(axis=1)]

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Plain arrays by name, and a JSON-ready description."""
        arrays = {f"param/{name}": value.detach().cpu().numpy() for name, value in self.params.items()}
        for part, scaler in (("inputs", self.inputs), ("targets", self.targets)):
            if scaler:
                arrays |= {f"{part}/{name}": value for name, value in scaler.to_arrays().items()}
        meta = {
            "method": self.method.to_dict(),
            "task": self.task,
            "names": list(self.names),
            "feature_names": list(self.feature_names),
            **({"preparation": self.preparation.to_dict()} if self.preparation else {}),
        }
        return arrays, meta

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> Model:
        """The model that ``to_arrays`` described."""

        def under(prefix: str) -> dict[str, NDArray[Any]]:
            return {key.removeprefix(prefix): value for key, value in arrays.items() if key.startswith(prefix)}

        targets = under("targets/")
        return cls(
            method=MethodSpec.from_dict(meta["method"]),
            params={name: torch.as_tensor(np.asarray(value)) for name, value in under("param/").items()},
            inputs=Scaler.from_arrays(under("inputs/")),
            targets=Scaler.from_arrays(targets) if targets else None,
            task=meta["task"],
            names=tuple(meta["names"]),
            feature_names=tuple(meta["feature_names"]),
            preparation=Preparation.from_dict(meta["preparation"]) if meta.get("preparation") else None,
        )

    def save(self, path: str | Path, **more: Any) -> None:
        """Write one safetensors file: tensors, and the description as JSON. Loading it runs no code.

        Args:
            path: the file.
            more: further metadata of the file, each value as JSON under its own key.
        """
        arrays, meta = self.to_arrays()
        tensors = {name: torch.as_tensor(value).contiguous() for name, value in arrays.items()}
        try:
            header = {k: json.dumps(v) for k, v in {**more, "kernlab": meta}.items()}
            files.write(Path(path), packed(tensors, metadata=header))
        except OSError as error:
            raise StoreError("the model must be writable", f"{path}: {error}", "choose another place") from None

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """The model that ``save`` wrote.

        Raises:
            StoreError: no such file, or not a kernlab model.
        """
        try:
            with safe_open(str(path), "numpy") as file:
                meta = json.loads(file.metadata()["kernlab"])
                model = cls.from_arrays({name: file.get_tensor(name) for name in file.keys()}, meta)  # noqa: SIM118
            model.decision_function(np.zeros((1, len(model.feature_names))))  # its tensors fit together
            return model
        except (OSError, SafetensorError, LookupError, TypeError, ValueError, RuntimeError) as error:
            raise StoreError("the file must be a model that kernlab saved", f"{path}: {error}") from None

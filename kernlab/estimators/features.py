"""Every feature map as a scikit-learn transformer: drawn as it is assigned, or learned with targets.

    StationaryFeatures(n_features=500)                     random Fourier features; y is not used
    StationaryFeatures(method="RFDI", n_features=100)      learned by that method, from X and y
    NystroemFeatures(learned=True)                         learned by the first named method that can
    SpectralFeatures(feature_map="nonstationary")          any map of cosines

Classes are made from the registry of feature maps: a map named ``fourier_frame`` by the class FourierFrame is
the transformer FourierFrameFeatures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from safetensors import safe_open
from safetensors.torch import save as packed
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from kernlab import devices, files
from kernlab.data import Scaler
from kernlab.errors import CompositionError, OptionError, StoreError
from kernlab.estimators import inputs
from kernlab.estimators.base import seed_of
from kernlab.estimators.options import (
    SCALINGS,
    STOPPING,
    Configured,
    constructor,
    described,
    every_option,
    options_set,
    stopping,
)  # fmt: skip
from kernlab.estimators.persistence import Saved
from kernlab.feature_maps import FEATURE_MAPS, FeatureMap
from kernlab.heads import Ridge
from kernlab.heads.base import BLOCK
from kernlab.linalg import wide_parameters
from kernlab.methods import METHODS, MethodSpec
from kernlab.objectives import OBJECTIVES
from kernlab.solvers import SOLVERS
from kernlab.training.rules import rows_that_learn
from kernlab.training.trainer import trained
from kernlab.typing import Task, Tensor

__all__ = ["TRANSFORMERS", "KernelFeatures"]

DENSE = 20_000_000  # numbers of sparse rows that are written out to read a scale off them: 160 MB

OWN: dict[str, Any] = {
    "method": None, "random_state": None, "device": "auto", "scaling": "auto", "task": "auto", **STOPPING,
}  # fmt: skip


class KernelFeatures(Configured, Saved, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the transformers.

    Attributes after ``fit``:
        feature_map_: the map with every "auto" replaced by its value.
        params_: its tensors by name.
        n_features_in_, feature_names_in_: as everywhere in scikit-learn.
    """

    _maps: ClassVar[tuple[str, ...]]

    method: Any
    random_state: Any
    device: str
    scaling: str
    task: str
    early_stopping: Any
    validation_fraction: float | None
    feature_map_: FeatureMap
    params_: dict[str, Tensor]

    # -- what is drawn or learned -----------------------------------------------------------------------------

    def _method(self) -> MethodSpec:
        """The method that the map is taken from; the map alone, as it is drawn, where none is named."""
        options = options_set(self, self._options)
        if isinstance(self.method, MethodSpec):
            start = self.method
        elif self.method is not None:
            start = METHODS[self.method]
        else:
            start = _start(options.get("feature_map", self._maps[0]), options.pop("learned", False))
        method = replace(start, heads=start.heads[:1]).with_options(options)
        if method.feature_map.name not in self._maps:
            raise CompositionError(
                f"{type(self).__name__} has the map {' or '.join(self._maps)}",
                f"{method.name}, which has {method.feature_map.name}",
                "take another method or another transformer",
            )
        return method

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Draw the map, or learn it from X and y.

        Args:
            X: inputs, [n d].
            y: labels [n] or targets [n] or [n K], where the map is learned; otherwise not used.

        Raises:
            ValueError: the data, the method or an option cannot be used.
        """
        method = self._method()
        device = devices.resolve(self.device)
        if method.learned:
            rows, known = validate_data(
                self, X, y, dtype=[np.float64, np.float32], multi_output=True, ensure_min_samples=2
            )
            self._learn(method, rows, known, device)
            return self
        rows = validate_data(self, X, dtype=[np.float64, np.float32], accept_sparse=self._sparse(method) and "csr")
        # A drawn map has nothing to stop, whatever its method's solver could do.
        stopping(method.assigned, None, self.early_stopping, self.validation_fraction)
        method = self._small(method, rows.shape[0])
        dtype = inputs.precision(method, device)
        if issparse(rows):  # a drawn map reads their number of columns, and its automatic scale if it has one
            most = min(inputs.TYPICAL, max(100, DENSE // rows.shape[1]))
            rows = rows[: most if "auto" in method.feature_map.options().values() else 1].toarray()
        self._inputs = self._scaler(method, rows)
        at = torch.from_numpy(self._inputs.transform(rows, dtype=dtype))
        feature_map = method.feature_map.resolve(at[: inputs.TYPICAL])
        assert isinstance(feature_map, FeatureMap)
        generator = torch.Generator().manual_seed(seed_of(self.random_state))
        self._keep(feature_map, feature_map.init(at, generator))
        return self

    def _learn(self, method: MethodSpec, X: NDArray[Any], y: NDArray[Any], device: torch.device) -> None:
        task = self._task(y)
        method.check(task)
        method = self._small(method, len(X))
        self._inputs, targets = self._scaler(method, X), None
        if task == "classification":
            check_classification_targets(y)
            codes: NDArray[Any]
            _, codes, names = inputs.class_codes(y)
        else:
            codes = y.astype(np.float64).reshape(len(y), -1)
            names = tuple(f"y{k}" for k in range(codes.shape[1]))
            targets = inputs.scaled("standardize", codes)
        dtype = inputs.precision(method, device)
        data = inputs.prepared(
            task, X, codes, names, [f"x{j}" for j in range(X.shape[1])], self._inputs, targets, dtype
        )
        method = stopping(method, data, self.early_stopping, self.validation_fraction)
        method = self._small(method, rows_that_learn(method, len(X)))
        model = trained(method, data, seed=seed_of(self.random_state), device=str(device)).model()
        assert isinstance(model.method.feature_map, FeatureMap)
        self._keep(model.method.feature_map, model.params)

    def _task(self, y: NDArray[Any]) -> Task:
        if self.task not in ("auto", "classification", "regression"):
            raise OptionError("task must be auto, classification or regression", repr(self.task))
        if self.task != "auto":
            return cast(Task, self.task)
        return "regression" if type_of_target(y).startswith("continuous") else "classification"

    def _scaler(self, method: MethodSpec, X: NDArray[Any]) -> Scaler:
        return inputs.scaled((method.feature_map.scaling or "none") if self.scaling == "auto" else self.scaling, X)

    def _sparse(self, method: MethodSpec) -> bool:
        """Whether sparse inputs are multiplied as they are: a drawn map of products XΩ, and nothing scaled."""
        unscaled = self.scaling == "none" or (self.scaling == "auto" and not method.feature_map.scaling)
        return method.feature_map.projects and unscaled and not method.learned

    def _keep(self, feature_map: FeatureMap, params: Mapping[str, Tensor]) -> None:
        heads = ("weight", "bias", "jitter", "dual", "support")
        self.feature_map_ = feature_map
        self.params_ = {name: value.contiguous() for name, value in params.items() if name not in heads}

    # -- features ---------------------------------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return self.feature_map_.columns(self.params_)

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Features of the rows, [n D], in the precision of X; computed in float64."""
        check_is_fitted(self)
        sparse = self._sparse(self._method()) and "csr"
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False, accept_sparse=sparse)
        params = wide_parameters(self.params_)
        Phi = np.empty((rows.shape[0], self._n_features_out), rows.dtype)
        step = max(1, BLOCK // Phi.shape[1])
        with torch.no_grad():
            for start in range(0, len(Phi), step):
                part = rows[start : start + step]
                if issparse(part):
                    at = _sparse_tensor(part)
                else:
                    at = torch.from_numpy(self._inputs.transform(part, dtype=np.float64))
                Phi[start : start + step] = self.feature_map_.apply(params, at.double()).numpy()
        return Phi

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "params_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        method = self._method_or_none()
        tags.target_tags.required = bool(method and method.learned)
        tags.input_tags.sparse = bool(method and self._sparse(method))
        return tags

    # -- files ------------------------------------------------------------------------------------------------

    def _write(self, path: str | Path, described: dict[str, Any]) -> None:
        tensors = {f"param/{name}": value.contiguous() for name, value in self.params_.items()}
        for name, value in self._inputs.to_arrays().items():
            tensors[f"inputs/{name}"] = torch.as_tensor(value).contiguous()
        found = {**described, "feature_map": self.feature_map_.to_dict(), "n_features_in_": self.n_features_in_}
        try:
            files.write(Path(path), packed(tensors, metadata={"transformer": json.dumps(found)}))
        except OSError as error:
            raise StoreError("the transformer must be writable", f"{path}: {error}", "choose another place") from None

    @classmethod
    def _read(cls, path: str | Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
        with safe_open(str(path), "pt") as file:
            return json.loads(file.metadata()["transformer"]), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118

    def _restore(self, found: Mapping[str, Any], content: Mapping[str, Tensor]) -> None:
        groups: dict[str, dict[str, Tensor]] = {"param": {}, "inputs": {}}
        for name, value in content.items():
            group, _, key = name.partition("/")
            groups[group][key] = value
        self._inputs = Scaler.from_arrays({name: value.numpy() for name, value in groups["inputs"].items()})
        self.feature_map_ = FEATURE_MAPS[found["feature_map"]["kind"]].from_dict(found["feature_map"])
        self.params_ = groups["param"]
        self.n_features_in_ = int(found["n_features_in_"])
        zeros = next(iter(self.params_.values())).new_zeros(1, self.n_features_in_)
        self.feature_map_.apply(self.params_, zeros)  # raises where the tensors do not fit

    @classmethod
    def _named(cls, params: Mapping[str, Any]) -> MethodSpec | None:
        if params["method"] is None:
            return _start(params.get("feature_map") or cls._maps[0], params.get("learned"))
        return super()._named(params)


def _start(name: str, learned: object) -> MethodSpec:
    """The map as it is drawn, or the first named method that learns it.

    Raises:
        CompositionError: no named method learns it.
    """
    if learned is not True:
        return MethodSpec(feature_map=FEATURE_MAPS[name](), heads=(Ridge(),)).assigned
    for method in METHODS.values():
        if method.learned and method.feature_map.name == name:
            return method
    raise CompositionError("a named method must learn this map", name, "set method= to one of your own")


def _sparse_tensor(X: Any) -> Tensor:
    """A sparse matrix of SciPy as one of torch."""
    X = X.tocoo()
    places = torch.from_numpy(np.stack([X.row, X.col]).astype(np.int64))
    return torch.sparse_coo_tensor(places, torch.from_numpy(X.data), X.shape, check_invariants=True)


DOC = """{title}{formula}

    Nothing is learned and ``y`` is not used, unless ``method`` names a method that learns this map or
    ``learned=True`` asks for the first one that does; then ``fit`` needs ``y``. Inputs are taken as they are,
    but for maps that need a range of their own (frames: [-1,1], measured in ``fit``). Sparse inputs are taken by
    maps of products with frequencies, drawn and unscaled; an automatic scale is read off 1000 rows at most.

    Parameters
    ----------
    method : str, MethodSpec or None, default=None
        The method that learns the map; None: it stays as it is drawn.
    scaling : str, default="auto"
        {scalings}, or "auto": what the map needs, else none.
    task : str, default="auto"
        What y is where the map is learned: "classification", "regression", or "auto": by its type.
{options}

    Attributes
    ----------
    feature_map_ : the map with every "auto" replaced by its value.
    params_ : its tensors by name.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    """


def _made(name: str, title: str, formula: str, *maps: str) -> type[KernelFeatures]:
    """A transformer for these maps."""
    options = every_option(
        feature_map={each: FEATURE_MAPS[each] for each in maps}, objective=OBJECTIVES, solver=SOLVERS
    )
    text = DOC.format(title=title, formula=formula, scalings=SCALINGS, options=described(options))
    own = {"__doc__": text, "__module__": __name__, "_maps": maps, "_options": options}
    return type(name, (KernelFeatures,), {**own, "__init__": constructor(OWN, options)})


#: The transformers by name.
TRANSFORMERS: dict[str, type[KernelFeatures]] = {
    f"{cls.__name__}Features": _made(f"{cls.__name__}Features", f"{cls.title}: ", f"$ {cls.formula} $.", name)
    for name, cls in FEATURE_MAPS.items()
}
_COSINES = ("stationary", "nonstationary", "weighted", "deep")
TRANSFORMERS["SpectralFeatures"] = _made(
    "SpectralFeatures", "Spectral features: ", f"``feature_map`` is {', '.join(_COSINES)}.", *_COSINES
)
globals().update(TRANSFORMERS)

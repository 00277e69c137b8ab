"""Every feature map as a scikit-learn transformer: drawn as it is assigned, or learned with targets.

    StationaryFeatures(n_features=500)                     random Fourier features; y is not looked at
    StationaryFeatures(method="RFDI", n_features=100)      learned by that method, from X and y
    NystroemFeatures(learned=True)                         learned by the first named method that can
    SpectralFeatures(feature_map="nonstationary")          any map that is made of cosines

Classes are made from the registry of feature maps: a map named ``fourier_frame`` by the class FourierFrame is
the transformer FourierFrameFeatures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from kernlab import devices
from kernlab.data import Scaler
from kernlab.earlier import VERSION
from kernlab.errors import CompositionError, DataError, KernlabError, OptionError, StoreError
from kernlab.estimators import inputs
from kernlab.estimators.base import seed_of
from kernlab.estimators.options import (
    STOPPING,
    constructor,
    described,
    every_option,
    given,
    rows_that_learn,
    stopping,
)  # fmt: skip
from kernlab.estimators.persistence import ARRAYS, from_version_1, labels, plain
from kernlab.feature_maps import FEATURE_MAPS, FeatureMap
from kernlab.heads import Ridge
from kernlab.heads.base import BLOCK
from kernlab.methods import METHODS, MethodSpec
from kernlab.objectives import OBJECTIVES
from kernlab.solvers import SOLVERS, Assigned
from kernlab.training.trainer import trained
from kernlab.typing import Task, Tensor

__all__ = ["TRANSFORMERS", "KernelFeatures"]

DENSE = 20_000_000  # numbers of sparse rows that are written out to read a scale off them: 160 MB

OWN: dict[str, Any] = {
    "method": None, "random_state": None, "device": "auto", "scaling": "auto", "task": "auto", **STOPPING,
}  # fmt: skip


class KernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the transformers.

    Attributes after ``fit``:
        feature_map_: the map with every "auto" replaced by what it came to.
        params_: its tensors by name.
        n_features_in_, feature_names_in_: as everywhere in scikit-learn.
    """

    _maps: ClassVar[tuple[str, ...]]
    _options: ClassVar[Mapping[str, str]]

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
        """The method that the map is taken from; the map alone, as it is drawn, where none is named.

        Raises:
            KernlabError: an unknown name, a bad value, or a method with another map.
        """
        options = given(self, self._options)
        if isinstance(self.method, MethodSpec):
            start = self.method
        elif self.method is not None:
            start = METHODS[self.method]
        else:
            name = options.get("feature_map", self._maps[0])
            start = MethodSpec(feature_map=FEATURE_MAPS[name](), learned=False, solver=Assigned(), heads=(Ridge(),))
            if options.pop("learned", False) is True:
                start = _learner(name)
        method = replace(start, heads=start.heads[:1]).with_options(options)
        if method.feature_map.name not in self._maps:
            raise CompositionError(
                f"{type(self).__name__} has the map {' or '.join(self._maps)}",
                f"{method.name}, which has {method.feature_map.name}",
                "take another method or another transformer",
            )
        return method

    def _method_or_none(self) -> MethodSpec | None:
        try:
            return self._method()
        except (KernlabError, TypeError, ValueError):  # fit will say what is wrong
            return None

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Draw the map, or learn it from X and y.

        Args:
            X: inputs, [n d].
            y: labels [n] or targets [n] or [n K], where the map is learned; otherwise not looked at.

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
        # Whatever the solver could do: a drawn map has nothing to stop.
        stopping(replace(method, solver=Assigned()), None, self.early_stopping, self.validation_fraction)
        method = self._small(method, rows.shape[0])
        dtype = inputs.precision(method, device)
        if issparse(rows):  # of which a drawn map reads the number of columns, and its automatic scale if it has one
            most = min(inputs.TYPICAL, max(100, DENSE // rows.shape[1]))
            rows = rows[: most if "auto" in method.feature_map.options().values() else 1].toarray()
        self._inputs = self._scaler(method, rows)
        at = torch.from_numpy(self._inputs.transform(rows, dtype=dtype)).to(device)
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
            classes, codes = np.unique(y, return_inverse=True)
            if len(classes) < 2:
                raise DataError("a map is learned from rows of at least two classes", f"one class, {classes[0]!r}")
            codes, names = codes.reshape(-1).astype(np.int64), tuple(map(str, classes))
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
            return "classification" if self.task == "classification" else "regression"
        return "regression" if type_of_target(y).startswith("continuous") else "classification"

    def _small(self, method: MethodSpec, n: int) -> MethodSpec:
        options = given(self, self._options)
        return inputs.at_most(method, n, width="n_features" not in options, batch="batch_size" not in options)

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

    # -- what is given ----------------------------------------------------------------------------------------

    @property
    def _n_features_out(self) -> int:
        return self.feature_map_.columns(self.params_)

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Features of the rows, [n D], in the precision of X; computed in float64."""
        check_is_fitted(self)
        sparse = self._sparse(self._method()) and "csr"
        rows = validate_data(self, X, dtype=[np.float64, np.float32], reset=False, accept_sparse=sparse)
        device = next(iter(self.params_.values())).device
        dtype = torch.float32 if device.type == "mps" else torch.float64
        params = {name: v.to(dtype) if v.is_floating_point() else v for name, v in self.params_.items()}
        Phi = np.empty((rows.shape[0], self._n_features_out), rows.dtype)
        step = max(1, BLOCK // Phi.shape[1])
        with torch.no_grad():
            for start in range(0, len(Phi), step):
                part = rows[start : start + step]
                at = _sparse_tensor(part) if issparse(part) else torch.from_numpy(self._scaled(part))
                Phi[start : start + step] = self.feature_map_.apply(params, at.to(device, dtype)).cpu().numpy()
        return Phi

    def _scaled(self, X: NDArray[Any]) -> NDArray[Any]:
        return self._inputs.transform(X, dtype=np.float64)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "params_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        method = self._method_or_none()
        tags.target_tags.required = bool(method and method.learned)
        tags.input_tags.sparse = bool(method and self._sparse(method))
        return tags

    # -- kept without pickle ----------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the fitted transformer to one safetensors file; a ``random_state`` that is a generator is left out.

        Raises:
            NotFittedError: nothing was fitted.
            StoreError: the place is not writable.
        """
        check_is_fitted(self)
        tensors = {f"param/{name}": value.detach().cpu().contiguous() for name, value in self.params_.items()}
        for name, value in self._inputs.to_arrays().items():
            tensors[f"inputs/{name}"] = torch.as_tensor(value).contiguous()
        found = {
            "class": type(self).__name__,
            "version": VERSION,
            "params": {name: plain(value) for name, value in self.get_params(deep=False).items()},
            "feature_map": self.feature_map_.to_dict(),
            "n_features_in_": self.n_features_in_,
            "arrays": {name: labels(getattr(self, name)) for name in ARRAYS if hasattr(self, name)},
        }
        try:
            save_file(tensors, str(path), metadata={"transformer": json.dumps(found)})
        except (OSError, SafetensorError) as error:
            raise StoreError("the transformer must be writable", f"{path}: {error}", "choose another place") from None

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The transformer that :meth:`save` wrote.

        Raises:
            StoreError: no such file, another kind of file, or another transformer's.
        """
        try:
            with safe_open(str(path), "pt") as file:
                found = json.loads(file.metadata()["transformer"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if found["class"] != cls.__name__:
                raise OptionError(f"{cls.__name__} reads its own files", f"one of {found['class']}")
            params = found["params"]
            if isinstance(params["method"], dict):
                params["method"] = MethodSpec.from_dict(params["method"])
            if found.get("version", 1) == 1:
                params = cls._from_version_1(params)
            made = cls(**params)
            made._inputs = Scaler.from_arrays(
                {name.removeprefix("inputs/"): v.numpy() for name, v in tensors.items() if name.startswith("inputs/")}
            )
            made.feature_map_ = FEATURE_MAPS[found["feature_map"]["kind"]].from_dict(found["feature_map"])
            made.params_ = {name.removeprefix("param/"): v for name, v in tensors.items() if name.startswith("param/")}
            made.n_features_in_ = int(found["n_features_in_"])
            for name, held in found["arrays"].items():
                if name in ARRAYS:
                    setattr(made, name, np.array(held["values"], dtype=np.dtype(held["dtype"])))
            made.feature_map_.apply(made.params_, next(iter(made.params_.values())).new_zeros(1, made.n_features_in_))
            return made
        except (OSError, SafetensorError, LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
            raise StoreError(f"the file must be a {cls.__name__} that kernlab saved", f"{path}: {error}") from None

    @classmethod
    def _from_version_1(cls, params: dict[str, Any]) -> dict[str, Any]:
        kind = params.get("feature_map") or cls._maps[0]
        drawn = MethodSpec(feature_map=FEATURE_MAPS[kind](), learned=False, solver=Assigned(), heads=(Ridge(),))
        named = _learner(kind) if params.get("learned") is True else drawn
        named = METHODS[params["method"]] if isinstance(params["method"], str) else named
        whole = isinstance(params["method"], MethodSpec)
        return from_version_1(params, None if whole else named, cls._get_param_names())


def _sparse_tensor(X: Any) -> Tensor:
    """A sparse matrix of SciPy as one of torch."""
    X = X.tocoo()
    places = torch.from_numpy(np.stack([X.row, X.col]).astype(np.int64))
    return torch.sparse_coo_tensor(places, torch.from_numpy(X.data), X.shape, check_invariants=True)


def _learner(name: str) -> MethodSpec:
    """The first named method that learns this map.

    Raises:
        CompositionError: there is none.
    """
    for method in METHODS.values():
        if method.learned and method.feature_map.name == name:
            return method
    raise CompositionError("a named method must learn this map", name, "set method= to one of your own")


DOC = """{title}{formula}

    Nothing is learned and ``y`` is not looked at, unless ``method`` names a method that learns this map or
    ``learned=True`` asks for the first one that does; then ``fit`` needs ``y``. Inputs are taken as they are,
    but for maps that need a range of their own (frames: [-1,1], measured in ``fit``). Sparse inputs are taken by
    maps of products with frequencies, drawn and unscaled; an automatic scale is read off 1000 rows at most.

    Parameters
    ----------
    method : str, MethodSpec or None, default=None
        The method that learns the map; None: it stays as it is drawn.
    random_state : int, RandomState instance or None, default=None
        Decides what is drawn.
    device : str, default="auto"
        "auto" (CUDA, then MPS, then CPU), "cpu", "cuda", "cuda:1" or "mps".
    scaling : str, default="auto"
        "standardize", "[0,1]", "[-1,1]", "none", "ranks", or "auto": what the map needs, else none.
    task : str, default="auto"
        What y is where the map is learned: "classification", "regression", or "auto": by its type.
{options}

    Attributes
    ----------
    feature_map_ : the map with every "auto" replaced by what it came to.
    params_ : its tensors by name.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.
    """


def _made(name: str, title: str, formula: str, *maps: str) -> type[KernelFeatures]:
    """A transformer for these maps."""
    options = every_option(
        feature_map={each: FEATURE_MAPS[each] for each in maps}, objective=OBJECTIVES, solver=SOLVERS
    )
    text = DOC.format(title=title, formula=formula, options=described(options))
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

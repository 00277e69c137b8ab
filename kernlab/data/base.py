"""Data sets, their sources, and how they are split and scaled.

    Source.load() -> Dataset --prepare(dataset, DataSpec, seed)--> Prepared: scaled training and test parts

Scaling is fitted on the training part only. A new data set or generator is one class registered in
:data:`SOURCES`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from kernlab.data.normal_scores import NormalScores
from kernlab.data.recipe import Preparation
from kernlab.errors import DataError
from kernlab.options import Component, component, option
from kernlab.registry import Registry
from kernlab.typing import Task

__all__ = ["SOURCES", "DataSpec", "Dataset", "Prepared", "Scaler", "Scaling", "Source"]

Scaling = Literal["standardize", "[0,1]", "[-1,1]", "none", "normal-scores"]

_FIRST_NAMES = {"normal-scores": "ranks"}  # of scalings that have been renamed since

_CHUNK = 2**21  # numbers handled at once in float64 (16 MB), so that no float64 copy of a whole table is made


def scaling_name(name: Any) -> Any:
    """The name of a scaling as it is today, where ``name`` may be an earlier one."""
    return next((today for today, first in _FIRST_NAMES.items() if name == first), name)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of inputs with its targets.

    Attributes:
        name: the name by which it was loaded.
        X: inputs, float32 [n d], C-contiguous, finite.
        y: class codes int64 [n] (0 … K−1), or targets float64 [n K].
        task: "classification" or "regression".
        feature_names: d names.
        target_names: K class labels (classification) or K target names (regression).
        source_train_rows: so many rows, which come first, are the source's own training part; None where
            the source draws no boundary.
        image_shape: (height, width) where a row is a picture, found from the data, else None.
        warnings: sentences worth showing (constant columns, duplicate rows, tiny classes).
        description: one sentence.
        origin: where the data come from, citation and licence as far as known.
        preparation: how raw rows become rows of ``X``; None where inputs are used as they are.
    """

    name: str
    X: NDArray[np.float32]
    y: NDArray[Any]
    task: Task
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]
    source_train_rows: int | None = None
    image_shape: tuple[int, int] | None = None
    warnings: tuple[str, ...] = ()
    description: str = ""
    origin: str = ""
    preparation: Preparation | None = None

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_outputs(self) -> int:
        """K: classes, or regression targets."""
        return len(self.target_names)


class Source(Component):
    """The source of a data set; its options are a generator's (sample size, noise, seed).

    Class attributes:
        task: what the data are for.
        group: "bundled", "generated" or "folder"; lists are grouped by it.
        description: one sentence for lists.
    """

    task: ClassVar[Task]
    group: ClassVar[str]
    description: ClassVar[str] = ""

    def load(self) -> Dataset:
        """Read or generate the data.

        Raises:
            DataError: the data cannot be used as they are.
        """
        raise NotImplementedError


SOURCES: Registry[type[Source]] = Registry("data set")


@component
class DataSpec(Component):
    """Which data, and how they are split and scaled. JSON-ready through ``to_dict``."""

    name: ClassVar[str] = "data"

    dataset: str = option("digits", "Name of the data set.")
    # On other components ``source`` is the paper; here it is where the data come from.
    source: dict[str, Any] = option({}, "Options of the generator.")  # type: ignore[assignment, misc]
    scaling: Annotated[Literal["auto", Scaling], BeforeValidator(scaling_name)] = option(
        "auto",
        "How inputs are scaled, fitted on the training part; auto: [-1,1] for pictures, else standardize; "
        "normal-scores: standardised, and beside each input its normal score, which helps with heavy tails.",
    )
    target_scale: Literal["original", "[0,1]", "[0,100]"] = option(
        "original",
        "Unit in which regression targets are predicted and RMSE is reported; ranges span the whole data set.",
    )
    split: Literal["random", "source"] = option(
        "random", "random: shuffled (stratified for classes); source: the data set's own boundary."
    )
    test_size: float = option(0.2, "Share of the rows held out for testing.", gt=0, lt=1)

    def identity(self) -> dict[str, Any]:
        """The options as they enter a hash: a scaling counts under its first name, so that hashes stay as they were."""
        return {**self.options(), "scaling": _FIRST_NAMES.get(self.scaling, self.scaling)}


@dataclass(frozen=True, eq=False)
class Scaler:
    """z = (x − center) / scale, column by column; constant columns keep scale 1.

    The kind "normal-scores" has d more columns, the normal scores of the inputs (:class:`NormalScores`): frequencies
    can follow an input by its value and by its rank. Measured: RMSE on cpusmall and cadata 7 % lower.

        standardize     center = mean            scale = standard deviation (divided by n)
        [0,1]           center = min             scale = max − min
        [-1,1]          center = (max + min)/2   scale = (max − min)/2
        none            center = 0               scale = 1
        normal-scores   as standardize, and then the normal scores of all columns

    Attributes:
        kind: one of "standardize", "[0,1]", "[-1,1]", "none", "normal-scores".
        center, scale: float64 [d].
        scores: of the kind "normal-scores".
    """

    kind: str
    center: NDArray[np.float64]
    scale: NDArray[np.float64]
    scores: NormalScores | None = None

    @classmethod
    def fit(
        cls,
        kind: Scaling,
        X: NDArray[Any],
        rows: NDArray[np.int64] | None = None,
        *,
        common: bool = False,
        weight: NDArray[np.float64] | None = None,
    ) -> Scaler:
        """Measure centre and scale.

        Args:
            kind: the scaling of the table above.
            X: [n d], finite.
            rows: the rows to measure on; all by default.
            common: one range for all columns together, as a picture's grey values share one; the
                contrast between pixels is kept. Ranges only.
            weight: how often each of the measured rows counts, above 0; once by default.
        """
        d, kind = X.shape[1], scaling_name(kind)
        if kind == "none":
            return cls(kind, np.zeros(d), np.ones(d))
        low, high = np.full(d, np.inf), np.full(d, -np.inf)
        total, n = np.zeros(d), 0.0
        for where, part in _chunks(X, rows):
            low, high = np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
            total += part.sum(axis=0) if weight is None else weight[where] @ part
            n += len(part) if weight is None else float(weight[where].sum())
        if kind in ("standardize", "normal-scores"):
            center = total / n
            squares = np.zeros(d)
            for where, part in _chunks(X, rows):
                apart = (part - center) ** 2
                squares += apart.sum(axis=0) if weight is None else weight[where] @ apart
            scale = np.sqrt(squares / n)
        else:
            if common:
                low, high = np.full(d, low.min()), np.full(d, high.max())
            center, scale = (low, high - low) if kind == "[0,1]" else ((high + low) / 2, (high - low) / 2)
        # A constant column's measured deviation is rounding error: dividing by it would invent a signal.
        constant = (low == high) | (scale == 0)
        scores = NormalScores.fit(X, rows, weight) if kind == "normal-scores" else None
        return cls(kind, np.where(low == high, low, center), np.where(constant, 1.0, scale), scores)

    def transform(
        self, X: NDArray[Any], rows: NDArray[np.int64] | None = None, dtype: type[np.floating[Any]] = np.float32
    ) -> NDArray[Any]:
        """z = (x − center) / scale of the given rows (all by default), computed in float64, kept in ``dtype``.

        [n d], or [n 2d] with the normal scores on the right.

        Raises:
            DataError: a value so far outside the measured range that float32 could not hold it.
        """
        d = X.shape[1]
        Z = np.empty((X.shape[0] if rows is None else len(rows), d if self.scores is None else 2 * d), dtype)
        with np.errstate(over="ignore"):
            for where, part in _chunks(X, rows):
                if self.scores:
                    Z[where, d:] = self.scores.transform(part)
                part -= self.center
                part /= self.scale
                Z[where, :d] = part
        largest = np.finfo(np.float32).max
        if not all((np.abs(Z[i : i + 4096]) <= largest).all() for i in range(0, len(Z), 4096)):
            raise DataError(
                "scaled inputs must fit into 32-bit numbers",
                "values beyond 3.4e38 times the scale of the training part",
                "remove those rows or choose another scaling",
            )
        return Z

    def inverse(self, Z: NDArray[Any]) -> NDArray[np.float64]:
        """x = z · scale + center, from the first d columns."""
        return np.asarray(Z, np.float64)[:, : len(self.center)] * self.scale + self.center

    def names(self, inputs: Sequence[str]) -> tuple[str, ...]:
        """Names of the columns of ``transform``, given the d inputs' names."""
        return (*inputs, *(f"normal score of {name}" for name in inputs)) if self.scores else tuple(inputs)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Plain numeric arrays, for a file of tensors."""
        kind = np.asarray(get_args(Scaling).index(self.kind), np.int64)
        more = self.scores.to_arrays() if self.scores else {}
        return {"kind": kind, "center": self.center, "scale": self.scale, **more}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Scaler:
        """The scaler that :meth:`to_arrays` wrote."""
        kind = get_args(Scaling)[int(arrays["kind"])]
        center, scale = (np.asarray(arrays[key], np.float64) for key in ("center", "scale"))
        return cls(kind, center, scale, NormalScores.from_arrays(arrays) if kind == "normal-scores" else None)


def _chunks(X: NDArray[Any], rows: NDArray[np.int64] | None) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The chosen rows as float64 copies, a few at a time, each with its place among them."""
    n = X.shape[0] if rows is None else len(rows)
    step = max(1, _CHUNK // max(1, X.shape[1]))
    for start in range(0, n, step):
        where = slice(start, min(n, start + step))
        yield where, np.array(X[where] if rows is None else X[rows[where]], np.float64)


@dataclass(frozen=True, eq=False)
class Prepared:
    """The split and scaled data that a training gets.

    Attributes:
        dataset: the data before splitting and scaling.
        train_rows, test_rows: row numbers in ``dataset``.
        X_train, X_test: scaled inputs, float32 [n d].
        y_train, y_test: class codes int64 [n], or targets float32 [n K] standardised with the
            training part's mean and deviation (so that learning rates mean the same everywhere).
        inputs: the fitted input scaler; its ``kind`` is never "auto".
        targets: the scaler from reported units to standardised ones (regression only); its ``scale``
            turns an RMSE on standardised targets into the reported unit.
        target_unit: "original", "[0,1]" or "[0,100]": the reported unit.
        range100: factor from the reported unit to targets in [0,100] (regression; per target).
    """

    dataset: Dataset
    train_rows: NDArray[np.int64]
    test_rows: NDArray[np.int64]
    X_train: NDArray[np.float32]
    X_test: NDArray[np.float32]
    y_train: NDArray[Any]
    y_test: NDArray[Any]
    inputs: Scaler
    targets: Scaler | None = None
    target_unit: str = "original"
    range100: NDArray[np.float64] = field(default_factory=lambda: np.ones(1))

    @property
    def d(self) -> int:
        """Columns of the scaled inputs."""
        return int(self.X_train.shape[1])

    @property
    def metric(self) -> str:
        """The measure of predictions: "accuracy" (percent), or "rmse" (reported unit)."""
        return "accuracy" if self.targets is None else "rmse"

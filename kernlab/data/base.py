"""Data as kernlab sees them: a Dataset, where it comes from, and how it is split and scaled.

    Source.load() -> Dataset --prepare(DataSpec, seed)--> Prepared: scaled training and test parts

Scaling is fitted on the training part only. A new data set or generator is one class registered in
:data:`SOURCES`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from kernlab.options import Component, component, option
from kernlab.registry import Registry
from kernlab.typing import Task

__all__ = ["SOURCES", "DataSpec", "Dataset", "Prepared", "Scaler", "Source"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of inputs with its targets.

    Attributes:
        name: the name it was asked for by.
        X: inputs, float32 [n d], C-contiguous, finite.
        y: class codes int64 [n] (0 … K−1), or targets float64 [n K].
        task: "classification" or "regression".
        feature_names: d names.
        target_names: K class labels (classification) or K target names (regression).
        source_train_rows: the first that many rows are the source's own training part; None where
            the source draws no boundary.
        image_shape: (height, width) where a row is a picture, found from the data, else None.
        warnings: sentences worth showing (constant columns, duplicate rows, tiny classes).
        description: one sentence.
        origin: where the data come from, citation and licence as far as known.
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

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def n_outputs(self) -> int:
        """K: classes, or regression targets."""
        return len(self.target_names)


class Source(Component):
    """Where a data set comes from; its options are a generator's (sample size, noise, seed).

    Class attributes:
        task: what the data are for.
        group: "bundled", "generated" or "folder"; how lists are grouped.
    """

    task: ClassVar[Task]
    group: ClassVar[str]

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

    dataset: str = option("digits", "Name of the data set.")
    source: dict[str, Any] = option({}, "Options of the generator.")
    scaling: Literal["auto", "standardize", "[0,1]", "[-1,1]", "none"] = option(
        "auto", "How inputs are scaled, fitted on the training part; auto: [-1,1] for pictures, else standardize."
    )
    target_scale: Literal["original", "[0,1]", "[0,100]"] = option(
        "original", "Unit in which regression targets are predicted and RMSE is reported; ranges span the whole data set."
    )
    split: Literal["random", "source"] = option(
        "random", "random: shuffled (stratified for classes); source: the data set's own boundary."
    )
    test_size: float = option(0.2, "Share of the rows held out for testing.", gt=0, lt=1)


@dataclass(frozen=True, eq=False)
class Scaler:
    """z = (x − center) / scale, column by column; constant columns keep scale 1.

    Attributes:
        kind: one of "standardize", "[0,1]", "[-1,1]", "none".
        center, scale: float64 [d].
    """

    kind: str
    center: NDArray[np.float64]
    scale: NDArray[np.float64]

    def transform(self, X: NDArray[Any]) -> NDArray[np.float32]:
        raise NotImplementedError

    def inverse(self, Z: NDArray[Any]) -> NDArray[np.float64]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Prepared:
    """What training sees.

    Attributes:
        dataset: the data as they came.
        train_rows, test_rows: row numbers in ``dataset``.
        X_train, X_test: scaled inputs, float32 [n d].
        y_train, y_test: class codes int64 [n], or targets float32 [n K] standardised with the
            training part's mean and deviation (so that learning rates mean the same everywhere).
        inputs: the fitted input scaler.
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

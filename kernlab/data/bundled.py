"""The small data sets that come with scikit-learn: there at once, without a download."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from kernlab.data.base import SOURCES, Dataset, Source
from kernlab.data.registered import registered
from kernlab.data.table import make_dataset
from kernlab.options import component


class Bundled(Source):
    """``sklearn.datasets.load_<name>``, unscaled; what it is and whose it is stands in registry.toml."""

    group = "bundled"
    arguments: ClassVar[dict[str, Any]] = {}

    def load(self) -> Dataset:
        loader = getattr(importlib.import_module("sklearn.datasets"), f"load_{self.name}")
        table, about = loader(**self.arguments), registered()[self.name]
        labels = table.target_names if self.task == "classification" else (about.target,)
        return make_dataset(
            self.name,
            table.data,
            table.target,
            self.task,
            table.feature_names,
            labels,
            description=about.description,
            origin=about.provenance,
        )


@SOURCES.register("digits")
@component
class Digits(Bundled):
    name = "digits"
    task = "classification"


@SOURCES.register("breast_cancer")
@component
class BreastCancer(Bundled):
    name = "breast_cancer"
    task = "classification"


@SOURCES.register("wine")
@component
class Wine(Bundled):
    name = "wine"
    task = "classification"


@SOURCES.register("iris")
@component
class Iris(Bundled):
    name = "iris"
    task = "classification"


@SOURCES.register("diabetes")
@component
class Diabetes(Bundled):
    name = "diabetes"
    task = "regression"
    # scikit-learn's default is scaled with all rows; ours is scaled with the training part only.
    arguments: ClassVar[dict[str, Any]] = {"scaled": False}

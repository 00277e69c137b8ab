"""The small data sets that come with scikit-learn, which need no download."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from kernlab.data.base import SOURCES, Dataset, Source
from kernlab.data.registered import registered
from kernlab.data.table import make_dataset
from kernlab.options import component
from kernlab.typing import Task


class Bundled(Source):
    """``sklearn.datasets.load_<name>``, unscaled; registry.toml has its description and its source."""

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


def _bundle(name: str, task: Task, **arguments: Any) -> None:
    """Register a data set that is loaded with these arguments."""
    members = {"name": name, "task": task, "arguments": arguments, "__module__": __name__}
    SOURCES.add(name, component(type(name, (Bundled,), members)))


for _name in ("digits", "breast_cancer", "wine", "iris"):
    _bundle(_name, "classification")
# scikit-learn's default is scaled with all rows; kernlab scales with the training part only.
_bundle("diabetes", "regression", scaled=False)

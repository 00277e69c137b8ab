"""A comparison consists of independent cells, each of which yields one record.

    Comparison = methods × data sets × repeats  →  Cell, Cell, …  →  Record, Record, …

A cell is one method on one split of one data set, with the tuning inside. Its configuration and the data decide its
result, so its key is the hash of both; a record with that key is never computed twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from kernlab.data import DataSpec
from kernlab.earlier import VERSION
from kernlab.errors import OptionError
from kernlab.methods import METHODS, MethodSpec

__all__ = ["Cell", "Comparison", "Record", "Tuning", "named"]


def named(name: str) -> MethodSpec | None:
    """The named method that a method of a comparison is, or is a variant of: "ASKL: stationary" is one of ASKL.

    The words after the colon are free: what the variant has otherwise stands in the comparison's ``own`` options.
    None: a baseline, or nothing that is known.
    """
    return METHODS.get(name.partition(": ")[0])


@dataclass(frozen=True)
class Tuning:
    """How hyper-parameters are searched inside the training part.

    Attributes:
        trials: settings tried at most.
        seconds: limit for one cell; None: no limit. With a limit a baseline still has a minimum of settings
            (:data:`kernlab.compare.baselines.LEAST`).
        search: "bayes" (adjustments that are known to help, then a tree-structured Parzen estimator with pruning),
            "halving", or a paper's "grid".
        folds: k of the k-fold cross-validation; 1: one held-out fifth of the training part.
        rows: training rows that a search uses, at most.
    """

    trials: int = 20
    seconds: float | None = None
    search: Literal["bayes", "halving", "grid"] = "bayes"
    folds: int = 1
    rows: int = 10_000


@dataclass(frozen=True)
class Cell:
    """One method on one split of one data set.

    Attributes:
        method: name of a method (kernlab.methods) or of a baseline (constant predictor, RBF-SVM, boosting).
        options: the method's options by their flat keys, where they differ from its own.
        data: which data, split and scaling.
        fingerprint: hash of the data's content.
        seed: decides the split and what is drawn.
        tuning: how hyper-parameters are searched; None: not at all.
        device: "cpu", "cuda" …
        version: decides the defaults of settings that are left out, see :mod:`kernlab.earlier`.
    """

    method: str
    data: DataSpec
    fingerprint: str
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    tuning: Tuning | None = None
    device: str = "cpu"
    version: int = VERSION

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return _written(self, options=dict(self.options), data=self.data.options())

    @property
    def key(self) -> str:
        """Hash of everything that decides the result."""
        known = self.to_dict() | {"data": self.data.identity()}
        text = json.dumps(known, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Record:
    """The result of a cell.

    Attributes:
        key: the cell's.
        cell: its configuration.
        status: "done" or "failed".
        message: why it failed, in a sentence.
        metric: "accuracy" (percent, more is better) or "rmse" (less is better).
        test, train: the metric on the two parts.
        constant: the constant predictor's test metric.
        n_train, n_test: rows.
        seconds: of the training with the chosen settings, features included.
        tuning_seconds, trials: time of the search, and settings tried.
        chosen: the settings the search chose.
        curve: ``epoch``, ``train_metric``, ``test_metric`` over training, of equal length; empty for baselines.
        extra: anything else worth keeping: test_rmse_range100, heads, bound …
        versions: of kernlab, torch, numpy, scikit-learn, and the machine.
    """

    key: str
    cell: Mapping[str, Any]
    status: Literal["done", "failed"]
    message: str = ""
    metric: str = ""
    test: float | None = None
    train: float | None = None
    constant: float | None = None
    n_train: int = 0
    n_test: int = 0
    seconds: float = 0.0
    tuning_seconds: float = 0.0
    trials: int = 0
    chosen: Mapping[str, Any] = field(default_factory=dict)
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Record:
        """The record that ``to_dict`` wrote."""
        return cls(**values)


@dataclass(frozen=True)
class Comparison:
    """Methods × data sets × repeats on the same splits.

    Attributes:
        methods: names of methods, of variants of them (:func:`named`) and of baselines, in the order they are shown.
        datasets: what they are compared on.
        repeats: splits of each data set, with the seeds ``seed``, ``seed`` + 1, …
        options: by flat key, for every method that has them.
        own: options of single methods, by the method's name.
        tuning: how hyper-parameters are searched in each cell.
        seed: the first split's.
        device: where cells are computed.
        version: decides the defaults of settings that are left out, see :mod:`kernlab.earlier`.

    Raises:
        OptionError: no method, no data set, fewer than one repeat, or a name that occurs twice.
    """

    methods: tuple[str, ...]
    datasets: tuple[DataSpec, ...]
    repeats: int = 10
    options: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tuning: Tuning | None = None
    seed: int = 0
    device: str = "cpu"
    version: int = VERSION

    def __post_init__(self) -> None:
        names = [spec.dataset for spec in self.datasets]
        for what, listed in (("method", list(self.methods)), ("data set", names)):
            if not listed:
                raise OptionError(f"a comparison needs at least one {what}", "none", f"name a {what}")
            if len(set(listed)) < len(listed):
                raise OptionError(f"each {what} may stand once", ", ".join(listed), "drop the double one")
        if self.repeats < 1:
            raise OptionError("repeats must be a whole number of at least 1", self.repeats, "2 or more allow a test")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; ``from_dict`` gives back an equal comparison."""
        return _written(
            self,
            methods=list(self.methods),
            datasets=[data.options() for data in self.datasets],
            options=dict(self.options),
            own={method: dict(options) for method, options in self.own.items()},
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Comparison:
        """The comparison that ``to_dict`` wrote."""
        datasets = tuple(DataSpec.build(**data) for data in values["datasets"])
        tuning = Tuning(**values["tuning"]) if values["tuning"] else None
        converted = {"methods": tuple(values["methods"]), "datasets": datasets, "tuning": tuning}
        return cls(**{"version": 1, **values, **converted})

    @property
    def seeds(self) -> tuple[int, ...]:
        """One for each repeat."""
        return tuple(range(self.seed, self.seed + self.repeats))

    def cells(self, fingerprints: Mapping[str, str], takes: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
        """Every cell, split by split, so that unfinished comparisons are still fair.

        Args:
            fingerprints: content hash of each data set by its name.
            takes: the option keys that each method has.
        """
        for data in self.datasets:
            for seed in self.seeds:
                for method in self.methods:
                    options = {k: v for k, v in self.options.items() if k in takes[method]}
                    options |= dict(self.own.get(method, {}))
                    # A baseline means the same in both versions, and keeps its records.
                    version = self.version if named(method) else 1
                    yield Cell(
                        method, data, fingerprints[data.dataset], seed, options, self.tuning, self.device, version
                    )


def _written(value: Cell | Comparison, **converted: Any) -> dict[str, Any]:
    """The fields by name, some of them converted. Version 1 is left out: it had no such field, and hashes must last."""
    found = {each.name: getattr(value, each.name) for each in fields(value)} | converted
    if value.version == 1:
        del found["version"]
    return found | {"tuning": asdict(value.tuning) if value.tuning else None}

"""Comparisons of a second: few features, few epochs, small data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from kernlab.compare import Comparison, Record
from kernlab.compare.run import Computed, Done, compare
from kernlab.data import DataSpec

QUICK = {"n_features": 20, "epochs": 2}


def small(methods: tuple[str, ...] = ("SK", "ASKL"), repeats: int = 3, **changes: Any) -> Comparison:
    """Two quick methods on iris, by default."""
    changes = {"datasets": (DataSpec.build(dataset="iris"),), "options": QUICK, **changes}
    return Comparison(methods, repeats=repeats, **changes)


def record(method: str, seed: int, test: float | None, dataset: str = "segment", **values: Any) -> Record:
    """The record of a finished cell; ``values`` change the ``data`` of the cell and fields of the record."""
    metric = values.setdefault("metric", "accuracy")
    data = {"dataset": dataset, "split": "random", "target_scale": "[0,100]", **values.pop("data", {})}
    filled = {
        "status": "done",
        "constant": 14.0 if metric == "accuracy" else 11.5,
        "n_train": 80,
        "n_test": 20,
        "seconds": 2.0,
    }
    cell = {"method": method, "seed": seed, "data": data}
    return Record(f"{method}-{dataset}-{seed}", cell, test=test, **{**filled, **values})


def failed(method: str, seed: int, dataset: str = "segment", message: str = "no") -> Record:
    return record(method, seed, None, dataset, metric="", status="failed", message=message, constant=None)


def done(comparison: Comparison, store: Any, **options: Any) -> tuple[Record, ...]:
    """The records at the end."""
    last = list(compare(comparison, **{"backend": "here", "store": store, **options}))[-1]
    assert isinstance(last, Done)
    assert last.complete
    return last.records


def computed(events: Iterable[Any]) -> list[Computed]:
    return [event for event in events if isinstance(event, Computed)]


def numbers(records: Iterable[Record]) -> list[Record]:
    """The records without what a clock measured."""
    timeless = {"seconds": 0.0, "tuning_seconds": 0.0}
    return [replace(each, **timeless, extra={**each.extra, "prediction_ms": 0.0}) for each in records]


def elsewhere(comparison: Comparison, store: Any, line: Connection) -> None:
    """What another process does: plan, say so, wait for a word, compute, say what it has computed and what there is."""
    events = compare(comparison, backend="here", store=store)
    line.send(type(next(events)).__name__)
    line.recv()
    found = list(events)
    line.send((sum(not each.elsewhere for each in computed(found)), found[-1].complete, len(found[-1].records)))

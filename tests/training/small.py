"""Tiny data, and short ways to run a training and look at it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kernlab.data import DataSpec, Prepared, make_dataset, prepare
from kernlab.spec import RunSpec
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Evaluated, Event, Failed, Finished, Started, Step
from kernlab.training.trainer import train

FINAL = (Finished, Failed, Cancelled)


def classes(n: int = 60, d: int = 3, K: int = 3) -> Prepared:
    """K overlapping clouds; 48 training rows."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % K
    return prepare(make_dataset("clouds", rng.normal(size=(n, d)) + y[:, None], y, "classification"), DataSpec(), 0)


def targets(n: int = 60, d: int = 3, K: int = 2, **options: Any) -> Prepared:
    """K targets of quite different size; 48 training rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    Y = np.sin(X[:, :1] * np.arange(1, K + 1)) * 10.0 ** np.arange(K) + 5 + 0.1 * rng.normal(size=(n, K))
    return prepare(make_dataset("waves", X, Y, "regression"), DataSpec.build(**options), 0)


def prepared_arrays(task: str, n: int = 60, scaling: str = "auto") -> Prepared:
    """Two inputs; two classes of two names, or one target. 4/5 of the rows are for training."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 2))
    signal = np.sin(2 * X[:, 0]) + X[:, 1]
    y = (signal > 0).astype(int) if task == "classification" else signal[:, None]
    names = ("down", "up") if task == "classification" else ("height",)
    return prepare(make_dataset("plane", X, y, task, target_names=names), DataSpec.build(scaling=scaling), 0)


def spec(method: str = "ASKL", **options: Any) -> RunSpec:
    """16 features, batches of 16 (three an epoch on 48 rows), four epochs; penalties that can be felt."""
    small = {"n_features": 16, "batch_size": 16, "epochs": 4}
    strong = {"ASKL": {"trace_norm": 0.01, "feature_norm": 0.01}}.get(method, {"frobenius": 0.01})
    return RunSpec.of(method, "clouds", **{**small, **strong, **options})


def events(run: RunSpec, data: Prepared, **options: Any) -> list[Event]:
    return list(train(run, data=data, **options))


def of(kind: type, happened: list[Event]) -> list[Any]:
    return [event for event in happened if isinstance(event, kind)]


def checkpoints(run: RunSpec, data: Prepared, **options: Any) -> list[Checkpoint]:
    """The state before every step: a checkpoint is asked for as soon as one has come."""
    control = Control()
    control.request_checkpoint()
    found: dict[int, Checkpoint] = {}
    for event in train(run, data=data, control=control, **options):
        if isinstance(event, Checkpoint):
            found[event.step] = event
        elif isinstance(event, Step | Started):
            control.request_checkpoint()
    return [found[step] for step in sorted(found)]


def through_bytes(checkpoint: Checkpoint) -> Checkpoint:
    """As another process reads it: arrays from a file, the state from JSON."""
    file = io.BytesIO()
    np.savez(file, **{name.replace("/", "|"): value for name, value in checkpoint.arrays.items()})
    file.seek(0)
    with np.load(file) as stored:
        arrays = {name.replace("|", "/"): stored[name] for name in stored.files}
    return Checkpoint(checkpoint.step, arrays, json.loads(json.dumps(checkpoint.state)))


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit; clocks aside."""
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(key == "seconds" or same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    return bool(a == b) or (a != a and b != b)


def same_event(a: Event, b: Event) -> bool:
    return type(a) is type(b) and same(vars(a), vars(b))


def curve(happened: list[Event], key: str) -> Iterator[float]:
    return (event.metrics[key] for event in of(Evaluated, happened))

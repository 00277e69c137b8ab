"""A training of a few lines that sends the real events, so that the store and the jobs are tested without learning."""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from kernlab.runs.store import Store
from kernlab.training.control import Control
from kernlab.training.events import (
    Cancelled,
    Checkpoint,
    Evaluated,
    Event,
    Failed,
    Finished,
    Snapshot,
    Started,
    Step,
)

PER_EPOCH = 5


def spec(steps: int = 20, *, device: str = "cpu", delay: float = 0.0, **more: Any) -> dict[str, Any]:
    """A spec as RunSpec writes it, with the fake's own options beside."""
    return {
        "method": {"name": "ASKL", "learned": True},
        "data": {"dataset": "digits", "scaling": "auto"},
        "seed": 7,
        "device": device,
        "fake": {"steps": steps, "delay": delay, **more},
    }


def frequencies(step: int) -> np.ndarray:
    return np.random.default_rng(step).normal(size=(3, 4)).astype(np.float32)


def started(asked: Mapping[str, Any], start: int = 0) -> Started:
    steps = asked["fake"]["steps"]
    facts = {"total_steps": steps, "steps_per_epoch": PER_EPOCH, "start_step": start, "fingerprint": "f00d"}
    facts |= {"device": asked["device"], "classes": ["a", "b"], "constant": 10.0, "n_train": 25, "n_test": 9, "d": 2}
    facts |= {"K": 2, "task": "classification", "metric": "accuracy", "view": "regions", "view_grid": [3, 1]}
    return Started({**asked, "resolved": True}, facts, {"view_points": np.arange(6.0).reshape(3, 2)})


def train(asked: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
    """Like the trainer: measures at both ends of an epoch, looks at its Control between steps."""
    fake = asked["fake"]
    step = resume.step if resume else 0
    weight = float(resume.arrays["weight"]) if resume else 1.0
    yield started(asked, step)
    yield Evaluated(step, step / PER_EPOCH, {"test_metric": weight})
    while step < fake["steps"]:
        if control.paused:
            control.wait()
        if control.take_checkpoint():
            yield Checkpoint(step, {"weight": np.float64(weight)}, {"epoch": step // PER_EPOCH})
            continue
        if control.cancelled:
            yield Checkpoint(step, {"weight": np.float64(weight)}, {"epoch": step // PER_EPOCH})
            yield Cancelled(step)
            return
        time.sleep(fake["delay"])
        step, weight = step + 1, math.sin(weight + 1)
        if step == fake.get("crash_at"):
            raise ValueError("the sky fell")
        if step == fake.get("diverge_at"):
            yield Failed(step, "The loss must stay finite. Try a smaller learning rate.")
            return
        control.spent("batch")
        yield Step(step, step / PER_EPOCH, {"objective": weight, "loss": weight / 3})
        if step % PER_EPOCH == 0:
            control.spent("epoch")
            yield Evaluated(step, step / PER_EPOCH, {"test_metric": weight})
            yield Snapshot(step, step / PER_EPOCH, {"omega": frequencies(step), "weight": np.float64(weight)})
            yield Checkpoint(step, {"weight": np.float64(weight)}, {"epoch": step // PER_EPOCH})
    yield Finished(step, {"test_metric": weight}, {"weight": np.float64(weight)}, {"classes": ["a", "b"]})


def expected(steps: int) -> list[float]:
    """The objective after each step."""
    values, weight = [], 1.0
    for _ in range(steps):
        weight = math.sin(weight + 1)
        values.append(weight)
    return values


def record(store: Store, *events: Event, steps: int = 20) -> str:
    """A run of these events."""
    run_id = store.create(spec(steps))
    with store.writer(run_id) as writer:
        for event in events:
            writer.write(event)
    return run_id


def trained(store: Store, steps: int = 12) -> str:
    """A finished run."""
    return record(store, *train(spec(steps), control=Control(), resume=None), steps=steps)


def resumed(store: Store, run_id: str, steps: int = 12) -> None:
    """Train an interrupted run to its end."""
    with store.writer(run_id) as writer:
        for event in train(spec(steps), control=Control(), resume=store.checkpoint(run_id)):
            writer.write(event)


def sql(home: Path, *statements: str, **values: Any) -> list[Any]:
    """Change the database past everything that checks it; the rows of the last statement."""
    with closing(sqlite3.connect(home / "kernlab.db")) as database, database:
        found = [database.execute(statement, values).fetchall() for statement in statements]
    return found[-1]

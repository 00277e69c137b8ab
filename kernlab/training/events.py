"""The events of a training run: plain facts, standard library only.

    Started → (Step | Evaluated | Snapshot | Checkpoint | Changed | Kept)* → Finished | Failed | Cancelled

Printing, storing and drawing consume events; none of them touches the trainer. Arrays are anything with the buffer
protocol (NumPy arrays in practice) and are never changed once an event has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = [
    "Cancelled", "Changed", "Checkpoint", "Evaluated", "Event", "Failed", "Finished", "Kept", "Snapshot", "Started",
    "Step",
]  # fmt: skip


@dataclass(frozen=True)
class Started:
    """The run is ready for its first step.

    Attributes:
        spec: the run's configuration with every "auto" replaced by what the rules chose (JSON-ready).
        facts: n_train, n_test, d, K, task, metric, classes, device, threads, total_steps,
            steps_per_epoch, start_step (0, or where a resumed run goes on), constant (the constant
            predictor's test metric), compiled … (JSON-ready).
        arrays: arrays that pictures need and that stay the same over the run: ``view_points`` [v d'],
            ``view_labels`` [v] and so on.
    """

    spec: Mapping[str, Any]
    facts: Mapping[str, Any]
    arrays: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """Means over the mini-batches since the last Step: objective, loss, one entry a regularizer."""

    step: int
    epoch: float
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Evaluated:
    """The model of one step: train_metric, test_metric, losses, ``bound/<term>``."""

    step: int
    epoch: float
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Snapshot:
    """The learned parameters of one step, enough to draw every picture of it again; no other snapshot has its step."""

    step: int
    epoch: float
    arrays: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """Everything needed to resume bit for bit: tensors by name and a JSON-ready state."""

    step: int
    arrays: Mapping[str, Any]
    state: Mapping[str, Any]


@dataclass(frozen=True)
class Changed:
    """Options have other values in all steps after this one.

    Attributes:
        values: the new values, by option.
        changes: all changes of the run so far, past and planned, as its spec has them (JSON-ready).
    """

    step: int
    epoch: float
    values: Mapping[str, float]
    changes: Any


@dataclass(frozen=True)
class Kept:
    """The validation rows have chosen; from here on the chosen epochs are repeated on all rows.

    Attributes:
        facts: ``kept`` (epoch, of, stopped, rows, loss, penalty), and total_steps and total_epochs of the whole run,
            which are known from this event on (JSON-ready).
    """

    step: int
    epoch: float
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Finished:
    """The run reached its last step.

    Attributes:
        summary: the fields of ``kernlab train --json``.
        model: the trained model's tensors and the scaling, by name.
        meta: the rest of a saved model (JSON-ready).
    """

    step: int
    summary: Mapping[str, Any]
    model: Mapping[str, Any]
    meta: Mapping[str, Any]


@dataclass(frozen=True)
class Failed:
    """The run had to stop (a loss that is not finite, no memory); ``message`` has the reason and advice."""

    step: int
    message: str


@dataclass(frozen=True)
class Cancelled:
    """The run was stopped on request. The event before it is a Checkpoint."""

    step: int


Event: TypeAlias = Started | Step | Evaluated | Snapshot | Checkpoint | Changed | Kept | Finished | Failed | Cancelled

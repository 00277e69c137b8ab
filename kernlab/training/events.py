"""What a training run says while it goes on: plain facts, standard library only.

    Started → (Step | Evaluated | Snapshot | Checkpoint | Kept)* → Finished | Failed | Cancelled

Printing, storing and drawing are consumers of these; none of them touches the trainer. Arrays are
anything with the buffer protocol (NumPy arrays in practice) and are never changed after they are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = [
    "Cancelled", "Checkpoint", "Evaluated", "Event", "Failed", "Finished", "Kept", "Snapshot", "Started", "Step",
]  # fmt: skip


@dataclass(frozen=True)
class Started:
    """The run is set up and its first step comes next.

    Attributes:
        spec: the run's configuration with every "auto" replaced by what the rules chose (JSON-ready).
        facts: n_train, n_test, d, K, task, metric, classes, device, threads, total_steps,
            steps_per_epoch, start_step (0, or where a resumed run goes on), constant (the constant
            predictor's test metric), compiled ... (JSON-ready).
        arrays: what stays the same over the run and the pictures need: ``view_points`` [v d'],
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
    """Measured with the weights held still: train_metric, test_metric, losses, ``bound/<term>``."""

    step: int
    epoch: float
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Snapshot:
    """The learned things at one moment, enough to draw every picture of it again."""

    step: int
    epoch: float
    arrays: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """Everything needed to go on bit for bit: tensors by name and a JSON-ready state."""

    step: int
    arrays: Mapping[str, Any]
    state: Mapping[str, Any]


@dataclass(frozen=True)
class Kept:
    """The rows held back have chosen; what follows repeats the chosen epochs on all rows.

    Attributes:
        facts: ``kept`` (epoch, of, stopped, rows, loss, penalty), and total_steps and total_epochs of the whole run,
            which are known from now on (JSON-ready).
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
        meta: what else a saved model needs (JSON-ready).
    """

    step: int
    summary: Mapping[str, Any]
    model: Mapping[str, Any]
    meta: Mapping[str, Any]


@dataclass(frozen=True)
class Failed:
    """The run had to stop (a non-finite loss, no memory); ``message`` says what to try."""

    step: int
    message: str


@dataclass(frozen=True)
class Cancelled:
    """The run was stopped on request. A Checkpoint came just before."""

    step: int


Event: TypeAlias = Started | Step | Evaluated | Snapshot | Checkpoint | Kept | Finished | Failed | Cancelled

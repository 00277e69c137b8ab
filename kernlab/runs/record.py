"""The record of a run, and the one schema that it is checked against.

Records come from outside: from a database that a disk may have damaged or another version may have written, and from
archives that anybody may have made. :func:`read` checks each column on its own, so that one wrong value costs that
value and not the run, and one wrong run does not cost the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from kernlab.errors import StoreError
from kernlab.runs.kept import SHAPE, BestEpoch, Counted, Whole, epoch_at

__all__ = ["LIVE", "Run", "Status", "checkpoint_damage", "read"]

#: The statuses that are stored.
Stored: TypeAlias = Literal["queued", "running", "paused", "finished", "failed", "stopped", "interrupted"]

#: The statuses that are shown: also "damaged", where the record is not what it must be.
Status: TypeAlias = Stored | Literal["damaged"]

#: The statuses of a run that a process works on, or is going to.
LIVE: tuple[Status, ...] = ("queued", "running", "paused")

_Seconds: TypeAlias = Annotated[float, Field(ge=0, le=250_000_000_000)]  # up to the year 9892: what a date can show


@dataclass(frozen=True)
class Run:
    """One run as it is known now; method, dataset and seed are those of its spec."""

    id: Annotated[str, Field(pattern=r"\A[0-9A-Za-z]+\z")]
    name: str
    method: str
    dataset: str
    seed: int | None
    device: str  # as asked for; from the start on the one it runs on
    status: Status
    created: _Seconds  # since 1970, by the clock of the machine
    updated: _Seconds
    seconds: _Seconds  # spent training, without pauses and queues
    spec: dict[str, Any]  # as asked for
    resolved: dict[str, Any]  # the spec with every "auto" replaced; empty before the run has started
    facts: dict[str, Any]  # of the event Started
    summary: dict[str, Any]  # of the event Finished
    versions: dict[str, str]  # of python, torch, numpy and kernlab
    fingerprint: str  # of the data
    note: str  # the user's
    error: str  # the sentence that a failed run ended with
    starred: bool  # a favourite of the user
    deleted: bool  # marked as deleted; can still be restored
    step: Annotated[int, Field(ge=0, lt=2**63)]  # the last stored one
    damage: tuple[str, ...] = ()  # what is wrong in the record: damaged columns are empty, the others as stored

    @property
    def live(self) -> bool:
        """A process works on it, or is going to."""
        return self.status in LIVE

    @property
    def resumable(self) -> bool:
        """It ended early, and can go on from its checkpoint, or from the start where it left none."""
        return self.status in ("failed", "stopped", "interrupted")

    @property
    def total_steps(self) -> int | None:
        """Steps of the whole run, None before it has started."""
        return self.facts.get("total_steps")

    @property
    def epoch(self) -> float:
        """Passes over the training part so far."""
        return epoch_at(self.facts, self.step)

    @property
    def trouble(self) -> StoreError | None:
        """Why a damaged run cannot be worked on, as an error to raise or show; None where the record is whole."""
        if not self.damage:
            return None
        return StoreError(
            "the record of a run must be whole for it to be shown, exported or resumed",
            f"run {self.id} ({self.name}) is damaged: {'; '.join(self.damage)}",
            "run kernlab runs check --repair, which saves what can be saved, or delete the run",
        )


# -- the shapes of the columns that are JSON

_Two: TypeAlias = Annotated[list[Counted], Field(min_length=2, max_length=2)]


class _Shape(BaseModel):
    model_config = SHAPE


class _Method(_Shape):
    name: str = ""
    solver: dict[str, Any] = {}


class _Spec(_Shape):
    method: _Method
    data: dict[str, Any]


class _Facts(_Shape):
    n_train: Counted
    n_test: Whole
    d: Counted
    K: Counted
    task: Literal["classification", "regression"]
    metric: Literal["accuracy", "rmse"]
    classes: list[str]
    total_steps: Whole
    steps_per_epoch: Counted
    view: Literal["curve", "regions", "projection"]
    view_grid: _Two | None = None
    feature_names: list[str] = []
    image_shape: _Two | None = None
    start_step: Whole = 0
    constant: float | None = None
    warnings: list[str] = []
    device: str = ""
    target_unit: str = ""
    bound: str | None = None
    n_held: Whole = 0
    chosen_on: Whole = 0
    kept: BestEpoch | None = None
    total_epochs: float | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> _Facts:
        if len(self.classes) != self.K:
            raise ValueError(f"there must be a name in classes for each of the K = {self.K} outputs")
        if self.image_shape and self.image_shape[0] * self.image_shape[1] != self.d:
            raise ValueError(f"image_shape must have d = {self.d} pixels")
        if self.view == "regions" and not self.view_grid:
            raise ValueError("a view of regions must have a view_grid")
        return self


class _Reached(_Shape):
    test_metric: float | None
    train_metric: float | None = None


class _Summary(_Shape):
    test_metric: float | None = None
    train_metric: float | None = None
    metric: Literal["accuracy", "rmse"] = "accuracy"
    objective: float | None = None
    constant: float | None = None
    seconds: float | None = None
    steps: Whole = 0
    bound: dict[str, float | None] = {}
    heads: dict[str, _Reached] = {}


class _Versions(_Shape):
    __pydantic_extra__: dict[str, str]


_SHAPES: dict[str, type[_Shape]] = {
    "spec": _Spec, "resolved": _Spec, "facts": _Facts, "summary": _Summary, "versions": _Versions,
}  # fmt: skip


class _Resumable(_Shape):
    step: Whole
    state: dict[str, Any]  # checked by the training that goes on from it


_COLUMNS: dict[str, TypeAdapter[Any]] = {
    name: TypeAdapter(Stored if name == "status" else hint)
    for name, hint in get_type_hints(Run, include_extras=True).items()
    if name != "damage"
}

_EMPTY: dict[str, Any] = {"method": "?", "dataset": "?", "seed": None, "device": "auto"}
_EMPTY |= {name: {} for name in _SHAPES} | dict.fromkeys(("created", "updated", "seconds"), 0.0)
_EMPTY |= dict.fromkeys(("starred", "deleted"), False) | {"step": 0, "status": "interrupted"}


def read(row: Mapping[str, Any]) -> Run:
    """The run of a record.

    Args:
        row: the columns as SQLite gives them (JSON as text), or as an archive does (JSON as objects).

    Returns:
        the run. A column that is missing or wrong is empty, ``damage`` says why, and the status is "damaged".
    """
    values: dict[str, Any] = {}
    damage = []
    for name in _COLUMNS:
        try:
            values[name] = _column(name, row[name])
        except KeyError:
            damage.append(f"{name} is missing")
        except ValidationError as error:
            damage.append(f"{name}{_first_error(error)}")
        except UnicodeError:
            damage.append(f"{name} is not text in UTF-8")
        except (ValueError, RecursionError) as error:
            damage.append(f"{name} is not JSON ({error})")
        if name not in values:
            values[name] = _left(name, row.get(name), values)
    return Run(**values | ({"status": "damaged", "damage": tuple(damage)} if damage else {}))


def _column(name: str, value: Any) -> Any:
    if isinstance(value, str):
        value.encode()  # bytes that are no UTF-8 come from the database as surrogates
    if name in _SHAPES:
        if isinstance(value, str):
            value = json.loads(value)
        if value != {}:
            _SHAPES[name].model_validate(value)
        elif name == "spec":
            _Spec.model_validate(value)  # says what is missing
    return _COLUMNS[name].validate_python(value)


def _left(name: str, value: Any, values: Mapping[str, Any]) -> Any:
    """What can be saved of a column that is wrong."""
    if isinstance(value, str) and _COLUMNS[name].core_schema["type"] == "str":
        return value.encode(errors="surrogateescape").decode(errors="replace")
    return _EMPTY.get(name, values.get("id", "") if name == "name" else "")


def checkpoint_damage(meta: Any) -> str:
    """What is wrong with the meta of a checkpoint's file; empty where nothing is."""
    try:
        _Resumable.model_validate(meta)
    except ValidationError as error:
        return _first_error(error)
    return ""


def _first_error(error: ValidationError) -> str:
    """Where and why: ".d: Input should be a valid integer"."""
    found = error.errors(include_url=False, include_context=False)[0]
    place = "".join(f".{each}" for each in found["loc"])
    return f"{place}: {found['msg'].removeprefix('Value error, ')}"

"""What a run's record says, and the one schema that it is checked against.

Records come from outside: from a database that a disk may have damaged or another version may have written, and from
archives that anybody may have made. :func:`read` checks each column on its own, so that one wrong value costs that
value and not the run, and one wrong run does not cost the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from kernlab.errors import StoreError
from kernlab.runs.kept import epoch_at

__all__ = ["LIVE", "Resumable", "Run", "Status", "first_error", "read"]

#: What the database says of a run.
Stored: TypeAlias = Literal["queued", "running", "paused", "finished", "failed", "stopped", "interrupted"]

#: What a run is shown as: also "damaged", where its record is not what it must be.
Status: TypeAlias = Stored | Literal["damaged"]

#: Somebody works, or waits to work, on a run of these statuses.
LIVE: tuple[Status, ...] = ("queued", "running", "paused")

_Seconds: TypeAlias = Annotated[float, Field(ge=0, le=250_000_000_000)]  # up to the year 9892: what a date can show


@dataclass(frozen=True)
class Run:
    """One run as it is known now.

    Attributes:
        id: short string.
        name, note, starred: the user's own words about it.
        method, dataset, seed: taken from the spec.
        device: asked for, and once started the one it runs on.
        status: queued, running, paused, finished, failed, stopped, interrupted or damaged.
        created, updated: seconds since 1970, by the clock of the machine.
        seconds: time spent training, without pauses and queues.
        spec: the configuration as asked for.
        resolved: the same with every "auto" replaced (empty before the run has started).
        facts, summary: those of the Started and Finished events.
        versions: of python, torch, numpy and kernlab.
        fingerprint: of the data.
        error: the sentence a failed run ended with.
        step: the last stored step.
        deleted: thrown away; can still be restored.
        damage: what in the record is not what it must be; everything else above is what the record says, and what is
            damaged is empty.
    """

    id: Annotated[str, Field(pattern=r"\A[0-9A-Za-z]+\z")]
    name: str
    method: str
    dataset: str
    seed: int | None
    device: str
    status: Status
    created: _Seconds
    updated: _Seconds
    seconds: _Seconds
    spec: dict[str, Any]
    resolved: dict[str, Any]
    facts: dict[str, Any]
    summary: dict[str, Any]
    versions: dict[str, str]
    fingerprint: str
    note: str
    error: str
    starred: bool
    deleted: bool
    step: Annotated[int, Field(ge=0, lt=2**63)]
    damage: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        """Somebody works, or waits to work, on it."""
        return self.status in LIVE

    @property
    def resumable(self) -> bool:
        """It ended early: it can go on from its checkpoint, or from the start where it left none."""
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


# -- the shapes of what is stored as JSON: more keys may come with another version, these must be right


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")


_Whole: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
_Counted: TypeAlias = Annotated[int, Field(ge=1, lt=2**63)]
_Two: TypeAlias = Annotated[list[_Counted], Field(min_length=2, max_length=2)]


class _Method(_Shape):
    name: str = ""
    solver: dict[str, Any] = {}


class _Spec(_Shape):
    method: _Method
    data: dict[str, Any]


class _Kept(_Shape):
    epoch: _Whole
    of: _Whole
    stopped: _Counted
    rows: _Counted
    penalty: float | None
    learned: bool


class _Facts(_Shape):
    n_train: _Counted
    n_test: _Whole
    d: _Counted
    K: _Counted
    task: Literal["classification", "regression"]
    metric: Literal["accuracy", "rmse"]
    classes: list[str]
    total_steps: _Whole
    steps_per_epoch: _Counted
    view: Literal["curve", "regions", "projection"]
    view_grid: _Two | None = None
    feature_names: list[str] = []
    image_shape: _Two | None = None
    start_step: _Whole = 0
    constant: float | None = None
    warnings: list[str] = []
    device: str = ""
    target_unit: str = ""
    bound: str | None = None
    n_held: _Whole = 0
    chosen_on: _Whole = 0
    kept: _Kept | None = None
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
    steps: _Whole = 0
    bound: dict[str, float | None] = {}
    heads: dict[str, _Reached] = {}


class _Versions(_Shape):
    __pydantic_extra__: dict[str, str]


_SHAPES: dict[str, type[_Shape]] = {
    "spec": _Spec, "resolved": _Spec, "facts": _Facts, "summary": _Summary, "versions": _Versions,
}  # fmt: skip


class Resumable(_Shape):
    """What a checkpoint says of itself: its step, and a state that the training checks that goes on from it."""

    step: _Whole
    state: dict[str, Any]


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
        the run. Where a column is missing or wrong it is empty, ``damage`` says why, and the status is "damaged".
    """
    values: dict[str, Any] = {}
    damage = []
    for field in fields(Run):
        name = field.name
        if name == "damage":
            continue
        try:
            values[name] = _column(name, row[name])
        except KeyError:
            damage.append(f"{name} is missing")
        except ValidationError as error:
            damage.append(f"{name}{first_error(error)}")
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


def first_error(error: ValidationError) -> str:
    """Where and why: ".d: Input should be a valid integer"."""
    found = error.errors(include_url=False, include_context=False)[0]
    place = "".join(f".{each}" for each in found["loc"])
    return f"{place}: {found['msg'].removeprefix('Value error, ')}"

"""The tables and files of runs. Nothing outside this package knows these tables and names.

home/kernlab.db                     runs, metrics and snapshots (SQLite)
home/runs/<id>/lock                 locked by the process that works on the run
home/runs/<id>/record.json          the run's row as it was at its start or end: what a damaged database is mended from
home/runs/<id>/static.safetensors   Started.arrays
home/runs/<id>/checkpoint.safetensors
home/runs/<id>/model.safetensors
home/runs/<id>/snapshots/<step>.safetensors
home/runs/<id>/notes.json           pinned to moments by the user; only where there are some
home/aside/<time>/                  what `kernlab runs check --repair` replaced; kernlab never reads it
"""

from __future__ import annotations

import functools
import importlib.metadata
import platform
import secrets
import string
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from filelock import FileLock
from numpy.typing import NDArray

from kernlab import __version__
from kernlab.errors import KernlabError
from kernlab.files import Claim

__all__ = [
    "CHANGED",
    "IMPORTING",
    "METRICS",
    "RECORDS",
    "RUNS",
    "SNAPSHOTS",
    "TABLES",
    "VERSION",
    "Curve",
    "Folder",
    "Metrics",
    "Point",
    "Snapshots",
    "as_stored",
    "curves",
    "is_id",
    "new_id",
    "part_of",
    "taken",
    "versions",
]

VERSION = 1  # of the tables; a newer store is refused instead of misread

TABLES = sa.MetaData()


def _columns(names: str, kind: type[sa.types.TypeEngine[Any]], default: Any, literal: str) -> list[sa.Column[Any]]:
    """Columns that are never NULL, with the value of new rows and, as SQL, of rows from before there was the column."""
    return [
        sa.Column(name, kind, nullable=False, default=default, server_default=sa.text(literal))
        for name in names.split()
    ]


RUNS = sa.Table(
    "runs",
    TABLES,
    sa.Column("id", sa.String, primary_key=True),
    *_columns("name method dataset device status fingerprint note error", sa.String, "", "''"),
    sa.Column("seed", sa.Integer),
    *_columns("created updated seconds", sa.Float, 0.0, "0.0"),
    *_columns("spec resolved facts summary versions", sa.JSON, dict, "'{}'"),
    *_columns("starred deleted", sa.Boolean, False, "0"),
    *_columns("step rewound", sa.Integer, 0, "0"),  # metrics with an id below "rewound" may have been taken back
)

METRICS = sa.Table(
    "metrics",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("run_id", sa.String, nullable=False, index=True),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("epoch", sa.Float, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("value", sa.Float),  # SQLite keeps NaN as NULL
    sqlite_autoincrement=True,  # an id is never used twice, so that readers can use it as their bookmark
)

SNAPSHOTS = sa.Table(
    "snapshots",
    TABLES,
    sa.Column("run_id", sa.String, primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True),
    sa.Column("epoch", sa.Float, nullable=False),
)


def as_stored(table: sa.Table) -> sa.Select[Any]:
    """The rows of a table with their values as they are stored: of a damaged one SQLAlchemy's types make an error."""
    return sa.Select(*(sa.type_coerce(column, sa.types.NULLTYPE).label(column.name) for column in table.columns))


#: Of whole runs; built once, because pages ask for them several times a second.
RECORDS = as_stored(RUNS)

CHANGED = "changed/"  # begins the name of the metric that has the new values of a changed option
IMPORTING = "import-"  # begins the name of the folder that an archive is unpacked into


class Folder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = path / "record.json"
        self.static = path / "static.safetensors"
        self.checkpoint = path / "checkpoint.safetensors"
        self.model = path / "model.safetensors"
        self.notes = path / "notes.json"
        self.films = path.parents[1] / "films" / path.name  # what was drawn of it; it can be drawn again

    def snapshot(self, step: int) -> Path:
        return self.path / "snapshots" / f"{int(step)}.safetensors"

    def lock(self) -> FileLock:
        """A new handle on the run's lock; whichever thread acquires it, any other may release it."""
        return FileLock(self.path / "lock", thread_local=False)

    def abandoned(self) -> bool:
        """Whether no process has locked the run. The end of a process, however it comes, frees its locks."""
        return Claim.state(self.path / "lock") != "held"


class Curve(NamedTuple):
    """One metric over a run: int64 steps [t], float64 epochs [t], float64 values [t]."""

    steps: NDArray[np.int64]
    epochs: NDArray[np.float64]
    values: NDArray[np.float64]


Point = tuple[str, int, float, float | None]  # of a metric: its name, step, epoch and value; None is NaN


class Metrics(NamedTuple):
    """What has been measured since a bookmark.

    Attributes:
        curves: name -> the new points, oldest first.
        cursor: the next bookmark.
        whole: the points are all of the run's and replace those read before (at the first read, and when a resumed
            run removed points); otherwise they follow them.
    """

    curves: dict[str, Curve]
    cursor: int
    whole: bool


class Snapshots(NamedTuple):
    """When snapshots were taken: int64 steps [s], float64 epochs [s]."""

    steps: NDArray[np.int64]
    epochs: NDArray[np.float64]


def taken(rows: Sequence[Any]) -> Snapshots:
    """Snapshots from rows of (step, epoch)."""
    steps, epochs = ([row[j] for row in rows] for j in (0, 1))
    return Snapshots(np.array(steps, np.int64), np.array(epochs, float))


def curves(rows: Iterable[Point]) -> dict[str, Curve]:
    """Columns by metric from points, each in their order."""
    columns = list(zip(*rows, strict=True))
    if not columns:
        return {}
    codes = {name: code for code, name in enumerate(dict.fromkeys(columns[0]))}
    code = np.fromiter(map(codes.__getitem__, columns[0]), np.int32, len(columns[0]))
    table = Curve(np.array(columns[1], np.int64), np.array(columns[2], float), np.array(columns[3], float))
    return {name: Curve(*(column[code == each] for column in table)) for name, each in codes.items()}


def new_id() -> str:
    """Nine characters of time (milliseconds), three random ones; runs are not sorted by it: a clock may be set back."""
    milliseconds = np.base_repr(time.time_ns() // 1_000_000, 36).rjust(9, "0").lower()
    return milliseconds + "".join(secrets.choice(string.digits + string.ascii_lowercase) for _ in range(3))


def is_id(value: Any) -> bool:
    """Whether it can be the id of a run; ids come from links, command lines and damaged databases."""
    return isinstance(value, str) and value.isascii() and value.isalnum()


def part_of(spec: Mapping[str, Any], key: str) -> Any:
    """The value of ``key`` in a spec or in one of its parts ({"data": {"dataset": "digits"}}); the name of a part."""
    parts = [spec, *(part for part in spec.values() if isinstance(part, Mapping))]
    value = next((part[key] for part in parts if key in part), None)
    return value.get("name") if isinstance(value, Mapping) else value


def title_of(spec: Mapping[str, Any]) -> str:
    """The title of a spec; empty where this version cannot read it."""
    from kernlab.spec import RunSpec  # importing torch takes seconds, and a list of runs does without

    try:
        return RunSpec.from_dict(spec).title
    except KernlabError:
        return ""


@functools.cache
def versions() -> dict[str, str]:
    """What the numbers of a run may depend on besides its spec."""
    found = {"python": platform.python_version(), "kernlab": __version__}
    for package in ("torch", "numpy"):  # read from the installation, because importing torch takes seconds
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:  # on the path without being installed
            found[package] = "unknown"
    return found

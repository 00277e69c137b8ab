"""How runs lie on the disk. Nothing outside this package knows these tables and names.

home/kernlab.db                     runs, metrics and snapshots (SQLite)
home/runs/<id>/lock                 held by the process that works on the run
home/runs/<id>/record.json          the run's row as it was at its start or end: what a damaged database is mended from
home/runs/<id>/static.safetensors   Started.arrays
home/runs/<id>/checkpoint.safetensors
home/runs/<id>/model.safetensors
home/runs/<id>/snapshots/<step>.safetensors
home/aside/<time>/                  what `kernlab runs check --repair` replaced; nothing in here is read
"""

from __future__ import annotations

import functools
import importlib.metadata
import platform
import secrets
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from kernlab import __version__

__all__ = [
    "IMPORTING",
    "METRICS",
    "RUNS",
    "SNAPSHOTS",
    "TABLES",
    "VERSION",
    "ZERO",
    "Curve",
    "Folder",
    "curves",
    "is_id",
    "new_id",
    "said",
    "versions",
]

VERSION = 1  # of the tables; a newer store is refused instead of misread

TABLES = sa.MetaData()

RUNS = sa.Table(
    "runs",
    TABLES,
    sa.Column("id", sa.String, primary_key=True),
    *(sa.Column(name, sa.String, nullable=False) for name in ("name", "method", "dataset", "device", "status")),
    sa.Column("seed", sa.Integer),
    *(sa.Column(name, sa.Float, nullable=False) for name in ("created", "updated", "seconds")),
    *(sa.Column(name, sa.JSON, nullable=False) for name in ("spec", "resolved", "facts", "summary", "versions")),
    *(sa.Column(name, sa.String, nullable=False) for name in ("fingerprint", "note", "error")),
    *(sa.Column(name, sa.Boolean, nullable=False) for name in ("starred", "deleted")),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("rewound", sa.Integer, nullable=False),  # metrics with a smaller id may have been taken back
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
    sqlite_autoincrement=True,  # an id is never given twice, so readers can use it as their bookmark
)

SNAPSHOTS = sa.Table(
    "snapshots",
    TABLES,
    sa.Column("run_id", sa.String, primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True),
    sa.Column("epoch", sa.Float, nullable=False),
)


IMPORTING = "import-"  # what the folder of a run begins with that is being taken in

#: What a column holds in rows that were written before there was that column.
ZERO = {sa.String: "''", sa.JSON: "'{}'", sa.Integer: "0", sa.Float: "0.0", sa.Boolean: "0"}


class Folder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = path / "record.json"
        self.static = path / "static.safetensors"
        self.checkpoint = path / "checkpoint.safetensors"
        self.model = path / "model.safetensors"

    def snapshot(self, step: int) -> Path:
        return self.path / "snapshots" / f"{int(step)}.safetensors"

    def lock(self) -> FileLock:
        """A new handle on the run's lock; whichever thread acquires it, any other may release it."""
        return FileLock(self.path / "lock", thread_local=False)

    def abandoned(self) -> bool:
        """Nobody holds the lock. A process that dies in any way lets go of it."""
        file, lock = self.path / "lock", self.lock()
        try:
            if file.exists():
                lock.acquire(blocking=False)
                lock.release()
        except Timeout:
            return False
        except OSError:  # the folder can only be read, and so can the lock
            return _unheld(file)
        return True


def _unheld(file: Path) -> bool:
    """Whether a lock that cannot be written to is free; where that cannot be known it is not."""
    try:
        import fcntl

        with open(file, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)  # type: ignore[attr-defined, unused-ignore]
    except (ImportError, OSError):
        return False
    return True


class Curve(NamedTuple):
    """One metric over a run: int64 steps [t], float64 epochs [t], float64 values [t]."""

    steps: NDArray[np.int64]
    epochs: NDArray[np.float64]
    values: NDArray[np.float64]


def curves(rows: Iterable[tuple[str, int, float, float | None]]) -> dict[str, Curve]:
    """Columns by metric from rows of (name, step, epoch, value), each in the order of the rows."""
    columns = list(zip(*rows, strict=True))
    if not columns:
        return {}
    codes = {name: code for code, name in enumerate(dict.fromkeys(columns[0]))}
    code = np.fromiter(map(codes.__getitem__, columns[0]), np.int32, len(columns[0]))
    table = Curve(np.array(columns[1], np.int64), np.array(columns[2], float), np.array(columns[3], float))
    return {name: Curve(*(column[code == each] for column in table)) for name, each in codes.items()}


def new_id() -> str:
    """Nine characters of time (milliseconds), three of chance; runs are not ordered by it: a clock may be set back."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    moment = time.time_ns() // 1_000_000
    time_part = "".join(digits[moment // 36**k % 36] for k in range(8, -1, -1))
    return time_part + "".join(secrets.choice(digits) for _ in range(3))


def is_id(value: Any) -> bool:
    """Whether it can be the id of a run; ids come from links, command lines and damaged databases."""
    return isinstance(value, str) and value.isascii() and value.isalnum()


def said(spec: Mapping[str, Any], key: str) -> Any:
    """What a spec says about ``key``, itself or in one of its parts ({"data": {"dataset": "digits"}})."""
    parts = [spec, *(part for part in spec.values() if isinstance(part, Mapping))]
    value = next((part[key] for part in parts if key in part), None)
    return value.get("name") if isinstance(value, Mapping) else value


@functools.cache
def versions() -> dict[str, str]:
    """What the numbers of a run may depend on besides its spec."""
    found = {"python": platform.python_version(), "kernlab": __version__}
    for package in ("torch", "numpy"):  # asked for by name, because importing torch takes seconds
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:  # made available without being installed
            found[package] = "unknown"
    return found

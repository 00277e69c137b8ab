"""How runs lie on the disk. Nothing outside this package knows these tables and names.

home/kernlab.db                     runs, metrics and snapshots (SQLite with a write-ahead log)
home/runs/<id>/lock                 held by the process that works on the run
home/runs/<id>/static.safetensors   Started.arrays
home/runs/<id>/checkpoint.safetensors
home/runs/<id>/model.safetensors
home/runs/<id>/snapshots/<step>.safetensors
"""

from __future__ import annotations

import functools
import importlib.metadata
import platform
import secrets
import sqlite3
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import sqlalchemy as sa
from filelock import FileLock
from numpy.typing import NDArray

from kernlab import __version__
from kernlab.runs import tensors

__all__ = [
    "LIVE",
    "METRICS",
    "RUNS",
    "SNAPSHOTS",
    "TABLES",
    "VERSION",
    "Curve",
    "Folder",
    "Run",
    "Status",
    "curves",
    "engine",
    "new_id",
    "said",
    "versions",
]

Status: TypeAlias = Literal["queued", "running", "paused", "finished", "failed", "stopped", "interrupted"]

#: Somebody works, or waits to work, on a run of these statuses.
LIVE: tuple[Status, ...] = ("queued", "running", "paused")

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


def engine(path: Path) -> sa.Engine:
    """Connections to the database that wait for each other instead of failing."""
    made = sa.create_engine(f"sqlite:///{path}", json_serializer=tensors.dumps)

    @sa.event.listens_for(made, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # the driver must not open transactions on its own; see below
        connection.execute("PRAGMA busy_timeout = 30000")
        connection.execute("PRAGMA journal_mode = WAL")  # readers never wait for a writer
        connection.execute("PRAGMA synchronous = NORMAL")  # with a write-ahead log no killed process can damage it

    @sa.event.listens_for(made, "begin")
    def begin(connection: sa.Connection) -> None:
        # A transaction that reads first and writes later cannot wait for another writer; one that says so at once can.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return made


class Folder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
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
        lock = self.lock()
        try:
            if (self.path / "lock").exists():
                lock.acquire(blocking=False)
                lock.release()
        except OSError:  # held, or not ours to touch
            return False
        return True


@dataclass(frozen=True)
class Run:
    """One run as it is known now.

    Attributes:
        id: short string; later runs sort after earlier ones.
        name, note, starred: the user's own words about it.
        method, dataset, seed: taken from the spec.
        device: asked for, and once started the one it runs on.
        status: queued, running, paused, finished, failed, stopped or interrupted.
        created, updated: seconds since 1970.
        seconds: time spent training, without pauses and queues.
        spec: the configuration as asked for.
        resolved: the same with every "auto" replaced (empty before the run has started).
        facts, summary: those of the Started and Finished events.
        versions: of python, torch, numpy and kernlab.
        fingerprint: of the data.
        error: the sentence a failed run ended with.
        step: the last stored step.
        deleted: thrown away; can still be restored.
    """

    id: str
    name: str
    method: str
    dataset: str
    seed: int | None
    device: str
    status: Status
    created: float
    updated: float
    seconds: float
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
    step: int

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
        return self.step / float(self.facts.get("steps_per_epoch") or np.inf)


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
    """Nine characters of time (milliseconds, sortable), three of chance."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    moment = time.time_ns() // 1_000_000
    time_part = "".join(digits[moment // 36**k % 36] for k in range(8, -1, -1))
    return time_part + "".join(secrets.choice(digits) for _ in range(3))


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

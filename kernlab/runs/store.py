"""The run store: what was asked, what came out, and everything in between.

    create(spec) -> id;  writer(id).write(event) ...;  get, list, metrics, snapshot, checkpoint, model

A run that is said to be alive but whose lock is free was interrupted: its process died. What it had
committed stays readable, and it can be resumed.
"""

from __future__ import annotations

import difflib
import errno
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self, cast

import numpy as np
import sqlalchemy as sa
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from sqlalchemy.exc import DatabaseError

from kernlab import paths
from kernlab.errors import StoreError, UnknownNameError
from kernlab.runs import archive, layout, tensors
from kernlab.runs.layout import LIVE, METRICS, RUNS, SNAPSHOTS, Curve, Run, Status
from kernlab.runs.writer import Writer
from kernlab.training.events import Checkpoint

__all__ = ["LIVE", "Curve", "Metrics", "Run", "Snapshots", "Status", "Store", "Writer"]

_Runs = list[Run]  # inside Store the name list is a method
_Loaded = tuple[dict[str, NDArray[Any]], dict[str, Any]]


class Metrics(NamedTuple):
    """What has been measured since a bookmark.

    Attributes:
        curves: name -> the new points, oldest first.
        cursor: the next bookmark.
        whole: these are all the points there are, so replace what you have (at the first read, and
            when a resumed run took points back); otherwise append them.
    """

    curves: dict[str, Curve]
    cursor: int
    whole: bool


class Snapshots(NamedTuple):
    """The moments a run can be looked at: int64 steps [s], float64 epochs [s]."""

    steps: NDArray[np.int64]
    epochs: NDArray[np.float64]


class Store:
    """The runs in one folder. Any number of threads and processes may share it.

    Args:
        root: the folder, made when it is not there. Default: :func:`kernlab.paths.home`.

    Raises:
        StoreError: the folder cannot be used.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = Path(root) if root is not None else paths.home()
        self._locks: dict[str, FileLock] = {}  # of runs made here whose writer has not come yet
        with self.guard():
            (self.root / "runs").mkdir(parents=True, exist_ok=True)
            self._engine = layout.engine(self.root / "kernlab.db")
            with FileLock(self.root / "lock", timeout=30):  # two processes may open a new store at once
                self._lay_tables()

    def _lay_tables(self) -> None:
        with self.reading() as connection:
            found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if found > layout.VERSION:
            raise StoreError(
                f"the run store in {self.root} must be of version {layout.VERSION} or older",
                found,
                "update kernlab, or point KERNLAB_HOME at another folder",
            )
        with self.writing() as connection:
            layout.TABLES.create_all(connection)
            connection.exec_driver_sql(f"PRAGMA user_version = {layout.VERSION}")

    def close(self) -> None:
        """Let go of the database, and of runs that were made here and never worked on."""
        while self._locks:
            self._locks.popitem()[1].release()
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the disk, and the one place where its refusals become sentences

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn what the disk or the database refuses into a StoreError that names the folder."""
        try:
            yield
        except (OSError, sqlite3.Error, DatabaseError) as error:
            cause = error.orig if isinstance(error, DatabaseError) and error.orig else error
            full = "full" in str(cause) or getattr(cause, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            damaged = "malformed" in str(cause) or "not a database" in str(cause)
            fix = "free some space there"
            if not full:
                fix = "restore kernlab.db there from a copy" if damaged else "make the folder writable"
            must = f"the run store in {self.root} must be readable, writable and have free space"
            raise StoreError(must, cause, f"{fix}, or point KERNLAB_HOME at another folder") from error

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """One consistent look at the tables."""
        with self.guard(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One change of the tables, whole or not at all."""
        with (
            self.guard(),
            self._engine.connect().execution_options(writes=True) as connection,
            connection.begin(),
        ):
            yield connection

    def folder(self, run_id: str) -> layout.Folder:
        """The files of a run; ids come from links and command lines, so they are checked first."""
        if not (run_id.isascii() and run_id.isalnum()):
            raise self._unknown(run_id)
        return layout.Folder(self.root / "runs" / run_id)

    # -- making and working on runs

    def create(self, spec: Mapping[str, Any], name: str | None = None) -> str:
        """Enter a queued run and hold it for its writer.

        Args:
            spec: the configuration, JSON-ready.
            name: what the user calls it; default "METHOD on DATASET".

        Returns:
            its id.
        """
        method, dataset = str(layout.said(spec, "method") or "?"), str(layout.said(spec, "dataset") or "?")
        return self.enter(
            name=(name or "").strip() or f"{method} on {dataset}",
            method=method,
            dataset=dataset,
            seed=layout.said(spec, "seed"),
            device=str(layout.said(spec, "device") or "auto"),
            spec=dict(spec),
            versions=layout.versions(),
        )

    def enter(self, **known: Any) -> str:
        """Enter a run of which ``known`` columns are given, and hold it for its writer."""
        run_id, now = layout.new_id(), time.time()
        blank: dict[str, Any] = {"resolved": {}, "facts": {}, "summary": {}, "fingerprint": "", "note": "", "error": ""}
        blank |= {"status": "queued", "created": now, "updated": now, "seconds": 0.0, "step": 0, "rewound": 0}
        blank |= {"starred": False, "deleted": False}
        folder = self.folder(run_id)
        with self.guard():
            folder.path.mkdir(parents=True)
            lock = folder.lock()
            lock.acquire(blocking=False)  # before anyone can see the run, or they would take it for a dead one
        try:
            with self.writing() as connection:
                connection.execute(sa.insert(RUNS), {**blank, **known, "id": run_id})
        except BaseException:
            lock.release()
            shutil.rmtree(folder.path, ignore_errors=True)
            raise
        self._locks[run_id] = lock
        return run_id

    def writer(self, run_id: str) -> Writer:
        """The one object that may write to the run from now on, until it is closed.

        Raises:
            UnknownNameError: no such run.
            StoreError: somebody else works on it, or it has been deleted.
        """
        run = self.get(run_id)
        if run.deleted:
            raise StoreError("a run must not have been deleted to go on", run.name, "restore it first")
        if run.status == "finished":
            raise StoreError("a run must not have finished to go on", run.name, "train a new one with more epochs")
        return Writer(self, run, self._take_lock(run))

    def release(self, run_id: str) -> None:
        """Let go of a run that was entered here and is not going to be worked on."""
        self._locks.pop(run_id).release()

    def _take_lock(self, run: Run) -> FileLock:
        lock = self._locks.pop(run.id, None)
        if lock is None:
            lock = self.folder(run.id).lock()
            with self.guard():
                try:
                    lock.acquire(timeout=1)  # somebody who looks whether the run is alive holds it for an instant
                except Timeout:
                    raise StoreError(
                        "a run must have ended before anything else is done with it",
                        f"{run.name} is {run.status}",
                        "stop it where it was started, or wait for its end",
                    ) from None
        return lock

    # -- finding runs

    def get(self, run_id: str) -> Run:
        """The run of that id.

        Raises:
            UnknownNameError: no such run; ids like it are offered.
        """
        found = self._select(sa.select(RUNS).where(RUNS.c.id == run_id))
        if not found:
            raise self._unknown(run_id)
        return found[0]

    def list(
        self,
        *,
        text: str = "",
        method: str | None = None,
        dataset: str | None = None,
        status: Status | Iterable[Status] | None = None,
        starred: bool | None = None,
        deleted: bool = False,
        limit: int | None = None,
    ) -> _Runs:
        """Runs, newest first.

        Args:
            text: occurs in the id, name, note, method or data set, in upper or lower case.
            method, dataset, starred: is exactly that.
            status: is that, or one of several.
            deleted: the runs that were thrown away, instead of the others.
            limit: at most so many.
        """
        query = sa.select(RUNS).where(RUNS.c.deleted == deleted).order_by(RUNS.c.created.desc(), RUNS.c.id.desc())
        if text:
            places = (RUNS.c[name] for name in ("id", "name", "note", "method", "dataset"))
            query = query.where(sa.or_(*(place.icontains(text, autoescape=True) for place in places)))
        for column, value in ((RUNS.c.method, method), (RUNS.c.dataset, dataset), (RUNS.c.starred, starred)):
            if value is not None:
                query = query.where(column == value)
        if status is not None:
            self._select(sa.select(RUNS).where(RUNS.c.status.in_(LIVE)))  # finds the dead among them
            query = query.where(RUNS.c.status.in_([status] if isinstance(status, str) else [*status]))
        return self._select(query.limit(limit))

    def _select(self, query: sa.Select[Any]) -> _Runs:
        with self.reading() as connection:
            rows = [dict(row) for row in connection.execute(query).mappings()]
        return [self._run(row) for row in rows]

    def _run(self, row: dict[str, Any]) -> Run:
        if row["status"] in LIVE and self.folder(row["id"]).abandoned():
            row["status"] = self._bury(row["id"])
        return Run(**{field.name: row[field.name] for field in fields(Run)})

    def _bury(self, run_id: str) -> Status:
        # Its owner may have ended it properly between our look at the row and our look at the lock.
        alive = sa.and_(RUNS.c.id == run_id, RUNS.c.status.in_(LIVE))
        with self.writing() as connection:
            connection.execute(sa.update(RUNS).where(alive).values(status="interrupted"))
            return cast(Status, connection.execute(sa.select(RUNS.c.status).where(RUNS.c.id == run_id)).scalar())

    def _unknown(self, run_id: str) -> UnknownNameError:
        with self.reading() as connection:
            newest = sa.select(RUNS.c.id).where(~RUNS.c.deleted).order_by(RUNS.c.created.desc()).limit(1000)
            ids = [str(each) for each in connection.execute(newest).scalars()]
        near = difflib.get_close_matches(run_id, ids, n=3)
        if near:
            advice = f"did you mean {' or '.join(near)}"
        else:
            advice = f"the latest are {', '.join(ids[:3])}" if ids else "there is none yet; train one"
        return UnknownNameError("a run must be one that the store has", repr(run_id), advice)

    # -- what a run has left

    def metrics(self, run_id: str, after: int = 0) -> Metrics:
        """The metrics stored since ``after``, the ``cursor`` of an earlier answer (0: all of them).

        Raises:
            UnknownNameError: no such run.
        """
        with self.reading() as connection:
            rewound = connection.execute(sa.select(RUNS.c.rewound).where(RUNS.c.id == run_id)).scalar()
            if rewound is not None:
                whole = after == 0 or after < rewound
                new = sa.and_(METRICS.c.run_id == run_id, METRICS.c.id > (0 if whole else after))
                columns = (METRICS.c.name, METRICS.c.step, METRICS.c.epoch, METRICS.c.value, METRICS.c.id)
                rows = connection.execute(sa.select(*columns).where(new).order_by(METRICS.c.id)).all()
        if rewound is None:
            raise self._unknown(run_id)
        return Metrics(layout.curves(row[:4] for row in rows), max(after, rewound, rows[-1].id if rows else 0), whole)

    def snapshots(self, run_id: str) -> Snapshots:
        """The steps and epochs of the stored snapshots, in order."""
        mine = sa.select(SNAPSHOTS.c.step, SNAPSHOTS.c.epoch).where(SNAPSHOTS.c.run_id == run_id)
        with self.reading() as connection:
            rows = connection.execute(mine.order_by(SNAPSHOTS.c.step)).all()
        if not rows:
            self.get(run_id)
        return Snapshots(np.array([row.step for row in rows], np.int64), np.array([row.epoch for row in rows], float))

    def snapshot(self, run_id: str, step: int, names: Iterable[str] | None = None) -> dict[str, NDArray[Any]]:
        """The arrays of one snapshot, or only those of ``names``.

        Raises:
            UnknownNameError: no such run.
            StoreError: it has no snapshot at that step, or the file is damaged.
        """
        found = self._load(run_id, self.folder(run_id).snapshot(step), names)
        if found is None:
            steps = self.snapshots(run_id).steps
            near = ", ".join(str(each) for each in sorted(steps[np.argsort(abs(steps - step))[:3]])) or "none yet"
            raise StoreError("a snapshot must be asked for at a step that has one", step, f"the nearest are: {near}")
        return found[0]

    def static(self, run_id: str) -> dict[str, NDArray[Any]]:
        """What stays the same over the run (``Started.arrays``); empty before it has started."""
        found = self._load(run_id, self.folder(run_id).static)
        return found[0] if found else {}

    def checkpoint(self, run_id: str) -> Checkpoint | None:
        """Where the run can go on from; None when it has left no checkpoint."""
        found = self._load(run_id, self.folder(run_id).checkpoint)
        return Checkpoint(int(found[1]["step"]), found[0], found[1]["state"]) if found else None

    def model(self, run_id: str) -> _Loaded:
        """The trained model's arrays and its meta.

        Raises:
            UnknownNameError: no such run.
            StoreError: the run has not finished, or the file is damaged.
        """
        found = self._load(run_id, self.folder(run_id).model)
        if found is None:
            status = self.get(run_id).status
            raise StoreError("a run must have finished to have a model", f"it is {status}", "train it to its end")
        return found

    def _load(self, run_id: str, path: Path, names: Iterable[str] | None = None) -> _Loaded | None:
        with self.guard():
            try:
                return tensors.load(path, names)
            except FileNotFoundError:
                pass
        self.get(run_id)  # an unknown run is another mistake than a missing file
        return None

    # -- the user's own words, and throwing away

    def rename(self, run_id: str, name: str) -> None:
        """Call the run ``name``."""
        if not name.strip():
            raise StoreError("a run's name must not be empty", repr(name), "type at least one letter")
        self._set(run_id, name=name.strip())

    def annotate(self, run_id: str, note: str) -> None:
        """Put ``note`` in place of the run's note."""
        self._set(run_id, note=note)

    def star(self, run_id: str, starred: bool = True) -> None:
        """Mark the run as a favourite, or no longer."""
        self._set(run_id, starred=starred)

    def delete(self, run_id: str) -> None:
        """Throw the run away; :meth:`restore` takes it back, :meth:`purge` ends it.

        Raises:
            StoreError: somebody works on it.
        """
        run = self.get(run_id)
        if run.live:
            raise StoreError("a run must have ended to be deleted", f"{run.name} is {run.status}", "stop it first")
        self._set(run_id, deleted=True)

    def restore(self, run_id: str) -> None:
        """Take a run back that was thrown away."""
        self._set(run_id, deleted=False)

    def purge(self, run_id: str) -> None:
        """Remove a run and its files for good.

        Raises:
            StoreError: somebody works on it.
        """
        lock = self._take_lock(self.get(run_id))
        try:
            with self.writing() as connection:
                for table, key in ((METRICS, METRICS.c.run_id), (SNAPSHOTS, SNAPSHOTS.c.run_id), (RUNS, RUNS.c.id)):
                    connection.execute(sa.delete(table).where(key == run_id))
        finally:
            lock.release()
        with self.guard():
            shutil.rmtree(self.folder(run_id).path)

    def _set(self, run_id: str, **values: Any) -> None:
        with self.writing() as connection:
            done = connection.execute(sa.update(RUNS).where(RUNS.c.id == run_id).values(**values))
        if not done.rowcount:
            raise self._unknown(run_id)

    # -- one run as one file

    def export(self, run_id: str, to: Path | BinaryIO) -> None:
        """Write everything of a run into one .zip of JSON and safetensors.

        Args:
            to: a file name, written in one step, or an open binary file.
        """
        archive.export(self, run_id, to)

    def import_(self, source: Path | BinaryIO) -> str:
        """Take in a run that :meth:`export` wrote, here or elsewhere; returns its new id.

        Raises:
            StoreError: the file is not a whole, well-formed run; nothing of it is kept.
        """
        return archive.import_(self, source)

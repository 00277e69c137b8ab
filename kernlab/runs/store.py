"""The run store: what was asked, what came out, and everything in between.

    create(spec) -> id;  writer(id).write(event) ...;  get, list, metrics, snapshot, checkpoint, model

A run that is said to be alive but whose lock is free was interrupted: its process died. What it had
committed stays readable, and it can be resumed. A run whose record is not what it must be is "damaged": it is listed
with what can be saved of it, and the others are as they were.
"""

from __future__ import annotations

import difflib
import errno
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, ClassVar, NamedTuple, Self, cast

import numpy as np
import sqlalchemy as sa
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from pydantic import ValidationError
from sqlalchemy.exc import DatabaseError

from kernlab import paths
from kernlab.errors import StoreError, UnknownNameError
from kernlab.files import replacing
from kernlab.runs import archive, database, layout, record, tensors
from kernlab.runs.layout import METRICS, RUNS, SNAPSHOTS, Curve
from kernlab.runs.record import LIVE, Run, Status
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


_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_RIGHT = {errno.EROFS, errno.EACCES, errno.EPERM}


def _refuses_writing(cause: BaseException | None) -> bool:
    """Whether the disk, the rights or the space are what is in the way, so that reading may still be possible."""
    if isinstance(cause, DatabaseError):
        cause = cause.orig
    if isinstance(cause, sqlite3.OperationalError):
        return any(word in str(cause) for word in ("readonly", "unable to open", "full", "disk I/O"))
    return isinstance(cause, OSError) and cause.errno in _NO_SPACE | _NO_RIGHT


def _fix(cause: BaseException) -> str:
    """What helps against it."""
    words = str(cause)
    if "full" in words or "disk I/O" in words or getattr(cause, "errno", None) in _NO_SPACE:
        return "free some space there"
    if "malformed" in words or "not a database" in words:
        return "restore kernlab.db there from a copy, save what can be saved with kernlab runs check --repair"
    if "locked" in words or isinstance(cause, Timeout):
        return "end whatever else works on this store"
    return "make the folder writable"


def _version(connection: sa.Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


class Store:
    """The runs in one folder. Any number of threads and processes may share it.

    A folder that can be read but not written to (by its rights, or because the disk is full) is opened all the same:
    its runs can be listed, shown and exported, and each change is refused with the reason.

    Args:
        root: the folder, made when it is not there. Default: :func:`kernlab.paths.home`.

    Attributes:
        refused: why the store can only be read; None where it can be written to.

    Raises:
        StoreError: the folder cannot be used.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = Path(root) if root is not None else paths.home()
        self.refused: Exception | None = None
        self._locks: dict[str, FileLock] = {}  # of runs made here whose writer has not come yet
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        with self.guard():
            try:
                self._open()
            except (OSError, DatabaseError, StoreError) as error:
                cause = error.__cause__ if isinstance(error, StoreError) else error
                if isinstance(cause, Timeout) or not _refuses_writing(cause):
                    raise
                self._open_to_read(error)

    def _open(self) -> None:
        (self.root / "runs").mkdir(parents=True, exist_ok=True)
        self._engine = database.writable(self.root / "kernlab.db")
        with FileLock(self.root / "lock", timeout=30):  # two processes may open a new store at once
            self._lay_tables()

    def _open_to_read(self, error: Exception) -> None:
        """Open what is there; where even that is impossible ``error`` says more."""
        if not (self.root / "kernlab.db").is_file():
            raise error
        self._scratch = tempfile.TemporaryDirectory(prefix="kernlab-", ignore_cleanup_errors=True)
        self._engine.dispose()
        self._engine = database.readable(self.root / "kernlab.db", Path(self._scratch.name))
        self.refused = error
        with self.reading() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM runs")

    def _lay_tables(self) -> None:
        """Make the tables, or bring those of an older kernlab to this version.."""
        with self.reading() as connection:
            if _version(connection) == layout.VERSION:
                return
        with self.writing() as connection:
            layout.TABLES.create_all(connection)
            for table in layout.TABLES.sorted_tables:
                there = {row[1] for row in connection.exec_driver_sql(f"PRAGMA table_info({table.name})")}
                for column in table.columns:
                    if column.name not in there:
                        told = sa.schema.CreateColumn(column).compile(dialect=connection.dialect)
                        zero = layout.ZERO[type(column.type)]
                        connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {told} DEFAULT {zero}")
            connection.exec_driver_sql(f"PRAGMA user_version = {layout.VERSION}")

    def close(self) -> None:
        """Let go of the database, and of runs that were made here and never worked on."""
        while self._locks:
            self._locks.popitem()[1].release()
        self._engine.dispose()
        if self._scratch:
            self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def notes(self) -> list[str]:
        """What is special about the place of this store, in sentences; nothing where it is an ordinary folder."""
        notes = []
        if self.refused:
            cause = self.refused.__cause__ or self.refused
            notes.append(
                f"The store in {self.root} can only be read ({cause}): its runs can be listed, shown and exported, "
                "and nothing can be trained, changed or imported."
            )
        if kind := database.share(self.root):
            notes.append(
                f"The store in {self.root} lies on a network share ({kind}): instead of a write-ahead log, which "
                "works on one machine only, it keeps a rollback journal, where readers and the writer wait for each "
                "other. A folder on this machine is faster."
            )
        return notes

    # -- the disk, and the one place where its refusals become sentences

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn what the disk or the database refuses into a StoreError that names the folder."""
        try:
            yield
        except (OSError, NotImplementedError, sqlite3.Error, DatabaseError) as error:
            cause = error.orig if isinstance(error, DatabaseError) and error.orig else error
            must = f"the run store in {self.root} must be readable, writable and have free space"
            raise StoreError(must, cause, f"{_fix(cause)}, or point KERNLAB_HOME at another folder") from error

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """One consistent look at the tables."""
        with self.guard(), self._engine.begin() as connection:
            self._check_version(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One change of the tables, whole or not at all."""
        with self.guard():
            if refused := self.refused:  # perhaps there is space again
                self._engine.dispose()
                self.refused = None
                try:
                    self._open()
                except Exception:
                    self._open_to_read(refused)
                    raise
            with self._engine.connect().execution_options(writes=True) as connection, connection.begin():
                self._check_version(connection)
                yield connection

    def _check_version(self, connection: sa.Connection) -> None:
        # At every look: a newer kernlab may have taken the store over while this one was running.
        if (found := _version(connection)) > layout.VERSION:
            raise StoreError(
                f"the run store in {self.root} must be of version {layout.VERSION} or older",
                f"version {found}, of a newer kernlab",
                "update kernlab, or point KERNLAB_HOME at another folder",
            )

    def folder(self, run_id: str) -> layout.Folder:
        """The files of a run; ids come from links and command lines, so they are checked first."""
        if not layout.is_id(run_id):
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

    def enter(
        self,
        fill: Callable[[layout.Folder], None] = lambda folder: None,
        rows: Mapping[sa.Table, Sequence[Mapping[str, Any]]] = MappingProxyType({}),
        **known: Any,
    ) -> str:
        """Enter a run, wholly or not at all, and hold it for its writer.

        Args:
            fill: puts files into its folder.
            rows: its metrics and snapshots.
            known: columns of its record.
        """
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
            with self.guard():
                fill(folder)
            with self.writing() as connection:
                connection.execute(sa.insert(RUNS), {**blank, **known, "id": run_id})
                for table, values in rows.items():
                    if values:
                        connection.execute(sa.insert(table), [{**row, "run_id": run_id} for row in values])
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
        if run.trouble:
            raise run.trouble
        if run.deleted:
            raise StoreError("a run must not have been deleted to go on", run.name, "restore it first")
        if run.status == "finished":
            raise StoreError("a run must not have finished to go on", run.name, "train a new one with more epochs")
        return Writer(self, run, self._take_lock(run))

    def copy_record(self, run_id: str) -> None:
        """Write the run's record into its folder too, where a damaged database can be mended from."""
        run = asdict(self.get(run_id))
        with self.guard(), replacing(self.folder(run_id).record) as file:
            file.write(tensors.dumps({"version": layout.VERSION, "run": run}).encode())

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
        found = [*self._select(self._rows.where(RUNS.c.id == run_id))]
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
        """Runs, newest first: in the order in which they came into this store, whatever its clock said.

        Args:
            text: occurs in the id, name, note, method or data set, in upper or lower case.
            method, dataset, starred: is exactly that.
            status: is that, or one of several.
            deleted: the runs that were thrown away, instead of the others.
            limit: at most so many.
        """
        thrown = RUNS.c.deleted.is_(True)
        query = self._rows.where(thrown if deleted else ~thrown).order_by(sa.literal_column("rowid").desc())
        if text:
            places = (RUNS.c[name] for name in ("id", "name", "note", "method", "dataset"))
            query = query.where(sa.or_(*(place.icontains(text, autoescape=True) for place in places)))
        for column, value in ((RUNS.c.method, method), (RUNS.c.dataset, dataset), (RUNS.c.starred, starred)):
            if value is not None:
                query = query.where(column == value)
        if status is None:
            return [*self._select(query.limit(limit))]
        wanted = {status} if isinstance(status, str) else {*status}
        if not wanted & {"interrupted", "damaged"}:  # which show only when a run is looked at
            query = query.where(RUNS.c.status.in_(wanted))
        return [*islice((run for run in self._select(query) if run.status in wanted), limit)]

    # As they are stored: what a type would make of a damaged value is an error in place of all rows.
    _rows: ClassVar[sa.Select[Any]] = sa.Select(
        *(sa.type_coerce(RUNS.c[f.name], sa.types.NULLTYPE).label(f.name) for f in fields(Run)[:-1])
    )

    def _select(self, query: sa.Select[Any]) -> Iterator[Run]:
        with self.reading() as connection:
            rows = [dict(row) for row in connection.execute(query).mappings()]
        return map(self._run, rows)

    def _run(self, row: dict[str, Any]) -> Run:
        if row["status"] in LIVE and layout.is_id(row["id"]) and self.folder(row["id"]).abandoned():
            row["status"] = self._bury(row["id"])
        return record.read(row)

    def _bury(self, run_id: str) -> Status:
        if self.refused:
            return "interrupted"
        # Its owner may have ended it properly between our look at the row and our look at the lock.
        alive = sa.and_(RUNS.c.id == run_id, RUNS.c.status.in_(LIVE))
        with self.writing() as connection:
            connection.execute(sa.update(RUNS).where(alive).values(status="interrupted"))
            return cast(Status, connection.execute(sa.select(RUNS.c.status).where(RUNS.c.id == run_id)).scalar())

    def _unknown(self, run_id: str) -> UnknownNameError:
        with self.reading() as connection:
            newest = sa.select(RUNS.c.id).where(~RUNS.c.deleted).order_by(sa.text("rowid DESC")).limit(1000)
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
            StoreError: what is stored are no numbers.
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
        with _numbers(run_id):
            return Metrics(
                layout.curves(row[:4] for row in rows), max(after, rewound, rows[-1].id if rows else 0), whole
            )

    def snapshots(self, run_id: str) -> Snapshots:
        """The steps and epochs of the stored snapshots, in order."""
        mine = sa.select(SNAPSHOTS.c.step, SNAPSHOTS.c.epoch).where(SNAPSHOTS.c.run_id == run_id)
        with self.reading() as connection:
            rows = connection.execute(mine.order_by(SNAPSHOTS.c.step)).all()
        if not rows:
            self.get(run_id)
        with _numbers(run_id):
            return Snapshots(
                np.array([row.step for row in rows], np.int64), np.array([row.epoch for row in rows], float)
            )

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
        """Where the run can go on from; None when it has left no checkpoint.

        Raises:
            UnknownNameError: no such run.
            StoreError: the file is damaged, or is not a checkpoint.
        """
        found = self._load(run_id, self.folder(run_id).checkpoint)
        if found is None:
            return None
        try:
            record.Resumable.model_validate(found[1])
        except ValidationError as error:
            raise StoreError(
                f"the checkpoint of run {run_id} must say which step it is of",
                f"meta{record.first_error(error)}",
                "run kernlab runs check --repair, which sets it aside: the run then goes on from its start",
            ) from error
        return Checkpoint(found[1]["step"], found[0], found[1]["state"])

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
        if run.live or (run.damage and not self.folder(run_id).abandoned()):
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
        with self.guard(), suppress(FileNotFoundError):
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


@contextmanager
def _numbers(run_id: str) -> Iterator[None]:
    """What is read inside must be numbers."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        raise StoreError(
            f"the curves of run {run_id} must be numbers",
            error,
            "run kernlab runs check --repair, which sets the others aside",
        ) from error

"""The run store: what each run was asked to do, how it went and what came of it.

    create(spec) -> id;  writer(id).write(event) ...;  get, list, metrics, snapshot, checkpoint, model

A run that is stored as alive but that no process has locked was interrupted: its process died. What it had committed
stays readable, and it can be resumed. A run whose record is not what it must be is "damaged": it is listed with what
can be saved of it, and the other runs are not affected.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, cast

import numpy as np
import sqlalchemy as sa
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from kernlab.errors import StoreError
from kernlab.runs import archive, layout, notes, record, tensors
from kernlab.runs.database import Database
from kernlab.runs.layout import METRICS, RECORDS, RUNS, SNAPSHOTS, Curve, Folder, Metrics, Snapshots
from kernlab.runs.notes import Note
from kernlab.runs.record import LIVE, Run, Status
from kernlab.runs.writer import Writer
from kernlab.training.events import Checkpoint

__all__ = ["LIVE", "Curve", "Metrics", "Run", "Snapshots", "Status", "Store", "Writer"]

_Runs = list[Run]  # inside Store the name list is a method
_Loaded = tuple[dict[str, NDArray[Any]], dict[str, Any]]


_SHOTS = sa.select(SNAPSHOTS.c.step, SNAPSHOTS.c.epoch).order_by(SNAPSHOTS.c.step)


class Store(Database):
    """The runs in one folder. Methods that take a ``run_id`` raise UnknownNameError where no run has it."""

    def __init__(self, root: Path | None = None) -> None:
        super().__init__(root)
        self._locks: dict[str, FileLock] = {}  # of runs entered here that have no writer yet
        self.pins = 0  # notes that were pinned or removed here

    def close(self) -> None:
        """Close the database, and release runs that were entered here and never worked on."""
        while self._locks:
            self._locks.popitem()[1].release()
        super().close()

    # -- making and working on runs

    def create(self, spec: Mapping[str, Any], name: str | None = None) -> str:
        """Enter a queued run, locked for its writer.

        Args:
            spec: the configuration, JSON-ready.
            name: the user's name for it; default the spec's title, "METHOD on DATASET" of one that cannot be read.

        Returns:
            the run's id.
        """
        method, dataset, device = (layout.part_of(spec, key) for key in ("method", "dataset", "device"))
        return self.enter(
            name=(name or "").strip() or layout.title_of(spec) or f"{method or '?'} on {dataset or '?'}",
            method=str(method or "?"),
            dataset=str(dataset or "?"),
            seed=layout.part_of(spec, "seed"),
            device=str(device or "auto"),
            spec=dict(spec),
            versions=layout.versions(),
        )

    def enter(
        self,
        fill: Callable[[Folder], None] = lambda folder: None,
        rows: Mapping[sa.Table, Sequence[Mapping[str, Any]]] = MappingProxyType({}),
        **known: Any,
    ) -> str:
        """Enter a run, wholly or not at all, locked for its writer.

        Args:
            fill: puts files into its folder.
            rows: its metrics and snapshots.
            known: columns of its record; the others have their defaults.
        """
        run_id, now = layout.new_id(), time.time()
        known = {"status": "queued", "created": now, "updated": now, **known, "id": run_id}
        folder = self.folder(run_id)
        with self.guard():
            folder.path.mkdir(parents=True)
            lock = folder.lock()
            lock.acquire(blocking=False)  # before others can see the run: without a lock it would count as interrupted
        try:
            with self.guard():
                fill(folder)
            with self.writing() as connection:
                connection.execute(sa.insert(RUNS), known)
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
        """The object through which alone the run is written to, until it is closed.

        Raises:
            StoreError: another process works on it, or it is damaged, deleted or finished.
        """
        run = self.get(run_id)
        if run.trouble:
            raise run.trouble
        if run.deleted:
            raise StoreError("a run must not have been deleted to go on", run.name, "restore it first")
        if run.status == "finished":
            raise StoreError("a run must not have finished to go on", run.name, "train a new one with more epochs")
        return Writer(self, run, self._take_lock(run))

    def release(self, run_id: str) -> None:
        """Unlock a run that was entered here and is not going to be worked on."""
        self._locks.pop(run_id).release()

    def _take_lock(self, run: Run) -> FileLock:
        lock = self._locks.pop(run.id, None)
        if lock is None:
            lock = self.folder(run.id).lock()
            with self.guard():
                try:
                    lock.acquire(timeout=1)  # a reader that checks whether the run is alive locks it for an instant
                except Timeout:
                    raise StoreError(
                        "a run must have ended before anything else is done with it",
                        f"{run.name} is {run.status}",
                        "stop it where it was started, or wait for its end",
                    ) from None
        return lock

    # -- finding runs

    def get(self, run_id: str) -> Run:
        """The run of that id."""
        for run in self._select(RECORDS.where(RUNS.c.id == run_id)):
            return run
        raise self.unknown(run_id)

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
        """Runs, newest first, in the order in which they came into this store, whatever the clock showed.

        Args:
            text: part of the id, name, note, method or data set, in upper or lower case.
            method, dataset, starred: must be equal.
            status: one, or several of which one must be equal.
            deleted: list deleted runs instead of the others.
            limit: at most so many.
        """
        gone = RUNS.c.deleted.is_(True)  # a damaged flag is not true
        query = RECORDS.where(gone if deleted else ~gone).order_by(sa.literal_column("rowid").desc())
        if text:
            places = (RUNS.c[name] for name in ("id", "name", "note", "method", "dataset"))
            query = query.where(sa.or_(*(place.icontains(text, autoescape=True) for place in places)))
        for column, value in ((RUNS.c.method, method), (RUNS.c.dataset, dataset), (RUNS.c.starred, starred)):
            if value is not None:
                query = query.where(column == value)
        if status is None:
            return [*self._select(query.limit(limit))]
        wanted = {status} if isinstance(status, str) else {*status}
        if not wanted & {"interrupted", "damaged"}:  # which show only when the record is read
            query = query.where(RUNS.c.status.in_(wanted))
        return [*islice((run for run in self._select(query) if run.status in wanted), limit)]

    def _select(self, query: sa.Select[Any]) -> Iterator[Run]:
        for row in self.rows(query):
            if row["status"] in LIVE and layout.is_id(row["id"]) and self.folder(row["id"]).abandoned():
                row["status"] = self._interrupted(row["id"])
                if row["status"] is None:
                    continue
            yield record.read(row)

    def _interrupted(self, run_id: str) -> Status | None:
        """Store that the run was interrupted; returns the status that it has then, None if it is purged by now."""
        if self.refused:
            return "interrupted"
        # Its process may have ended it properly after the row and before the lock was read.
        alive = sa.and_(RUNS.c.id == run_id, RUNS.c.status.in_(LIVE))
        with self.writing() as connection:
            connection.execute(sa.update(RUNS).where(alive).values(status="interrupted"))
            return cast(Status | None, connection.scalar(sa.select(RUNS.c.status).where(RUNS.c.id == run_id)))

    # -- the contents of a run

    def metrics(self, run_id: str, after: int = 0) -> Metrics:
        """The metrics stored since ``after``, the ``cursor`` of an earlier answer (0: all of them).

        Raises:
            StoreError: stored values are not numbers.
        """
        return self.progress(run_id, after)[0]

    def snapshots(self, run_id: str) -> Snapshots:
        """The steps and epochs of the stored snapshots, in order."""
        with self.reading() as connection:
            rows = connection.execute(_SHOTS.where(SNAPSHOTS.c.run_id == run_id)).all()
        if not rows:
            self.get(run_id)
        with _numbers(run_id):
            return layout.taken(rows)

    def progress(self, run_id: str, after: int = 0) -> tuple[Metrics, Snapshots]:
        """As :meth:`metrics` and :meth:`snapshots`, of one moment."""
        with self.reading() as connection:
            rewound = connection.execute(sa.select(RUNS.c.rewound).where(RUNS.c.id == run_id)).scalar()
            if rewound is not None:
                whole = after == 0 or after < rewound
                new = sa.and_(METRICS.c.run_id == run_id, METRICS.c.id > (0 if whole else after))
                columns = (METRICS.c.name, METRICS.c.step, METRICS.c.epoch, METRICS.c.value, METRICS.c.id)
                rows = connection.execute(sa.select(*columns).where(new).order_by(METRICS.c.id)).all()
                shots = connection.execute(_SHOTS.where(SNAPSHOTS.c.run_id == run_id)).all()
        if rewound is None:
            raise self.unknown(run_id)
        with _numbers(run_id):
            cursor = max(after, rewound, rows[-1].id if rows else 0)
            return Metrics(layout.curves(row[:4] for row in rows), cursor, whole), layout.taken(shots)

    def snapshot(self, run_id: str, step: int, names: Iterable[str] | None = None) -> dict[str, NDArray[Any]]:
        """The arrays of one snapshot, or only those of ``names``.

        Raises:
            StoreError: it has no snapshot at that step, or the file is damaged.
        """
        found = self._load(run_id, self.folder(run_id).snapshot(step), names)
        if found is None:
            steps = self.snapshots(run_id).steps
            near = ", ".join(str(each) for each in sorted(steps[np.argsort(abs(steps - step))[:3]])) or "none yet"
            raise StoreError("a snapshot must be asked for at a step that has one", step, f"the nearest are: {near}")
        return found[0]

    def static(self, run_id: str) -> dict[str, NDArray[Any]]:
        """The arrays that stay the same over the run (``Started.arrays``); empty before it has started."""
        found = self._load(run_id, self.folder(run_id).static)
        return found[0] if found else {}

    def checkpoint(self, run_id: str) -> Checkpoint | None:
        """The checkpoint from which the run can go on; None where it has left none.

        Raises:
            StoreError: the file is damaged, or is not a checkpoint.
        """
        found = self._load(run_id, self.folder(run_id).checkpoint)
        if found is None:
            return None
        if why := record.checkpoint_damage(found[1]):
            raise StoreError(
                f"the checkpoint of run {run_id} must say which step it is of",
                f"meta{why}",
                "run kernlab runs check --repair, which sets it aside: the run then goes on from its start",
            )
        return Checkpoint(found[1]["step"], found[0], found[1]["state"])

    def model(self, run_id: str) -> _Loaded:
        """The trained model's arrays and its meta.

        Raises:
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

    # -- what the user changes

    def rename(self, run_id: str, name: str) -> None:
        """Give the run another name."""
        if not name.strip():
            raise StoreError("a run's name must not be empty", repr(name), "type at least one letter")
        self._set(run_id, name=name.strip())

    def annotate(self, run_id: str, note: str) -> None:
        """Replace the run's note."""
        self._set(run_id, note=note)

    def pinned(self, run_id: str) -> tuple[Note, ...]:
        """The notes that are pinned to moments of the run, in their order.

        Raises:
            StoreError: their file is damaged.
        """
        with self.guard():
            return notes.read(self.folder(run_id).notes)

    def pin(self, run_id: str, step: int, epoch: float, text: str) -> None:
        """Pin a note to the moment of a snapshot, in place of the one that was there; an empty text removes it.

        Raises:
            OptionError: the text is too long, or the run has too many notes.
        """
        folder = self.folder(self.get(run_id).id)
        with self.guard(), FileLock(self.root / "lock", timeout=30):  # two pages may pin at once
            notes.put(folder.notes, step, epoch, text)
        self.pins += 1

    def star(self, run_id: str, starred: bool = True) -> None:
        """Mark the run as a favourite, or no longer."""
        self._set(run_id, starred=starred)

    def delete(self, run_id: str) -> None:
        """Mark the run as deleted; :meth:`restore` undoes that, :meth:`purge` removes it for good.

        Raises:
            StoreError: a process works on it.
        """
        run = self.get(run_id)
        if run.live or (run.damage and not self.folder(run_id).abandoned()):
            raise StoreError("a run must have ended to be deleted", f"{run.name} is {run.status}", "stop it first")
        self._set(run_id, deleted=True)

    def restore(self, run_id: str) -> None:
        """Undo :meth:`delete`."""
        self._set(run_id, deleted=False)

    def purge(self, run_id: str) -> None:
        """Remove a run and its files for good.

        Raises:
            StoreError: a process works on it.
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
        shutil.rmtree(self.folder(run_id).films, ignore_errors=True)

    def _set(self, run_id: str, **values: Any) -> None:
        with self.writing() as connection:
            done = connection.execute(sa.update(RUNS).where(RUNS.c.id == run_id).values(**values))
        if not done.rowcount:
            raise self.unknown(run_id)

    # -- one run as one file

    def export(self, run_id: str, to: Path | BinaryIO) -> None:
        """Write everything of a run into one .zip of JSON and safetensors.

        Args:
            to: a file name, written in one step, or an open binary file.
        """
        run, shots, curves = self.get(run_id), self.snapshots(run_id), self.metrics(run_id).curves
        if run.trouble:
            raise run.trouble
        epochs = dict(zip(shots.steps.tolist(), shots.epochs.tolist(), strict=True))
        archive.pack(run, epochs, curves, self.folder(run_id), to)

    def import_(self, source: Path | BinaryIO) -> str:
        """Enter a run that :meth:`export` wrote, here or elsewhere; returns its new id.

        Raises:
            StoreError: the file is not a whole, well-formed run; nothing of it is kept.
        """
        if isinstance(source, str | Path) and not Path(source).is_file():
            raise StoreError("the file to import must exist", source, "check its name")
        with self.guard(), tempfile.TemporaryDirectory(dir=self.root, prefix=layout.IMPORTING) as scratch:
            known, rows = archive.unpack(source, Path(scratch))

            def fill(folder: Folder) -> None:
                for file in Path(scratch).iterdir():
                    file.replace(folder.path / file.name)

            run_id = self.enter(fill, rows, **known)
            self.copy_record(run_id)
            self.release(run_id)
        return run_id


@contextmanager
def _numbers(run_id: str) -> Iterator[None]:
    """Turn a value that is not a number into a sentence."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        raise StoreError(
            f"the curves of run {run_id} must be numbers",
            error,
            "run kernlab runs check --repair, which sets the others aside",
        ) from error

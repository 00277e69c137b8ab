"""The folder of a store and its database, opened to write, or only to read where the folder or the disk refuses more.

On a local disk SQLite keeps a write-ahead log, so that readers never wait for a writer. Such a log is shared memory
between processes, which a network share does not give to two machines (SQLite's documentation, "Write-Ahead
Logging"): on a share SQLite keeps a rollback journal, where readers and the writer wait for each other.
"""

from __future__ import annotations

import difflib
import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any, Self

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy.exc import DatabaseError

from kernlab import files, paths
from kernlab.errors import StoreError, UnknownNameError
from kernlab.runs import layout, record, tensors
from kernlab.runs.layout import RECORDS, RUNS, Folder

__all__ = ["Database", "readable", "share", "writable"]

#: File systems that two machines may have mounted at once.
_SHARES = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "afs", "ncpfs", "9p", "vboxsf"),
    *("ceph", "glusterfs", "lustre", "gpfs", "beegfs", "webdav", "davfs"),
    *("fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.rclone", "fuse.davfs2"),
}
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_RIGHT = {errno.EROFS, errno.EACCES, errno.EPERM}


class Database:
    """The tables and the files of the runs in one folder. Any number of threads and processes may share it.

    A folder that can be read but not written to (by its rights, or because the disk is full) is opened all the same:
    its runs can be listed, shown and exported, and each change is refused with the reason.

    Args:
        root: the folder, made when it does not exist. Default: :func:`kernlab.paths.home`.

    Attributes:
        refused: why the folder can only be read; None where it can be written to.

    Raises:
        StoreError: the folder cannot be used.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = Path(root) if root is not None else paths.home()
        self.refused: Exception | None = None
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
        self._engine = writable(self.root / "kernlab.db")
        with FileLock(self.root / "lock", timeout=30):  # two processes may open a new store at once
            self._lay_tables()

    def _open_to_read(self, error: Exception) -> None:
        """Open the database to read it; where even that is impossible ``error`` says more."""
        if not (self.root / "kernlab.db").is_file():
            raise error
        self._scratch = tempfile.TemporaryDirectory(prefix="kernlab-", ignore_cleanup_errors=True)
        self._engine.dispose()
        self._engine = readable(self.root / "kernlab.db", Path(self._scratch.name))
        self.refused = error
        with self.reading() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM runs")

    def _lay_tables(self) -> None:
        """Make the tables, or add the columns that those of an older kernlab lack."""
        with self.reading() as connection:
            if _version(connection) == layout.VERSION:
                return
        with self.writing() as connection:
            layout.TABLES.create_all(connection)
            for table in layout.TABLES.sorted_tables:
                known = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
                for column in table.columns:
                    if column.name not in known:
                        clause = sa.schema.CreateColumn(column).compile(dialect=connection.dialect)
                        connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {clause}")
            connection.exec_driver_sql(f"PRAGMA user_version = {layout.VERSION}")

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()
        if self._scratch:
            self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def notes(self) -> list[str]:
        """Sentences on a folder that can only be read, or that lies on a network share; empty for any other."""
        notes = []
        if self.refused:
            cause = self.refused.__cause__ or self.refused
            notes.append(
                f"The store in {self.root} can only be read ({cause}): its runs can be listed, shown and exported, "
                "and nothing can be trained, changed or imported."
            )
        if kind := share(self.root):
            notes.append(
                f"The store in {self.root} lies on a network share ({kind}): instead of a write-ahead log, which "
                "works on one machine only, it keeps a rollback journal, where readers and the writer wait for each "
                "other. A folder on this machine is faster."
            )
        return notes

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Turn what the disk or the database refuses into a StoreError that names the folder and the remedy."""
        try:
            yield
        except (OSError, NotImplementedError, sqlite3.Error, DatabaseError) as error:
            cause = error.orig if isinstance(error, DatabaseError) and error.orig else error
            must = f"the run store in {self.root} must be readable, writable and have free space"
            raise StoreError(must, cause, f"{_remedy(cause)}, or point KERNLAB_HOME at another folder") from error

    # -- the tables

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that reads one consistent state of the tables."""
        with self.guard(), self._engine.begin() as connection:
            self._check_version(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that changes the tables, whole or not at all."""
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
        # In every transaction: a newer kernlab may have changed the tables while this one was running.
        if (found := _version(connection)) > layout.VERSION:
            raise StoreError(
                f"the run store in {self.root} must be of version {layout.VERSION} or older",
                f"version {found}, of a newer kernlab",
                "update kernlab, or point KERNLAB_HOME at another folder",
            )

    def rows(self, query: sa.Select[Any]) -> list[dict[str, Any]]:
        """The rows of a query."""
        with self.reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def unknown(self, run_id: str) -> UnknownNameError:
        """The error for an id that no run has."""
        newest = sa.select(RUNS.c.id).where(~RUNS.c.deleted).order_by(sa.text("rowid DESC")).limit(1000)
        ids = [str(row["id"]) for row in self.rows(newest)]
        near = difflib.get_close_matches(run_id, ids, n=3)
        if near:
            advice = f"did you mean {' or '.join(near)}"
        else:
            advice = f"the latest are {', '.join(ids[:3])}" if ids else "there is none yet; train one"
        return UnknownNameError("a run must be one that the store has", repr(run_id), advice)

    # -- the files of a run

    def folder(self, run_id: str) -> Folder:
        """The files of a run; ids come from links and command lines, so they are checked first."""
        if not layout.is_id(run_id):
            raise self.unknown(run_id)
        return Folder(self.root / "runs" / run_id)

    def copy_record(self, run_id: str) -> None:
        """Write the run's record into its folder too, from where a damaged database can be mended."""
        for row in self.rows(RECORDS.where(RUNS.c.id == run_id)):
            document = {"version": layout.VERSION, "run": asdict(record.read(row))}
            with self.guard():
                files.write(self.folder(run_id).record, tensors.dumps(document))


def _version(connection: sa.Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _refuses_writing(cause: BaseException | None) -> bool:
    """Whether the disk, the rights or the space are what is in the way, so that reading may still be possible."""
    if isinstance(cause, DatabaseError):
        cause = cause.orig
    if isinstance(cause, sqlite3.OperationalError):
        return any(word in str(cause) for word in ("readonly", "unable to open", "full", "disk I/O"))
    return isinstance(cause, OSError) and cause.errno in _NO_SPACE | _NO_RIGHT


def _remedy(cause: BaseException) -> str:
    words = str(cause)
    if "full" in words or "disk I/O" in words or getattr(cause, "errno", None) in _NO_SPACE:
        return "free some space there"
    if "malformed" in words or "not a database" in words:
        return "restore kernlab.db there from a copy, save what can be saved with kernlab runs check --repair"
    if "locked" in words or isinstance(cause, Timeout):
        return "end whatever else works on this store"
    return "make the folder writable"


# -- connections


def writable(path: Path) -> sa.Engine:
    """Connections to the database that wait for each other instead of failing."""
    return _engine(str(path), "DELETE" if share(path.parent) else "WAL")


def readable(path: Path, scratch: Path) -> sa.Engine:
    """Connections that only read, and write nothing beside the database either.

    Args:
        path: the database.
        scratch: an empty folder, for a copy of a database whose last changes still lie in a log: SQLite has to put the
            two together somewhere.
    """
    address, logs = f"file:{path}?mode=ro", [path.with_name(path.name + end) for end in ("-wal", "-journal")]
    try:
        with closing(sqlite3.connect(address, uri=True)) as probe:
            probe.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        if any(log.exists() and log.stat().st_size for log in logs):
            for file in (path, *logs):
                if file.exists():
                    shutil.copyfile(file, scratch / file.name)
            address = f"file:{scratch / path.name}?mode=rw"
        else:
            address += "&immutable=1"  # no process can be writing to it
    return _engine(f"{address}&uri=true")


def _engine(address: str, journal: str = "") -> sa.Engine:
    """Connections to the database; with a journal of that mode where they may write."""
    made = sa.create_engine(f"sqlite:///{address}", json_serializer=tensors.dumps)

    @sa.event.listens_for(made, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # the driver must not open transactions on its own: ``begin`` does
        # Bytes that are no UTF-8 become surrogates, which the record's schema refuses.
        connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")
        if journal:
            connection.execute("PRAGMA busy_timeout = 30000")
            (found,) = connection.execute(f"PRAGMA journal_mode = {journal}").fetchone()
            # With a write-ahead log no killed process can damage the database, and with the other no power cut may.
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if found == 'wal' else 'FULL'}")

    @sa.event.listens_for(made, "begin")
    def begin(connection: sa.Connection) -> None:
        # A transaction that reads first and writes later cannot wait for another writer; one that says so at once can.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return made


# -- network shares


def share(folder: Path) -> str:
    """The kind of network file system that ``folder`` lies on ("nfs4", "cifs" …); empty on a disk of this machine."""
    folder = Path(os.path.realpath(folder))
    if sys.platform == "win32":
        import ctypes

        remote = ctypes.windll.kernel32.GetDriveTypeW(folder.anchor) == 4
        return "smb" if remote or folder.anchor.startswith("\\\\") else ""
    kinds = {place: kind for place, kind in _mounts() if folder.is_relative_to(place)}  # of one place the last counts
    kind = kinds[max(kinds, key=lambda place: len(place.parts))] if kinds else ""
    return kind if kind in _SHARES else ""


def _mounts() -> Iterator[tuple[PurePath, str]]:
    """Mounted places and the kinds of their file systems."""
    if (table := Path("/proc/self/mounts")).exists():
        for line in table.read_text(errors="replace").splitlines():
            _, place, kind, *_ = line.split(" ")
            yield PurePath(place.replace("\\040", " ")), kind
        return
    with suppress(OSError, subprocess.SubprocessError):  # macOS: "//host/share on /Volumes/share (smbfs, nodev)"
        for line in subprocess.run(["mount"], capture_output=True, text=True, timeout=5).stdout.splitlines():
            place, _, rest = line.partition(" on ")[2].rpartition(" (")
            yield PurePath(place), rest.partition(",")[0].rstrip(")")

"""How the database of runs is opened: to write, or only to read where the folder or the disk refuses more.

On a disk of this machine SQLite keeps a write-ahead log, so that readers never wait for a writer. Such a log is shared
memory between processes, which a network share does not give to two machines (SQLite's documentation, "Write-Ahead
Logging"): on a share it is a rollback journal, where readers and the writer wait for each other.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePath

import sqlalchemy as sa

from kernlab.runs import tensors

__all__ = ["readable", "share", "text", "writable"]

#: File systems that two machines may have mounted at once.
_SHARES = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "afs", "ncpfs", "9p", "vboxsf"),
    *("ceph", "glusterfs", "lustre", "gpfs", "beegfs", "webdav", "davfs"),
    *("fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.rclone", "fuse.davfs2"),
}


def writable(path: Path) -> sa.Engine:
    """Connections to the database that wait for each other instead of failing."""
    made = sa.create_engine(f"sqlite:///{path}", json_serializer=tensors.dumps)
    journal = "DELETE" if share(path.parent) else "WAL"

    @sa.event.listens_for(made, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # the driver must not open transactions on its own; see below
        connection.text_factory = text
        connection.execute("PRAGMA busy_timeout = 30000")
        (found,) = connection.execute(f"PRAGMA journal_mode = {journal}").fetchone()
        # With a write-ahead log no killed process can damage the database, and with the other no power cut may.
        connection.execute(f"PRAGMA synchronous = {'NORMAL' if found == 'wal' else 'FULL'}")

    _transactions(made)
    return made


def readable(path: Path, scratch: Path) -> sa.Engine:
    """Connections that only read, and write nothing beside the database either.

    Args:
        path: the database.
        scratch: an empty folder, for a copy of a database whose last changes still lie in a log: SQLite has to put the
            two together somewhere.
    """
    address, logs = f"file:{path}?mode=ro", [path.with_name(path.name + end) for end in ("-wal", "-journal")]
    try:
        with sqlite3.connect(address, uri=True) as probe:
            probe.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        if any(log.exists() and log.stat().st_size for log in logs):
            for file in (path, *logs):
                if file.exists():
                    shutil.copyfile(file, scratch / file.name)
            address = f"file:{scratch / path.name}?mode=rw"
        else:
            address += "&immutable=1"  # nobody can be writing to it
    else:
        probe.close()
    made = sa.create_engine(f"sqlite:///{address}&uri=true", json_serializer=tensors.dumps)

    @sa.event.listens_for(made, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None
        connection.text_factory = text

    _transactions(made)
    return made


def _transactions(made: sa.Engine) -> None:
    @sa.event.listens_for(made, "begin")
    def begin(connection: sa.Connection) -> None:
        # A transaction that reads first and writes later cannot wait for another writer; one that says so at once can.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def text(raw: bytes) -> str:
    """Text as the database has it; bytes that are no UTF-8 become surrogates, which the record's schema refuses."""
    return raw.decode(errors="surrogateescape")


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

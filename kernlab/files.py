"""Files that several processes share: written whole or not at all, and locked by one process at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

__all__ = ["Claim", "replacing", "write"]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the name ``path`` when it is complete and on the disk.

    A reader sees the old file or the new one, never half of either.

    Raises:
        OSError: the file cannot be written; its old contents stay.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        with open(part, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()  # a full disk needs the space
        raise


def write(path: Path, content: bytes | str) -> None:
    """Put ``content`` (text as UTF-8) in place of what ``path`` had, as :func:`replacing` does."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


class Claim:
    """The right of one process to work on something, until it is released or the process ends.

    The claim is a lock on a file. A released claim leaves no file; the file of a process that was killed stays, and its
    lock is free: so it can be seen that the work was interrupted.
    """

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock

    @classmethod
    def take(cls, path: Path) -> Claim | None:
        """The claim on ``path``; None while another process has it.

        Raises:
            OSError: the file cannot be made.
        """
        lock = FileLock(path, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return None
        return cls(lock)

    @staticmethod
    def state(path: Path) -> str:
        """ "held" while a process has the claim, "abandoned" where one was killed with it, else ""."""
        if not path.exists():
            return ""
        lock = FileLock(path, timeout=0, thread_local=False)
        try:
            lock.acquire()
            lock.release()
        except Timeout:
            return "held"
        except OSError:  # the file can only be read: it is locked without writing, where the system can do that
            try:
                import fcntl

                with open(path, "rb") as file:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # type: ignore[attr-defined, unused-ignore]
            except (ImportError, OSError):  # a file that cannot be locked belongs to another process
                return "held"
        return "abandoned"

    def release(self, *, interrupted: bool = False) -> None:
        """Give the right back; ``interrupted`` leaves the file, as a killed process does."""
        # The name is removed first: a process that waits with the old file open checks the name once more.
        if not interrupted:
            with suppress(OSError):
                os.unlink(self._lock.lock_file)
        self._lock.release()

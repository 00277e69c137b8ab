"""Files that several processes share: written whole or not at all, and claimed by one process at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

__all__ = ["Claim", "replacing"]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the name ``path`` when it is complete and on the disk.

    A reader sees the old file or the new one, never half of either.

    Raises:
        OSError: the file cannot be written; what was there before still is.
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


class Claim:
    """The right of one process to work on something, until it is released or the process ends.

    The claim is a lock on a file. A released claim leaves no file; the file of a process that was killed stays, and its
    lock is free: so it can be seen that the work was interrupted.
    """

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock

    @classmethod
    def take(cls, path: Path) -> Claim | None:
        """The claim on ``path``; None while somebody else has it.

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
        """ "held" while a process has the claim, "abandoned" where one was killed with it, "" where nobody has it."""
        if not path.exists():
            return ""
        lock = FileLock(path, timeout=0, thread_local=False)
        try:
            lock.acquire()
            lock.release()
        except (Timeout, OSError):  # a file that cannot be locked belongs to somebody else
            return "held"
        return "abandoned"

    def release(self, *, interrupted: bool = False) -> None:
        """Give the right back; ``interrupted`` leaves the file, as a killed process does."""
        # The name goes first: another process that waits with the old file open looks once more before it works.
        if not interrupted:
            with suppress(OSError):
                os.unlink(self._lock.lock_file)
        self._lock.release()

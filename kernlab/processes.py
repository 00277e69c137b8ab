"""Worker processes, which end with the process that started them, also when that one is killed.

A thread of every worker waits for the end of a pipe whose other end the starting process alone has. The system
closes that end however the process ends, on every platform, and the worker ends with it.

    python -m kernlab.processes MODULE ARGUMENT…    runs a module so, with the pipe as its standard input
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

__all__ = ["drop", "results", "started"]

_pipe: tuple[Connection, Connection] | None = None  # what workers read from, and what they wait for the end of


def results(tasks: Iterable[Any], workers: int, **options: Any) -> Generator[Any, None, None]:
    """Results of tasks in the order in which they are finished, from single-threaded processes kept by loky.

    Args:
        tasks: made by ``joblib.delayed``.
        workers: processes, at least 2: of one joblib would make this very process.
        **options: of ``joblib.Parallel``.

    Raises:
        BrokenProcessPool: a worker died.
    """
    from joblib import Parallel, parallel_config

    global _pipe
    if _pipe is None:
        _pipe = multiprocessing.Pipe(duplex=False)
    with parallel_config("loky", inner_max_num_threads=1, initializer=_end_with, initargs=(_pipe[0],)):
        runner = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, **options)
    with _deaf():
        found: Generator[Any, None, None] = runner(tasks)
    return found


def drop() -> None:
    """End the workers at once; what they were computing is lost."""
    global _pipe
    if _pipe is not None:
        _pipe[1].close()
        _pipe = None


def _end_with(parent: Connection) -> None:
    """In a worker: wait in a thread until the parent has gone, and leave Ctrl-C to it."""

    def wait() -> None:
        with suppress(EOFError, OSError):
            parent.recv_bytes()  # nothing is ever sent
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes started within it do not hear Ctrl-C, which reaches all of a terminal's, until they can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def started(module: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that runs a module of this kernlab and ends with this one.

    Returns:
        the process; its error stream is a pipe, what it prints is dropped.
    """
    here = str(Path(__file__).resolve().parents[1])
    return subprocess.Popen(
        [sys.executable, "-m", "kernlab.processes", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


if __name__ == "__main__":

    def _end_with_input() -> None:
        # The descriptor itself: a thread that waits inside sys.stdin holds its lock when the interpreter ends.
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=_end_with_input, name="end-with-parent", daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)

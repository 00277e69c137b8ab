"""Worker processes, which end with the process that started them, even if that process is killed.

A thread of every worker waits for the end of a pipe whose other end is open in the starting process alone. On every
platform the system closes that end when the process ends, in whichever way, and then the worker ends itself.

    python -m kernlab.processes MODULE ARGUMENT…    runs a module as such a worker, with the pipe as its standard input,
                                                    at lower priority from the start: it loads torch for a second or two
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
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

__all__ = ["drop", "give_way", "pool", "results", "started"]

_POLITE = 3  # of workers that fill the cores: a page that somebody looks at comes first
_GROWTH = 4 * 2**30  # bytes by which a worker of a pool may grow; libraries and data that it loads are no leak
_pipe: tuple[Connection, Connection] | None = None  # the end that the workers read, and the end that is open here


def results(tasks: Iterable[Any], workers: int, **options: Any) -> Generator[Any, None, None]:
    """Results of tasks in the order in which they finish, from single-threaded processes that loky keeps.

    Args:
        tasks: made by ``joblib.delayed``.
        workers: number of processes, at least 2, since joblib computes in this process for 1.
        **options: of ``joblib.Parallel``.

    Raises:
        BrokenProcessPool: a worker died.
    """
    from joblib import Parallel, parallel_config

    with parallel_config("loky", inner_max_num_threads=1, initializer=_end_with, initargs=(_read_end(), _POLITE)):
        runner = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, **options)
    with _interrupt_blocked():
        found: Generator[Any, None, None] = runner(tasks)
    return found


def pool(workers: int) -> Executor:
    """A pool of processes that end with this one, and not before."""
    from joblib.externals.loky import ProcessPoolExecutor

    # loky's processes leave the main module alone, which in a Streamlit server is the page that runs.
    found: Executor = ProcessPoolExecutor(workers, initializer=_stay_with, initargs=(_read_end(),))
    return found


def _read_end() -> Connection:
    """The end of the pipe that workers read."""
    global _pipe
    if _pipe is None:
        _track_quietly()
        _pipe = multiprocessing.Pipe(duplex=False)
    return _pipe[0]


def _track_quietly() -> None:
    """Start loky's process that removes what a killed process leaves behind, without the warning that it does so."""
    from joblib.externals.loky.backend import resource_tracker

    quiet = "ignore:resource_tracker:UserWarning"
    sys.warnoptions.append(quiet)  # loky starts that process with the options of this one
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(quiet)


def drop() -> None:
    """End the workers at once; their unfinished tasks are lost."""
    global _pipe
    if _pipe is not None:
        _pipe[1].close()
        _pipe = None


def give_way(niceness: int = _POLITE) -> None:
    """Let processes of lower niceness come first."""
    with suppress(AttributeError, OSError):  # Windows has no such call
        os.nice(niceness)


def _end_with(parent: Connection, niceness: int = 0) -> None:
    """In a worker: end when the parent has ended, and leave Ctrl-C to the parent."""
    give_way(niceness)

    def wait() -> None:
        with suppress(EOFError, OSError):
            parent.recv_bytes()  # raises at the end of the pipe, since the parent sends nothing
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=wait, name="end-with-parent", daemon=True).start()


def _stay_with(parent: Connection) -> None:
    """In a worker of a pool that is kept: also go on when it has loaded much.

    Where psutil is installed, loky ends a worker that has grown by 300 MB since its first task and starts another,
    which loads torch again: who had just asked for a picture waited five seconds for it.
    """
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = _GROWTH
    _end_with(parent)


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """Block Ctrl-C, which reaches all processes of a terminal, in those started within, until they ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def started(module: str, *arguments: str, quiet: bool = False) -> subprocess.Popen[str]:
    """A process of lower priority that runs a module of this kernlab and ends with this one.

    Args:
        module: its name.
        *arguments: the module's command line.
        quiet: drop its standard error, too.

    Returns:
        The process; its standard error is a pipe, its standard output is dropped.
    """
    here = str(Path(__file__).resolve().parents[1])
    return subprocess.Popen(
        [sys.executable, "-m", "kernlab.processes", module, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if quiet else subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


if __name__ == "__main__":

    def _end_with_input() -> None:
        # By its descriptor, since a thread that waits in sys.stdin holds a lock which the interpreter needs at its end.
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=_end_with_input, name="end-with-parent", daemon=True).start()
    give_way()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)

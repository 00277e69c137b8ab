"""The process that draws the pictures of runs, so that a training in the server's own is not slowed down.

It loads torch as the server does. Where the first visitor opens a page with pictures both load it at the same time:
this module needs nothing of either, so that the other process can begin with the first request.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache
from typing import TypeVar

from kernlab import processes

__all__ = ["begin", "close", "once", "pool"]

T = TypeVar("T")

_process: Executor | None = None
_starting = threading.Lock()


def pool() -> Executor:
    """A pool of this one process, which is started where there is none."""
    global _process
    with _starting:
        if _process is None:
            _process = processes.pool(1)
        return _process


def close() -> None:
    """Let go of a process that has ended; the next one who draws starts another."""
    global _process
    with _starting:
        if _process is not None:
            _process.shutdown(wait=False)
            _process = None


def once(kept: OrderedDict[str, Future[T]], most: int, name: str, begin: Callable[[], Future[T]]) -> Future[T]:
    """What the other process makes, kept by its name with the newest others; what failed is begun again."""
    found = kept.get(name)
    if found is None or (found.done() and found.exception()):
        found = kept[name] = begin()
        while len(kept) > most:
            kept.popitem(last=False)
    return found


@cache
def begin() -> None:
    """Start the process, once, and let it load what the first picture needs; nobody waits for it."""
    threading.Thread(target=_warm, name="warm-drawing", daemon=True).start()


def _warm() -> None:
    with suppress(BrokenProcessPool):
        pool().submit(_ready).result()


def _ready() -> None:
    import plotly.graph_objects
    import scipy.stats

    from kernlab.pictures import frames  # noqa: F401
    from kernlab.training import trainer  # noqa: F401
    from kernlab.ui import drawn  # noqa: F401

    # What the first picture would load: Plotly's templates, and for half a second what densities are estimated by.
    plotly.graph_objects.Figure()
    scipy.stats.gaussian_kde([0.0, 1.0])

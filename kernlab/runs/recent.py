"""What a writer has committed last, for the readers in its own process."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from kernlab.runs.layout import Metrics, Point, Snapshots, curves, taken

__all__ = ["Recent"]

_COMMITS = 64  # that are remembered: of a run's last 16 seconds at least


class Recent:
    """The last commits of one run, in memory, by the bookmarks that readers of the store have.

    A page that follows a run asks for its new points several times a second. SQLite lets go of the interpreter with
    every row that it fetches and then waits to have it back; so does the training beside it, which is slowed down.
    Whoever has read all that was stored some seconds ago gets the rest here without the database.

    Args:
        cursor: the bookmark after what is stored so far.
        snapshots: step -> epoch of those stored so far.
    """

    def __init__(self, cursor: int, snapshots: dict[int, float]) -> None:
        self._cursor, self._shots = cursor, snapshots
        self._commits: deque[tuple[int, int, Sequence[Point]]] = deque(maxlen=_COMMITS)  # bookmarks before and after
        self._lock = threading.Lock()

    def add(self, cursor: int | None, points: Sequence[Point], snapshot: tuple[int, float] | None = None) -> None:
        """Take down a commit.

        Args:
            cursor: the bookmark after it; None: it has no points.
            points: of the metrics.
            snapshot: step and epoch of one that it stored.
        """
        with self._lock:
            if cursor is not None:
                self._commits.append((self._cursor, cursor, points))
                self._cursor = cursor
            if snapshot:
                self._shots[snapshot[0]] = snapshot[1]

    def since(self, after: int) -> tuple[Metrics, Snapshots] | None:
        """As :meth:`kernlab.runs.store.Store.progress`; None where that bookmark is not remembered."""
        with self._lock:
            cursor, commits, shots = self._cursor, [*self._commits], sorted(self._shots.items())
        places = [before for before, *_ in commits] + [cursor]
        if after not in places:
            return None
        new = [point for _, _, points in commits[places.index(after) :] for point in points]
        return Metrics(curves(new), cursor, False), taken(shots)

"""Jobs that work in step: they share one turn of their line, and the one that is furthest behind works.

    group = Group(changed);  group.take(id, progress, given_up);  group.give_way(…);  group.leave(id)

    turn of the line   A A A B B A C C C C …      one job at a time, each for :data:`QUANTUM` seconds at least

A job alone is a group of one. Because one job computes at a time, each has the machine for itself, its numbers are
those of the job alone, and the whole takes as long as the jobs one after another. Where one is paused the others go on;
a job that joins later, or goes on after a pause, is behind and works until it has caught up.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

__all__ = ["EQUAL", "QUANTUM", "Equal", "Group"]

#: What is equal in step: passes over the training part, or seconds of work.
Equal: TypeAlias = Literal["epochs", "seconds"]
EQUAL: tuple[Equal, ...] = get_args(Equal)

QUANTUM = 0.05  # seconds: shorter turns cost more than they show, longer ones are seen as jerks


class Group:
    """The jobs that share a turn.

    Args:
        changed: notified when the turn goes to another job; its lock guards the group.
        equal: what progress counts.
    """

    def __init__(self, changed: threading.Condition, equal: Equal = "epochs") -> None:
        self.equal = equal
        self._changed = changed
        self._number = itertools.count()
        self._waits: dict[str, tuple[float, int]] = {}  # progress of each job, and when it worked last
        self._works, self._since = "", 0.0

    def take(self, id: str, progress: float, given_up: Callable[[], bool]) -> bool:
        """Wait until the job is the furthest behind; False if ``given_up`` comes first, and then it has left."""
        with self._changed:
            self._waits[id] = progress, next(self._number)
            self._pass_on()
            return self._wait(id, given_up)

    @property
    def over(self) -> bool:
        """The turn of the job that works has lasted long enough, and others wait for theirs."""
        return len(self._waits) > 1 and time.monotonic() - self._since > QUANTUM

    def give_way(self, id: str, progress: float, given_up: Callable[[], bool]) -> bool:
        """Let those work that are behind the job which works now, and wait; False where there are none."""
        with self._changed:
            self._waits[id] = progress, next(self._number)
            self._works = ""
            self._pass_on()
            if self._works == id:
                self._since = time.monotonic()
                return False
            self._wait(id, given_up)
            return True

    def leave(self, id: str) -> None:
        """Work no longer: the others do not wait for the job."""
        with self._changed:
            self._waits.pop(id, None)
            if self._works == id:
                self._works = ""
                self._pass_on()

    def _wait(self, id: str, given_up: Callable[[], bool]) -> bool:
        self._changed.wait_for(lambda: self._works == id or given_up())
        if given_up():
            self.leave(id)
            return False
        self._since = time.monotonic()
        return True

    def _pass_on(self) -> None:
        if not self._works and self._waits:
            self._works = min(self._waits, key=self._waits.__getitem__)
            self._changed.notify_all()

"""Requests to a running training: pause, resume, one step, stop, checkpoint.

The trainer looks here between mini-batches; whoever holds the same object (a page, a signal handler,
a test) asks here. Nothing else crosses between the threads.
"""

from __future__ import annotations

import threading
from typing import Literal

__all__ = ["Control"]


class Control:
    """A thread-safe set of requests. A fresh one runs freely."""

    def __init__(self, *, paused: bool = False) -> None:
        self._changed = threading.Condition()
        self._paused = paused
        self._grant: Literal["", "batch", "epoch"] = ""
        self._cancelled = False
        self._checkpoint = False

    def pause(self) -> None:
        """Hold still after the mini-batch under way."""
        with self._changed:
            self._paused, self._grant = True, ""
            self._changed.notify_all()

    def resume(self) -> None:
        """Go on freely."""
        with self._changed:
            self._paused, self._grant = False, ""
            self._changed.notify_all()

    def step(self, unit: Literal["batch", "epoch"] = "batch") -> None:
        """Do one mini-batch, or go on to the end of the epoch, then hold still."""
        with self._changed:
            self._paused, self._grant = True, unit
            self._changed.notify_all()

    def cancel(self) -> None:
        """Stop after the mini-batch under way; the run keeps what it has and can be resumed."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def request_checkpoint(self) -> None:
        """Write a checkpoint after the mini-batch under way, also while paused."""
        with self._changed:
            self._checkpoint = True
            self._changed.notify_all()

    @property
    def paused(self) -> bool:
        """Held still, with no step granted."""
        with self._changed:
            return self._paused and not self._grant

    @property
    def cancelled(self) -> bool:
        with self._changed:
            return self._cancelled

    def take_checkpoint(self) -> bool:
        """True once for each requested checkpoint (asked by the trainer)."""
        with self._changed:
            asked, self._checkpoint = self._checkpoint, False
            return asked

    def wait(self) -> None:
        """Block while held still; return at a grant, a resume, a cancel or a checkpoint request."""
        with self._changed:
            self._changed.wait_for(lambda: not self._paused or self._grant or self._cancelled or self._checkpoint)

    @property
    def stepping(self) -> Literal["", "batch", "epoch"]:
        """The granted step, "" when running freely or held still."""
        with self._changed:
            return self._grant

    def spent(self, unit: Literal["batch", "epoch"]) -> bool:
        """Use up a granted ``unit``; True where there was one (asked by the trainer)."""
        with self._changed:
            granted = self._grant == unit
            if granted:
                self._grant = ""
            return granted

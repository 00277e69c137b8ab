"""Requests to a running training: pause, resume, one step, stop, checkpoint, another value of an option.

The trainer reads the requests between mini-batches; a page, a signal handler or a test that has the same object makes
them. Nothing else crosses between the threads.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Literal, TypeAlias

__all__ = ["Control"]

Unit: TypeAlias = Literal["batch", "epoch"]


class Control:
    """A thread-safe set of requests. With a fresh one a training runs freely."""

    def __init__(self, *, paused: bool = False) -> None:
        self._changed = threading.Condition()
        self._paused = paused
        self._grant: Unit | Literal[""] = ""
        self._cancelled = False
        self._checkpoint = False
        self._values: dict[str, float] = {}

    def pause(self) -> None:
        """Wait after the present mini-batch."""
        self._set(_paused=True, _grant="")

    def resume(self) -> None:
        """Run freely again."""
        self._set(_paused=False, _grant="")

    def step(self, unit: Unit = "batch") -> None:
        """Take one mini-batch, or go to the end of the epoch, then wait."""
        self._set(_paused=True, _grant=unit)

    def cancel(self) -> None:
        """Stop after the present mini-batch; the run keeps what it has and can be resumed."""
        self._set(_cancelled=True)

    def request_checkpoint(self) -> None:
        """Write a checkpoint after the present mini-batch, also while paused."""
        self._set(_checkpoint=True)

    def change(self, values: Mapping[str, float]) -> None:
        """Give options other values (:func:`kernlab.methods.changes.may_change`) from the next mini-batch on."""
        with self._changed:
            self._values |= values
            self._changed.notify_all()

    def _set(self, **values: object) -> None:
        with self._changed:
            vars(self).update(values)
            self._changed.notify_all()

    @property
    def paused(self) -> bool:
        """The training waits, and no step is granted."""
        with self._changed:
            return self._paused and not self._grant

    @property
    def cancelled(self) -> bool:
        with self._changed:
            return self._cancelled

    def take_checkpoint(self) -> bool:
        """True once for each requested checkpoint; called by the trainer."""
        with self._changed:
            requested, self._checkpoint = self._checkpoint, False
            return requested

    def give_way(self, epoch: float) -> bool:
        """Let other trainings go first, where some share the machine in turns; True if it waited for that.

        Called by the trainer before every mini-batch.

        Args:
            epoch: passes over the data so far, in the present stretch.
        """
        return False

    @property
    def noted(self) -> bool:
        """Something is asked for that needs no step: a checkpoint, or another value of an option."""
        with self._changed:
            return self._checkpoint or bool(self._values)

    def take_values(self) -> dict[str, float]:
        """The requested values of options, each once; called by the trainer."""
        with self._changed:
            requested, self._values = self._values, {}
            return requested

    def wait(self) -> None:
        """Block while paused; return at a granted step, a resume, a cancel, and where something is :attr:`noted`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._paused or self._grant or self._cancelled or self.noted)

    def spent(self, unit: Unit) -> bool:
        """Use up a granted step of this unit; True where one was granted. Called by the trainer."""
        with self._changed:
            granted = self._grant == unit
            if granted:
                self._grant = ""
            return granted

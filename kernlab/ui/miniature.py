"""The picture on the Home page: a small kernel that is really being learned, once per server and shared."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from kernlab.spec import RunSpec
from kernlab.training.control import Control
from kernlab.training.events import Evaluated, Snapshot, Started
from kernlab.training.trainer import train

__all__ = ["SPEC", "Instant", "Miniature"]

SPEC = RunSpec.of("ASKL", "checkerboard", n_features=200, epochs=20, batch_size=64)


class Instant(NamedTuple):
    """One moment: epoch, test accuracy in percent, and the snapshot's arrays."""

    epoch: float
    accuracy: float
    arrays: Mapping[str, Any]


class Miniature:
    """Trains :data:`SPEC` in a thread of its own and keeps its moments in memory; nothing is stored.

    Attributes:
        frames: the moments so far.
        facts, static: as in Started; empty before.
    """

    def __init__(self) -> None:
        self.frames: list[Instant] = []
        self.facts: Mapping[str, Any] = {}
        self.static: Mapping[str, Any] = {}
        self._control = Control()
        self._thread = threading.Thread(target=self._learn, name="miniature", daemon=True)
        self._thread.start()
        atexit.register(self.stop)  # torch must not be in the middle of a step when the process ends

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def stop(self) -> None:
        """Stop learning, if it still goes on."""
        self._control.cancel()
        self._thread.join(5)

    def _learn(self) -> None:
        accuracy = 0.0
        for event in train(SPEC, control=self._control):
            if isinstance(event, Started):
                self.static, self.facts = event.arrays, event.facts
            elif isinstance(event, Evaluated):
                accuracy = event.metrics["test_metric"]
            elif isinstance(event, Snapshot):
                self.frames.append(Instant(event.epoch, accuracy, event.arrays))

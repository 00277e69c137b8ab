"""Predictions of a class: a room is a short code, kept in memory for some hours, with limits and nothing personal.

code, key = ROOMS.open()                    the lecturer's; the key alone may reset
ROOMS.predict(code, lesson, who, guess)     who: a random text of a browser's tab, so that a second prediction
ROOMS.tally(code, lesson)                        replaces the first
ROOMS.reset(code, lesson, key)
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernlab.errors import StoreError
from kernlab.lessons.base import POINTS
from kernlab.lessons.judging import read_guess
from kernlab.lessons.lesson import Lesson

__all__ = ["BINS", "ROOMS", "Rooms"]

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: no words come of it, and nothing looks like a digit
HOURS = 6  # without a question until a room is closed
MOST_ROOMS = 50
MOST_PREDICTIONS = 3000  # of a room, over all its lessons
BINS = 12  # of a histogram of numbers
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


@dataclass
class _Room:
    key: str
    used: float
    predictions: dict[str, dict[str, str]] = field(default_factory=dict)  # lesson to who to guess


class Rooms:
    """All rooms of this server.

    Args:
        clock: seconds, for tests.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._rooms: dict[str, _Room] = {}

    def open(self) -> tuple[str, str]:
        """Open a room; its code, for everybody, and its key, for the lecturer.

        Raises:
            StoreError: there are too many.
        """
        with self._lock:
            self._forget()
            if len(self._rooms) >= MOST_ROOMS:
                raise StoreError(f"a server must have at most {MOST_ROOMS} open rooms", len(self._rooms),
                                 f"wait: a room closes {HOURS} hours after its last use")  # fmt: skip
            code = next(code for code in iter(self._code, "") if code not in self._rooms)
            key = secrets.token_urlsafe(9)
            self._rooms[code] = _Room(key, self._clock())
            return code, key

    @staticmethod
    def _code() -> str:
        return "".join(secrets.choice(LETTERS) for _ in range(5))

    def _forget(self) -> None:
        now = self._clock()
        self._rooms = {code: room for code, room in self._rooms.items() if now - room.used < 3600 * HOURS}

    def _of(self, code: str) -> _Room:
        room = self._rooms.get(code)
        if room is None or self._clock() - room.used >= 3600 * HOURS:
            raise StoreError("a room must be open", code[:12], "ask the lecturer for the code, or open a new room")
        room.used = self._clock()
        return room

    def check(self, code: str) -> None:
        """Raise StoreError unless that room is open."""
        with self._lock:
            self._of(code)

    def predict(self, code: str, lesson: Lesson, who: str, guess: str) -> None:
        """Keep a prediction, in the place of an earlier one from the same tab.

        Raises:
            KernlabError: no such room, no prediction of this lesson, or too many.
        """
        read_guess(lesson, guess)
        with self._lock:
            room = self._of(code)
            own = room.predictions.setdefault(lesson.key, {})
            if who not in own and sum(map(len, room.predictions.values())) >= MOST_PREDICTIONS:
                raise StoreError(f"a room must have at most {MOST_PREDICTIONS} predictions", "", "reset a lesson")
            own[who] = guess

    def reset(self, code: str, lesson: str, key: str) -> None:
        """Forget all predictions of a lesson.

        Raises:
            StoreError: no such room, or a key that is not the room's.
        """
        with self._lock:
            room = self._of(code)
            if not hmac.compare_digest(room.key.encode(), key.encode()):
                raise StoreError("the key must be that of the room", "", "use the lecturer's address")
            room.predictions.pop(lesson, None)

    def tally(self, code: str, lesson: Lesson) -> dict[str, Any]:
        """How many predicted what: ``count``, and ``counts`` by choice or by bin, or ``bands`` of curves.

        Bins divide the slider's length evenly; bands are quantiles in the units of an address, one row a quantile.
        """
        with self._lock:
            guesses = list(self._of(code).predictions.get(lesson.key, {}).values())
        asks = lesson.prediction
        found: dict[str, Any] = {"count": len(guesses)}
        if asks.kind == "choice":
            return found | {"counts": [guesses.count(each.key) for each in asks.choices]}
        if asks.kind == "number":
            values = np.array([float(each) for each in guesses])
            ends = np.array([asks.low, asks.high])
            if asks.scale == "log":
                values, ends = np.log(values), np.log(ends)
            return found | {"counts": np.histogram(values, BINS, (ends[0], ends[1]))[0].tolist()}
        levels = np.array([[int(level) for level in each.split(".")] for each in guesses]).reshape(-1, POINTS)
        return found | {"bands": np.quantile(levels, _QUANTILES, axis=0).round(1).tolist() if guesses else []}


#: The rooms of this process.
ROOMS = Rooms()

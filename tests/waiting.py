"""How long tests wait: until something is true, never for the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds that anything may take. A test that passes never waits for them; a machine with other work needs some.
PATIENCE = 300


def until(true: Callable[[], object], pause: float = 0.01) -> None:
    """Wait until the condition is true; look every ``pause`` seconds."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "the condition never became true"
        time.sleep(pause)

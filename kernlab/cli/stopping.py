"""Ctrl-C: the first one lets the work under way end, the second one ends the process at once."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kernlab.cli.printing import note

if TYPE_CHECKING:
    from kernlab.training.control import Control

__all__ = ["stoppable"]


@contextmanager
def stoppable(control: Control, first: str = "", second: str = "") -> Iterator[None]:
    """The first Ctrl-C (or SIGTERM) cancels ``control``, a second one ends the process with code 130.

    A thread receives both at once. A handler alone would receive them when the main thread returns to Python, which
    may take minutes while that thread factorises a matrix.

    Args:
        control: of the work.
        first, second: sentences for standard error.
    """
    from kernlab import processes

    numbers = (signal.SIGINT, signal.SIGTERM)
    inbox, outbox = socket.socketpair()
    outbox.setblocking(False)
    received = 0

    def unwind(number: int, _: object) -> None:
        nonlocal received
        received += 1
        if received > 1:
            raise KeyboardInterrupt

    def listen() -> None:
        while data := inbox.recv(1):
            if data[0] not in numbers:
                continue
            if control.cancelled:
                if second:
                    note(second)
                processes.drop()
                time.sleep(0.5)  # for the main thread to unwind
                os._exit(130)
            control.cancel()
            if first:
                note(first)

    listener = threading.Thread(target=listen, name="stop", daemon=True)
    listener.start()
    before = {number: signal.signal(number, unwind) for number in numbers}
    outlet = signal.set_wakeup_fd(outbox.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(outlet)
        for number, handler in before.items():
            signal.signal(number, handler)
        outbox.close()
        listener.join(1)
        inbox.close()

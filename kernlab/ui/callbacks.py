"""Runs of the script take turns, so that no change of a person is lost however quickly the next one follows.

Streamlit starts the next run of a session's script while the one before still ends. Both change what the session
keeps, each under a lock of its own, and the one before may be interrupted within the callback of a widget, which is
not called again. Either way a change can be lost: the callback never comes, or the widget goes back to what it was.

Importing this module makes one lock of the two. A run applies the browser's changes and calls their callbacks without
interruption, unless a later run has done so; after that an earlier one puts nothing away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState

__all__: list[str] = []

_new, _apply, _finish = (
    SafeSessionState.__init__,
    SafeSessionState.on_script_will_rerun,
    SafeSessionState.on_script_finished,
)


class _Turns:
    """Of one session: its lock, how many runs of the script have joined, and which was the last to change it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.joined = self.last = 0


_turns: WeakValueDictionary[int, _Turns] = WeakValueDictionary()  # by the id of what a session keeps


def _join(run: SafeSessionState) -> dict[str, Any]:
    """Give a run its session's lock and its turn, and return what it has."""
    mine = run.__dict__
    if "_turn" not in mine:
        turns = _turns.setdefault(id(mine["_state"]), _Turns())
        turns.joined += 1
        mine.update(_lock=turns.lock, _turns=turns, _turn=turns.joined)
    return mine


def _takes(mine: dict[str, Any]) -> bool:
    """Whether no later run has changed the session. From now on no earlier one does."""
    turns = mine["_turns"]
    turns.last = max(turns.last, mine["_turn"])
    return bool(turns.last == mine["_turn"])


def _made(run: SafeSessionState, state: SessionState, yield_callback: Callable[[], None]) -> None:
    """A run begins."""
    _new(run, state, yield_callback)
    _join(run)


def _changed(run: SafeSessionState, *changes: Any, **rest: Any) -> None:
    """Apply the changes of the browser and call the callbacks of what has changed."""
    mine = _join(run)  # it may have begun before this module was imported
    interrupt = mine["_yield_callback"]
    with mine["_lock"]:
        if not _takes(mine):
            interrupt()  # the later run has the newer values of all widgets
            return
        mine["_yield_callback"] = _go_on
        try:
            _apply(run, *changes, **rest)
        finally:
            mine["_yield_callback"] = interrupt


def _finished(run: SafeSessionState, *widgets: Any, **rest: Any) -> None:
    """Put away what the run has used up, such as presses, and widgets that it has not drawn."""
    mine = _join(run)
    with mine["_lock"]:
        if _takes(mine):
            _finish(run, *widgets, **rest)


def _go_on() -> None:
    """Nothing interrupts."""


for _name, _function in {"__init__": _made, "on_script_will_rerun": _changed, "on_script_finished": _finished}.items():
    setattr(SafeSessionState, _name, _function)

"""Runs of the script take turns, so that no change of a person is lost however quickly the next one follows.

Streamlit starts the next run of a session's script while the one before still ends. Both change what the session
keeps, each under a lock of its own, and the one before may be interrupted within the callback of a widget, which is
not called again. Either way a change can be lost: the callback never comes, or the widget goes back to what it was.
A run that was asked for and has not begun is dropped when the next run of the whole script is asked for. Of most
widgets the browser sends the value again then, but not the press of a button.

The address has the same weakness: each run begins by writing the one that the browser had when it asked over the
session's. A run whose thread comes late, after the next one has begun, puts an old address in its place, and the next
one takes that for an address that somebody has entered.

Importing this module makes one lock of the two. A run applies the browser's changes and calls their callbacks without
interruption, unless a later run has done so; after that an earlier one changes nothing and puts nothing away. The
presses of a run that is dropped go to the run that takes its place, and its address goes nowhere. What else must not
be done by halves stands in :func:`whole`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from weakref import WeakValueDictionary

from streamlit import get_option
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState

__all__ = ["whole"]

_new, _apply, _finish, _address = (
    SafeSessionState.__init__,
    SafeSessionState.on_script_will_rerun,
    SafeSessionState.on_script_finished,
    SafeSessionState.query_params,
)
_ask = AppSession.request_rerun


class _Turns:
    """Of one session: its lock, how many runs of the script have joined, and which was the last to change it.

    Attributes:
        first: the first run that may still change it; those before are dropped.
        pressed: what the browser says of each button that was pressed, until a run has applied it.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.joined = self.last = self.first = 0
        self.pressed: dict[str, WidgetState] = {}


_turns: WeakValueDictionary[int, _Turns] = WeakValueDictionary()  # by the id of what a session keeps
_deciding = threading.Lock()  # whether a run takes up its presses, or the next one does


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


def _changed(run: SafeSessionState, states: Any, **rest: Any) -> None:
    """Apply the changes of the browser and call the callbacks of what has changed."""
    mine = _join(run)  # it may have begun before this module was imported
    turns = mine["_turns"]
    with mine["_lock"]:
        with _deciding:
            takes = mine["_turn"] >= turns.first and _takes(mine)
            for each in states.widgets if takes and states else ():
                turns.pressed.pop(each.id, None)
        if not takes:
            mine["_yield_callback"]()  # the later run has the newer values of all widgets, and the presses
            return
        with _uninterrupted(run):
            _apply(run, states, **rest)


@contextmanager
def _uninterrupted(run: SafeSessionState) -> Iterator[None]:
    mine = run.__dict__
    interrupt, mine["_yield_callback"] = mine["_yield_callback"], _go_on
    try:
        yield
    finally:
        mine["_yield_callback"] = interrupt


@contextmanager
def whole() -> Iterator[None]:
    """Let no later run of the script interrupt what this one does with the session here, nor begin meanwhile.

    A run that is to end ends before it.
    """
    context = get_script_run_ctx()
    if context is None:
        yield
        return
    mine = _join(context.session_state)
    with mine["_lock"]:
        mine["_yield_callback"]()
        with _uninterrupted(context.session_state):
            yield


def _in_turn(method: Callable[..., Any]) -> Callable[..., Any]:
    """``method`` of a run: where it would end because of a later run, that one has not changed anything yet."""

    @wraps(method)
    def in_turn(run: SafeSessionState, *arguments: Any, **rest: Any) -> Any:
        with _join(run)["_lock"]:
            return method(run, *arguments, **rest)

    return in_turn


@contextmanager
def _addressed(run: SafeSessionState) -> Iterator[QueryParams]:
    """The session's address; of a run that begins after it has been dropped, one that nobody reads."""
    mine = _join(run)
    with mine["_lock"], _address(run) as address:
        dropped = mine["_turn"] < mine["_turns"].first and mine["_yield_callback"] is not _go_on
        yield QueryParams() if dropped else address


def _finished(run: SafeSessionState, *widgets: Any, **rest: Any) -> None:
    """Put away what the run has used up, such as presses, and widgets that it has not drawn."""
    mine = _join(run)
    with mine["_lock"]:
        if _takes(mine):
            _finish(run, *widgets, **rest)


def _go_on() -> None:
    """Nothing interrupts."""


def _asked(session: AppSession, browser: ClientState | None) -> None:
    """Ask for a run of the whole script, or of a fragment that is still on the page."""
    turns = _turns.setdefault(id(session.session_state), _Turns())  # alive until the run that is asked for has joined
    if browser and (not browser.fragment_id or session.has_fragment(browser.fragment_id)):
        pressed = {each.id: each for each in browser.widget_states.widgets if _is_press(each)}
        with _deciding:
            if not browser.fragment_id and get_option("runner.fastReruns"):  # those before are dropped
                turns.first = turns.joined + 1
                browser.widget_states.widgets.extend(each for id, each in turns.pressed.items() if id not in pressed)
            turns.pressed |= pressed
    _ask(session, browser)


def _is_press(state: WidgetState) -> bool:
    kind = state.WhichOneof("value") or ""
    return kind.endswith("trigger_value") and bool(getattr(state, kind))


_READS_OR_WRITES = ("__getitem__", "__setitem__", "__delitem__", "__contains__", "register_widget", "reset_state_value")
_INSTEAD = {
    "__init__": _made,
    "on_script_will_rerun": _changed,
    "on_script_finished": _finished,
    "query_params": _addressed,
    **{name: _in_turn(getattr(SafeSessionState, name)) for name in _READS_OR_WRITES},
}
for _name, _function in _INSTEAD.items():
    setattr(SafeSessionState, _name, _function)
setattr(AppSession, "request_rerun", _asked)  # noqa: B010  (mypy takes no assignment to a method)

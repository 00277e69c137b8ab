"""Callbacks end what they began, however quickly a person's next change follows.

Streamlit lets a new run of the script interrupt the one under way at every access to the session, also within the
callback of a widget. It does not call that callback again, so that the change is lost, and the widget goes back to what
it was. Importing this module makes the next run wait until the callbacks of this one have ended.
"""

from __future__ import annotations

from typing import Any

from streamlit.runtime.state.safe_session_state import SafeSessionState

__all__: list[str] = []

_applied = SafeSessionState.on_script_will_rerun


def _whole(session: SafeSessionState, *changes: Any, **rest: Any) -> None:
    """Apply the changes of the browser and call the callbacks of what has changed."""
    interrupt = session._yield_callback
    interrupt()  # before anything has been applied
    object.__setattr__(session, "_yield_callback", _go_on)
    try:
        _applied(session, *changes, **rest)
    finally:
        object.__setattr__(session, "_yield_callback", interrupt)


def _go_on() -> None:
    """Nothing interrupts."""


setattr(SafeSessionState, "on_script_will_rerun", _whole)  # noqa: B010  (its type has the session twice)

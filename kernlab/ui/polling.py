"""A part of a page that is drawn anew every second or so while something happens, and rests otherwise.

Only this part is ever drawn again. Streamlit sets a fragment's clock when the whole page runs, but a page that runs
anew because its clock must change races with that very clock: messages of one are then applied to what the other left,
and the tab draws nothing any more. So the clock is set by the two messages that Streamlit itself sends to the browser.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx

__all__ = ["EVERY", "poll"]

EVERY = 1.0  # seconds: every look costs a training on the same cores a little


def poll(draw: Callable[[], None], pace: Callable[[], float | None]) -> None:
    """Draw a part of the page, and draw it again as long as there is something to wait for.

    What a drawing puts on the page should have the same outermost elements at every time: those that are not needed
    yet are empty containers.

    Args:
        draw: puts the part on the page.
        pace: seconds until the next drawing; None: only when somebody touches a widget in it. It is asked before and
            after every drawing: what ends between the two may be drawn as it was, and is drawn once more.
    """

    def again() -> None:
        before = pace()
        draw()
        _set_clock(pace() or before)

    st.fragment(again, run_every=pace())()


def _set_clock(every: float | None) -> None:
    """Tell the browser the pace of the fragment that runs alone now; setting the pace that it has changes nothing."""
    context = get_script_run_ctx()
    fragments = context.fragment_ids_this_run if context else None
    if not context or not fragments:  # the whole page runs, and st.fragment has set the clock
        return
    message = ForwardMsg()
    if every is None:
        message.stop_auto_rerun.fragment_ids.extend(fragments)
    else:
        message.auto_rerun.fragment_id, message.auto_rerun.interval = fragments[0], every
    context.enqueue(message)

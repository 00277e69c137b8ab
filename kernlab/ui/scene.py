"""The scene lives in the address: what is on the page can be copied to another browser.

One canonical link holds only what differs from the defaults. Two directions, never at once:

    address → widgets   when the address is one this session did not write: a link, a reload, "back"
    widgets → address   after every other run of the page

so the address never fights with the widget somebody is just using.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

__all__ = ["arrived", "link", "remembered", "share", "write"]

_LIMIT = 64  # parameters, and
_LENGTH = 400  # letters in one of them: more than any scene of ours has


def arrived(page: str) -> dict[str, str] | None:
    """The scene that came with the address, or None if this session wrote the address itself.

    On the first visit of a page whose address says nothing, the scene that was left there last.
    """
    address = {k: v[:_LENGTH] for k, v in list(st.query_params.to_dict().items())[:_LIMIT]}
    state = st.session_state
    moved = state.get("scene.page") != page
    state["scene.page"] = page
    if moved and not address:
        return dict(state.get(f"scene.{page}", {}))
    if moved or address != state.get(f"scene.{page}"):
        state[f"scene.{page}"] = address  # taken: a control that interrupts this run of the script keeps what it says
        return address
    return None


def remembered(page: str) -> dict[str, str]:
    """The scene last written for ``page`` in this session."""
    return dict(st.session_state.get(f"scene.{page}", {}))


def write(page: str, scene: Mapping[str, str]) -> None:
    """Put the scene into the address."""
    scene = {k: str(v)[:_LENGTH] for k, v in scene.items() if v != ""}
    st.session_state[f"scene.{page}"] = scene
    if st.query_params.to_dict() != scene:
        st.query_params.from_dict(scene)


def link(scene: Mapping[str, str]) -> str:
    """The full address that restores the scene."""
    here = str(st.context.url or "").split("?")[0]
    return f"{here}?{urlencode(scene)}" if scene else here


def share(scene: Mapping[str, str]) -> None:
    """A button that shows the link with a copy sign beside it."""
    with st.popover("Share", icon=":material/link:", help="A link that restores this page in any browser"):
        st.code(link(scene), language=None, wrap_lines=True)

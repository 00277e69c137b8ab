"""What the switches beside the pictures say: kept for the session, said in the address, shared by the pages.

A page that shows a run at a moment finds the moment, the direction and the axes as the last page left them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from kernlab.pictures.base import VIEW as pictures
from kernlab.ui.forms import to_text

__all__ = ["VIEW", "change", "fill", "held", "now", "scene"]

#: What the address may say about the view; leaving it out means this.
DEFAULTS: dict[str, Any] = {
    "view": "overview",  # the tab of the Train page
    **pictures,
    "whatif": "",  # sliders of a bound that were moved: "n=1000,delta=0.01"
}

#: The address's words for the view.
VIEW = tuple(DEFAULTS)

_LONGEST = 300  # letters of a selection that go into an address


def now() -> dict[str, Any]:
    """The view as it stands. Widgets that are not drawn lose their value, so it is kept here and given to them.

    A widget that has just been used says its value before it is drawn again: what stands above it knows it too.
    """
    kept: dict[str, Any] = st.session_state.setdefault("view", dict(DEFAULTS))
    used = {name: st.session_state.get(f"view.{name}") for name in kept}
    kept.update({name: value for name, value in used.items() if value is not None})
    return kept


def held(name: str) -> str:
    """The key of the widget for ``name``; a widget that was not there starts at what the view says."""
    key = f"view.{name}"
    if key not in st.session_state:
        st.session_state[key] = now()[name]
    return key


def change(**values: Any) -> None:
    """Change the view, and the widgets with it."""
    for name, value in values.items():
        now()[name] = value
        st.session_state.pop(f"view.{name}", None)


def fill(scene: Mapping[str, str]) -> None:
    """Take the view from an address; what makes no sense there means the default."""
    change(**{name: _read(scene.get(name), default) for name, default in DEFAULTS.items()})


def _read(text: str | None, default: Any) -> Any:
    if text is None or isinstance(default, str):
        return default if text is None else text
    if isinstance(default, bool):
        return text == "true" if text in ("true", "false") else default
    try:
        number = min(max(float(text), 0.0), 1e9)
    except ValueError:
        return default
    return default if number != number else number if default is None else int(number)


def scene() -> dict[str, str]:
    """What the address has to say about the view."""
    changed = {name: to_text(value) for name, value in now().items() if value != DEFAULTS[name]}
    return {name: text for name, text in changed.items() if len(text) <= _LONGEST}

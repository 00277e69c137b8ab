"""The view of a run: what the pages that show one have in common, declared once."""

from __future__ import annotations

from functools import partial

import streamlit as st

from kernlab.pictures.approximation import MEASURES
from kernlab.pictures.base import VIEW as SWITCHES
from kernlab.pictures.gallery import read_switch
from kernlab.pictures.spectrum import ORDERS
from kernlab.ui.state import Value, Values, name

__all__ = ["TABS", "VIEW", "show_moment"]

#: The parts of the Train page, by their names in the address.
TABS = {"overview": "Overview", "spectrum": "Spectrum", "kernel": "Kernel", "bounds": "Bounds",
        "certainty": "Certainty"}  # fmt: skip

_LONGEST = 300  # characters of a selection that go into an address
_NAMES = {"measure": MEASURES, "order": ORDERS}  # of these switches every run offers the same values, or fewer


def _switch(key: str, default: object) -> Value:
    known = _NAMES.get(key)
    if known is not None:
        return name(key, default, lambda: known)
    return Value(key, default, partial(read_switch, key), _LONGEST)


#: The switches beside the pictures, the tab of the Train page, and the sliders of a bound: "n=1000,delta=0.01".
VIEW = Values(
    "view",
    name("view", "overview", lambda: TABS),
    *(_switch(key, default) for key, default in SWITCHES.items()),
    Value("whatif", longest=_LONGEST),
)


def show_moment(at: float | None) -> None:
    """Let the clock of the page stand at an epoch; None: follow the newest moment."""
    VIEW.change(at=at)
    st.session_state["view.decided"] = st.session_state.get("view.decided", 0) + 1

"""The heading of a page, with what can be done with the whole page at its right."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

__all__ = ["heading"]


def heading(title: str) -> DeltaGenerator:
    """The row with the heading of a page; use it in a ``with`` statement to put buttons beside the heading.

    On a phone the row does not wrap, and its buttons have a sign instead of words (:mod:`kernlab.ui.pages`).
    """
    row = st.container(horizontal=True, vertical_alignment="center", key="page-title")
    row.title(title, anchor=False)
    return row

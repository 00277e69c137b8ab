"""From one page to another."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from kernlab.paths import bundle

__all__ = ["go", "link"]


def go(page: str, **scene: str) -> NoReturn:
    """Leave for a page, with the scene it should show."""
    st.switch_page(bundle() / "pages" / f"{page}.py", query_params=scene)


def link(page: str, label: str, icon: str, **scene: str) -> None:
    """A link to a page."""
    st.page_link(bundle() / "pages" / f"{page}.py", label=label, icon=icon, query_params=scene or None)

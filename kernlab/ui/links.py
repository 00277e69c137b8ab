"""From one page to another."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from kernlab.paths import bundle

__all__ = ["go", "link"]


def go(page: str, **address: str) -> NoReturn:
    """Leave for a page, with the parameters of its address."""
    st.switch_page(bundle() / "pages" / f"{page}.py", query_params=address)


def link(page: str, label: str, icon: str, **address: str) -> None:
    """A link to a page, with the parameters of its address."""
    st.page_link(bundle() / "pages" / f"{page}.py", label=label, icon=icon, query_params=address or None)

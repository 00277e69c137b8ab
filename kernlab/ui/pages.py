"""The pages and the frame around them. A new page is one file in pages/ and one line here."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import streamlit as st

from kernlab.paths import bundle
from kernlab.ui.forms import sentences

__all__ = ["PAGES", "Page", "show"]


class Page(NamedTuple):
    """One page: pages/``name``.py at the address ``/name`` (the first one at ``/``)."""

    name: str
    title: str
    icon: str


PAGES = (
    Page("home", "Home", ":material/home:"),
    Page("train", "Train", ":material/play_circle:"),
    Page("compare", "Compare", ":material/leaderboard:"),
    Page("spectrum", "Spectrum", ":material/graphic_eq:"),
    Page("kernel", "Kernel", ":material/grid_on:"),
    Page("bounds", "Bounds", ":material/vertical_align_top:"),
    Page("runs", "Runs", ":material/database:"),
    Page("papers", "Papers", ":material/menu_book:"),
)


#: Streamlit leaves wide margins at the sides, and pictures need the room more. It gives formulas a box that is a few
#: pixels too small, which cuts letters and makes a place to scroll that no key can reach. In the dark the chosen part
#: of a control is too dark to read.
_STYLE = """
.stMainBlockContainer { padding-left: 2rem; padding-right: 2rem; }
.katex-display { padding: 0.3rem 0.25rem; }
button[data-variant="segmented_control"][data-selected="true"] p, button[data-variant="pills"][data-selected="true"] p {
  color: light-dark(#0B5FA5, #6BB3EE); }
"""


@sentences()
def show(first: str = PAGES[0].name) -> None:
    """The frame with the page that the address asks for; without one, the page ``first``."""
    st.set_page_config(page_title="kernlab", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
    st.html(f"<style>{_STYLE}</style>")
    folder = bundle() / "pages"
    entries = [
        st.Page(folder / f"{name}.py", title=title, icon=icon, url_path=name, default=name == first)
        for name, title, icon in PAGES
    ]
    from kernlab.ui import assets  # which knows the pages

    assets.load_pictures()
    from kernlab.ui import jobs  # its code is served by kernlab.ui.assets

    page = st.navigation(entries, position="top")
    jobs.head()
    page.run()

"""Runs for every page address: the frame and the navigation."""

from pathlib import Path

import streamlit as st

from kernlab.paths import bundle
from kernlab.ui.pages import PAGES

st.set_page_config(page_title="kernlab", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
# Streamlit leaves wide margins at the sides; pictures need the room more.
st.html("<style>.stMainBlockContainer { padding-left: 2rem; padding-right: 2rem; }</style>")
folder = bundle() / "pages"
pages = [
    st.Page(folder / f"{page.name}.py", title=page.title, icon=page.icon, url_path=page.name, default=page is PAGES[0])
    for page in PAGES
]
st.navigation(pages, position="top").run()

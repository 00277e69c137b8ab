"""Papers: what was published, ours beside it, and the errors that were found on the way."""

import streamlit as st

from kernlab.papers import TABLES
from kernlab.ui import papers, papers_results
from kernlab.ui.forms import sentences
from kernlab.ui.heading import heading

papers.arrive()
with heading("Papers"):
    top = st.container(horizontal=True, width="content")
papers.ADDRESS.show_trouble()
result, work, command = papers.choose(), None, ""


@sentences()
def ours() -> None:
    """Ours beside the printed."""
    if work:
        papers_results.show(result, work)


with sentences():
    if papers.OPEN["view"] == "errors":
        papers.show_errors()
    else:
        papers_results.show_printed(result)
        st.subheader("Reproduce", anchor=False)
        work = papers_results.form(result)
        if result in TABLES:
            papers_results.open_stored(work)
        command = papers_results.command(result, work) if work else ""
        st.fragment(ours)()
papers.write()
with top:
    if command:
        with st.popover("Copy as command", icon=":material/terminal:"):
            st.code(command, language="bash", wrap_lines=True)
    papers.ADDRESS.share()

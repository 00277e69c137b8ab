"""Papers: what was published, ours beside it, and the errors that were found on the way."""

import streamlit as st

from kernlab.bench.tables import TABLES
from kernlab.compare.job import manager
from kernlab.ui import papers, papers_tables, scene
from kernlab.ui.forms import sentences

jobs = manager()

if (came := scene.arrived("papers")) is not None:
    papers.fill(came)

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Papers", anchor=False)
    top = st.container(horizontal=True, width="content")
reading = papers.choose()


@sentences()
def table() -> None:
    """Ours beside the printed: one fragment, polling only while there is something to wait for."""
    papers_tables.results(reading.result, jobs, comparison)
    if every != papers_tables.interval(jobs):
        st.rerun()


with sentences():
    if reading.view == "errors":
        papers.show_errors(reading.paper)
    elif reading.result in TABLES:
        papers_tables.printed_table(reading.result)
        st.subheader("Reproduce", anchor=False)
        comparison = papers_tables.form(reading.result)
        papers_tables.open_stored(jobs, comparison)
        every = papers_tables.interval(jobs)
        if comparison:
            st.fragment(table, run_every=every)()
scene.write("papers", papers.written(reading))
with top:
    if reading.view == "results" and reading.result in TABLES:
        with st.popover("Copy as command", icon=":material/terminal:"):
            st.code(papers_tables.command(reading.result), language="bash", wrap_lines=True)
    scene.share(scene.remembered("papers"))

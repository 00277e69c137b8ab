"""Papers: what was published, ours beside it, and the errors that were found on the way."""

import streamlit as st

from kernlab.papers import TABLES
from kernlab.ui import papers, papers_results, polling, scene
from kernlab.ui.forms import sentences

if (came := scene.arrived("papers")) is not None:
    papers.fill(came)

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Papers", anchor=False)
    top = st.container(horizontal=True, width="content")
reading = papers.choose()
work, command = None, ""


@sentences()
def ours() -> None:
    """Ours beside the printed."""
    if work:
        papers_results.show(reading.result, work)


with sentences():
    if reading.view == "errors":
        papers.show_errors(reading.paper)
    else:
        papers_results.show_printed(reading.result)
        st.subheader("Reproduce", anchor=False)
        work = papers_results.form(reading.result)
        if reading.result in TABLES:
            papers_results.open_stored(work)
        command = papers_results.command(reading.result, work) if work else ""
        polling.poll(ours, lambda: papers_results.pace(work))
scene.write("papers", papers.written(reading))
with top:
    if command:
        with st.popover("Copy as command", icon=":material/terminal:"):
            st.code(command, language="bash", wrap_lines=True)
    scene.share(scene.remembered("papers"))

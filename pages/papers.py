"""Papers: what was published, ours beside it, and the errors that were found on the way."""

import streamlit as st

from kernlab.bench.tables import TABLES
from kernlab.compare.job import manager
from kernlab.ui import papers, papers_runs, papers_tables, polling, scene, steering
from kernlab.ui.forms import sentences

jobs = manager()

if (came := scene.arrived("papers")) is not None:
    papers.fill(came)

with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Papers", anchor=False)
    top = st.container(horizontal=True, width="content")
reading = papers.choose()


@sentences()
def ours() -> None:
    """Ours beside the printed."""
    if comparison:
        papers_tables.results(reading.result, jobs, comparison)
    elif asked:
        papers_runs.show(asked)


def pace() -> float | None:
    """Seconds between two looks; none when nothing moves."""
    return steering.pace(jobs) if comparison else papers_runs.pace(asked)


comparison = asked = None
command = ""
with sentences():
    if reading.view == "errors":
        papers.show_errors(reading.paper)
    else:
        table = reading.result in TABLES
        (papers_tables.printed_table if table else papers_runs.printed)(reading.result)
        st.subheader("Reproduce", anchor=False)
        if table:
            comparison = papers_tables.form(reading.result)
            papers_tables.open_stored(jobs, comparison)
        else:
            asked = papers_runs.form(reading.result)
        command = papers_tables.command(reading.result) if comparison else papers_runs.command(asked) if asked else ""
        polling.poll(ours, pace)
scene.write("papers", papers.written(reading))
with top:
    if command:
        with st.popover("Copy as command", icon=":material/terminal:"):
            st.code(command, language="bash", wrap_lines=True)
    scene.share(scene.remembered("papers"))

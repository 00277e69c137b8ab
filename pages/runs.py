"""Runs: everything that was ever trained here."""

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.runs.jobs import manager
from kernlab.ui import table
from kernlab.ui.forms import show_error
from kernlab.ui.links import door
from kernlab.ui.transport import progress

state = st.session_state
st.title("Runs", anchor=False)

try:
    store = (jobs := manager()).store
    everything = store.list()
except KernlabError as error:
    show_error(error)
    st.stop()


def under_way() -> None:
    """The queue, live; the table below is drawn again when a run ends."""
    queue = jobs.queue()
    for job in queue:
        run = store.get(job.run_id)
        st.markdown(f"**[{run.name}](train?run={run.id})**")
        progress(job, None, run.facts.get("device", run.device))
    if {job.run_id for job in queue} != {job.run_id for job in before}:
        st.rerun()


if before := jobs.queue():
    st.fragment(under_way, run_every=1.0)()

if not everything and not store.list(deleted=True):
    st.info("Nothing has been trained here yet. A run of a few seconds is a good start:", icon=":material/waves:")
    door("train", "Open the Train page", ":material/play_circle:")

with st.container(horizontal=True, vertical_alignment="bottom"):
    text = st.text_input("Find", key="runs.text", placeholder="name, note, method, data set or id", width=320)
    methods = sorted({run.method for run in everything})
    method = st.selectbox("Method", methods, key="runs.method", index=None, placeholder="any", width=160)
    statuses = sorted({run.status for run in everything})
    status = st.selectbox("Status", statuses, key="runs.status", index=None, placeholder="any", width=160)
    starred = st.toggle("Starred", key="runs.starred")
    deleted = st.toggle("Deleted", key="runs.deleted")

table.actions(jobs, deleted=deleted)
runs = store.list(text=text or "", method=method, status=status, starred=True if starred else None, deleted=deleted)
if runs:
    table.show(store, runs)
elif everything:
    st.caption("No run is like that.")

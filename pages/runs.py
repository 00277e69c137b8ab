"""Runs: everything that was ever trained here."""

import streamlit as st

from kernlab.jobs import manager
from kernlab.ui import polling, scene, table
from kernlab.ui.forms import sentences, to_text
from kernlab.ui.links import link
from kernlab.ui.transport import progress
from kernlab.ui.watch import Watch

st.title("Runs", anchor=False)

store = (jobs := manager().trainings).store
everything = store.list()
for note in store.notes:
    st.info(note, icon=":material/info:")

if (came := scene.arrived("runs")) is not None:
    table.fill(came)


@sentences()
def under_way() -> None:
    """The queue, live; the table below is drawn again when a run ends."""
    queue = jobs.queue()
    for job in queue:
        st.markdown(f"**[{job.name}](train?run={job.id})**")
        progress(Watch(jobs, job.id))
    if {job.id for job in queue} != {job.id for job in before}:
        st.rerun()  # the table below has another row


if before := jobs.queue():
    polling.poll(under_way, lambda: polling.EVERY)

if not everything and not store.list(deleted=True):
    st.info("Nothing has been trained here yet. A run of a few seconds is a good start:", icon=":material/waves:")
    link("train", "Open the Train page", ":material/play_circle:")

wanted = table.filters(everything)
scene.write("runs", {key: to_text(value) for key, value in wanted.items() if value})
table.actions(jobs, deleted=wanted["deleted"])
if runs := store.list(**wanted | {"starred": wanted["starred"] or None}):
    table.show(store, runs)
elif everything:
    st.caption("No run is like that.")

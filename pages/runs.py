"""Runs: everything that was ever trained here."""

import streamlit as st

from kernlab.jobs import manager
from kernlab.ui import elements, table
from kernlab.ui.forms import sentences
from kernlab.ui.heading import heading
from kernlab.ui.links import link
from kernlab.ui.news import phase
from kernlab.ui.watch import Watch

heading("Runs")

store = (jobs := manager().trainings).store
everything = store.list()
for note in store.notes:
    st.info(note, icon=":material/info:")

table.ADDRESS.arrive()


# The line of each run asks for this page again when the run ends: the table below then has another row.
for job in jobs.queue():
    st.markdown(f"**[{job.name}](train?run={job.id})**")
    with sentences():
        (watch := Watch(jobs, job.id)).refresh()  # the phase that the browser is answered, too
        elements.progress(f"film/{job.id}", phase(watch), key=f"progress.{job.id}")

if not everything and not store.list(deleted=True):
    st.info("Nothing has been trained here yet. A run of a few seconds is a good start:", icon=":material/waves:")
    link("train", "Open the Train page", ":material/play_circle:")

table.filters(everything)
table.ADDRESS.write()
table.actions(jobs, deleted=table.FILTERS["deleted"])
if runs := store.list(**{**table.FILTERS, "starred": table.FILTERS["starred"] or None}):
    with st.container(key="present-picture"):
        table.show(store, runs)
elif everything:
    st.caption("No run fits these filters.")

"""Notes at moments of a run: pinned, edited and removed on the page, and a part of its address."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import streamlit as st

from kernlab.errors import KernlabError, StoreError, UnknownNameError
from kernlab.runs.notes import LONGEST, Note
from kernlab.ui.state import Values, number
from kernlab.ui.view import VIEW, show_moment
from kernlab.ui.watch import Watch

__all__ = ["NOTES", "arrive", "editor", "stand", "version"]

#: The note that the page stands on, by the step that it is pinned to.
NOTES = Values("notes", number("note", None, 0, 2**63 - 1))


def arrive(watch: Watch) -> None:
    """Go to the note that the address names.

    Raises:
        UnknownNameError: the run has no note there.
    """
    step = NOTES["note"]
    if step is None:
        return
    watch.refresh()
    found = {note.step: note for note in watch.notes}
    if step not in found:
        NOTES.change(note=None)
        raise UnknownNameError("a note must be one that the run has", step, "it may have been removed since")
    show_moment(found[step].epoch)


def stand(watch: Watch | None) -> None:
    """Let the address name the note at the moment that is shown, if one is pinned to it."""
    note = None
    if watch and VIEW["at"] is not None and len(watch.snapshots.steps):
        with suppress(StoreError):
            note = _at(watch, VIEW["at"])[2]
    NOTES.change(note=note and note.step)


def version(watch: Watch) -> str:
    """A text that changes with the notes of the run."""
    try:
        return repr(hash(watch.notes))
    except StoreError as error:
        return str(error)


def _at(watch: Watch, epoch: float | None) -> tuple[int, float, Note | None]:
    """Step and epoch of the snapshot that is shown at an epoch (None: the newest), and its note."""
    steps, epochs = watch.snapshots
    last = len(epochs) - 1
    place = last if epoch is None else max(0, int(np.searchsorted(epochs, epoch + 1e-9, "right")) - 1)
    step = int(steps[place])
    return step, float(epochs[place]), {note.step: note for note in watch.notes}.get(step)


def editor(watch: Watch) -> None:
    """The button under which a note is pinned to the moment that is shown, edited and removed."""
    if not len(watch.snapshots.steps):
        return
    at = VIEW["at"]
    with st.popover("Note", icon=":material/push_pin:", help="Pin a note to this moment of the run"):
        try:
            _, epoch, note = _at(watch, at)
        except StoreError as error:
            st.error(str(error), icon=":material/error:")
            return
        where = f"epoch {epoch:.2f}" if watch.unit == "epoch" else f"step {epoch:.0f}"
        where = "the newest moment" if at is None and watch.live else where
        key = f"note.{watch.id}.{at}.{note.text if note else ''}"
        with st.form(f"{key}.form", border=False):
            st.text_area(f"Note at {where}", note.text if note else "", key=key, max_chars=LONGEST, height=100,
                         placeholder="Here the rank falls")  # fmt: skip
            with st.container(horizontal=True):
                st.form_submit_button("Save" if note else "Pin", on_click=_pin, args=(watch, at, key), type="primary")
                if note:
                    st.form_submit_button("Remove", on_click=_pin, args=(watch, at, ""))
        if trouble := st.session_state.pop("notes.trouble", ""):
            st.error(trouble, icon=":material/error:")


def _pin(watch: Watch, at: float | None, key: str) -> None:
    """Pin the text of a widget, or remove the note where there is none; the page then stands on that moment."""
    text = str(st.session_state[key]) if key else ""
    try:
        if at is None:
            watch.refresh()
        step, epoch, note = _at(watch, at)
        if text.strip() or note:
            watch.store.pin(watch.id, step, epoch, text)
            if watch.state.status != "running":
                show_moment(epoch)
    except KernlabError as error:
        st.session_state["notes.trouble"] = str(error)

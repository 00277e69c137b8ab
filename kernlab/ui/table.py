"""The table of runs: names, notes and stars are edited in place, ticked rows are acted on."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.jobs.trainings import Trainings
from kernlab.numerals import number
from kernlab.runs.kept import kept
from kernlab.runs.store import Run, Store
from kernlab.solvers import ProximalGradient
from kernlab.ui.glossary import meaning
from kernlab.ui.links import go
from kernlab.ui.state import Address, Value, Values

__all__ = ["ADDRESS", "FILTERS", "actions", "filters", "result", "rows", "show"]

_ROWS = 20  # runs that are seen without scrolling in the table

#: Which runs are listed; the keys are also the arguments of ``Store.list``.
FILTERS = Values(
    "runs",
    Value("text"),
    *(Value(key, None, str) for key in ("method", "dataset", "status")),
    Value("starred", False),
    Value("deleted", False),
)
ADDRESS = Address("runs", FILTERS)


def filters(runs: Sequence[Run]) -> None:
    """The widgets above the table."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Find", FILTERS["text"], **FILTERS.widget("text"), width=320,
                      placeholder="name, note, method, data set or id")  # fmt: skip
        for key, label in (("method", "Method"), ("dataset", "Data set"), ("status", "Status")):
            chosen = FILTERS[key]
            known = sorted({getattr(run, key) for run in runs} | ({chosen} - {None}))
            st.selectbox(label, known, known.index(chosen) if chosen else None, **FILTERS.widget(key),
                         placeholder="any", width=170)  # fmt: skip
        for key in ("starred", "deleted"):
            st.toggle(key.capitalize(), FILTERS[key], **FILTERS.widget(key))


def rows(runs: Sequence[Run], ticked: set[str]) -> dict[str, list[Any]]:
    """The table's columns, one entry a run."""
    return {
        "ticked": [run.id in ticked for run in runs],
        "starred": [run.starred for run in runs],
        "name": [run.name for run in runs],
        "status": [run.status for run in runs],
        "result": [result(run) for run in runs],
        "method": [run.method for run in runs],
        "dataset": [run.dataset for run in runs],
        "epochs": [_epochs(run) for run in runs],
        "kept": [found.label.removeprefix("kept: ") if (found := kept(run.facts)) else "" for run in runs],
        "seconds": [run.seconds for run in runs],
        "created": [datetime.fromtimestamp(run.created, UTC) for run in runs],
        "seed": [run.seed for run in runs],
        "note": [run.note for run in runs],
    }


def _epochs(run: Run) -> float | None:
    """Passes over the training part; None where a solver sees all of it at every step."""
    solver = run.spec.get("method", {}).get("solver", {})
    return run.epoch if solver.get("kind", ProximalGradient.name) == ProximalGradient.name else None


def result(run: Run) -> str:
    """The test result of a finished run in its unit."""
    value = run.summary.get("test_metric")
    if value is None:
        return ""
    return f"{value:.2f} %" if run.summary.get("metric") == "accuracy" else f"RMSE {number(value, 4)}"


def show(store: Store, runs: Sequence[Run]) -> None:
    """The table. What is edited in it is stored at once."""
    state = st.session_state
    ticked: set[str] = state.setdefault("runs.ticked", set())
    ticked &= {run.id for run in runs}
    column = st.column_config
    # A new key after every edit: the editor remembers edits by row number, and rows move.
    key = f"runs.table.{state.setdefault('runs.edits', 0)}"
    st.data_editor(
        rows(runs, ticked),
        key=key,
        on_change=_store,
        args=(store, [run.id for run in runs], key),
        hide_index=True,
        height="content" if len(runs) <= _ROWS else 36 * (_ROWS + 1),
        placeholder="",
        disabled=["status", "result", "method", "dataset", "epochs", "kept", "seconds", "created", "seed"],
        column_config={
            "ticked": column.CheckboxColumn("✓", help="Tick to open, resume, export or delete", width=52),
            "starred": column.CheckboxColumn("★", width=52),
            "name": column.TextColumn("Name", help="Double-click to rename", required=True, width="large"),
            "status": "Status",
            "result": column.TextColumn("Test result", alignment="right"),
            "method": "Method",
            "dataset": "Data set",
            "epochs": column.NumberColumn("Epochs", format="%.1f", width=70, help=meaning("Epochs")),
            "kept": column.TextColumn("Kept", help="What rows that did not train chose, of the epochs tried"),
            "seconds": column.NumberColumn("Seconds", format="%.1f", width=80),
            "created": column.DatetimeColumn("Started", format="distance"),
            "seed": column.NumberColumn("Seed", width=60, help=meaning("Seed")),
            "note": column.TextColumn("Note", help="Double-click to write", width="medium"),
        },
    )
    st.caption(f"{len(runs)} run{'s' if len(runs) != 1 else ''}")
    for run in runs:
        if run.trouble:
            st.warning(str(run.trouble), icon=":material/broken_image:")


def _store(store: Store, ids: list[str], key: str) -> None:
    state = st.session_state
    for row, values in state[key]["edited_rows"].items():
        run_id = ids[int(row)]
        for name, value in values.items():
            _try(partial(_change, store, run_id, name, value))
    state["runs.edits"] += 1


def _change(store: Store, run_id: str, column: str, value: Any) -> None:
    if column == "ticked":
        ticked: set[str] = st.session_state["runs.ticked"]
        (ticked.add if value else ticked.discard)(run_id)
    elif column == "starred":
        store.star(run_id, bool(value))
    elif column == "name":
        store.rename(run_id, value or "")
    elif column == "note":
        store.annotate(run_id, value or "")


def _try(what: Callable[[], Any]) -> bool:
    try:
        what()
    except KernlabError as error:
        st.session_state.setdefault("runs.trouble", []).append(str(error))
        return False
    return True


def actions(jobs: Trainings, *, deleted: bool) -> None:
    """What can be done with the ticked runs, the undo of the last deletion, and the import."""
    state, store = st.session_state, jobs.store
    ticked = sorted(state.get("runs.ticked", set()))

    def each(what: Callable[[str], None], undo: str = "") -> None:
        done = [run_id for run_id in ticked if _try(partial(what, run_id))]
        state["runs.ticked"] -= set(done)
        if undo:
            state[undo] = done

    def bring_back() -> None:
        for run_id in state.pop("runs.undo", []):
            _try(partial(store.restore, run_id))

    with st.container(horizontal=True, vertical_alignment="center", key="run-actions"):
        if deleted:
            st.button("Restore", icon=":material/undo:", disabled=not ticked, on_click=each, args=(store.restore,))
            st.button("Remove for good", icon=":material/delete_forever:", disabled=not ticked, on_click=each,
                      args=(store.purge,))  # fmt: skip
        else:
            if st.button(
                "Open", icon=":material/open_in_browser:", disabled=len(ticked) != 1, help="Show the ticked run"
            ):
                go("train", run=ticked[0])
            st.button("Resume", icon=":material/resume:", disabled=not ticked, on_click=each, args=(jobs.resume_run,),
                      help="Let stopped, interrupted or failed runs go on")  # fmt: skip
            st.button("Delete", icon=":material/delete:", disabled=not ticked, on_click=each,
                      args=(store.delete, "runs.undo"))  # fmt: skip
            if gone := state.get("runs.undo"):
                st.button(f"Undo: bring back {len(gone)}", icon=":material/undo:", on_click=bring_back)
        if len(ticked) == 1 and not deleted:
            st.download_button("Export", data=lambda: _archive(store, ticked[0]), file_name=f"{ticked[0]}.kernlab.zip",
                               mime="application/zip", icon=":material/download:",
                               help="Everything of the ticked run in one file")  # fmt: skip
        else:
            st.button("Export", icon=":material/download:", disabled=True, help="Tick one run to export it")
        with st.popover("Import", icon=":material/upload:"):
            # A new key after every import, so that the same file is not imported again when the page runs next.
            key = f"runs.import.{state.setdefault('runs.imports', 0)}"
            st.file_uploader("A run that was exported here or elsewhere", type="zip", key=key, on_change=_import,
                             args=(store, key))  # fmt: skip
    for sentence in state.pop("runs.trouble", []):
        st.error(sentence, icon=":material/error:")
    if sentence := state.pop("runs.imported", ""):
        st.success(sentence, icon=":material/check_circle:")


def _archive(store: Store, run_id: str) -> bytes:
    archive = io.BytesIO()
    store.export(run_id, archive)
    return archive.getvalue()


def _import(store: Store, key: str) -> None:
    state = st.session_state
    if (file := state.get(key)) is None:
        return
    state["runs.imports"] += 1

    def import_file() -> None:
        run = store.get(store.import_(file))
        state["runs.imported"] = f"{run.name} was imported."

    _try(import_file)

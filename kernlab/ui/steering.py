"""Which comparison is on the page, how far it is, and the buttons that steer it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from kernlab.compare import Comparison
from kernlab.compare.records import StoredComparison, comparison_id
from kernlab.errors import KernlabError
from kernlab.jobs.comparisons import Comparisons, ComparisonState
from kernlab.ui import compare, elements
from kernlab.ui.news import comparison_phase
from kernlab.ui.transport import either

__all__ = ["earlier", "open_comparison", "opened", "progress", "snapshot_of", "transport"]

_SHOWN = 8  # earlier comparisons that are listed without being asked


def open_comparison(stored: StoredComparison | None) -> None:
    """Put a comparison on the page."""
    st.session_state["compare.opened"] = stored
    st.session_state.pop("compare.snapshot", None)


def opened() -> StoredComparison | None:
    """The comparison on the page."""
    stored: StoredComparison | None = st.session_state.get("compare.opened")
    return stored


def snapshot_of(jobs: Comparisons) -> ComparisonState | None:
    """How far the comparison on the page is. One that nobody computes is read once."""
    stored = opened()
    if stored is None:
        return None
    snapshot: ComparisonState | None = st.session_state.get("compare.snapshot")
    if snapshot is None or snapshot.live or stored.id in jobs.running():
        snapshot = st.session_state["compare.snapshot"] = jobs.snapshot(stored.id)
    return snapshot


def progress(snapshot: ComparisonState, stored: StoredComparison) -> None:
    """How far the comparison is; this part of the page runs again when something of it is finished."""
    elements.progress(f"comparison/{stored.id}", comparison_phase(snapshot), key="comparison-progress")


def transport(
    jobs: Comparisons,
    snapshot: ComparisonState | None,
    comparison: Comparison | None,
    *,
    start: str = "Start",
    help: str = "Compare what stands on the left",
    name: str = "",
) -> None:
    """Start what the form says; stop, resume, or compute again what failed of what is on the page.

    Args:
        jobs, snapshot, comparison: what works on it, how far it is, and what the form says.
        start, help: words of the first button.
        name: what a comparison that is started here is called.
    """
    stored = opened()
    same = stored is not None and comparison is not None and stored.id == comparison_id(comparison)
    status = snapshot.status if snapshot else ""
    live = snapshot is not None and snapshot.live
    mine = live and snapshot is not None and snapshot.mine

    shown, again = (stored.id, stored.comparison) if stored else ("", None)

    def act(do: Callable[..., str | None], *what: Any, **how: Any) -> None:
        st.session_state["compare.trouble"] = ""
        try:
            open_comparison(jobs.store.comparison(do(*what, **how) or shown))
        except KernlabError as error:
            st.session_state["compare.trouble"] = str(error)

    with st.container(horizontal=True, vertical_alignment="center", key="compare-transport"):
        st.button(start, type="primary", icon=":material/play_arrow:", disabled=comparison is None or same, help=help,
                  on_click=act, args=(jobs.start, comparison), kwargs={"name": name})  # fmt: skip
        if mine and status in ("running", "queued"):
            either("Pause", on_click=act, args=(jobs.pause, shown),
                   help="Finish the cells under way, and let the next comparison compute")  # fmt: skip
        else:
            idle = stored is None or (live and not (mine and status in ("pausing", "paused"))) or status == "finished"
            either("Resume", on_click=act, args=(jobs.start, again), disabled=idle,
                   help="Go on; what is finished is not computed again")  # fmt: skip
        st.button("Stop", icon=":material/stop:", on_click=act, args=(jobs.cancel, shown),
                  disabled=not mine or status == "stopping",
                  help="Finish the cells under way and begin no more")  # fmt: skip
        if snapshot and snapshot.failed and not live:
            st.button("Retry failed", icon=":material/replay:", on_click=act, args=(jobs.start, again),
                      kwargs={"retry": True}, help="Compute the failed cells again")  # fmt: skip
    if trouble := st.session_state.get("compare.trouble"):
        st.error(trouble, icon=":material/error:")


def earlier(jobs: Comparisons) -> None:
    """The other comparisons, newest first, to open, resume or forget."""
    now = opened()
    every = [stored for stored in jobs.store.comparisons() if now is None or stored.id != now.id]
    if not every:
        return
    st.header("Earlier comparisons", anchor=False)
    busy = jobs.running()
    more = len(every) > _SHOWN and st.toggle(f"Show all {len(every)}", key="compare.all")
    for stored in every if more else every[:_SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(stored.name, key=f"compare.open.{stored.id}", type="tertiary", on_click=_open, args=(stored,),
                      icon=":material/open_in_browser:")  # fmt: skip
            done, total = jobs.store.finished(stored), len(stored.keys)
            far = "not begun" if not total else f"{total} cells" if done == total else f"{done} of {total} cells"
            when = datetime.fromtimestamp(stored.created, UTC).astimezone().strftime("%d %b %Y, %H:%M")
            repeats = stored.comparison.repeats
            st.caption(f"{repeats} repeat{'s' if repeats > 1 else ''} · {far} · {when}")
            st.button("Forget", key=f"compare.forget.{stored.id}", type="tertiary", icon=":material/delete:",
                      on_click=_forget, args=(jobs, stored.id), disabled=stored.id in busy,
                      help="Strike it from this list; its finished cells are kept for others")  # fmt: skip


def _open(stored: StoredComparison) -> None:
    st.session_state["compare.trouble"] = ""
    open_comparison(stored)
    # A data set of it may be gone; its results are still shown.
    st.session_state["compare.trouble"] = compare.read(compare.address_of(stored.comparison))


def _forget(jobs: Comparisons, id: str) -> None:
    try:
        jobs.store.delete(id)
    except KernlabError as error:
        st.session_state["compare.trouble"] = str(error)
    if (stored := opened()) and stored.id == id:
        open_comparison(None)

"""How a picture comes onto a page: it is drawn anew only when it changes, and what is done in it is taken up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st

from kernlab.pictures.base import At, Picture
from kernlab.ui import view
from kernlab.ui.chart import live_chart, to_json

__all__ = ["draw", "show"]


def draw(each: Picture, at: At, height: int = 0) -> None:
    """Put a picture on the page, and take up what is done in it."""
    key = each.key + at.side
    reported = show(
        key, each.stamp(at), lambda: each.make(at), alt=each.alt, height=height or each.height, events=each.events
    )
    if each.note:
        formula, words = each.note(at)
        st.latex(formula)
        st.caption(words)
    if each.taken:
        _take(key, each, at, reported)


def _take(key: str, each: Picture, at: At, reported: Any) -> None:
    """Take up each report once: the browser goes on sending the last one."""
    assert each.taken
    seen: dict[tuple[str, str], Any] = st.session_state.setdefault("pictures.reported", {})
    for event in each.events:
        value = getattr(reported, event, None)
        if value == seen.get((key, event)):
            continue
        seen[key, event] = value
        if value is not None and (changes := each.taken(at, event, value)):
            view.change(**changes)
            st.rerun(scope="fragment")


def show(
    key: str,
    stamp: Hashable,
    make: Callable[[], go.Figure],
    *,
    alt: str,
    height: int = 300,
    events: Sequence[Literal["click", "select"]] = (),
) -> Any:
    """Draw ``make()``; as long as ``stamp`` stays the same the figure is neither made nor sent again.

    Returns:
        What the browser reported, as :func:`kernlab.ui.chart.live_chart`.
    """
    kept: dict[str, tuple[Hashable, str]] = st.session_state.setdefault("pictures", {})
    if key not in kept or kept[key][0] != stamp:
        kept[key] = (stamp, to_json(make()))
    return live_chart(kept[key][1], key=key, alt=alt, height=height, events=events)

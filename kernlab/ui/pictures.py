"""How a picture comes onto a page: as a film that the browser plays, and what a person does in it is taken up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal
from urllib.parse import urlencode

import plotly.graph_objects as go
import streamlit as st

from kernlab.pictures.base import CHOICES, At, Picture
from kernlab.pictures.base import VIEW as SWITCHES
from kernlab.ui import films, foreseen
from kernlab.ui.chart import Shot, live_chart, to_json
from kernlab.ui.news import preview_news
from kernlab.ui.previews import Preview
from kernlab.ui.state import to_text
from kernlab.ui.view import VIEW
from kernlab.ui.watch import Watch

__all__ = ["draw", "shot", "show", "together"]


def draw(each: Picture, at: At, height: int = 0, *, note: bool = True, beside: Sequence[str] = ()) -> None:
    """Put a picture on the page, perhaps with the words beneath it, and take up what is done in it.

    Args:
        beside: runs whose pictures have the same axes.
    """
    key = each.key + at.side
    reported = live_chart(
        shot(each, at, beside), key=key, alt=each.alt, height=height or each.height, events=each.events
    )
    if each.note and note:
        formula, words = each.note(at)
        st.latex(formula)
        st.caption(words)
    if each.taken:
        _take(key, each, at, reported)


def shot(each: Picture, at: At, beside: Sequence[str] = ()) -> Shot:
    """What the browser has to know of a picture; that of a preview is drawn before the browser asks.

    Args:
        beside: as of :func:`draw`.
    """
    found = Shot(at.run.id, each.key, _switches(each, at), each.over_time, tuple(beside), data=at.data)
    if isinstance(at.run, Preview):
        run = foreseen.first_of_data(at.run) if each.of_data else at.run
        found = found._replace(run=run.id, news=preview_news(run).facts)
        films.ahead(found.run, found.picture, found.view)
    elif isinstance(at.run, Watch) and at.run.preview and "preview" in each.views:
        found = found._replace(before=at.run.preview.id)
    return found


def together(each: Picture, shown: Sequence[At], names: Sequence[str], colors: Sequence[str], height: int = 0) -> None:
    """Put the curves of several runs on the page in one picture."""
    first, *others = [at.run.id for at in shown]
    shot = Shot(first, each.key, _switches(each, shown[0]), each.over_time, tuple(others), each.together)
    shot = shot._replace(names=tuple(names), colors=tuple(colors))
    live_chart(shot, key=each.key, alt=f"{each.alt}, of {', '.join(names)}", height=height or each.height)


def _switches(each: Picture, at: At) -> str:
    """The switches that change a picture, as they stand in an address."""
    used = {name: at.view[name] for name in (*each.uses, "reference") if at.view[name] != SWITCHES[name]}
    # Of two runs side by side one may not offer what the other does.
    used = {name: value for name, value in used.items() if name not in CHOICES or value in CHOICES[name](at)}
    return urlencode({name: to_text(value) for name, value in used.items()})


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
            VIEW.change(**changes)
            st.rerun(scope="fragment")


def show(
    key: str,
    stamp: Hashable,
    make: Callable[[], go.Figure],
    *,
    alt: str,
    height: int = 300,
    events: Sequence[Literal["click"]] = (),
) -> Any:
    """Draw ``make()``; as long as ``stamp`` stays the same the figure is neither made nor sent again.

    Returns:
        What the browser reported, as :func:`kernlab.ui.chart.live_chart`.
    """
    kept: dict[str, tuple[Hashable, str]] = st.session_state.setdefault("pictures", {})
    if key not in kept or kept[key][0] != stamp:
        kept[key] = (stamp, to_json(make()))
    return live_chart(kept[key][1], key=key, alt=alt, height=height, events=events)

"""The Papers page: it walks over the registry of papers; what is open stands in the address.

address ─ fill ─→ widgets ─ choose ─→ Reading ─ written ─→ address

Widgets that are not drawn lose their value, so each value is kept in the session and passed to its widget again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from kernlab.papers import PAPERS
from kernlab.papers.base import KINDS, Mistake, Paper, Slider
from kernlab.ui import papers_results, pictures
from kernlab.ui.forms import to_text

__all__ = ["Reading", "choose", "fill", "show_errors", "written"]

_VIEWS = {"results": "Published and ours", "errors": "Errors and traps"}
_DEFAULTS: dict[str, Any] = {"paper": "askl", "view": "results", "result": None}


class Reading(NamedTuple):
    """What is open: a paper, its results or its errors, and which of the results."""

    paper: str
    view: str
    result: str


def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault("papers", dict(_DEFAULTS))
    return kept


def _results(paper: Paper) -> dict[str, str]:
    return {result.name: result.label for result in paper.results}


def fill(scene: Mapping[str, str]) -> None:
    """Take the page from an address; a value that makes no sense there means the default."""
    owner = {result: key for key, paper in PAPERS.items() for result in _results(paper)}
    result = scene.get("result", "")
    paper = scene.get("paper", owner.get(result, "askl"))
    paper = paper if paper in PAPERS else "askl"
    results = _results(PAPERS[paper])
    view = scene["view"] if scene.get("view") in _VIEWS else "results"
    _kept().update(paper=paper, view=view, result=result if result in results else None)
    for key in _DEFAULTS:
        st.session_state.pop(f"papers.{key}", None)
    papers_results.fill(_kept()["result"] or next(iter(results)), scene)
    for name, slider in _sliders().items():
        values = {to_text(value): value for value in slider.values}
        _moved()[name] = values.get(scene.get(name, ""), slider.default)
        st.session_state.pop(f"papers.{name}", None)


def written(reading: Reading) -> dict[str, str]:
    """The address of what is open: what differs from the defaults."""
    scene = {"paper": reading.paper} if reading.paper != _DEFAULTS["paper"] else {}
    if reading.view == "errors":
        moved, sliders = _moved(), _sliders(PAPERS[reading.paper].mistakes)
        changed = {name: to_text(moved[name]) for name, each in sliders.items() if moved[name] != each.default}
        return scene | {"view": "errors"} | changed
    first = next(iter(_results(PAPERS[reading.paper])))
    named = {"result": reading.result} if reading.result != first else {}
    return scene | named | papers_results.scene_of(reading.result)


def choose() -> Reading:
    """The widgets that choose a paper and a part of it, with what the paper says."""
    kept = _kept()
    paper = _segments("paper", "Paper", {key: each.name for key, each in PAPERS.items()})
    about = PAPERS[paper]
    st.subheader(about.title, anchor=False)
    st.caption(about.citation)
    st.markdown(about.claim)
    view = _segments("view", "Part", _VIEWS | {"errors": f"{_VIEWS['errors']} ({len(about.mistakes)})"})
    results = _results(about)
    if kept["result"] not in results:
        kept["result"] = next(iter(results))
    result = kept["result"]
    if view == "results" and len(results) > 1:
        result = _segments("result", "Table", results)
    return Reading(paper, view, result)


def _segments(key: str, label: str, words: Mapping[str, str]) -> str:
    kept, widget = _kept(), f"papers.{key}"
    if st.session_state.get(widget) not in words:
        st.session_state[widget] = kept[key]
    kept[key] = st.segmented_control(label, list(words), default=kept[key], key=widget, required=True,
                                     format_func=words.__getitem__, label_visibility="collapsed")  # fmt: skip
    return str(kept[key])


# -- errors and traps ------------------------------------------------------------------------------------------


def _sliders(mistakes: tuple[Mistake, ...] | None = None) -> dict[str, Slider]:
    """Sliders by their names in the address; default: those of all papers."""
    if mistakes is None:
        mistakes = tuple(each for paper in PAPERS.values() for each in paper.mistakes)
    return {f"{each.key}.{slider.key}": slider for each in mistakes for slider in each.sliders}


def _moved() -> dict[str, Any]:
    defaults = {name: slider.default for name, slider in _sliders().items()}
    moved: dict[str, Any] = st.session_state.setdefault("papers.sliders", defaults)
    return moved


def show_errors(paper: str) -> None:
    """Everything that was found in a paper, each beside its picture."""
    mistakes = PAPERS[paper].mistakes
    if all(each.kind == "care" for each in mistakes):
        st.caption("No error was found in what kernlab takes from this paper; this is easily taken wrong:")
    for each in mistakes:
        with st.container(border=True, key=f"papers-error-{each.key}"):
            left, right = st.columns([2, 3])
            with left:
                _words(each)
                values = {slider.key: _slider(f"{each.key}.{slider.key}", slider) for slider in each.sliders}
            with right:
                pictures.show(f"papers-{each.key}", tuple(values.values()), partial(each.make, **values),
                              alt=each.alt, height=390 + 40 * len(values))  # fmt: skip


def _words(each: Mistake) -> None:
    kind, icon, colour = KINDS[each.kind]
    st.subheader(each.title, anchor=False)
    st.badge(kind, icon=icon, color=colour)
    for formula in each.formula:
        st.latex(formula)
    st.caption(f"Source: {each.source}")
    st.markdown(each.words)
    st.markdown(f":material/touch_app: {each.try_this}")


def _slider(name: str, slider: Slider) -> Any:
    moved = _moved()
    moved[name] = st.select_slider(slider.label, slider.values, moved[name], key=f"papers.{name}", format_func=_shown)
    return moved[name]


def _shown(value: Any) -> str:
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else f"{value:g}"

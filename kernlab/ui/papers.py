"""The Papers page: it walks over the registry of papers; what is open stands in the address."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from kernlab.numerals import number
from kernlab.papers import PAPERS
from kernlab.papers.base import KINDS, Slider
from kernlab.ui import papers_results, pictures
from kernlab.ui.state import Address, Values, name, one_of

__all__ = ["ADDRESS", "OPEN", "arrive", "choose", "show_errors", "write"]

_VIEWS = {"results": "Published and ours", "errors": "Errors and pitfalls"}
_OWNERS = {result.name: key for key, paper in PAPERS.items() for result in paper.results}


_SLIDERS = {
    f"{mistake.key}.{slider.key}": (key, slider)
    for key, paper in PAPERS.items()
    for mistake in paper.mistakes
    for slider in mistake.sliders
}
#: A paper, its results or its errors, which of the results (None: the first), and the sliders beside the errors.
OPEN = Values(
    "papers",
    name("paper", "askl", lambda: PAPERS),
    name("view", "results", lambda: _VIEWS),
    name("result", None, lambda: _OWNERS),
    *(one_of(key, slider.default, slider.values) for key, (_, slider) in _SLIDERS.items()),
)
ADDRESS = Address("papers", OPEN)


def arrive() -> None:
    """Take the address; a result that is named without its paper opens that paper."""
    ADDRESS.arrive(_taken)


def _taken(rest: dict[str, str]) -> None:
    owner = _OWNERS.get(OPEN["result"], OPEN["paper"])
    if owner != OPEN["paper"] and "paper" in ADDRESS.address:
        ADDRESS.trouble = f"{OPEN['result']} is no result of the paper {OPEN['paper']}, but of {owner}."
        OPEN.change(result=None)
    else:
        OPEN.change(paper=owner)
    if sentences := papers_results.choices(_result()).read(rest):
        ADDRESS.trouble = f"{ADDRESS.trouble} {' '.join(sentences)}"


def _result() -> str:
    """The name of the open result."""
    known = [result.name for result in PAPERS[OPEN["paper"]].results]
    return OPEN["result"] if OPEN["result"] in known else known[0]


def write() -> None:
    """Put what is open into the address."""
    if OPEN["view"] == "errors":
        hidden = ["result", *(key for key, (paper, _) in _SLIDERS.items() if paper != OPEN["paper"])]
        ADDRESS.write(without=hidden)
        return
    first = PAPERS[OPEN["paper"]].results[0].name
    written = papers_results.choices(_result()).written()
    ADDRESS.write(written, without=[*_SLIDERS, *(["result"] if _result() == first else [])])


def choose() -> str:
    """The widgets that choose a paper and a part of it, with what the paper says; the name of the open result."""
    OPEN.choice("paper", "Paper", list(PAPERS), lambda key: PAPERS[key].name)
    paper = PAPERS[OPEN["paper"]]
    st.header(paper.title, anchor=False)
    st.caption(paper.citation)
    st.markdown(paper.claim)
    views = _VIEWS | {"errors": f"{_VIEWS['errors']} ({len(paper.mistakes)})"}
    OPEN.choice("view", "Part", list(views), views)
    OPEN.change(result=_result())
    if OPEN["view"] == "results" and len(paper.results) > 1:
        labels = {result.name: result.label for result in paper.results}
        OPEN.choice("result", "Table", list(labels), labels)
    return _result()


# -- errors and traps ------------------------------------------------------------------------------------------


def show_errors() -> None:
    """Everything that was found in the open paper, each beside its picture."""
    mistakes = PAPERS[OPEN["paper"]].mistakes
    if all(each.kind == "care" for each in mistakes):
        st.caption("No error was found in what kernlab takes from this paper. These passages are easily misread:")
    for each in mistakes:
        with st.container(border=True, key=f"papers-error-{each.key}"):
            left, right = st.columns([2, 3])
            with left:
                kind, icon, colour = KINDS[each.kind]
                st.subheader(each.title, anchor=False)
                st.badge(kind, icon=icon, color=colour)
                for formula in each.formula:
                    st.latex(formula)
                st.caption(f"Source: {each.source}")
                st.markdown(each.words)
                st.markdown(f":material/touch_app: {each.try_this}")
                values = {slider.key: _slider(f"{each.key}.{slider.key}", slider) for slider in each.sliders}
            with right:
                pictures.show(f"papers-{each.key}", tuple(values.values()), partial(each.make, **values),
                              alt=each.alt, height=390 + 40 * len(values))  # fmt: skip


def _slider(key: str, slider: Slider) -> Any:
    return st.select_slider(slider.label, slider.values, OPEN[key], **OPEN.widget(key), format_func=_shown)


def _shown(value: Any) -> str:
    return number(value) if isinstance(value, int) else f"{value:g}"

"""The Papers page: which paper, which of its tables, and what the address says of both.

address ─ fill ─→ widgets ─ choose ─→ Reading ─ written ─→ address
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from kernlab.bench.tables import TABLES
from kernlab.ui import papers_runs, papers_tables
from kernlab.ui.papers_choices import fill_choices, scene_of
from kernlab.ui.papers_errors import errors_of, fill_sliders, show_errors, slider_scene

__all__ = ["PAPERS", "Paper", "choose", "fill", "show_errors", "written"]


class Paper(NamedTuple):
    """One of the papers kernlab is made from.

    Attributes:
        name: as people say it.
        title: its own.
        citation: authors, place and year.
        claim: what it says, in our words.
        results: its tables and figures that can be reproduced, by the names ``kernlab reproduce`` takes, to words.
    """

    name: str
    title: str
    citation: str
    claim: str
    results: Mapping[str, str]


PAPERS: dict[str, Paper] = {
    "askl": Paper(
        "ASKL",
        "Automated Spectral Kernel Learning",
        "J. Li, Y. Liu, W. Wang. Automated Spectral Kernel Learning. Proceedings of the AAAI Conference on Artificial "
        "Intelligence 34 (2020); arXiv 1909.04894",
        "A kernel need not be the same everywhere in input space. By Yaglom's theorem a non-stationary kernel is an "
        "average of cosines over pairs of frequencies; the paper learns these pairs together with the weights, by "
        "gradient descent. From a Rademacher bound it takes two penalties, the trace norm of the weights and the norm "
        "of the features, and reports that non-stationarity, learning and penalties each improve the result.",
        {"askl-table2": "Table 2: accuracy and RMSE"},
    ),
    "di": Paper(
        "DI",
        "Scalable Kernel Learning via the Discriminant Information",
        "M. Al, Z. Hou, S.-Y. Kung. Scalable Kernel Learning via the Discriminant Information. IEEE International "
        "Conference on Acoustics, Speech and Signal Processing (2020); arXiv 1909.10432",
        "Features should separate classes before any classifier is trained on them. The criterion is the part of the "
        "targets that ridge regression on the features explains, which has a closed form, so no weights are learned on "
        "the way. Maximised by mini-batches it moves random frequencies, or the landmarks of a Nyström map. The paper "
        "reports features that need fewer dimensions than drawn ones, and mostly fewer than those trained for the "
        "squared error; with random Fourier features, cross-entropy was better on two of its data sets.",
        {"di-figures": "Figures 1 and 2: ridge error and SVM accuracy"},
    ),
    "fks": Paper(
        "FKS",
        "Frame kernel selection via explicit description of integral operator space",
        "Y. Liu, S. Liao. Frame kernel selection based on the explicit description of the integral operator space (in "
        "Chinese). Scientia Sinica Informationis 46 (2016) 165–178; doi 10.1360/N112015-00095",
        "Of a kernel made from a frame (cosines and sines, or wavelets) the eigenvalues of the integral operator can "
        "be written down: they are the weights of the frame's functions. From them the paper derives a bound on the "
        "risk, of the rate 1/m as printed (its proof has a wrong root), and selects the weights by a convex problem, "
        "the lasso at γ = 1. It reports errors like those of support vector regression and of multiple kernel "
        "learning, at a fraction of their time.",
        {"fks-table2": "Table 2: mean squared error", "fks-table3": "Table 3: training time"},
    ),
    "lkrf": Paper(
        "LKRF",
        "Learning Kernels with Random Features",
        "A. Sinha, J. Duchi. Learning Kernels with Random Features. Advances in Neural Information Processing Systems "
        "29 (2016). Read through a talk given on it by S. Kano (2017) and the examples its authors released",
        "Draw many random features from any density, then weight them: the weights that align the kernel best with the "
        "labels, among those near the uniform ones in χ² distance, are found by a search in one dimension. Most become "
        "zero, so a model with few features is left. Where the kernel one starts with is unsuitable, as for points "
        "inside and outside a sphere, this helps most.",
        {"lkrf-examples": "Released examples: test error"},
    ),
}

_VIEWS = {"results": "Published and ours", "errors": "Errors and traps"}

_DEFAULTS: dict[str, Any] = {"paper": "askl", "view": "results", "result": None}


class Reading(NamedTuple):
    """What is open: a paper, one of its results, and whether that or the errors are looked at."""

    paper: str
    view: str
    result: str


# Widgets that are not drawn lose their value, so what they say is kept here and given to them.
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault("papers", dict(_DEFAULTS))
    return kept


def fill(scene: Mapping[str, str]) -> None:
    """Take the page from an address; what makes no sense there means the default."""
    results = {result: paper for paper, about in PAPERS.items() for result in about.results}
    result = scene.get("result", "")
    paper = scene.get("paper", results.get(result, "askl"))
    paper = paper if paper in PAPERS else "askl"
    _kept().update(
        paper=paper,
        view=scene["view"] if scene.get("view") in _VIEWS else "results",
        result=result if result in PAPERS[paper].results else None,
    )
    for key in _DEFAULTS:
        st.session_state.pop(f"papers.{key}", None)
    fill_choices(_kept()["result"] or next(iter(PAPERS[paper].results)), scene)
    fill_sliders(scene)


def written(reading: Reading) -> dict[str, str]:
    """The address of what is open: what differs from the defaults."""
    scene = {"paper": reading.paper} if reading.paper != _DEFAULTS["paper"] else {}
    if reading.view == "errors":
        return scene | {"view": "errors"} | slider_scene(reading.paper)
    first = next(iter(PAPERS[reading.paper].results))
    usual = (papers_tables if reading.result in TABLES else papers_runs).usual(reading.result)
    named = {"result": reading.result} if reading.result != first else {}
    return scene | named | scene_of(reading.result, usual)


def choose() -> Reading:
    """The paper, what it says, and which part of it is looked at."""
    kept = _kept()
    paper = _segments("paper", "Paper", {name: about.name for name, about in PAPERS.items()})
    about = PAPERS[paper]
    st.subheader(about.title, anchor=False)
    st.caption(about.citation)
    st.markdown(about.claim)
    found = len(errors_of(paper))
    view = _segments("view", "Part", _VIEWS | {"errors": f"{_VIEWS['errors']} ({found})"})
    results = about.results
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

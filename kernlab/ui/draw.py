"""Points painted by hand into a plane (draw.js), kept as a data set, and what a kernel makes of them beside it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from kernlab.data import load, tables
from kernlab.data.recipe import Recipe
from kernlab.errors import DataError, KernlabError
from kernlab.jobs import manager
from kernlab.pictures.theme import CLASSES
from kernlab.spec import RunSpec
from kernlab.ui import data, elements, setup
from kernlab.ui.assets import component
from kernlab.ui.chart import Shot, live_chart
from kernlab.ui.links import link
from kernlab.ui.news import phase
from kernlab.ui.state import Value, Values, name
from kernlab.ui.watch import Watch

__all__ = ["KINDS", "PAINTED", "arrive", "begin", "show"]

#: What is painted, by its name in the address.
KINDS = {"classes": "Classes", "curve": "A curve"}
#: What is painted, under which name it is kept, and the run that was trained on it here.
PAINTED = Values("draw", name("paint", "classes", lambda: KINDS), Value("drawing", "painted"), Value("run"))

_FILE = "painted by hand.csv"  # its name tells a painted data set from others
_LEAST = 20  # points
_MOST_CLASSES = 6
_BATCH, _STEPS = 32, 500  # rows of a mini-batch and steps of the training beside the plane
_COLUMNS = {"classes": ("x1", "x2", "class"), "curve": ("x", "y")}
_HEIGHT = 420

_component = component("draw", "draw.js")


def arrive() -> str:
    """Open the painted data set that the address names; a sentence if it is no painted one."""
    kept = PAINTED["drawing"]
    st.session_state.pop("draw.points", None)
    try:
        if kept in tables.names():
            if tables.about(kept).made.get("file") != _FILE:
                raise DataError("only a data set that was painted here can be painted on", repr(kept))
            dataset = load(kept)
            kind = "classes" if dataset.task == "classification" else "curve"
            PAINTED.change(paint=kind)
            _points()[kind] = [
                (float(x[0]), float(x[1]), int(code)) if kind == "classes" else (float(x[0]), float(code[0]), 0)
                for x, code in zip(dataset.X, dataset.y, strict=True)
            ]
    except KernlabError as error:
        PAINTED.change(drawing="painted")
        return str(error)
    finally:
        begin()
    return ""


def _points() -> dict[str, list[tuple[float, float, int]]]:
    """What is painted of each kind, in the plane [−1, 1]²."""
    found: dict[str, list[tuple[float, float, int]]] = st.session_state.setdefault("draw.points", {})
    return found


def begin() -> None:
    """Let the plane begin with what is painted: it has just come onto the page."""
    state = st.session_state
    state["draw.begun"] = state.get("draw.begun", 0) + 1
    state["draw.start"] = {kind: list(points) for kind, points in _points().items()}


def _take() -> None:
    painting = st.session_state["draw"]["painting"]
    flat = iter(painting["points"])
    _points()[painting["kind"]] = [(float(x), float(y), int(k)) for x, y, k in zip(flat, flat, flat, strict=True)]


# -- keeping ---------------------------------------------------------------------------------------------------


def keep(kind: str, points: list[tuple[float, float, int]], called: str) -> None:
    """Keep painted points as a data set, in the place of a painted one of that name.

    Raises:
        KernlabError: too few points, one class, or the name of another data set.
    """
    if len(points) < _LEAST:
        raise DataError(f"a painted data set must have at least {_LEAST} points", len(points), "paint more of them")
    if kind == "classes" and len({k for _, _, k in points}) < 2:
        raise DataError("painted classes must be at least two", "one", "choose the other class and paint it too")
    replacing = called in tables.names() and tables.about(called).made.get("file") == _FILE
    columns = _COLUMNS[kind]
    rows = [(x, y, f"class {k + 1}") if kind == "classes" else (x, y) for x, y, k in points]
    text = "\n".join(",".join(map(str, row)) for row in (columns, *rows))
    kinds: dict[str, Any] = dict.fromkeys(columns, "number") | ({"class": "category"} if kind == "classes" else {})
    recipe = Recipe((columns[-1],), "classification" if kind == "classes" else "regression", kinds)
    tables.prepare(text.encode(), recipe, called, file_name=_FILE, replacing=replacing,
                   details={"description": "Points painted by hand."})  # fmt: skip


def _spec(rows: int) -> RunSpec:
    """What is trained beside the plane: the first visitor's method, for a few seconds."""
    some = {
        "batch_size": str(min(_BATCH, rows // 2)),
        "epochs": str(max(20, _STEPS * _BATCH // rows)),
        "validation": "0",
    }
    return setup.spec_from({**setup.START, **some, "dataset": PAINTED["drawing"]})


def _save(*, train: bool = False) -> None:
    state = st.session_state
    state.pop("draw.trouble", None)
    try:
        points = _points().get(PAINTED["paint"], [])
        keep(PAINTED["paint"], points, PAINTED["drawing"])
        state["draw.kept"] = PAINTED["drawing"]
        if train:
            PAINTED.change(run=manager().trainings.submit(_spec(len(points))))
    except KernlabError as error:
        state["draw.trouble"] = str(error)


# -- the page --------------------------------------------------------------------------------------------------


def show() -> None:
    """The plane, and beside it what is to become of the points."""
    left, right = st.columns(2)
    with left:
        kind = PAINTED.choice("paint", "What to paint", list(KINDS), KINDS)
        start: dict[str, Any] = st.session_state.get("draw.start", {})
        given = {
            "kind": kind,
            "begun": f"{st.session_state.get('draw.begun', 0)} {kind}",
            "points": start.get(kind, []),
            "looks": CLASSES[:_MOST_CLASSES],
        }
        _component(key="draw", data=given, on_painting_change=_take)
    with right:
        st.text_input("Name of the data set", PAINTED["drawing"], **PAINTED.widget("drawing"), max_chars=100)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Train on these points", type="primary", icon=":material/play_arrow:", on_click=_save,
                      kwargs={"train": True}, help="Keep the points and train a kernel on them, here")  # fmt: skip
            st.button("Save", icon=":material/save:", on_click=_save, help="Keep the points as a data set")
        if trouble := st.session_state.get("draw.trouble"):
            st.error(trouble, icon=":material/error:")
        kept = st.session_state.get("draw.kept")
        if kept and kept == PAINTED["drawing"] and not trouble:
            with st.container(horizontal=True, key="draw-links"):
                data.links(kept, look="painted")
        _trained()


def _trained() -> None:
    """The run that was trained here: what it predicts, which follows it."""
    if not (run := PAINTED["run"]):
        st.caption("Paint two classes, or a curve, and press **Train on these points**: what the kernel makes of them "
                   "appears here and follows the training.")  # fmt: skip
        return
    try:
        watch = Watch(manager().trainings, run)
        watch.refresh()
        live_chart(Shot(run, "function"), key="draw-function", alt="What the trained kernel predicts", height=_HEIGHT)
        elements.progress(f"film/{run}", phase(watch), key="draw-progress")
        link("train", "Open this run on Train", ":material/play_circle:", run=run)
    except KernlabError as error:
        PAINTED.change(run="")
        st.error(str(error), icon=":material/error:")

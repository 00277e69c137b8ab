"""The switches beside the pictures: one function a switch, drawn where a picture that is shown uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.pictures.approximation import MEASURES
from kernlab.pictures.base import At, Picture
from kernlab.pictures.directions import OWN, directions, input_names, read_direction
from kernlab.pictures.kernels import matrices
from kernlab.pictures.profile import starts
from kernlab.pictures.spectrum import ORDERS
from kernlab.ui import view

__all__ = ["CONTROLS", "control", "controls"]

Control: TypeAlias = Callable[[At], None]

#: Every switch, in the order of the page, by its name in the view.
CONTROLS: dict[str, Control] = {}


def control(name: str) -> Callable[[Control], Control]:
    """Decorator that files the widget of a switch."""

    def file(draw: Control) -> Control:
        CONTROLS[name] = draw
        return draw

    return file


def controls(shown: Iterable[Picture], at: At) -> None:
    """The switches that these pictures use."""
    used = {switch for each in shown for switch in each.uses}
    for name, draw in CONTROLS.items():
        if name in used:
            draw(at)


def _toggle(name: str, label: str, help: str | None = None) -> None:
    said = view.now()
    said[name] = st.toggle(label, value=said[name], key=view.held(name), help=help)


@control("boundlog")
def _boundlog(at: At) -> None:
    _toggle("boundlog", "Log axis")


@control("log")
def _log(at: At) -> None:
    _toggle("log", "Log axis")


@control("smooth")
def _smooth(at: At) -> None:
    _toggle("smooth", "Smooth")


@control("look")
def _look(at: At) -> None:
    said, looks = view.now(), directions(at)
    if looks and said["look"] not in looks:
        view.change(look=looks[0])
    if len(looks) > 1:
        said["look"] = st.selectbox(
            "Look along", looks, looks.index(said["look"]), key=view.held("look"), width=220,
            label_visibility="collapsed", format_func=lambda look: f"along {look}",
        )  # fmt: skip


@control("output")
def _output(at: At) -> None:
    said = view.now()
    outputs = int(at.facts.get("K", 1)) if at.facts.get("task") == "regression" else 1
    if said["output"] >= outputs:
        view.change(output=0)
    if outputs > 1:
        said["output"] = st.selectbox(
            "Output", range(outputs), said["output"], key=view.held("output"), width=140,
            label_visibility="collapsed", format_func=lambda k: f"output {k + 1}",
        )  # fmt: skip


@control("custom")
def _custom(at: At) -> None:
    said, names = view.now(), input_names(at)
    if said["look"] != OWN:
        return
    said["custom"] = st.text_input(
        "Weights of the inputs", said["custom"], key=view.held("custom"), width=300, label_visibility="collapsed",
        placeholder=f"{names[0]} 1, {names[-1]} -0.5",
    )  # fmt: skip
    try:
        read_direction(said["custom"], names)
    except KernlabError as error:
        st.caption(f":material/error: {error}" if said["custom"] else "Inputs with their weights, and commas between.")


@control("start")
def _start(at: At) -> None:
    said, offered = view.now(), list(starts(at))
    if "omega_prime" not in at.arrays or len(offered) < 2:  # a stationary kernel is the same everywhere
        return
    if said["start"] not in offered:
        view.change(start=offered[0])
    said["start"] = st.selectbox(
        "Kernel from", offered, offered.index(said["start"]), key=view.held("start"), width=200,
        label_visibility="collapsed", format_func=lambda start: f"kernel from {start}",
    )  # fmt: skip


@control("order")
def _order(at: At) -> None:
    said = view.now()
    offered = [order for order in ORDERS if order != "heaviest" or "q" in at.arrays]
    if said["order"] not in offered:
        view.change(order=offered[0])
    said["order"] = st.selectbox(
        "Order of the frequencies", offered, offered.index(said["order"]), key=view.held("order"), width=190,
        label_visibility="collapsed",
        format_func=lambda order: "as they come" if order == "first" else f"{order} first",
    )  # fmt: skip


@control("surface")
def _surface(at: At) -> None:
    _toggle("surface", "Surface", "The joint density as a surface that can be turned")


@control("matrix")
def _matrix(at: At) -> None:
    said, offered = view.now(), matrices(at)
    if said["matrix"] not in offered:
        view.change(matrix="features")
    if len(offered) > 1:
        said["matrix"] = st.segmented_control(
            "Gram matrix", list(offered), default=said["matrix"], key=view.held("matrix"), required=True,
            format_func=lambda name: offered[name].capitalize(), label_visibility="collapsed",
        )  # fmt: skip


@control("measure")
def _measure(at: At) -> None:
    said = view.now()
    if said["measure"] not in MEASURES:
        view.change(measure=MEASURES[0])
    said["measure"] = st.selectbox(
        "Error against D", MEASURES, MEASURES.index(said["measure"]), key=view.held("measure"), width=180,
        label_visibility="collapsed", format_func=lambda name: f"{name} error",
    )  # fmt: skip

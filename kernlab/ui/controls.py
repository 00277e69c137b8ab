"""The switches beside the pictures: one function a switch, drawn where a picture that is shown uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import streamlit as st

from kernlab.ui import pictures, view
from kernlab.ui.pictures import Picture, Shown

__all__ = ["CONTROLS", "control", "controls"]

Control: TypeAlias = Callable[[Shown], None]

#: Every switch, in the order of the page, by its name in the view.
CONTROLS: dict[str, Control] = {}


def control(name: str) -> Callable[[Control], Control]:
    """Decorator that files the widget of a switch."""

    def file(draw: Control) -> Control:
        CONTROLS[name] = draw
        return draw

    return file


def controls(shown: Iterable[Picture], at: Shown) -> None:
    """The switches that these pictures use."""
    used = {switch for each in shown for switch in each.uses}
    for name, draw in CONTROLS.items():
        if name in used:
            draw(at)


def _toggle(name: str, label: str, help: str | None = None) -> None:
    said = view.now()
    said[name] = st.toggle(label, value=said[name], key=view.held(name), help=help)


@control("boundlog")
def _boundlog(at: Shown) -> None:
    _toggle("boundlog", "Log axis")


@control("log")
def _log(at: Shown) -> None:
    _toggle("log", "Log axis")


@control("smooth")
def _smooth(at: Shown) -> None:
    _toggle("smooth", "Smooth")


@control("look")
def _look(at: Shown) -> None:
    said, looks = view.now(), pictures.directions(at)
    if looks and said["look"] not in looks:
        view.change(look=looks[0])
    if len(looks) > 1:
        said["look"] = st.selectbox(
            "Look along", looks, looks.index(said["look"]), key=view.held("look"), width=220,
            label_visibility="collapsed", format_func=lambda look: f"along {look}",
        )  # fmt: skip


@control("output")
def _output(at: Shown) -> None:
    said = view.now()
    outputs = int(at.facts.get("K", 1)) if at.facts.get("task") == "regression" else 1
    if said["output"] >= outputs:
        view.change(output=0)
    if outputs > 1:
        said["output"] = st.selectbox(
            "Output", range(outputs), said["output"], key=view.held("output"), width=140,
            label_visibility="collapsed", format_func=lambda k: f"output {k + 1}",
        )  # fmt: skip

"""The switches beside the pictures: each is drawn where a picture that is shown uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.pictures.base import CHOICES, At, Picture
from kernlab.pictures.directions import OWN, input_names, read_direction
from kernlab.pictures.kernels import matrices
from kernlab.ui.view import VIEW

__all__ = ["control", "controls"]

#: Switches that are on or off: label and help.
_TOGGLES = {
    "boundlog": ("Log axis of the bound", None),
    "log": ("Log axis", None),
    "smooth": ("Smooth", None),
    "surface": ("Surface", "The joint density as a surface that can be turned"),
}


def _outputs(at: At) -> Sequence[int]:
    return range(int(at.facts.get("K", 1)) if at.facts.get("task") == "regression" else 1)


def _starts(at: At) -> Sequence[str]:
    """A stationary kernel is the same everywhere."""
    return CHOICES["start"](at) if "omega_prime" in at.arrays else ()


def _orders(at: At) -> Sequence[str]:
    return [order for order in CHOICES["order"](at) if order != "heaviest" or "q" in at.arrays]


def _order_words(order: str) -> str:
    return "as they come" if order == "first" else f"{order} first"


#: Switches with several values: label, the values that a run offers, what each is called, and the width of the menu.
_MENUS: dict[str, tuple[str, Callable[[At], Sequence[Any]], Callable[[Any], str], int]] = {
    "look": ("Look along", CHOICES["look"], "along {}".format, 220),
    "output": ("Output", _outputs, lambda output: f"output {output + 1}", 140),
    "start": ("Kernel from", _starts, "kernel from {}".format, 200),
    "order": ("Order of the frequencies", _orders, _order_words, 190),
    "measure": ("Error against D", CHOICES["measure"], "{} error".format, 180),
}

#: Every switch, in the order of the page.
_ORDER = ("boundlog", "log", "smooth", "look", "output", "custom", "start", "order", "surface", "matrix", "measure")


def controls(shown: Iterable[Picture], at: At) -> None:
    """The switches that these pictures use."""
    used = {switch for each in shown for switch in each.uses}
    for name in _ORDER:
        if name in used:
            control(name, at)


def control(name: str, at: At) -> None:
    """The widget of one switch, where the run offers a choice."""
    if name in _TOGGLES:
        label, help = _TOGGLES[name]
        st.toggle(label, VIEW[name], **VIEW.widget(name), help=help)
    elif name == "custom":
        _own_direction(at)
    elif name == "matrix":
        offered = matrices(at)
        VIEW.choice("matrix", "Gram matrix", list(offered), lambda name: offered[name].capitalize())
    else:
        label, options, words, width = _MENUS[name]
        VIEW.choice(name, label, options(at), words, menu=True, width=width)


def _own_direction(at: At) -> None:
    if VIEW["look"] != OWN:
        return
    names, text = input_names(at), VIEW["custom"]
    st.text_input("Weights of the inputs", text, **VIEW.widget("custom"), width=300, label_visibility="collapsed",
                  placeholder=f"{names[0]} 1, {names[-1]} -0.5")  # fmt: skip
    try:
        read_direction(text, names)
    except KernlabError as error:
        st.caption(f":material/error: {error}" if text else "Inputs with their weights, and commas between.")

"""Changing a run under way: its learning rate and the weights of its penalties, from its next step on."""

from __future__ import annotations

import time
from functools import partial

import streamlit as st

from kernlab.errors import KernlabError
from kernlab.methods import SYMBOLS
from kernlab.methods.changes import may_change
from kernlab.options import Option
from kernlab.pictures.changes import turns, values_at
from kernlab.ui.forms import from_text, grid
from kernlab.ui.setup import label
from kernlab.ui.state import Values, to_text
from kernlab.ui.watch import Watch

__all__ = ["changes", "values_now"]

_WAIT = 1.5  # seconds that the page waits for the training to take up a change, so that it shows it at once
_SHOWN = Values("changing")


def values_now(watch: Watch) -> dict[str, float]:
    """The values that the run's next step has, of the options that can be changed, by name."""
    assert watch.method
    start, step = watch.method.options(), max([watch.state.step, *(turn.step for turn in turns(watch))]) + 1
    return {key: float(values_at(watch, key, float(start[key]), [step])[0]) for key in may_change(watch.method)}


def changes(watch: Watch) -> None:
    """The button under which the options of a run under way are changed; nothing where none can be."""
    if not (watch.live and watch.state.mine and watch.facts and watch.method):
        return
    options = may_change(watch.method)
    if not options:
        return
    about = "Another learning rate or weight of a penalty, while it trains"
    with st.popover("Change", icon=":material/tune:", help=about):
        st.caption(
            "A new value counts from the next step on. The change is marked on the curves and kept with the run: "
            "resuming it, and its Python lines or command, repeat it at the same step."
        )
        now = values_now(watch)
        for key, option in options.items():
            _widget(watch, key, option, now[key])
        if trouble := st.session_state.pop("changing.trouble", ""):
            st.error(trouble, icon=":material/error:")
        for turn in turns(watch)[-4:]:
            st.caption(f"{watch.unit} {turn.epoch:.2f}, step {turn.step}: {turn.sentence}")


def _widget(watch: Watch, key: str, option: Option, value: float) -> None:
    """Typical values to pick from, any other to type, and a tenth or ten times the present one by a press."""
    shown = to_text(value)
    words = list(dict.fromkeys([shown, *map(to_text, grid(option))]))
    symbol = SYMBOLS.get(key, "")
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"changing-{key}"):
        st.selectbox(
            label(key), words, words.index(shown), accept_new_options=True, width=190,
            **_SHOWN.widget(key, shown, lambda text: text, then=partial(_typed, watch, key, option)),
            help=f"{option.help} Takes {option.range}." + (
                " The schedule multiplies it: this is its value at the start." if key == "learning_rate" else ""),
        )  # fmt: skip
        for factor, sign in ((0.1, "÷ 10"), (10.0, "× 10")):
            st.button(sign, key=f"changing.{key}.{sign}", help=f"{symbol or label(key)} = {value * factor:.4g}",
                      disabled=value == 0, on_click=_change, args=(watch, key, value * factor))  # fmt: skip


def _typed(watch: Watch, key: str, option: Option) -> None:
    value = from_text(option, _SHOWN[key] or "")
    if isinstance(value, int | float):
        _change(watch, key, float(value))
    else:
        st.session_state["changing.trouble"] = f"{label(key)} must be {option.range}. Given: {value!r}."


def _change(watch: Watch, key: str, value: float) -> None:
    """Ask for the change, and wait until the run has recorded it."""
    value = float(f"{value:.12g}")
    try:
        watch.refresh()
        if values_now(watch).get(key) == value:
            return
        watch.jobs.change(watch.id, **{key: value})
    except KernlabError as error:
        st.session_state["changing.trouble"] = str(error)
        return
    end = time.monotonic() + _WAIT
    while watch.live and values_now(watch).get(key) != value and time.monotonic() < end:
        time.sleep(0.03)
        watch.refresh()

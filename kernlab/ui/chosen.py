"""How a page says what the rows that did not train chose: a sentence, and marks on the time slider."""

from __future__ import annotations

import streamlit as st

from kernlab.pictures.theme import GREY, KEPT
from kernlab.runs.kept import held_out_rows, number
from kernlab.ui.forms import to_text
from kernlab.ui.watch import Watch

__all__ = ["marks", "sentence", "settled"]

# Thin lines across the slider's track, whose ends are where the handle's centre comes to.
_MARKS = """<style>.st-key-timeline div:has(> [data-testid="stSliderTickBar"])::after {{ content: "";
position: absolute; inset: 0; pointer-events: none; background: {lines}; }}</style>"""
_LINE = "linear-gradient({colour}, {colour}) {place:.3f}% 50% / 3px 100% no-repeat"


def marks(watch: Watch, total: float) -> None:
    """Lines on the time slider at the kept epoch and where the repetition begins, and the sentence beneath it."""
    if found := watch.kept:
        places = {KEPT: found.epoch} | ({GREY: found.stopped} if found.epoch else {})
        lines = (_LINE.format(colour=colour, place=100 * min(1.0, x / total)) for colour, x in places.items())
        st.html(_MARKS.format(lines=", ".join(lines)))
    if words := sentence(watch):
        st.caption(words)


def sentence(watch: Watch) -> str:
    """How many rows choose, and what they chose; empty where none were held out."""
    facts, found, rows = watch.facts, watch.kept, held_out_rows(watch.facts)
    if not rows:
        return ""
    if not found:
        return (
            f"{number(rows)} of the {number(facts['n_train'])} training rows do not train: after every epoch they "
            "judge the model. The number of epochs that is best for them is then repeated on all training rows."
        )
    words = [f"{found.sentence[0].upper()}{found.sentence[1:]}."]
    if not found.learned:
        words.append("These rows prefer the assigned map, so the model of this run is that of the map as it was drawn.")
    if found.epoch:
        words.append(
            f"Up to epoch {found.stopped} the curves show the training that chose, past its best; from there on the "
            f"same again for {_epochs(found.epoch)} on all {number(facts['n_train'])} training rows, which is the "
            "model of this run."
        )
    if found.penalty is not None and found.epoch:
        words.append(f"The same rows chose the ridge penalty {found.penalty:.3g}.")
    return " ".join(words)


def _epochs(count: int) -> str:
    return f"{count} epoch{'s' * (count != 1)}"


def settled(watch: Watch) -> str:
    """What every "auto" of the run came to; empty before it is known."""
    asked, method = watch.spec, watch.method
    if not (asked and method and watch.run.resolved):
        return ""
    ridge = watch.history.get("ridge")
    came = {**method.options(), **({"ridge": float(f"{ridge.values[-1]:.3g}")} if ridge and len(ridge.values) else {})}
    said = {key: came.get(key) for key, value in asked.method.options().items() if value == "auto"}
    words = [f"{key} = {to_text(value)}" for key, value in said.items() if value not in (None, "auto")]
    if not words:
        return ""
    came_to = f"What auto came to: {', '.join(words)}."
    if rows := watch.facts.get("chosen_on"):
        came_to += (
            f" These values were best on {number(rows)} of the {number(watch.facts['n_train'])} training rows, after "
            "training on the others; the model of this run was then trained on all of them."
        )
    return came_to

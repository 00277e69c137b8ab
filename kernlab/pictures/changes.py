"""Options that changed while a run trained: when, from what to what, in words, and as lines in pictures over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.methods import SYMBOLS, MethodSpec
from kernlab.pictures.theme import CHANGED, PAPER, fade
from kernlab.runs.kept import steps_choosing
from kernlab.runs.layout import CHANGED as PREFIX
from kernlab.runs.store import Curve

__all__ = ["Turn", "mark_turns", "turns", "values_at"]

APART = 0.05  # of the axis between two lines, so that both can have their words


class Recorded(Protocol):
    """What is read of a run."""

    @property
    def facts(self) -> Mapping[str, Any]: ...

    @property
    def method(self) -> MethodSpec | None: ...

    @property
    def history(self) -> Mapping[str, Curve]: ...


class Turn(NamedTuple):
    """An option has another value from a moment on."""

    step: int
    epoch: float
    option: str
    before: float
    value: float
    again: bool  # on all rows, where the change was made

    @property
    def label(self) -> str:
        """The new value: "λ₁ = 0.01"."""
        return f"{SYMBOLS.get(self.option, self.option)} = {self.value:.4g}"

    @property
    def sentence(self) -> str:
        """Old and new value: "λ₁ from 1e-05 to 0.01"."""
        words = f"{SYMBOLS.get(self.option, self.option)} from {self.before:.4g} to {self.value:.4g}"
        return words + (", again on all rows" if self.again else "")


def turns(run: Recorded) -> list[Turn]:
    """The changes of a run in the order of their moments. A step that was taken anew after a resume has one."""
    changed = {name.removeprefix(PREFIX): curve for name, curve in run.history.items() if name.startswith(PREFIX)}
    if not (changed and run.method):
        return []
    start, boundary = run.method.options(), steps_choosing(run.facts)
    found = []
    for option, (steps, epochs, values) in changed.items():
        if option not in start:
            continue
        last = {int(step): (float(e), float(v)) for step, e, v in zip(steps, epochs, values, strict=True)}
        before, made = float(start[option]), set[float]()
        stretch = False
        for step in sorted(last):
            if step > boundary and not stretch:  # the repetition begins with the values of the start
                stretch, before = True, float(start[option])
            epoch, value = last[step]
            if value != before:
                found.append(Turn(step, epoch, option, before, value, stretch and value in made))
            made |= set() if stretch else {value}
            before = value
    return sorted(found, key=lambda turn: turn.epoch)


def values_at(run: Recorded, option: str, start: float, steps: ArrayLike) -> NDArray[np.float64]:
    """The value that an option had in the steps with these numbers, [n]; ``start`` before it was changed."""
    asked = np.asarray(steps)
    found = np.full(len(asked), start)
    for turn in turns(run):
        if turn.option == option:
            boundary = steps_choosing(run.facts)
            same = (asked > boundary) == (turn.step > boundary)
            found[same & (asked > turn.step)] = turn.value
    return found


def mark_turns(figure: go.Figure, run: Recorded) -> None:
    """A thin line at each change, with its words along it where there is room for them."""
    found = turns(run)
    if not found:
        return
    end = max([turn.epoch for turn in found] + [float(c.epochs[-1]) for c in run.history.values() if len(c.epochs)])
    moments: dict[float, list[Turn]] = {}
    for turn in found:
        moments.setdefault(turn.epoch, []).append(turn)
    last = -np.inf  # a change at the very start has its words, however long the run is
    for epoch, together in moments.items():
        figure.add_vline(x=epoch, line={"color": CHANGED, "width": 1.5, "dash": "dash"})
        if epoch - last < APART * end:
            continue
        last = epoch
        figure.add_annotation(
            x=epoch, y=1, yref="paper", text=", ".join(turn.label for turn in together), textangle=-90,
            hovertext="; ".join(turn.sentence for turn in together), showarrow=False, xanchor="left", yanchor="top",
            borderpad=1, bgcolor=fade(PAPER, 0.85), font={"size": 13, "color": CHANGED},
        )  # fmt: skip

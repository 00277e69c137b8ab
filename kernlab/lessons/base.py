"""What a lesson can ask to be computed.

    numbers(**values of the sliders) → NamedTuple
        ├ draw(numbers, seen, guess) → figure      before the answer is seen, and after it with the prediction
        ├ facts     name → number or word          what texts say and checks compare
        └ asked     name → the answer to a prediction: one of a few words, a number, or a curve

Nothing here is a stored result: each is computed when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.papers.base import Slider
from kernlab.registry import Registry

__all__ = ["COMPUTATIONS", "POINTS", "Asked", "Computation", "Fact", "Guess", "Numbers", "Sheet", "Slider"]

Vector: TypeAlias = NDArray[np.float64]
#: A prediction: the key of a choice, a number, or a curve at :attr:`Sheet.grid` [POINTS].
Guess: TypeAlias = str | float | Vector
Fact: TypeAlias = str | float
Numbers: TypeAlias = Any  # a NamedTuple of the computation's own

#: Places of a curve that a person draws.
POINTS = 41


class Sheet(NamedTuple):
    """The axes that a curve is drawn into.

    Attributes:
        x, y: their ranges.
        x_name, y_name: their names, with units.
        known: the name of the curve that is on the sheet from the start; empty: there is none.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    x_name: str
    y_name: str
    known: str = ""

    @property
    def grid(self) -> Vector:
        """Where the curve has values [POINTS]."""
        return np.linspace(*self.x, POINTS)


class Asked(NamedTuple):
    """What can be predicted of some numbers.

    Attributes:
        kind: "choice": the answer is the key of one of the lesson's choices; "number"; "curve": values on the grid.
        answer: from the numbers to it.
        sheet: of a curve.
        known: from the numbers to the curve that is on the sheet from the start [POINTS].
    """

    kind: Literal["choice", "number", "curve"]
    answer: Callable[[Numbers], Guess]
    sheet: Sheet | None = None
    known: Callable[[Numbers], Vector] | None = None


@dataclass(frozen=True)
class Computation:
    """One computation that lessons can name.

    Attributes:
        name: as a lesson's file has it.
        alt: what the picture shows, for those who hear it.
        numbers: from the sliders' values, by key, to everything that is drawn and written. A pure function.
        draw: from these numbers, whether the answer is seen, and the prediction, to the figure.
        sliders: what can be changed.
        facts: by the names that texts and checks use.
        asked: by the names that predictions use.
    """

    name: str
    alt: str
    numbers: Callable[..., Numbers]
    draw: Callable[[Numbers, bool, Guess | None], go.Figure]
    sliders: tuple[Slider, ...]
    facts: Mapping[str, Callable[[Numbers], Fact]]
    asked: Mapping[str, Asked]

    def at(self, **values: Any) -> Numbers:
        """The numbers at these values of the sliders, the others at their defaults; computed once."""
        full = {slider.key: values.get(slider.key, slider.default) for slider in self.sliders}
        return _kept(self.name, tuple(full.items()))

    def known(self, **values: Any) -> dict[str, Fact]:
        """All facts at these values, the values of the sliders among them."""
        numbers = self.at(**values)
        own = {slider.key: values.get(slider.key, slider.default) for slider in self.sliders}
        return own | {name: fact(numbers) for name, fact in self.facts.items()}


COMPUTATIONS: Registry[Computation] = Registry("computation")


def offer(computation: Computation) -> Computation:
    """Register a computation."""
    COMPUTATIONS.add(computation.name, computation)
    return computation


@lru_cache(256)
def _kept(name: str, values: tuple[tuple[str, Any], ...]) -> Numbers:
    return COMPUTATIONS[name].numbers(**dict(values))

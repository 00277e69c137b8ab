"""What the papers have in common: their tables and reproductions, the errors found in them, and how those are drawn.

    Paper ─ results:  PrintedTable   a printed table that an ordinary comparison reproduces
          │           Reproduction   a figure or an example that one function computes anew
          └ mistakes: Mistake        numbers(**sliders) → NamedTuple → draw(…) → figure

Each paper is one file, which publishes its :class:`Paper`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from kernlab.papers.tables import TABLES, PrintedTable
from kernlab.pictures.theme import BLUE, VERMILLION
from kernlab.registry import Registry

__all__ = ["KINDS", "PAPERS", "REPRODUCTIONS", "TABLES", "Mistake", "Paper", "PrintedTable", "Reproduction", "Slider"]

Vector: TypeAlias = NDArray[np.float64]


class Slider(NamedTuple):
    """A few values of one argument of a demonstration.

    Attributes:
        key: the argument.
        label: with the unit.
        values: from the left.
        default: one of them.
    """

    key: str
    label: str
    values: tuple[Any, ...]
    default: Any


class Mistake(NamedTuple):
    """An error in a paper, or a passage that is easily misread, with the numbers and the picture that show it.

    Attributes:
        key: its name in the address.
        kind: of :data:`KINDS`.
        title: in a few words.
        formula: the correct formula in LaTeX, one string for each line.
        source: paper and equation.
        words: what is wrong, and what kernlab does instead.
        try_this: which slider to change, and what to observe.
        alt: a description of the picture for readers who cannot see it.
        numbers: from the sliders' values, by key, to the numbers of the picture, a NamedTuple.
        draw: from these numbers to the figure.
        sliders: the arguments that can be changed.
    """

    key: str
    kind: Literal["error", "scale", "code", "care"]
    title: str
    formula: tuple[str, ...]
    source: str
    words: str
    try_this: str
    alt: str
    numbers: Callable[..., Any]
    draw: Callable[[Any], go.Figure]
    sliders: tuple[Slider, ...] = ()

    def make(self, **values: Any) -> go.Figure:
        """The picture at these values of the sliders."""
        return self.draw(self.numbers(**values))


#: The kinds of mistakes: title, icon and colour.
KINDS: dict[str, tuple[str, str, Literal["red", "orange", "blue", "violet"]]] = {
    "error": ("Error in a formula", ":material/error:", "red"),
    "scale": ("Printed figures off their scale", ":material/straighten:", "orange"),
    "code": ("Error in the released code", ":material/code_off:", "violet"),
    "care": ("Right, if read with care", ":material/visibility:", "blue"),
}


@dataclass(frozen=True)
class Reproduction:
    """A result that one function computes anew.

    Attributes:
        name: as ``kernlab reproduce`` takes it.
        label: what the Papers page calls it.
        run: ``(progress, *, datasets, repeats, seed)`` → rows of a table, ours beside what was printed.
        protocol: how it is computed, and how long that takes.
        title, head, rows, note: the printed table; without rows, ``note`` says what the printed figures claim.
        parts: names of its parts, from which ``datasets`` chooses.
        first: the parts that are chosen by default.
        columns: of our table: key, heading, decimals (None: text).
        figure: key and axis title of the column that is drawn.
        remark: a note beneath our table.
        prepared: a part needs a prepared file of its name.
    """

    name: str
    label: str
    run: Callable[..., list[dict[str, Any]]]
    protocol: str
    title: str
    note: str
    parts: tuple[str, ...]
    first: tuple[str, ...]
    columns: tuple[tuple[str, str, int | None], ...]
    figure: tuple[str, str]
    remark: str
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    prepared: bool = False


@dataclass(frozen=True)
class Paper:
    """One of the papers that kernlab implements.

    Attributes:
        key, name: in addresses, and in texts.
        title: of the paper.
        citation: authors, place and year.
        claim: its results, in our words.
        results: its tables and figures that can be reproduced.
        mistakes: found in it, in the order of the page.
    """

    key: str
    name: str
    title: str
    citation: str
    claim: str
    results: tuple[PrintedTable | Reproduction, ...]
    mistakes: tuple[Mistake, ...]


PAPERS: Registry[Paper] = Registry("paper")
REPRODUCTIONS: Registry[Reproduction] = Registry("reproduction")


def publish(paper: Paper) -> None:
    """Register a paper with its tables and reproductions."""
    PAPERS.add(paper.key, paper)
    for result in paper.results:
        if isinstance(result, PrintedTable):
            TABLES.add(result.name, result)
        else:
            REPRODUCTIONS.add(result.name, result)


def over_repeats(turns: Sequence[Sequence[Mapping[str, Any]]], measured: Sequence[str]) -> list[dict[str, Any]]:
    """The tables of several repeats as one: measured columns become means, with ``…_std`` for two or more repeats."""
    rows = []
    for same in zip(*turns, strict=True):
        row = dict(same[0])
        for key in measured:
            values = [each[key] for each in same if each[key] is not None]
            if values:
                row[key] = statistics.fmean(values)
            if len(values) > 1:
                row[f"{key}_std"] = statistics.stdev(values)
        rows.append({**row, "repeats": len(same)})
    return rows


# -- drawing: printed results in red and dashed, correct ones in blue and solid

POINTS = 160  # of a curve
AS_PRINTED, AS_IT_IS = (VERMILLION, "dash"), (BLUE, "solid")
TENS: dict[str, Any] = {"type": "log", "dtick": 1, "exponentformat": "power"}


def line(x: Any, y: Any, name: str, colour: str, dash: str, where: str) -> go.Scatter:
    """A curve; ``where`` names the position in the hover text."""
    style = {"color": colour, "dash": dash, "width": 2.5}
    hover = f"{name}: %{{y:.4~g}}<extra>{where}</extra>"
    return go.Scatter(x=x, y=y, mode="lines", name=name, line=style, hovertemplate=hover)


def mark(at: float, value: float, name: str, hover: str, colour: str, symbol: str, size: int) -> go.Scatter:
    """One point, named in the legend."""
    marker = {"color": colour, "symbol": symbol, "size": size, "line": {"width": 2, "color": colour}}
    return go.Scatter(
        x=[at], y=[value], mode="markers", name=name, marker=marker, hovertemplate=f"{name}: {hover}<extra></extra>"
    )


def upright(x: float, colour: str, dash: str = "dot") -> dict[str, Any]:
    """A vertical line over the whole height of a figure."""
    style = {"color": colour, "dash": dash, "width": 2}
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": style}

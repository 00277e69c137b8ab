"""Names of classes among their points, in the place of a legend that would take the room of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.theme import PAPER, class_style, fade

FEW = 5  # classes that a legend has room for
_MANY = 30  # classes that all have room for their names at an axis
_LONGEST = 12  # letters of a name
_FAINT = 0.5  # opacity of points that have names among them
#: In CSS pixels: the smallest plot in which names must not overlap, a letter's width, and the height of a line.
_PLOT, _LETTER, _LINE = (300.0, 170.0), 12.0, 22.0


def with_class_names(drawn: go.Figure, x: ArrayLike, y: ArrayLike, codes: ArrayLike, names: Sequence[str]) -> go.Figure:
    """The figure, whose traces are named after classes, with each name at a point of its class instead of a legend.

    Args:
        drawn: with up to :data:`FEW` classes it keeps its legend.
        x, y: points [n].
        codes: their classes, from 0 [n].
        names: of the classes.
    """
    if len(names) <= FEW:
        return drawn
    for trace in drawn.data:
        if trace.name in names:
            trace.showlegend, trace.marker.opacity = False, _FAINT
    points, labels = np.column_stack([x, y]), [short(name) for name in names]
    return drawn.update_layout(annotations=[
        {
            "x": float(points[spot.place, 0]), "y": float(points[spot.place, 1]), "text": f"<b>{labels[code]}</b>",
            "xanchor": spot.anchor, "showarrow": False, "borderpad": 1, "bgcolor": fade(PAPER, 0.85),
            "name": f"class:{code}", "captureevents": True,  # a click selects the class
            "font": {"size": 14, "color": class_style(code)[0]},
        }
        for code, spot in spots(points, np.asarray(codes), labels).items()
    ])  # fmt: skip


class Spot(NamedTuple):
    """The point at which the name of a class stands."""

    place: int
    anchor: str  #: which part of the name is at the point: "left", "center" or "right"


def spots(points: NDArray[np.floating], codes: NDArray[np.integer], labels: Sequence[str]) -> dict[int, Spot]:
    """A place among the points [n 2] for the label of each class.

    The place is the nearest to the median of the class where no other label is. A label at a side of the plot stands
    inwards of its point, since the plot ends a few pixels beyond its outermost points.
    """
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    at = (points - low) / np.where(span > 0, span, 1.0) * _PLOT
    size = np.array([(_LETTER * len(label), _LINE) for label in labels])
    found: dict[int, Spot] = {}
    taken: dict[int, NDArray[np.floating]] = {}  # middles of the labels that have a place
    known, counts = np.unique(codes, return_counts=True)
    for code in known[np.argsort(counts, kind="stable")].tolist():  # a small class has the least choice
        mine = np.flatnonzero(codes == code)
        away = np.linalg.norm(at[mine] - np.median(at[mine], axis=0), axis=1)
        half = size[code, 0] / 2
        inwards = np.select([at[mine, 0] < half, at[mine, 0] > _PLOT[0] - half], [1, -1], 0)
        middle = at[mine] + np.column_stack([half * inwards, np.zeros(len(mine))])
        free = np.ones(len(mine))  # 1 and more: the labels do not overlap
        for other, theirs in taken.items():
            free = np.minimum(free, (np.abs(middle - theirs) / ((size[code] + size[other]) / 2)).max(axis=1))
        best = int(np.lexsort((away, -free))[0])
        found[code] = Spot(int(mine[best]), {1: "left", 0: "center", -1: "right"}[int(inwards[best])])
        taken[code] = middle[best]
    return found


def short(name: str, longest: int = _LONGEST) -> str:
    """A name, cut where it is longer than so many letters."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def named_ticks(places: Sequence[float | str], names: Sequence[str]) -> dict[str, Any]:
    """Ticks of an axis, one a class, with the names of the classes cut; none where there is no room for all of them."""
    if not 0 < len(names) <= _MANY:
        return {}
    return {"tickvals": list(places), "ticktext": [short(name) for name in names]}

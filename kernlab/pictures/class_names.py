"""Names of classes among their points, in the place of a legend that would take the room of the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.theme import PAPER, class_style, fade

FEW = 5  # classes that a legend has room for
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
    points, labels = np.column_stack([x, y]), [_short(name) for name in names]
    return drawn.update_layout(annotations=[
        {
            "x": float(points[place, 0]), "y": float(points[place, 1]), "text": f"<b>{labels[code]}</b>",
            "showarrow": False, "borderpad": 1, "bgcolor": fade(PAPER, 0.85),
            "name": f"class:{code}", "captureevents": True,  # a click selects the class
            "font": {"size": 14, "color": class_style(code)[0]},
        }
        for code, place in spots(points, np.asarray(codes), labels).items()
    ])  # fmt: skip


def spots(points: NDArray[np.floating], codes: NDArray[np.integer], labels: Sequence[str]) -> dict[int, int]:
    """A place among the points [n 2] for each class: the nearest to its median where no other label is."""
    span = np.ptp(points, axis=0)
    at = points / np.where(span > 0, span, 1.0) * _PLOT
    size = np.array([(_LETTER * len(label), _LINE) for label in labels])
    found: dict[int, int] = {}
    known, counts = np.unique(codes, return_counts=True)
    for code in known[np.argsort(counts, kind="stable")].tolist():  # a small class has the least choice
        mine = np.flatnonzero(codes == code)
        away = np.linalg.norm(at[mine] - np.median(at[mine], axis=0), axis=1)
        free = np.ones(len(mine))  # 1 and more: the labels do not overlap
        for other, place in found.items():
            free = np.minimum(free, (np.abs(at[mine] - at[place]) / ((size[code] + size[other]) / 2)).max(axis=1))
        found[code] = int(mine[np.lexsort((away, -free))[0]])
    return found


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"

"""The rows of a data set in a plane: on their first two principal directions, or in two columns chosen by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.class_names import with_class_names
from kernlab.pictures.marks import dots
from kernlab.pictures.sample_plane import SamplePlane, share_words
from kernlab.pictures.theme import BLUE, GREY, ORANGE, VERMILLION, class_style, colourbar, figure


class DataPlane(NamedTuple):
    """Rows as points."""

    x: NDArray[np.float32]  # x, y: coordinates [n]; of one input y is the target
    y: NDArray[np.float32]
    targets: NDArray[Any]  # class codes from 0, or real targets [n]
    classes: tuple[str, ...]  # their names; empty for real targets
    rows: NDArray[np.int64]  # numbers of the rows in the data set [n]
    test: NDArray[np.bool_]  # rows that are held out for testing [n]
    ringed: tuple[int, ...]  # places of the strangest rows
    axes: tuple[str, str]
    share: float  # of the variance that the plane holds


def data_plane(
    plane: SamplePlane, targets: ArrayLike, rows: ArrayLike, test: ArrayLike, *, ringed: Sequence[int] = (),
    classes: Sequence[str] = (), target: str = "target",
) -> DataPlane:  # fmt: skip
    """Rows in a plane.

    Args:
        plane: with the coordinates of the rows.
        targets: class codes from 0, or real targets [n].
        rows: their numbers in the data set [n].
        test: which of them are held out for testing [n].
        ringed: places of rows with a ring.
        classes: names of the classes.
        target: name of a real target.
    """
    values, one = np.asarray(targets), len(plane.axes) == 1
    axes = (plane.axes[0], ("class" if classes else target) if one else plane.axes[1])
    y = values if one else plane.coordinates[:, 1]
    return DataPlane(
        plane.coordinates[:, 0].astype(np.float32), y.astype(np.float32), values, tuple(map(str, classes)),
        np.asarray(rows), np.asarray(test, bool), tuple(int(place) for place in ringed), axes, plane.share,
    )  # fmt: skip


def plot_data_plane(view: DataPlane, *, parts: bool = False) -> go.Figure:
    """Points by class or coloured by target, or by the part of the split that they are in; strange rows have a ring."""
    traces: list[Any] = []
    for name, mine, colour, symbol, look in _groups(view, parts):
        words = "row %{customdata}" + ("" if view.classes or parts else ": %{marker.color:.4~g}")
        traces.append(dots(
            view.x[mine], view.y[mine], name, colour, words, extra=name, symbol=symbol, size=6, marker=look,
            customdata=view.rows[mine].astype(np.int32), showlegend=len(view.classes) > 1 or parts,
        ))  # fmt: skip
    if view.ringed:
        kept = list(view.ringed)
        traces.append(dots(
            view.x[kept], view.y[kept], "strangest rows", VERMILLION, "row %{customdata}", symbol="circle-open",
            size=15, outline={"width": 2.5}, customdata=view.rows[kept].astype(np.int32), showlegend=True,
        ))  # fmt: skip
    drawn = figure(
        traces, title="The split" if parts else "The rows in a plane", x=view.axes[0], y=view.axes[1],
        subtitle=f"{len(view.x)} rows{share_words(view.share)}", revision=f"data:{view.axes}",
        xaxis={"zeroline": False}, yaxis={"zeroline": False},
    )  # fmt: skip
    return drawn if parts else with_class_names(drawn, view.x, view.y, view.targets, view.classes)


def _groups(view: DataPlane, parts: bool) -> list[tuple[str, NDArray[np.int64], Any, str | None, dict[str, Any]]]:
    """Name, places, colour, symbol and look of each group of points."""
    if parts:
        two = (("training rows", ~view.test, BLUE, "circle"), ("test rows", view.test, ORANGE, "diamond"))
        return [(name, np.flatnonzero(of), colour, symbol, {"opacity": 0.7}) for name, of, colour, symbol in two]
    if not view.classes:
        look = {"colorscale": "Cividis", "colorbar": colourbar("target"), "line": {"color": GREY, "width": 0.5}}
        return [("rows", np.arange(len(view.x)), view.targets, None, look)]
    codes = np.unique(view.targets).tolist()
    return [
        (view.classes[code], np.flatnonzero(view.targets == code), *class_style(code), {"opacity": 0.8})
        for code in codes
    ]

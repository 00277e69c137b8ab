"""Frequencies as points that can be selected, and the properties of the selected ones.

Pairs are points (uᵀω, uᵀω'); single frequencies have one number along a line and are drawn against their length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.density import FREQUENCY_UNIT
from kernlab.pictures.directions import direction
from kernlab.pictures.marks import dots, stated
from kernlab.pictures.spectrum import (
    LOOK,
    Spectrum,
    chosen,
    distances,
    frequencies_at,
    lengths,
    nonstationarity,
    selected,
    where,
)
from kernlab.pictures.theme import GREEN, GREY, fade, figure
from kernlab.pictures.thinning import spread

#: Points drawn at most; more are slow to drag a lasso over.
CLOUD = 1500


class Cloud(NamedTuple):
    """Frequencies as points."""

    what: str  # the direction in words
    places: NDArray[np.int32]  # number of each point's frequency [p]
    x: NDArray[np.float32]  # uᵀω [p]
    y: NDArray[np.float32]  # uᵀω' of pairs, else ‖ω‖ [p]
    pairs: bool  # y is uᵀω'
    marked: NDArray[np.intp]  # positions among the p of the selected ones
    total: int  # frequencies, of which an even sample and all selected ones are drawn


class SelectedFrequencies(NamedTuple):
    """Properties of some frequencies, one by one."""

    what: str  # the direction in words
    places: NDArray[np.intp]  # their numbers [s]
    along: NDArray[np.float32]  # uᵀω [s]
    along_prime: NDArray[np.float32] | None  # uᵀω' [s] of pairs, else None
    length: NDArray[np.float32]  # ‖ω‖ [s]; of pairs √(‖ω‖² + ‖ω'‖²)
    apart: NDArray[np.float32] | None  # ‖ω − ω'‖ [s] of pairs, else None
    moved: NDArray[np.float32] | None  # distance from the start [s], None where that is not known
    share: NDArray[np.float32]  # q, the weight in the kernel [s]
    nonstationarity: float | None  # ν of the selected pairs alone, None of single frequencies


def cloud(direction: ArrayLike, now: Spectrum, selected: ArrayLike = (), *, what: str = "") -> Cloud:
    """At most 1500 frequencies as points, the selected ones always among them.

    Args:
        direction: u [d]; scaled to unit length.
        now: frequencies of the moment.
        selected: numbers of those to mark.
        what: the direction in words, for the title.

    Raises:
        OptionError: a selected frequency does not exist.
    """
    mine = chosen(selected, now.size)
    places = np.union1d(spread(now.size, CLOUD), mine)
    drawn = now.taken(places)
    x, *other = drawn.along(direction)
    y = other[0] if other else lengths(drawn)
    f32, marked = np.float32, np.searchsorted(places, mine)
    return Cloud(what, places.astype(np.int32), x.astype(f32), y.astype(f32), bool(other), marked, now.size)


def selection(
    direction: ArrayLike, now: Spectrum, selected: ArrayLike, before: Spectrum | None = None, *, what: str = ""
) -> SelectedFrequencies:
    """Properties of the selected frequencies, in their order.

    Args:
        direction: u [d]; scaled to unit length.
        now: frequencies of the moment.
        selected: their numbers.
        before: all frequencies before training.
        what: the direction in words.

    Raises:
        OptionError: a selected frequency does not exist.
    """
    chosen(selected, now.size)  # for its error
    places = np.asarray(selected, np.intp)
    mine = now.taken(places)
    along, *other = mine.along(direction)
    same = before is not None and before.omega.shape == now.omega.shape
    moved = distances(mine, before.taken(places)) if before is not None and same else None
    apart = None
    if mine.omega_prime is not None:
        gap = mine.omega - mine.omega_prime
        apart = np.sqrt(np.einsum("ij,ij->j", gap, gap)).astype(np.float32)
    f32 = np.float32
    return SelectedFrequencies(
        what, places, along.astype(f32), other[0].astype(f32) if other else None, lengths(mine).astype(f32), apart,
        None if moved is None else moved.astype(f32), now.shares[places].astype(f32),
        None if mine.omega_prime is None else nonstationarity(mine.omega, mine.omega_prime),
    )  # fmt: skip


def plot_cloud(cloud: Cloud) -> go.Figure:
    """Single frequencies by their part along a line and their length; pairs by ω and ω'."""
    some = f", {len(cloud.x)} of {cloud.total} drawn" if len(cloud.x) < cloud.total else ""
    return figure(
        points(cloud), title="Pairs of frequencies" if cloud.pairs else "Frequencies", subtitle=f"{cloud.what}{some}",
        x=f"ω ({FREQUENCY_UNIT})", y="ω'" if cloud.pairs else f"‖ω‖ ({FREQUENCY_UNIT})",
        revision=f"cloud:{cloud.what}", **selecting(cloud.marked),
    )  # fmt: skip


def selecting(marked: Any) -> dict[str, Any]:
    """Layout in which dragging selects; the outline of a selection goes as soon as its points are marked."""
    return {"dragmode": "select", "selections": [], "selectionrevision": ",".join(map(str, marked))}


def points(cloud: Cloud) -> list[Any]:
    """Traces of the points, which state the frequency that each of them is."""
    other = "ω'" if cloud.pairs else "‖ω‖"
    marked = np.isin(np.arange(len(cloud.x)), cloud.marked)
    white = {"color": "white", "width": 1}
    looks: tuple[tuple[str, Any, dict[str, Any]], ...] = (
        ("pairs" if cloud.pairs else "frequencies", ~marked, {"colour": fade(GREY, 0.6), "size": 5}),
        ("selected", marked, {"colour": GREEN, "size": 9, "symbol": "diamond", "outline": white}),
    )
    hover = f"frequency %{{customdata}}<br>ω %{{x:.3~g}}, {other} %{{y:.3~g}}"
    rest: dict[str, Any] = {"hover": hover, "unselected": {"marker": {"opacity": 1}}}
    return [
        dots(
            cloud.x[mine],
            cloud.y[mine],
            name,
            customdata=cloud.places[mine],
            meta=stated(frequency=cloud.places[mine]),
            **look,
            **rest,
        )
        for name, mine, look in looks
        if mine.any()
    ]


@picture("inside.spectrum", alt="Frequencies as points that can be selected", arrays=("omega",),
         when=lambda at: "omega_prime" not in at.arrays, uses=LOOK, height=360)  # fmt: skip
def draw_frequency_cloud(at: At) -> go.Figure:
    """Single frequencies along one direction against their length."""
    return plot_cloud(cloud(direction(at), frequencies_at(at)[0], selected(at), what=where(at)))

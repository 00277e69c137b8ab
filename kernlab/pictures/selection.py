"""Frequencies that can be pointed at, and what is known about those that were.

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
from kernlab.pictures.spectrum import (
    LOOK,
    Spectrum,
    chosen,
    distances,
    frequencies_at,
    lengths,
    nonstationarity,
    selected,
    take_frequencies,
    where,
)
from kernlab.pictures.theme import GREEN, GREY, fade, figure
from kernlab.pictures.thinning import spread

#: Points drawn at most; more are slow to drag a lasso over.
CLOUD = 1500


class Cloud(NamedTuple):
    """Frequencies as points.

    Attributes:
        what: where one looks.
        places: which frequency each point is [p].
        x: uᵀω [p].
        y: uᵀω' of pairs, else ‖ω‖ [p].
        pairs: y is uᵀω'.
        marked: positions among the p of the selected ones.
        total: frequencies, of which an even sample and all selected ones are drawn.
    """

    what: str
    places: NDArray[np.int32]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    pairs: bool
    marked: NDArray[np.intp]
    total: int


class SelectedFrequencies(NamedTuple):
    """What is known about some frequencies, one by one.

    Attributes:
        what: where one looks.
        places: which frequencies [s].
        along: uᵀω [s].
        along_prime: uᵀω' [s] of pairs, else None.
        length: ‖ω‖ [s]; of pairs √(‖ω‖² + ‖ω'‖²).
        apart: ‖ω − ω'‖ [s] of pairs, else None.
        moved: distance from where it began [s], None where that is not known.
        share: q, how much it counts in the kernel [s].
        nonstationarity: ν of the selected pairs alone, None of single frequencies.
    """

    what: str
    places: NDArray[np.intp]
    along: NDArray[np.float32]
    along_prime: NDArray[np.float32] | None
    length: NDArray[np.float32]
    apart: NDArray[np.float32] | None
    moved: NDArray[np.float32] | None
    share: NDArray[np.float32]
    nonstationarity: float | None


def cloud(direction: ArrayLike, now: Spectrum, selected: ArrayLike = (), *, what: str = "") -> Cloud:
    """At most 1500 frequencies as points, the selected ones always among them.

    Args:
        direction: u [d]; scaled to unit length.
        now: frequencies of the moment.
        selected: which ones to mark.
        what: where one looks, for the title.

    Raises:
        OptionError: a selected frequency does not exist.
    """
    mine = chosen(selected, now.size)
    places = np.union1d(spread(now.size, CLOUD), mine)
    drawn = now.taken(places)
    x, *other = drawn.along(direction)
    y = other[0] if other else lengths(drawn)
    return Cloud(
        what,
        places.astype(np.int32),
        x.astype(np.float32),
        y.astype(np.float32),
        bool(other),
        np.searchsorted(places, mine),
        now.size,
    )


def selection(
    direction: ArrayLike, now: Spectrum, selected: ArrayLike, before: Spectrum | None = None, *, what: str = ""
) -> SelectedFrequencies:
    """Frequencies as a table, in the order in which they are named.

    Args:
        direction: u [d]; scaled to unit length.
        now: frequencies of the moment.
        selected: which ones.
        before: all of them before training.
        what: where one looks.

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
    return SelectedFrequencies(
        what,
        places,
        along.astype(np.float32),
        other[0].astype(np.float32) if other else None,
        lengths(mine).astype(np.float32),
        apart,
        None if moved is None else moved.astype(np.float32),
        now.shares[places].astype(np.float32),
        None if mine.omega_prime is None else nonstationarity(mine.omega, mine.omega_prime),
    )


def plot_cloud(cloud: Cloud) -> go.Figure:
    """Single frequencies by their part along a line and their length; pairs by ω and ω'."""
    some = f", {len(cloud.x)} of {cloud.total} drawn" if len(cloud.x) < cloud.total else ""
    return figure(
        points(cloud),
        title="Pairs of frequencies" if cloud.pairs else "Frequencies",
        subtitle=f"{cloud.what}{some}",
        x=f"ω ({FREQUENCY_UNIT})",
        y="ω'" if cloud.pairs else f"‖ω‖ ({FREQUENCY_UNIT})",
        revision=f"cloud:{cloud.what}",
        **selecting(cloud.marked),
    )


def selecting(marked: Any) -> dict[str, Any]:
    """Layout in which dragging selects; what was drawn for that goes as soon as the selection is marked itself."""
    return {"dragmode": "select", "selections": [], "selectionrevision": ",".join(map(str, marked))}


def points(cloud: Cloud) -> list[Any]:
    """Traces of the points; a selection reports as ``customdata`` which frequency each is."""
    other = "ω'" if cloud.pairs else "‖ω‖"
    marked = np.isin(np.arange(len(cloud.x)), cloud.marked)
    looks = (
        ("pairs" if cloud.pairs else "frequencies", ~marked, {"color": fade(GREY, 0.6), "size": 5}),
        ("selected", marked, {"color": GREEN, "size": 9, "symbol": "diamond", "line": {"color": "white", "width": 1}}),
    )
    return [
        go.Scatter(
            x=cloud.x[mine],
            y=cloud.y[mine],
            customdata=cloud.places[mine],
            mode="markers",
            name=name,
            marker=marker,
            unselected={"marker": {"opacity": 1}},
            hovertemplate=f"frequency %{{customdata}}<br>ω %{{x:.3~g}}, {other} %{{y:.3~g}}<extra></extra>",
        )
        for name, mine, marker in looks
        if mine.any()
    ]


@picture("inside.spectrum", alt="Frequencies as points that can be selected", arrays=("omega",),
         when=lambda at: "omega_prime" not in at.arrays, uses=(*LOOK, "frequencies"), height=360,
         events=("click", "select"), taken=take_frequencies)  # fmt: skip
def draw_frequency_cloud(at: At) -> go.Figure:
    """Single frequencies along one direction against their length."""
    return plot_cloud(cloud(direction(at), frequencies_at(at)[0], selected(at), what=where(at)))

"""Frequencies of inputs that are pictures, as pictures: some of them side by side, or what changed about them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, has_images, picture
from kernlab.pictures.mosaic import mosaic
from kernlab.pictures.selection import selecting
from kernlab.pictures.spectrum import (
    Order,
    Spectrum,
    chosen,
    distances,
    frequencies_at,
    lengths,
    ranked,
    selected,
    take_frequencies,
    then_at,
)
from kernlab.pictures.theme import DIVERGING, GREEN, colourbar, figure


class FrequencyPictures(NamedTuple):
    """Some columns of Ω (of pairs, of Ω') as pictures, tiled into one mosaic with a gap of one cell.

    Attributes:
        mosaic: [rows columns], NaN in the gaps.
        limit: colours run from −limit to limit.
        shown: which mosaic, row by row [p].
        x, y: where the tiles' centres are in the mosaic [p].
        size: height and width of a tile.
        marked: positions among the p of the selected mosaic.
        length, moved: of each tile's frequency [p]; ``moved`` is None where it is not known.
        order: how they were chosen, in words.
        name: "ω" or "ω'".
        total: columns of Ω.
        change: the mosaic holds now − then instead of now.
    """

    mosaic: NDArray[np.float32]
    limit: float
    shown: NDArray[np.intp]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    size: tuple[int, int]
    marked: NDArray[np.intp]
    length: NDArray[np.float32]
    moved: NDArray[np.float32] | None
    order: str
    name: str
    total: int
    change: bool


def frequency_pictures(
    now: Spectrum,
    shape: tuple[int, int],
    *,
    then: Spectrum | None = None,
    order: Order = "longest",
    selected: ArrayLike = (),
    prime: bool = False,
    change: bool = False,
    count: int = 36,
) -> FrequencyPictures:
    """Frequencies as pictures of ``shape`` (height, width).

    Args:
        now: mosaic of the moment.
        shape: height and width of an input picture.
        then: an earlier moment, for what has moved and what has changed.
        order: which come first, as :func:`kernlab.pictures.spectrum.ranked`.
        selected: mosaic that come before all others, and are marked.
        prime: show ω' of pairs.
        change: show now − then, where ``then`` has the same mosaic.
        count: tiles wanted; fewer are shown where the mosaic would be too large to send.

    Raises:
        OptionError: the pictures have another size than the columns, or a selected frequency does not exist.
    """
    places = chosen(selected, now.size)
    moved = None if then is None else distances(now, then)
    size, (listed, order) = lengths(now), ranked(now, then, order, selected)

    prime = prime and now.omega_prime is not None
    change = change and then is not None and moved is not None
    column = int(prime)
    drawn = now.both[column]
    if change and then is not None:
        drawn = drawn - then.both[column]
    tiled = mosaic(drawn, shape, count=count, order=listed)
    height, width = shape
    across = (tiled.mosaic.shape[1] + 1) // (width + 1)
    row, place = np.divmod(np.arange(len(tiled.shown)), across)
    return FrequencyPictures(
        tiled.mosaic,
        tiled.limit,
        tiled.shown,
        (place * (width + 1) + (width - 1) / 2).astype(np.float32),
        (row * (height + 1) + (height - 1) / 2).astype(np.float32),
        (height, width),
        np.flatnonzero(np.isin(tiled.shown, places)),
        size[tiled.shown].astype(np.float32),
        None if moved is None else moved[tiled.shown].astype(np.float32),
        f"the selected ones, then the {order}" if len(places) else f"the {order}",
        "ω'" if prime else "ω",
        now.size,
        change,
    )


def plot_frequency_pictures(view: FrequencyPictures) -> go.Figure:
    """Blue above zero, vermillion below; the selected ones are framed. A tile's middle names its frequency."""
    height, width = view.size
    moved = view.length if view.moved is None else view.moved
    labels = [
        f"length {a:.3g}" + ("" if view.moved is None else f", moved {b:.3g}")
        for a, b in zip(view.length, moved, strict=True)
    ]
    traces = [
        go.Heatmap(
            z=view.mosaic,
            zmin=-view.limit,
            zmax=view.limit,
            colorscale=DIVERGING,
            hoverongaps=False,
            colorbar=colourbar(f"{view.name} now − then" if view.change else view.name),
            name=view.name,
            hovertemplate=f"{view.name} at this pixel: %{{z:.3~g}}<extra></extra>",
        ),
        go.Scatter(
            x=view.x,
            y=view.y,
            mode="markers",
            name="frequencies",
            showlegend=False,
            customdata=view.shown.astype(np.int32),
            text=labels,
            marker={"color": "rgba(0,0,0,0)", "size": 14},
            hovertemplate="frequency %{customdata}<br>%{text}<extra></extra>",
        ),
    ]
    frames: list[dict[str, Any]] = [
        {
            "type": "rect",
            "x0": float(view.x[place]) - width / 2,
            "x1": float(view.x[place]) + width / 2,
            "y0": float(view.y[place]) - height / 2,
            "y1": float(view.y[place]) + height / 2,
            "line": {"color": GREEN, "width": 3},
        }
        for place in view.marked
    ]
    hidden = {"visible": False}
    return figure(
        traces,
        title="What changed about the frequencies" if view.change else "Frequencies as pictures",
        subtitle=f"{len(view.shown)} of {view.total}, {view.order}",
        x="",
        y="",
        revision=f"frequencies:{view.name}:{view.change}:{view.order}",
        xaxis={**hidden, "constrain": "domain"},
        yaxis={**hidden, "autorange": "reversed", "scaleanchor": "x", "constrain": "domain"},
        shapes=frames,
        **selecting(view.marked),
    )


@picture("spectrum", alt="Frequencies as pictures", arrays=("omega",), when=has_images, height=420,
         uses=("order", "frequencies"), events=("click", "select"), taken=take_frequencies)  # fmt: skip
def draw_frequencies(at: At) -> go.Figure:
    """Frequencies as pictures of the size of the inputs, or what has changed about them."""
    assert at.image
    now, before = frequencies_at(at)
    then = then_at(at)
    return plot_frequency_pictures(
        frequency_pictures(
            now, at.image, then=then or before, order=at.view["order"], selected=selected(at), change=then is not None
        )
    )

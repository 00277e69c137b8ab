"""Frequencies of inputs that are pictures, as pictures: some of them side by side, or what changed about them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, has_images, picture
from kernlab.pictures.marks import PIXELS, cells, dots, stated
from kernlab.pictures.mosaic import centres, mosaic
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
    then_at,
)
from kernlab.pictures.theme import DIVERGING, GREEN, figure


class FrequencyPictures(NamedTuple):
    """Some columns of Ω (of pairs, of Ω') as pictures, tiled into one mosaic with a gap of one cell."""

    mosaic: NDArray[np.float32]  # [rows columns], NaN in the gaps
    limit: float  # colours run from −limit to limit
    shown: NDArray[np.intp]  # which columns of Ω, row by row [p]
    x: NDArray[np.float32]  # x, y: where the tiles' centres are in the mosaic [p]
    y: NDArray[np.float32]
    size: tuple[int, int]  # height and width of a tile
    marked: NDArray[np.intp]  # positions among the p of the selected frequencies
    length: NDArray[np.float32]  # length, moved: of each tile's frequency [p]; ``moved`` is None where it is not known
    moved: NDArray[np.float32] | None
    order: str  # how they were chosen, in words
    name: str  # "ω" or "ω'"
    total: int  # columns of Ω
    change: bool  # the mosaic holds now − then instead of now


def frequency_pictures(
    now: Spectrum, shape: tuple[int, int], *, then: Spectrum | None = None, order: Order = "longest",
    selected: ArrayLike = (), prime: bool = False, change: bool = False, count: int = 36,
) -> FrequencyPictures:  # fmt: skip
    """Frequencies as pictures of ``shape`` (height, width).

    Args:
        now: frequencies of the moment.
        shape: height and width of an input picture.
        then: an earlier moment, for what has moved and what has changed.
        order: which come first, as :func:`kernlab.pictures.spectrum.ranked`.
        selected: frequencies that come before all others, and are marked.
        prime: show ω' of pairs.
        change: show now − then, where ``then`` has the same frequencies.
        count: tiles wanted; fewer are shown where the mosaic would be too large to send.

    Raises:
        OptionError: the pictures have another size than the columns, or a selected frequency does not exist.
    """
    places = chosen(selected, now.size)
    moved = None if then is None else distances(now, then)
    size, (listed, order) = lengths(now), ranked(now, then, order, selected)

    prime = prime and now.omega_prime is not None
    change = change and then is not None and moved is not None
    which = 1 if prime else 0
    drawn = now.both[which]
    if change and then is not None:
        drawn = drawn - then.both[which]
    tiled = mosaic(drawn, shape, count=count, order=listed)
    x, y = centres(tiled, shape)
    return FrequencyPictures(
        tiled.mosaic, tiled.limit, tiled.shown, x, y, shape, np.flatnonzero(np.isin(tiled.shown, places)),
        size[tiled.shown].astype(np.float32), None if moved is None else moved[tiled.shown].astype(np.float32),
        f"the selected ones, then the {order}" if len(places) else f"the {order}", "ω'" if prime else "ω", now.size,
        change,
    )  # fmt: skip


def plot_frequency_pictures(view: FrequencyPictures) -> go.Figure:
    """Blue above zero, vermillion below; the selected ones are framed. A tile's middle names its frequency."""
    labels = [f"length {length:.3g}" for length in view.length]
    if view.moved is not None:
        labels = [f"{label}, moved {moved:.3g}" for label, moved in zip(labels, view.moved, strict=True)]
    traces = [
        cells(view.mosaic, view.name, f"{view.name} at this pixel: %{{z:.3~g}}", DIVERGING, (-view.limit, view.limit),
              strip=f"{view.name} now − then" if view.change else "", hoverongaps=False),
        dots(view.x, view.y, "frequencies", "rgba(0,0,0,0)", "frequency %{customdata}<br>%{text}", size=14,
             showlegend=False, customdata=view.shown.astype(np.int32), text=labels,
             meta=stated(frequency=view.shown)),
    ]  # fmt: skip
    height, width = view.size
    centres = [(float(view.x[place]), float(view.y[place])) for place in view.marked]
    frames = [
        {"type": "rect", "x0": x - width / 2, "x1": x + width / 2, "y0": y - height / 2, "y1": y + height / 2,
         "line": {"color": GREEN, "width": 3}}
        for x, y in centres
    ]  # fmt: skip
    return figure(
        traces, title="What changed about the frequencies" if view.change else "Frequencies as pictures",
        subtitle=f"{len(view.shown)} of {view.total}, {view.order}", x="", y="",
        revision=f"frequencies:{view.name}:{view.change}:{view.order}", **PIXELS, shapes=frames,
        **selecting(view.marked),
    )  # fmt: skip


@picture("spectrum", alt="Frequencies as pictures", arrays=("omega",), when=has_images, height=420,
         uses=("order", "frequencies"))  # fmt: skip
def draw_frequencies(at: At) -> go.Figure:
    """Frequencies as pictures of the size of the inputs, or what has changed about them."""
    assert at.image
    now, before = frequencies_at(at)
    then = then_at(at)
    return plot_frequency_pictures(frequency_pictures(
        now, at.image, then=then or before, order=at.view["order"], selected=selected(at), change=then is not None
    ))  # fmt: skip

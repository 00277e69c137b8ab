"""Frequencies of inputs that are pictures, as pictures: some of them side by side, or what changed about them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.function_view import frequencies
from kernlab.analysis.spectrum import Order, Spectrum, chosen, distances, lengths, ranked

__all__ = ["FrequencyPictures", "frequency_pictures"]


class FrequencyPictures(NamedTuple):
    """Some columns of Ω (of pairs, of Ω') as pictures, tiled into one mosaic with a gap of one cell.

    Attributes:
        mosaic: [rows columns], NaN in the gaps.
        limit: colours run from −limit to limit.
        shown: which frequencies, row by row [p].
        x, y: where the tiles' centres are in the mosaic [p].
        size: height and width of a tile.
        marked: positions among the p of the selected frequencies.
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
        now: frequencies of the moment.
        shape: height and width of an input picture.
        then: an earlier moment, for what has moved and what has changed.
        order: which come first, as :func:`kernlab.analysis.spectrum.ranked`.
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
    column = int(prime)
    drawn = now.both[column]
    if change and then is not None:
        drawn = drawn - then.both[column]
    tiled = frequencies(drawn, shape, count=count, order=listed)
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

"""Columns of a matrix as pictures, tiled into one mosaic."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError

#: Cells of a mosaic at most; keeps the figure below 200 kB.
_MOSAIC = 28_000


class Mosaic(NamedTuple):
    """Some columns of a matrix as pictures, with a gap of one cell between tiles."""

    mosaic: NDArray[np.float32]  # [rows columns], NaN in the gaps
    limit: float  # colours run from −limit to limit
    shown: NDArray[np.intp]  # which columns of the matrix, row by row


def centres(tiled: Mosaic, shape: tuple[int, int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Column and row of the mosaic at which the middle of each tile is [p]; tiles are ``shape`` (height, width)."""
    height, width = shape
    row, column = np.divmod(np.arange(len(tiled.shown)), (tiled.mosaic.shape[1] + 1) // (width + 1))
    x, y = column * (width + 1) + (width - 1) / 2, row * (height + 1) + (height - 1) / 2
    return x.astype(np.float32), y.astype(np.float32)


def mosaic(columns: ArrayLike, shape: tuple[int, int], order: ArrayLike, *, count: int = 64) -> Mosaic:
    """Columns as pictures of ``shape`` (height, width), tiled.

    Args:
        columns: [d D], d = height · width.
        shape: height and width of an input picture.
        order: the columns to show, the most important first.
        count: tiles wanted; fewer are shown where the mosaic would be too large to send.

    Raises:
        OptionError: the pictures have another size than the columns.
    """
    columns = np.asarray(columns)
    height, width = shape
    if height * width != columns.shape[0]:
        raise OptionError(f"height times width must be the {columns.shape[0]} inputs", f"{height} × {width}")
    count = max(1, min(count, columns.shape[1]))
    most = max(1, _MOSAIC // ((height + 1) * (width + 1)))
    if count > most:
        count = most // math.isqrt(most) * math.isqrt(most)  # full rows: gaps at the end cost as much as tiles
    shown = np.asarray(order, np.intp)[:count]
    tiles = columns[:, shown].T.reshape(len(shown), height, width).astype(np.float32)
    across = math.isqrt(len(shown) - 1) + 1
    down = -(-len(shown) // across)
    padded = np.full((down * across, height + 1, width + 1), np.nan, np.float32)
    padded[: len(shown), :height, :width] = tiles
    tiled = padded.reshape(down, across, height + 1, width + 1).swapaxes(1, 2)
    tiled = tiled.reshape(down * (height + 1), across * (width + 1))[:-1, :-1]
    # A few extreme entries should not wash out the rest.
    limit = float(np.quantile(np.abs(tiles), 0.995))
    return Mosaic(np.ascontiguousarray(tiled), limit, shown)

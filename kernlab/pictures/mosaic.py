"""What the learned function looks like, in the view that suits the data.

d = 2   decision regions, or the regression surface
d = 1   the regression curve, or one score per class
d > 2   a projection of test points, coloured by what is predicted for them
pictures as inputs   the frequencies themselves, as pictures
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError

#: Cells of a mosaic of mosaic at most; keeps the figure below 200 kB.
_MOSAIC = 28_000


class Mosaic(NamedTuple):
    """Some columns of Ω as pictures, tiled into one mosaic with a gap of one cell.

    Attributes:
        mosaic: [rows columns], NaN in the gaps.
        limit: colours run from −limit to limit.
        shown: which columns of Ω, row by row.
        total: columns of Ω.
        each: every tile was divided by its own largest |ω|.
    """

    mosaic: NDArray[np.float32]
    limit: float
    shown: NDArray[np.intp]
    total: int
    each: bool


def mosaic(
    omega: ArrayLike, shape: tuple[int, int], *, count: int = 64, order: str | ArrayLike = "norm", each: bool = False
) -> Mosaic:
    """Columns of Ω as pictures of ``shape`` (height, width), tiled.

    Args:
        omega: mosaic [d D], d = height · width.
        shape: height and width of an input picture.
        count: tiles wanted; fewer are shown where the mosaic would be too large to send.
        order: "norm" (longest first), "index", or the columns to show.
        each: scale every tile by its own largest |ω| instead of one scale for all.

    Raises:
        OptionError: the pictures have another size than the columns.
    """
    omega = np.asarray(omega)
    height, width = shape
    if height * width != omega.shape[0]:
        raise OptionError(f"height times width must be the {omega.shape[0]} inputs", f"{height} × {width}")
    count = max(1, min(count, omega.shape[1]))
    most = max(1, _MOSAIC // ((height + 1) * (width + 1)))
    if count > most:
        count = most // math.isqrt(most) * math.isqrt(most)  # full rows: gaps at the end cost as much as tiles
    if isinstance(order, str):
        size = np.einsum("ij,ij->j", omega, omega) if order == "norm" else -np.arange(omega.shape[1])
        shown = np.argsort(-size, kind="stable")[:count]
    else:
        shown = np.asarray(order, np.intp)[:count]
    tiles = omega[:, shown].T.reshape(len(shown), height, width).astype(np.float32)
    if each:
        tiles = tiles / np.maximum(np.abs(tiles).max(axis=(1, 2), keepdims=True), np.finfo(np.float32).tiny)
    across = math.isqrt(len(shown) - 1) + 1
    down = -(-len(shown) // across)
    padded = np.full((down * across, height + 1, width + 1), np.nan, np.float32)
    padded[: len(shown), :height, :width] = tiles
    mosaic = padded.reshape(down, across, height + 1, width + 1).swapaxes(1, 2)
    mosaic = mosaic.reshape(down * (height + 1), across * (width + 1))[:-1, :-1]
    # A few extreme entries should not wash out the rest.
    limit = float(np.quantile(np.abs(tiles), 0.995)) or 1.0
    return Mosaic(np.ascontiguousarray(mosaic), limit, shown, omega.shape[1], each)

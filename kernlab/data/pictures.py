"""Is a row of numbers a picture? Answered from the numbers, never from a name.

A square grey picture of side s, read row by row, shows three things at once:

1. the pixels share one range: most columns reach the table's smallest value, or span most of its range;
2. a pixel resembles its right-hand neighbour (lag 1) and the one below (lag s);
3. it resembles the one below *more* than the one half a row away (lag s/2). A time series or a
   spectrum of s² points has the first two properties too, but its resemblance only falls with the lag.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["picture_shape"]

_ROWS = 1000  # rows looked at, spread evenly: correlations of a few tenths are clear from that many
_NEIGHBOUR = 0.25  # smallest mean correlation between neighbouring pixels
_MARGIN = 0.1  # by which the pixel below must beat the one half a row away


def picture_shape(X: NDArray[np.float32]) -> tuple[int, int] | None:
    """(height, width) when the rows of X [n d] are square pictures of at least 8 × 8 pixels, else None."""
    n, d = X.shape
    side = math.isqrt(d)
    if side < 8 or side * side != d or n < 20:
        return None
    Z = X[np.linspace(0, n - 1, min(n, _ROWS)).astype(int)].astype(np.float64)
    low, high = Z.min(axis=0), Z.max(axis=0)
    shared = (low == low.min()) | (high - low >= 0.5 * (high.max() - low.min()))
    if shared.mean() < 0.5:
        return None
    Z -= Z.mean(axis=0)
    deviation = np.sqrt((Z**2).mean(axis=0))
    varies = deviation > 0
    Z /= np.where(varies, deviation, 1.0)
    grid, alive = Z.reshape(-1, side, side), varies.reshape(side, side)

    def resemblance(dy: int, dx: int) -> float:
        """Mean correlation of pixels (y, x) and (y + dy, x + dx); a blank pixel has none to give."""
        both = alive[: side - dy, : side - dx] & alive[dy:, dx:]
        pairs = (grid[:, : side - dy, : side - dx] * grid[:, dy:, dx:]).mean(axis=0)
        return float(pairs[both].mean()) if both.any() else 0.0

    right, below, away = resemblance(0, 1), resemblance(1, 0), resemblance(0, side // 2)
    return (side, side) if min(right, below) >= _NEIGHBOUR and below - away >= _MARGIN else None

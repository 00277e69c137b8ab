"""Fewer points, the same picture: a browser draws a thousand SVG points well and a hundred thousand badly."""

from __future__ import annotations

from typing import Any

import numpy as np
import tsdownsample
from numpy.typing import NDArray

#: Points a drawn curve keeps at most.
MAX_POINTS = 1000
_DOWNSAMPLER: Any = tsdownsample.MinMaxLTTBDownsampler()  # type: ignore[no-untyped-call]


def thin(x: NDArray[np.floating], y: NDArray[np.floating], limit: int = MAX_POINTS) -> NDArray[np.intp]:
    """Positions of the at most ``limit`` points that keep the look of a curve, its ends among them.

    MinMaxLTTB: extrema of equal buckets first, then the largest triangles among those.

    Args:
        x, y: the curve [n], finite, x ascending.
        limit: points kept at most (4 or more).

    Source: Van Der Donckt et al., MinMaxLTTB, IEEE VIS 2023.
    """
    if len(y) <= limit:
        return np.arange(len(y))
    kept = _DOWNSAMPLER.downsample(
        np.ascontiguousarray(x, np.float64), np.ascontiguousarray(y, np.float64), n_out=limit
    )
    return np.unique(kept.astype(np.intp))


def spread(n: int, limit: int) -> NDArray[np.intp]:
    """Positions of at most ``limit`` of ``n`` rows, evenly spread (for clouds of points, where order means nothing)."""
    if n <= limit:
        return np.arange(n)
    return np.linspace(0, n - 1, limit).astype(np.intp)


def sampled(n: int, limit: int, seed: int = 0) -> NDArray[np.int64]:
    """Numbers of at most ``limit`` of ``n`` rows, ascending, drawn without replacement with a fixed seed."""
    if n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, limit, replace=False))

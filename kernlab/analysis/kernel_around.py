"""The kernel as a function around one point, k(x₀, ·): along a line as curves, on a plane as contours.

The line and the plane go through x₀ along the directions of :mod:`kernlab.analysis.sample_plane`: the inputs
themselves where there are one or two, else the sample's principal directions, all other directions staying as they
are at x₀.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.exact_kernel import GramFunction
from kernlab.analysis.sample_plane import SamplePlane

__all__ = ["KernelProfile", "KernelSurface", "kernel_profile", "kernel_surface"]

LINE, GRID = 201, 41
UNLIKE = 10.0  # times as large: beyond that one curve would flatten the other


class KernelProfile(NamedTuple):
    """k(x₀, ·) along the first direction.

    Attributes:
        x: coordinate [g].
        names: which kernels.
        values: k(x₀, ·) of each [c g].
        relative: the values are k(x₀, ·)/k(x₀, x₀), since the kernels are of very different size.
        at: coordinate of x₀.
        own: k(x₀, x₀) of each.
        axis: name of the coordinate.
        row: which row of the sample x₀ is.
    """

    x: NDArray[np.float64]
    names: tuple[str, ...]
    values: NDArray[np.float32]
    relative: bool
    at: float
    own: tuple[float, ...]
    axis: str
    row: int


class KernelSurface(NamedTuple):
    """k(x₀, ·) on the plane.

    Attributes:
        x, y: coordinates of the grid [u], [v].
        values: k(x₀, ·) [v u].
        name: which kernel.
        at: coordinates of x₀.
        own: k(x₀, x₀).
        points: coordinates of the sample [n 2].
        codes, classes: class of each point and their names; codes are all 0 without classes.
        axes: names of the coordinates.
        row: which row of the sample x₀ is.
        share: of the sample's variance that lies in the plane.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float32]
    name: str
    at: tuple[float, float]
    own: float
    points: NDArray[np.float32]
    codes: NDArray[np.int64]
    classes: tuple[str, ...]
    axes: tuple[str, str]
    row: int
    share: float


def kernel_profile(kernels: Mapping[str, GramFunction], X: ArrayLike, row: int, plane: SamplePlane) -> KernelProfile:
    """Several kernels along the line through one row.

    Args:
        kernels: by name (now, initial, exact …).
        X: scaled inputs of the sample [n d].
        row: x₀ is this row.
        plane: of the sample.
    """
    x0 = np.asarray(X, np.float64)[row]
    x = np.linspace(*plane.span(0), LINE)
    line = plane.moved(x0, x[:, None])
    values = [kernel(np.concatenate([x0[None], line]), x0[None])[:, 0] for kernel in kernels.values()]
    table = np.asarray(values, np.float64).reshape(len(kernels), LINE + 1)
    at, own = float(plane.place(x0[None])[0, 0]), table[:, 0]
    relative = len(own) > 1 and bool(0 < own.min() < own.max() / UNLIKE)
    drawn = (table[:, 1:] / own[:, None] if relative else table[:, 1:]).astype(np.float32)
    return KernelProfile(x, tuple(kernels), drawn, relative, at, tuple(own.tolist()), plane.axes[0], row)


def kernel_surface(
    name: str,
    kernel: GramFunction,
    X: ArrayLike,
    row: int,
    plane: SamplePlane,
    codes: ArrayLike | None = None,
    classes: tuple[str, ...] = (),
) -> KernelSurface:
    """A kernel on the plane through one row, over the sample.

    Args:
        name: which kernel.
        kernel: evaluates it.
        X: scaled inputs of the sample [n d], d ≥ 2.
        row: x₀ is this row.
        plane: of the sample, with two directions.
        codes, classes: class of each row [n], from 0, and the names.
    """
    x0 = np.asarray(X, np.float64)[row]
    x, y = (np.linspace(*plane.span(axis), GRID) for axis in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    found = kernel(np.concatenate([x0[None], plane.moved(x0, grid)]), x0[None])[:, 0]
    at = plane.place(x0[None])[0]
    return KernelSurface(
        x,
        y,
        found[1:].reshape(GRID, GRID).astype(np.float32),
        name,
        (float(at[0]), float(at[1])),
        float(found[0]),
        plane.coordinates.astype(np.float32),
        np.zeros(len(plane.coordinates), np.int64) if codes is None else np.asarray(codes, np.int64),
        classes,
        (plane.axes[0], plane.axes[1]),
        row,
        plane.share,
    )

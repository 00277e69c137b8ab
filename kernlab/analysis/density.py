"""The spectral density along a line, and of the length ‖ω‖: Gaussian kernel density estimates by FFT.

    p(t) = 1/(nh) Σ_i φ((t − t_i)/h),   h = 0.9 min(sd, IQR/1.34) n^(−1/5)   (Silverman 1986, eq. 3.31)

Frequencies of a Laplacian or Cauchy kernel have heavy tails, so the window is set by quantiles; what
lies outside counts in the normalisation and is reported, never silently lost.

Frequencies with weights q (re-weighted features) count by them: p(t) = Σ_i q_i φ((t − t_i)/h)/h, where h takes
weighted spreads and 1/Σq² for n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError

__all__ = [
    "Density",
    "DensityChange",
    "DensityCurve",
    "Law",
    "change",
    "coordinate",
    "direction_density",
    "kde",
    "length_density",
    "principal_directions",
    "unit",
    "window",
]

#: Cells of the grid a density is estimated on.
CELLS = 400

#: A density in closed form: positions [G] in, values [G] out; None where there is none after all.
Law: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64] | None]

_LARGEST_EXACT = 200  # up to this many inputs the eigenvectors are computed exactly


class DensityCurve(NamedTuple):
    """One estimated density on the picture's grid.

    Attributes:
        name: "ω" or "ω'".
        when: "now" or "assigned" (before training).
        values: density at the grid points [G], 1/unit of the grid.
        bandwidth: h.
        outside: share of the frequencies beyond the window, in [0, 1].
    """

    name: str
    when: str
    values: NDArray[np.float32]
    bandwidth: float
    outside: float


class Density(NamedTuple):
    """Densities of the frequencies along one line.

    Attributes:
        what: where one looks: "feature alcohol", "principal direction 1", "length".
        grid: positions [G], radians per unit of the scaled inputs.
        curves: now and assigned, for ω and (non-stationary maps) ω'.
        law: the density that frequencies were drawn from, in closed form [G]; None where it is not known.
    """

    what: str
    grid: NDArray[np.float32]
    curves: tuple[DensityCurve, ...]
    law: NDArray[np.float32] | None = None


class DensityChange(NamedTuple):
    """A density now minus the same one at an earlier moment.

    Attributes:
        what: where one looks.
        grid: positions [G].
        names: "ω" and, of non-stationary maps, "ω'".
        values: now − then for each name [G].
        moved: share of the mass that lies elsewhere now, ½∫|now − then|, for each name, in [0, 1].
    """

    what: str
    grid: NDArray[np.float32]
    names: tuple[str, ...]
    values: tuple[NDArray[np.float32], ...]
    moved: tuple[float, ...]


def kde(
    values: ArrayLike, grid: NDArray[np.float64], weights: ArrayLike | None = None
) -> tuple[NDArray[np.float64], float]:
    """Gaussian kernel density estimate at the points of an even grid, and its bandwidth.

    Linear binning, then one product with the Gaussian's Fourier transform: O(n + G log G).

    Args:
        values: sample [n]; those outside the grid count in the normalisation only.
        grid: evenly spaced, ascending [G].
        weights: of the sample [n], at least 0; None: all equal.
    """
    values = np.asarray(values, np.float64)
    share = np.full(len(values), 1 / max(1, len(values))) if weights is None else _shares(weights)
    cells, step = len(grid), grid[1] - grid[0]
    bandwidth = max(_silverman(values, None if weights is None else share), step)
    place = (values - grid[0]) / step
    inside = (place >= 0) & (place < cells - 1)
    place, share = place[inside], share[inside]
    left = place.astype(np.intp)
    right = place - left
    weight = np.bincount(left, share * (1 - right), cells) + np.bincount(left + 1, share * right, cells)
    # Padded to twice the length, so that mass near one end does not come back in at the other.
    frequency = 2 * np.pi * np.fft.rfftfreq(2 * cells, step)
    spectrum = np.fft.rfft(weight, 2 * cells) * np.exp(-0.5 * (bandwidth * frequency) ** 2)
    density = np.fft.irfft(spectrum, 2 * cells)[:cells] / step
    return np.maximum(density, 0.0), bandwidth


def window(*samples: NDArray[np.floating], share: float = 0.01) -> tuple[float, float]:
    """An interval that holds all but ``share`` of every sample, with a margin; never of zero width."""
    ends = np.array([np.quantile(s, (share / 2, 1 - share / 2)) for s in samples])
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    margin = 0.15 * (high - low) or max(1.0, abs(low)) * 0.5
    return low - margin, high + margin


def coordinate(d: int, j: int) -> NDArray[np.float64]:
    """The unit vector e_j [d].

    Raises:
        OptionError: j is not one of 0 … d−1.
    """
    if not 0 <= j < d:
        raise OptionError(f"the coordinate must be a whole number from 0 to {d - 1}", j)
    unit = np.zeros(d)
    unit[j] = 1.0
    return unit


def principal_directions(omega: ArrayLike, count: int = 3) -> NDArray[np.float64]:
    """The directions along which the frequencies are longest: leading eigenvectors of ΩΩᵀ/D.

    Not centred: a density of frequencies is symmetric about 0 in what it means for the kernel. The sign
    makes each vector's largest entry positive. Above 200 inputs a few subspace iterations stand in for
    the eigendecomposition; their span is exact where the spectrum decays.

    Args:
        omega: frequencies [d D].
        count: directions wanted, at most d.

    Returns:
        Unit vectors as columns [d count], longest first.
    """
    omega = np.asarray(omega, np.float32)
    d = omega.shape[0]
    count = min(count, d)
    if d <= _LARGEST_EXACT:
        wide = omega.astype(np.float64)
        vectors = np.linalg.eigh(wide @ wide.T)[1][:, ::-1][:, :count]
    else:
        start = np.random.default_rng(0).standard_normal((d, min(d, count + 5))).astype(np.float32)
        basis = np.linalg.qr(start)[0]
        for _ in range(8):
            basis = np.linalg.qr(omega @ (omega.T @ basis))[0]
        inner = (omega.T @ basis).astype(np.float64)
        vectors = basis @ np.linalg.eigh(inner.T @ inner)[1][:, ::-1][:, :count]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(count)])
    return np.asarray(vectors * signs, np.float64)


def unit(direction: ArrayLike) -> NDArray[np.float64]:
    """The direction scaled to length one.

    Raises:
        OptionError: it has length zero.
    """
    line = np.asarray(direction, np.float64)
    length = float(np.linalg.norm(line))
    if not length > 0:
        raise OptionError("the direction must have a length above 0", length)
    return line / length


def direction_density(
    direction: ArrayLike,
    omega: ArrayLike,
    initial: ArrayLike,
    omega_prime: ArrayLike | None = None,
    initial_prime: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    what: str = "",
    law: Law | None = None,
) -> Density:
    """Density of uᵀω for a direction u, now and as assigned.

    Args:
        direction: u [d]; scaled to unit length.
        omega, initial: frequencies now and before training [d D].
        omega_prime, initial_prime: ω' of a non-stationary map [d D].
        weights: q of the frequencies as they are now [D]; None: all equal, as the assigned ones are.
        what: where one looks, for the title.
        law: the assigned density in closed form, as a function of positions [G].

    Raises:
        OptionError: the direction has length zero.
    """
    line = unit(direction)
    samples = [
        (name, when, line @ np.asarray(matrix))
        for name, when, matrix in _named(omega, initial, omega_prime, initial_prime)
    ]
    return _densities(what, samples, weights, None, law)


def length_density(
    omega: ArrayLike,
    initial: ArrayLike,
    omega_prime: ArrayLike | None = None,
    initial_prime: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    law: Law | None = None,
) -> Density:
    """Density of ‖ω‖, now and as assigned; the estimate is reflected at 0, so no mass leaks below.

    Args:
        omega, initial, omega_prime, initial_prime, weights, law: as for :func:`direction_density`.
    """
    samples = []
    for name, when, matrix in _named(omega, initial, omega_prime, initial_prime):
        wide = np.asarray(matrix)
        samples.append((name, when, np.sqrt(np.einsum("ij,ij->j", wide, wide, dtype=np.float64))))
    return _densities("length", samples, weights, 0.0, law)


def change(now: Density, then: Density) -> DensityChange:
    """What has changed between two moments: ``now`` minus ``then``, on the grid of ``now``.

    Only the curves "now" of the two count; beyond the edges of its grid ``then`` has no density.
    """
    before = {curve.name: curve.values for curve in then.curves if curve.when == "now"}
    names, values, moved = [], [], []
    for curve in now.curves:
        if curve.when == "now" and curve.name in before:
            gap = curve.values - np.interp(now.grid, then.grid, before[curve.name], left=0.0, right=0.0)
            names.append(curve.name)
            values.append(gap.astype(np.float32))
            moved.append(min(1.0, 0.5 * float(np.abs(gap).sum() * (now.grid[1] - now.grid[0]))))
    return DensityChange(now.what, now.grid, tuple(names), tuple(values), tuple(moved))


def _named(
    omega: ArrayLike, initial: ArrayLike, omega_prime: ArrayLike | None, initial_prime: ArrayLike | None
) -> list[tuple[str, str, ArrayLike]]:
    every = (
        ("ω", "now", omega),
        ("ω'", "now", omega_prime),
        ("ω", "assigned", initial),
        ("ω'", "assigned", initial_prime),
    )
    return [(name, when, matrix) for name, when, matrix in every if matrix is not None]


def _densities(
    what: str,
    samples: list[tuple[str, str, NDArray[np.floating]]],
    weights: ArrayLike | None,
    lowest: float | None,
    law: Law | None,
) -> Density:
    low, high = window(*(values for _, _, values in samples))
    if lowest is not None:
        low = max(low, lowest)
    grid = np.linspace(low, high, CELLS)
    drawn = []
    for name, when, values in samples:
        q = weights if when == "now" else None
        if lowest is None:
            density, bandwidth = kde(values, grid, q)
        else:
            density, bandwidth = _reflected(values, grid, lowest, q)
        beyond = (values < low) | (values > high)
        outside = float(beyond.mean() if q is None else _shares(q) @ beyond)
        drawn.append(DensityCurve(name, when, density.astype(np.float32), bandwidth, outside))
    known = None if law is None else law(grid)
    return Density(what, grid.astype(np.float32), tuple(drawn), None if known is None else known.astype(np.float32))


def _reflected(
    values: NDArray[np.floating], grid: NDArray[np.float64], edge: float, weights: ArrayLike | None = None
) -> tuple[NDArray[np.float64], float]:
    """Estimate for values ≥ edge: what a Gaussian puts below the edge is folded back above it."""
    step = grid[1] - grid[0]
    below = grid[0] - step * np.arange(len(grid), 0, -1)
    both = np.concatenate([below, grid])
    wide, bandwidth = kde(values, both, weights)
    return wide[len(grid) :] + np.interp(2 * edge - grid, both, wide, left=0.0), bandwidth


def _silverman(values: NDArray[np.float64], share: NDArray[np.float64] | None) -> float:
    if len(values) < 2:
        return 0.0
    if share is None:
        quarter, three_quarters = np.quantile(values, (0.25, 0.75))
        deviation, size = float(values.std()), float(len(values))
    else:
        order = np.argsort(values)
        middle = np.cumsum(share[order]) - share[order] / 2
        quarter, three_quarters = np.interp((0.25, 0.75), middle, values[order])
        deviation = float(np.sqrt(share @ (values - share @ values) ** 2))
        size = 1 / float(share @ share)
    spreads = [s for s in (deviation, float(three_quarters - quarter) / 1.34) if s > 0]
    return float(0.9 * min(spreads, default=0.0) * size**-0.2)


def _shares(weights: ArrayLike) -> NDArray[np.float64]:
    q = np.asarray(weights, np.float64)
    return np.asarray(q / q.sum())

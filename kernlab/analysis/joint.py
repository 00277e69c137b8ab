"""The joint density s(ω, ω') of a non-stationary kernel along one line, and how far it is off the diagonal.

Yaglom's theorem: a kernel is stationary exactly when all the mass of s lies on ω = ω'. As one number,

    ν = E‖ω − ω'‖² / (2 E[‖ω‖² + ‖ω'‖²])  in [0, 1]

In one sentence: ν says how fast k(x, x) falls around the origin beside how fast the frequencies turn there; 0 is
stationary, ½ two frequencies that know nothing of each other, 1 opposite ones.

Where it comes from. The kernel is k(x, z) = ¼E[cos(ωᵀx − ω'ᵀz) + cos(ω'ᵀx − ωᵀz) + cos ωᵀ(x−z) + cos ω'ᵀ(x−z)],
so k(x, x) = ½(1 + E cos δᵀx) with δ = ω − ω'. It is constant exactly if δ = 0 almost surely. Around the origin
k(x, x) = 1 − ¼E(δᵀx)² + …, so −Δk(x, x) = ½E‖δ‖² there; the mean square of all frequencies is ½E[‖ω‖² + ‖ω'‖²],
and the ratio of the two, in which the unit of the inputs cancels, is twice what is called ν here:

    2ν = −Δ_x k(x, x)|₀ / ½E[‖ω‖² + ‖ω'‖²],     in one direction u with uᵀω and uᵀω' in place of ω and ω'

What follows. ‖ω − ω'‖² ≤ 2(‖ω‖² + ‖ω'‖²) (parallelogram law), hence 0 ≤ ν ≤ 1. ν = 0: ω' = ω, stationary. ν = 1:
ω' = −ω. ν = ½: E ωᵀω' = 0, as where they are drawn independently from an even density; then the expected ν of any
number of draws is exactly ½, even without moments (flipping the sign of ω' turns ν into 1 − ν). ν = (1 − ρ)/2: mean
zero, the same variance, correlation ρ. Rotating the inputs or rescaling them all changes nothing; ν of all inputs
is the mean of ν along each coordinate, weighted by the mean squares there. A finite set of frequencies always
has a ν, unless all of them are zero: then the kernel is constant and ν = 0.

Source: ASKL eq. 5–6 and Yaglom 1987 for s and k; ν is ours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.density import unit, window

__all__ = ["Joint", "JointChange", "change", "joint_density", "kde2", "mass_levels", "nonstationarity"]

#: Cells of the grid along each axis.
CELLS = 64


class Joint(NamedTuple):
    """Joint density of (uᵀω, uᵀω') now, with the assigned one to compare.

    Attributes:
        what: where one looks: "feature alcohol", "principal direction 1".
        grid: positions along both axes [G], radians per unit of the scaled inputs.
        now, assigned: density [G G], rows ω', columns ω.
        levels: densities whose super-level sets hold 90 % and 50 % of the assigned mass.
        along: ν along this line, now.
        total: ν of the whole vectors, now.
        assigned_total: ν of the whole vectors before training.
        outside: share of the pairs beyond the window.
    """

    what: str
    grid: NDArray[np.float32]
    now: NDArray[np.float32]
    assigned: NDArray[np.float32]
    levels: tuple[float, float]
    along: float
    total: float
    assigned_total: float
    outside: float


class JointChange(NamedTuple):
    """A joint density now minus the same one at an earlier moment.

    Attributes:
        what: where one looks.
        grid: positions along both axes [G].
        values: now − then [G G], rows ω', columns ω.
        limit: colours run from −limit to limit.
        along, along_then: ν along this line, now and then.
    """

    what: str
    grid: NDArray[np.float32]
    values: NDArray[np.float32]
    limit: float
    along: float
    along_then: float


def nonstationarity(omega: ArrayLike, omega_prime: ArrayLike) -> float:
    """ν of the module's formula for frequencies [d D] or [D]; 0 when every frequency is zero."""
    # In float64: where training has run away, squares would not fit into the frequencies' own precision.
    first, second = (np.ravel(each).astype(np.float64) for each in (omega, omega_prime))
    size = float(first @ first + second @ second)
    difference = first - second
    return float(difference @ difference) / (2 * size) if size > 0 else 0.0


def change(now: Joint, then: Joint) -> JointChange:
    """What has changed between two moments: ``now`` minus ``then``, bilinearly on the grid of ``now``."""
    before = then.now
    for axis in (0, 1):
        before = np.apply_along_axis(lambda row: np.interp(now.grid, then.grid, row, left=0.0, right=0.0), axis, before)
    values = (now.now - before).astype(np.float32)
    limit = float(np.abs(values).max()) or 1.0
    return JointChange(now.what, now.grid, values, limit, now.along, then.along)


def joint_density(
    direction: ArrayLike,
    omega: ArrayLike,
    omega_prime: ArrayLike,
    initial: ArrayLike,
    initial_prime: ArrayLike,
    *,
    what: str = "",
) -> Joint:
    """Joint density of the projections of ω and ω' on a direction u.

    Args:
        direction: u [d]; scaled to unit length.
        omega, omega_prime: frequencies now [d D].
        initial, initial_prime: frequencies before training [d D].
        what: where one looks, for the title.

    Raises:
        OptionError: the direction has length zero.
    """
    line = unit(direction)
    now, now_prime, before, before_prime = (
        line @ np.asarray(matrix) for matrix in (omega, omega_prime, initial, initial_prime)
    )
    low, high = window(now, now_prime, before, before_prime)
    grid = np.linspace(low, high, CELLS)
    assigned = kde2(before, before_prime, grid)
    outside = (np.minimum(now, now_prime) < low) | (np.maximum(now, now_prime) > high)
    return Joint(
        what,
        grid.astype(np.float32),
        kde2(now, now_prime, grid).astype(np.float32),
        assigned.astype(np.float32),
        mass_levels(assigned),
        nonstationarity(now, now_prime),
        nonstationarity(omega, omega_prime),
        nonstationarity(initial, initial_prime),
        float(outside.mean()),
    )


def kde2(first: ArrayLike, second: ArrayLike, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian density estimate of pairs on an even square grid; rows are ``second``, columns ``first``.

    The bandwidth matrix is n^(−1/3) times the sample covariance (Scott's rule in two dimensions), so mass
    that lies on the diagonal stays there instead of being smeared across it. The covariance is that of the
    pairs inside the window: heavy tails have none.
    """
    first, second = np.asarray(first, np.float64), np.asarray(second, np.float64)
    cells, step = len(grid), grid[1] - grid[0]
    columns, rows = (first - grid[0]) / step, (second - grid[0]) / step
    inside = (columns >= 0) & (columns < cells - 1) & (rows >= 0) & (rows < cells - 1)
    if not inside.any():
        return np.zeros((cells, cells))
    columns, rows = columns[inside], rows[inside]
    weight = np.zeros(cells * cells)
    j, i = columns.astype(np.intp), rows.astype(np.intp)
    s, t = columns - j, rows - i
    for below, beside, share in ((0, 0, (1 - t) * (1 - s)), (0, 1, (1 - t) * s), (1, 0, t * (1 - s)), (1, 1, t * s)):
        weight += np.bincount((i + below) * cells + j + beside, share, cells * cells)
    # In cells; never narrower than 0.8 of one, or the cut at the grid's highest frequency would ring.
    spread = np.cov(rows, columns, bias=True) if len(rows) > 1 else np.zeros((2, 2))
    bandwidth = len(rows) ** (-1 / 3) * spread + 0.64 * np.eye(2)
    down, right = 2 * np.pi * np.fft.fftfreq(2 * cells)[:, None], 2 * np.pi * np.fft.rfftfreq(2 * cells)[None]
    quadratic = bandwidth[0, 0] * down**2 + 2 * bandwidth[0, 1] * down * right + bandwidth[1, 1] * right**2
    padded = (2 * cells, 2 * cells)
    spectrum = np.fft.rfft2(weight.reshape(cells, cells), padded) * np.exp(-0.5 * quadratic)
    density = np.fft.irfft2(spectrum, padded)[:cells, :cells] / (len(first) * step**2)
    return np.asarray(np.maximum(density, 0.0))


def mass_levels(density: NDArray[np.float64], shares: tuple[float, float] = (0.9, 0.5)) -> tuple[float, float]:
    """Levels c for which the cells with density ≥ c hold the given shares of the grid's mass."""
    falling = np.sort(density, axis=None)[::-1]
    held = np.cumsum(falling)
    places = np.minimum(np.searchsorted(held, np.array(shares) * held[-1]), len(falling) - 1)
    return float(falling[places[0]]), float(falling[places[1]])

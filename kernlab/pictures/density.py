"""The spectral density along a line, and of the length ‖ω‖: Gaussian kernel density estimates by FFT.

    p(t) = 1/(nh) Σ_i φ((t − t_i)/h),   h = 0.9 min(sd, IQR/1.34) n^(−1/5)   (Silverman 1986, eq. 3.31)

Frequencies of a Laplacian or Cauchy kernel have heavy tails, so the window is set by quantiles; what
lies outside counts in the normalisation and is reported, never silently lost.

Frequencies with weights q (re-weighted features) count by them: p(t) = Σ_i q_i φ((t − t_i)/h)/h, where h takes
weighted spreads and 1/Σq² for n.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.directions import direction, unit
from kernlab.pictures.spectrum import LOOK, Spectrum, frequencies_at, law_at, since, then_at, where
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, fade, figure

#: Cells of the grid a density is estimated on.
CELLS = 400


#: A density in closed form: positions [G] in, values [G] out; None where there is none after all.
Law: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64] | None]


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


def density_change(now: Density, then: Density) -> DensityChange:
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


#: Inputs are scaled before they meet a frequency, so this is the only unit frequencies have.
FREQUENCY_UNIT = "rad / scaled unit"


_COLOURS = {"ω": BLUE, "ω'": VERMILLION}


def plot_density(density: Density) -> go.Figure:
    """Curves of :func:`kernlab.pictures.density.direction_density` or ``length_density``; grey beneath, the law."""
    length = density.what == "length"
    traces = []
    if density.law is not None:
        traces.append(
            go.Scatter(
                x=density.grid,
                y=density.law,
                mode="lines",
                name="assigned, exact",
                line={"color": GREY, "width": 1, "simplify": False},
                fill="tozeroy",
                fillcolor=fade(GREY, 0.2),
                hovertemplate="assigned, exact: %{y:.3~g} at %{x:.3~g}<extra></extra>",
            )
        )
    for curve in density.curves:
        colour, now = _COLOURS[curve.name], curve.when == "now"
        line = {"color": colour, "width": 2.5, "dash": "solid" if curve.name == "ω" else "dash", "simplify": False}
        traces.append(
            go.Scatter(
                x=density.grid,
                y=curve.values,
                mode="lines",
                name=f"{curve.name} {curve.when}",
                line=line if now else {"color": colour, "width": 1.5, "dash": "dot", "simplify": False},
                fill="tozeroy" if now else None,
                fillcolor=fade(colour, 0.15) if now else None,
                hovertemplate=f"{curve.name} {curve.when}: %{{y:.3~g}} at %{{x:.3~g}}<extra></extra>",
            )
        )
    outside = max((curve.outside for curve in density.curves if curve.when == "now"), default=0.0)
    return figure(
        traces,
        title="Length of the frequencies" if length else "Spectral density",
        subtitle=", ".join(
            ([] if length else [density.what]) + ([f"{outside:.1%} beyond the edges"] if outside > 0.005 else [])
        ),
        x=f"{'‖ω‖' if length else 'ω'} ({FREQUENCY_UNIT})",
        y="density",
        revision=f"density:{density.what}",
        yaxis={"rangemode": "tozero"},
    )


def plot_density_change(change: DensityChange, since: str) -> go.Figure:
    """Where frequencies have come to (above 0) and gone from (below) since a moment, which ``since`` names."""
    length = change.what == "length"
    traces = [
        go.Scatter(
            x=change.grid,
            y=values,
            mode="lines",
            name=name,
            line={"color": _COLOURS[name], "width": 2.5, "dash": "solid" if name == "ω" else "dash", "simplify": False},
            fill="tozeroy",
            fillcolor=fade(_COLOURS[name], 0.15),
            hovertemplate=f"{name}: %{{y:+.3~g}} at %{{x:.3~g}}<extra></extra>",
        )
        for name, values in zip(change.names, change.values, strict=True)
    ]
    moved = ", ".join(f"{share:.0%} of {name}" for name, share in zip(change.names, change.moved, strict=True))
    return figure(
        traces,
        title=f"Change of {'the lengths' if length else 'the spectral density'}",
        subtitle=", ".join(([] if length else [change.what]) + [f"since {since}: {moved} elsewhere"]),
        x=f"{'‖ω‖' if length else 'ω'} ({FREQUENCY_UNIT})",
        y="density now − then",
        revision=f"density-change:{change.what}",
        yaxis={"zerolinewidth": 2},
    )


# -- densities -------------------------------------------------------------------------------------------------


@picture("overview", "spectrum", alt="Spectral density along a direction", arrays=("omega",),
         uses=LOOK, height=360)  # fmt: skip
def draw_density(at: At) -> go.Figure:
    """Density of ω along one direction: now, before, and as drawn from; or what has changed."""
    line, law = direction(at), law_at(at)
    now, before = frequencies_at(at)

    def seen(one: Spectrum) -> Density:
        return direction_density(
            line, one.omega, before.omega, one.omega_prime, before.omega_prime, weights=one.weights, what=where(at),
            law=partial(law.along, line) if law else None,
        )  # fmt: skip

    if then := then_at(at):
        return plot_density_change(density_change(seen(now), seen(then)), since(at))
    return plot_density(seen(now))

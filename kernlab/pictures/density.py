"""The spectral density along a line, and of the length ‖ω‖: Gaussian kernel density estimates by FFT.

    p(t) = 1/(nh) Σ_i φ((t − t_i)/h),   h = 0.9 min(sd, IQR/1.34) n^(−1/5)   (Silverman 1986, eq. 3.31)

Frequencies of a Laplacian or Cauchy kernel have heavy tails, so the window is set by quantiles; frequencies
outside it count in the normalisation, and the figure reports their share.

Frequencies with weights q (re-weighted features) count by their weights: p(t) = Σ_i q_i φ((t − t_i)/h)/h, where h takes
weighted spreads and 1/Σq² for n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.directions import direction
from kernlab.pictures.marks import FROM_ZERO, line
from kernlab.pictures.spectrum import LOOK, Spectrum, frequencies_at, law_at, lengths, since, then_at, where
from kernlab.pictures.theme import BLUE, GREY, POWERS, VERMILLION, fade, figure

#: Cells of the grid a density is estimated on.
CELLS = 400


#: A density in closed form: positions [G] in, values [G] out; None where it is unknown.
Law: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64] | None]


class DensityCurve(NamedTuple):
    """One estimated density on the figure's grid."""

    name: str  # "ω" or "ω'"
    when: str  # "now" or "assigned" (before training)
    values: NDArray[np.float32]  # density at the grid points [G], 1/unit of the grid
    outside: float  # share of the frequencies beyond the window, in [0, 1]


class Density(NamedTuple):
    """Densities of the frequencies along one line."""

    what: str  # the direction, "feature alcohol" or "principal direction 1"; or "length"
    grid: NDArray[np.float32]  # positions [G], radians per unit of the scaled inputs
    curves: tuple[DensityCurve, ...]  # now and assigned, for ω and (non-stationary maps) ω'
    # the density that frequencies were drawn from, in closed form [G]; None where it is not known.
    law: NDArray[np.float32] | None = None


class DensityChange(NamedTuple):
    """A density now minus the same one at an earlier moment."""

    what: str  # as in :class:`Density`
    grid: NDArray[np.float32]  # positions [G]
    names: tuple[str, ...]  # "ω" and, of non-stationary maps, "ω'"
    values: tuple[NDArray[np.float32], ...]  # now − then for each name [G]
    moved: tuple[float, ...]  # share of the mass that lies elsewhere now, ½∫|now − then|, for each name, in [0, 1]


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
    # Padded to twice the length, so that mass near one end does not reappear at the other.
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
    direction: ArrayLike, now: Spectrum, before: Spectrum, *, what: str = "", law: Law | None = None,
    beside: Spectrum | None = None,
) -> Density:  # fmt: skip
    """Density of uᵀω for a direction u, now and as assigned.

    Args:
        direction: u [d]; scaled to unit length.
        now, before: frequencies now and before training; the weights of those before training do not count.
        what: the direction, for the title.
        law: the assigned density in closed form, as a function of positions [G].
        beside: frequencies of another moment: the grid is the same for both, or their difference would have an edge.

    Raises:
        OptionError: the direction has length zero.
    """
    others = beside.along(direction) if beside else ()
    return _densities(what, now.along(direction), before.along(direction), now.weights, None, law, others)


def length_density(
    now: Spectrum, before: Spectrum, *, law: Law | None = None, beside: Spectrum | None = None
) -> Density:
    """Density of ‖ω‖, now and as assigned, as :func:`direction_density`; it is reflected at 0: no mass leaks below."""

    def each(spectrum: Spectrum) -> list[NDArray[Any]]:
        return [lengths(Spectrum(one)) for one in spectrum.both]

    return _densities("length", each(now), each(before), now.weights, 0.0, law, each(beside) if beside else ())


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


def _densities(
    what: str, now: Sequence[NDArray[Any]], before: Sequence[NDArray[Any]], weights: ArrayLike | None,
    lowest: float | None, law: Law | None, beside: Sequence[NDArray[Any]],
) -> Density:  # fmt: skip
    """Densities of values of ω and ω' now and before training; of values that are at least ``lowest``, reflected."""
    low, high = window(*now, *before, *beside)
    if lowest is not None:
        low = max(low, lowest)
    grid = np.linspace(low, high, CELLS)
    drawn = []
    samples = [
        (name, when, values) for when, both in (("now", now), ("assigned", before))
        for name, values in zip(_LOOK, both, strict=False)
    ]  # fmt: skip
    for name, when, values in samples:
        q = weights if when == "now" else None
        density = kde(values, grid, q)[0] if lowest is None else _reflected(values, grid, lowest, q)
        beyond = (values < low) | (values > high)
        outside = float(beyond.mean() if q is None else _shares(q) @ beyond)
        drawn.append(DensityCurve(name, when, density.astype(np.float32), outside))
    known = None if law is None else law(grid)
    return Density(what, grid.astype(np.float32), tuple(drawn), None if known is None else known.astype(np.float32))


def _reflected(
    values: NDArray[Any], grid: NDArray[np.float64], edge: float, weights: ArrayLike | None
) -> NDArray[np.float64]:
    """Estimate for values ≥ edge: what a Gaussian puts below the edge is folded back above it."""
    step = grid[1] - grid[0]
    below = grid[0] - step * np.arange(len(grid), 0, -1)
    both = np.concatenate([below, grid])
    wide = kde(values, both, weights)[0]
    return np.asarray(wide[len(grid) :] + np.interp(2 * edge - grid, both, wide, left=0.0))


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
_LOOK = {"ω": (BLUE, "solid"), "ω'": (VERMILLION, "dash")}


def plot_density(density: Density) -> go.Figure:
    """Curves of :func:`direction_density` or :func:`length_density`, with the law in grey beneath them."""
    traces = []
    if density.law is not None:
        traces.append(_area(density.grid, density.law, "assigned, exact", GREY, opacity=0.2, width=1))
    for curve in density.curves:
        name, (colour, dash) = f"{curve.name} {curve.when}", _LOOK[curve.name]
        if curve.when == "now":
            traces.append(_area(density.grid, curve.values, name, colour, dash=dash))
        else:
            words = f"{name}: %{{y:.3~g}} at %{{x:.3~g}}"
            assigned = line(density.grid, curve.values, name, colour, words, width=1.5, dash="dot")
            traces.append(assigned.update(line_simplify=False))
    outside = max((curve.outside for curve in density.curves if curve.when == "now"), default=0.0)
    notes = [] if density.what == "length" else [density.what]
    return figure(
        traces, title="Length of the frequencies" if density.what == "length" else "Spectral density",
        subtitle=", ".join(notes + ([f"{outside:.1%} beyond the edges"] if outside > 0.005 else [])),
        x=_positions(density.what), y="density", revision=f"density:{density.what}", yaxis=FROM_ZERO | POWERS,
    )  # fmt: skip


def plot_density_change(change: DensityChange, since: str) -> go.Figure:
    """Where frequencies have arrived (above 0) and which places they have left (below) since the moment ``since``."""
    length = change.what == "length"
    traces = [
        _area(change.grid, values, name, _LOOK[name][0], dash=_LOOK[name][1], sign="+")
        for name, values in zip(change.names, change.values, strict=True)
    ]
    moved = ", ".join(f"{share:.0%} of {name}" for name, share in zip(change.names, change.moved, strict=True))
    return figure(
        traces, title=f"Change of {'the lengths' if length else 'the spectral density'}",
        subtitle=", ".join(([] if length else [change.what]) + [f"since {since}: {moved} elsewhere"]),
        x=_positions(change.what), y="now − then", revision=f"density-change:{change.what}",
        yaxis={"zerolinewidth": 2} | POWERS,
    )  # fmt: skip


def _positions(what: str) -> str:
    return f"{'‖ω‖' if what == 'length' else 'ω'} ({FREQUENCY_UNIT})"


def _area(
    grid: Any, values: Any, name: str, colour: str, *, dash: str | None = None, width: float = 2.5,
    opacity: float = 0.15, sign: str = "",
) -> go.Scatter:  # fmt: skip
    """A curve whose distance from zero is filled."""
    words = f"{name}: %{{y:{sign}.3~g}} at %{{x:.3~g}}"
    return line(
        grid, values, name, colour, words, width=width, dash=dash, fill="tozeroy", fillcolor=fade(colour, opacity)
    ).update(line_simplify=False)


@picture("overview", "spectrum", "preview", alt="Spectral density along a direction", arrays=("omega",),
         uses=LOOK, height=360)  # fmt: skip
def draw_density(at: At) -> go.Figure:
    """Density of ω along one direction: now, before, and as drawn from; or what has changed."""
    u, law = direction(at), law_at(at)
    now, before = frequencies_at(at)

    def seen(one: Spectrum, beside: Spectrum | None = None) -> Density:
        known = partial(law.along, u) if law else None
        return direction_density(u, one, before, what=where(at), law=known, beside=beside)

    if then := then_at(at):
        return plot_density_change(density_change(seen(now, then), seen(then, now)), since(at))
    return plot_density(seen(now))

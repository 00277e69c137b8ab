"""Learned weights of features, how unequal they are and how few carry them, and of the kernels in a dictionary.

    features    q_(1) ≥ q_(2) ≥ … ,   mass(k) = Σ_{j ≤ k} q_(j),   effective number 1/Σq²
    kernels     K = Σ_m θ_m K_m,      share of kernel m: θ_m / Σθ

The density of the re-weighted frequencies is :func:`kernlab.pictures.density.direction_density` with
``weights=q``. Source: LKRF eq. 8 and 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps.base import KernelSum
from kernlab.pictures.base import At, picture
from kernlab.pictures.marks import DECADES, FROM_ZERO, LOG, bars, dots, line
from kernlab.pictures.theme import BLUE, GREY, ORANGE, fade, figure
from kernlab.pictures.thinning import thin


class FeatureWeights(NamedTuple):
    """Weights in falling order."""

    rank: NDArray[np.int32]  # 1 … support, thinned for drawing [p]
    q: NDArray[np.float32]  # weight at each rank [p], above 0
    support: int  # how many features have a weight
    candidates: int  # N_w
    uniform: float  # 1/N_w, the weight that each candidate began with
    effective: float  # 1/Σq²


class WeightMass(NamedTuple):
    """What the k heaviest features carry together."""

    rank: NDArray[np.int32]  # k = 0 … support, thinned for drawing [p]
    mass: NDArray[np.float32]  # share of all weight, from 0 to 1 [p]
    marks: tuple[tuple[float, int], ...]  # (share, k): the fewest features that carry half, 90 % and 99 % of the weight
    support: int  # how many features have a weight
    candidates: int  # N_w


class Mixture(NamedTuple):
    """Kernel weights."""

    names: tuple[str, ...]  # one a kernel: γ of a Gaussian, degree s of a polynomial
    families: tuple[str, ...]  # "Gaussian" or "polynomial" of each
    share: NDArray[np.float32]  # θ_m / Σθ now [M]
    start: NDArray[np.float32]  # the share each began with [M]
    effective: float  # (Σθ)²/Σθ², as many equal weights would vary as much


def feature_weights(q: ArrayLike, candidates: int) -> FeatureWeights:
    """Weights by rank.

    Args:
        q: weights [s] of the features that were kept, in any order; zeros are left out.
        candidates: N_w ≥ 1, with those that were dropped.
    """
    falling = _falling(q)
    rank = np.arange(1, len(falling) + 1)
    shown = thin(rank.astype(np.float64), falling)
    effective = 1 / float(falling @ falling)
    drawn = rank[shown].astype(np.int32), falling[shown].astype(np.float32)
    return FeatureWeights(*drawn, len(rank), candidates, 1 / candidates, effective)


def weight_mass(q: ArrayLike, candidates: int) -> WeightMass:
    """Cumulative weights by rank; arguments as for :func:`feature_weights`."""
    falling = _falling(q)
    mass = np.concatenate([[0.0], np.cumsum(falling)])
    rank = np.arange(len(mass))
    shown = thin(rank.astype(np.float64), mass)
    # Rounding may leave the last sums a hair below the share they should reach.
    marks = tuple((share, int(np.searchsorted(mass, share * (1 - 1e-6)))) for share in (0.5, 0.9, 0.99))
    return WeightMass(rank[shown].astype(np.int32), mass[shown].astype(np.float32), marks, len(falling), candidates)


def mixture(theta: ArrayLike, initial: ArrayLike, kernels: Sequence[tuple[str, str]]) -> Mixture:
    """The weights of a sum of kernels, now and at the start [M]; family and name of each kernel."""
    now, first = (np.asarray(values, np.float64) for values in (theta, initial))
    families, names = zip(*kernels, strict=True)
    share, start = (values / values.sum() for values in (now, first))
    return Mixture(names, families, share.astype(np.float32), start.astype(np.float32), 1 / float(share @ share))


def _falling(q: ArrayLike) -> NDArray[np.float64]:
    """The weights above 0, largest first, scaled to the sum 1."""
    weights = np.asarray(q, np.float64)
    falling = np.sort(weights[weights > 0])[::-1]
    return np.asarray(falling / falling.sum())


def plot_feature_weights(view: FeatureWeights) -> go.Figure:
    """Falling weights on logarithmic axes, and the weight that all candidates began with."""
    learned = line(
        view.rank, view.q, "learned weights", BLUE, "feature %{x}: q = %{y:.3~g}", line_simplify=False,
        mode="lines" if view.support > 1 else "markers", marker={"color": BLUE, "size": 9},
    )  # fmt: skip
    uniform = line(
        [1, view.candidates], [view.uniform] * 2, "uniform, as they began", GREY,
        "%{y:.3~g} for each of the candidates", width=2, dash="dot",
    )  # fmt: skip
    return figure(
        [learned, uniform], title="Weights of the features",
        subtitle=f"{view.support} of {view.candidates} kept, worth {view.effective:.0f} of equal weight",
        x="rank", y="weight q", revision="feature-weights", xaxis=LOG | DECADES, yaxis=LOG | DECADES,
    )  # fmt: skip


def plot_weight_mass(view: WeightMass) -> go.Figure:
    """Share of all weight that the heaviest features carry; marks at half, 90 % and 99 %."""
    shares, counts = zip(*[(share, k) for share, k in view.marks if k], strict=True)
    traces = [
        line(view.rank, view.mass, "weight of the heaviest features", BLUE, "%{x} features carry %{y:.1%}",
             line_simplify=False, fill="tozeroy", fillcolor=fade(BLUE, 0.15)),
        dots(counts, shares, "half, 90 % and 99 %", ORANGE, "%{x} features carry %{y:.0%}", size=10, symbol="diamond",
             mode="markers+text", text=[str(k) for k in counts], textposition="bottom right", textfont={"size": 15},
             cliponaxis=False),
    ]  # fmt: skip
    return figure(
        traces, title="How few features carry the weight",
        subtitle=f"{view.support} of {view.candidates} have any weight", x="features, heaviest first",
        y="weight", revision="weight-mass", yaxis={"tickformat": ".0%"} | FROM_ZERO,
    )  # fmt: skip


def plot_mixture(view: Mixture) -> go.Figure:
    """Share of every kernel; the dotted line is where each began."""
    traces: list[go.Bar | go.Scatter] = []
    for family, colour, pattern in (("Gaussian", BLUE, ""), ("polynomial", ORANGE, "/")):
        mine = [place for place, each in enumerate(view.families) if each == family]
        names, hover = [view.names[place] for place in mine], f"{family}, %{{x}}: %{{y:.1%}}"
        traces.append(bars(names, view.share[mine], family, colour, hover, pattern=pattern))
    names = list(view.names)
    traces.append(line(names, view.start, "at the start", GREY, "%{x} began at %{y:.1%}", width=2, dash="dot"))
    return figure(
        traces, title="Weights of the kernels",
        subtitle=f"{len(names)} kernels, worth {view.effective:.1f} of equal weight", x="kernel",
        y="weight", revision="mixture", yaxis={"tickformat": ".0%"} | FROM_ZERO,
        xaxis={"type": "category", "tickangle": -60},
    )  # fmt: skip


# -- weights of features and kernels ---------------------------------------------------------------------------


@picture("overview", "spectrum", alt="Weights of the features by rank", arrays=("q",), height=360)
def draw_feature_weights(at: At) -> go.Figure:
    """Weights q by rank, against the uniform line."""
    return plot_feature_weights(feature_weights(at.arrays["q"], len(at.static["q_initial"])))


@picture("spectrum", alt="How few features carry the weight", arrays=("q",))
def draw_weight_mass(at: At) -> go.Figure:
    """Share of the weight that the heaviest features carry."""
    return plot_weight_mass(weight_mass(at.arrays["q"], len(at.static["q_initial"])))


@picture("overview", "kernel", alt="Weights of the kernels as bars", arrays=("theta",), height=360)
def draw_kernel_weights(at: At) -> go.Figure:
    """Weights θ of the kernels in a dictionary."""
    kernels = at.method.feature_map if at.method else None
    assert isinstance(kernels, KernelSum)
    return plot_mixture(mixture(at.arrays["theta"], at.static["theta_initial"], kernels.terms))

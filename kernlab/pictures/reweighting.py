"""Weights of re-weighted features: how unequal they are, and how few features carry them.

    q_(1) ≥ q_(2) ≥ … ,   mass(k) = Σ_{j ≤ k} q_(j),   effective number 1/Σq²

The density of the re-weighted frequencies is :func:`kernlab.pictures.density.direction_density` with
``weights=q``. Source: LKRF eq. 8 and 14.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.theme import BLUE, GREY, ORANGE, fade, figure
from kernlab.pictures.thinning import thin


class FeatureWeights(NamedTuple):
    """Weights in falling order.

    Attributes:
        rank: 1 … support, thinned for drawing [p].
        q: weight at each rank [p], above 0.
        support: how many features have a weight.
        candidates: N_w.
        uniform: 1/N_w, the weight that each candidate began with.
        effective: 1/Σq².
    """

    rank: NDArray[np.int32]
    q: NDArray[np.float32]
    support: int
    candidates: int
    uniform: float
    effective: float


class WeightMass(NamedTuple):
    """What the k heaviest features carry together.

    Attributes:
        rank: k = 0 … support, thinned for drawing [p].
        mass: share of all weight, from 0 to 1 [p].
        marks: (share, k): the fewest features that carry half, 90 % and 99 % of the weight.
        support: how many features have a weight.
        candidates: N_w.
    """

    rank: NDArray[np.int32]
    mass: NDArray[np.float32]
    marks: tuple[tuple[float, int], ...]
    support: int
    candidates: int


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
    return FeatureWeights(
        rank[shown].astype(np.int32),
        falling[shown].astype(np.float32),
        len(rank),
        candidates,
        1 / candidates,
        effective,
    )


def weight_mass(q: ArrayLike, candidates: int) -> WeightMass:
    """Cumulative weights by rank; arguments as for :func:`feature_weights`."""
    falling = _falling(q)
    mass = np.concatenate([[0.0], np.cumsum(falling)])
    rank = np.arange(len(mass))
    shown = thin(rank.astype(np.float64), mass)
    # Rounding may leave the last sums a hair below the share they should reach.
    marks = tuple((share, int(np.searchsorted(mass, share * (1 - 1e-6)))) for share in (0.5, 0.9, 0.99))
    return WeightMass(rank[shown].astype(np.int32), mass[shown].astype(np.float32), marks, len(falling), candidates)


def _falling(q: ArrayLike) -> NDArray[np.float64]:
    """The weights above 0, largest first, scaled to the sum 1."""
    weights = np.asarray(q, np.float64)
    falling = np.sort(weights[weights > 0])[::-1]
    return np.asarray(falling / falling.sum())


def plot_feature_weights(view: FeatureWeights, *, log_x: bool = True, log_y: bool = True) -> go.Figure:
    """Falling weights, and the weight that all candidates began with."""
    traces = [
        go.Scatter(
            x=view.rank,
            y=view.q,
            mode="lines" if view.support > 1 else "markers",
            name="learned weights",
            line={"color": BLUE, "width": 2.5, "simplify": False},
            marker={"color": BLUE, "size": 9},
            hovertemplate="feature %{x}: q = %{y:.3~g}<extra></extra>",
        ),
        go.Scatter(
            x=[1, view.candidates],
            y=[view.uniform, view.uniform],
            mode="lines",
            name="uniform, as they began",
            line={"color": GREY, "width": 2, "dash": "dot"},
            hovertemplate="%{y:.3~g} for each of the candidates<extra></extra>",
        ),
    ]
    power = {"type": "log", "exponentformat": "power"}
    return figure(
        traces,
        title="Weights of the features",
        subtitle=f"{view.support} of {view.candidates} kept, worth {view.effective:.0f} of equal weight",
        x="rank",
        y="weight q",
        revision=f"feature-weights:{log_x}:{log_y}",
        xaxis={**power, "dtick": 1} if log_x else {},
        yaxis={**power, "dtick": 1} if log_y else {"rangemode": "tozero"},
    )


def plot_weight_mass(view: WeightMass) -> go.Figure:
    """Share of all weight that the heaviest features carry; marks at half, 90 % and 99 %."""
    marked = [(share, k) for share, k in view.marks if k]
    traces = [
        go.Scatter(
            x=view.rank,
            y=view.mass,
            mode="lines",
            name="weight of the heaviest features",
            line={"color": BLUE, "width": 2.5, "simplify": False},
            fill="tozeroy",
            fillcolor=fade(BLUE, 0.15),
            hovertemplate="%{x} features carry %{y:.1%}<extra></extra>",
        ),
        go.Scatter(
            x=[k for _, k in marked],
            y=[share for share, _ in marked],
            mode="markers+text",
            name="half, 90 % and 99 %",
            text=[str(k) for _, k in marked],
            textposition="bottom right",
            textfont={"size": 15},
            cliponaxis=False,
            marker={"color": ORANGE, "symbol": "diamond", "size": 10},
            hovertemplate="%{x} features carry %{y:.0%}<extra></extra>",
        ),
    ]
    return figure(
        traces,
        title="How few features carry the weight",
        subtitle=f"{view.support} of {view.candidates} have any weight",
        x="features, heaviest first",
        y="share of the weight",
        revision="weight-mass",
        yaxis={"tickformat": ".0%", "rangemode": "tozero"},
    )


# -- weights of features and kernels ---------------------------------------------------------------------------


@picture("overview", "spectrum", alt="Weights of the features by rank", arrays=("q",), height=360)
def draw_feature_weights(at: At) -> go.Figure:
    """Weights q by rank, against the uniform line."""
    return plot_feature_weights(feature_weights(at.arrays["q"], len(at.static["q_initial"])))


@picture("spectrum", alt="How few features carry the weight", arrays=("q",))
def draw_weight_mass(at: At) -> go.Figure:
    """Share of the weight that the heaviest features carry."""
    return plot_weight_mass(weight_mass(at.arrays["q"], len(at.static["q_initial"])))

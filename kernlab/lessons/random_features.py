"""A kernel as an average of random waves, and how its error falls with their number.

    k(Δ) = E cos ωΔ ≈ (1/s) Σ_j cos ω_jΔ         the typical error falls as 1/√s

Source: Rahimi & Recht 2007.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.feature_maps import Stationary
from kernlab.feature_maps.densities import draw
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import curve, dots, stacked, yours_and_found
from kernlab.pictures.theme import BLUE, GREY, ORANGE, figure

_REACH = 4.0  # the largest distance
_START = 10  # waves of which the typical error is to become a tenth
_MOST, _DRAWS = 2000, 400


class Averages(NamedTuple):
    """A Gaussian kernel, an average of random waves, and the errors of such averages."""

    distance: Vector  #: Δ ≥ 0 [p]
    kernel: Vector  #: k(Δ) [p]
    average: Vector  #: of the waves that were drawn [p]
    error: float  #: its root mean square error over the distances
    counts: Vector  #: numbers of waves s [c]
    typical: Vector  #: root mean square error of s waves over the distances and many draws [c]
    start: float  #: the typical error of 10 waves, on the straight line through all of them
    needed: float  #: waves whose typical error is a tenth of that


def averages(waves: int = _START, scale: float = 1.0, number: int = 0) -> Averages:
    """The kernel of ``scale`` and an average of ``waves`` waves, the ``number``-th draw."""
    feature_map = Stationary(n_features=2 * waves, frequency_scale=scale)
    distance = np.linspace(0, _REACH, 121)
    X = torch.from_numpy(distance[:, None])
    params = feature_map.init(X, torch.Generator().manual_seed(number))
    Phi = feature_map.apply(params, X).numpy()
    law = feature_map.law()
    assert law
    kernel = law.kernel(distance[:, None], np.zeros((1, 1)))[:, 0]
    average = Phi @ Phi[0]
    counts, typical = _typical(scale)
    slope, height = np.polyfit(np.log(counts), np.log(typical), 1)
    start = float(np.exp(height + slope * np.log(_START)))
    needed = float(_START * 10 ** (-1 / slope))
    return Averages(
        distance, kernel, average, float(np.sqrt(np.square(average - kernel).mean())), counts, typical, start, needed
    )


@lru_cache(8)
def _typical(scale: float) -> tuple[Vector, Vector]:
    """Numbers of waves and the root mean square error of their averages, over distances and draws."""
    omega = (
        draw(1, _DRAWS * _MOST, scale=scale, generator=torch.Generator().manual_seed(1))[0, 0]
        .view(_DRAWS, _MOST)
        .numpy()
    )
    distance = np.linspace(0, _REACH, 9)
    kernel = np.exp(-0.5 * (scale * distance) ** 2)
    counts = np.unique(np.geomspace(1, _MOST, 25).round().astype(int))
    squares = np.zeros((len(counts), len(distance)))
    for each, delta in enumerate(distance.tolist()):
        running = np.cumsum(np.cos(omega * delta), axis=1)[:, counts - 1] / counts
        squares[:, each] = np.square(running - kernel[each]).mean(0)
    return counts.astype(np.float64), np.sqrt(squares.mean(1))


def draw_averages(view: Averages, seen: bool, guess: Guess | None) -> go.Figure:
    """The kernel and the average; with the answer, the errors over the number of waves."""
    upper = [
        curve(view.distance, view.kernel, "kernel", (BLUE, "solid")),
        curve(view.distance, view.average, "average of random waves", (ORANGE, "dash")),
    ]
    title, x, y = "A kernel and an average of waves", "distance of two points", "similarity"
    yaxis = {"range": [-1.05, 1.1]}
    if not seen:
        return figure(upper, title=title, x=x, y=y, revision="averages", yaxis=yaxis)
    shapes, entries = yours_and_found(float(guess) if guess is not None else None, view.needed, lower=True)
    lower = [
        curve(view.counts, view.typical, "typical error", (GREY, "solid"), showlegend=False),
        dots([_START], [view.start], f"{_START} waves", ORANGE, "diamond", 12),
        *entries,
    ]
    return stacked(
        upper,
        lower,
        title=title,
        heading="The typical error",
        x=x,
        y=y,
        lower_x="waves",
        lower_y="error",
        revision="averages",
        yaxis=yaxis,
        shapes=shapes,
        xaxis2={"type": "log", "dtick": 1, "exponentformat": "power"},
        yaxis2={"type": "log", "dtick": 1, "range": [-2, 0]},
    )


offer(
    Computation(
        "random_features",
        "A kernel over the distance of two points, and an average of random waves that approaches it",
        averages,
        draw_averages,
        (
            Slider("waves", "Waves", (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000), _START),
            Slider("scale", "How fast the waves are", (0.5, 1.0, 2.0, 4.0), 1.0),
            Slider("number", "Draw", tuple(range(10)), 0),
        ),
        {
            "error": lambda view: view.error,
            "typical": lambda view: view.start,
            "needed": lambda view: view.needed,
            "ratio": lambda view: view.needed / _START,
        },
        {"needed": Asked("number", lambda view: view.needed)},
    )
)

"""Reading a generalisation bound: its terms, the gap that is measured, and the rows from which on it says something.

    gap ≤ 4√2 L B √(K t/n) + √(log(1/δ)/n)         B = ‖W‖_*, t = mean ‖φ(x)‖²

A bound on the loss says nothing while it is above the loss of a model that always answers zero.

Source: ASKL Theorem 3.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.bounds import DELTA, spectral_formula
from kernlab.data.synthetic import Moons
from kernlab.feature_maps import Stationary
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import curve, dots, stacked, yours_and_found
from kernlab.linalg import nuclear_norm
from kernlab.objectives.squared import Squared
from kernlab.pictures.theme import BLUE, GREEN, GREY, figure

_ROWS = (25, 50, 100, 200, 400, 800, 1600)
_TEST = 3000
_FEATURES = 60


class BoundReading(NamedTuple):
    """A bound, what it bounds, and from where on it speaks."""

    n: int  #: training rows
    gap: float  #: test loss − training loss, measured
    loss: float  #: training loss
    norm: float  #: B = ‖W‖_*
    total: float  #: the bound at n
    complexity: float  #: its first term
    confidence: float  #: its second term
    zero: float  #: the loss of answering zero
    needed: float  #: rows from which on the bound is below that, the model as it is
    sizes: Vector  #: rows of the curve [p]
    bounds: Vector  #: the bound at each, the model as it is [p]
    measured: tuple[Vector, Vector]  #: rows, and the measured gap of a model trained on so many


def reading(rows: int = 200, penalty: float = 0.1, noise: float = 0.2) -> BoundReading:
    """Ridge regression on random features of two moons."""
    W, loss, gap, trace, L = _fitted(rows, penalty, noise)
    B, K = float(nuclear_norm(W)), W.shape[1]
    zero = 1.0  # of one-hot targets under the squared loss

    def bound(n: int) -> dict[str, float]:
        return spectral_formula(weight_norm=B, mean_trace=trace, lipschitz=L, K=K, n=n)

    sizes = np.unique(np.geomspace(10, 1e7, 61).round())
    here = bound(rows)
    # Both terms fall as 1/√n.
    needed = rows * (here["total"] / zero) ** 2
    gaps = [_fitted(each, penalty, noise)[2] for each in _ROWS]
    return BoundReading(
        rows, gap, loss, B, here["total"], here["complexity"], here["confidence"], zero, needed, sizes,
        np.array([bound(int(each))["total"] for each in sizes]), (np.array(_ROWS, float), np.array(gaps)),
    )  # fmt: skip


@lru_cache(4)
def _data(noise: float) -> tuple[torch.Tensor, torch.Tensor]:
    made = Moons(n_samples=_ROWS[-1] + _TEST, noise=noise).load()
    X = np.asarray(made.X, np.float64)
    X = (X - X.mean(0)) / X.std(0)
    order = np.random.default_rng(0).permutation(len(X))
    return torch.from_numpy(X[order]), torch.from_numpy(np.asarray(made.y, np.int64)[order])


@lru_cache(256)
def _fitted(rows: int, penalty: float, noise: float) -> tuple[torch.Tensor, float, float, float, float]:
    """Weights, training loss, gap, mean trace, and Lipschitz constant of the loss on the training rows."""
    X, y = _data(noise)
    feature_map = Stationary(n_features=_FEATURES, frequency_scale=1.0)
    params = feature_map.init(X, torch.Generator().manual_seed(0))
    Phi, Psi = feature_map.apply(params, X[:rows]), feature_map.apply(params, X[-_TEST:])
    Y = torch.nn.functional.one_hot(y, 2).double()
    A = Phi.mT @ Phi / rows + penalty * 0.1 * torch.eye(_FEATURES, dtype=torch.float64)
    W = torch.linalg.solve(A, Phi.mT @ Y[:rows] / rows)
    squared = Squared()
    loss = float(squared.value_and_grad(Phi @ W, y[:rows])[0])
    test = float(squared.value_and_grad(Psi @ W, y[-_TEST:])[0])
    return W, loss, test - loss, float(Phi.square().sum(1).mean()), squared.lipschitz(Phi @ W, y[:rows])


def draw_reading(view: BoundReading, seen: bool, guess: Guess | None) -> go.Figure:
    """The bound and the measured gap as bars; with the answer, the bound over the rows."""
    names = ["measured gap", "loss of answering zero", "bound"]
    values = [max(view.gap, 0.0), view.zero, view.total]
    bars = [go.Bar(y=names, x=values, orientation="h", marker={"color": [GREEN, GREY, BLUE]}, showlegend=False,
                   text=[f"{view.gap:.3f}", f"{view.zero:g}", f"{view.total:.3g}"], textposition="outside",
                   hovertemplate="%{y}: %{x:.3~g}<extra></extra>")]  # fmt: skip
    title, x = f"A model of {view.n} rows", "loss"
    wide = {"range": [0, 1.25 * max(values)]}
    if not seen:
        return figure(bars, title=title, x=x, y="", revision=f"reading {view.n}", xaxis=wide)
    shapes, entries = yours_and_found(float(guess) if guess is not None else None, view.needed, lower=True)
    lower = [
        curve(view.sizes, view.bounds, "bound", (BLUE, "solid")),
        curve(view.sizes[[0, -1]], [view.zero] * 2, "loss of answering zero", (GREY, "dash")),
        dots(view.measured[0], np.maximum(view.measured[1], 1e-4), "measured gap", GREEN, "diamond", 9),
        *entries,
    ]
    return stacked(
        bars, lower, title=title, heading="From more rows", x=x, y="", lower_x="rows",
        lower_y="loss", revision=f"reading {view.n}", share=0.38, xaxis=wide, shapes=shapes,
        xaxis2={"type": "log", "dtick": 1, "exponentformat": "power"},
        yaxis2={"type": "log", "dtick": 1, "exponentformat": "power", "range": [-3.2, 2.2]},
    )  # fmt: skip


offer(Computation(
    "bound",
    "A generalisation bound beside the measured gap and the loss of answering zero, and the bound over the rows",
    reading,
    draw_reading,
    (
        Slider("rows", "Rows", _ROWS, 200),
        Slider("penalty", "Penalty on the weights", (0.001, 0.01, 0.1, 1.0, 10.0), 0.1),
        Slider("noise", "Noise", (0.05, 0.2, 0.5), 0.2),
    ),
    {
        "gap": lambda view: view.gap,
        "loss": lambda view: view.loss,
        "total": lambda view: view.total,
        "norm": lambda view: view.norm,
        "complexity": lambda view: view.complexity,
        "confidence": lambda view: view.confidence,
        "needed": lambda view: view.needed,
        "loose": lambda view: view.total / view.gap if view.gap > 0 else math.inf,
        "doubt": lambda view: 100 * DELTA,
    },
    {"needed": Asked("number", lambda view: view.needed)},
))  # fmt: skip

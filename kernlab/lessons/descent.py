"""The second descent: the error on new rows over the number of features, from far too few to far too many.

    W = argmin ‖ΦW − y‖² + λn‖W‖²          λ = 0: of all that fit best the one of the smallest ‖W‖

The features are nested: those of every model contain those of the smaller ones. At as many features as rows they can
just fit every row; there the weights and the error have their peak.

Source: Belkin, Hsu, Ma & Mandal 2019.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.feature_maps import Stationary
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import curve, stacked, yours_and_found
from kernlab.pictures.theme import BLUE, GREEN, GREY, figure

_ROWS = (40, 60, 100, 150)
_TEST, _INPUTS = 1000, 5
_WIDEST = 4  # features for each row
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.4, 1.7, 2, 2.5, 3, 4)  # of the rows
_SEEN = 0.5  # of the rows: up to there before the answer


class SecondDescent(NamedTuple):
    """Models of ever more features; errors are mean squares, in units of the variance of the targets."""

    n: int  #: training rows
    sizes: Vector  #: features [s]
    train: Vector  #: error on the training rows [s]
    test: Vector  #: error on new rows, without noise [s]
    norm: Vector  #: ‖W‖ [s]
    peak: float  #: features of the largest error on new rows
    height: float  #: that error
    few: float  #: the least error of fewer features than rows
    many: float  #: the error of the most features
    hump: float  #: the largest error of 0.6 n features or more, to the last


def second_descent(rows: int = 100, noise: float = 0.1, penalty: float = 0.0) -> SecondDescent:
    """Ridge regression on the first random Fourier features of a wide map."""
    Phi, y, Psi, truth = _features(rows, noise)
    sizes = np.array([max(2, round(share * rows)) for share in _SHARES])
    found = [_regression(Phi[:, :D] / math.sqrt(D), y, Psi[:, :D] / math.sqrt(D), truth, penalty) for D in sizes]
    train, test, norm = np.array(found).T
    top = int(test.argmax())
    late = sizes >= 0.6 * rows
    return SecondDescent(
        rows, sizes.astype(float), train, test, norm, float(sizes[top]), float(test[top]),
        float(test[sizes < 0.9 * rows].min()), float(test[-1]), float(test[late].max() / test[-1]),
    )  # fmt: skip


@lru_cache(16)
def _features(rows: int, noise: float) -> tuple[Vector, Vector, Vector, Vector]:
    """Features of training rows and their targets, features of new rows and what the targets are without noise."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (_ROWS[-1] + _TEST, _INPUTS))
    f = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    f = (f - f.mean()) / f.std()
    feature_map = Stationary(n_features=_WIDEST * _ROWS[-1], frequency_scale=1.0)
    params = feature_map.init(torch.from_numpy(X), torch.Generator().manual_seed(0))
    Phi = feature_map.apply(params, torch.from_numpy(X)).numpy() * math.sqrt(_WIDEST * _ROWS[-1])
    Phi = Phi[:, random.permutation(Phi.shape[1])]
    y = f[:rows] + noise * random.standard_normal(_ROWS[-1])[:rows]
    return Phi[:rows], y, Phi[-_TEST:], f[-_TEST:]


def _regression(Phi: Vector, y: Vector, Psi: Vector, truth: Vector, penalty: float) -> tuple[float, float, float]:
    """Errors on the training rows and on new ones, and ‖W‖."""
    U, s, Vt = np.linalg.svd(Phi, full_matrices=False)
    kept = s > 1e-10 * s[0]
    W = Vt[kept].T @ (s[kept] / (s[kept] ** 2 + penalty * len(y)) * (U[:, kept].T @ y))
    return float(np.mean((Phi @ W - y) ** 2)), float(np.mean((Psi @ W - truth) ** 2)), float(np.linalg.norm(W))


def draw_descent(view: SecondDescent, seen: bool, guess: Guess | None) -> go.Figure:
    """Both errors up to half as many features as rows; with the answer all of them, and the size of the weights."""
    shown = slice(None) if seen else view.sizes <= _SEEN * view.n
    errors = [
        curve(view.sizes[shown], view.test[shown], "error on new rows", (BLUE, "solid")),
        curve(view.sizes[shown], np.maximum(view.train[shown], 1e-4), "error on training rows", (GREEN, "dash")),
    ]
    title, x, y = f"Models of {view.n} rows", "features", "error (share of the variance)"
    across = {"range": [0, 1.02 * view.sizes[-1]]}
    powers = {"type": "log", "dtick": 1, "exponentformat": "power"}
    upwards = {**powers, "range": [-2.6, max(1.2, math.log10(view.test.max()) + 0.2)]}
    if not seen:
        return figure(errors, title=title, x=x, y=y, revision=f"descent {view.n}", xaxis=across, yaxis=upwards)
    shapes, entries = yours_and_found(float(guess) if guess is not None else None, view.peak)
    weights = [curve(view.sizes, view.norm, "size of the weights", (GREY, "solid"))]
    return stacked(
        [*errors, *entries], weights, title=title, heading="How large the weights are", x=x, y=y, lower_x=x,
        lower_y="size of the weights", revision=f"descent {view.n}", share=0.6, xaxis=across, xaxis2=across,
        yaxis=upwards, yaxis2=powers, shapes=shapes,
    )  # fmt: skip


offer(Computation(
    "descent",
    "The error on training rows and on new rows over the number of features, and the size of the weights",
    second_descent,
    draw_descent,
    (
        Slider("rows", "Rows", _ROWS, 100),
        Slider("noise", "Noise in the targets", (0.0, 0.1, 0.3, 1.0), 0.1),
        Slider("penalty", "Penalty on the weights", (0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3), 0.0),
    ),
    {
        "peak": lambda view: view.peak,
        "height": lambda view: view.height,
        "few": lambda view: view.few,
        "many": lambda view: view.many,
        "half": lambda view: _SEEN * view.n,
        "last": lambda view: float(view.sizes[-1]),
        "hump": lambda view: view.hump,
        "largest": lambda view: float(view.norm.max()),
        "end": lambda view: float(view.norm[-1]),
    },
    {"peak": Asked("number", lambda view: view.peak)},
))  # fmt: skip

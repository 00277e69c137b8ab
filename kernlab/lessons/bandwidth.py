"""Learning the frequencies: the bandwidth that predicts best, and what learning finds instead.

The target is a sum of two waves of 1 and 4 swings a unit. Ridge regression on a few random waves of a given spread
predicts it; then the same waves are learned by Discriminant Information, and go to where the target's waves are.

Source: DI Algorithm 2; Rahimi & Recht 2007.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.data.synthetic import Sines
from kernlab.feature_maps import Stationary
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import curve, dots, stacked, yours_and_found
from kernlab.linalg import RidgePath
from kernlab.objectives.discriminant import Discriminant
from kernlab.pictures.theme import BLUE, GREEN, GREY, ORANGE, fade, figure
from kernlab.solvers.proximal_gradient import map_step

_WAVES = 12
_TRAIN, _TEST = 60, 400
_NOISE = 0.2
_STEPS, _RATE = 150, 0.5
SPREADS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0)
_DRAWS = 6


class Bandwidths(NamedTuple):
    """Errors of random waves of several spreads, and of learned ones."""

    x: Vector  #: training inputs [n]
    y: Vector  #: targets [n]
    line: Vector  #: places of the curves [p]
    truth: Vector  #: the target without noise [p]
    assigned: Vector  #: what waves as drawn predict [p]
    learned: Vector  #: what learned waves predict [p]
    spreads: Vector  #: spreads of the frequencies, in swings a unit [s]
    errors: Vector  #: root mean square test errors, mean over draws [s]
    best: float  #: the spread of least error
    error: float  #: root mean square test error of the waves as drawn
    error_learned: float  #: of the learned ones
    before: Vector  #: frequencies as drawn, in swings a unit, without sign [12]
    after: Vector  #: learned frequencies


def bandwidths(spread: float = 1.0, number: int = 2) -> Bandwidths:
    """Waves of that spread, in swings a unit of the input, as drawn and learned."""
    X, y, _, _ = _data()
    line = torch.linspace(0, 1, 241, dtype=torch.float64)[:, None]
    feature_map, params = _waves(spread, number)
    before = params["omega"].flatten().abs().numpy() / (2 * math.pi)
    assigned, error = _predicted(feature_map, params, line)
    after = _learned(feature_map, params)
    learned, error_learned = _predicted(feature_map, after, line)
    errors = _errors()
    return Bandwidths(
        X[:, 0].numpy(),
        y[:, 0].numpy(),
        line[:, 0].numpy(),
        _target(line[:, 0].numpy()),
        assigned,
        learned,
        np.array(SPREADS),
        errors,
        SPREADS[int(errors.argmin())],
        error,
        error_learned,
        before.copy(),
        after["omega"].flatten().abs().numpy() / (2 * math.pi),
    )


@lru_cache(1)
def _data() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, Vector]:
    made = Sines(n_samples=_TRAIN, noise=_NOISE, terms=2).load()
    X, y = (torch.from_numpy(np.asarray(each, np.float64)) for each in (made.X, made.y))
    tests = torch.linspace(0, 1, _TEST, dtype=torch.float64)[:, None]
    return X, y, tests, _target(tests[:, 0].numpy())


def _target(x: Vector) -> Vector:
    return np.asarray(np.sin(2 * np.pi * x) + np.sin(8 * np.pi * x) / 2)


def _waves(spread: float, number: int) -> tuple[Stationary, dict[str, torch.Tensor]]:
    feature_map = Stationary(n_features=2 * _WAVES, frequency_scale=2 * math.pi * spread)
    return feature_map, feature_map.init(_data()[0], torch.Generator().manual_seed(number))


def _predicted(feature_map: Stationary, params: dict[str, torch.Tensor], line: torch.Tensor) -> tuple[Vector, float]:
    X, y, tests, truth = _data()
    Phi = feature_map.apply(params, X)
    path = RidgePath(lambda: [Phi], y)
    found = path.fit(path.best())

    def of(rows: torch.Tensor) -> Vector:
        return np.asarray((feature_map.apply(params, rows) @ found.weight + found.bias)[:, 0].numpy())

    return of(line), float(np.sqrt(np.square(of(tests) - truth).mean()))


@lru_cache(1)
def _errors() -> Vector:
    X = _data()[0]
    return np.array(
        [np.mean([_predicted(*_waves(spread, number), X[:1])[1] for number in range(_DRAWS)]) for spread in SPREADS]
    )


def _learned(feature_map: Stationary, params: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    X, y = _data()[:2]
    params = {name: each.clone() for name, each in params.items()}
    objective = Discriminant(rho=0.1)
    optimizer = torch.optim.Adam([params["omega"]], lr=_RATE)
    step = map_step(feature_map, objective, (), params, optimizer, 1)
    for _ in range(_STEPS):
        step(X, y, _RATE)
    return params


def draw_bandwidths(view: Bandwidths, seen: bool, guess: Guess | None) -> go.Figure:
    """The rows and the target; with the answer, the predictions, the errors and the frequencies."""
    upper = [
        dots(view.x, view.y, "rows", GREY, size=6),
        curve(view.line, view.truth, "target", (GREY, "dot")),
    ]
    title, x, y = "Two waves with noise", "x", "y"
    if not seen:
        return figure(upper, title=title, x=x, y=y, revision="bandwidths")
    upper += [
        curve(view.line, view.assigned, "waves as drawn", (ORANGE, "dash")),
        curve(view.line, view.learned, "learned waves", (GREEN, "solid")),
    ]
    shapes, entries = yours_and_found(float(guess) if guess is not None else None, view.best, lower=True)
    height = float(view.errors.max())
    lower = [
        curve(view.spreads, view.errors, "error by spread", (BLUE, "solid"), showlegend=False),
        *entries,
        dots(
            view.before,
            np.full_like(view.before, 0.06 * height),
            "frequencies as drawn",
            ORANGE,
            "diamond-open",
            9,
            showlegend=False,
        ),
        dots(
            view.after,
            np.full_like(view.after, 0.16 * height),
            "learned frequencies",
            GREEN,
            "circle",
            9,
            showlegend=False,
        ),
    ]
    shapes += [
        {
            "type": "line",
            "x0": each,
            "x1": each,
            "xref": "x2",
            "yref": "y2 domain",
            "y0": 0,
            "y1": 1,
            "layer": "below",
            "line": {"color": fade(GREY, 0.4), "width": 8},
        }
        for each in (1, 4)
    ]
    return stacked(
        upper,
        lower,
        title=title,
        heading="Error by spread; dots: the frequencies",
        x=x,
        y=y,
        lower_x="swings a unit",
        lower_y="test error",
        revision="bandwidths",
        shapes=shapes,
        xaxis2={"type": "log", "range": [-1.2, 1.8], "dtick": 1},
        yaxis2={"range": [0, 1.1 * height]},
    )


offer(
    Computation(
        "bandwidth",
        "Rows of two waves with noise, the test error by the spread of the frequencies, and the learned frequencies",
        bandwidths,
        draw_bandwidths,
        (Slider("spread", "Spread, swings a unit", SPREADS, 1.0), Slider("number", "Draw", tuple(range(6)), 2)),
        {
            "best": lambda view: view.best,
            "lowest": lambda view: float(view.errors.min()),
            "slow": lambda view: float(view.errors[0]),
            "fast": lambda view: float(view.errors[-1]),
            "error": lambda view: view.error,
            "learned": lambda view: view.error_learned,
            "near": lambda view: float((np.abs(view.after[:, None] - np.array([1.0, 4.0])).min(1) < 0.5).sum()),
            "gain": lambda view: view.error / view.error_learned,
        },
        {"best": Asked("number", lambda view: view.best)},
    )
)

"""Landmarks that walk: Discriminant Information moves them to where they explain the classes best.

DI is the share of the targets that the best ridge regression on a kernel's landmarks explains. Its gradient moves them.

Source: DI eq. 9–10, Algorithm 1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch
from scipy.spatial.distance import pdist

from kernlab.data.synthetic import Moons
from kernlab.feature_maps import Nystroem
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import curve, dots, stacked, yours_and_found
from kernlab.objectives.discriminant import Discriminant, kernel_discriminant_information
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, class_style, figure
from kernlab.solvers.proximal_gradient import map_step

_ROWS = 300
_SCALE, _RHO = 1.5, 0.1
_COUNTS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30, 40)
_DRAWS = 12
_STEPS, _RATE = 80, 0.05
STEPS = (0, 5, 10, 20, 40, 80)


class Walk(NamedTuple):
    """Landmarks before and after they have walked."""

    X: Vector  #: rows [n 2]
    y: Vector  #: classes [n]
    paths: Vector  #: places of the landmarks at each step so far [steps J 2]
    before: float  #: percentage of the targets explained by landmarks at random rows
    after: float  #: by those that have walked
    counts: Vector  #: numbers of random landmarks [c]
    random: Vector  #: percentage explained by so many, mean over draws [c]
    needed: float  #: random landmarks that explain as much as those that walked all steps


def walk(landmarks: int = 6, steps: int = _STEPS, number: int = 0) -> Walk:
    """So many landmarks that start at random rows, after so many steps."""
    X, y, _ = _data()
    paths = _paths(landmarks, number)
    explained = [_explained(torch.from_numpy(paths[step])) for step in (0, steps)]
    end = _explained(torch.from_numpy(paths[-1]))
    random = _random()
    needed = float(np.interp(end, random, _COUNTS)) if end < random[-1] else float(_COUNTS[-1])
    return Walk(
        X.numpy(), y.numpy(), paths[: steps + 1], explained[0], explained[1], np.array(_COUNTS, float), random, needed
    )


@lru_cache(1)
def _data() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    made = Moons(n_samples=_ROWS, noise=0.15).load()
    X = torch.from_numpy(np.asarray(made.X, np.float64))
    X = (X - X.mean(0)) / X.std(0)
    y = torch.from_numpy(np.asarray(made.y, np.int64))
    return X, y, torch.nn.functional.one_hot(y, 2).double()


def _map(landmarks: int) -> Any:
    return Nystroem(n_features=landmarks, frequency_scale=_SCALE)


def _explained(Z: torch.Tensor) -> float:
    """DI as a percentage of all there is to explain."""
    X, _, Y = _data()
    feature_map = _map(len(Z))
    G, B, _ = feature_map.kernel_pullback({"landmarks": Z}, X)
    found = kernel_discriminant_information(G, B, Y, _RHO)
    return float(100 * found.value / found.total)


@lru_cache(64)
def _paths(landmarks: int, number: int) -> Vector:
    X, y, _ = _data()
    feature_map = _map(landmarks)
    params = feature_map.init(X, torch.Generator().manual_seed(number))
    params = {"landmarks": params["landmarks"].clone()}
    optimizer = torch.optim.Adam([params["landmarks"]], lr=_RATE)
    step = map_step(feature_map, Discriminant(rho=_RHO), (), params, optimizer, 2)
    found = [params["landmarks"].numpy().copy()]
    for _ in range(_STEPS):
        step(X, y, _RATE)
        found.append(params["landmarks"].numpy().copy())
    return np.stack(found)


@lru_cache(1)
def _random() -> Vector:
    X = _data()[0]
    found = [
        np.mean(
            [
                _explained(_map(count).init(X, torch.Generator().manual_seed(100 + each))["landmarks"])
                for each in range(_DRAWS)
            ]
        )
        for count in _COUNTS
    ]
    return np.maximum.accumulate(np.array(found))


def _closest(Z: Vector) -> float:
    """The least distance of two landmarks."""
    return float(pdist(Z).min())


def draw_walk(view: Walk, seen: bool, guess: Guess | None) -> go.Figure:
    """The rows and the landmarks; with the answer, their ways, and what random ones explain by their number."""
    rows = [
        dots(
            view.X[view.y == k, 0],
            view.X[view.y == k, 1],
            f"class {k + 1}",
            class_style(k)[0],
            class_style(k)[1],
            5,
            opacity=0.45,
        )
        for k in (0, 1)
    ]
    start, end = view.paths[0], view.paths[-1]
    title, x, y = "Two moons and their landmarks", "first input", "second input"
    first = dots(
        start[:, 0],
        start[:, 1],
        "landmarks at random rows",
        GREY,
        "x",
        13,
        marker={"line": {"width": 2, "color": GREY}},
    )
    if not seen:
        return figure([*rows, first], title=title, x=x, y=y, revision="walk")
    ways = np.concatenate([np.vstack([view.paths[:, j], [[np.nan] * 2]]) for j in range(len(start))])
    upper = [
        *rows,
        first,
        curve(ways[:, 0], ways[:, 1], "their ways", (VERMILLION, "solid"), hoverinfo="skip", hovertemplate=None),
        dots(end[:, 0], end[:, 1], "landmarks that walked", VERMILLION, "star", 16),
    ]
    shapes, entries = yours_and_found(float(guess) if guess is not None else None, view.needed, lower=True)
    lower = [
        curve(view.counts, view.random, "random landmarks", (BLUE, "solid")),
        dots([len(start)], [view.after], "landmarks that walked", VERMILLION, "star", 16, showlegend=False),
        *entries,
    ]
    return stacked(
        upper,
        lower,
        title=title,
        heading="Classes explained",
        x=x,
        y=y,
        share=0.58,
        lower_x="number of landmarks",
        lower_y="explained (%)",
        revision="walk",
        shapes=shapes,
    )


offer(
    Computation(
        "landmarks",
        "Points of two classes, landmarks and the ways they walk, and how much of the classes landmarks explain",
        walk,
        draw_walk,
        (
            Slider("landmarks", "Landmarks", (2, 3, 4, 6, 8), 6),
            Slider("steps", "Steps walked", STEPS, _STEPS),
            Slider("number", "Draw", tuple(range(6)), 0),
        ),
        {
            "before": lambda view: view.before,
            "after": lambda view: view.after,
            "gain": lambda view: view.after - view.before,
            "needed": lambda view: view.needed,
            "close_before": lambda view: _closest(view.paths[0]),
            "close": lambda view: _closest(view.paths[-1]),
            "way": lambda view: (
                float(np.linalg.norm(np.diff(view.paths, axis=0), axis=2).sum(0).mean()) if len(view.paths) > 1 else 0.0
            ),
        },
        {"needed": Asked("number", lambda view: view.needed)},
    )
)

"""Re-weighting features: inside or outside of a sphere, where random waves of a Gaussian kernel fail.

The weights align the kernel with the labels in a ball about equal weights, and most become zero: the same number of
waves, chosen by the labels, against waves as drawn.

Source: LKRF eq. 8–12 and the released example.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.data import load
from kernlab.feature_maps import Weighted
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import FOUND, YOURS, stacked
from kernlab.linalg import ridge
from kernlab.pictures.theme import BLUE, GREY, ORANGE, fade, figure
from kernlab.solvers.base import Problem
from kernlab.solvers.chi_square_ball import chi_square_ball, relevance

_TRAIN, _TEST = 2000, 1000
_CANDIDATES = 4000
_PENALTY = 0.05
_BINS = 40


class Reweighted(NamedTuple):
    """Waves as drawn and as chosen."""

    lengths: Vector  #: ‖ω‖ of all candidates [N]
    weights: Vector  #: q [N], 0 for those that are left out
    kept: int  #: features with a weight
    constant: float  #: percentage of test rows that the more frequent class gets wrong
    drawn: float  #: that so many waves as drawn get wrong
    chosen: float  #: that the chosen ones get wrong
    length_all: float  #: mean ‖ω‖ of the candidates
    length_kept: float  #: mean ‖ω‖ under the weights


def reweighted(inputs: int = 10, radius: float = 0.01, number: int = 0) -> Reweighted:
    """So many inputs, a ball of ``radius`` times the candidates, and one of several draws."""
    X, y, feature_map, params, v = _candidates(inputs, number)
    q = chi_square_ball(v, radius * _CANDIDATES)
    kept = np.flatnonzero(q)
    lengths = params["omega"][:, 0].norm(dim=0).double().numpy()
    wrong = [
        _wrong(X, y, feature_map, {name: each[..., chosen] for name, each in params.items() if name != "q"})
        for chosen in (torch.arange(len(kept)), torch.from_numpy(kept))
    ]
    share = float(y[_TRAIN:].double().mean())
    return Reweighted(
        lengths,
        q,
        len(kept),
        100 * min(share, 1 - share),
        wrong[0],
        wrong[1],
        float(lengths.mean()),
        float(q @ lengths),
    )


@lru_cache(16)
def _candidates(
    inputs: int, number: int
) -> tuple[torch.Tensor, torch.Tensor, Weighted, dict[str, torch.Tensor], Vector]:
    made = load("shell", noise=0.0, n_samples=_TRAIN + _TEST, dimension=inputs, data_seed=number)
    X, y = torch.from_numpy(made.X), torch.from_numpy(made.y).long()
    feature_map = Weighted(n_features=_CANDIDATES, frequency_scale=1.0, phase="shared")
    params = feature_map.init(X, torch.Generator().manual_seed(number))
    problem = Problem(feature_map, None, X[:_TRAIN], y[:_TRAIN], 2, "classification", number)
    return X, y, feature_map, params, relevance(problem, params, 2.0 * y[:_TRAIN, None].to(X) - 1)


def _wrong(X: torch.Tensor, y: torch.Tensor, feature_map: Weighted, params: dict[str, torch.Tensor]) -> float:
    count = params["omega"].shape[-1]
    Phi = feature_map.apply({**params, "q": torch.full((count,), 0.5)}, X)
    targets = 2.0 * y[:, None].to(Phi) - 1
    found = ridge([Phi[:_TRAIN]], targets[:_TRAIN], _PENALTY)
    scores = Phi[_TRAIN:] @ found.weight + found.bias
    return float(100 * ((scores > 0) != (targets[_TRAIN:] > 0)).double().mean())


def draw_reweighted(view: Reweighted, seen: bool, guess: Guess | None) -> go.Figure:
    """The lengths of the frequencies; with the answer, the weight at each, and the errors."""
    top = float(view.lengths.max()) * 1.02
    ends = np.linspace(0, top, _BINS + 1)

    def shares(weights: Vector, name: str, colour: str) -> go.Bar:
        return go.Bar(
            x=(ends[1:] + ends[:-1]) / 2,
            y=np.histogram(view.lengths, ends, weights=weights)[0],
            width=top / _BINS,
            name=name,
            marker={"color": colour},
            hovertemplate="%{y:.1%}<extra>length %{x:.2f}</extra>",
        )

    upper = [shares(np.full_like(view.lengths, 1 / len(view.lengths)), "waves as drawn", fade(GREY, 0.5))]
    title, x, y = "How fast the waves are", "length of the frequency", "share of the weight"
    if not seen:
        return figure(upper, title=title, x=x, y=y, revision="shell", xaxis={"range": [0, top]})
    upper.append(shares(view.weights, "weights chosen by the labels", fade(FOUND[0], 0.6)))
    names = ["always the same answer", f"{view.kept} waves as drawn", f"{view.kept} chosen waves"]
    values = [view.constant, view.drawn, view.chosen]
    colours = [GREY, ORANGE, BLUE]
    if guess is not None:
        names, values, colours = [*names, "your prediction"], [*values, float(guess)], [*colours, YOURS[0]]
    lower = [
        go.Bar(
            y=names,
            x=values,
            orientation="h",
            marker={"color": colours},
            showlegend=False,
            text=[f"{each:.1f} %" for each in values],
            textposition="outside",
            hovertemplate="%{y}: %{x:.1f} %<extra></extra>",
        )
    ]
    return stacked(
        upper,
        lower,
        title=title,
        heading="Wrong test rows",
        x=x,
        y=y,
        lower_x="wrong (%)",
        lower_y="",
        revision="shell",
        barmode="overlay",
        xaxis={"range": [0, top]},
        xaxis2={"range": [0, 60]},
        yaxis2={"autorange": "reversed"},
    )


offer(
    Computation(
        "shell",
        "The lengths of random frequencies before and after they are weighted, and the errors of both",
        reweighted,
        draw_reweighted,
        (
            Slider("inputs", "Inputs", (2, 5, 10, 15, 20), 10),
            Slider("radius", "How far weights may leave equal", (0.005, 0.01, 0.02, 0.05), 0.01),
            Slider("number", "Draw", tuple(range(4)), 0),
        ),
        {
            "kept": lambda view: float(view.kept),
            "constant": lambda view: view.constant,
            "drawn": lambda view: view.drawn,
            "chosen": lambda view: view.chosen,
            "gain": lambda view: view.drawn - view.chosen,
            "length": lambda view: view.length_all,
            "length_kept": lambda view: view.length_kept,
            "candidates": lambda view: float(_CANDIDATES),
        },
        {"chosen": Asked("number", lambda view: view.chosen)},
    )
)

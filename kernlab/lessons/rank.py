"""Trace norm, and why the rank falls: a penalty on the sum of singular values takes the same off each.

    min over W  ½‖W − W₀‖_F² + λ‖W‖_*      σ → max(σ − λ, 0)
    min over W  ½‖W − W₀‖_F² + λ‖W‖_F²     σ → σ/(1 + 2λ)

W₀ are the least-squares weights of orthonormal features, for which these are the penalised least squares themselves.

Source: ASKL eq. 7–8; Cai, Candès & Shen 2010.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.data import DataSpec, load, prepare
from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import FOUND, YOURS, stacked
from kernlab.linalg import singular_values
from kernlab.pictures.theme import BLUE, GREEN, GREY, figure
from kernlab.regularizers import Frobenius, TraceNorm

_FEATURES = 15
STRENGTHS = (0.0, 0.01, 0.02, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3)


class Shrunk(NamedTuple):
    """Singular values of the weights before and after a penalty, and what they predict."""

    before: Vector  #: falling [10]
    after: Vector  #: falling [10]
    strength: float  #: λ
    rank: float  #: singular values above 1e-6 after it
    accuracy: float  #: on test rows, in %
    accuracy_before: float  #: without a penalty
    strengths: Vector  #: the λ of the curve [s]
    ranks: Vector  #: rank under this penalty at each [s]
    accuracies: Vector  #: accuracy at each [s]


def shrunk(strength: float = 0.2, penalty: str = "trace norm") -> Shrunk:
    """Weights of the digits, with the trace norm or the squared norm of that strength."""
    before = _weights()[0]
    after = _penalised(before, strength, penalty)
    curve = [_penalised(before, each, penalty) for each in STRENGTHS]
    values = singular_values(after)
    return Shrunk(
        singular_values(before).numpy(),
        values.numpy(),
        strength,
        float((values > 1e-6).sum()),
        _accuracy(after),
        _accuracy(before),
        np.array(STRENGTHS),
        np.array([float((singular_values(each) > 1e-6).sum()) for each in curve]),
        np.array([_accuracy(each) for each in curve]),
    )


@lru_cache(1)
def _weights() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Least-squares weights on orthonormal features, test features, test classes, and the mean of the targets."""
    data = prepare(load("digits"), DataSpec(dataset="digits"), 0)
    X, tests = torch.as_tensor(data.X_train).double(), torch.as_tensor(data.X_test).double()
    mean = X.mean(0)
    _, sizes, turn = torch.linalg.svd(X - mean, full_matrices=False)
    white = torch.cat([X, tests]).sub(mean) @ turn[:_FEATURES].mT / sizes[:_FEATURES] * len(X) ** 0.5
    y = torch.as_tensor(np.asarray(data.y_train)).long()
    Y = torch.nn.functional.one_hot(y, 10).double()
    W = white[: len(X)].mT @ (Y - Y.mean(0)) / len(X)
    return W, white[len(X) :], torch.as_tensor(np.asarray(data.y_test)).long(), Y.mean(0)


def _penalised(W: torch.Tensor, strength: float, penalty: str) -> torch.Tensor:
    if penalty == "trace norm":
        return TraceNorm(weight=strength).prox(W, 1.0)
    # W₀ − W = λ ∂‖W‖²/∂W: the gradient is linear in W.
    return W / (1 + float(Frobenius(weight=strength).weight_gradient(torch.ones(1, 1).double())))


def _accuracy(W: torch.Tensor) -> float:
    _, Psi, y, mean = _weights()
    return float(100 * ((Psi @ W + mean).argmax(1) == y).double().mean())


def draw_shrunk(view: Shrunk, seen: bool, guess: Guess | None) -> go.Figure:
    """The singular values; with the answer, those that are left, and rank and accuracy over the strength."""
    numbers = np.arange(1, len(view.before) + 1)
    hover = "%{y:.3f}<extra>singular value %{x}</extra>"
    bars = [go.Bar(x=numbers, y=view.before, name="before", marker={"color": GREY}, hovertemplate=hover)]
    title, x, y = "Singular values of the weights", "number", "size"
    upper_axis = {"dtick": 1}
    if not seen:
        return figure(bars, title=title, x=x, y=y, revision="shrunk", xaxis=upper_axis)
    bars.append(go.Bar(x=numbers, y=view.after, name="with the penalty", marker={"color": BLUE}, hovertemplate=hover))
    lower = [
        go.Scatter(
            x=view.strengths,
            y=view.ranks,
            name="values left",
            mode="lines",
            line={"color": FOUND[0], "width": 3, "shape": "hv"},
            hovertemplate="%{y} left<extra>λ = %{x}</extra>",
        ),
        go.Scatter(
            x=view.strengths,
            y=view.accuracies / 10,
            name="digits that are right",
            mode="lines",
            hovertemplate="%{y:.2f} of ten<extra>λ = %{x}</extra>",
            line={"color": GREEN, "width": 3, "dash": "dash"},
        ),
    ]
    if guess is not None:
        lower.append(
            go.Scatter(
                x=[view.strengths[0], view.strengths[-1]],
                y=[guess, guess],
                name="your prediction",
                mode="lines",
                line={"color": YOURS[0], "dash": YOURS[1], "width": 3},
            )
        )
    mark = {
        "type": "line",
        "x0": view.strength,
        "x1": view.strength,
        "xref": "x2",
        "yref": "y2 domain",
        "y0": 0,
        "y1": 1,
        "line": {"color": GREY, "dash": "dash", "width": 2},
    }
    return stacked(
        bars,
        lower,
        title=title,
        heading="Values left, digits right",
        x=x,
        y=y,
        lower_x="strength of the penalty",
        lower_y="of ten",
        revision="shrunk",
        xaxis=upper_axis,
        yaxis2={"range": [0, 10.5]},
        shapes=[mark],
    )


offer(
    Computation(
        "rank",
        "Singular values of the weights before and with a penalty, and how many are left over its strength",
        shrunk,
        draw_shrunk,
        (
            Slider("strength", "Strength of the penalty", STRENGTHS, 0.2),
            Slider("penalty", "Penalty", ("trace norm", "squares"), "trace norm"),
        ),
        {
            "rank": lambda view: view.rank,
            "accuracy": lambda view: view.accuracy,
            "without": lambda view: view.accuracy_before,
            "lost": lambda view: view.accuracy_before - view.accuracy,
            "largest": lambda view: float(view.before[0]),
            "smallest": lambda view: float(view.before[8]),
            "full": lambda view: float((view.before > 1e-6).sum()),
        },
        {"rank": Asked("number", lambda view: view.rank)},
    )
)

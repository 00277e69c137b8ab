"""Stationary and not: a kernel of pairs of frequencies, and Yaglom's diagonal.

    k(x, x') = E ¼[cos(ωx − ω'x') + cos(ω'x − ωx') + cos ω(x − x') + cos ω'(x − x')]

On the diagonal ω' = ω the kernel depends on x − x' alone. Off it, with ω' − ω ~ N(0, τ²), k(x, x) = ½(1 + e^{−τ²x²/2}).

Source: Yaglom 1987; ASKL eq. 5–6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch

from kernlab.feature_maps import NonStationary
from kernlab.feature_maps.densities import draw
from kernlab.lessons.base import Asked, Computation, Guess, Sheet, Slider, Vector, offer
from kernlab.lessons.panels import FOUND, YOURS, curve, dots, stacked
from kernlab.pictures.theme import BLUE, GREY, figure

_SHEET = Sheet((-3.0, 3.0), (0.0, 1.2), "place of the point", "similarity with itself", "for pairs on the diagonal")
_PAIRS, _SHOWN = 1500, 150
_SPREAD = 1.5  # of the first frequency of a pair


class Pairs(NamedTuple):
    """Pairs of frequencies and the kernel that they make."""

    first: Vector  #: ω [p]
    second: Vector  #: ω' [p]
    place: Vector  #: x, the places of the sheet [41]
    kernel: Vector  #: k(x, x') [41, 41]
    own: Vector  #: k(x, x) [41]
    far: float  #: the similarity of the point 2 with itself
    here: float  #: k(−½, ½)
    there: float  #: k(1½, 2½)


def pairs(off: float = 1.0, number: int = 0) -> Pairs:
    """Pairs whose second frequency leaves the first by a normal number of spread ``off``."""
    generator = torch.Generator().manual_seed(number)
    first, away = draw(1, _PAIRS, pairs=2, generator=generator).double()[0]
    omega = torch.stack([_SPREAD * first, _SPREAD * first + off * away])[None]
    feature_map = NonStationary(n_features=2 * _PAIRS)
    place = _SHEET.grid
    X = np.concatenate([place, [-0.5, 0.5, 1.5, 2.5, 2.0]])[:, None]
    Phi = feature_map.apply({"omega": omega}, torch.from_numpy(X)).numpy()
    K = Phi @ Phi.T
    n = len(place)
    return Pairs(
        omega[0, 0].numpy(), omega[0, 1].numpy(), place, K[:n, :n], K.diagonal()[:n].copy(), float(K[n + 4, n + 4]),
        float(K[n, n + 1]), float(K[n + 2, n + 3]),
    )  # fmt: skip


def draw_pairs(view: Pairs, seen: bool, guess: Guess | None) -> go.Figure:
    """The pairs as points; with the answer, the kernel and the similarity of every point with itself."""
    ends = [-5.0, 5.0]
    points = [
        curve(ends, ends, "diagonal", (GREY, "dash")),
        dots(view.first[:_SHOWN], view.second[:_SHOWN], "pairs", BLUE, size=6),
    ]
    title, x, y = "Pairs of frequencies", "first frequency", "second frequency"
    square: dict[str, Any] = {"range": ends}
    if not seen:
        return figure(points, title=title, x=x, y=y, revision="pairs", xaxis=square, yaxis=square)
    lower = [
        curve(view.place, np.ones_like(view.place), "on the diagonal", (BLUE, "dash"), showlegend=False),
        curve(view.place, view.own, "computed", FOUND),
    ]
    if guess is not None:
        lower.append(curve(view.place, guess, "your prediction", YOURS))
    surface = go.Heatmap(
        x=view.place, y=view.place, z=view.kernel, zmin=-1, zmax=1, coloraxis="coloraxis", xaxis="x3", yaxis="y3",
        hovertemplate="%{z:.2f}<extra>%{x:.2g} and %{y:.2g}</extra>",
    )  # fmt: skip
    drawn = stacked(
        points, lower, title=title, heading="Similarity of a point with itself", x=x, y=y, lower_x=_SHEET.x_name,
        lower_y="similarity", revision="pairs", share=0.55, xaxis={**square, "domain": [0, 0.43]},
        yaxis=square, xaxis2={"range": _SHEET.x}, yaxis2={"range": _SHEET.y},
        coloraxis={"colorscale": [[0, "#D55E00"], [0.5, "#e8e8e8"], [1, "#0072B2"]], "cmin": -1, "cmax": 1,
                   "showscale": False},
    )  # fmt: skip
    drawn.add_trace(surface)
    drawn.update_layout(
        xaxis3={"domain": [0.57, 1], "anchor": "y3", "title": {"text": "one point"}},
        yaxis3={"domain": drawn.layout.yaxis.domain, "anchor": "x3", "title": {"text": "another"}},
    )
    drawn.add_annotation(
        text="The kernel", xref="paper", x=0.57, xanchor="left", yref="paper", y=1, yanchor="bottom", showarrow=False,
        font={"size": 16}, yshift=6,
    )  # fmt: skip
    return drawn


offer(Computation(
    "pairs",
    "Pairs of frequencies about the diagonal, the kernel that they make, and the similarity of each point with itself",
    pairs,
    draw_pairs,
    (
        Slider("off", "Off the diagonal", (0.0, 0.1, 0.25, 0.5, 1.0, 2.0), 1.0),
        Slider("number", "Draw", tuple(range(5)), 0),
    ),
    {
        "far": lambda view: view.far,
        "here": lambda view: view.here,
        "there": lambda view: view.there,
        "change": lambda view: abs(view.here - view.there),
        "least": lambda view: float(view.own.min()),
    },
    {"own": Asked("curve", lambda view: view.own, _SHEET, lambda view: np.ones_like(view.place))},
))  # fmt: skip

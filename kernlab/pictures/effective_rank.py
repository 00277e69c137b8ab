"""How many directions W really uses: the share of ‖W‖_* in its largest singular values, and the effective rank.

The rank counts a direction however small its singular value is. The effective rank exp(−Σ p_j log p_j) with
p_j = σ_j / ‖W‖_* weighs it: r equal values have r, one value beside tiny ones has about 1.

Source: Roy & Vetterli 2007, The effective rank.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.theme import BLUE, GREY, figure


class EffectiveRank(NamedTuple):
    """Attributes:
    share: share of the trace norm in the j largest singular values, j = 0 … r [r + 1].
    rank: the effective rank, from 1 to r; 0 of W = 0.
    """

    share: NDArray[np.float64]
    rank: float


def effective_rank(values: ArrayLike) -> EffectiveRank:
    """Of singular values [r] in any order."""
    falling = np.sort(np.asarray(values, np.float64))[::-1]
    total = falling.sum()
    if total <= 0:
        return EffectiveRank(np.zeros(len(falling) + 1), 0.0)
    p = falling / total
    entropy = -float((p * np.log(p.clip(1e-300))).sum())
    return EffectiveRank(np.concatenate([[0.0], np.cumsum(p)]), float(np.exp(entropy)))


def plot_effective_rank(view: EffectiveRank) -> go.Figure:
    """The cumulated shares beside those of equal singular values."""
    j = np.arange(len(view.share), dtype=np.int32)
    traces: list[Any] = [
        go.Scatter(
            x=j, y=j / max(1, len(j) - 1), mode="lines", name="equal singular values",
            line={"color": GREY, "width": 1.5, "dash": "dot"}, hoverinfo="skip",
        ),
        go.Scatter(
            x=j, y=view.share, mode="lines+markers", name="W", line={"color": BLUE, "width": 2.5}, marker={"size": 8},
            hovertemplate="the %{x} largest: %{y:.1%} of ‖W‖⁎<extra></extra>",
        ),
    ]  # fmt: skip
    return figure(
        traces,
        title="Directions that W uses",
        subtitle=f"effective rank {view.rank:.2f} of {len(view.share) - 1}",
        x="largest singular values",
        y="share of ‖W‖<sub>⁎</sub>",
        revision="effective-rank",
        yaxis={"tickformat": ".0%", "range": [0, 1.03]},
    )


def _about(at: At) -> tuple[str, str]:
    return (
        r"\operatorname{erank}(W)=\exp\Bigl(-\sum_j p_j\log p_j\Bigr),\qquad p_j=\sigma_j/\|W\|_*",
        "Roy & Vetterli 2007. The further the curve stands above the dotted line, the fewer directions carry W.",
    )


@picture("kernel", alt="Share of the trace norm in the largest singular values of W",
         arrays=("weight_singular_values",), note=_about,
         when=lambda at: len(at.arrays["weight_singular_values"]) > 2)  # fmt: skip
def draw_effective_rank(at: At) -> go.Figure:
    """Cumulated singular values of W at the moment."""
    return plot_effective_rank(effective_rank(at.arrays["weight_singular_values"]))

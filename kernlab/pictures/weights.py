"""The weights W and the diagonal of the kernel: singular values with rank and effective rank, values of k(x, x).

The rank counts a direction of W however small its singular value is. The effective rank exp(−Σ p_j log p_j) with
p_j = σ_j / ‖W‖_* weighs it: r equal values have r, one value beside tiny ones has about 1.

Source: Roy & Vetterli 2007, The effective rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.numerals import number
from kernlab.pictures.base import At, picture
from kernlab.pictures.kernels import grams_at, has_kernel, then_words
from kernlab.pictures.marks import FROM_ZERO, bars, dots, line, upright
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, figure, moment_style


class SingularValues(NamedTuple):
    """Singular values of W, falling."""

    values: NDArray[np.float32]  # σ₁ ≥ … ≥ σ_r [r]
    rank: int  # how many are above ``tolerance``
    tolerance: float  # σ₁ times float32's rounding at the size of W
    trace_norm: float  # ‖W‖_* = Σ σ_j


class EffectiveRank(NamedTuple):
    """How evenly ‖W‖_* is spread over directions."""

    share: NDArray[np.float64]  # share of the trace norm in the j largest singular values, j = 0 … r [r + 1]
    rank: float  # the effective rank, from 1 to r; 0 of W = 0


class Diagonal(NamedTuple):
    """Histogram of k(x, x) over a sample."""

    left: NDArray[np.float32]  # left ends of the bins [b]
    width: float  # of every bin
    share: NDArray[np.float32]  # share of the sample in each bin [b], sums to 1
    mean: float  # of the sample
    deviation: float  # of the sample; 0: the kernel treats all points alike, as every stationary kernel does
    n: int  # sample size


def singular_values(values: ArrayLike, *, rows: int = 1) -> SingularValues:
    """Singular values [r] in falling order with the rank; ``rows`` is W's larger side D, for the rounding error."""
    falling = np.sort(np.asarray(values, np.float64))[::-1]
    largest = float(falling[0]) if len(falling) else 0.0
    tolerance = largest * max(rows, len(falling)) * float(np.finfo(np.float32).eps)
    rank = int((falling > tolerance).sum())
    return SingularValues(falling.astype(np.float32), rank, tolerance, float(falling.sum()))


def effective_rank(values: ArrayLike) -> EffectiveRank:
    """The effective rank of a matrix with these singular values [r], in any order."""
    falling = np.sort(np.asarray(values, np.float64))[::-1]
    total = falling.sum()
    if total <= 0:
        return EffectiveRank(np.zeros(len(falling) + 1), 0.0)
    p = falling / total
    entropy = -float((p * np.log(p.clip(1e-300))).sum())
    return EffectiveRank(np.concatenate([[0.0], np.cumsum(p)]), float(np.exp(entropy)))


def diagonal(values: ArrayLike, bins: int = 41) -> Diagonal:
    """Histogram of the values k(x, x) [n], n ≥ 1; the window reaches at least 5 % either side of the mean.

    An odd number of bins has the mean in the middle of one: values that rounding alone parts make a single bar.
    """
    sample = np.asarray(values, np.float64)
    mean = float(sample.mean())
    room = 0.05 * abs(mean) or 0.05
    low, high = min(float(sample.min()), mean - room), max(float(sample.max()), mean + room)
    count, edges = np.histogram(sample, bins, (low, high))
    share = (count / len(sample)).astype(np.float32)
    width = float(edges[1] - edges[0])
    return Diagonal(edges[:-1].astype(np.float32), width, share, mean, float(sample.std()), len(sample))


def plot_singular_values(view: SingularValues, before: Mapping[str, SingularValues] | None = None) -> go.Figure:
    """Falling singular values now; those beyond the rank are hollow, those of other moments (by name) lines beneath."""
    traces = []
    for name, other in (before or {}).items():
        style = moment_style(name)
        traces.append(line(
            _places(other.values), other.values, f"{name}: rank {other.rank}", style.colour,
            f"{name}: σ%{{x}} = %{{y:.4~g}}", width=1.5, dash=style.dash, mode="lines+markers",
            marker={"color": style.colour, "symbol": style.symbol, "size": 7},
        ))  # fmt: skip
    for name, part, colour, symbol in (
        ("counted in the rank", slice(0, view.rank), BLUE, "circle"),
        ("zero", slice(view.rank, None), GREY, "circle-open"),
    ):
        x, y, hover = _places(view.values)[part], view.values[part], "σ%{x} = %{y:.4~g}"
        traces.append(dots(x, y, name, colour, hover, size=9, symbol=symbol, cliponaxis=False))
    return figure(
        traces, title="Singular values of W",
        subtitle=f"rank {view.rank} of {len(view.values)}, ‖W‖⁎ = {number(view.trace_norm, 3)}", x="index j",
        y="σ<sub>j</sub>", revision="singular-values", yaxis=FROM_ZERO,
    )  # fmt: skip


def _places(values: NDArray[Any]) -> NDArray[np.int32]:
    return np.arange(1, len(values) + 1, dtype=np.int32)


def plot_effective_rank(view: EffectiveRank) -> go.Figure:
    """The cumulated shares of the singular values beside those of equal ones."""
    j = np.arange(len(view.share), dtype=np.int32)
    traces = [
        line(j, j / max(1, len(j) - 1), "equal singular values", GREY, None, width=1.5, dash="dot"),
        line(j, view.share, "W", BLUE, "the %{x} largest: %{y:.1%} of ‖W‖⁎", mode="lines+markers", marker={"size": 8}),
    ]
    return figure(
        traces, title="Directions that W uses", subtitle=f"effective rank {view.rank:.2f} of {len(view.share) - 1}",
        x="largest singular values", y="share of ‖W‖<sub>⁎</sub>", revision="effective-rank",
        yaxis={"tickformat": ".0%", "range": [0, 1.03]},
    )  # fmt: skip


def plot_diagonal(view: Diagonal, *, marked: Mapping[str, float] | None = None) -> go.Figure:
    """Histogram of k(x, x) with its mean; a single bar means that every point has the same norm.

    Args:
        view: the histogram.
        marked: k(x, x) of single points, by name.
    """
    hover, shape = "k(x, x) from %{x:.3~g}: %{y:.1%}", ".3f" if view.mean >= 0.1 else ".3g"
    traces: list[Any] = [
        bars(view.left, view.share, "sample", BLUE, hover, width=view.width, offset=0, showlegend=False)
    ]
    if marked:
        traces.append(dots(
            list(marked.values()), [0.0] * len(marked), "selected points", VERMILLION, "%{text}: k(x, x) = %{x:.4~g}",
            size=13, symbol="triangle-up", text=list(marked), cliponaxis=False,
        ))  # fmt: skip
    return figure(
        traces, title="Diagonal of the kernel",
        subtitle=f"k(x, x) = {view.mean:{shape}} ± {view.deviation:{shape}} over {view.n} points", x="k(x, x)",
        y="share of points", revision="diagonal", yaxis={"tickformat": ".0%"},
        shapes=[upright(view.mean, color=VERMILLION, width=2, dash="dash")],
    )  # fmt: skip


# -- diagonal and weights --------------------------------------------------------------------------------------


_EXACTLY = "Exactly, for pairs of cosine and sine"
_EXPECTED = "In expectation over phases drawn anew, not for frequencies learned beside their phases"


def _is_paired(map: Any) -> bool:
    return bool(getattr(map, "paired", False))


def _about_diagonal(at: At) -> tuple[str, str]:
    if "omega_prime" in at.arrays:
        return (
            r"k(x,x)=\tfrac12\left(1+\mathbb E\cos((\omega-\omega')^\top x)\right)",
            f"{_EXACTLY if at.method is None or _is_paired(at.method.feature_map) else _EXPECTED} (ASKL eq. 5–6). A "
            "stationary kernel has the same k(x, x) everywhere; where the two frequencies of a pair differ, "
            "k(x, x) changes from place to place.",
        )
    words = "The squared length of the features."
    if "landmarks" in at.arrays:
        words += " Where it is below the kernel's own k(x, x), the landmarks do not represent x fully."
    elif "omega" in at.arrays:
        words += " A stationary kernel has the same k(x, x) everywhere."
        if at.method is None or not _is_paired(at.method.feature_map):
            words += (
                " Cosines with random phases only come near to that, the nearer the more of them there are; and only "
                "until frequencies are learned beside their phases."
            )
    return r"k(x,x)=\|\varphi(x)\|^2", words


@picture("kernel", "inside.spectrum", alt="Histogram of k(x, x)", arrays=("diagonal",), uses=("points", "output"),
         note=_about_diagonal)  # fmt: skip
def draw_diagonal(at: At) -> go.Figure:
    """Histogram of k(x, x), with the selected points."""
    marked = {}
    if at.points and has_kernel(at):
        own = grams_at(at)["now"].diagonal()
        marked = {f"row {row}": float(own[row]) for row in at.points if row < len(own)}
    return plot_diagonal(diagonal(at.arrays["diagonal"]), marked=marked)


def _singular(at: At, arrays: Mapping[str, Any]) -> SingularValues:
    rows = int(getattr(at.method.feature_map, "n_features", 1)) if at.method else 1
    return singular_values(arrays["weight_singular_values"], rows=rows)


def rank(at: At) -> int | None:
    """Rank of W; None where it can hardly vary: no W, or less than three outputs."""
    return _singular(at, at.arrays).rank if len(at.arrays.get("weight_singular_values", ())) > 2 else None


def _about_weights(at: At) -> tuple[str, str]:
    if at.method and any(each.name == "trace_norm" for each in at.method.regularizers):
        return (
            r"W^{+}=U\,\operatorname{diag}\left((\sigma_j-\lambda_1\eta)_+\right)V^\top",
            "ASKL eq. 7–8. The proximal step of the trace norm takes λ₁η from every singular value and cuts at "
            "zero, so that the rank of W can fall.",
        )
    return (
        r"W=U\,\operatorname{diag}(\sigma_1,\dots,\sigma_K)\,V^\top",
        "How much the K outputs have in common: directions of W beyond its rank are combinations of the others.",
    )


@picture("kernel", alt="Singular values of W", arrays=("weight_singular_values",), note=_about_weights,
         when=lambda at: rank(at) is not None)  # fmt: skip
def draw_singular_values(at: At) -> go.Figure:
    """Singular values of W, and those of the moment that it is compared with."""
    before = {}
    if at.reference and "weight_singular_values" in at.reference.arrays:
        before[then_words(at)] = _singular(at, at.reference.arrays)
    return plot_singular_values(_singular(at, at.arrays), before)


def _about_effective_rank(at: At) -> tuple[str, str]:
    return (
        r"\operatorname{erank}(W)=\exp\Bigl(-\sum_j p_j\log p_j\Bigr),\qquad p_j=\sigma_j/\|W\|_*",
        "Roy & Vetterli 2007. The further the curve lies above the dotted line, the fewer directions carry W.",
    )


@picture("kernel", alt="Share of the trace norm in the largest singular values of W",
         arrays=("weight_singular_values",), note=_about_effective_rank,
         when=lambda at: rank(at) is not None)  # fmt: skip
def draw_effective_rank(at: At) -> go.Figure:
    """Cumulated singular values of W at the moment."""
    return plot_effective_rank(effective_rank(at.arrays["weight_singular_values"]))

"""What the weights W and the kernel's diagonal look like: singular values with the rank, values of k(x, x)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.kernels import grams_at, has_kernel, then_words
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, figure, moment_style


class SingularValues(NamedTuple):
    """Singular values of W, falling.

    Attributes:
        values: σ₁ ≥ … ≥ σ_r [r].
        rank: how many are above ``tolerance``.
        tolerance: σ₁ times float32's rounding at the size of W.
        trace_norm: ‖W‖_* = Σ σ_j.
    """

    values: NDArray[np.float32]
    rank: int
    tolerance: float
    trace_norm: float


class Diagonal(NamedTuple):
    """Histogram of k(x, x) over a sample.

    Attributes:
        left, width: bins [b], and their common width.
        share: share of the sample in each bin [b], sums to 1.
        mean, deviation: of the sample; a deviation of 0 means that the kernel treats all points alike,
            as every stationary kernel does.
        n: sample size.
    """

    left: NDArray[np.float32]
    width: float
    share: NDArray[np.float32]
    mean: float
    deviation: float
    n: int


def singular_values(values: ArrayLike, *, rows: int = 1) -> SingularValues:
    """Order singular values [r] and count the rank; ``rows`` is W's larger side D, for the rounding error."""
    falling = np.sort(np.asarray(values, np.float64))[::-1]
    largest = float(falling[0]) if len(falling) else 0.0
    tolerance = largest * max(rows, len(falling)) * float(np.finfo(np.float32).eps)
    rank = int((falling > tolerance).sum())
    return SingularValues(falling.astype(np.float32), rank, tolerance, float(falling.sum()))


def diagonal(values: ArrayLike, bins: int = 40) -> Diagonal:
    """Histogram of the values k(x, x) [n], n ≥ 1; the window reaches at least 5 % either side of the mean."""
    sample = np.asarray(values, np.float64)
    mean = float(sample.mean())
    room = 0.05 * abs(mean) or 0.05
    low, high = min(float(sample.min()), mean - room), max(float(sample.max()), mean + room)
    count, edges = np.histogram(sample, bins, (low, high))
    share = (count / len(sample)).astype(np.float32)
    width = float(edges[1] - edges[0])
    return Diagonal(edges[:-1].astype(np.float32), width, share, mean, float(sample.std()), len(sample))


def plot_singular_values(
    view: SingularValues, *, before: Mapping[str, SingularValues] | None = None, log_y: bool = False
) -> go.Figure:
    """Falling singular values; those beyond the rank are hollow.

    Args:
        view: now.
        before: at other moments, by name, drawn beneath as lines.
        log_y: logarithmic axis.
    """
    index = np.arange(1, len(view.values) + 1, dtype=np.int32)
    traces: list[Any] = [
        go.Scatter(
            x=np.arange(1, len(other.values) + 1, dtype=np.int32),
            y=other.values,
            mode="lines+markers",
            name=f"{name}: rank {other.rank}",
            line={"color": moment_style(name).colour, "width": 1.5, "dash": moment_style(name).dash},
            marker={"color": moment_style(name).colour, "symbol": moment_style(name).symbol, "size": 7},
            hovertemplate=f"{name}: σ%{{x}} = %{{y:.4~g}}<extra></extra>",
        )
        for name, other in (before or {}).items()
    ] + [
        go.Scatter(
            x=index[part],
            y=view.values[part],
            mode="markers",
            name=name,
            cliponaxis=False,
            marker={"color": colour, "symbol": symbol, "size": 9},
            hovertemplate="σ%{x} = %{y:.4~g}<extra></extra>",
        )
        for name, part, colour, symbol in (
            ("counted in the rank", slice(0, view.rank), BLUE, "circle"),
            ("zero", slice(view.rank, None), GREY, "circle-open"),
        )
    ]
    return figure(
        traces,
        title="Singular values of W",
        subtitle=f"rank {view.rank} of {len(view.values)}, ‖W‖⁎ = {view.trace_norm:.3g}",
        x="index j",
        y="σ<sub>j</sub>",
        revision=f"singular-values:{log_y}",
        yaxis={"type": "log", "exponentformat": "power"} if log_y else {"rangemode": "tozero"},
    )


def plot_diagonal(view: Diagonal, *, marked: Mapping[str, float] | None = None) -> go.Figure:
    """Histogram of k(x, x) with its mean; a single bar means that every point has the same norm.

    Args:
        view: the histogram.
        marked: k(x, x) of single points, by name.
    """
    bars: Any = go.Bar(
        x=view.left,
        y=view.share,
        width=view.width,
        offset=0,
        name="sample",
        marker={"color": BLUE},
        showlegend=False,
        hovertemplate="k(x, x) from %{x:.3~f}: %{y:.1%}<extra></extra>",
    )
    points = go.Scatter(
        x=list((marked or {}).values()),
        y=[0.0] * len(marked or {}),
        text=list(marked or {}),
        mode="markers",
        name="selected points",
        cliponaxis=False,
        marker={"color": VERMILLION, "symbol": "triangle-up", "size": 13},
        hovertemplate="%{text}: k(x, x) = %{x:.4~g}<extra></extra>",
    )
    return figure(
        [bars, points] if marked else [bars],
        title="Diagonal of the kernel",
        subtitle=f"k(x, x) = {view.mean:.3f} ± {view.deviation:.3f} over {view.n} points",
        x="k(x, x)",
        y="share of points",
        revision="diagonal",
        yaxis={"tickformat": ".0%"},
        shapes=[
            {
                "type": "line",
                "x0": view.mean,
                "x1": view.mean,
                "yref": "paper",
                "y0": 0,
                "y1": 1,
                "line": {"color": VERMILLION, "width": 2, "dash": "dash"},
            }
        ],
    )


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
            "stationary kernel has the same k(x, x) everywhere; where the two frequencies of a pair disagree, the "
            "kernel knows some places better than others.",
        )
    words = "The squared length of the features."
    if "landmarks" in at.arrays:
        words += " What it lacks of the kernel's own k(x, x) is what the landmarks do not see of x."
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
        "How much the K outputs have in common: directions of W beyond its rank say nothing new.",
    )


@picture("kernel", alt="Singular values of W", arrays=("weight_singular_values",), note=_about_weights,
         when=lambda at: rank(at) is not None)  # fmt: skip
def draw_singular_values(at: At) -> go.Figure:
    """Singular values of W, and those of the moment that it is compared with."""
    before = {}
    if at.reference and "weight_singular_values" in at.reference.arrays:
        before[then_words(at)] = _singular(at, at.reference.arrays)
    return plot_singular_values(_singular(at, at.arrays), before=before)

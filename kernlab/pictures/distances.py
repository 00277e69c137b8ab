"""The frequency scale that "auto" takes, drawn against the pairwise distances that it is read off."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps.scale import automatic_scale
from kernlab.pictures.marks import FROM_ZERO, bars, line
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, figure

_BARS = 48
_MEASURED = 1000  # rows, the same that the rule takes


class Distances(NamedTuple):
    """Distances of all pairs of rows, and the kernel with the automatic scale."""

    middle: NDArray[np.float64]  # of each interval [b]
    share: NDArray[np.float64]  # of the pairs in it [b]
    median: float  # of the distances above 0
    scale: float  # σ = 1/ℓ that "auto" takes
    grid: NDArray[np.float64]  # distances [g]
    kernel: NDArray[np.float64]  # exp(−σ²r²/2) at them [g]


def distances(X: ArrayLike) -> Distances:
    """Distances of the first thousand scaled training inputs [n d], and the scale that the rule finds in all."""
    from scipy.spatial.distance import pdist

    inputs = np.ascontiguousarray(X, np.float32)
    apart = pdist(inputs[:_MEASURED].astype(np.float64))
    counts, edges = np.histogram(apart, bins=_BARS, range=(0.0, float(apart.max(initial=0.0)) or 1.0))
    positive = apart[apart > 0]
    scale = automatic_scale(torch.from_numpy(inputs))
    grid = np.linspace(0, edges[-1], 200)
    return Distances(
        (edges[1:] + edges[:-1]) / 2, counts / max(1, len(apart)), float(np.median(positive)) if len(positive) else 1.0,
        scale, grid, np.exp(-0.5 * (scale * grid) ** 2),
    )  # fmt: skip


def plot_distances(view: Distances) -> go.Figure:
    """Bars over distances and the Gaussian kernel of the automatic scale over the same axis, each up to 1."""
    top = view.share.max() or 1.0
    length = 1 / view.scale
    traces = [
        bars(view.middle, view.share / top, "pairs of rows", BLUE, "distance %{x:.3~g}: %{customdata:.2%} of the pairs",
             customdata=view.share),
        line(view.grid, view.kernel, "kernel", VERMILLION, "distance %{x:.3~g}: kernel %{y:.3f}"),
        line([length, length], [0, 1], "lengthscale 1/σ", GREY, f"1/σ = {length:.4g}", dash="dash", width=2),
    ]  # fmt: skip
    return figure(
        traces, title=f"Frequency scale “auto”: σ = {view.scale:.4g}", x="distance of two scaled rows",
        y="kernel; pairs (most: 1)", subtitle=f"median distance {view.median:.3g}", revision="distances",
        yaxis=FROM_ZERO | {"range": [0, 1.05]}, xaxis=FROM_ZERO, bargap=0.05,
    )  # fmt: skip

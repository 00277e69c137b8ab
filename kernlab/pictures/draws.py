"""Random functions: what a model with this kernel takes to be likely before it has seen a target.

f ~ N(0, K) along the line of :mod:`kernlab.pictures.sample_plane` through the sample's middle, f = K^½ z. The same z at
every moment, and the symmetric root, which changes continuously with K, let the functions move and not jump while a
kernel is learned. For features, it is f(x) = φ(x)ᵀw with w ~ N(0, I).

Source: Rasmussen & Williams 2006, §2.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps.law import GramFunction
from kernlab.pictures.base import At, picture
from kernlab.pictures.kernels import PAGE, has_kernel, rows_of
from kernlab.pictures.marks import line
from kernlab.pictures.sample_plane import SamplePlane, plane_at
from kernlab.pictures.theme import class_style, figure

LINE, FUNCTIONS = 161, 4  # points of the line, and functions


class Draws(NamedTuple):
    """Functions along the first direction."""

    x: NDArray[np.float64]  # coordinate [g]
    values: NDArray[np.float32]  # of each function [c g]
    axis: str  # name of the coordinate
    bound: float  # twice the largest standard deviation √k(x, x) on the line


def symmetric_root(K: ArrayLike) -> NDArray[np.float64]:
    """The positive semi-definite R with R² = K, where rounding made an eigenvalue of K negative it counts as 0."""
    values, vectors = np.linalg.eigh(np.asarray(K, np.float64))
    return np.asarray((vectors * np.sqrt(values.clip(0))) @ vectors.T)


def draws(kernel: GramFunction, X: ArrayLike, plane: SamplePlane, count: int = FUNCTIONS) -> Draws:
    """Random functions with a kernel as their covariance.

    Args:
        kernel: evaluates it.
        X: scaled inputs of the sample [n d].
        plane: of the sample.
        count: how many functions.
    """
    x = np.linspace(*plane.span(0), LINE)
    points = plane.moved(np.asarray(X, np.float64).mean(0), x[:, None])
    K = kernel(points, points)
    z = np.random.default_rng(0).standard_normal((LINE, count))
    return Draws(x, (symmetric_root(K) @ z).T.astype(np.float32), plane.axes[0], 2 * float(np.sqrt(np.diag(K).max())))


def plot_draws(view: Draws) -> go.Figure:
    """One curve a function."""
    traces = [
        line(view.x, values, f"function {number + 1}", class_style(number)[0], "f(%{x:.3~g}) = %{y:.3~g}", width=2)
        for number, values in enumerate(view.values)
    ]
    limit = 1.5 * view.bound
    return figure(
        traces, title="Random functions with this kernel", subtitle="drawn before any target is seen", x=view.axis,
        y="f(x)", revision=f"draws:{view.axis}", yaxis={"range": [-limit, limit]}, showlegend=False,
    )  # fmt: skip


def _about(at: At) -> tuple[str, str]:
    return r"f\sim\mathcal N(0,k)", (
        "How smooth these are, and how far they swing, is what the kernel assumes of the function to be learned."
    )


@picture("preview", PAGE, alt="Random functions drawn with the kernel as covariance", when=has_kernel, height=340,
         note=_about)  # fmt: skip
def draw_random_functions(at: At) -> go.Figure:
    """Functions drawn from the Gaussian process with the kernel of the moment."""
    kernel = at.kernel
    assert kernel
    return plot_draws(draws(kernel.gram, rows_of(at).X, plane_at(at)))

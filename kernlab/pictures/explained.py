"""What a kernel, its spectral density, learning and a bound are, in four pictures that need no formula.

    similarity(x) = k(x₀, x) / k(x₀, x₀)              x₀: the row nearest to the middle of the sample
    waves         density of |uᵀω| over all ω and ω'  u: the first principal direction of the frequencies
    progress      share of the rows that are predicted right
    promise       the bound beside the gap that was measured, and the loss that no learning needs

The Home page shows them of the run that it plays (:mod:`kernlab.ui.miniature`). Names are those that somebody knows who
has never heard of any of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps.law import GramFunction
from kernlab.pictures.base import At, picture
from kernlab.pictures.bound_terms import newest_terms
from kernlab.pictures.curves import draw_metric
from kernlab.pictures.density import kde, window
from kernlab.pictures.directions import direction
from kernlab.pictures.kernels import has_kernel, kernels_at, rows_of
from kernlab.pictures.marks import FROM_ZERO, bars, cells, dots, line
from kernlab.pictures.sample_plane import SamplePlane, plane_at
from kernlab.pictures.spectrum import frequencies_at
from kernlab.pictures.theme import BLUE, GREY, ORANGE, VERMILLION, fade, figure, with_words_above

__all__ = ["Similarity", "Waves", "similarity", "waves"]

SIDE = 25  # points of each side of the grid
GRID = 257  # positions of the density, both signs

_BLUES = [[0, fade(BLUE, 0.0)], [1, fade(BLUE, 0.9)]]


class Similarity(NamedTuple):
    """How similar a kernel takes the points of a plane to be to one of them."""

    x: NDArray[np.float64]  # x, y: coordinates of the grid [s]
    y: NDArray[np.float64]
    values: NDArray[np.float32]  # k(x₀, ·)/k(x₀, x₀), rows along y [s s]
    at: tuple[float, float]  # coordinates of x₀
    points: NDArray[np.float64]  # coordinates of the sample [n 2]


class Waves(NamedTuple):
    """How much of each frequency a kernel has, whatever its sign."""

    x: NDArray[np.float64]  # frequency, from 0 on [g]
    before: NDArray[np.float64]  # density before training and now [g]
    now: NDArray[np.float64]


def similarity(kernel: GramFunction, X: ArrayLike, plane: SamplePlane) -> Similarity:
    """:class:`Similarity` to the row that is nearest to the middle of the sample.

    Args:
        kernel: of two sets of points.
        X: scaled inputs of the sample [n d].
        plane: through the sample.
    """
    points = np.asarray(plane.coordinates, np.float64)
    row = int(((points - points.mean(0)) ** 2).sum(1).argmin())
    x0 = np.asarray(X, np.float64)[row]
    x, y = (np.linspace(*plane.span(axis), SIDE) for axis in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    found = kernel(np.concatenate([x0[None], plane.moved(x0, grid)]), x0[None])[:, 0]
    values = (found[1:] / found[0]).reshape(SIDE, SIDE).astype(np.float32)
    return Similarity(x, y, values, (float(points[row, 0]), float(points[row, 1])), points)


def waves(now: ArrayLike, before: ArrayLike) -> Waves:
    """:class:`Waves` of the frequencies along a line, now and before training [D] each."""
    both = [np.concatenate([np.asarray(each, np.float64), -np.asarray(each, np.float64)]) for each in (now, before)]
    end = max(window(*both))
    grid = np.linspace(-end, end, GRID)
    shown = grid >= -1e-12
    first, second = (2 * kde(each, grid)[0][shown] for each in both)
    return Waves(grid[shown], second, first)


def _planar(at: At) -> bool:
    return has_kernel(at) and rows_of(at).X.shape[1] == 2


@picture(alt="How similar the kernel takes every point to be to one of them", when=_planar)
def draw_similarity(at: At) -> go.Figure:
    """The kernel around the middle of the sample."""
    rows = rows_of(at)
    found = similarity(kernels_at(at)["now"][1], rows.X, plane_at(at))
    plain = {"showgrid": False, "zeroline": False}
    traces = [
        cells(found.values, "similarity", "similarity %{z:.2f}<extra></extra>", _BLUES, (0, 1), x=found.x, y=found.y,
              zsmooth="best"),
        dots(found.points[:, 0], found.points[:, 1], "points", fade(GREY, 0.6), None, size=4),
        dots([found.at[0]], [found.at[1]], "the point", VERMILLION, "the point", size=13, symbol="x",
             outline={"color": "white", "width": 1.5}),
    ]  # fmt: skip
    return figure(
        traces, title="Which points are like this one?", x="first input", y="second input", revision="similarity",
        xaxis=plain, yaxis=plain,
    )  # fmt: skip


@picture(alt="How much of slow and of fast waves the kernel is made of, before and after", arrays=("omega",))
def draw_waves(at: At) -> go.Figure:
    """The spectral density along a line, without signs."""
    now, before = frequencies_at(at)
    u = direction(at)
    found = waves(np.concatenate(now.along(u)), np.concatenate(before.along(u)))
    traces = [
        line(found.x, found.before, "before training", ORANGE, "%{y:.2f} before training", dash="dot"),
        line(found.x, found.now, "now", BLUE, "%{y:.2f} now", fill="tozeroy", fillcolor=fade(BLUE, 0.25)),
    ]
    return figure(
        traces, title="Which waves is it made of?", x="frequency: slow waves left, fast waves right",
        y="how much", revision="waves", xaxis=FROM_ZERO, yaxis=FROM_ZERO,
    )  # fmt: skip


@picture(alt="How many rows are predicted right while the kernel is learned", over_time=True,
         when=lambda at: not at.run.at_once and at.facts.get("metric") == "accuracy")  # fmt: skip
def draw_progress(at: At) -> go.Figure:
    """Accuracy over training, named for somebody who sees the word for the first time."""
    drawn = draw_metric(at).update_layout(title_text="How many points does it get right?", uirevision="progress")
    return drawn.update_yaxes(title_text="right (%)").update_xaxes(title_text="passes over the data")


@picture(alt="What the theorem promises beside what was measured",
         when=lambda at: {"total", "gap", "zero_risk"} <= newest_terms(at).keys())  # fmt: skip
def draw_promise(at: At) -> go.Figure:
    """The bound, the measured gap, and the loss that no learning needs."""
    terms = newest_terms(at)
    names = ["promised at most", "measured"]
    traces = [
        bars(names[:1], [terms["total"]], "bound", ORANGE, "promised at most: %{y:.3~g}"),
        bars(names[1:], [max(terms["gap"], 0.0)], "gap", VERMILLION, "measured: %{y:.3~g}"),
    ]
    drawn = figure(
        traces, title="How far off may it be on new points?", x="", y="loss on new points − on known ones",
        revision="promise", yaxis=FROM_ZERO, showlegend=False,
    )  # fmt: skip
    drawn.add_hline(y=terms["zero_risk"], line={"color": GREY, "dash": "dot", "width": 2})
    drawn.add_annotation(
        x=1, xref="paper", xanchor="right", y=terms["zero_risk"], yanchor="bottom", showarrow=False,
        text="a promise above this line says nothing", font={"size": 14, "color": GREY},
    )  # fmt: skip
    return with_words_above(drawn)

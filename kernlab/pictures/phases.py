"""How far features with random phases are from the kernel of their own frequencies.

    distance = ‖ΦΦᵀ − K‖_F / ‖K‖_F,      K the mean of ΦΦᵀ over phases b that do not depend on Ω

Pairs of cosine and sine have distance 0 for every Ω. With phases the distance is the noise of drawing them, about
1/√D, as long as Ω does not depend on b; a gradient step on Ω makes it depend on b. So the properties of the frequencies
(their density, how stationary they are, k(x, x) ≤ 1) describe K, while the model predicts with ΦΦᵀ. Phases drawn anew
for the same frequencies show which part of the distance is noise.

Source: ASKL eq. 5–6, whose expectation over b is taken at a fixed Ω.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, once, picture
from kernlab.pictures.kernel_at import KernelAt
from kernlab.pictures.kernels import PAGE, features_words, few_rows, has_kernel, over_run, rows_of
from kernlab.pictures.marks import FROM_ZERO, line
from kernlab.pictures.theme import GREY, VERMILLION, figure
from kernlab.pictures.timed import timed

DRAWS = 4  # of phases, whose mean distance counts


class PhaseDistance(NamedTuple):
    """Distances of one moment."""

    own: float  # of the features with the phases that they have
    redrawn: float  # of the same frequencies with phases drawn anew, mean over a few draws


class PhaseHistory(NamedTuple):
    """Distances over the snapshots of a run."""

    epoch: NDArray[np.float64]  # when [s]
    own: NDArray[np.float64]  # own, redrawn: as in :class:`PhaseDistance` [s]
    redrawn: NDArray[np.float64]
    n: int  # rows of the sample


def has_phases(at: KernelAt) -> bool:
    """Whether these are features with random phases."""
    return "phase" in at.params


def phase_distance(at: KernelAt, X: NDArray[Any], *, seed: int = 0, draws: int = DRAWS) -> PhaseDistance:
    """The distance of one moment's features.

    Args:
        at: features of a spectral map; of pairs both distances are 0 but for rounding.
        X: scaled inputs [n d].
        seed: of the phases that are drawn anew.
        draws: how often; 0: not at all, and ``redrawn`` is NaN.
    """
    average = at.representation.average(at.params)
    assert average, "the map has frequencies"
    K = average(X, X)
    size = float(np.linalg.norm(K)) or 1.0

    def apart(kernel: KernelAt) -> float:
        return float(np.linalg.norm(kernel.gram(X) - K)) / size

    own = apart(at)
    if not has_phases(at) or not draws:
        return PhaseDistance(own, math.nan if draws == 0 else own)
    generator = torch.Generator().manual_seed(seed)
    drawn = [at._replace(params=at.representation.rephased(at.params, generator)) for _ in range(draws)]
    return PhaseDistance(own, float(np.mean([apart(each) for each in drawn])))


def phase_history(epochs: ArrayLike, values: Iterable[PhaseDistance], n: int) -> PhaseHistory:
    """Distances at several moments [s], on a sample of n rows, as curves."""
    found = np.array(list(values), np.float64).reshape(-1, 2)
    return PhaseHistory(np.asarray(epochs, np.float64), found[:, 0], found[:, 1], n)


def plot_phase_history(view: PhaseHistory, *, unit: str = "epoch") -> go.Figure:
    """Both distances over the run's snapshots; time is counted in ``unit``s."""
    curves = (("phases as they are", view.own, VERMILLION, "solid"), ("phases drawn anew", view.redrawn, GREY, "dot"))
    traces = [
        line(view.epoch, values, name, colour, f"{name}: %{{y:.3f}}", extra=f"{unit} %{{x:.3~g}}", dash=dash,
             mode="lines+markers", marker={"color": colour, "size": 6})
        for name, values, colour, dash in curves
    ]  # fmt: skip
    return figure(
        traces, title="Distance from the frequencies' kernel", x=unit, y="‖ΦΦᵀ − K‖ / ‖K‖",
        subtitle=f"{view.n} rows at {len(view.epoch)} snapshots; 0 for pairs of cosine and sine",
        revision="phase-distance", yaxis=FROM_ZERO,
    )  # fmt: skip


def _with_phases(at: At) -> bool:
    return has_kernel(at) and at.kernel is not None and has_phases(at.kernel)


def phases_now(at: At) -> PhaseDistance | None:
    """How far the features are from the kernel of their frequencies; None where they have no random phases."""
    kernel = at.kernel
    if kernel is None or not _with_phases(at):
        return None
    X = rows_of(at).X[few_rows(at)]
    return once(at, ("phases", at.moment.step), lambda: phase_distance(kernel, X))


def _about_phases(at: At) -> tuple[str, str]:
    kernel = at.kernel
    assert kernel
    words = (
        "K is the kernel of the frequencies: what the features average to over phases that do not depend on them "
        "(ASKL eq. 5–6). Drawn phases add noise, about 1/√D, the dotted line. Learning increases the distance, since "
        "frequencies are then fitted to these very phases. Pairs of cosine and sine (phase=paired) stay at 0."
    )
    return (
        r"\frac{\|\Phi\Phi^\top-K\|_F}{\|K\|_F},\quad K=\mathbb E_b\,\Phi\Phi^\top",
        f"{words} {features_words(kernel)}",
    )


@picture(PAGE, "inside.spectrum", alt="Distance of the features from the kernel of their frequencies over the run",
         when=lambda at: _with_phases(at) and len(at.run.snapshots.steps) > 1, uses=("output",), over_time=True,
         note=_about_phases)  # fmt: skip
def draw_phase_distances(at: At) -> go.Figure:
    """The distance at some of the run's snapshots, with that of phases drawn anew."""
    few = few_rows(at)
    X = rows_of(at).X[few]
    epochs, found = over_run(at, "phases", lambda kernel: phase_distance(kernel, X))
    return timed(plot_phase_history(phase_history(epochs, found, len(few)), unit=at.run.unit), at)

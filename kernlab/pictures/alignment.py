"""Alignment of kernels with the targets: now, before, exact, and over the snapshots of a run.

    A(K, YYᵀ) = ⟨K, YYᵀ⟩_F / (‖K‖_F ‖YYᵀ‖_F)          centred: CKC and CYYᵀC instead, C = I − 11ᵀ/n

Without centring, a kernel that is high everywhere scores well whatever the targets are. The centred alignment is
compared with the level of chance, its mean over all n! orders of the targets,

    tr(CKC) tr(CYYᵀC) / ((n − 1) ‖CKC‖_F ‖CYYᵀC‖_F),

since the mean of a centred matrix over all orders is a multiple of C.

Source: Cristianini et al. 2001; Cortes, Mohri & Rostamizadeh 2012 (centred); LKRF eq. 5. The level of chance is
derived here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.kernels import PAGE, few_rows, grams_at, has_kernel, over_run, rows_of
from kernlab.pictures.marks import FROM_ZERO, bars, dots, line
from kernlab.pictures.sample import Sample
from kernlab.pictures.theme import BLUE, GREY, ORANGE, figure
from kernlab.pictures.timed import timed


class KernelAlignment(NamedTuple):
    """Alignment of one Gram matrix with the targets."""

    centred: float  # with both matrices centred; in [−1, 1], ≥ 0 for kernels
    plain: float  # without centring
    chance: float  # the mean of the centred alignment over shuffled targets


class Alignments(NamedTuple):
    """Alignment of several kernels."""

    names: tuple[str, ...]  # of the kernels
    values: tuple[KernelAlignment, ...]  # their alignments
    n: int  # rows of the sample


class AlignmentHistory(NamedTuple):
    """Alignment over the snapshots of a run."""

    epoch: NDArray[np.float64]  # of the snapshots [s]
    centred: NDArray[np.float64]  # as in :class:`KernelAlignment` [s]
    plain: NDArray[np.float64]  # as in :class:`KernelAlignment` [s]
    chance: NDArray[np.float64]  # as in :class:`KernelAlignment` [s]
    n: int  # rows of the sample


def target_matrix(targets: ArrayLike, classes: bool) -> NDArray[np.float64]:
    """Y [n c]: one-hot of class codes [n], or real targets [n] or [n c] as they are."""
    y = np.asarray(targets)
    if classes:
        return np.asarray(y[:, None] == np.unique(y)[None, :], np.float64)
    return np.asarray(y.reshape(len(y), -1), np.float64)


def alignment(K: ArrayLike, Y: ArrayLike) -> KernelAlignment:
    """Alignment of K [n n] with YYᵀ, centred and not; 0 where one of the two vanishes."""
    kernel, targets = np.asarray(K, np.float64), np.asarray(Y, np.float64)
    labels = targets @ targets.T
    middle = _centred(kernel), _centred(labels)
    size = float(np.linalg.norm(middle[0]) * np.linalg.norm(middle[1]))
    # Where all entries are alike, centring leaves rounding only, and its direction means nothing.
    vanishes = size <= 1e-12 * float(np.linalg.norm(kernel) * np.linalg.norm(labels)) or len(kernel) < 2
    chance = 0.0 if vanishes else float(np.trace(middle[0]) * np.trace(middle[1])) / ((len(kernel) - 1) * size)
    centred = 0.0 if vanishes else float((middle[0] * middle[1]).sum()) / size
    return KernelAlignment(centred, _cosine(kernel, labels), chance)


def alignments(grams: Mapping[str, ArrayLike], Y: ArrayLike) -> Alignments:
    """Alignment of several Gram matrices of the same rows, by name."""
    targets = np.asarray(Y, np.float64)
    return Alignments(tuple(grams), tuple(alignment(K, targets) for K in grams.values()), len(targets))


def alignment_history(epochs: ArrayLike, values: Iterable[KernelAlignment], n: int) -> AlignmentHistory:
    """Alignments at several epochs [s] as curves, of a sample of n rows."""
    found = np.array(list(values), np.float64).reshape(-1, 3)
    return AlignmentHistory(np.asarray(epochs, np.float64), found[:, 0], found[:, 1], found[:, 2], n)


def _centred(A: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(A - A.mean(0) - A.mean(1)[:, None] + A.mean())


def _cosine(A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    size = float(np.linalg.norm(A) * np.linalg.norm(B))
    return float((A * B).sum()) / size if size > 0 else 0.0


#: Words, colour, dash and pattern of both alignments, as :class:`KernelAlignment` has them.
_BOTH = (("centred", BLUE, "solid", ""), ("not centred", ORANGE, "dash", "/"))
_CHANCE = "shuffled targets, centred"


def plot_alignments(view: Alignments) -> go.Figure:
    """Centred and uncentred alignment of each kernel, with the level of shuffled targets."""
    names, traces = list(view.names), []
    for place, (words, colour, _, pattern) in enumerate(_BOTH):
        values, hover = [value[place] for value in view.values], f"%{{x}}, {words}: %{{y:.4f}}"
        text = {"text": [f"{value:.3f}" for value in values], "textposition": "outside", "cliponaxis": False}
        traces.append(bars(names, values, words, colour, hover, pattern=pattern, **text))
    chance, hover = [value.chance for value in view.values], "%{x}, shuffled targets: %{y:.4f}"
    traces.append(dots(names, chance, _CHANCE, GREY, hover, size=26, symbol="line-ew-open", outline={"width": 3}))
    return figure(
        traces, title="Alignment with the targets",
        subtitle=f"{view.n} rows; 1: the kernel of the targets themselves", x="kernel", y="A(K, YYᵀ)",
        revision="alignments", barmode="group", yaxis=FROM_ZERO,
    )  # fmt: skip


def plot_alignment_history(view: AlignmentHistory, *, unit: str = "epoch") -> go.Figure:
    """Both alignments over the run's snapshots, and the level of shuffled targets; ``unit`` is that of time."""
    lines = [(words, colour, dash) for words, colour, dash, _ in _BOTH] + [(_CHANCE, GREY, "dot")]
    traces = []
    for (words, colour, dash), values in zip(lines, (view.centred, view.plain, view.chance), strict=True):
        traces.append(line(
            view.epoch, values, words, colour, f"{words}: %{{y:.4f}}", extra=f"{unit} %{{x:.3~g}}", dash=dash,
            mode="lines+markers" if values is view.centred else "lines", marker={"color": colour, "size": 6},
        ))  # fmt: skip
    return figure(
        traces, title="Alignment with the targets over the run",
        subtitle=f"{view.n} rows at {len(view.epoch)} snapshots", x=unit, y="A(K, YYᵀ)", revision="alignment-history",
        yaxis=FROM_ZERO,
    )  # fmt: skip


def _labels(sample: Sample) -> NDArray[np.float64]:
    return target_matrix(sample.targets, sample.classes)


def _about_alignment(at: At) -> tuple[str, str]:
    return (
        r"A(K,YY^\top)=\frac{\langle K,YY^\top\rangle_F}{\|K\|_F\,\|YY^\top\|_F}",
        "How well the kernel agrees with the targets about which rows belong together. Centred, both matrices lose "
        "their means first: a kernel that is high everywhere gains nothing from that. LKRF eq. 5; Cortes et al. 2012",
    )


@picture(PAGE, alt="Alignment of the kernel with the targets", when=has_kernel, uses=("output",), note=_about_alignment)
def draw_alignment(at: At) -> go.Figure:
    """Alignment now, before and of the exact kernel."""
    return plot_alignments(alignments(grams_at(at), _labels(rows_of(at))))


def _lasting(at: At) -> bool:
    return has_kernel(at) and bool(at.method and at.method.learned) and len(at.run.snapshots.steps) > 2


@picture(PAGE, alt="Alignment with the targets over the run", when=_lasting, uses=("output",), over_time=True)
def draw_alignment_history(at: At) -> go.Figure:
    """Alignment at some of the run's snapshots, evenly spread."""
    rows, few = rows_of(at), few_rows(at)
    X, Y = rows.X[few], _labels(rows)[few]
    epochs, found = over_run(at, "aligned", lambda kernel: alignment(kernel.gram(X), Y))
    return timed(plot_alignment_history(alignment_history(epochs, found, len(few)), unit=at.run.unit), at)

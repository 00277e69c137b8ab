"""Alignment of kernels with the targets: now, before, exact, and over the snapshots of a run.

    A(K, YYᵀ) = ⟨K, YYᵀ⟩_F / (‖K‖_F ‖YYᵀ‖_F)          centred: CKC and CYYᵀC instead, C = I − 11ᵀ/n

A kernel that is high everywhere scores well without centring, whatever the targets. Beside the centred alignment
stands what shuffled targets would reach on average over all n! orders,

    tr(CKC) tr(CYYᵀC) / ((n − 1) ‖CKC‖_F ‖CYYᵀC‖_F),

since the mean of a centred matrix over all orders is a multiple of C.

Source: Cristianini et al. 2001; Cortes, Mohri & Rostamizadeh 2012 (centred); LKRF eq. 5. The level of chance is
derived here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Alignment",
    "AlignmentHistory",
    "Alignments",
    "alignment",
    "alignment_history",
    "alignments",
    "target_matrix",
]


class Alignment(NamedTuple):
    """Alignment of one Gram matrix with the targets.

    Attributes:
        centred, plain: with both matrices centred, and as they are; in [−1, 1], ≥ 0 for kernels.
        chance: what shuffled targets reach, centred, on average.
    """

    centred: float
    plain: float
    chance: float


class Alignments(NamedTuple):
    """Alignment of several kernels.

    Attributes:
        names: what each kernel is.
        values: their alignments.
        n: rows of the sample.
    """

    names: tuple[str, ...]
    values: tuple[Alignment, ...]
    n: int


class AlignmentHistory(NamedTuple):
    """Alignment over the snapshots of a run.

    Attributes:
        epoch: when [s].
        centred, plain, chance: as in :class:`Alignment` [s].
        n: rows of the sample.
    """

    epoch: NDArray[np.float64]
    centred: NDArray[np.float64]
    plain: NDArray[np.float64]
    chance: NDArray[np.float64]
    n: int


def target_matrix(targets: ArrayLike, classes: bool) -> NDArray[np.float64]:
    """Y [n c]: one-hot of class codes [n], or real targets [n] or [n c] as they are."""
    y = np.asarray(targets)
    if classes:
        return np.asarray(y[:, None] == np.unique(y)[None, :], np.float64)
    return np.asarray(y.reshape(len(y), -1), np.float64)


def alignment(K: ArrayLike, Y: ArrayLike) -> Alignment:
    """Alignment of K [n n] with YYᵀ, centred and not; 0 where one of the two vanishes."""
    kernel, targets = np.asarray(K, np.float64), np.asarray(Y, np.float64)
    labels = targets @ targets.T
    middle = _centred(kernel), _centred(labels)
    size = float(np.linalg.norm(middle[0]) * np.linalg.norm(middle[1]))
    # Where all entries are alike, centring leaves rounding only, and its direction means nothing.
    vanishes = size <= 1e-12 * float(np.linalg.norm(kernel) * np.linalg.norm(labels)) or len(kernel) < 2
    chance = 0.0 if vanishes else float(np.trace(middle[0]) * np.trace(middle[1])) / ((len(kernel) - 1) * size)
    return Alignment(0.0 if vanishes else float((middle[0] * middle[1]).sum()) / size, _cosine(kernel, labels), chance)


def alignments(grams: Mapping[str, ArrayLike], Y: ArrayLike) -> Alignments:
    """Alignment of several Gram matrices of the same rows, by name."""
    targets = np.asarray(Y, np.float64)
    return Alignments(tuple(grams), tuple(alignment(K, targets) for K in grams.values()), len(targets))


def alignment_history(epochs: ArrayLike, values: Iterable[Alignment], n: int) -> AlignmentHistory:
    """Alignments of several moments as curves.

    Args:
        epochs: when [s].
        values: the alignment at each.
        n: rows of the sample.
    """
    found = np.array(list(values), np.float64).reshape(-1, 3)
    return AlignmentHistory(np.asarray(epochs, np.float64), found[:, 0], found[:, 1], found[:, 2], n)


def _centred(A: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(A - A.mean(0) - A.mean(1)[:, None] + A.mean())


def _cosine(A: NDArray[np.float64], B: NDArray[np.float64]) -> float:
    size = float(np.linalg.norm(A) * np.linalg.norm(B))
    return float((A * B).sum()) / size if size > 0 else 0.0

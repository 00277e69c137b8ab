"""The kernel that features stand for, where it is known without them.

    assigned frequencies      the kernel of their density: κ(x − x'), or of independent pairs (ω, ω')
                              ½κ(x − x') + ½κ(x)κ(x')                    κ(Δ) = E cos ωᵀΔ
    learned frequencies       the average over these very frequencies
    weighted frequencies      Σ_m q_m cos ω_mᵀ(x − x')
    landmarks                 the kernel that they are landmarks of
    frames, exact kernels     themselves

Pairs of cosine and sine are that average, whatever the frequencies. Features with random phases have it in expectation
over phases that do not depend on the frequencies: before training. Learned frequencies depend on their phases, so
that features and average are two kernels, and the model predicts with the features'
(:mod:`kernlab.pictures.phase_distance` measures how far they are apart).

Source: Rahimi & Recht 2007; ASKL eq. 5–6; LKRF eq. 14; DI §3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.feature_maps import ExactKernel, Nystroem, Weighted
from kernlab.feature_maps.frames import FrameMap
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.methods import MethodSpec
from kernlab.pictures.assigned import assigned_to
from kernlab.pictures.kernel_at import KernelAt
from kernlab.typing import Params

#: (rows [n d], rows [p d]) -> k [n p], for scaled inputs.
GramFunction: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]


class ExactGram(NamedTuple):
    """A kernel to measure features against.

    Attributes:
        gram: evaluates it.
        words: what "exact" means here, as the end of a sentence.
        same: the features are this kernel already: there is no error to see.
    """

    gram: GramFunction
    words: str
    same: bool = False


def exact_of(method: MethodSpec, at: KernelAt, *, learned: bool | None = None) -> ExactGram | None:
    """The exact kernel that the features of a moment stand for.

    Args:
        method: resolved.
        at: the kernel at that moment.
        learned: whether frequencies have left the density that they were drawn from; by default as the method says.
            False for the moment before training.

    Returns:
        None where none is known.
    """
    map, params = at.representation, at.params
    if isinstance(map, ExactKernel):
        return ExactGram(at.gram, "the kernel itself, no features stand between", same=True)
    if isinstance(map, FrameMap):
        return ExactGram(at.gram, "the sum over the frame's functions, which is the kernel itself", same=True)
    if isinstance(map, Nystroem):
        return ExactGram(_numpy(map.gram), f"the {_name(map.kernel)} kernel that the landmarks stand for")
    if not isinstance(map, SpectralMap):
        return None
    if isinstance(map, Weighted):
        words = "the average over the weighted frequencies"
        words += (
            "" if map.paired else ", which is another kernel than the features' (weights are chosen with the phases)"
        )
        return ExactGram(of_frequencies(map, params), words, same=map.paired)
    if not (method.learned if learned is None else learned):
        return assigned_kernel(map)
    words = "the average over these very frequencies"
    if "phase" in map.trainable:
        words += ", which learned phases leave on purpose"
    elif not map.paired:
        words += ", which is another kernel than the features': learned frequencies depend on their phases"
    return ExactGram(of_frequencies(map, params), words, same=map.paired)


def of_frequencies(map: SpectralMap, params: Params) -> GramFunction:
    """The kernel of a map's very frequencies: exactly that of pairs, and the mean over phases that are drawn anew."""
    omega = params["omega"].double().numpy()
    if "q" in params:
        return _waves(omega, params["q"].double().numpy())
    if map.pairs == 2 and map.phase == "independent":  # the cross terms average out
        each = omega.reshape(len(omega), 1, -1)
        return _waves(each, np.full(each.shape[2], 0.5 / each.shape[2]))
    return _waves(omega, np.full(omega.shape[2], 1 / omega.shape[2]))


def assigned_kernel(map: SpectralMap) -> ExactGram:
    """The kernel that frequencies drawn from the map's density average to (:mod:`kernlab.pictures.assigned`).

    Args:
        map: with its ``frequency_scale`` resolved.
    """
    law = assigned_to(map)
    assert law is not None, "resolve() comes first"
    name = _name(law.density)
    if law.pairs == 1:
        words = f"the {name} kernel whose density the frequencies are drawn from"
    elif law.crossed:
        words = f"the kernel of independent pairs of frequencies, of the {name} kernel's density, in closed form"
    else:
        words = f"half the {name} kernel, which is what independent phases leave"
    return ExactGram(law.kernel, words)


def _name(kernel: str) -> str:
    return "Matérn" if kernel == "matern" else kernel if kernel == "polynomial" else kernel.capitalize()


def _waves(omega: NDArray[np.float64], share: NDArray[np.float64]) -> GramFunction:
    """Σ_j share_j Re ē_j(x) e_j(x') with e_j = P⁻¹Σ_p exp(iω_pjᵀx), for frequencies [d P D]: the paired form."""

    def features(X: NDArray[Any]) -> NDArray[np.float64]:
        z = np.tensordot(np.asarray(X, np.float64), omega, 1)  # [n P D]
        root = np.sqrt(share)
        return np.concatenate([np.cos(z).mean(1) * root, np.sin(z).mean(1) * root], axis=1)

    def gram(X: NDArray[Any], Z: NDArray[Any]) -> NDArray[np.float64]:
        Phi = features(X)
        return np.asarray(Phi @ (Phi if Z is X else features(Z)).T)

    return gram


def _numpy(gram: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> GramFunction:
    """A kernel of tensors for arrays, in float64."""

    def evaluate(X: NDArray[Any], Z: NDArray[Any]) -> NDArray[np.float64]:
        with torch.no_grad():
            return np.asarray(gram(torch.as_tensor(X).double(), torch.as_tensor(Z).double()).numpy())

    return evaluate

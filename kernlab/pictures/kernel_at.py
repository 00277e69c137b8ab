"""The kernel of a run at one moment: features and Gram matrices from the arrays that a snapshot keeps.

    at = kernel_at(method, arrays);  Phi = at.features(X);  K = at.gram(X);  exact_of(method, at).gram(X, X)

A snapshot of a wide map keeps a part of its features. They are random draws, so that this part makes the same kernel
with more noise; the pictures state how many features it has.

The exact kernel is the one that the features approximate, where it is known without them:

    assigned frequencies      the kernel of their density: κ(x − x'), or of independent pairs (ω, ω')
                              ½κ(x − x') + ½κ(x)κ(x')                    κ(Δ) = E cos ωᵀΔ
    learned frequencies       the average over these very frequencies
    weighted frequencies      Σ_m q_m cos ω_mᵀ(x − x')
    landmarks                 the kernel that they are landmarks of
    frames, exact kernels     themselves

Pairs of cosine and sine are that average, whatever the frequencies. Features with random phases have it in expectation
over phases that do not depend on the frequencies: before training. Learned frequencies depend on their phases, so
that features and average are two kernels, and the model predicts with the features'
(:mod:`kernlab.pictures.phases` measures the distance of the two).

Source: Rahimi & Recht 2007; ASKL eq. 5–6; LKRF eq. 14; DI §3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.feature_maps import ExactKernel, FeatureMap, Representation
from kernlab.feature_maps.law import ExactGram
from kernlab.methods import MethodSpec
from kernlab.typing import Params


class KernelAt(NamedTuple):
    """A kernel that can be evaluated."""

    representation: Representation  # the feature map or exact kernel, every "auto" resolved
    params: Params  # its parameters, of the features that were kept
    kept: int  # kept, total: number of its features, and of the model's
    total: int

    @property
    def itself(self) -> bool:
        """Whether the kernel is used as it is, without features."""
        return isinstance(self.representation, ExactKernel)

    def precise(self) -> KernelAt:
        """The same with its parameters in float64, which else are converted each time that features are computed."""
        return self._replace(params={name: value.double() for name, value in self.params.items()})

    def features(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """φ(X) [n D'] for scaled inputs [n d]; an exact kernel has none: [n 0]."""
        if not isinstance(self.representation, FeatureMap):
            return np.zeros((len(X), 0))
        params = {name: value.double() for name, value in self.params.items()}
        with torch.no_grad():
            return self.representation.apply(params, torch.as_tensor(X).double()).numpy()

    def gram(self, X: NDArray[Any], Z: NDArray[Any] | None = None) -> NDArray[np.float64]:
        """k(x, z) for every pair of rows of scaled inputs, [n p]; ``Z`` = X if it is left out."""
        if isinstance(self.representation, ExactKernel):
            rows = torch.as_tensor(X).double()
            others = rows if Z is None else torch.as_tensor(Z).double()
            with torch.no_grad():
                return self.representation.gram(self.params, rows, others).numpy()
        Phi = self.features(X)
        return Phi @ (Phi if Z is None else self.features(Z)).T


def kernel_at(
    method: MethodSpec, arrays: Mapping[str, Any], initial: Mapping[str, Any] | None = None
) -> KernelAt | None:
    """The kernel that a snapshot holds.

    Args:
        method: resolved.
        arrays: of the snapshot.
        initial: the static arrays of the run: the kernel before training, from those named ``…_initial``, instead.

    Returns:
        None where a snapshot of this map does not keep enough (stacked layers).
    """
    if initial is not None:
        arrays = {name.removesuffix("_initial"): each for name, each in initial.items() if name.endswith("_initial")}
    kept = {name: torch.as_tensor(np.asarray(each)) for name, each in arrays.items()}
    found = method.feature_map.restored(kept)
    if found is None:
        return None
    representation, params = found
    columns = representation.columns(params) if isinstance(representation, FeatureMap) else 0
    total = method.feature_map.columns(kept) if isinstance(method.feature_map, FeatureMap) else columns
    return KernelAt(representation, params, columns, total)


def exact_of(method: MethodSpec, at: KernelAt, *, learned: bool | None = None) -> ExactGram | None:
    """The exact kernel that the features of a moment approximate, as their map states it; None where none is known.

    Args:
        method: resolved.
        at: the kernel at that moment.
        learned: whether frequencies have left the density that they were drawn from; by default as the method states.
            False for the moment before training.
    """
    return at.representation.exact(at.params, method.learned if learned is None else learned)

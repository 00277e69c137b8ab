"""The kernel of a run at one moment: features and Gram matrices from what a snapshot has kept.

    at = kernel_at(method, arrays);  Phi = at.features(X);  K = at.gram(X)

A snapshot of a wide map holds a share of its features. They are random draws, so that share makes the same kernel
with more noise; the pictures say how many there were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.feature_maps import ExactKernel, FeatureMap, Representation
from kernlab.methods import MethodSpec
from kernlab.typing import Params


class KernelAt(NamedTuple):
    """A kernel that can be evaluated.

    Attributes:
        representation: the feature map or exact kernel, every "auto" resolved.
        params: its parameters, of the features that were kept.
        kept, total: features it is made of, and those of the model.
    """

    representation: Representation
    params: Params
    kept: int
    total: int

    def features(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """φ(X) [n D'] for scaled inputs [n d]; of an exact kernel there are none: [n 0]."""
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
        initial: what the run keeps for good (``…_initial``): the kernel as it was before training, instead.

    Returns:
        None where a snapshot of this map does not hold enough (stacked layers).
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

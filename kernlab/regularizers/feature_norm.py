"""Mean squared length of the features, ‖φ(X)‖_F²/n: the trace of the kernel matrix over n.

The paper penalises ‖φ(X)‖_F² itself beside a *mean* loss, which makes λ₂ mean something else at every
n. Here the mean is penalised; on a mini-batch it is ‖φ(X_batch)‖_F²/m, an unbiased estimate.

Source: ASKL eq. 4.
"""

from __future__ import annotations

import torch

from kernlab.options import component
from kernlab.regularizers.base import REGULARIZERS, Regularizer
from kernlab.typing import Float, Tensor

__all__ = ["FeatureNorm"]


@REGULARIZERS.register("feature_norm")
@component
class FeatureNorm(Regularizer):
    """Mean squared length of the features."""

    name = "feature_norm"
    title = "Mean squared length of φ(x)"
    formula = r"\tfrac1n\|\varphi(X)\|_F^2"
    source = "ASKL eq. 4"
    acts = "feature gradient"
    letter, norm, searched = "λ₂", "‖φ(X)‖²/n", (1e-6, 10.0)

    def value(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"]) -> Float[Tensor, ""]:
        length: Tensor = torch.linalg.vector_norm(Phi)
        return length.square() / Phi.shape[0]

    def feature_gradient(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, "m D"]:
        return Phi * (2 * self.weight / Phi.shape[0])

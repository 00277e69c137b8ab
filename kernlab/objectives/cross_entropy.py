"""Softmax cross-entropy.

    ℓ(f, y) = log Σ_k exp f_k − f_y        ∂ℓ/∂f = softmax(f) − e_y

The loss of the authors' released ASKL code; the paper's text has the hinge.
"""

from __future__ import annotations

import math

import torch

from kernlab.objectives.base import OBJECTIVES, Loss
from kernlab.options import component
from kernlab.typing import Float, Targets, Tensor

__all__ = ["CrossEntropy"]


@OBJECTIVES.register("cross_entropy")
@component
class CrossEntropy(Loss):
    """Softmax cross-entropy."""

    name = "cross_entropy"
    title = "Cross-entropy"
    formula = r"\ell(f,y)=\log\sum_k e^{f_k}-f_y"
    source = "DI, joint baselines; ASKL released code"
    tasks = ("classification",)

    def value_and_grad(self, F: Float[Tensor, "m K"], y: Targets) -> tuple[Float[Tensor, ""], Float[Tensor, "m K"]]:
        y = y[:, None]
        logs = torch.log_softmax(F, dim=1)
        G = logs.exp().scatter_add(1, y, -torch.ones_like(F[:, :1])) / F.shape[0]
        return -logs.gather(1, y).mean(), G

    def lipschitz(self, F: Float[Tensor, "m K"], y: Targets) -> float:
        """√2: the gradient softmax(f) − e_y is never longer."""
        return math.sqrt(2)

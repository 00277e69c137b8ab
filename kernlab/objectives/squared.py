"""Squared loss.

    ℓ(f, y) = ‖f − y‖²   (sum over outputs, no ½)       ∂ℓ/∂f = 2(f − y)

Class codes mean one-hot targets. Source: ASKL, "Specific loss functions".
"""

from __future__ import annotations

import torch

from kernlab.objectives.base import OBJECTIVES, Loss
from kernlab.options import component
from kernlab.typing import Float, Targets, Tensor

__all__ = ["Squared"]


@OBJECTIVES.register("squared")
@component
class Squared(Loss):
    """Squared error."""

    name = "squared"
    title = "Squared"
    formula = r"\ell(f,y)=\|f-y\|_2^2"
    source = "ASKL, specific loss functions"
    tasks = ("classification", "regression")

    def value_and_grad(self, F: Float[Tensor, "m K"], y: Targets) -> tuple[Float[Tensor, ""], Float[Tensor, "m K"]]:
        residual = F - self._targets(F, y)
        return residual.pow(2).sum(1).mean(), residual * (2 / F.shape[0])

    def lipschitz(self, F: Float[Tensor, "m K"], y: Targets) -> float:
        """2·max‖f − y‖ over these rows: the squared loss has no global constant."""
        return 2 * float((F - self._targets(F, y)).norm(dim=1).max())

    @staticmethod
    def _targets(F: Float[Tensor, "m K"], y: Targets) -> Float[Tensor, "m K"]:
        if y.is_floating_point():
            return y
        return torch.zeros_like(F).scatter(1, y[:, None], 1.0)

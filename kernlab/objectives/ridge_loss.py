"""Ridge regression and the map in turns (the baseline "LS" of the DI paper).

    (W, b) ← argmin ‖ΦW + 1bᵀ − Y‖_F² + ρ‖W‖_F²   on one mini-batch, in closed form
    θ ← θ − η ∇_θ (1/m)‖ΦW + 1bᵀ − Y‖_F²         on the next one, with those weights fixed

Were the weights those of the same mini-batch, the step would be that of Discriminant Information: where W and b
minimise the ridge error, its derivative through them vanishes (envelope theorem), and

    (2/m)(ΦW + 1bᵀ − Y)Wᵀ = −(2/m)(Ȳ − Φ̄V)Vᵀ = ∂/∂Φ (‖Ȳ‖_F² − DI)/m

So the two differ only in that here the map learns from rows that the weights have not seen. Before the first
mini-batch W = 0: it gives no gradient, only weights.

Source: DI §5.1, baseline LS.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from kernlab.linalg import ridge
from kernlab.objectives.base import OBJECTIVES, RidgeObjective
from kernlab.options import component
from kernlab.typing import Float, Params, Tensor

__all__ = ["RidgeLoss"]


@OBJECTIVES.register("ridge_loss")
@component
class RidgeLoss(RidgeObjective):
    """Squared error with ridge weights of the mini-batch before."""

    name = "ridge_loss"
    title = "Alternating ridge"
    formula = r"\tfrac1m\|\Phi W+\mathbf 1b^\top-Y\|_F^2,\quad (W,b)\ \text{from the batch before}"
    source = "DI §5.1, baseline LS"

    def start(self, D: int, K: int, like: Tensor) -> dict[str, Tensor]:
        """``ls_weight`` [D K] and ``ls_bias`` [K], zero."""
        return {"ls_weight": like.new_zeros(D, K), "ls_bias": like.new_zeros(K)}

    def value_and_grad(
        self, Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"], params: Params
    ) -> tuple[Float[Tensor, ""], Float[Tensor, "m D"], Mapping[str, Tensor]]:
        """Mean squared error with the kept weights, its gradient, and this mini-batch's weights to be kept.

        Raises:
            DataError: no more rows than features.
        """
        m, D = Phi.shape
        self.check_batch(m, D)
        W = params["ls_weight"]
        residual = torch.addmm(params["ls_bias"], Phi, W) - Y
        fitted = ridge([Phi], Y, self.penalty)
        kept = {"ls_weight": fitted.weight, "ls_bias": fitted.bias}
        return residual.pow(2).sum() / m, residual @ W.mT * (2 / m), kept

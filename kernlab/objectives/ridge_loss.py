"""Ridge regression and the map in turns (the baseline "LS" of the DI paper).

    (W, b) ← argmin ‖ΦW + 1bᵀ − Y‖_F² + ρ‖W‖_F²   on one mini-batch, in closed form
    θ ← θ − η ∇_θ (1/m)‖ΦW + 1bᵀ − Y‖_F²         on the next one, with those weights held

Were the weights those of the same mini-batch, the step would be that of Discriminant Information: where W and b
minimise the ridge error, its derivative through them vanishes (envelope theorem), and

    (2/m)(ΦW + 1bᵀ − Y)Wᵀ = −(2/m)(Ȳ − Φ̄V)Vᵀ = ∂/∂Φ (‖Ȳ‖_F² − DI)/m

So the two differ only in that here the map learns from rows that the weights have not seen. Before the first
mini-batch W = 0: it gives no gradient, only weights.

Source: DI §5.1, baseline LS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch

from kernlab.linalg import ridge
from kernlab.objectives.base import OBJECTIVES, MapObjective
from kernlab.objectives.discriminant import left_out, penalty_of
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["RidgeLoss"]


@OBJECTIVES.register("ridge_loss")
@component
class RidgeLoss(MapObjective):
    """Squared error with ridge weights of the mini-batch before."""

    name = "ridge_loss"
    title = "Alternating ridge"
    formula = r"\tfrac1m\|\Phi W+\mathbf 1b^\top-Y\|_F^2,\quad (W,b)\ \text{from the batch before}"
    source = "DI §5.1, baseline LS"
    tasks = ("classification", "regression")
    solves = True
    version = 2
    defaults_of_version_1 = (("rho", 0.0001),)

    rho: float | Literal["auto"] = option(
        "auto",
        "Ridge penalty ρ, against the squared error summed over a mini-batch; auto: by leave-one-out on the first "
        "mini-batch, before anything is learned.",
        gt=0, log=True,
    )  # fmt: skip

    def resolve(self, Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"]) -> RidgeLoss:
        """A copy whose automatic ρ is that of the smallest leave-one-out error on these features."""
        return self if self.rho != "auto" else self.replace(rho=left_out(Phi, Y))

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
        fitted = ridge([Phi], Y, penalty_of(self.rho))
        kept = {"ls_weight": fitted.weight, "ls_bias": fitted.bias}
        return residual.pow(2).sum() / m, residual @ W.mT * (2 / m), kept

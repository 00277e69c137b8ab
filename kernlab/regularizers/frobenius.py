"""Squared Frobenius norm of the weights, ‖W‖_F² (no ½). Source: ASKL Table 1 (SK … NSKL)."""

from __future__ import annotations

from kernlab.options import component
from kernlab.regularizers.base import REGULARIZERS, Regularizer
from kernlab.typing import Float, Tensor

__all__ = ["Frobenius"]


@REGULARIZERS.register("frobenius")
@component
class Frobenius(Regularizer):
    """Squared Frobenius norm of the weights."""

    name = "frobenius"
    title = "Squared Frobenius norm of W"
    formula = r"\|W\|_F^2"
    source = "ASKL Table 1"
    acts = "weight gradient"
    letter, norm, searched = "λ₁", "‖W‖²", (1e-8, 1e-2)

    def value(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"]) -> Float[Tensor, ""]:
        return W.pow(2).sum()

    def weight_gradient(self, W: Float[Tensor, "D K"]) -> Float[Tensor, "D K"]:
        return W * (2 * self.weight)

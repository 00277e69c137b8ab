"""Trace norm of the weights, ‖W‖_* = Σ_j σ_j: a convex penalty on the rank.

Applied as a proximal step after each gradient step, W ← U diag((σ_j − λη)₊) Vᵀ. With Adam the step
uses the current learning rate η_t: the proximal map in Adam's own metric has no closed form.

Source: ASKL eq. 7–8.
"""

from __future__ import annotations

from kernlab.linalg import nuclear_norm, singular_value_threshold
from kernlab.options import component
from kernlab.regularizers.base import REGULARIZERS, Regularizer
from kernlab.regularizers.frobenius import Frobenius
from kernlab.typing import Float, Tensor

__all__ = ["TraceNorm"]


@REGULARIZERS.register("trace_norm")
@component
class TraceNorm(Regularizer):
    """Trace norm of the weights, by singular value thresholding."""

    name = "trace_norm"
    title = "Trace norm of W"
    formula = r"\|W\|_*"
    source = "ASKL eq. 7–8"
    acts = "proximal step"
    letter, norm, searched = "λ₁", "‖W‖⁎", (1e-6, 1.0)

    @property
    def assigned(self) -> Regularizer:
        """The squared Frobenius norm with the same λ₁, which SK and NSK have in ASKL Table 1."""
        return Frobenius(weight=self.weight)

    def value(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"]) -> Float[Tensor, ""]:
        return nuclear_norm(W)

    def prox(self, W: Float[Tensor, "D K"], learning_rate: float | Tensor) -> Float[Tensor, "D K"]:
        return singular_value_threshold(W, self.weight * learning_rate)

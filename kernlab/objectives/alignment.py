"""Centred kernel-target alignment, to be raised over the map.

    A(Φ) = ‖Φ̄ᵀȲ‖_F² / (‖Φ̄ᵀΦ̄‖_F ‖ȲᵀȲ‖_F),   Φ̄ = CΦ, Ȳ = CY
    ∂A/∂Φ = 2/(‖Φ̄ᵀΦ̄‖_F ‖ȲᵀȲ‖_F) · (ȲȲᵀΦ̄ − ‖Φ̄ᵀȲ‖_F²/‖Φ̄ᵀΦ̄‖_F² · Φ̄Φ̄ᵀΦ̄)

The cosine of the angle between the centred kernel matrix and that of the targets; it does not depend on the
scale of either. Φ̄ and Ȳ have columns of mean 0, so the gradient has, too.

Source: LKRF eq. 5; Cortes, Mohri & Rostamizadeh 2012.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from kernlab.linalg import alignment
from kernlab.objectives.base import OBJECTIVES, MapObjective
from kernlab.options import component
from kernlab.typing import Float, Params, Tensor

__all__ = ["Alignment", "alignment"]


@OBJECTIVES.register("alignment")
@component
class Alignment(MapObjective):
    """Negative centred kernel-target alignment, in [−1, 0]."""

    name = "alignment"
    title = "Alignment"
    formula = r"-\frac{\langle CKC,\,CYY^\top C\rangle_F}{\|CKC\|_F\,\|CYY^\top C\|_F}"
    source = "LKRF eq. 5; Cortes et al. 2012"
    tasks = ("classification", "regression")

    def value_and_grad(
        self, Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"], params: Params
    ) -> tuple[Float[Tensor, ""], Float[Tensor, "m D"], Mapping[str, Tensor]]:
        """−A and −∂A/∂Φ, O(mD²); both 0 where the batch has one target value or constant features."""
        Phi, Y = Phi - Phi.mean(0), Y - Y.mean(0)
        cross, gram = Y.mT @ Phi, Phi.mT @ Phi
        product, squared = cross.square().sum(), gram.square().sum()
        tiny = torch.finfo(Phi.dtype).tiny
        size = (squared.sqrt() * (Y.mT @ Y).square().sum().sqrt()).clamp_min(tiny)
        C = (Phi @ gram) * (product / squared.clamp_min(tiny)) - Y @ cross
        return -product / size, C * (2 / size), {}

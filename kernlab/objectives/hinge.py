"""Multi-class hinge loss.

    ℓ(f, y) = |1 − (f_y − max_{y'≠y} f_{y'})|₊
    ∂ℓ/∂f  = e_{y'} − e_y where the margin is below 1, else 0

Two classes are K = 2 outputs. Source: ASKL, "Specific loss functions"; Crammer & Singer 2001.
"""

from __future__ import annotations

import math

import torch

from kernlab.objectives.base import OBJECTIVES, Loss
from kernlab.options import component
from kernlab.typing import Float, Targets, Tensor

__all__ = ["Hinge"]


@OBJECTIVES.register("hinge")
@component
class Hinge(Loss):
    """Multi-class hinge (Crammer–Singer)."""

    name = "hinge"
    title = "Hinge"
    formula = r"\ell(f,y)=\left|1-(f_y-\max_{y'\ne y}f_{y'})\right|_+"
    source = "ASKL, specific loss functions"
    tasks = ("classification",)

    def value_and_grad(self, F: Float[Tensor, "m K"], y: Targets) -> tuple[Float[Tensor, ""], Float[Tensor, "m K"]]:
        y = y[:, None]
        strongest, wrong = F.scatter(1, y, -torch.inf).max(1, keepdim=True)
        short = (1 + strongest - F.gather(1, y)).clamp_min(0)
        active = short.sign() / F.shape[0]
        G = torch.zeros_like(F).scatter(1, wrong, active).scatter(1, y, -active)  # in place, vmap has no rule for it
        return short.mean(), G

    def lipschitz(self, F: Float[Tensor, "m K"], y: Targets) -> float:
        """√2: two outputs enter the margin, each with slope one."""
        return math.sqrt(2)

"""Squared norm of what is learned of the map, ‖Ω‖_F² (no ½), whatever the map calls it.

Frequencies of spectral maps, landmarks, diagonals of Fastfood. A learned kernel stays smooth where its frequencies stay
short.

Source: weight decay of a network's hidden layer; Krogh & Hertz 1991.
"""

from __future__ import annotations

import torch

from kernlab.options import component
from kernlab.regularizers.base import REGULARIZERS, Regularizer
from kernlab.typing import Float, Params, Tensor

__all__ = ["OmegaNorm"]


@REGULARIZERS.register("omega_norm")
@component
class OmegaNorm(Regularizer):
    """Squared norm of the map's learned parameters."""

    name = "omega_norm"
    title = "Squared norm of Ω"
    formula = r"\|\Omega\|_F^2"
    source = "Krogh & Hertz 1991"
    acts = "map gradient"
    norm = "‖Ω‖²"

    def value_at(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"], theta: Params) -> Float[Tensor, ""]:
        return torch.stack([value.square().sum() for value in theta.values()]).sum()

    def map_gradient(self, theta: Params) -> dict[str, Tensor]:
        return {name: value * (2 * self.weight) for name, value in theta.items()}

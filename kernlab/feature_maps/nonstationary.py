"""Non-stationary spectral features: two frequencies a feature, after Yaglom's theorem.

    k(x,x') = E ¼[cos(ωᵀx − ω'ᵀx') + cos(ω'ᵀx − ωᵀx') + cos ωᵀ(x−x') + cos ω'ᵀ(x−x')]

    paired        ψ(x) = (1/√(4D)) [cos Ωᵀx + cos Ω'ᵀx ; sin Ωᵀx + sin Ω'ᵀx]      exactly the average
    shared        φ(x) = (1/√(2D)) [cos(Ωᵀx + b) + cos(Ω'ᵀx + b)]                 the kernel in expectation
    independent   φ(x) = (1/√(2D)) [cos(Ωᵀx + b) + cos(Ω'ᵀx + b')]                another, stationary kernel

With independent phases the cross terms average out: what is left is ¼E[cos ωᵀ(x−x') + cos ω'ᵀ(x−x')],
stationary and with k(x, x) = ½. The paper's text draws b and b' independently and calls the forms
equivalent; they are so only if b' = b, the default here. Setting Ω' = Ω and b' = b gives back the
stationary features.

Source: ASKL eq. 5–6; Yaglom 1987; Samo & Roberts 2015.
"""

from __future__ import annotations

import math
from typing import Literal

import torch

from kernlab.feature_maps.base import FEATURE_MAPS
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.options import component, option
from kernlab.typing import Float, Tensor

__all__ = ["NonStationary"]


@FEATURE_MAPS.register("nonstationary")
@component
class NonStationary(SpectralMap):
    """Non-stationary spectral features (Yaglom)."""

    name = "nonstationary"
    title = "Non-stationary spectral"
    formula = r"\varphi(x)=\tfrac{1}{\sqrt{2D}}\,[\cos(\Omega^\top x+b)+\cos(\Omega'^\top x+b)]"
    source = "ASKL eq. 5–6; Yaglom 1987"
    pairs = 2

    phase: Literal["shared", "independent", "paired"] = option(
        "shared",
        "shared: one phase for both frequencies (the kernel in expectation); independent: as the paper's text, "
        "a stationary kernel; paired: cosine and sine, exact (width 2D).",
    )

    @property
    def paired(self) -> bool:
        return self.phase == "paired"

    def draw_phase(self, generator: torch.Generator) -> Float[Tensor, "P D"]:
        if self.phase == "shared":
            return super().draw_phase(generator)
        return 2 * math.pi * torch.rand(self.pairs, self.n_features, generator=generator)

"""Random Fourier features: a stationary kernel as an average of cosines.

    φ(x) = √(2/D) cos(Ωᵀx + b),   b ~ U[0, 2π)             width D
    ψ(x) = √(1/D) [cos Ωᵀx ; sin Ωᵀx]                      width 2D, no phase noise
    E φ(x)·φ(x') = E cos ωᵀ(x − x') = k(x − x')

Source: Rahimi & Recht 2007; Bochner's theorem. The kernel for each density is in kernlab.kernels.
"""

from __future__ import annotations

from typing import Literal

from kernlab.feature_maps.base import FEATURE_MAPS
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.options import component, option

__all__ = ["Stationary"]


@FEATURE_MAPS.register("stationary")
@component
class Stationary(SpectralMap):
    """Stationary spectral features (random Fourier features)."""

    name = "stationary"
    title = "Stationary spectral"
    formula = r"\varphi(x)=\sqrt{2/D}\,\cos(\Omega^\top x+b)"
    source = "Rahimi & Recht 2007; Bochner's theorem"
    pairs = 1

    form: Literal["phase", "paired"] = option(
        "phase", "phase: one cosine with a random phase; paired: cosine and sine (width 2D)."
    )

    @property
    def paired(self) -> bool:
        return self.form == "paired"

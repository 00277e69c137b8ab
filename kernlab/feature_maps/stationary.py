"""Random Fourier features: a stationary kernel as an average of cosines.

    paired    ψ(x) = √(2/D) [cos Ωᵀx ; sin Ωᵀx]             D/2 frequencies: exactly their average of cosines
    shared    φ(x) = √(2/D) cos(Ωᵀx + b),  b ~ U[0, 2π)     D frequencies: that average in expectation
    E ψ(x)·ψ(x') = E cos ωᵀ(x − x') = k(x, x')

With one frequency a draw, shared and independent phases are the same. Learned frequencies depend on the phases
that they were learned beside, and features with phases are then no longer the kernel of their frequencies, nor
stationary (kernlab.feature_maps.spectral).

Source: Rahimi & Recht 2007; Bochner's theorem. The kernel for each density is in kernlab.kernels.
"""

from __future__ import annotations

from kernlab.feature_maps.base import FEATURE_MAPS
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.options import component

__all__ = ["Stationary"]


@FEATURE_MAPS.register("stationary")
@component
class Stationary(SpectralMap):
    """Stationary spectral features (random Fourier features)."""

    name = "stationary"
    title = "Stationary spectral"
    formula = r"\varphi(x)=\sqrt{2/D}\,[\cos\Omega^\top x\,;\ \sin\Omega^\top x]"
    source = "Rahimi & Recht 2007; Bochner's theorem"
    pairs = 1

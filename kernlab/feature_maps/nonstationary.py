"""Non-stationary spectral features: two frequencies a draw, after Yaglom's theorem.

    k(x,x') = E ¼[cos(ωᵀx − ω'ᵀx') + cos(ω'ᵀx − ωᵀx') + cos ωᵀ(x−x') + cos ω'ᵀ(x−x')]

    paired        ψ(x) = (1/√(2D)) [cos Ωᵀx + cos Ω'ᵀx ; sin Ωᵀx + sin Ω'ᵀx]      D/2 draws: exactly their average
    shared        φ(x) = (1/√(2D)) [cos(Ωᵀx + b) + cos(Ω'ᵀx + b)]                 D draws: in expectation, at the start
    independent   φ(x) = (1/√(2D)) [cos(Ωᵀx + b) + cos(Ω'ᵀx + b')]                D draws: another, stationary kernel

With independent phases the cross terms average out: what is left is ¼E[cos ωᵀ(x−x') + cos ω'ᵀ(x−x')],
stationary and with k(x, x) = ½. The paper's text draws b and b' independently and calls the forms equivalent;
they are so only if b' = b, and only as long as (Ω, Ω') does not depend on b. Learning makes it depend on b: after
training on abalone the Gram matrix of features with shared phases is 0.45 (relative, Frobenius) away from the
average over their own frequencies, where phases drawn anew are 0.03 away. Pairs of cosine and sine, the default,
are that average for every (Ω, Ω'). Setting Ω' = Ω gives back the stationary features.

Source: ASKL eq. 5–6; Yaglom 1987; Samo & Roberts 2015.
"""

from __future__ import annotations

from kernlab.feature_maps.base import FEATURE_MAPS
from kernlab.feature_maps.spectral import SpectralMap
from kernlab.options import component

__all__ = ["NonStationary"]


@FEATURE_MAPS.register("nonstationary")
@component
class NonStationary(SpectralMap):
    """Non-stationary spectral features (Yaglom)."""

    name = "nonstationary"
    title = "Non-stationary spectral"
    formula = (
        r"\varphi(x)=\tfrac{1}{\sqrt{2D}}\,[\cos\Omega^\top x+\cos\Omega'^\top x\,;\ "
        r"\sin\Omega^\top x+\sin\Omega'^\top x]"
    )
    source = "ASKL eq. 5–6; Yaglom 1987"
    pairs = 2

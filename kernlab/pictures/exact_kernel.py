"""The kernel that features stand for, where it is known without them.

    assigned frequencies      the kernel of their density: κ(x − x'), or of independent pairs (ω, ω')
                              ½κ(x − x') + ½κ(x)κ(x')                    κ(Δ) = E cos ωᵀΔ
    learned frequencies       the average over these very frequencies
    weighted frequencies      Σ_m q_m cos ω_mᵀ(x − x')
    landmarks                 the kernel that they are landmarks of
    frames, exact kernels     themselves

Pairs of cosine and sine are that average, whatever the frequencies. Features with random phases have it in expectation
over phases that do not depend on the frequencies: before training. Learned frequencies depend on their phases, so
that features and average are two kernels, and the model predicts with the features'
(:mod:`kernlab.pictures.phases` measures how far they are apart).

Source: Rahimi & Recht 2007; ASKL eq. 5–6; LKRF eq. 14; DI §3.2.
"""

from __future__ import annotations

from kernlab.feature_maps.law import ExactGram, GramFunction
from kernlab.methods import MethodSpec
from kernlab.pictures.kernel_at import KernelAt

__all__ = ["ExactGram", "GramFunction", "exact_of"]


def exact_of(method: MethodSpec, at: KernelAt, *, learned: bool | None = None) -> ExactGram | None:
    """The exact kernel that the features of a moment stand for, as their map says it.

    Args:
        method: resolved.
        at: the kernel at that moment.
        learned: whether frequencies have left the density that they were drawn from; by default as the method says.
            False for the moment before training.

    Returns:
        None where none is known.
    """
    return at.representation.exact(at.params, method.learned if learned is None else learned)

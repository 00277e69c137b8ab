"""What re-weighting random features has changed: alignment with the targets, and how far from uniform it went.

    A(K, YYᵀ) = ⟨K, YYᵀ⟩ / (‖K‖_F ‖YYᵀ‖_F),   K = ΦΦᵀ,   before and after
    D_χ²(q ‖ uniform) = N_w Σ q_m² − 1 ≤ ρ

The paper's risk bound is the same for every kernel of the ball and leaves its constants open; what a run can
show is where in the ball it ended, and what that cost in features. The solver raises ⟨K, YYᵀ⟩, not the cosine:
with many classes A can fall although ⟨K, YYᵀ⟩ has grown several times, because ‖K‖_F has grown more.

Source: LKRF eq. 5–8.
"""

from __future__ import annotations

from kernlab.bounds.base import BOUNDS, Bound, Term
from kernlab.linalg import alignment, wide
from kernlab.typing import Float, Tensor

__all__ = ["ALIGNMENT", "alignment_terms"]

ALIGNMENT = Bound(
    "alignment",
    "Alignment of the kernel with the targets",
    r"\max_q A(K_q,YY^\top)\quad\text{s.t.}\quad D_{\chi^2}(q\,\|\,1/N_w)\le\rho",
    "LKRF eq. 4–8",
    (
        Term("alignment_before", "Alignment before", r"A(CK_0C,CYY^\top C)",
             "How well the kernel of all candidates, equally weighted, agrees with which samples belong together.",
             "LKRF eq. 5"),
        Term("alignment", "Alignment", r"A(CK_qC,CYY^\top C)",
             "The same for the re-weighted kernel, both matrices centred: 1 would be the kernel of the targets.",
             "LKRF eq. 5; Cortes et al. 2012"),
        Term("alignment_uncentred", "Alignment, not centred", r"A(K_q,YY^\top)",
             "Without centring, so a kernel that is constant scores as well.", "LKRF eq. 5"),
        Term("chi_square", "Divergence from uniform", r"N_w\textstyle\sum_m q_m^2-1",
             "How far the weights have gone from equal; at the solution it is ρ.", "LKRF eq. 6–7, 11"),
        Term("support", "Features kept", r"\operatorname{nnz}(q)",
             "Candidates that have any weight left.", "LKRF eq. 14"),
        Term("effective_size", "Effective number of features", r"1/\textstyle\sum_m q_m^2",
             "As many equally weighted features would vary as much.", "Kish 1965"),
        Term("gap", "Measured gap", r"\hat{\mathcal E}_{\text{test}}-\hat{\mathcal E}_{\text{train}}",
             "Test loss minus training loss.", "held-out data"),
    ),
    beside=("alignment_before", "alignment", "alignment_uncentred"),
    over_time=("alignment_before", "alignment_uncentred", "alignment"),
    measured="alignment",
    unit="alignment",
)  # fmt: skip
BOUNDS.add(ALIGNMENT.name, ALIGNMENT)


def alignment_terms(
    Phi: Float[Tensor, "s D"],
    Y: Float[Tensor, "s K"],
    q: Float[Tensor, " N"],
    *,
    candidates: int,
    alignment_before: float,
    gap: float,
) -> dict[str, float]:
    """Every term at one moment, by key.

    Args:
        Phi: weighted features of a sample.
        Y: its targets, one-hot for classes.
        q: the weights, summing to 1; candidates that were dropped may be left out.
        candidates: N_w.
        alignment_before: centred alignment of the candidates with equal weights, on the same sample.
        gap: test loss − training loss.

    Source: LKRF eq. 5–8.
    """
    squares = float(wide(q).square().sum())
    return {
        "alignment_before": alignment_before,
        "alignment": alignment(Phi, Y),
        "alignment_uncentred": alignment(Phi, Y, centred=False),
        "chi_square": candidates * squares - 1,
        "support": float((q > 0).sum()),
        "effective_size": 1 / squares,
        "gap": gap,
    }

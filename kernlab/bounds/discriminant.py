"""Discriminant Information is the ridge error: both sides of the identity, per sample.

    min over W, b of ‖ΦW + 1bᵀ − Y‖_F² + ρ‖W‖_F²  =  ‖Ȳ‖_F² − DI
    DI = ‖L^{−1}Φ̄ᵀȲ‖_F²,   LLᵀ = Φ̄ᵀΦ̄ + ρI,   bars: centred columns

No bound: an equality. The right-hand side is computed from moments alone; the left-hand side is measured, by
fitting the ridge regression and adding up the errors of its outputs. Source: DI eq. 4–6.
"""

from __future__ import annotations

import torch

from kernlab.bounds.base import BOUNDS, Bound, Term
from kernlab.linalg import cholesky, moments, wide
from kernlab.typing import Float, Tensor

__all__ = ["DISCRIMINANT", "discriminant_terms"]

DISCRIMINANT = Bound(
    "discriminant",
    "Ridge error and discriminant information",
    r"\min_{W,b}\tfrac1n\bigl(\|\Phi W+\mathbf 1b^\top-Y\|_F^2+\rho\|W\|_F^2\bigr)"
    r"=\tfrac1n\bigl(\|\bar Y\|_F^2-\mathrm{DI}\bigr)",
    "DI eq. 4–6",
    (
        Term("discriminant_information", "Discriminant information",
             r"\tfrac1n\operatorname{tr}\bigl((\bar\Phi^\top\bar\Phi+\rho I)^{-1}\bar\Phi^\top YY^\top\bar\Phi\bigr)",
             "How much of the targets the features explain: what is maximised.", "DI eq. 6"),
        Term("target_norm", "Spread of the targets", r"\tfrac1n\|\bar Y\|_F^2",
             "The error of the best constant; discriminant information cannot exceed it.", "DI eq. 5"),
        Term("predicted_error", "Predicted ridge error", r"\tfrac1n(\|\bar Y\|_F^2-\mathrm{DI})",
             "The ridge error, penalty included, without fitting anything.", "DI eq. 5"),
        Term("ridge_error", "Measured ridge error",
             r"\tfrac1n\bigl(\|\Phi W+\mathbf 1b^\top-Y\|_F^2+\rho\|W\|_F^2\bigr)",
             "The same from the outputs of the fitted ridge regression.", "DI eq. 4"),
        Term("identity_gap", "Measured − predicted", r"\text{measured}-\text{predicted}",
             "Zero but for rounding: the two are one number computed in two ways.", "DI eq. 5"),
        Term("gap", "Measured gap", r"\hat{\mathcal E}_{\text{test}}-\hat{\mathcal E}_{\text{train}}",
             "Test loss minus training loss: which the identity does not bound.", "held-out data"),
    ),
    stack=("discriminant_information", "predicted_error"),
    total="target_norm",
    beside=("ridge_error",),
    over_time=("target_norm", "discriminant_information", "predicted_error", "ridge_error"),
    unit="squared error",
)  # fmt: skip
BOUNDS.add(DISCRIMINANT.name, DISCRIMINANT)


def discriminant_terms(
    Phi: Float[Tensor, "n D"], Y: Float[Tensor, "n K"], rho: float, *, gap: float
) -> dict[str, float]:
    """Every term at one moment, by key, in float64.

    Args:
        Phi: features of n rows (of the training part, or a sample of it).
        Y: their targets, one-hot for classes.
        rho: ridge penalty ρ > 0, against sums over these rows.
        gap: test loss − training loss.

    Raises:
        DataError: Φ̄ᵀΦ̄ + ρI is not positive definite within bounded jitter.

    Source: DI eq. 4–6.
    """
    Phi, Y, n = wide(Phi), wide(Y), len(Y)
    m = moments([Phi], Y)
    L, _ = cholesky(m.gram + rho * torch.eye(len(m.gram), dtype=m.gram.dtype, device=m.gram.device))
    information = float(torch.linalg.solve_triangular(L, m.cross, upper=False).pow(2).sum()) / n
    spread = float((Y - m.target_mean).pow(2).sum()) / n
    W = torch.cholesky_solve(m.cross, L)
    residual = (Phi - m.mean) @ W + m.target_mean - Y
    measured = (float(residual.pow(2).sum()) + rho * float(W.pow(2).sum())) / n
    return {
        "discriminant_information": information,
        "target_norm": spread,
        "predicted_error": spread - information,
        "ridge_error": measured,
        "identity_gap": measured - (spread - information),
        "gap": gap,
    }

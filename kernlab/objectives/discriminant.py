"""Discriminant Information: how well features separate classes, or explain targets, for the best ridge regression.

    DI = tr((Φ̄ᵀΦ̄ + ρI)^{−1} Φ̄ᵀYYᵀΦ̄) = ‖L^{−1}Φ̄ᵀȲ‖_F²,      LLᵀ = Φ̄ᵀΦ̄ + ρI,   bars: centred columns
    min over W, b of ‖ΦW + 1bᵀ − Y‖_F² + ρ‖W‖_F²  =  ‖Ȳ‖_F² − DI

The value that is minimised is the mean ridge error (‖Ȳ‖_F² − DI)/m of the mini-batch, penalty included. With
V = (Φ̄ᵀΦ̄ + ρI)^{−1}Φ̄ᵀȲ, the ridge weights, its gradient needs no derivative of V:

    ∂/∂Φ = −(2/m)(Ȳ − Φ̄V)Vᵀ

Nyström features need not be formed (KDI): with G = k(X, Z), B = k(Z, Z) and A = ḠᵀḠ + ρB, V = A^{−1}ḠᵀȲ,

    DI = tr(A^{−1}ḠᵀYYᵀḠ)       ∂/∂G = −(2/m)(Ȳ − ḠV)Vᵀ       ∂/∂B = (ρ/m)VVᵀ

Factors are computed in float64 by Cholesky; equal landmarks make A singular, and what jitter it then needs is
bounded (kernlab.linalg.cholesky). O(mD² + D³) time, O(mD + D²) memory.

Source: DI eq. 5–10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch

from kernlab.linalg import cholesky, gram, wide
from kernlab.objectives.base import OBJECTIVES, RidgeObjective
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = [
    "Discriminant",
    "Information",
    "discriminant_information",
    "kernel_discriminant_information",
    "unit_columns",
]


class Information(NamedTuple):
    """Discriminant Information and what it is made of, in float64.

    Attributes:
        value: DI.
        total: ‖Ȳ‖_F², which DI cannot exceed.
        weight: V, the ridge weights, [D K].
        residual: Ȳ − Φ̄V, [m K].
        jitter: what the factored matrix needed on its diagonal; 0 if nothing.
    """

    value: Tensor
    total: Tensor
    weight: Tensor
    residual: Tensor
    jitter: float


def discriminant_information(Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"], rho: float) -> Information:
    """DI of features, ‖L^{−1}Φ̄ᵀȲ‖_F² with LLᵀ = Φ̄ᵀΦ̄ + ρI.

    Args:
        Phi: features, any number of rows.
        Y: targets, one-hot for classes.
        rho: ρ > 0, against sums over samples.

    Raises:
        DataError: Φ̄ᵀΦ̄ + ρI is not positive definite within bounded jitter.

    Source: DI eq. 6.
    """
    Phi = _centred(Phi)
    A = gram(Phi)
    A.diagonal().add_(rho)
    return _information(Phi, A, Y)


def kernel_discriminant_information(
    G: Float[Tensor, "m J"], B: Float[Tensor, "J J"], Y: Float[Tensor, "m K"], rho: float
) -> Information:
    """DI of the Nyström features of G = k(X, Z) and B = k(Z, Z), tr((ḠᵀḠ + ρB)^{−1}ḠᵀYYᵀḠ).

    Source: DI eq. 10; arguments and errors as :func:`discriminant_information`.
    """
    G = _centred(G)
    return _information(G, gram(G).add_(wide(B), alpha=rho), Y)


def _centred(A: Float[Tensor, "m D"]) -> Float[Tensor, "m D"]:
    A = wide(A)
    return A - A.mean(0)


def _information(Phi: Float[Tensor, "m D"], A: Float[Tensor, "D D"], Y: Float[Tensor, "m K"]) -> Information:
    """From centred features and the matrix A that is to be factored."""
    targets = _centred(Y)
    L, jitter = cholesky(A)
    half = torch.linalg.solve_triangular(L, Phi.mT @ targets, upper=False)
    V = torch.linalg.solve_triangular(L.mT, half, upper=True)
    return Information(half.pow(2).sum(), targets.pow(2).sum(), V, targets - Phi @ V, jitter)


def unit_columns(Y: Float[Tensor, "m K"]) -> Float[Tensor, "m K"]:
    """Columns scaled to unit norm (a class that is absent stays zero).

    With indicator columns Φ̄ᵀYYᵀΦ̄ is then the between-class scatter Σ_c n_c(μ_c − μ)(μ_c − μ)ᵀ. Source: DI §4.1.
    """
    norms = torch.linalg.vector_norm(Y, dim=0)
    scaled: Tensor = Y / norms.where(norms > 0, 1.0)
    return scaled


@OBJECTIVES.register("discriminant")
@component
class Discriminant(RidgeObjective):
    """Discriminant Information (mean ridge error, minimised)."""

    name = "discriminant"
    title = "Discriminant information"
    formula = (
        r"\tfrac1m\Bigl(\|\bar Y\|_F^2-\operatorname{tr}\bigl((\bar\Phi^\top\bar\Phi+\rho I)^{-1}"
        r"\bar\Phi^\top YY^\top\bar\Phi\bigr)\Bigr)"
    )
    source = "DI eq. 6–10"

    normalize_targets: bool = option(
        False, "Scale target columns to unit norm: classes then count alike, however many rows they have."
    )

    def value_and_grad(
        self, Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"], params: Params
    ) -> tuple[Float[Tensor, ""], Float[Tensor, "m D"], Mapping[str, Tensor]]:
        """(‖Ȳ‖² − DI)/m and its gradient on the features; nothing is kept.

        Raises:
            DataError: no more rows than features.
        """
        m, D = Phi.shape
        self.check_batch(m, D)
        found = discriminant_information(Phi, self.targets(Y), self.penalty)
        C = found.residual @ found.weight.mT * (-2 / m)
        return ((found.total - found.value) / m).to(Phi), C.to(Phi), {}

    def kernel_value_and_grad(
        self, G: Float[Tensor, "m J"], B: Float[Tensor, "J J"], Y: Float[Tensor, "m K"]
    ) -> tuple[Float[Tensor, ""], Float[Tensor, "m J"], Float[Tensor, "J J"]]:
        """The same value from kernel evaluations, and its gradients on G and B.

        Raises:
            DataError: no more rows than landmarks, or landmarks that coincide past repair.

        Source: DI eq. 9–10.
        """
        (m, J), rho = G.shape, self.penalty
        self.check_batch(m, J)
        found = kernel_discriminant_information(G, B, self.targets(Y), rho)
        V = found.weight
        dG, dB = found.residual @ V.mT * (-2 / m), V @ V.mT * (rho / m)
        return ((found.total - found.value) / m).to(G), dG.to(G), dB.to(G)

    def targets(self, Y: Float[Tensor, "m K"]) -> Float[Tensor, "m K"]:
        return unit_columns(Y) if self.normalize_targets else Y

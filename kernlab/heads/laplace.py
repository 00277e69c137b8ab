"""A calibrated probability: Laplace's approximation of softmax regression on fixed features.

    p(y = k | x, W) = softmax_k(Wᵀψ(x)),   w ~ N(0, I/α),   ψ = (φ, c),   c² = mean ‖φ‖²

    W   the most probable weights: min −Σ_i log p(y_i | x_i, W) + ½α‖W‖²
    H ≈ A ⊗ B + αI,   A = Σ_i s_i ψ_iψ_iᵀ,   B = Σ_i (diag p_i − p_ip_iᵀ)/Σ_i s_i,   s_i = 1 − ‖p_i‖²
    Cov f(x)        = Σ_j u_ju_jᵀ ψ(x)ᵀ(b_jA + αI)⁻¹ψ(x)                     B = Σ_j b_j u_ju_jᵀ
    p(y = k | x)    ≈ softmax_k(τf(x)/√(1 + πv(x)/8)),   v the mean variance of a difference of two scores
    evidence log p  ≈ Σ_i log p(y_i | x_i, W) − ½α‖W‖² − ½Σ_{jl} log(1 + b_ja_l/α)

The Hessian is approximated by one Kronecker product, which is exact for two classes. One factor for all classes leaves
the most probable class as it is. α is where MacKay's fixed point α = γ/‖W‖² arrives; γ = Σ_{jl} b_ja_l/(b_ja_l + α) is
the number of weights that the data determine. The bias is the weight of a constant column c.

Where classes are far apart, the normal approximation is much wider than the posterior, and all probabilities are too
modest. Therefore the temperature 1/τ is fitted: −log p is smallest on a fifth of the rows, of which a regression of the
same α knows nothing. τ = 1 is Laplace's approximation alone.

Source: MacKay 1992 (evidence, and the factor 1/√(1 + πv/8)); Martens & Grosse 2015 and Ritter, Botev & Barber 2018
(Kronecker factors); Daxberger et al. 2021 (the last layer alone); Guo et al. 2017 (temperature); Böhning 1992 (the
bound on H that the minimisation is preconditioned with).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray

from kernlab import devices
from kernlab.linalg import cholesky, eigh, gram, row_space, wide
from kernlab.typing import Float, Targets, Tensor

__all__ = ["SoftmaxPosterior", "laplace"]

_ROUNDS = 6  # of MacKay's fixed point at most
_LEAST, _MOST = 1e-8, 1e8  # α
_HELD, _FEWEST = 5, 50  # one in so many rows fits the temperature, of at least so many
_WARMEST = 2.0  # |log τ| at most


@dataclass(frozen=True, eq=False)
class SoftmaxPosterior:
    """The approximate posterior of softmax regression on features.

    Attributes:
        weight: most probable weights, the bias in the last row, [D+1 K].
        constant: c, the column that the bias weighs.
        precision: α.
        log_evidence: log p(y) of all rows, in nats.
        determined: γ, weights that the data determine.
        rows: n.
        values, vectors: eigenvalues a [r] and vectors [D+1 r] of A, r at most the number of rows.
        class_values: those b of B, [K].
        sharpness: τ.
    """

    weight: Tensor
    constant: float
    precision: float
    log_evidence: float
    determined: float
    rows: int
    values: Tensor
    vectors: Tensor
    class_values: Tensor
    sharpness: float = 1.0

    def scores(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, "m K"]:
        """f(x) = Wᵀψ(x) at the most probable weights."""
        return _with_constant(Phi, self.constant) @ self.weight

    def spread(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, " m"]:
        """v(x): the variance of f_k(x) − f_l(x), its mean over all pairs of classes."""
        Psi, others = _with_constant(Phi, self.constant), len(self.class_values) - 1
        turned = (Psi @ self.vectors).square()
        # What no row of the fit has a part of is as uncertain as before.
        beyond = (Psi.square().sum(1) - turned.sum(1)).clamp_min(0) * (others / self.precision)
        # Equal scores of all classes, b = 0, are no difference; in each other direction a pair differs by 2/(K − 1).
        parts = 1 / (self.class_values[1:, None] * self.values + self.precision)
        return (turned @ parts.sum(0) + beyond) * (2 / others)

    def probabilities(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, "m K"]:
        """p(y = k | x), rows of sum 1."""
        return torch.softmax(self.sharpness * _shrunk(self.scores(Phi), self.spread(Phi)), 1)


def laplace(
    Phi: Float[Tensor, "n D"], y: Targets, K: int, *, precision: float | None = None, temperature: bool = True
) -> SoftmaxPosterior:
    """Softmax regression on features with Laplace's approximation; O(nD² + D³) and some dozen passes over Φ.

    Args:
        Phi: features.
        y: class codes from 0.
        K: classes, at least two; one without rows is merely improbable.
        precision: α > 0; None: by MacKay's fixed point.
        temperature: fit τ, where there are at least 50 rows.
    """
    constant = float(wide(Phi).square().sum(1).mean().sqrt()) or 1.0
    Psi = _with_constant(Phi, constant)
    basis = row_space(Psi) if len(Psi) < Psi.shape[1] else None
    Z = Psi if basis is None else Psi @ basis
    Y = torch.nn.functional.one_hot(y.to(Phi.device).long(), K).double()
    alpha = 1.0 if precision is None else precision
    L = _bound(Z, alpha)
    W, used, size = Z.new_zeros(Z.shape[1], K), alpha, 0.0
    for _ in range(_ROUNDS if precision is None else 1):
        W = _most_probable(Z, Y, alpha, L, W, exact=precision is not None)
        a, V, b = _curvature(Z, W)
        strength = b[1:, None] * a
        determined = float((strength / (strength + alpha)).sum())
        used, size = alpha, float(W.square().sum())
        alpha = min(_MOST, max(_LEAST, determined / max(size, 1e-300)))
        if abs(math.log(alpha / used)) < 0.1:
            break
    sharpness = _sharpness(Z, Y, W, used, L, a, V, b) if temperature and len(Z) >= _FEWEST else 1.0
    likelihood = float((torch.log_softmax(Z @ W, 1) * Y).sum())
    evidence = likelihood - used * size / 2 - float((strength / used).log1p().sum()) / 2
    if basis is not None:
        W, V = basis @ W, basis @ V
    return SoftmaxPosterior(W, constant, used, evidence, determined, len(Psi), a, V, b, sharpness)


def _with_constant(Phi: Tensor, constant: float) -> Tensor:
    Phi = wide(Phi)
    return torch.cat([Phi, Phi.new_full((len(Phi), 1), constant)], 1)


def _bound(Z: Tensor, alpha: float) -> Tensor:
    """L of Böhning's bound on the Hessian, H ⪯ ½ZᵀZ ⊗ I + αI = LLᵀ ⊗ I."""
    bound = gram(Z) / 2
    bound.diagonal().add_(max(alpha, 1e-3))
    return cholesky(bound)[0]


def _shrunk(F: Tensor, v: Tensor) -> Tensor:
    return F / (1 + math.pi / 8 * v).sqrt()[:, None]


def _most_probable(Z: Tensor, Y: Tensor, alpha: float, L: Tensor, start: Tensor, *, exact: bool = False) -> Tensor:
    """L-BFGS from ``start`` in coordinates LᵀW, in which the curvature is at most about 1.

    On one core: torch's threads and those of SciPy's BLAS take turns here, and while the one compute the others keep
    their cores busy waiting. Two of each on two cores took twenty times as long as one.
    """
    from scipy.optimize import minimize

    def at(flat: NDArray[Any]) -> Tensor:
        turned = torch.from_numpy(flat).to(Z).reshape(start.shape)
        found: Tensor = torch.linalg.solve_triangular(L.mT, turned, upper=True)
        return found

    def loss(flat: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        W = at(flat)
        F = Z @ W
        value = torch.logsumexp(F, 1).sum() - (F * Y).sum() + alpha / 2 * W.square().sum()
        slope = Z.mT @ (torch.softmax(F, 1) - Y) + alpha * W
        turned = torch.linalg.solve_triangular(L, slope, upper=False)
        return float(value), turned.cpu().numpy().ravel()

    first = (L.mT @ start).cpu().numpy().ravel()
    options = {"maxiter": 300, "ftol": 1e-12 if exact else 1e-6, "gtol": 1e-6}
    with devices.one_thread():
        return at(minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x)


def _curvature(Z: Tensor, W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Eigenvalues and vectors of A, and the eigenvalues of B from the smallest, which is 0."""
    P = torch.softmax(Z @ W, 1)
    s = 1 - P.square().sum(1)
    a, V = eigh(gram(Z * s.clamp_min(0).sqrt()[:, None]))
    B = (torch.diag(P.sum(0)) - P.mT @ P) / s.sum().clamp_min(torch.finfo(s.dtype).tiny)
    return a.clamp_min(0), V, torch.linalg.eigvalsh(B).clamp_min(0)


def _sharpness(
    Z: Tensor, Y: Tensor, W: Tensor, alpha: float, L: Tensor, a: Tensor, V: Tensor, b: Tensor
) -> float:  # fmt: skip
    """τ of the smallest −log p on a fifth of the rows, under weights that are fitted to the others."""
    from scipy.optimize import minimize_scalar

    order = torch.randperm(len(Z), generator=torch.Generator().manual_seed(0)).to(Z.device)
    held, rest = order[: len(Z) // _HELD], order[len(Z) // _HELD :]
    F = Z[held] @ _most_probable(Z[rest], Y[rest], alpha, L, W)
    parts = (1 / (b[1:, None] * a + alpha)).sum(0) * (2 / (len(b) - 1))
    shrunk, own = _shrunk(F, (Z[held] @ V).square() @ parts), Y[held]

    def loss(power: float) -> float:
        return -float((torch.log_softmax(math.exp(power) * shrunk, 1) * own).sum())

    return math.exp(float(minimize_scalar(loss, bounds=(-_WARMEST, _WARMEST), method="bounded").x))

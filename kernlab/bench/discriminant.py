"""One NysDI gradient (m = 4000 rows, J = 2000 landmarks, d = 16, K = 10) on the CPU, in float64.

The gradient of the training, in closed form and by Cholesky, against the criterion as the paper prints it,
tr((ḠᵀḠ + ρB)^{−1} ḠᵀYYᵀḠ) with an explicit inverse, differentiated automatically. The floor is the time of the matrix
products that every algorithm needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from kernlab.bench.base import BENCHMARKS, in_turns, medians, ratio
from kernlab.feature_maps import Nystroem
from kernlab.linalg import gram
from kernlab.objectives import Discriminant
from kernlab.typing import Float, Tensor

__all__ = ["nysdi_gradient"]

GAMMA = 1.0


@BENCHMARKS.register("nysdi-gradient")
def nysdi_gradient(
    m: int = 4000, J: int = 2000, d: int = 16, K: int = 10, rho: float = 1e-4, rounds: int = 5
) -> dict[str, Any]:
    """Speed of a gradient against the plain one, their relative difference, and the share of the floor.

    The smaller ρ is, the more of the difference is the rounding of the explicit inverse.
    """
    random = torch.Generator().manual_seed(0)
    X = torch.rand(m, d, generator=random, dtype=torch.float64)
    Y = torch.nn.functional.one_hot(torch.randint(K, (m,), generator=random), K).double()
    Z = X[torch.randperm(m, generator=random)[:J]].clone()
    ours, plain, floor = _ours(X, Y, Z, rho), _plain(X, Y, Z, rho), _floor(X, Y, Z)
    value, gradient = ours()
    plain_value, plain_gradient = plain()
    seconds = in_turns({"plain": plain, "ours": ours, "floor": floor}, rounds)
    return {
        "rows": m,
        "landmarks": J,
        "threads": torch.get_num_threads(),
        "times_faster": ratio(seconds["plain"], seconds["ours"]),
        "share_of_floor": ratio(seconds["floor"], seconds["ours"]),
        "relative_difference_value": float(abs(value - plain_value) / abs(plain_value)),
        "relative_difference_gradient": float((gradient - plain_gradient).norm() / plain_gradient.norm()),
        **medians(seconds),
    }


def _ours(X: Float[Tensor, "m d"], Y: Float[Tensor, "m K"], Z: Float[Tensor, "J d"], rho: float) -> Callable[[], Any]:
    nystroem, objective = Nystroem.build(n_features=len(Z), gamma=GAMMA), Discriminant(rho=rho)

    def go() -> tuple[Tensor, Tensor]:
        G, B, back = nystroem.kernel_pullback({"landmarks": Z}, X)
        value, dG, dB = objective.kernel_value_and_grad(G, B, Y)
        return value, back(dG, dB)["landmarks"]

    return go


def _plain(X: Float[Tensor, "m d"], Y: Float[Tensor, "m K"], Z: Float[Tensor, "J d"], rho: float) -> Callable[[], Any]:
    def kernel(A: Tensor, B: Tensor) -> Tensor:
        squares = A.pow(2).sum(1)[:, None] - 2 * A @ B.mT + B.pow(2).sum(1)[None, :]
        return torch.exp(-GAMMA * squares)

    def go() -> tuple[Tensor, Tensor]:
        leaf = Z.clone().requires_grad_()
        G = kernel(X, leaf)
        G = G - G.mean(0)
        P = G.mT @ Y
        information = torch.trace(P.mT @ torch.linalg.inv(G.mT @ G + rho * kernel(leaf, leaf)) @ P)
        value = ((Y - Y.mean(0)).pow(2).sum() - information) / len(X)
        (gradient,) = torch.autograd.grad(value, leaf)
        return value.detach(), gradient

    return go


def _floor(X: Float[Tensor, "m d"], Y: Float[Tensor, "m K"], Z: Float[Tensor, "J d"]) -> Callable[[], Any]:
    """Kernel matrices' products, Gram matrix, ridge right-hand side, residual, and the three of the gradient."""
    G, B = torch.rand(len(X), len(Z), dtype=X.dtype), torch.rand(len(Z), len(Z), dtype=X.dtype)
    V = torch.rand(len(Z), Y.shape[1], dtype=X.dtype)

    def go() -> None:
        for left, right in ((X, Z.mT), (Z, Z.mT), (G.mT, Y), (G, V), (Y, V.mT), (V, V.mT), (G.mT, X), (B.mT, Z)):
            _ = left @ right
        gram(G)

    return go

"""Exact kernels. Those in ``KERNELS`` are shift-invariant with k(x, x) = 1: what random features approximate.

gaussian    exp(−‖Δ‖²/(2ℓ²))
laplacian   exp(−‖Δ‖₁/ℓ)
cauchy      ∏ 1/(1 + Δ_j²/ℓ²)
matern      2^{1−ν}/Γ(ν) · (√(2ν)‖Δ‖/ℓ)^ν K_ν(√(2ν)‖Δ‖/ℓ)

polynomial  (xᵀz + c)^s, or its cosine (xᵀz + c)^s / √((‖x‖² + c)^s (‖z‖² + c)^s)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import torch

from kernlab.registry import Registry
from kernlab.typing import Float, Tensor

__all__ = ["KERNELS", "cauchy", "gaussian", "laplacian", "matern", "matern_profile", "polynomial"]

KERNELS: Registry[Callable[..., Tensor]] = Registry("kernel")


@KERNELS.register("gaussian")
def gaussian(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """exp(−‖x−z‖²/(2ℓ²)); ``nu`` is not used.

    One matrix product gives all exponents, [x, ‖x‖², 1]·[2z, −1, −‖z‖²]/(2ℓ²): with 784 inputs thirty times
    faster than differences. It cancels digits, so it is done in float64 around the mean of Z.
    """
    middle = Z.detach().mean(0)
    wide = torch.float32 if X.device.type == "mps" else torch.float64  # no float64 there
    A, B = (X - middle).to(wide) / lengthscale, (Z - middle).to(wide) / lengthscale
    one = (torch.ones_like(A[:, :1]), torch.ones_like(B[:, :1]))
    left = torch.cat([A, -0.5 * A.pow(2).sum(1, keepdim=True), one[0]], dim=1)
    right = torch.cat([B, one[1], -0.5 * B.pow(2).sum(1, keepdim=True)], dim=1)
    return (left @ right.mT).to(X.dtype).clamp_max(0).exp()


@KERNELS.register("laplacian")
def laplacian(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """exp(−‖x−z‖₁/ℓ); ``nu`` is not used."""
    return torch.exp(-_distance(X, Z, p=1.0) / lengthscale)


@KERNELS.register("cauchy")
def cauchy(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """∏_j 1/(1 + (x_j−z_j)²/ℓ²); ``nu`` is not used."""
    logs = X.new_zeros(len(X), len(Z))
    for x, z in zip((X / lengthscale).mT, (Z / lengthscale).mT, strict=True):
        logs = logs - torch.log1p((x[:, None] - z[None, :]) ** 2)
    return torch.exp(logs)


@KERNELS.register("matern")
def matern(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """Matérn kernel of smoothness ν > 0, differentiable; ½ (exponential), 3/2 and 5/2 are elementary and fast."""
    u = math.sqrt(2 * nu) * _distance(X, Z) / lengthscale
    if nu in (0.5, 1.5, 2.5):
        polynomial_part = 1 + u * (nu > 0.5) + u**2 / 3 * (nu > 1.5)
        return polynomial_part * torch.exp(-u)
    return matern_profile(u, nu)


def matern_profile(t: Float[Tensor, "*shape"], nu: float) -> Float[Tensor, "*shape"]:
    """κ(t) = 2^{1−ν}/Γ(ν) t^ν K_ν(t), the Matérn kernel of the scaled distance t = √(2ν)‖Δ‖/ℓ.

    It is differentiable, with κ'(t) = −2^{1−ν}/Γ(ν) t^ν K_{ν−1}(t). At t = 0 the derivative counts as 0, as for any
    distance: for ν ≤ ½ the kernel has a kink there. Source: Abramowitz & Stegun 9.6.28.
    """
    value: Tensor = _Matern.apply(t, nu, 0)  # type: ignore[no-untyped-call]
    return value


class _Matern(torch.autograd.Function):
    """κ (derivative 0) and κ' (derivative 1), entry by entry through SciPy."""

    @staticmethod
    def forward(t: Tensor, nu: float, derivative: int) -> Tensor:
        r = t.detach().double().cpu().numpy()
        bessel = scipy.special.kve(nu - derivative, r)  # eʳ K(r); K is even in its order
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = (1 - nu) * math.log(2) - scipy.special.gammaln(nu) + nu * np.log(r) + np.log(bessel) - r
        # Near 0 the pole of K overflows before r^ν cancels it: there the leading terms are exact to rounding.
        if derivative:
            near = -r / (2 * nu - 2) if nu > 1 else np.zeros_like(r)
            values = np.where(np.isfinite(logs), -np.exp(logs), near)
        else:
            values = np.where(np.isfinite(bessel), np.exp(np.minimum(logs, 0.0)), 1.0)
        return torch.as_tensor(values, dtype=t.dtype, device=t.device)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        t, ctx.nu, ctx.derivative = inputs
        ctx.save_for_backward(t)

    @staticmethod
    def backward(ctx: Any, C: Tensor) -> tuple[Tensor, None, None]:
        assert not ctx.derivative
        return C * _Matern.apply(ctx.saved_tensors[0], ctx.nu, 1), None, None  # type: ignore[no-untyped-call]

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], t: Tensor, nu: float, derivative: int) -> tuple[Tensor, Any]:
        return _Matern.apply(t, nu, derivative), in_dims[0]  # type: ignore[no-untyped-call]


def polynomial(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], degree: int = 3, coef0: float = 1.0, normalized: bool = False
) -> Float[Tensor, "n p"]:
    """(xᵀz + c)^s, divided by √(k(x,x) k(z,z)) if ``normalized``.

    Args:
        X, Z: inputs.
        degree: s ≥ 1.
        coef0: c ≥ 0; a normalised kernel with c = 0 wants inputs other than 0.

    Source: FKS section 5.
    """
    inner = X @ Z.mT + coef0
    if normalized:
        inner = inner * (X.pow(2).sum(1) + coef0).rsqrt()[:, None] * (Z.pow(2).sum(1) + coef0).rsqrt()[None, :]
    return inner**degree


def _distance(X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], p: float = 2.0) -> Float[Tensor, "n p"]:
    """Distances from differences: the faster way by products loses half of the digits where they are small."""
    return torch.cdist(X, Z, p=p, compute_mode="donot_use_mm_for_euclid_dist")

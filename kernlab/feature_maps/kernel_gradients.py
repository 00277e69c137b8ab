"""Kernels as landmarks need them: k(X, Z) with a gradient in Z, whatever the kernel.

The Gaussian's gradient is matrix products alone. With C = ∂/∂k(X, Z) and H = C ∘ k(X, Z),

    ∂k(x, z)/∂z = k(x, z)(x − z)/ℓ²        ∇_Z = (HᵀX − diag(Hᵀ1) Z)/ℓ²

The others are differentiated automatically. A Matérn kernel of any smoothness needs its Bessel function's
derivative for that:

    κ(t) = 2^{1−ν}/Γ(ν) t^ν K_ν(t)         κ'(t) = −2^{1−ν}/Γ(ν) t^ν K_{ν−1}(t)

Source: DI §4.2; Abramowitz & Stegun 9.6.28.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from scipy.special import gammaln, kve

from kernlab.typing import Float, Tensor

__all__ = ["gaussian_pullback", "matern", "matern_profile"]


def gaussian_pullback(
    H: Float[Tensor, "n p"], X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float
) -> Float[Tensor, "p d"]:
    """Gradient on Z of Σ C_ij k(x_i, z_j) for the Gaussian kernel, from H = C ∘ k(X, Z)."""
    return (H.mT @ X - H.sum(0)[:, None] * Z) / lengthscale**2


def matern(X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float, nu: float) -> Float[Tensor, "n p"]:
    """Matérn kernel of any smoothness ν, differentiable in both arguments."""
    distance = torch.cdist(X, Z, compute_mode="donot_use_mm_for_euclid_dist")
    return matern_profile(math.sqrt(2 * nu) / lengthscale * distance, nu)


def matern_profile(t: Float[Tensor, "*shape"], nu: float) -> Float[Tensor, "*shape"]:
    """κ(t) = 2^{1−ν}/Γ(ν) t^ν K_ν(t), the Matérn kernel of the scaled distance t = √(2ν)‖Δ‖/ℓ.

    At t = 0 the derivative counts as 0, as for any distance: for ν ≤ ½ the kernel has a kink there.
    """
    value: Tensor = _Matern.apply(t, nu, 0)  # type: ignore[no-untyped-call]
    return value


class _Matern(torch.autograd.Function):
    """κ (derivative 0) and κ' (derivative 1), entry by entry through SciPy."""

    @staticmethod
    def forward(t: Tensor, nu: float, derivative: int) -> Tensor:
        r = t.detach().double().cpu().numpy()
        bessel = kve(nu - derivative, r)  # eʳ K(r); K is even in its order
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = (1 - nu) * math.log(2) - gammaln(nu) + nu * np.log(r) + np.log(bessel) - r
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

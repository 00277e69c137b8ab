"""Exact shift-invariant kernels, normalised to k(x, x) = 1: what random features approximate.

    gaussian    exp(−‖Δ‖²/(2ℓ²))
    laplacian   exp(−‖Δ‖₁/ℓ)
    cauchy      ∏ 1/(1 + Δ_j²/ℓ²)
    matern      2^{1−ν}/Γ(ν) · (√(2ν)‖Δ‖/ℓ)^ν K_ν(√(2ν)‖Δ‖/ℓ)
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.special import gamma, kv

from kernlab.registry import Registry
from kernlab.typing import Float, Tensor

__all__ = ["KERNELS", "cauchy", "gaussian", "gaussian_pair", "laplacian", "matern"]

KERNELS: Registry = Registry("kernel")


@KERNELS.register("gaussian")
def gaussian(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """exp(−‖x−z‖²/(2ℓ²)); ``nu`` is not used."""
    return torch.exp(-torch.cdist(X, Z) ** 2 / (2 * lengthscale**2))


@KERNELS.register("laplacian")
def laplacian(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """exp(−‖x−z‖₁/ℓ); ``nu`` is not used."""
    return torch.exp(-torch.cdist(X, Z, p=1.0) / lengthscale)


@KERNELS.register("cauchy")
def cauchy(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """∏_j 1/(1 + (x_j−z_j)²/ℓ²); ``nu`` is not used. Takes n·p·d memory."""
    squares = (X[:, None, :] - Z[None, :, :]) ** 2
    return torch.exp(-torch.log1p(squares / lengthscale**2).sum(-1))


@KERNELS.register("matern")
def matern(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """Matérn kernel of smoothness ν > 0 (½: exponential, 3/2 and 5/2: the usual ones)."""
    r = np.sqrt(2 * nu) * torch.cdist(X, Z).double().cpu().numpy() / lengthscale
    r = np.maximum(r, 1e-10)  # K_ν has a pole at 0 that the factor r^ν cancels
    values = 2 ** (1 - nu) / gamma(nu) * r**nu * kv(nu, r)
    return torch.as_tensor(values, dtype=X.dtype, device=X.device)


def gaussian_pair(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], frequency_scale: float = 1.0
) -> Float[Tensor, "n p"]:
    """Non-stationary kernel of independent ω, ω' ~ N(0, σ²I).

    .. math:: \\tfrac12 e^{-\\sigma^2\\|x-z\\|^2/2} + \\tfrac12 e^{-\\sigma^2(\\|x\\|^2+\\|z\\|^2)/2}

    The second half is not stationary: it fades away from the origin. Source: ASKL eq. 5 with an
    assigned Gaussian density.
    """
    far = X.pow(2).sum(1)[:, None] + Z.pow(2).sum(1)[None, :]
    return 0.5 * gaussian(X, Z, 1 / frequency_scale) + 0.5 * torch.exp(-(frequency_scale**2) * far / 2)

"""Exact shift-invariant kernels, normalised to k(x, x) = 1: what random features approximate.

gaussian    exp(−‖Δ‖²/(2ℓ²))
laplacian   exp(−‖Δ‖₁/ℓ)
cauchy      ∏ 1/(1 + Δ_j²/ℓ²)
matern      2^{1−ν}/Γ(ν) · (√(2ν)‖Δ‖/ℓ)^ν K_ν(√(2ν)‖Δ‖/ℓ)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from scipy.special import gammaln, kve

from kernlab.registry import Registry
from kernlab.typing import Float, Tensor

__all__ = ["KERNELS", "cauchy", "gaussian", "gaussian_pair", "laplacian", "matern"]

KERNELS: Registry[Callable[..., Tensor]] = Registry("kernel")


@KERNELS.register("gaussian")
def gaussian(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """exp(−‖x−z‖²/(2ℓ²)); ``nu`` is not used."""
    return torch.exp(-(_distance(X, Z) ** 2) / (2 * lengthscale**2))


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
    """∏_j 1/(1 + (x_j−z_j)²/ℓ²); ``nu`` is not used. Takes n·p·d memory."""
    squares = (X[:, None, :] - Z[None, :, :]) ** 2
    return torch.exp(-torch.log1p(squares / lengthscale**2).sum(-1))


@KERNELS.register("matern")
def matern(
    X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], lengthscale: float = 1.0, nu: float = 2.5
) -> Float[Tensor, "n p"]:
    """Matérn kernel of smoothness ν > 0 (½: exponential, 3/2 and 5/2: the usual ones)."""
    r = np.sqrt(2 * nu) * _distance(X, Z).double().cpu().numpy() / lengthscale
    bessel = kve(nu, r)  # eʳ K_ν(r)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = (1 - nu) * np.log(2) - gammaln(nu) + nu * np.log(r) + np.log(bessel) - r
    # Near 0 the pole of K_ν overflows before the factor r^ν cancels it: there the kernel is 1 to rounding.
    values = np.where(np.isfinite(bessel), np.exp(np.minimum(logs, 0.0)), 1.0)
    return torch.as_tensor(values, dtype=X.dtype, device=X.device)


def _distance(X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"], p: float = 2.0) -> Float[Tensor, "n p"]:
    """Distances from differences: the faster way by products loses half of the digits where they are small."""
    return torch.cdist(X, Z, p=p, compute_mode="donot_use_mm_for_euclid_dist")


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

"""Kernels in closed form that only tests need."""

from __future__ import annotations

import torch

from kernlab.kernels import gaussian
from kernlab.typing import Float, Tensor

__all__ = ["gaussian_pair"]


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

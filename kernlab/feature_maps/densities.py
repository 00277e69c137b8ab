"""Spectral densities: how frequencies are drawn so that random cosines average to a given kernel.

Bochner's theorem makes a shift-invariant kernel the Fourier transform of a probability density of ω
(frequency scale σ = 1/ℓ):

    gaussian    ω ~ N(0, σ²I)
    laplacian   ω_j ~ Cauchy(0, σ), independent
    cauchy      ω_j ~ Laplace(0, σ), independent
    matern      ω ~ multivariate Student-t with 2ν degrees of freedom and scale σ

Every draw maps uniform numbers through the inverse distribution function, so independent and
quasi-Monte-Carlo sampling differ only in where the uniform numbers come from. Orthogonal sampling
needs a density that looks the same in every direction (Gaussian, Matérn).

The frequencies of a pair (ω, ω') are independent. With Sobol points that takes one sequence in P·d
dimensions: two scrambles of one sequence share their leading digits up to a flip, so that ω' would
follow from ω.
"""

from __future__ import annotations

import numpy as np
import scipy
import torch
from numpy.typing import NDArray

from kernlab.errors import CompositionError
from kernlab.typing import Float, Tensor

__all__ = ["DENSITIES", "SAMPLINGS", "draw"]

#: density of ω -> the kernel it belongs to has the same name in kernlab.kernels
DENSITIES = ("gaussian", "laplacian", "cauchy", "matern")
SAMPLINGS = ("iid", "orthogonal", "sobol")


def draw(
    d: int,
    count: int,
    *,
    pairs: int = 1,
    density: str = "gaussian",
    scale: float = 1.0,
    nu: float = 2.5,
    sampling: str = "iid",
    generator: torch.Generator,
) -> Float[Tensor, "d P D"]:
    """P float32 matrices side by side whose ``count`` columns are frequencies, on the CPU.

    Args:
        d: input dimension.
        count: how many frequencies D in each matrix.
        pairs: how many independent matrices P.
        density: "gaussian", "laplacian", "cauchy" or "matern".
        scale: frequency scale σ = 1/ℓ.
        nu: smoothness of the Matérn kernel.
        sampling: "iid", "orthogonal" (blocks of d orthogonal directions with independent lengths; Yu
            et al. 2016) or "sobol" (scrambled Sobol points through the inverse distribution function).
        generator: source of randomness.

    Raises:
        CompositionError: orthogonal sampling of a density that is not rotation invariant, or more
            dimensions than a Sobol sequence can have.
    """
    radial = density == "matern"  # one more uniform number per frequency: the length's chi-square
    if sampling == "orthogonal":
        if density not in ("gaussian", "matern"):
            raise CompositionError(
                "orthogonal sampling needs a density that is the same in every direction",
                f"density={density}",
                "take density=gaussian or matern, or sampling=iid or sobol",
            )
        directions = np.stack([_orthogonal_gaussian(d, count, generator) for _ in range(pairs)])
        uniform = _uniform(pairs, count, int(radial), "iid", generator)
    else:
        uniform = _uniform(pairs, count, d + radial, sampling, generator)
        directions = _inverse(density, uniform[..., :d])
    if radial:
        directions = directions / np.sqrt(scipy.stats.chi2.ppf(uniform[..., -1:], 2 * nu) / (2 * nu))
    return torch.as_tensor((scale * directions).transpose(2, 0, 1).astype(np.float32, order="C"))


def _inverse(density: str, u: NDArray[np.float64]) -> NDArray[np.float64]:
    if density == "laplacian":
        return np.asarray(np.tan(np.pi * (u - 0.5)))  # Cauchy
    if density == "cauchy":
        return np.asarray(-np.sign(u - 0.5) * np.log1p(-2 * np.abs(u - 0.5)))  # Laplace
    return np.asarray(scipy.special.ndtri(u))


def _uniform(pairs: int, count: int, dims: int, sampling: str, generator: torch.Generator) -> NDArray[np.float64]:
    """Numbers strictly between 0 and 1, pairs × count × dims."""
    if sampling == "sobol":
        if pairs * dims > (most := scipy.stats.qmc.Sobol.MAXDIM):
            raise CompositionError(
                f"Sobol points have at most {most} dimensions, inputs times frequencies of a pair",
                pairs * dims,
                "take sampling=iid",
            )
        seed = int(torch.randint(2**31, (), generator=generator))
        sequence = scipy.stats.qmc.Sobol(pairs * dims, scramble=True, rng=seed)
        points = sequence.random(1 << max(count - 1, 1).bit_length())[:count]
        points = points.reshape(count, pairs, dims).transpose(1, 0, 2)
    else:
        points = torch.rand(pairs, count, dims, generator=generator, dtype=torch.float64).numpy()
    return np.asarray(np.clip(points, 1e-12, 1 - 1e-12))


def _orthogonal_gaussian(d: int, count: int, generator: torch.Generator) -> NDArray[np.float64]:
    """Rows N(0, I) in marginal law, orthogonal within blocks of d."""
    shape = (-(-count // d), d, d)
    Q, R = torch.linalg.qr(torch.randn(shape, generator=generator, dtype=torch.float64))
    Q = Q * R.diagonal(dim1=1, dim2=2).sign()[:, None, :]  # makes Q uniform over rotations
    lengths = torch.randn(shape, generator=generator, dtype=torch.float64).norm(dim=2, keepdim=True)
    return np.asarray((lengths * Q.mT).reshape(-1, d)[:count])

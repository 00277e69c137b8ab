"""Kernels used as they are: a dual head keeps support points x_s, and the columns are k(x, x_s).

exact        one kernel by name, with its width or degree
dictionary   K = Σ_m θ_m K_m over 13 Gaussians and 10 polynomials, whose weights θ a solver learns
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import torch

from kernlab.feature_maps.base import EXACT_KERNELS, ExactKernel, KernelSum, Representation
from kernlab.feature_maps.scale import SCALE_ALIASES, NamedKernel, scale_option
from kernlab.kernels import gaussian, polynomial
from kernlab.linalg import wide
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["Dictionary", "Exact"]

PRODUCT = 4_000_000  # numbers of a kernel matrix that come from one matrix product: 32 MB
CACHED = 30_000  # numbers worked on at a time: they stay in a processor's cache, and torch leaves them on one thread


@EXACT_KERNELS.register("exact")
@component
class Exact(NamedKernel, ExactKernel):
    """One kernel, evaluated exactly."""

    name = "exact"
    title = "Exact kernel"
    formula = r"k(x,x')"
    source = "Schölkopf & Smola 2002; FKS section 5"
    aliases = SCALE_ALIASES

    kernel: Literal["gaussian", "laplacian", "cauchy", "matern", "polynomial"] = option("gaussian", "Which kernel.")
    frequency_scale: float | Literal["auto"] = scale_option()
    nu: float = option(2.5, "Smoothness of the Matérn kernel (matern only).", gt=0, le=50, advanced=True)
    degree: int = option(3, "Degree s of (xᵀz + c)^s (polynomial only).", ge=1, le=20)
    coef0: float = option(1.0, "Constant c of (xᵀz + c)^s (polynomial only).", gt=0, advanced=True)
    normalized: bool = option(
        True,
        "Divide by √(k(x,x) k(z,z)), so that k(x,x) = 1 (polynomial only; the others are so by themselves).",
        advanced=True,
    )

    def gram(self, params: Params, X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"]) -> Float[Tensor, "n p"]:
        return self.values(X, Z)

    def restored(self, kept: Params) -> tuple[Representation, Params] | None:
        return self, {}

    def in_libsvm(self) -> dict[str, Any] | None:
        if self.kernel == "gaussian" and self.frequency_scale != "auto":
            return {"kernel": "rbf", "gamma": self.frequency_scale**2 / 2}
        if self.kernel == "polynomial" and not self.normalized:
            return {"kernel": "poly", "gamma": 1.0, "degree": self.degree, "coef0": self.coef0}
        return None


_POWERS = range(-9, 4)  # log₂ γ of the dictionary's Gaussians


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


@EXACT_KERNELS.register("dictionary")
@component
class Dictionary(KernelSum):
    r"""A weighted sum of 13 Gaussian and 10 polynomial kernels, all of unit slope at the origin.

    .. math:: K=\sum_m\theta_m K_m:\quad
              \tfrac1{2\gamma}\bigl(e^{-\gamma\|x-z\|^2}-e^{-\gamma\|x\|^2}-e^{-\gamma\|z\|^2}+1\bigr),
              \ \gamma=2^{-9},\dots,2^3; \quad
              \tfrac1s\Bigl(\tfrac{x^\top z+1}{\sqrt{(\|x\|^2+1)(\|z\|^2+1)}}\Bigr)^s,\ s=1,\dots,10

    Unit slope: ∂²K_m/∂x_j∂z_j = 1 at x = z = 0, so that one bound on ‖f_m‖ lets every kernel climb equally
    fast. With k(x, x) = 1 instead the narrowest Gaussian is the cheapest way to fit anything, and learning the
    weights overfits (space_ga, 500 rows, best C: mean squared error 0.0050 against 0.0041). What is taken off
    the Gaussian makes f(0) = 0: a machine with a bias finds the same function without it, but single precision
    would drown in the constant 1/(2γ).

    Parameter: ``theta`` [23] ≥ 0, all equal at first.

    Source: FKS section 5 for the 23 kernels; the scaling is ours.
    """

    name = "dictionary"
    title = "Dictionary of 23 kernels"
    formula = r"k(x,x')=\sum_{m=1}^{23}\theta_m k_m(x,x')"
    source = "FKS section 5"

    gammas: ClassVar[tuple[float, ...]] = tuple(2.0**power for power in _POWERS)
    degrees: ClassVar[tuple[int, ...]] = tuple(range(1, 11))
    terms: ClassVar[tuple[tuple[str, str], ...]] = (
        *(("Gaussian", f"γ = 2{_raised(power)}") for power in _POWERS),
        *(("polynomial", f"s = {degree}") for degree in range(1, 11)),
    )
    count: ClassVar[int] = len(terms)

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        return {"theta": X.new_full((self.count,), 1 / self.count)}

    def pictured(self, params: Params) -> dict[str, Tensor]:
        return {"theta": params["theta"]}

    def restored(self, kept: Params) -> tuple[Representation, Params] | None:
        return (self, {"theta": kept["theta"]}) if "theta" in kept else None

    def gram(self, params: Params, X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"]) -> Float[Tensor, "n p"]:
        K = X.new_empty(len(X), len(Z))
        for rows, parts in self.blocks(X, Z):
            total: Tensor | float = 0.0
            for weight, part in zip(params["theta"].tolist(), parts, strict=True):
                total = part.mul_(weight).add_(total)
            K[rows] = total
        return K

    def blocks(
        self, X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"]
    ) -> Iterator[tuple[slice, Iterator[Float[Tensor, "b p"]]]]:
        A, B = wide(X), wide(Z)
        origin, lengthscale = B.new_zeros(1, B.shape[1]), 1 / math.sqrt(2 * self.gammas[0])
        to_origin = gaussian(A, origin, lengthscale), gaussian(origin, B, lengthscale)
        many = max(1, PRODUCT // len(B))
        few = max(1, CACHED // len(B)) if A.device.type == "cpu" else many
        for first in range(0, len(A), many):
            near = gaussian(A[first : first + many], B, lengthscale)
            cosine = polynomial(A[first : first + many], B, 1, 1.0, normalized=True)
            for start in range(0, len(near), few):
                stop = min(start + few, len(near))
                part, rows = slice(start, stop), slice(first + start, first + stop)
                yield rows, self._parts(near[part], to_origin[0][rows], to_origin[1], cosine[part])

    def _parts(
        self, near: Float[Tensor, "b p"], x: Float[Tensor, "b 1"], z: Float[Tensor, "1 p"], cosine: Float[Tensor, "b p"]
    ) -> Iterator[Float[Tensor, "b p"]]:
        """Each is made from the last in one product: γ doubles, s grows by one."""
        for gamma in self.gammas:
            yield near.sub(x).sub_(z - 1).mul_(1 / (2 * gamma))
            near, x, z = near.mul_(near), x * x, z * z
        power = cosine
        for degree in self.degrees:
            yield power / degree
            power = power * cosine

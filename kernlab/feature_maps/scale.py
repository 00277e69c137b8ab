"""The scale of a kernel that is read off the inputs: what "auto" means wherever a kernel has a width.

    σ = 1/ℓ = FINER(d) / median distance of two inputs

A kernel's γ is the one of its usual form, which scikit-learn has too: exp(−γ‖Δ‖²) has σ = √(2γ), exp(−γ‖Δ‖₁) has σ = γ.

The median rule is usual for several inputs. Rows lie densely along one or two of them, so that a function can
vary far faster than their median distance suggests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from kernlab.errors import OptionError
from kernlab.kernels import KERNELS, polynomial
from kernlab.linalg import median_distance
from kernlab.options import option
from kernlab.typing import Float, Tensor

__all__ = ["SCALE_ALIASES", "NamedKernel", "Scaled", "automatic_scale", "scale_option"]

# Measured on the generators: the median rule alone leaves a chirp unlearned (RMSE 26 against 4).
FINER = {1: 10.0, 2: 2.5}


def _from_gamma(gamma: float, of: Any) -> float:
    """γ of exp(−γ‖Δ‖²), or of exp(−γ‖Δ‖₁) for the Laplacian kernel; other kernels have none."""
    kernel = _kernel_of(of)
    if kernel == "gaussian":
        return math.sqrt(2 * gamma)
    if kernel == "laplacian":
        return gamma
    raise OptionError(
        "gamma is γ of the Gaussian kernel exp(−γ‖x−z‖²) or of the Laplacian kernel exp(−γ‖x−z‖₁), and no other "
        "kernel has a usual form with a γ",
        f"gamma={gamma:g} for the {kernel} kernel",
        "set coef0 and degree" if kernel == "polynomial" else "set lengthscale or frequency_scale",
    )


def _kernel_of(of: Any) -> str:
    return str(getattr(of, "kernel", getattr(of, "density", "gaussian")))


#: Other names under which a frequency scale may be set, with the conversion to it.
SCALE_ALIASES: Mapping[str, tuple[str, Callable[[float, Any], float]]] = {
    "gamma": ("frequency_scale", _from_gamma),
    "lengthscale": ("frequency_scale", lambda lengthscale, of: 1 / lengthscale),
}


def scale_option(meaning: str = "1/lengthscale σ of the kernel (not of the polynomial)") -> Any:
    """The option ``frequency_scale``, a number or "auto"."""
    rule = "one over the median distance of two inputs, more in one or two dimensions"
    return option("auto", f"{meaning}; auto: {rule}.", gt=0, log=True)


class Scaled:
    """Base of maps and kernels with a ``frequency_scale``, and maybe a ``kernel`` or ``density``."""

    frequency_scale: float | Literal["auto"]

    def resolve(self, X: Float[Tensor, "n d"]) -> Any:  # a copy of its own class
        """A copy in which an automatic scale is replaced by what the rule finds in X."""
        if self.frequency_scale != "auto":
            return self
        p = 1.0 if _kernel_of(self) == "laplacian" else 2.0
        return self.replace(frequency_scale=automatic_scale(X, p=p))  # type: ignore[attr-defined]


class NamedKernel(Scaled):
    """Base of maps and kernels whose options name a kernel and its parameters."""

    kernel: str
    nu: float
    degree: int
    coef0: float
    normalized: bool

    def values(self, X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"]) -> Float[Tensor, "n p"]:
        """k(x, z) for every pair of rows, differentiable."""
        if self.kernel == "polynomial":
            return polynomial(X, Z, self.degree, self.coef0, self.normalized)
        assert self.frequency_scale != "auto", "resolve() comes first"
        return KERNELS[self.kernel](X, Z, 1 / self.frequency_scale, self.nu)


def automatic_scale(X: Float[Tensor, "n d"], p: float = 2.0) -> float:
    """Frequency scale σ = 1/ℓ for a kernel of ℓ_p distances, to four digits; the lengthscale is its inverse.

    Args:
        X: scaled training inputs; the distances are those of the first thousand rows.
        p: 1 for the Laplacian kernel, else 2.
    """
    return float(f"{FINER.get(X.shape[1], 1.0) / median_distance(X, p=p):.4g}")

"""Weights of the kernels in a dictionary, each by the name of its kernel.

K = Σ_m θ_m K_m,   share of kernel m: θ_m / Σθ
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps import Dictionary

__all__ = ["Mixture", "mixture"]


class Mixture(NamedTuple):
    """Kernel weights.

    Attributes:
        names: one a kernel: γ of a Gaussian, degree s of a polynomial.
        families: "Gaussian" or "polynomial" of each.
        share: θ_m / Σθ now [M].
        start: the share each began with [M].
        effective: (Σθ)²/Σθ², as many equal weights would vary as much.
    """

    names: tuple[str, ...]
    families: tuple[str, ...]
    share: NDArray[np.float32]
    start: NDArray[np.float32]
    effective: float


def mixture(theta: ArrayLike, initial: ArrayLike) -> Mixture:
    """The weights of :class:`kernlab.feature_maps.Dictionary`, now and at the start [M]."""
    now, first = (np.asarray(values, np.float64) for values in (theta, initial))
    names = [f"γ = 2{_raised(round(np.log2(gamma)))}" for gamma in Dictionary.gammas]
    names += [f"s = {degree}" for degree in Dictionary.degrees]
    families = ["Gaussian"] * len(Dictionary.gammas) + ["polynomial"] * len(Dictionary.degrees)
    share, start = (values / values.sum() for values in (now, first))
    return Mixture(
        tuple(names),
        tuple(families),
        share.astype(np.float32),
        start.astype(np.float32),
        1 / float(share @ share),
    )


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))

"""What is known in closed form about frequencies before training: their density along a line, and their kernel.

ω of scale σ along a unit vector u (drawn by kernlab.feature_maps.densities):

    gaussian    N(0, σ²)
    laplacian   Cauchy(0, σ‖u‖₁)                       since ω_j are independent Cauchy(0, σ)
    cauchy      Fourier transform of ∏_j 1/(1 + σ²u_j²t²), a Laplace(0, σ) along one coordinate
    matern      Student's t of 2ν degrees of freedom and scale σ

A pair (ω, ω') is drawn independently, and its density is even, so E cos(ωᵀx − ω'ᵀz) = k(x, 0) k(z, 0) and

    k₂(x, z) = ½ k(x, z) + ½ k(x, 0) k(z, 0)            (ASKL eq. 5; the second half is not stationary)

With phases drawn independently the second half averages out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy
import torch
from numpy.typing import ArrayLike, NDArray

from kernlab.kernels import KERNELS
from kernlab.typing import Float, Tensor

__all__ = ["ExactGram", "FrequencyLaw", "GramFunction", "in_numpy", "kernel_name"]

#: (rows [n d], rows [p d]) -> k [n p], for scaled inputs.
GramFunction: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.float64]]


class ExactGram(NamedTuple):
    """A kernel to measure features against.

    Attributes:
        gram: evaluates it.
        words: what "exact" means here, as the end of a sentence.
        same: the features have exactly this kernel, so that no error is left to measure.
    """

    gram: GramFunction
    words: str
    same: bool = False


def in_numpy(gram: Callable[[Tensor, Tensor], Float[Tensor, "n p"]]) -> GramFunction:
    """A kernel of tensors for arrays, in float64."""

    def evaluate(X: NDArray[Any], Z: NDArray[Any]) -> NDArray[np.float64]:
        with torch.no_grad():
            return np.asarray(gram(torch.as_tensor(X).double(), torch.as_tensor(Z).double()).numpy())

    return evaluate


def kernel_name(kernel: str) -> str:
    """A kernel as a sentence calls it: those that are named after a person in capitals."""
    return "Matérn" if kernel == "matern" else kernel if kernel == "polynomial" else kernel.capitalize()


class FrequencyLaw(NamedTuple):
    """The law that frequencies are drawn from.

    Attributes:
        density: "gaussian", "laplacian", "cauchy" or "matern".
        scale: σ > 0, radians per unit of the scaled inputs.
        nu: smoothness of the Matérn kernel.
        pairs: 2 for independent pairs (ω, ω'), else 1.
        crossed: the two of a pair share a phase, so that the kernel is not stationary.
    """

    density: str
    scale: float
    nu: float = 2.5
    pairs: int = 1
    crossed: bool = True

    @property
    def words(self) -> str:
        """The kernel's name for a legend."""
        return f"{kernel_name(self.density)}{' pair' if self.pairs == 2 else ''} kernel, exact"

    @property
    def exact(self) -> ExactGram:
        """The kernel that frequencies of this law average to."""
        name = kernel_name(self.density)
        if self.pairs == 1:
            words = f"the {name} kernel whose density the frequencies are drawn from"
        elif self.crossed:
            words = f"the kernel of independent pairs of frequencies, of the {name} kernel's density, in closed form"
        else:
            words = f"half the {name} kernel, which is what independent phases leave"
        return ExactGram(self.kernel, words)

    def along(self, direction: ArrayLike, grid: ArrayLike) -> NDArray[np.float64]:
        """Density of uᵀω at the points of ``grid`` [G], for the unit vector u along ``direction`` [d]."""
        line, points = np.asarray(direction, np.float64), np.asarray(grid, np.float64)
        line = line / np.linalg.norm(line)
        if self.density == "gaussian":
            found = scipy.stats.norm.pdf(points, scale=self.scale)
        elif self.density == "laplacian":
            found = scipy.stats.cauchy.pdf(points, scale=self.scale * np.abs(line).sum())
        elif self.density == "matern":
            found = scipy.stats.t.pdf(points, 2 * self.nu, scale=self.scale)
        else:
            found = _sum_of_laplace(line, points / self.scale) / self.scale
        return np.asarray(found, np.float64)

    def length(self, d: int, grid: ArrayLike) -> NDArray[np.float64] | None:
        """Density of ‖ω‖ in d dimensions at the points of ``grid`` ≥ 0; None where it has no closed form."""
        points = np.asarray(grid, np.float64)
        if self.density == "gaussian":
            return np.asarray(scipy.stats.chi.pdf(points, d, scale=self.scale))
        if self.density == "matern":  # ‖ω‖² = σ² d F(d, 2ν)
            area = d * self.scale**2
            return np.asarray(scipy.stats.f.pdf(points**2 / area, d, 2 * self.nu) * 2 * points / area)
        return 2 * self.along([1.0], points) if d == 1 else None

    def kernel(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """k(x, z) for every pair of rows of scaled inputs [n d] and [p d], [n p]."""
        one = self._stationary(X, Z)
        if self.pairs == 1:
            return one
        if not self.crossed:
            return 0.5 * one
        origin = np.zeros((1, np.shape(X)[1]))
        return 0.5 * one + 0.5 * self._stationary(X, origin) * self._stationary(Z, origin).T

    def _stationary(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        rows, others = (torch.as_tensor(np.asarray(each, np.float64)) for each in (X, Z))
        return np.asarray(KERNELS[self.density](rows, others, 1 / float(self.scale), self.nu))


def _sum_of_laplace(line: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Density of Σ_j u_j L_j, L_j independent Laplace(0, 1): its characteristic function back by one FFT.

    The function is cut where it has fallen below 1e-13, or at 2600, where one coordinate alone leaves a share of
    3e-4 of the peak beyond.
    """
    reach, cells = 40.0, 1 << 15
    t = np.arange(cells) * (np.pi / reach)
    squares = line[line != 0] ** 2
    probe = np.geomspace(t[1], t[-1], 60)
    fallen = np.log1p(np.outer(probe**2, squares)).sum(axis=1) > 30
    kept = int(np.searchsorted(t, probe[fallen.argmax()])) if fallen.any() else cells
    values = np.zeros(cells + 1)
    for first in range(0, kept, 256):  # in blocks: with many inputs the whole table would not fit a cache
        block = t[first : min(kept, first + 256)]
        values[first : first + len(block)] = np.exp(-np.log1p(np.outer(block**2, squares)).sum(axis=1))
    density = np.fft.irfft(values) * cells / reach
    places = np.arange(cells) * (reach / cells)
    return np.interp(np.abs(points), places, np.maximum(density[:cells], 0.0), right=0.0)

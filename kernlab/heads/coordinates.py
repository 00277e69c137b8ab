"""An exact kernel as features: coordinates in the span of given rows, and how far beyond it an input is.

    K = LLᵀ,   φ(x) = (L⁻¹k(X, x), r(x)),   r(x)² = k(x, x) − ‖L⁻¹k(X, x)‖²

φ(x)·φ(x_i) = k(x, x_i) for every row x_i, and ‖φ(x)‖² = k(x, x): Bayesian linear regression on these features, fitted
to these rows, is Gaussian process regression with the kernel. What r(x) of two inputs have to do with one another is
not in it, so that variances are exact, and covariances of two new inputs are not asked for.

Source: Rasmussen & Williams 2006, Algorithm 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kernlab.feature_maps.base import ExactKernel
from kernlab.heads.dual import gram_matrix
from kernlab.linalg import cholesky, wide, wide_parameters
from kernlab.typing import Float, Params, Tensor

__all__ = ["Coordinates", "coordinates"]

_ROWS = 256  # of which k(x, x) is taken from one matrix


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The features φ of inputs [m d], in float64: [m r], r = n + 1.

    Attributes:
        kernel, params: the exact kernel.
        rows: X, [n d].
        factor: L, [n n].
    """

    kernel: ExactKernel
    params: Params
    rows: Tensor
    factor: Tensor

    def __call__(self, Z: Float[Tensor, "m d"]) -> Float[Tensor, "m r"]:
        new = wide(Z)
        inside = torch.linalg.solve_triangular(
            self.factor, self.kernel.gram(self.params, self.rows, new), upper=False
        ).mT
        sizes = torch.cat([self.kernel.gram(self.params, part, part).diagonal() for part in torch.split(new, _ROWS)])
        beyond = (sizes - inside.square().sum(1)).clamp_min(0).sqrt()
        return torch.cat([inside, beyond[:, None]], 1)


def coordinates(kernel: ExactKernel, params: Params, X: Float[Tensor, "n d"]) -> Coordinates:
    """The features φ that belong to some rows, O(n³) once and O(n²) for each input.

    Args:
        kernel: resolved.
        params: its parameters.
        X: rows that span the space.

    Raises:
        DataError: their Gram matrix does not fit into memory, or stays singular.
    """
    precise = wide_parameters(params)
    rows = wide(X)
    return Coordinates(kernel, precise, rows, cholesky(gram_matrix(kernel, precise, rows))[0])

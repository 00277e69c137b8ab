"""What support vector machines on an exact kernel share: LibSVM, through scikit-learn.

LibSVM is given the Gram matrix; where that would not fit into memory, the inputs and the kernel's name.
Only numbers are kept: support points, coefficients and biases.

Source: Boser, Guyon & Vapnik 1992; Chang & Lin 2011.
"""

from __future__ import annotations

from typing import Any

import torch
from numpy.typing import NDArray

from kernlab.feature_maps.base import ExactKernel
from kernlab.heads import dual
from kernlab.heads.base import Fitting
from kernlab.linalg import wide
from kernlab.options import component, option
from kernlab.typing import Float, Tensor

__all__ = ["SupportVectors", "as_numpy", "one_for_each"]


@component
class SupportVectors(dual.DualHead):
    """Base of support vector machines: their common options, and what LibSVM is given."""

    # 10: the best of 1, 10 and 100 on abalone and cpusmall at the automatic width, and near it elsewhere.
    C: float = option(10.0, "Weight of the errors, summed over samples, against ½‖f‖².", gt=0, log=True)
    tolerance: float = option(
        1e-3, "Violation of the optimality conditions at which LibSVM stops.", gt=0, lt=1, log=True, advanced=True
    )

    def settings(self) -> dict[str, Any]:
        """The machine's options in scikit-learn's words."""
        return {"C": self.C, "tol": self.tolerance, "cache_size": 500}

    @staticmethod
    def given(fitting: Fitting) -> tuple[dict[str, Any], NDArray[Any]]:
        """The kernel in scikit-learn's words, and the Gram matrix, or the inputs where that is too large.

        Raises:
            DataError: too many rows, and LibSVM does not know the kernel.
        """
        kernel = fitting.representation
        assert isinstance(kernel, ExactKernel)
        by_name = kernel.in_libsvm()
        if by_name and len(fitting.X) ** 2 > dual.GRAM:
            return by_name, as_numpy(fitting.X)
        return {"kernel": "precomputed"}, as_numpy(dual.gram_matrix(kernel, fitting.params, fitting.X))


def as_numpy(values: Tensor) -> NDArray[Any]:
    """As float64 in NumPy."""
    found: NDArray[Any] = wide(values).cpu().numpy()
    return found


def one_for_each(
    machine: type, settings: dict[str, Any], given: NDArray[Any], Y: Float[Tensor, "n K"], weight: Tensor | None
) -> tuple[Float[Tensor, "n K"], Float[Tensor, " K"]]:
    """Coefficients and biases of one machine for each column of targets (or of signs ±1), on one Gram matrix."""
    coefficients = torch.zeros(Y.shape, dtype=torch.float64)
    bias = torch.zeros(Y.shape[1], dtype=torch.float64)
    for k, y in enumerate(as_numpy(Y).T):
        found = machine(**settings).fit(given, y, sample_weight=None if weight is None else as_numpy(weight))
        coefficients[found.support_, k] = torch.from_numpy(found.dual_coef_[0])
        bias[k] = float(found.intercept_[0])
    return coefficients, bias

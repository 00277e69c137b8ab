"""Outputs as expansions over support points: f(x) = Σ_s k(x, x_s) α_s + b.

A dual head is fitted on the n × n Gram matrix of the training rows and keeps the rows whose coefficients
are not zero. Source: the representer theorem (Kimeldorf & Wahba 1971).
"""

from __future__ import annotations

from typing import ClassVar, Literal

from kernlab.errors import DataError
from kernlab.feature_maps.base import ExactKernel
from kernlab.heads.base import Fitting, Head
from kernlab.linalg import wide
from kernlab.options import component
from kernlab.typing import Float, Params, Tensor

__all__ = ["GRAM", "DualHead", "Expansion", "expansion", "gram_matrix"]

GRAM = 2**29  # numbers of the largest Gram matrix that is formed: 4 GB in float64, 23 170 rows


class DualHead(Head):
    """Base of heads with ``support`` [s d], ``dual`` [s K] and ``bias`` [K]."""

    stage: ClassVar[Literal["features", "kernel", "joint"]] = "kernel"

    def scores(self, params: Params, Phi: Float[Tensor, "n s"]) -> Float[Tensor, "n K"]:
        return Phi @ params["dual"] + params["bias"]


@component
class Expansion(DualHead):
    """Support points and coefficients that the solver has found together with the kernel."""

    name = "expansion"
    title = "Kernel expansion, from the solver"
    formula = r"f(x)=\sum_s k(x,x_s)\,\alpha_s+b"
    source = "Kimeldorf & Wahba 1971"
    tasks = ("classification", "regression")
    stage = "joint"

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """Nothing: the solver has left ``support``, ``dual`` and ``bias`` in the parameters."""
        return {}


def gram_matrix(kernel: ExactKernel, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n n"]:
    """k(x, x') for all pairs of rows, in float64 and exactly symmetric.

    Raises:
        DataError: it would take more than 4 GB.
    """
    if len(X) ** 2 > GRAM:
        raise DataError(
            "the Gram matrix of all training rows must fit into memory",
            f"{len(X)} rows, {8 * len(X) ** 2 / 1e9:.1f} GB; at most {int(GRAM**0.5)} rows are taken",
            "train on fewer rows, or take features instead of the exact kernel: feature_map=stationary or nystroem",
        )
    exact = {name: wide(value) for name, value in params.items()}
    K = kernel.gram(exact, wide(X), wide(X))
    return K.add(K.mT).div_(2)


def expansion(X: Float[Tensor, "n d"], dual: Float[Tensor, "n P"], bias: Float[Tensor, " P"]) -> dict[str, Tensor]:
    """``support``, ``dual`` and ``bias`` in X's dtype: the rows that count, and one if none does."""
    keep = (dual != 0).any(1)
    keep[0] |= ~keep.any()
    rows = keep.nonzero()[:, 0]
    return {
        "support": X[rows.to(X.device)],
        "dual": dual[rows].to(X.device, X.dtype),
        "bias": bias.to(X.device, X.dtype),
    }

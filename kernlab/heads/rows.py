"""The rows and classes that a head really sees: those of positive weight, and classes that have rows."""

from __future__ import annotations

from dataclasses import replace

import torch

from kernlab.errors import DataError
from kernlab.heads.base import Fitting
from kernlab.typing import Float, Tensor

__all__ = ["all_classes", "several_classes", "weighted_rows"]

NEVER = -1e6  # bias of a class that has no rows: it never wins


def weighted_rows(fitting: Fitting) -> Fitting:
    """The same without rows of weight 0, which must not become support points or count as a class.

    Raises:
        DataError: a weight is negative or not finite, or all are zero.
    """
    weight = fitting.weight
    if weight is None:
        return fitting
    if not (bool(weight.isfinite().all()) and float(weight.min()) >= 0 and float(weight.max()) > 0):
        raise DataError("sample weights must be at least 0 and finite, and not all of them 0")
    keep = weight > 0
    return replace(fitting, X=fitting.X[keep], y=fitting.y[keep], weight=weight[keep])


def several_classes(fitting: Fitting) -> list[int]:
    """The classes that have rows, in order.

    Raises:
        DataError: only one has.
    """
    present: list[int] = torch.unique(fitting.y).tolist()
    if len(present) < 2:
        raise DataError(
            "a classifier needs rows of at least two classes to learn from",
            f"{len(fitting.y)} rows, all of one class",
            "take more rows, or another split",
        )
    return present


def all_classes(
    W: Float[Tensor, "D c"], b: Float[Tensor, " c"], present: list[int], K: int
) -> tuple[Float[Tensor, "D K"], Float[Tensor, " K"]]:
    """Weights and biases of all K classes from those of the classes present; the others never win."""
    weight, bias = W.new_zeros(len(W), K), b.new_full((K,), NEVER)
    weight[:, present], bias[present] = W, b
    return weight, bias

"""Kernel ridge regression.

    min over f in H of  (1/n) Σ_i ‖f(x_i) + b − y_i‖² + g‖f‖²,    b = mean of the targets
    (K + g n I) α = Y − 1bᵀ

With sample weights w_i, n = Σ w_i and S = diag(√w):  (S K S + g n I) S⁻¹α = S(Y − 1bᵀ).

Source: FKS eq. 2; Saunders, Gammerman & Vovk 1998.
"""

from __future__ import annotations

import torch

from kernlab.feature_maps.base import ExactKernel
from kernlab.heads.base import HEADS, Fitting
from kernlab.heads.dual import DualHead, expansion, gram_matrix
from kernlab.heads.rows import weighted_rows
from kernlab.linalg import cholesky, wide
from kernlab.options import component, option
from kernlab.typing import Tensor

__all__ = ["KernelRidge"]


@HEADS.register("kernel_ridge")
@component
class KernelRidge(DualHead):
    """Kernel ridge regression by Cholesky; classes stand as one-hot targets."""

    name = "kernel_ridge"
    title = "Kernel ridge regression"
    formula = r"\min_{f\in\mathcal H}\tfrac1n\sum_i\|f(x_i)+b-y_i\|^2+g\|f\|_{\mathcal H}^2"
    source = "FKS eq. 2; Saunders, Gammerman & Vovk 1998"
    tasks = ("classification", "regression")

    ridge: float = option(1e-4, "Penalty g on ‖f‖², against the squared error averaged over samples.", gt=0, log=True)

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``support`` (all rows), ``dual``, ``bias``, and ``jitter``: what K + gnI needed on top (0: nothing)."""
        fitting = weighted_rows(fitting)
        assert isinstance(fitting.representation, ExactKernel)
        K = gram_matrix(fitting.representation, fitting.params, fitting.X)
        Y = wide(fitting.Y)
        w = torch.ones_like(Y[:, 0]) if fitting.weight is None else wide(fitting.weight)
        n, root = w.sum(), w.sqrt()[:, None]
        bias = (w[:, None] * Y).sum(0) / n
        K *= root * root.mT
        K.diagonal().add_(self.ridge * n)
        L, jitter = cholesky(K)
        dual = root * torch.cholesky_solve(root * (Y - bias), L)
        return expansion(fitting.X, dual, bias) | {"jitter": fitting.X.new_tensor(jitter)}

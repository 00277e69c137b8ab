"""Kernel ridge regression.

    min over f in H of  (1/n) Σ_i ‖f(x_i) + b − y_i‖² + g‖f‖²,    b = mean of the targets
    (K + g n I) α = Y − 1bᵀ

With sample weights w_i, n = Σ w_i and S = diag(√w):  (S K S + g n I) S⁻¹α = S(Y − 1bᵀ).

An automatic g has the smallest leave-one-out error on a path of penalties, exactly (for this b) after one
eigendecomposition S K S = U diag(s) Uᵀ: with the leverage h_i = Σ_j U_ij² s_j/(s_j + gn) a row of weight w_i and
residual r_i has the residual r_i/(1 − h_i/w_i) where one of its w_i copies is left out.

Source: FKS eq. 2; Saunders, Gammerman & Vovk 1998; Allen 1974 (leave-one-out).
"""

from __future__ import annotations

from typing import Literal

import torch

from kernlab.feature_maps.base import ExactKernel
from kernlab.heads.base import Fitting
from kernlab.heads.dual import DualHead, expansion, gram_matrix
from kernlab.linalg import cholesky, eigh, wide
from kernlab.options import component, option
from kernlab.typing import Float, Tensor

__all__ = ["KernelRidge", "leave_one_out"]

LEFT_OUT = 3000  # rows whose eigendecomposition chooses an automatic penalty, at most: g is against a mean


@component
class KernelRidge(DualHead):
    """Kernel ridge regression by Cholesky; classes are one-hot targets."""

    name = "kernel_ridge"
    title = "Kernel ridge regression"
    formula = r"\min_{f\in\mathcal H}\tfrac1n\sum_i\|f(x_i)+b-y_i\|^2+g\|f\|_{\mathcal H}^2"
    source = "FKS eq. 2; Saunders, Gammerman & Vovk 1998"
    tasks = ("classification", "regression")
    version = 2
    defaults_of_version_1 = (("ridge", 0.0001),)

    ridge: float | Literal["auto"] = option(
        "auto", "Penalty g on ‖f‖², against the squared error averaged over samples; auto: by leave-one-out.",
        gt=0, log=True,
    )  # fmt: skip

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``support`` (all rows), ``dual``, ``bias``, ``penalty`` g, and ``jitter``: what K + gnI needed on top."""
        fitting = fitting.of_positive_weight()
        assert isinstance(fitting.representation, ExactKernel)
        K = gram_matrix(fitting.representation, fitting.params, fitting.X)
        Y = wide(fitting.Y)
        w = torch.ones_like(Y[:, 0]) if fitting.weight is None else wide(fitting.weight)
        n, root = w.sum(), w.sqrt()[:, None]
        bias = (w[:, None] * Y).sum(0) / n
        K *= root * root.mT
        penalty = self.ridge
        if penalty == "auto":
            some = torch.linspace(0, len(K) - 1, min(LEFT_OUT, len(K)), device=K.device).long()
            size = float(K.diagonal().sum() / n) or 1.0
            path = [size * 10.0 ** (k / 2) for k in range(-18, 3)]
            errors = leave_one_out(K[some][:, some], (Y - bias)[some], w[some], path).tolist()
            penalty = path[max(range(len(path)), key=lambda k: (-errors[k], k))]
        K.diagonal().add_(penalty * n)
        L, jitter = cholesky(K)
        dual = root * torch.cholesky_solve(root * (Y - bias), L)
        numbers = {name: fitting.X.new_tensor(value) for name, value in (("jitter", jitter), ("penalty", penalty))}
        return expansion(fitting.X, dual, bias) | numbers


def leave_one_out(
    K: Float[Tensor, "n n"], Y: Float[Tensor, "n K"], weight: Float[Tensor, " n"], penalties: list[float]
) -> Float[Tensor, " p"]:
    """For each penalty g the mean squared error on rows that were left out.

    Args:
        K: √w_i k(x_i, x_j) √w_j, in float64.
        Y: targets less the bias, which stays as it is.
        weight: w_i > 0.
        penalties: values of g.
    """
    s, U = eigh(K)
    s, n, root = s.clamp_min(0), weight.sum(), weight.sqrt()[:, None]
    turned, squares, errors = U.mT @ (root * Y), U.square(), []
    for g in penalties:
        residual = U @ (turned * (g * n / (s + g * n))[:, None]) / root
        kept = (1 - squares @ (s / (s + g * n)) / weight).clamp_min(torch.finfo(s.dtype).eps)
        errors.append((weight[:, None] * (residual / kept[:, None]).square()).sum() / n)
    return torch.stack(errors)

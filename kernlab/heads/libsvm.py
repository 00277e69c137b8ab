"""Support vector machines on an exact kernel, by LibSVM through scikit-learn.

    SVC      min over f, b of      ½‖f‖² + C Σ_i w_i |1 − s_i (f(x_i) + b)|₊     for each pair of classes, s_i = ±1
    ε-SVR    min over f, b of      ½‖f‖² + C Σ_i w_i |f(x_i) + b − y_i|_ε        for each target
    ν-SVR    min over f, b, ε of   ½‖f‖² + C (ν Σ_i w_i ε + Σ_i w_i |f(x_i) + b − y_i|_ε)

with |r|_ε = max(|r| − ε, 0). At most a share ν of the rows lies outside the tube of ν-SVR and at least a share ν are
support points. C sums over samples, as in LibSVM.

LibSVM gets the Gram matrix; where that would not fit into memory, the inputs and the kernel's name. The model keeps
support points, coefficients and biases.

Source: FKS section 5; Boser, Guyon & Vapnik 1992; Drucker et al. 1997; Schölkopf et al. 2000; Chang & Lin 2011.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import torch
from numpy.typing import NDArray

from kernlab.feature_maps.base import ExactKernel
from kernlab.heads import dual
from kernlab.heads.base import Fitting
from kernlab.linalg import as_numpy
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["SVC", "EpsilonSVR", "NuSVR", "SupportVectors", "decode", "one_for_each"]


@component
class SupportVectors(dual.DualHead):
    """Base of support vector machines: their common options, and what they pass to LibSVM."""

    # 10: the best of 1, 10 and 100 on abalone and cpusmall at the automatic width, and near it elsewhere.
    C: float = option(10.0, "Weight of the errors, summed over samples, against ½‖f‖².", gt=0, log=True)
    tolerance: float = option(
        1e-3, "Violation of the optimality conditions at which LibSVM stops.", gt=0, lt=1, log=True, advanced=True
    )

    def settings(self) -> dict[str, Any]:
        """The machine's options under scikit-learn's names."""
        return {"C": self.C, "tol": self.tolerance, "cache_size": 500}

    @staticmethod
    def inputs(fitting: Fitting) -> tuple[dict[str, Any], NDArray[Any]]:
        """The kernel under scikit-learn's name, and the Gram matrix, or the rows where that would be too large.

        Raises:
            DataError: too many rows, and LibSVM does not know the kernel.
        """
        kernel = fitting.representation
        assert isinstance(kernel, ExactKernel)
        by_name = kernel.in_libsvm()
        if by_name and len(fitting.X) ** 2 > dual.GRAM:
            return by_name, as_numpy(fitting.X)
        return {"kernel": "precomputed"}, as_numpy(dual.gram_matrix(kernel, fitting.params, fitting.X))


def one_for_each(
    machine: type, settings: dict[str, Any], inputs: NDArray[Any], Y: Float[Tensor, "n K"], weight: Tensor | None
) -> tuple[Float[Tensor, "n K"], Float[Tensor, " K"]]:
    """Coefficients and biases of one machine for each column of targets (or of signs ±1), on one Gram matrix."""
    coefficients = torch.zeros(Y.shape, dtype=torch.float64)
    bias = torch.zeros(Y.shape[1], dtype=torch.float64)
    for k, y in enumerate(as_numpy(Y).T):
        found = machine(**settings).fit(inputs, y, sample_weight=None if weight is None else as_numpy(weight))
        coefficients[found.support_, k] = torch.from_numpy(found.dual_coef_[0])
        bias[k] = float(found.intercept_[0])
    return coefficients, bias


@component
class SVC(SupportVectors):
    """Support vector classification, one against one.

    Each of the K(K−1)/2 machines votes for one of its two classes. A class's score is its votes and, to part equal
    ones, its summed margins squashed into (−⅓, ⅓); scikit-learn's ``SVC(break_ties=True)`` predicts the same. Two
    classes: the scores are (−f, f). Source: Knerr et al. 1990.
    """

    name = "svc"
    title = "Support vector classification"
    formula = r"\min_f\tfrac12\|f\|_{\mathcal H}^2+C\sum_i|1-y_if(x_i)|_+"
    source = "FKS section 5; DI section 5; Boser, Guyon & Vapnik 1992"
    tasks = ("classification",)
    loss = "hinge"

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``support`` [s d], ``dual`` [s P] and ``bias`` [P], a column for each pair i < j: f_ij > 0 says class i."""
        from sklearn import svm

        fitting = fitting.of_positive_weight()
        present = fitting.classes()
        kernel, inputs = self.inputs(fitting)
        weight = None if fitting.weight is None else as_numpy(fitting.weight)
        found = svm.SVC(**kernel, **self.settings()).fit(inputs, fitting.y.cpu().numpy(), sample_weight=weight)
        sign = -1.0 if len(present) == 2 else 1.0  # scikit-learn turns the machine of two classes round
        solved = {pair: p for p, pair in enumerate(itertools.combinations(range(len(present)), 2))}
        coefficients, rows = torch.from_numpy(found.dual_coef_), torch.from_numpy(found.support_).long()
        owner = torch.arange(len(present)).repeat_interleave(torch.from_numpy(found.n_support_).long())

        pairs = list(itertools.combinations(range(fitting.K), 2))
        alpha = torch.zeros(len(inputs), len(pairs), dtype=torch.float64)
        bias = torch.zeros(len(pairs), dtype=torch.float64)
        for column, (a, b) in enumerate(pairs):
            if a in present and b in present:
                i, j = present.index(a), present.index(b)
                # LibSVM keeps, for a row of class c, its coefficients against the other classes in their order.
                alpha[rows[owner == i], column] = sign * coefficients[j - 1, owner == i]
                alpha[rows[owner == j], column] = sign * coefficients[i, owner == j]
                bias[column] = sign * float(found.intercept_[solved[i, j]])
            else:  # a class without rows loses to every other
                bias[column] = 1.0 if a in present else -1.0
        return dual.expansion(fitting.X, alpha, bias)

    def scores(self, params: Params, Phi: Float[Tensor, "n s"]) -> Float[Tensor, "n K"]:
        return decode(super().scores(params, Phi))


def decode(F: Float[Tensor, "n P"]) -> Float[Tensor, "n K"]:
    """Scores of K classes from the outputs f_ij of the P = K(K−1)/2 pairs i < j."""
    if F.shape[1] == 1:
        return torch.cat([F, -F], dim=1)
    K = (1 + math.isqrt(1 + 8 * F.shape[1])) // 2
    i, j = torch.triu_indices(K, K, 1, device=F.device)
    first, second = (torch.nn.functional.one_hot(side, K).to(F.dtype) for side in (i, j))  # [P K]
    wins = (F > 0).to(F.dtype)
    votes = wins @ first + (1 - wins) @ second
    margins = F @ (first - second)
    return votes + margins / (3 * (margins.abs() + 1))


class SupportVectorRegression(SupportVectors):
    """Base of both regressions: the same fit, by another of scikit-learn's machines."""

    tasks = ("regression",)
    machine: str

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``support`` [s d], ``dual`` [s K] and ``bias`` [K]."""
        from sklearn import svm

        fitting = fitting.of_positive_weight()
        kernel, inputs = self.inputs(fitting)
        found = one_for_each(getattr(svm, self.machine), kernel | self.settings(), inputs, fitting.Y, fitting.weight)
        return dual.expansion(fitting.X, *found)


@component
class EpsilonSVR(SupportVectorRegression):
    """Support vector regression with a tube of half-width ε."""

    name = "epsilon_svr"
    title = "ε-support vector regression"
    formula = r"\min_f\tfrac12\|f\|_{\mathcal H}^2+C\sum_i|f(x_i)-y_i|_\varepsilon"
    source = "FKS section 5; Drucker et al. 1997"
    machine = "SVR"

    epsilon: float = option(0.1, "Half-width ε of the tube, in standard deviations of the target.", ge=0)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"epsilon": self.epsilon}


@component
class NuSVR(SupportVectorRegression):
    """Support vector regression that chooses its tube: at most a share ν of the rows lies outside."""

    name = "nu_svr"
    title = "ν-support vector regression"
    formula = r"\min_{f,\varepsilon}\tfrac12\|f\|_{\mathcal H}^2+C\,(\nu n\varepsilon+\sum_i|f(x_i)-y_i|_\varepsilon)"
    source = "FKS section 5; Schölkopf et al. 2000"
    machine = "NuSVR"

    nu_svr: float = option(0.5, "Share ν of the rows that may lie outside the tube.", gt=0, le=1)

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"nu": self.nu_svr}

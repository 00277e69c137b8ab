"""Support vector classification on an exact kernel, one machine for each pair of classes.

    f_ij: min over f, b of  ½‖f‖² + C Σ w_l |1 − s_l (f(x_l) + b)|₊     rows of classes i (s = 1) and j (s = −1)

Each of the K(K−1)/2 machines votes for one of its two classes. A class's score is its votes and, to part
equal ones, its summed margins squashed into (−⅓, ⅓); scikit-learn's ``SVC(break_ties=True)`` predicts the
same. Two classes: the scores are (−f, f).

Source: Boser, Guyon & Vapnik 1992; Knerr et al. 1990; Chang & Lin 2011.
"""

from __future__ import annotations

import itertools
import math

import torch

from kernlab.heads.base import HEADS, Fitting
from kernlab.heads.dual import expansion
from kernlab.heads.libsvm import SupportVectors, as_numpy
from kernlab.heads.rows import several_classes, weighted_rows
from kernlab.options import component
from kernlab.typing import Float, Params, Tensor

__all__ = ["SVC", "decode"]


@HEADS.register("svc")
@component
class SVC(SupportVectors):
    """Support vector classification, one against one."""

    name = "svc"
    title = "Support vector classification"
    formula = r"\min_f\tfrac12\|f\|_{\mathcal H}^2+C\sum_i|1-y_if(x_i)|_+"
    source = "FKS section 5; DI section 5; Boser, Guyon & Vapnik 1992"
    tasks = ("classification",)
    loss = "hinge"

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``support`` [s d], ``dual`` [s P] and ``bias`` [P], a column for each pair i < j: f_ij > 0 says class i."""
        from sklearn import svm

        fitting = weighted_rows(fitting)
        present = several_classes(fitting)
        kernel, given = self.given(fitting)
        weight = None if fitting.weight is None else as_numpy(fitting.weight)
        found = svm.SVC(**kernel, **self.settings()).fit(given, fitting.y.cpu().numpy(), sample_weight=weight)
        sign = -1.0 if len(present) == 2 else 1.0  # scikit-learn turns the machine of two classes round
        solved = {pair: p for p, pair in enumerate(itertools.combinations(range(len(present)), 2))}
        coefficients, rows = torch.from_numpy(found.dual_coef_), torch.from_numpy(found.support_).long()
        owner = torch.arange(len(present)).repeat_interleave(torch.from_numpy(found.n_support_).long())

        pairs = list(itertools.combinations(range(fitting.K), 2))
        dual = torch.zeros(len(given), len(pairs), dtype=torch.float64)
        bias = torch.zeros(len(pairs), dtype=torch.float64)
        for column, (a, b) in enumerate(pairs):
            if a in present and b in present:
                i, j = present.index(a), present.index(b)
                # LibSVM keeps, for a row of class c, its coefficients against the other classes in their order.
                dual[rows[owner == i], column] = sign * coefficients[j - 1, owner == i]
                dual[rows[owner == j], column] = sign * coefficients[i, owner == j]
                bias[column] = sign * float(found.intercept_[solved[i, j]])
            else:  # a class without rows loses to every other
                bias[column] = 1.0 if a in present else -1.0
        return expansion(fitting.X, dual, bias)

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

"""Multinomial logistic regression on features, through scikit-learn.

    min over W, b of  ½‖W‖_F² + C Σ_i w_i (−log softmax_{y_i}(Wᵀφ(x_i) + b))          b is not penalised

The softmax of the scores gives the probabilities of the classes. For two classes scikit-learn minimises
½‖w‖² + C' Σ_i w_i log(1 + exp(−s_i f(x_i))) over one logit f(x) = wᵀφ(x) + b. The scores are (−f/2, f/2), so that
‖W‖_F² = ½‖w‖², and the formula above is its half with C' = 2C.

Source: LKRF section 4; Hastie, Tibshirani & Friedman 2009, section 4.4.
"""

from __future__ import annotations

import torch

from kernlab.heads.base import Fitting, LinearHead, all_classes
from kernlab.linalg import as_numpy
from kernlab.options import component, option
from kernlab.typing import Tensor

__all__ = ["Logistic"]


@component
class Logistic(LinearHead):
    """Multinomial logistic regression."""

    name = "logistic"
    title = "Logistic regression"
    formula = r"\min_{W,b}\tfrac12\|W\|_F^2-C\sum_i\log\operatorname{softmax}_{y_i}(W^\top\varphi(x_i)+b)"
    source = "LKRF section 4; Hastie, Tibshirani & Friedman 2009"
    tasks = ("classification",)
    loss = "cross_entropy"

    C: float = option(1.0, "Weight of the errors, summed over samples, against ½‖W‖².", gt=0, log=True)
    max_iter: int = option(1000, "At most this many steps of L-BFGS.", ge=1, le=1_000_000, log=True, advanced=True)

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``weight`` [D K] and ``bias`` [K]."""
        from sklearn.linear_model import LogisticRegression

        fitting = fitting.of_positive_weight()
        present = fitting.classes()
        weight = None if fitting.weight is None else as_numpy(fitting.weight)
        share = 2 if len(present) == 2 else 1
        machine = LogisticRegression(C=share * self.C, max_iter=self.max_iter)
        machine.fit(as_numpy(fitting.matrix()), fitting.y.cpu().numpy(), weight)
        W, b = torch.from_numpy(machine.coef_.T) / share, torch.from_numpy(machine.intercept_) / share
        W, b = all_classes(W, b, present, fitting.K)
        return {"weight": W.to(fitting.X), "bias": b.to(fitting.X)}

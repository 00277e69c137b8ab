"""Linear support vector machine on features, solved by liblinear through scikit-learn.

    classes   min over w, b of  ½(‖w‖² + b²) + C Σ_i w_i |1 − s_i f(x_i)|₊²      one class against the rest
    targets   min over w, b of  ½(‖w‖² + b²) + C Σ_i w_i |f(x_i) − y_i|_ε²       each target by itself

The squared losses are liblinear's own choice: differentiable, so that Newton's method solves them. Features
are first brought to mean 0 and variance 1; the weights and biases are those of the original features.

Source: DI section 5; Fan et al. 2008; Ho & Lin 2012.
"""

from __future__ import annotations

import torch

from kernlab.heads.base import Fitting, LinearHead, all_classes
from kernlab.linalg import wide
from kernlab.options import component, option
from kernlab.typing import Float, Tensor

__all__ = ["LinearSVM"]


@component
class LinearSVM(LinearHead):
    """Linear support vector machine."""

    name = "linear_svm"
    title = "Linear support vector machine"
    formula = r"\min_{w,b}\tfrac12\|w\|^2+C\sum_i|1-y_if(x_i)|_+^2"
    source = "DI section 5; Fan et al. 2008"
    loss = "hinge"
    tasks = ("classification", "regression")

    C: float = option(1.0, "Weight of the errors, summed over samples, against ½‖w‖².", gt=0, log=True)
    epsilon: float = option(
        0.1, "Half-width ε of the tube, in standard deviations of the target (regression only).", ge=0, advanced=True
    )
    unit_variance: bool = option(True, "Bring every feature to mean 0 and variance 1 first.", advanced=True)
    max_iter: int = option(1000, "At most this many passes of liblinear.", ge=1, le=1_000_000, log=True, advanced=True)

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``weight`` [D K] and ``bias`` [K]; with two classes the scores are (−f, f)."""
        from sklearn.svm import LinearSVC, LinearSVR

        fitting = fitting.of_positive_weight()
        present = fitting.classes() if fitting.task == "classification" else []
        Phi = wide(fitting.matrix()).cpu()
        weight = None if fitting.weight is None else wide(fitting.weight).cpu()
        if self.unit_variance:
            shift, scale = _standardize(Phi, weight)
        y, weights = fitting.y.cpu().numpy(), None if weight is None else weight.numpy()
        settings = {"C": self.C, "max_iter": self.max_iter, "random_state": fitting.seed, "dual": "auto"}
        if fitting.task == "regression":
            settings |= {"loss": "squared_epsilon_insensitive", "epsilon": self.epsilon}
            machines = [LinearSVR(**settings).fit(Phi.numpy(), column, weights) for column in y.T]
            W = torch.stack([torch.from_numpy(each.coef_.ravel()) for each in machines], dim=1)
            b = torch.tensor([each.intercept_.item() for each in machines], dtype=torch.float64)
        else:
            machine = LinearSVC(**settings).fit(Phi.numpy(), y, weights)
            W, b = torch.from_numpy(machine.coef_.T), torch.from_numpy(machine.intercept_)
        if self.unit_variance:
            W = W / scale[:, None]
            b = b - shift @ W
        if fitting.task == "classification":
            W, b = all_classes(W, b, present, fitting.K)
        return {"weight": W.to(fitting.X), "bias": b.to(fitting.X)}


def _standardize(Phi: Float[Tensor, "n D"], weight: Tensor | None) -> tuple[Float[Tensor, " D"], Float[Tensor, " D"]]:
    """Bring Φ, in place, to weighted means 0 and variances 1; the means and deviations that it had.

    The deviation of a column that is constant up to rounding counts as 1.
    """
    share = Phi.new_full((len(Phi),), 1 / len(Phi)) if weight is None else weight / weight.sum()
    mean = share @ Phi
    deviation = (share @ Phi.sub_(mean).square()).sqrt()
    deviation = torch.where(deviation > 1e-7 * (mean.abs() + deviation), deviation, 1.0)
    Phi.div_(deviation)
    return mean, deviation

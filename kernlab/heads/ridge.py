"""Ridge regression on features, in closed form.

    min over W, b of  Σ_i w_i ‖Wᵀφ(x_i) + b − y_i‖² + ρ‖W‖_F²       (sum over samples, b not penalised)
    (Φ̄ᵀΦ̄ + ρI) W = Φ̄ᵀȲ,   b = ȳ − Wᵀφ̄                              bars: centred

Classes are one-hot targets and the largest output wins. The features are read in blocks of rows, so
n × D never has to fit in memory.

An automatic ρ has the smallest exact leave-one-out error on a path of penalties. That is right for features that
have not seen the targets; of learned features leave-one-out does not see what the map has learned from the targets,
and the training chooses ρ on validation rows (:mod:`kernlab.training.selection`).

Source: DI eq. 4–5; Hoerl & Kennard 1970; Allen 1974 (leave-one-out).
"""

from __future__ import annotations

from typing import Literal

from kernlab.heads.base import Fitting, LinearHead
from kernlab.linalg import RidgePath, ridge
from kernlab.options import component, option
from kernlab.typing import Tensor

__all__ = ["Ridge"]


@component
class Ridge(LinearHead):
    """Ridge regression."""

    name = "ridge"
    title = "Ridge regression"
    formula = r"\min_{W,b}\|\Phi W+\mathbf 1b^\top-Y\|_F^2+\rho\|W\|_F^2"
    source = "DI eq. 4–5; Hoerl & Kennard 1970"
    tasks = ("classification", "regression")
    bound = "discriminant"
    quick = True
    version = 2
    defaults_of_version_1 = (("ridge", 0.0001),)

    ridge: float | Literal["auto"] = option(
        "auto",
        "Penalty ρ on ‖W‖², against the squared error summed over samples; auto: by leave-one-out, or on validation "
        "rows where the features are learned.",
        gt=0, log=True,
    )  # fmt: skip

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``weight`` [D K], ``bias`` [K], ``penalty`` ρ, and ``jitter``: what the Gram matrix needed on top of ρ."""
        if self.ridge == "auto":
            path = RidgePath(fitting.blocks, fitting.Y, sample_weight=fitting.weight)
            penalty = path.best()
            found = path.fit(penalty)
        else:
            penalty = self.ridge
            found = ridge(fitting.blocks(), fitting.Y, penalty, sample_weight=fitting.weight)
        numbers = {
            name: fitting.X.new_tensor(value) for name, value in (("jitter", found.jitter), ("penalty", penalty))
        }
        return {"weight": found.weight, "bias": found.bias, **numbers}

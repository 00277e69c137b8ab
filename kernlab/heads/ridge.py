"""Ridge regression on features, in closed form.

    min over W, b of  Σ_i w_i ‖Wᵀφ(x_i) + b − y_i‖² + ρ‖W‖_F²       (sum over samples, b not penalised)
    (Φ̄ᵀΦ̄ + ρI) W = Φ̄ᵀȲ,   b = ȳ − Wᵀφ̄                              bars: centred

Classes stand as one-hot targets and the largest output wins. The features are read in blocks of rows, so
n × D never has to fit in memory. Source: DI eq. 4–5; Hoerl & Kennard 1970.
"""

from __future__ import annotations

from kernlab.heads.base import HEADS, Fitting
from kernlab.heads.linear import LinearHead
from kernlab.linalg import ridge
from kernlab.options import component, option
from kernlab.typing import Tensor

__all__ = ["Ridge"]


@HEADS.register("ridge")
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

    ridge: float = option(1e-4, "Penalty ρ on ‖W‖², against the squared error summed over samples.", gt=0, log=True)

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """``weight`` [D K], ``bias`` [K], and ``jitter``: what the Gram matrix needed on top of ρ (0: nothing)."""
        found = ridge(fitting.blocks(), fitting.Y, self.ridge, sample_weight=fitting.weight)
        return {"weight": found.weight, "bias": found.bias, "jitter": fitting.X.new_tensor(found.jitter)}

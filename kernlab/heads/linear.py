"""Linear outputs f(x) = Wᵀφ(x) + b, and the head whose weights are learned together with the map."""

from __future__ import annotations

from kernlab.heads.base import HEADS, Fitting, Head
from kernlab.options import component
from kernlab.typing import Float, Params, Tensor

__all__ = ["Joint", "LinearHead"]


class LinearHead(Head):
    """Base of heads with ``weight`` [D K] and, where there is one, ``bias`` [K]."""

    def scores(self, params: Params, Phi: Float[Tensor, "n D"]) -> Float[Tensor, "n K"]:
        F = Phi @ params["weight"]
        return F + params["bias"] if "bias" in params else F


@HEADS.register("joint")
@component
class Joint(LinearHead):
    """Weights that the solver learns together with the map."""

    name = "joint"
    title = "Linear, trained jointly"
    formula = r"f(x)=W^\top\varphi(x)"
    source = "ASKL eq. 1, 4"
    tasks = ("classification", "regression")
    takes = "solver"
    bound = "spectral"
    weighted = False

    def fit(self, fitting: Fitting) -> dict[str, Tensor]:
        """Nothing: the solver has left the weights in the parameters."""
        return {}

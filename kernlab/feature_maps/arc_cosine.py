"""Arc-cosine features: the kernel of one infinitely wide layer of a network.

    φ(x) = √(2/D) Θ(Ωᵀx̄)(Ωᵀx̄)ⁿ             ω ~ N(0, I),  x̄ = (x, c),  Θ the step, n = 0 (step) or 1 (ReLU)

    E φ(x)·φ(x') = π^{−1} ‖x̄‖ⁿ ‖x̄'‖ⁿ J_n(θ)      θ the angle between x̄ and x̄'
    J_0 = π − θ,      J_1 = sin θ + (π − θ) cos θ

The constant c beside the inputs is the layer's bias: without it the kernel of order 0 depends on directions alone. No
scale has to be chosen, since Θ(z)zⁿ only follows it. ω is no frequency: the kernel is not stationary, and the pictures
of a spectrum do not apply to it. A step has no gradient, so that only order 1 can be learned.

Source: Cho & Saul 2009, eq. 1–7.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.feature_maps.base import FEATURE_MAPS, FeatureMap, Pullback, Representation
from kernlab.feature_maps.law import ExactGram
from kernlab.options import component, option
from kernlab.typing import Float, Params, Tensor

__all__ = ["ArcCosine", "arc_cosine_kernel"]


@FEATURE_MAPS.register("arc_cosine")
@component
class ArcCosine(FeatureMap):
    """Features of the arc-cosine kernel of order 0 or 1."""

    name = "arc_cosine"
    title = "Arc-cosine"
    formula = r"\varphi(x)=\sqrt{2/D}\,\Theta(\Omega^\top\bar x)\,(\Omega^\top\bar x)^n"
    source = "Cho & Saul 2009"
    stackable = True

    n_features: int = option(2000, "Number of features D, the columns of φ(X).", ge=1, le=400_000, log=True)
    unit: Literal["step", "relu"] = option("relu", "Each unit: a step (order n = 0), or its positive part (n = 1).")
    bias: float = option(1.0, "Constant c beside the inputs, the bias of the layer; 0: none.", ge=0)

    @property
    def trainable(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on an option
        return ("omega",) if self.order else ()

    @property
    def order(self) -> int:
        """n: 0 for steps, 1 for ReLUs."""
        return int(self.unit == "relu")

    @property
    def draws(self) -> int:
        return self.n_features

    @property
    def independent_draws(self) -> int:
        return self.n_features

    @property
    def width(self) -> int:
        return self.n_features

    @property
    def largest_trace(self) -> float:
        """2 for order 0, where every step of one x may be taken."""
        return math.inf if self.order else 2.0

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """``omega`` [d+1 D], the last row for the constant."""
        return {"omega": torch.randn(X.shape[1] + 1, self.n_features, generator=generator).to(X.device, X.dtype)}

    def _project(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        omega = params["omega"]
        return torch.addmm(self.bias * omega[-1], X, omega[:-1])

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        z = self._project(params, X)
        return (z.clamp_min(0) if self.order else (z > 0).to(z.dtype)) * math.sqrt(2 / self.n_features)

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n D"], Pullback]:
        """Written out: ∂φ/∂z is the step, and ∇_Ω = X̄ᵀ ∂z."""
        Phi = self.apply(params, X)

        def back(cotangent: Tensor) -> dict[str, Tensor]:
            if not self.trainable:
                return {}
            on_z = cotangent * (Phi > 0) * math.sqrt(2 / self.n_features)
            return {"omega": torch.cat([X.mT @ on_z, self.bias * on_z.sum(0, keepdim=True)])}

        return Phi, back

    def exact(self, params: Params, learned: bool) -> ExactGram:
        """The kernel in closed form; of learned weights the features' own."""
        if learned:
            wide = {name: value.double() for name, value in params.items()}

            def own(X: NDArray[np.float64], Z: NDArray[np.float64]) -> NDArray[np.float64]:
                A, B = (self.apply(wide, torch.as_tensor(each).double()) for each in (X, Z))
                return np.asarray((A @ B.mT).numpy())

            return ExactGram(own, "the average over these very units", same=True)
        words = f"the arc-cosine kernel of order {self.order}, in closed form"
        return ExactGram(lambda X, Z: arc_cosine_kernel(X, Z, self.order, self.bias), words)

    def pictured(self, params: Params) -> dict[str, Tensor]:
        """The units ``units`` [D d+1], one a row."""
        return {"units": params["omega"].mT}

    def restored(self, kept: Params) -> tuple[Representation, Params] | None:
        if "units" not in kept:
            return None
        return self.replace(n_features=len(kept["units"])), {"omega": kept["units"].mT}


def arc_cosine_kernel(
    X: NDArray[np.floating], Z: NDArray[np.floating], order: int, bias: float = 0.0
) -> NDArray[np.float64]:
    """π^{−1} ‖x̄‖ⁿ ‖z̄‖ⁿ J_n(θ) for every pair of rows of [n d] and [p d], in float64.

    Args:
        X, Z: inputs.
        order: n, 0 or 1.
        bias: constant c beside the inputs.

    Source: Cho & Saul 2009, eq. 3–6.
    """
    A, B = (np.pad(np.asarray(each, np.float64), ((0, 0), (0, 1)), constant_values=bias) for each in (X, Z))
    lengths = np.linalg.norm(A, axis=1)[:, None] * np.linalg.norm(B, axis=1)
    cosine = np.clip(A @ B.T / np.where(lengths > 0, lengths, 1.0), -1, 1)
    angle = np.arccos(cosine)
    if order == 0:
        return np.asarray(1 - angle / np.pi)
    return np.asarray(lengths / np.pi * (np.sin(angle) + (np.pi - angle) * cosine))

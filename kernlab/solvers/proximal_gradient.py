"""Mini-batch proximal gradient: a gradient step of Adam, SGD or Adadelta, then the penalties' proximal maps.

    g = ∂(loss + smooth penalties)/∂(W, θ) on a mini-batch,  in closed form
    (W, θ) ← optimizer step with learning rate η_t
    W ← prox of η_t λ r(·) at W                               where a penalty r is not smooth

Source: ASKL eq. 7–9, §"Update trainable matrices".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

import torch

from kernlab.feature_maps.base import FeatureMap
from kernlab.objectives.base import Loss
from kernlab.options import component, option
from kernlab.regularizers.base import Regularizer
from kernlab.solvers.base import SOLVERS, Solver
from kernlab.typing import Float, Params, Targets, Tensor

__all__ = ["Gradients", "ProximalGradient", "proximal_step", "risk_gradients"]

#: (loss, smooth penalties by name, gradients by parameter name)
Gradients: TypeAlias = tuple[Tensor, dict[str, Tensor], dict[str, Tensor]]


@SOLVERS.register("proximal_gradient")
@component
class ProximalGradient(Solver):
    """Mini-batch proximal gradient with Adam, SGD with momentum, or Adadelta."""

    name = "proximal_gradient"
    title = "Proximal gradient"
    formula = r"W^{t+1}=\operatorname{prox}_{\eta_t\lambda r}\!\left(W^t-\eta_t\,\hat g_t\right)"
    source = "ASKL eq. 7–9; Kingma & Ba 2015"

    optimizer: Literal["adam", "sgd", "adadelta"] = option("adam", "How gradients become steps.")
    learning_rate: float | Literal["auto"] = option(
        "auto", "Step size η at the start; auto: by rule from the data and the optimizer.", gt=0, le=100, log=True
    )
    epochs: int | Literal["auto"] = option(
        "auto", "Passes over the training part; auto: 10, or more where the data are few.", ge=1, le=100_000, log=True
    )
    batch_size: int = option(32, "Samples a mini-batch.", ge=1, le=1_000_000, log=True)
    schedule: Literal["cosine", "step", "constant"] = option(
        "cosine", "How η falls: along a cosine to 0, by ten after ½ and ¾ of the run, or not at all."
    )
    momentum: float = option(0.9, "Momentum (sgd only).", ge=0, lt=1, advanced=True)
    compile: Literal["auto", "on", "off"] = option(
        "auto",
        "Compile the step; auto: where a run is long enough to pay for it and a C++ compiler is there.",
        advanced=True,
    )

    def make_optimizer(self, tensors: Iterable[Tensor], learning_rate: float) -> torch.optim.Optimizer:
        """The optimizer over ``tensors``, which it changes in place."""
        tensors = list(tensors)
        if self.optimizer == "adam":
            return torch.optim.Adam(tensors, lr=learning_rate, fused=tensors[0].device.type in ("cpu", "cuda"))
        if self.optimizer == "sgd":
            return torch.optim.SGD(tensors, lr=learning_rate, momentum=self.momentum)
        return torch.optim.Adadelta(tensors, lr=learning_rate)

    def rate(self, fraction: float) -> float:
        """η_t/η_0 when ``fraction`` (0 … 1) of the run is over."""
        if self.schedule == "cosine":
            return 0.5 * (1 + math.cos(math.pi * fraction))
        if self.schedule == "step":
            return 1.0 if fraction < 0.5 else 0.1 if fraction < 0.75 else 0.01
        return 1.0


def risk_gradients(
    feature_map: FeatureMap, learned: bool, loss: Loss, regularizers: Sequence[Regularizer]
) -> Callable[[Params, Float[Tensor, "m d"], Targets], Gradients]:
    """The function (params, X, y) -> (loss, penalties, gradients) of the penalised empirical risk.

    .. math:: \\tfrac1m\\sum_i \\ell(W^\\top\\varphi(x_i), y_i) + \\sum_r \\lambda_r\\, r(W, \\Phi)

    With G = ∂loss/∂F:  ∇_W = ΦᵀG + …,  ∂Φ = GWᵀ + …, and the map's pullback carries ∂Φ to its own
    parameters. Penalties with a proximal map take no part here. Pure, so it can be compiled or vmapped.

    Source: ASKL eq. 4, 7 and 9.
    """
    on_weights = [r for r in regularizers if r.acts == "weight gradient" and r.weight > 0]
    on_features = [r for r in regularizers if r.acts == "feature gradient" and r.weight > 0]

    def gradients(params: Params, X: Float[Tensor, "m d"], y: Targets) -> Gradients:
        W = params["weight"]
        if learned:
            Phi, pullback = feature_map.pullback(params, X)
        else:
            Phi = feature_map.apply(params, X)
        value, G = loss.value_and_grad(Phi @ W, y)
        gradient = {"weight": (G.mT @ Phi).mT}  # laid out as W is
        for r in on_weights:
            gradient["weight"] = gradient["weight"] + r.weight_gradient(W)
        if learned:
            cotangent = G @ W.mT
            for r in on_features:
                cotangent = cotangent + r.feature_gradient(Phi)
            gradient |= pullback(cotangent)
        penalties = {r.name: r.value(W, Phi) for r in (*on_weights, *on_features)}
        return value, penalties, gradient

    return gradients


def proximal_step(W: Float[Tensor, "D K"], regularizers: Sequence[Regularizer], learning_rate: float) -> None:
    """Apply every proximal map to W in place: W stays the tensor the optimizer holds."""
    for r in regularizers:
        if r.acts == "proximal step" and r.weight > 0:
            W.copy_(r.prox(W, learning_rate))

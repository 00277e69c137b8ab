"""Mini-batch proximal gradient: a gradient step of Adam, SGD or Adadelta, then the penalties' proximal maps.

    g = ∂(loss + smooth penalties)/∂(W, θ) on a mini-batch,  in closed form
    (W, θ) ← optimizer step with learning rate η_t
    W ← prox of η_t λ r(·) at W                               where a penalty r is not smooth

Source: ASKL eq. 7–9, §"Update trainable matrices".
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import torch

from kernlab.feature_maps.base import FeatureMap
from kernlab.linalg import real_targets
from kernlab.objectives.base import Loss, MapObjective
from kernlab.options import component, option
from kernlab.regularizers.base import Regularizer
from kernlab.solvers.base import SOLVERS, Solver
from kernlab.typing import Float, Params, Targets, Tensor

__all__ = [
    "Gradients",
    "ProximalGradient",
    "Step",
    "adam",
    "compiled_step",
    "eager_step",
    "map_step",
    "proximal_step",
    "risk_gradients",
]

#: (loss, smooth penalties by name, gradients by parameter name)
Gradients: TypeAlias = tuple[Tensor, dict[str, Tensor], dict[str, Tensor]]

#: (X, y, learning rate) -> (loss, smooth penalties by name)
Step: TypeAlias = Callable[[Tensor, Tensor, float], tuple[Tensor, dict[str, Tensor]]]


@runtime_checkable
class KernelMap(Protocol):
    """A feature map made from G = k(X, landmarks) and B = k(landmarks, landmarks)."""

    def kernel_pullback(
        self, params: Params, X: Tensor
    ) -> tuple[Tensor, Tensor, Callable[[Tensor, Tensor], dict[str, Tensor]]]:
        """G, B, and the function that carries gradients on them to the map's parameters."""


@runtime_checkable
class KernelObjective(Protocol):
    """An objective that is a function of G and B, so that features need not be formed."""

    def kernel_value_and_grad(self, G: Tensor, B: Tensor, Y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The value and its gradients on G and B."""


@SOLVERS.register("proximal_gradient")
@component
class ProximalGradient(Solver):
    """Mini-batch proximal gradient with Adam, SGD with momentum, or Adadelta."""

    name = "proximal_gradient"
    title = "Proximal gradient"
    formula = r"W^{t+1}=\operatorname{prox}_{\eta_t\lambda r}\!\left(W^t-\eta_t\,\hat g_t\right)"
    source = "ASKL eq. 7–9; Kingma & Ba 2015"
    version = 2
    defaults_of_version_1 = (("validation", 0.0),)

    optimizer: Literal["adam", "sgd", "adadelta"] = option("adam", "How gradients become steps.")
    learning_rate: float | Literal["auto"] = option(
        "auto", "Step size η at the start; auto: by rule from the data and the optimizer.", gt=0, le=100, log=True
    )
    epochs: int | Literal["auto"] = option(
        "auto", "Passes over the training part; auto: 10, or more where the data are few.", ge=1, le=100_000, log=True
    )
    batch_size: int | Literal["auto"] = option(
        32, "Samples a mini-batch; auto: 1000, or twice the features where these are more than 500.",
        ge=1, le=1_000_000, log=True,
    )  # fmt: skip
    schedule: Literal["cosine", "step", "constant", "plateau"] = option(
        "cosine",
        "How η falls: along a cosine to 0, by ten after ½ and ¾ of the run, not at all, or by ten whenever an epoch "
        "brings no gain, which also ends the run.",
    )
    patience: int = option(10, "Epochs without gain before η falls (plateau only).", ge=1, le=1000, advanced=True)
    tolerance: float = option(1e-4, "Relative gain that counts (plateau only).", ge=0, lt=1, advanced=True, log=True)
    validation: float | Literal["auto"] = option(
        "auto",
        "Share of the training rows that do not train but choose, after every epoch, how long to train; the chosen "
        "epochs are then repeated on all rows, and the model is the average of the weights. 0: the last weights, "
        "after all epochs. auto: a fifth, at most 2000 rows, where epochs is auto, from 100 rows on.",
        ge=0, le=0.5,
    )  # fmt: skip
    n_iter_no_change: int | Literal["auto"] = option(
        "auto",
        "Epochs without gain on the validation rows after which choosing ends; auto: a quarter of the epochs, at least "
        "5 (20 with the plateau schedule).",
        ge=1, le=100_000, advanced=True,
    )  # fmt: skip
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
        """η_t/η_0 when ``fraction`` (0 … 1) of the run is over; a plateau has its own account."""
        if self.schedule == "cosine":
            return 0.5 * (1 + math.cos(math.pi * fraction))
        if self.schedule == "step":
            return 1.0 if fraction < 0.5 else 0.1 if fraction < 0.75 else 0.01
        return 1.0


def acting(regularizers: Iterable[Regularizer], how: str) -> list[Regularizer]:
    """The penalties of positive weight that act in this way (:attr:`Regularizer.acts`)."""
    return [r for r in regularizers if r.acts == how and r.weight > 0]


def risk_gradients(
    feature_map: FeatureMap, learned: bool, loss: Loss, regularizers: Sequence[Regularizer]
) -> Callable[[Params, Float[Tensor, "m d"], Targets], Gradients]:
    """The function (params, X, y) -> (loss, penalties, gradients) of the penalised empirical risk.

    .. math:: \\tfrac1m\\sum_i \\ell(W^\\top\\varphi(x_i), y_i) + \\sum_r \\lambda_r\\, r(W, \\Phi)

    With G = ∂loss/∂F:  ∇_W = ΦᵀG + …,  ∂Φ = GWᵀ + …, and the map's pullback carries ∂Φ to its own
    parameters. Penalties with a proximal map take no part here. Pure, so it can be compiled or vmapped.

    Source: ASKL eq. 4, 7 and 9.
    """
    on_weights, on_features, on_map = (
        acting(regularizers, how) for how in ("weight gradient", "feature gradient", "map gradient")
    )

    def gradients(params: Params, X: Float[Tensor, "m d"], y: Targets) -> Gradients:
        W, theta = params["weight"], {name: params[name] for name in feature_map.trainable}
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
            gradient |= with_penalties(pullback(cotangent), theta, on_map)
        penalties = {r.name: r.value_at(W, Phi, theta) for r in (*on_weights, *on_features, *on_map)}
        return value, penalties, gradient

    return gradients


def with_penalties(gradient: Params, theta: Params, penalties: Sequence[Regularizer]) -> dict[str, Tensor]:
    """A gradient on the map's parameters with that of the penalties on them."""
    total = dict(gradient)
    for r in penalties:
        for name, slope in r.map_gradient(theta).items():
            total[name] = total[name] + slope
    return total


def proximal_step(W: Float[Tensor, "D K"], regularizers: Sequence[Regularizer], learning_rate: float) -> None:
    """Apply every proximal map to W in place: W stays the tensor of the optimizer."""
    for r in acting(regularizers, "proximal step"):
        W.copy_(r.prox(W, learning_rate))


def eager_step(
    gradients: Callable[..., Gradients],
    params: Params,
    free: Sequence[str],
    regularizers: Sequence[Regularizer],
    optimizer: torch.optim.Optimizer,
) -> Step:
    """The step (X, y, learning rate) -> (loss, penalties) that changes ``params`` in place.

    Args:
        gradients: from :func:`risk_gradients`.
        params: the tensors; ``free`` names those of ``optimizer``.
        regularizers: the penalties; those with a proximal map are applied after the gradient step.
    """

    def step(X: Tensor, y: Tensor, learning_rate: float) -> tuple[Tensor, dict[str, Tensor]]:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate
        value, penalties, gradient = gradients(params, X, y)
        for name in free:
            params[name].grad = gradient[name]
        optimizer.step()
        proximal_step(params["weight"], regularizers, learning_rate)
        return value, penalties

    return step


def adam(
    g: Float[Tensor, "*shape"],
    moments: Sequence[Float[Tensor, "*shape"]],
    rate: Tensor | float,
    t: Tensor | int,
    options: Mapping[str, Any],
) -> Float[Tensor, "*shape"]:
    """What Adam subtracts from a parameter, in plain operations that can be compiled, stacked and recorded.

    Where the step is not compiled torch's own Adam is faster, but it cannot be fused with the operations around it.

    Args:
        g: gradient.
        moments: running means of g and of g², which are updated in place.
        rate: learning rate; for stacked parameters a tensor that broadcasts against g.
        t: number of this step, from 1.
        options: ``betas`` and ``eps``, as in the optimizer's group.

    Source: Kingma & Ba 2015, Algorithm 1.
    """
    (mean, square), (beta1, beta2) = moments, options["betas"]
    mean.lerp_(g, 1 - beta1)
    square.mul_(beta2).addcmul_(g, g, value=1 - beta2)
    length = square.sqrt().div_((1 - beta2**t) ** 0.5).add_(options["eps"])
    corrected = rate / (1 - beta1**t)
    return mean / length * (corrected.to(g.dtype) if isinstance(corrected, Tensor) else corrected)


def map_step(
    feature_map: FeatureMap,
    objective: MapObjective,
    regularizers: Sequence[Regularizer],
    params: dict[str, Tensor],
    optimizer: torch.optim.Optimizer,
    K: int,
) -> Step:
    """The step (X, y, learning rate) -> (value, penalties) that learns the map alone, in place.

    The objective judges features; the map's pullback carries its gradient on. Where the map is a
    function of kernel evaluations (Nyström) and the objective is, too, features are never formed.

    Source: DI, Algorithms 1 and 2.
    """
    on_features, on_map = acting(regularizers, "feature gradient"), acting(regularizers, "map gradient")

    def step(X: Tensor, y: Tensor, learning_rate: float) -> tuple[Tensor, dict[str, Tensor]]:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate
        Y = real_targets(y, K, X.dtype)
        found: dict[str, Tensor] = {}
        kept: Mapping[str, Tensor] = {}
        if isinstance(feature_map, KernelMap) and isinstance(objective, KernelObjective) and not on_features:
            G, B, back = feature_map.kernel_pullback(params, X)
            value, *cotangents = objective.kernel_value_and_grad(G, B, Y)
            gradient = back(*cotangents)
        else:
            Phi, pullback = feature_map.pullback(params, X)
            value, cotangent, kept = objective.value_and_grad(Phi, Y, params)
            for r in on_features:
                found[r.name] = r.value_at(Phi.new_empty(Phi.shape[1], 0), Phi, {})
                cotangent = cotangent + r.feature_gradient(Phi)
            gradient = pullback(cotangent)
        theta = {name: params[name] for name in feature_map.trainable}
        nothing = X.new_empty(0, 0)
        found |= {r.name: r.value_at(nothing, nothing, theta) for r in on_map}
        gradient = with_penalties(gradient, theta, on_map)
        for name, slope in gradient.items():
            params[name].grad = slope
        optimizer.step()
        for name, number in kept.items():
            params[name].copy_(number)
        return value, found

    return step


def compiled_step(
    gradients: Callable[..., Gradients],
    params: Params,
    free: Sequence[str],
    regularizers: Sequence[Regularizer],
    optimizer: torch.optim.Adam,
    X: Float[Tensor, "m d"],
    y: Targets,
) -> Step:
    """As :func:`eager_step`, with gradients, Adam and the proximal maps compiled into one program.

    A number in a penalty is a constant of the program; a tensor (:class:`~kernlab.regularizers.base.Weighed`) is read
    anew at every step.

    The moments and the step count of Adam stay where torch's keeps them, so that checkpoints and the eager step
    read the same state, and one may follow the other.

    Args:
        gradients, params, free, regularizers, optimizer: as for :func:`eager_step`.
        X, y: rows of one mini-batch; the program is compiled for these shapes.

    Raises:
        Exception: whatever the compiler raises; it has no common class of errors.
    """
    (group,) = optimizer.param_groups
    proximal = acting(regularizers, "proximal step")

    def whole(
        params: Params, state: dict[str, dict[str, Tensor]], X: Tensor, y: Tensor, rate: Tensor
    ) -> tuple[Tensor, dict[str, Tensor]]:
        value, penalties, gradient = gradients(params, X, y)
        for name in free:
            own = state[name]
            moments = own["exp_avg"], own["exp_avg_sq"]
            moved = params[name] - adam(gradient[name], moments, rate, own["step"].add_(1), group)
            if name == "weight":
                for r in proximal:
                    moved = r.prox(moved, rate)
            params[name].copy_(moved)
        return value, penalties

    # The compiler would warn of every operation that its C++ wrapper has to call through Python.
    logging.getLogger("torch._inductor.ir").setLevel(logging.ERROR)
    # The compiler counts how often one code object was compiled in this process and refuses the ninth; a copy
    # for each run starts its own count, and is freed with the run.
    copy = FunctionType(whole.__code__.replace(), whole.__globals__, closure=whole.__closure__)
    fast = torch.compile(copy, fullgraph=True, dynamic=False, options={"cpp_wrapper": True})
    rate = torch.zeros(())

    def state_of(param: Tensor) -> dict[str, Tensor]:
        if not optimizer.state[param]:  # before the first step, as torch's Adam begins
            moments = {key: torch.zeros_like(param) for key in ("exp_avg", "exp_avg_sq")}
            optimizer.state[param] = {"step": torch.zeros(()), **moments}
        state: dict[str, Tensor] = optimizer.state[param]
        return state

    def step(X: Tensor, y: Tensor, learning_rate: float) -> tuple[Tensor, dict[str, Tensor]]:
        state = {name: state_of(params[name]) for name in free}
        found: tuple[Tensor, dict[str, Tensor]] = fast(params, state, X, y, rate.fill_(learning_rate))
        return found

    with torch.no_grad():  # the compiler works at the first call, which is one on copies
        copies = {name: {key: value.clone() for key, value in state_of(params[name]).items()} for name in free}
        fast({name: value.clone() for name, value in params.items()}, copies, X, y, rate)
    return step

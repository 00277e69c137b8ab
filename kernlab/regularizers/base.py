"""Penalties on the weights, the features or the map's parameters, each with a weight λ ≥ 0.

    objective = loss + Σ λ · value(W, Φ, θ)

A smooth penalty has a gradient, on W, on Φ or on what is learned of the map, θ; one that is not smooth has a proximal
map instead, which the solver applies to W after each gradient step with t = λ·(current learning rate).
"""

from __future__ import annotations

from typing import ClassVar, Literal

from kernlab.options import Component, component, option
from kernlab.registry import Registry
from kernlab.typing import Float, Params, Tensor

__all__ = ["REGULARIZERS", "Regularizer", "Weighed"]


@component
class Regularizer(Component):
    """Base of penalties. Exactly one of the four methods below is defined: that which ``acts`` names.

    Class attributes:
        acts: how it changes a training.
        letter: what the papers call its weight.
        norm: what it is the penalty of, as text.
        searched: the smallest and the largest weight that a search tries; None: around the weight that it has.
    """

    letter: ClassVar[str] = "λ"
    norm: ClassVar[str]
    searched: ClassVar[tuple[float, float] | None] = None
    acts: ClassVar[Literal["weight gradient", "feature gradient", "map gradient", "proximal step"]]

    weight: float = option(1e-5, "Weight λ of the penalty; 0 switches it off.", ge=0, le=1e6, log=True)

    @property
    def on_map(self) -> bool:
        """Whether it only acts where the feature map is learned."""
        return self.acts in ("feature gradient", "map gradient")

    @property
    def assigned(self) -> Regularizer | None:
        """What stands in its place where the map stays as it was drawn; None: nothing."""
        return None if self.on_map else self

    def value(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"]) -> Float[Tensor, ""]:
        """The penalty without its weight λ, of those on the weights or the features."""
        raise NotImplementedError

    def value_at(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"], theta: Params) -> Float[Tensor, ""]:
        """The penalty without its weight λ, whatever it is on.

        Args:
            W: weights.
            Phi: features of a mini-batch.
            theta: the map's trainable parameters by name.
        """
        return self.value(W, Phi)

    def weight_gradient(self, W: Float[Tensor, "D K"]) -> Float[Tensor, "D K"]:
        """λ ∂value/∂W."""
        raise NotImplementedError

    def feature_gradient(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, "m D"]:
        """λ ∂value/∂Φ."""
        raise NotImplementedError

    def map_gradient(self, theta: Params) -> dict[str, Tensor]:
        """λ ∂value/∂θ by name, for every parameter in ``theta``."""
        raise NotImplementedError

    def prox(self, W: Float[Tensor, "D K"], learning_rate: float | Tensor) -> Float[Tensor, "D K"]:
        """argmin_V ½‖V − W‖² + (learning rate · λ) value(V)."""
        raise NotImplementedError


class Weighed(Regularizer):
    """A penalty whose λ is a tensor: a number that a compiled program reads anew at every step, or one a replicate.

    Args:
        penalty: what is weighed; its own λ is not used.
        weight: λ, without axes.
    """

    def __init__(self, penalty: Regularizer, weight: Tensor) -> None:
        unit = penalty.replace(weight=1.0)
        own = {"acts": unit.acts, "name": unit.name, "_unit": unit, "_weight": weight, "weight": 1.0}
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def value_at(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"], theta: Params) -> Float[Tensor, ""]:
        return self._unit.value_at(W, Phi, theta)

    def weight_gradient(self, W: Float[Tensor, "D K"]) -> Float[Tensor, "D K"]:
        return self._unit.weight_gradient(W) * self._weight

    def feature_gradient(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, "m D"]:
        return self._unit.feature_gradient(Phi) * self._weight

    def map_gradient(self, theta: Params) -> dict[str, Tensor]:
        return {name: slope * self._weight for name, slope in self._unit.map_gradient(theta).items()}

    def prox(self, W: Float[Tensor, "D K"], learning_rate: float | Tensor) -> Float[Tensor, "D K"]:
        return self._unit.prox(W, self._weight * learning_rate)

    _unit: Regularizer
    _weight: Tensor


REGULARIZERS: Registry[type[Regularizer]] = Registry("regularizer")

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

__all__ = ["REGULARIZERS", "Regularizer"]


@component
class Regularizer(Component):
    """Base of penalties. Exactly one of the four hooks below is defined, as ``acts`` says."""

    acts: ClassVar[Literal["weight gradient", "feature gradient", "map gradient", "proximal step"]]

    weight: float = option(1e-5, "Weight λ of the penalty; 0 switches it off.", ge=0, le=1e6, log=True)

    @property
    def on_map(self) -> bool:
        """Whether it only acts where the feature map is learned."""
        return self.acts in ("feature gradient", "map gradient")

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


REGULARIZERS: Registry[type[Regularizer]] = Registry("regularizer")

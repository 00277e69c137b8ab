"""Penalties on the weights or the features, each with a weight λ ≥ 0.

    objective = loss + Σ λ · value(W, Φ)

A smooth penalty says its gradient, on W or on Φ; one that is not smooth says its proximal map
instead, which the solver applies to W after each gradient step with t = λ·(current learning rate).
"""

from __future__ import annotations

from typing import ClassVar, Literal

from kernlab.options import Component, component, option
from kernlab.registry import Registry
from kernlab.typing import Float, Tensor

__all__ = ["REGULARIZERS", "Regularizer"]


@component
class Regularizer(Component):
    """Base of penalties. Exactly one of the three hooks below is defined, as ``acts`` says."""

    acts: ClassVar[Literal["weight gradient", "feature gradient", "proximal step"]]

    weight: float = option(1e-5, "Weight λ of the penalty; 0 switches it off.", ge=0, le=1e6, log=True)

    def value(self, W: Float[Tensor, "D K"], Phi: Float[Tensor, "m D"]) -> Float[Tensor, ""]:
        """The penalty without its weight λ."""
        raise NotImplementedError

    def weight_gradient(self, W: Float[Tensor, "D K"]) -> Float[Tensor, "D K"]:
        """λ ∂value/∂W."""
        raise NotImplementedError

    def feature_gradient(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, "m D"]:
        """λ ∂value/∂Φ."""
        raise NotImplementedError

    def prox(self, W: Float[Tensor, "D K"], learning_rate: float | Tensor) -> Float[Tensor, "D K"]:
        """argmin_V ½‖V − W‖² + (learning rate · λ) value(V)."""
        raise NotImplementedError


REGULARIZERS: Registry[type[Regularizer]] = Registry("regularizer")

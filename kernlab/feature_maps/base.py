"""What a feature map is: options, and pure functions from parameters and inputs to features.

    params = map.init(X, generator)          once; reads from X only what "auto" needs
    Phi = map.apply(params, X)               φ(X), with φ(x)·φ(x') ≈ k(x, x'): all scaling lives inside
    Phi, pullback = map.pullback(params, X)  and the way back: pullback(∂/∂Φ) = {name: ∂/∂params[name]}

Parameters are a flat dictionary of tensors, never state of the map, so the same functions serve one
model or many stacked ones (``torch.func.vmap``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, TypeAlias

import torch

from kernlab.options import Component
from kernlab.registry import Registry
from kernlab.typing import Float, Params, Tensor

__all__ = ["FEATURE_MAPS", "FeatureMap", "Pullback"]

Pullback: TypeAlias = Callable[[Tensor], dict[str, Tensor]]


class FeatureMap(Component):
    """Base of all feature maps. Subclasses define ``width``, ``init`` and ``apply``.

    Class attributes:
        trainable: names of the parameters that are learned when the map is learned.
    """

    trainable: ClassVar[tuple[str, ...]] = ()

    @property
    def width(self) -> int:
        """Columns of Φ."""
        raise NotImplementedError

    def resolve(self, X: Float[Tensor, "n d"]) -> FeatureMap:
        """A copy in which every "auto" is replaced by what the rule finds in X (scaled training inputs)."""
        return self

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """Fresh parameters on X's device and in X's dtype; drawn on the CPU, so the same on every device."""
        raise NotImplementedError

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        """The features φ(X), one row per sample."""
        raise NotImplementedError

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n D"], Pullback]:
        """Features, and the function that carries a gradient on them to the trainable parameters.

        This default differentiates ``apply`` automatically; maps on the fast path write it out.
        """
        free = {name: params[name] for name in self.trainable}
        fixed = {name: value for name, value in params.items() if name not in free}
        Phi, vjp = torch.func.vjp(lambda p: self.apply({**fixed, **p}, X), free)[:2]
        return Phi, lambda cotangent: vjp(cotangent)[0]

    def frequencies(self, params: Params) -> Mapping[str, Tensor]:
        """What the spectral pictures show: ``omega`` [d D] and, where there is one, ``omega_prime`` [d D]."""
        return {}


FEATURE_MAPS: Registry[type[FeatureMap]] = Registry("feature map")

"""What a representation is: options, and pure functions from parameters and inputs to columns.

    params = map.init(X, generator)          once; reads from X only what "auto" needs
    Phi = map.apply(params, X)               one row per sample
    Phi, pullback = map.pullback(params, X)  and the way back: pullback(∂/∂Φ) = {name: ∂/∂params[name]}

A feature map has φ(x)·φ(x') ≈ k(x, x'), all scaling inside. An exact kernel's columns are k(x, x_s) for
the support points x_s that a head has kept. Parameters are a flat dictionary of tensors, never state of
the map, so the same functions serve one model or many stacked ones (``torch.func.vmap``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import ClassVar, TypeAlias

import torch

from kernlab.options import Component
from kernlab.registry import Registry
from kernlab.typing import Float, Params, Tensor

__all__ = ["EXACT_KERNELS", "FEATURE_MAPS", "ExactKernel", "FeatureMap", "Pullback", "Representation"]

Pullback: TypeAlias = Callable[[Tensor], dict[str, Tensor]]


class Representation(Component):
    """Base of feature maps and exact kernels. Subclasses define ``init`` and ``apply``.

    Class attributes:
        trainable: names of the parameters that a gradient solver learns when the map is learned.
        bound: which bound belongs to it (a name in BOUNDS); empty: the head decides.
        scaling: what the data's scaling "auto" means for it; empty: the data's own rule.
        from_rows: it starts from rows of the data, so there can be no more features than rows, and copies of
            rows change it.
        projects: inputs enter through products XΩ alone, so that X may be sparse.
    """

    from_rows: ClassVar[bool] = False
    projects: ClassVar[bool] = False
    trainable: ClassVar[tuple[str, ...]] = ()
    bound: ClassVar[str] = ""
    scaling: ClassVar[str] = ""

    def resolve(self, X: Float[Tensor, "n d"]) -> Representation:
        """A copy in which every "auto" is replaced by what the rule finds in X (scaled training inputs)."""
        return self

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        """Fresh parameters on X's device and in X's dtype; drawn on the CPU, so the same on every device."""
        raise NotImplementedError

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n D"]:
        """The columns for X, one row per sample."""
        raise NotImplementedError

    def columns(self, params: Params) -> int:
        """How many columns ``apply`` gives with these parameters."""
        raise NotImplementedError

    def frequencies(self, params: Params) -> Mapping[str, Tensor]:
        """What belongs to the single frequencies, a column each: ``omega`` [d D], ``omega_prime`` [d D] and the phases
        ``phase`` [P D], where there are such."""
        return {}

    def pictured(self, params: Params) -> Mapping[str, Tensor]:
        """What else a snapshot keeps for this map's own pictures, by name (landmarks, spectrum …)."""
        return {}

    def described(self, params: Params) -> Mapping[str, Tensor]:
        """What stays the same over a run and those pictures need (which frequency a column has …)."""
        return {}

    def restored(self, kept: Params) -> tuple[Representation, Params] | None:
        """The way back: a representation and its parameters from what ``frequencies`` and ``pictured`` gave.

        Args:
            kept: those tensors, of all features or of the first ones only; these then make the same kernel, as far
                as fewer features can.

        Returns:
            None where they are not enough.
        """
        return None


class FeatureMap(Representation):
    """Base of all feature maps. Subclasses define ``width``, ``init`` and ``apply``."""

    @property
    def width(self) -> int:
        """Columns of Φ as it starts."""
        raise NotImplementedError

    def columns(self, params: Params) -> int:
        return self.width

    def width_for(self, d: int) -> int:
        """Columns for d inputs, before there are parameters."""
        return self.width

    def work(self, d: int) -> int:
        """Multiplications for the features of one sample of d inputs, about: decides how many threads help."""
        return d * self.width_for(d)

    @property
    def cosines(self) -> int:
        """Cosines for the features of one sample: what a compiled step saves."""
        return 0

    @property
    def largest_trace(self) -> float:
        """What ‖φ(x)‖² never exceeds, whatever the parameters; infinite where there is no such number."""
        return math.inf

    def pullback(self, params: Params, X: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n D"], Pullback]:
        """Features, and the function that carries a gradient on them to the trainable parameters.

        This default differentiates ``apply`` automatically; maps on the fast path write it out.
        """
        free = {name: params[name] for name in self.trainable}
        fixed = {name: value for name, value in params.items() if name not in free}
        Phi, vjp = torch.func.vjp(lambda p: self.apply({**fixed, **p}, X), free)[:2]
        return Phi, lambda cotangent: vjp(cotangent)[0]


class ExactKernel(Representation):
    """Base of kernels that are used as they are; a dual head keeps support points. Subclasses define ``gram``.

    Its parameters are the kernel's own (none, or weights of a dictionary) and, once a head is fitted,
    ``support`` [s d].
    """

    def init(self, X: Float[Tensor, "n d"], generator: torch.Generator) -> dict[str, Tensor]:
        return {}

    def gram(self, params: Params, X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"]) -> Float[Tensor, "n p"]:
        """k(x, z) for every pair of rows."""
        raise NotImplementedError

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n s"]:
        return self.gram(params, X, params["support"])

    def columns(self, params: Params) -> int:
        return len(params["support"])


FEATURE_MAPS: Registry[type[FeatureMap]] = Registry("feature map")
EXACT_KERNELS: Registry[type[ExactKernel]] = Registry("exact kernel")

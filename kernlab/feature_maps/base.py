"""What a representation is: options, and pure functions from parameters and inputs to columns.

    params = map.init(X, generator)          once; reads from X only what "auto" needs
    Phi = map.apply(params, X)               one row per sample
    Phi, pullback = map.pullback(params, X)  and the way back: pullback(∂/∂Φ) = {name: ∂/∂params[name]}

A representation describes itself to the rest of the package: its exact kernel, the law of its frequencies, its trace,
what of it a snapshot keeps and how that is restored, whether replicates of it can be stacked. No other module tests
its class.

A feature map has φ(x)·φ(x') ≈ k(x, x'), all scaling inside. An exact kernel's columns are k(x, x_s) for
the support points x_s that a head has kept. Parameters are a flat dictionary of tensors, never state of
the map, so the same functions serve one model or many stacked ones (``torch.func.vmap``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias

import torch

from kernlab.feature_maps.law import ExactGram, FrequencyLaw, GramFunction, in_numpy
from kernlab.options import Component
from kernlab.registry import Registry
from kernlab.typing import Float, Params, Tensor

__all__ = ["EXACT_KERNELS", "FEATURE_MAPS", "ExactKernel", "FeatureMap", "KernelSum", "Pullback", "Representation"]

Pullback: TypeAlias = Callable[[Tensor], dict[str, Tensor]]


class Representation(Component):
    """Base of feature maps and exact kernels. Subclasses define ``init`` and ``apply``.

    Class attributes:
        trainable: names of the parameters that a gradient solver learns when the map is learned.
        solved: name of the parameter that a full-batch solver finds, or empty.
        scales: names of the options that only scale frequencies, so that replicates with other values have one shape.
        stackable: trainings of it may be stacked along a first axis of its parameters.
        bound: which bound belongs to it (a name in BOUNDS); empty: the head decides.
        scaling: what the data's scaling "auto" means for it; empty: the data's own rule.
        from_rows: it starts from rows of the data, so there can be no more features than rows, and copies of
            rows change it.
        projects: inputs enter through products XΩ alone, so that X may be sparse.
        frequencies_of: the part of it that its frequencies belong to, in words; empty: all of it.
    """

    from_rows: ClassVar[bool] = False
    projects: ClassVar[bool] = False
    trainable: ClassVar[tuple[str, ...]] = ()
    solved: ClassVar[str] = ""
    scales: ClassVar[tuple[str, ...]] = ()
    stackable: ClassVar[bool] = False
    bound: ClassVar[str] = ""
    scaling: ClassVar[str] = ""
    frequencies_of: ClassVar[str] = ""

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

    @property
    def largest_trace(self) -> float:
        """Upper bound of k(x, x) over all inputs and parameters; infinite where none is known."""
        return math.inf

    @property
    def draws(self) -> int:
        """Draws that the features average over; 0 where they are no average of draws."""
        return 0

    @property
    def independent_draws(self) -> int:
        """The same, where the draws are independent of each other; else 0."""
        return 0

    def law(self) -> FrequencyLaw | None:
        """The law that frequencies are drawn from (of stacked layers the first's).

        None where there are no frequencies, or their scale is still automatic.
        """
        return None

    def exact(self, params: Params, learned: bool) -> ExactGram | None:
        """The kernel that the features approximate, as far as it is known in another form.

        Args:
            params: of the map.
            learned: the parameters have left the law that they were drawn from.

        Returns:
            None where none is known.
        """
        return None

    def average(self, params: Params) -> GramFunction | None:
        """The kernel of these very frequencies, the mean over phases; None where there are no frequencies."""
        return None

    def rephased(self, params: Params, generator: torch.Generator) -> Params:
        """The same parameters with phases drawn anew, where there are any."""
        return params

    def plain(self) -> Any:
        """A map whose only error is that of its draws, which are of the same law and may be sampled in other ways.

        Returns:
            A map with options ``n_features`` and ``sampling`` and the properties ``pairs`` and ``paired``; None where
            the features are no average of draws of frequencies.
        """
        return None

    def frame_constant(self, X: Float[Tensor, "n d"]) -> float:
        """The upper frame constant under the distribution of the inputs, of maps whose bound is that of frames."""
        raise NotImplementedError

    def frequencies(self, params: Params) -> Mapping[str, Tensor]:
        """Parameters with one column for each frequency: ``omega`` [d D], ``omega_prime`` [d D], ``phase`` [P D]."""
        return {}

    def pictured(self, params: Params) -> Mapping[str, Tensor]:
        """What else a snapshot keeps for this map's own pictures, by name (landmarks, spectrum …)."""
        return {}

    def described(self, params: Params) -> Mapping[str, Tensor]:
        """What those pictures need and what stays the same over a run (which frequency a column has …)."""
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
        """Columns for d inputs, before parameters are drawn."""
        return self.width

    def work(self, d: int) -> int:
        """Multiplications for the features of one sample of d inputs, about: decides how many threads help."""
        return d * self.width_for(d)

    @property
    def cosines(self) -> int:
        """Cosines for the features of one sample: what a compiled step saves."""
        return 0

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

    def exact(self, params: Params, learned: bool) -> ExactGram | None:
        return ExactGram(
            in_numpy(lambda X, Z: self.gram(params, X, Z)), "the kernel itself, without features in between", same=True
        )

    def in_libsvm(self) -> dict[str, Any] | None:
        """How LibSVM calls this kernel, so that it need not be passed a Gram matrix; None: it has no name there."""
        return None

    def apply(self, params: Params, X: Float[Tensor, "n d"]) -> Float[Tensor, "n s"]:
        return self.gram(params, X, params["support"])

    def columns(self, params: Params) -> int:
        return len(params["support"])


class KernelSum(ExactKernel):
    """Base of weighted sums of kernels, K = Σ_m θ_m K_m, with the parameter ``theta`` [M] ≥ 0."""

    solved: ClassVar[str] = "theta"
    count: ClassVar[int]  # M
    terms: ClassVar[tuple[tuple[str, str], ...]]  # family and name of each kernel

    def blocks(
        self, X: Float[Tensor, "n d"], Z: Float[Tensor, "p d"]
    ) -> Iterator[tuple[slice, Iterator[Float[Tensor, "b p"]]]]:
        """(rows, their part of K_1 … K_M in float64, for the caller to change), of a few rows at a time."""
        raise NotImplementedError


FEATURE_MAPS: Registry[type[FeatureMap]] = Registry("feature map")
EXACT_KERNELS: Registry[type[ExactKernel]] = Registry("exact kernel")

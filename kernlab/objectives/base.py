"""What is minimised.

    Loss           on outputs:   value, G = loss.value_and_grad(F, y)         G = ∂value/∂F, m × K
    MapObjective   on features:  value, C, kept = goal.value_and_grad(Φ, Y, params)   C = ∂value/∂Φ, m × D

The mean is over samples and the sum over outputs, everywhere in kernlab. A loss is minimised over the map
and the weights together; a map objective over the map alone, and a head is fitted afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from kernlab.errors import DataError
from kernlab.linalg import RidgePath
from kernlab.options import Component, component, option
from kernlab.registry import Registry
from kernlab.typing import Float, Params, Targets, Task, Tensor

__all__ = ["OBJECTIVES", "Loss", "MapObjective", "Objective", "RidgeObjective"]


class Objective(Component):
    """Base of everything that is minimised.

    Class attributes:
        tasks: what it can be used for.
    """

    tasks: ClassVar[tuple[Task, ...]]


class Loss(Objective):
    """Base of losses on outputs f(x) = Wᵀφ(x)."""

    def value_and_grad(self, F: Float[Tensor, "m K"], y: Targets) -> tuple[Float[Tensor, ""], Float[Tensor, "m K"]]:
        """Mean loss over the rows and its (sub)gradient with respect to F."""
        raise NotImplementedError

    def value(self, F: Float[Tensor, "m K"], y: Targets) -> Float[Tensor, ""]:
        """Mean loss over the rows."""
        return self.value_and_grad(F, y)[0]

    def lipschitz(self, F: Float[Tensor, "m K"], y: Targets) -> float:
        """Lipschitz constant of ℓ(·, y) in the Euclidean norm of the outputs (on these rows, if it depends on them)."""
        raise NotImplementedError


class MapObjective(Objective):
    """Base of objectives that judge features by themselves. Y is one-hot for classes, else the targets.

    Class attributes:
        solves: it fits a ridge regression to every mini-batch, which therefore needs more rows than features.
    """

    solves: ClassVar[bool] = False

    def check_batch(self, m: int, D: int) -> None:
        """Refuse mini-batches of m rows for D features that any targets would fit.

        Raises:
            DataError: no more rows than features, of an objective that solves.
        """
        if self.solves and m <= D:
            raise DataError(
                "a mini-batch must have more rows than there are features",
                f"{m} rows and {D} features",
                f"set batch_size to {2 * D} if the data have as many rows, or n_features below {m}",
            )

    def value_and_grad(
        self, Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"], params: Params
    ) -> tuple[Float[Tensor, ""], Float[Tensor, "m D"], Mapping[str, Tensor]]:
        """The value to be minimised, its gradient on the features, and parameters to be kept for the next batch.

        Args:
            Phi: features of the mini-batch.
            Y: its targets.
            params: all parameters, with those that :meth:`start` made and earlier batches replaced.
        """
        raise NotImplementedError

    def resolve(self, Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"]) -> MapObjective:
        """A copy in which every "auto" is replaced by what suits the assigned features of a first mini-batch."""
        return self

    def start(self, D: int, K: int, like: Tensor) -> dict[str, Tensor]:
        """Parameters of its own before the first batch (most have none), of ``like``'s dtype and device."""
        return {}


@component
class RidgeObjective(MapObjective):
    """Base of objectives that fit a ridge regression to every mini-batch."""

    tasks = ("classification", "regression")
    solves = True
    version = 2
    defaults_of_version_1 = (("rho", 0.0001),)

    rho: float | Literal["auto"] = option(
        "auto",
        "Ridge penalty ρ, against the squared error summed over a mini-batch; auto: by leave-one-out on the first "
        "mini-batch, before anything is learned.",
        gt=0, log=True,
    )  # fmt: skip

    def resolve(self, Phi: Float[Tensor, "m D"], Y: Float[Tensor, "m K"]) -> Any:  # a copy of its own class
        """A copy whose automatic ρ has the smallest leave-one-out error on these features, to three digits."""
        if self.rho != "auto":
            return self
        return self.replace(rho=float(f"{RidgePath(lambda: [Phi], self.targets(Y)).best():.3g}"))

    def targets(self, Y: Float[Tensor, "m K"]) -> Float[Tensor, "m K"]:
        """The targets that the regression is fitted to."""
        return Y

    @property
    def penalty(self) -> float:
        """ρ as a number."""
        assert self.rho != "auto", "an objective is resolved before its first step"
        return self.rho


OBJECTIVES: Registry[type[Objective]] = Registry("objective")

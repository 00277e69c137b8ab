"""What is minimised: a loss on the model's outputs, and its gradient in closed form.

    value, G = loss.value_and_grad(F, y)      value = (1/m) Σ ℓ(f_i, y_i);  G = ∂value/∂F, m × K

The mean is over samples and the sum over outputs, everywhere in kernlab.
"""

from __future__ import annotations

from typing import ClassVar

from kernlab.options import Component
from kernlab.registry import Registry
from kernlab.typing import Float, Targets, Task, Tensor

__all__ = ["OBJECTIVES", "Loss"]


class Loss(Component):
    """Base of losses on outputs f(x) = Wᵀφ(x).

    Class attributes:
        tasks: what it can be used for.
    """

    tasks: ClassVar[tuple[Task, ...]]

    def value_and_grad(self, F: Float[Tensor, "m K"], y: Targets) -> tuple[Float[Tensor, ""], Float[Tensor, "m K"]]:
        """Mean loss over the rows and its (sub)gradient with respect to F."""
        raise NotImplementedError

    def value(self, F: Float[Tensor, "m K"], y: Targets) -> Float[Tensor, ""]:
        """Mean loss over the rows."""
        return self.value_and_grad(F, y)[0]

    def lipschitz(self, F: Float[Tensor, "m K"], y: Targets) -> float:
        """Lipschitz constant of ℓ(·, y) in the Euclidean norm of the outputs (on these rows, if it depends on them)."""
        raise NotImplementedError


OBJECTIVES: Registry[type[Loss]] = Registry("objective")

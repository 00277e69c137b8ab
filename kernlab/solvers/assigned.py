"""Nothing is learned: the representation stays as it was drawn, and only the head is fitted."""

from __future__ import annotations

from collections.abc import Mapping

from kernlab.options import component
from kernlab.solvers.base import SOLVERS, FullBatchSolver, Problem
from kernlab.typing import Tensor

__all__ = ["Assigned"]


@SOLVERS.register("assigned")
@component
class Assigned(FullBatchSolver):
    """Leaves a map as it was drawn, or a kernel as it is; one step that changes nothing."""

    name = "assigned"
    title = "Assigned, nothing learned"
    formula = r"\theta=\theta_0"
    source = "Rahimi & Recht 2007"
    weighted = True

    def steps(self, problem: Problem) -> int:
        return 1

    def step(
        self, problem: Problem, state: Mapping[str, Tensor], number: int
    ) -> tuple[dict[str, Tensor], dict[str, float]]:
        """The same state; there is nothing to measure."""
        return dict(state), {}

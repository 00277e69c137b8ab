"""How the parameters of a method are found.

Two kinds. Proximal gradient learns from mini-batches (:mod:`kernlab.solvers.proximal_gradient`). A
full-batch solver sees all data at every step; one that solves a problem at once takes a single step:

    state = solver.start(problem)
    for number in range(solver.steps(problem)):
        state, metrics = solver.step(problem, state, number)
        if solver.done(state): break

``state`` is a flat dictionary of tensors: the representation's parameters (and ``weight`` and ``bias`` where the
solver finds the weights too), and the solver's own numbers under ``solver/…``. Steps are functions of
it alone, so a checkpoint is that dictionary and a resumed run equals the uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch

from kernlab.feature_maps.base import Representation
from kernlab.linalg import real_targets
from kernlab.objectives.base import Objective
from kernlab.options import Component, component
from kernlab.registry import Registry
from kernlab.typing import Float, Targets, Task, Tensor

__all__ = ["SOLVERS", "Assigned", "FullBatchSolver", "Problem", "Solver", "parameters"]


class Solver(Component):
    """Base of solvers: the options of how a method's parameters are found.

    Class attributes:
        learns: the parameter that it finds, of representations that name it as ``solved``; empty: those that a
            gradient reaches, or none.
        gives_weights: it finds ``weight`` itself, for the head "joint".
        changes: its steps change the parameters.
        tasks: what it can be used for.
    """

    learns: ClassVar[str] = ""
    gives_weights: ClassVar[bool] = False
    changes: ClassVar[bool] = True
    tasks: ClassVar[tuple[Task, ...]] = ("classification", "regression")


@dataclass(frozen=True, eq=False)
class Problem:
    """What a full-batch solver works on.

    Attributes:
        representation: resolved feature map or exact kernel.
        objective: the method's objective, or None.
        X: scaled training inputs, [n d].
        y: class codes [n] or standardised targets [n K].
        K: outputs.
        task: "classification" or "regression".
        seed: where it draws, it draws from this.
        weight: how often each sample counts, [n]; None: once.
    """

    representation: Representation
    objective: Objective | None
    X: Tensor
    y: Targets
    K: int
    task: Task
    seed: int = 0
    weight: Tensor | None = None

    @property
    def Y(self) -> Float[Tensor, "n K"]:
        """Real targets: one-hot for classes."""
        return real_targets(self.y, self.K, self.X.dtype)

    def generator(self) -> torch.Generator:
        """The seed's generator, fresh: the representation's parameters are drawn from it."""
        return torch.Generator().manual_seed(self.seed)


class FullBatchSolver(Solver):
    """Base of full-batch solvers, which see all data at every step.

    Class attributes:
        objectives: objectives that may be named beside it, because they are what it minimises.
        weighted: a sample of weight k counts exactly as k copies of it.
    """

    objectives: ClassVar[tuple[str, ...]] = ()
    weighted: ClassVar[bool] = False

    def resolve(self, K: int) -> FullBatchSolver:
        """A copy in which every "auto" is replaced by what suits K outputs."""
        return self

    def candidates(self, problem: Problem) -> Sequence[FullBatchSolver]:
        """The settings among which validation rows choose, from strong penalties to weak ones; by default itself."""
        return (self,)

    def rough(self) -> FullBatchSolver:
        """The same setting, solved only as exactly as it takes to judge it beside others; itself by default."""
        return self

    def warm(self, start: dict[str, Tensor], solution: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """A start that goes on from the solution of another candidate; by default the start as it is."""
        return start

    def steps(self, problem: Problem) -> int:
        """At most this many steps, at least 1."""
        raise NotImplementedError

    def start(self, problem: Problem) -> dict[str, Tensor]:
        """The state before the first step."""
        return problem.representation.init(problem.X, problem.generator())

    def step(
        self, problem: Problem, state: Mapping[str, Tensor], number: int
    ) -> tuple[dict[str, Tensor], dict[str, float]]:
        """The state after one more step, and what was measured on the way: ``objective`` and its parts."""
        raise NotImplementedError

    def done(self, state: Mapping[str, Tensor]) -> bool:
        """Whether it has converged before its last step."""
        return False


def parameters(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The model's parameters in a solver's state."""
    return {name: value for name, value in state.items() if not name.startswith("solver/")}


SOLVERS: Registry[type[Solver]] = Registry("solver")


@SOLVERS.register("assigned")
@component
class Assigned(FullBatchSolver):
    """Leaves a map as it was drawn, or a kernel as it is; one step that changes nothing."""

    name = "assigned"
    title = "Assigned, nothing learned"
    formula = r"\theta=\theta_0"
    source = "Rahimi & Recht 2007"
    weighted = True
    changes = False

    def steps(self, problem: Problem) -> int:
        return 1

    def step(
        self, problem: Problem, state: Mapping[str, Tensor], number: int
    ) -> tuple[dict[str, Tensor], dict[str, float]]:
        """The same state, and no metrics."""
        return dict(state), {}

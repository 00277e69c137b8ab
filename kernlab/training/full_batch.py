"""Learning with all rows at every step: solvers whose state is a flat dictionary of tensors."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import torch

from kernlab import devices
from kernlab.data import Prepared
from kernlab.errors import OptionError
from kernlab.methods import MethodSpec
from kernlab.solvers import FullBatchSolver, Problem, parameters
from kernlab.training.events import Checkpoint
from kernlab.training.state import TrainingState, to_numpy
from kernlab.typing import Tensor

__all__ = ["FullBatchState"]


class FullBatchState(TrainingState):
    """A model that a full-batch solver learns; an "epoch" is one step.

    Attributes:
        numbers: the solver's state, with the model's parameters.
    """

    def __init__(
        self, method: MethodSpec, data: Prepared, seed: int, device: torch.device, sample_weight: Tensor | None = None
    ) -> None:
        super().__init__(method, data, seed, device, sample_weight)
        assert isinstance(method.solver, FullBatchSolver)
        self.solver = method.solver
        self.threads = devices.cores()
        if device.type == "cpu":
            torch.set_num_threads(self.threads)
        self.problem = Problem(
            method.feature_map, method.objective, self.X, self.y, self.K, data.dataset.task, seed, sample_weight
        )
        self.total = self.solver.steps(self.problem)
        self._put(self.solver.start(self.problem))
        self._metrics: dict[str, float] = {}
        self._last: float | None = None

    def with_solver(self, solver: FullBatchSolver) -> FullBatchState:
        """The same training by a solver of other options, before its first step; it shares the problem.

        It starts from the present parameters, where the solver can, and solves only as exactly as a comparison of
        options needs.
        """
        solver = solver.rough()
        other = copy(self)
        other.solver, other.method, other.step = solver, replace(self.method, solver=solver), 0
        other.total = solver.steps(self.problem)
        start = solver.start(self.problem)
        other._put(solver.warm(start, self.numbers) if self.step else start)
        return other

    @property
    def objective(self) -> float | None:
        return self._last

    def _put(self, numbers: dict[str, Tensor]) -> None:
        self.numbers, self.params = numbers, parameters(numbers)

    @property
    def done(self) -> bool:
        return self.step >= self.total or (self.step > 0 and self.solver.done(self.numbers))

    def advance(self) -> None:
        with torch.no_grad():
            numbers, self._metrics = self.solver.step(self.problem, self.numbers, self.step)
        self._put(numbers)
        self._last = self._metrics.get("objective", self._last)
        self.step += 1

    def take_means(self) -> dict[str, float]:
        found, self._metrics = self._metrics, {}
        return found

    def checkpoint(self) -> Checkpoint:
        arrays = {name: to_numpy(value) for name, value in self.numbers.items()}
        return Checkpoint(self.step, arrays, {"step": self.step, "metrics": self._metrics, "last": self._last})

    def restore(self, checkpoint: Checkpoint) -> None:
        if set(self.numbers) - set(checkpoint.arrays):
            raise OptionError("a checkpoint must belong to the same method and data", "other tensors")
        tensors = {name: torch.as_tensor(np.array(value)) for name, value in checkpoint.arrays.items()}
        self._put({name: value.to(self.device) for name, value in tensors.items()})
        self.step = int(checkpoint.state["step"])
        self._metrics, self._last = dict(checkpoint.state["metrics"]), checkpoint.state["last"]

"""A method while it is being learned: what trainings by mini-batches and by full batches have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from kernlab.data import Prepared, score
from kernlab.errors import TrainingError
from kernlab.heads import Fitting, Head
from kernlab.methods import MethodSpec
from kernlab.methods.changes import Change
from kernlab.model import Model
from kernlab.training.events import Checkpoint
from kernlab.typing import Params, Tensor

__all__ = ["TrainingState", "to_numpy"]


class TrainingState:
    """Base of a training by gradients (:mod:`kernlab.training.gradient`) and of one by full batches.

    Args:
        method: the method, every "auto" resolved.
        data: what to train on.
        seed: decides the drawn parameters and the order of the mini-batches.
        device: where the tensors live.
        sample_weight: how often each training row counts; None: once.

    Attributes:
        params: the model's tensors at the present step (those of the head only where the solver learns them).
        penalty: the ridge penalty of heads whose own is "auto", where validation rows have chosen it.
        chosen_on: validation rows that chose this penalty or the solver's settings before a full-batch training.
        step, per_epoch, total: steps done, in one epoch, in the whole run at most.
        scheduled: steps that the learning rate's schedule spans, where it has one.
        threads: of one step.
        compiled_from: the step from which on steps are compiled; None: all are eager.
        changes: of options while it trains, in steps of this training.
    """

    params: dict[str, Tensor]
    per_epoch: int = 1
    total: int = 1
    scheduled: int = 1
    threads: int
    compiled_from: int | None = None
    changes: Sequence[Change] = ()

    def __init__(
        self,
        method: MethodSpec,
        data: Prepared,
        seed: int,
        device: torch.device,
        sample_weight: Tensor | None = None,
    ) -> None:
        self.method, self.data, self.seed, self.device = method, data, seed, device
        self.n, self.K = len(data.X_train), data.dataset.n_outputs
        self.X, self.y = self.tensors(data.X_train, data.y_train)
        self.weight = sample_weight
        self.step = 0
        self.penalty: float | None = None
        self.chosen_on = 0
        self._fitted: dict[str, Params] = {}

    def tensors(self, X: Any, y: Any) -> tuple[Tensor, Tensor]:
        """Inputs and targets on the device."""
        inputs, targets = torch.from_numpy(X), torch.from_numpy(y)
        if targets.is_floating_point():
            targets = targets.to(inputs.dtype)
        return inputs.to(self.device), targets.to(self.device)

    def advance(self) -> None:
        """One step."""
        raise NotImplementedError

    def take_up(self) -> dict[str, float]:
        """Give options the values that they have in the next step; returns those that are new, by name."""
        return {}

    def take_means(self) -> dict[str, float]:
        """Means over the steps since the last call; empty if there were none."""
        raise NotImplementedError

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on."""
        raise NotImplementedError

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint.

        Raises:
            OptionError: it belongs to another method or other data.
        """
        raise NotImplementedError

    @property
    def parameters(self) -> Params:
        """The tensors that the model is made of; ``params`` where nothing is averaged."""
        return self.params

    @property
    def changing(self) -> bool:
        """Whether an option has another value in the next step than it had in the last one."""
        return False

    @property
    def ready(self) -> bool:
        """Whether the next step can be taken at once; otherwise it waits for the compiler."""
        return True

    @property
    def done(self) -> bool:
        """Whether the last step was taken."""
        return self.step >= self.total

    @property
    def objective(self) -> float | None:
        """The minimised value after the last step; None: it is the loss and the penalties on all rows at the end."""
        return None

    @property
    def epoch(self) -> float:
        """Epochs done, with the fraction of the present one."""
        return self.step / self.per_epoch

    @property
    def remedy(self) -> str:
        """The advice where numbers are no longer finite."""
        return "check the scaling of the inputs, or set a smaller frequency_scale"

    def diverged(self, found: object = "weights that are not finite") -> TrainingError:
        """The error for numbers that are no longer finite."""
        return TrainingError("the objective must stay finite", f"{found} at step {self.step}", self.remedy)

    def check_finite(self) -> None:
        """Make sure that the weights are finite.

        Raises:
            TrainingError: they are not.
        """
        if not all(bool(value.isfinite().all()) for value in self.params.values()):
            raise self.diverged()

    def score(self, F: Tensor, y: Tensor, unit: Any = 1.0) -> float:
        """Accuracy in percent of outputs [n K], or their RMSE in the reported unit times ``unit``."""
        return score(self.data, to_numpy(F), to_numpy(y), unit)

    # -- heads ------------------------------------------------------------------------------------------------

    def with_head(self, head: Head | None = None, rows: Tensor | None = None) -> Params:
        """The model's parameters with those of a head.

        Args:
            head: which; the model's own if None.
            rows: training rows to fit it to; None: all. After :meth:`fit_heads` its result is used.
        """
        head = head or self.method.head
        if head.stage == "joint":
            return self.parameters
        if head.name in self._fitted:
            return self._fitted[head.name]
        X, y, weight = self.X, self.y, self.weight
        if rows is not None and len(rows) < self.n:
            X, y = X[rows], y[rows]
            weight = None if weight is None else weight[rows]
        if self.penalty is not None and head.options().get("ridge") == "auto":
            head = head.replace(ridge=self.penalty)
        task, params = self.data.dataset.task, self.parameters
        fitting = Fitting(self.method.feature_map, params, X, y, self.K, task, self.seed, weight)
        return {**params, **head.fit(fitting)}

    def fit_heads(self) -> None:
        """Fit every head to all training rows: the map is final."""
        for head in self.method.heads:
            if head.stage != "joint":
                self._fitted[head.name] = self.with_head(head)

    def model(self) -> Model:
        """The model at the present step, on the CPU: its file then predicts the same to the last bit."""
        dataset = self.data.dataset
        return Model(
            method=self.method,
            params={
                name: value.detach().clone(memory_format=torch.contiguous_format).cpu()
                for name, value in self.with_head().items()
            },
            inputs=self.data.inputs,
            targets=self.data.targets,
            task=dataset.task,
            names=dataset.target_names,
            feature_names=dataset.feature_names,
            preparation=dataset.preparation,
        )


def to_numpy(value: Tensor) -> Any:
    """A NumPy copy of its own."""
    return value.detach().cpu().numpy().copy()

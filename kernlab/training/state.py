"""A method while it is being learned: what every training has, whichever solver works on it.

Two kinds: :class:`~kernlab.training.gradient.GradientState` learns from mini-batches,
:class:`~kernlab.training.full_batch.FullBatchState` sees all rows at every step.
"""

from __future__ import annotations

from typing import Any

import torch

from kernlab.data import Prepared, score
from kernlab.errors import TrainingError
from kernlab.heads import Fitting, Head
from kernlab.methods import MethodSpec
from kernlab.model import Model
from kernlab.training.events import Checkpoint
from kernlab.typing import Params, Tensor

__all__ = ["TrainingState", "to_numpy"]


class TrainingState:
    """Base of both kinds.

    Args:
        method: the method, every "auto" resolved.
        data: what to train on.
        seed: decides what is drawn and the order of the mini-batches.
        device: where the tensors live.
        sample_weight: how often each training row counts; None: once.

    Attributes:
        params: the model's tensors as they stand (those of the head only where the solver learns them).
        penalty: the ridge penalty of heads that leave it open, where rows held back have chosen it.
        chosen_on: training rows that chose this penalty or the solver's settings before a full-batch training.
        step, per_epoch, total: steps done, in one epoch, in the whole run at most.
        scheduled: steps that the learning rate's schedule spans, where it has one.
        threads, compiled: how a step is computed.
    """

    params: dict[str, Tensor]
    per_epoch: int = 1
    total: int = 1
    scheduled: int = 1
    threads: int
    compiled: bool = False

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
        self._settled: dict[str, Params] = {}

    def tensors(self, X: Any, y: Any) -> tuple[Tensor, Tensor]:
        """Inputs and targets on the device."""
        inputs, targets = torch.from_numpy(X), torch.from_numpy(y)
        if targets.is_floating_point():
            targets = targets.to(inputs.dtype)
        return inputs.to(self.device), targets.to(self.device)

    # -- what a kind defines ----------------------------------------------------------------------------------

    def advance(self) -> None:
        """One step."""
        raise NotImplementedError

    def take_means(self) -> dict[str, float]:
        """What was measured on the way since this was last asked; empty if there were no steps."""
        raise NotImplementedError

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on."""
        raise NotImplementedError

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from there.

        Raises:
            OptionError: it belongs to another method or other data.
        """
        raise NotImplementedError

    @property
    def parameters(self) -> Params:
        """The tensors that the model is made of; ``params`` where nothing is averaged."""
        return self.params

    @property
    def done(self) -> bool:
        """There is nothing more to learn."""
        return self.step >= self.total

    @property
    def objective(self) -> float | None:
        """What was minimised, as last seen; None: the loss and the penalties at the end, on all rows."""
        return None

    @property
    def epoch(self) -> float:
        """Epochs done, with the fraction of the one under way."""
        return self.step / self.per_epoch

    @property
    def remedy(self) -> str:
        """What helps against numbers that are no longer finite."""
        return "look at the scaling of the inputs, or set a smaller frequency_scale"

    def diverged(self, found: object = "weights that are not finite") -> TrainingError:
        """What to say when numbers are no longer finite."""
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
            rows: training rows to fit it to; None: all. Once :meth:`settle` was called its result is used.
        """
        head = head or self.method.head
        if head.takes == "solver":
            return self.parameters
        if head.name in self._settled:
            return self._settled[head.name]
        X, y, weight = self.X, self.y, self.weight
        if rows is not None and len(rows) < self.n:
            X, y = X[rows], y[rows]
            weight = None if weight is None else weight[rows]
        if self.penalty is not None and head.options().get("ridge") == "auto":
            head = head.replace(ridge=self.penalty)
        kind, params = self.data.dataset.task, self.parameters
        fitting = Fitting(self.method.feature_map, params, X, y, self.K, kind, self.seed, weight)
        return {**params, **head.fit(fitting)}

    def settle(self) -> None:
        """Fit every head to all training rows: the map is final."""
        for head in self.method.heads:
            if head.takes != "solver":
                self._settled[head.name] = self.with_head(head)

    def model(self) -> Model:
        """The model as it stands."""
        dataset = self.data.dataset
        return Model(
            method=self.method,
            params={
                name: value.detach().clone(memory_format=torch.contiguous_format)
                for name, value in self.with_head().items()
            },
            inputs=self.data.inputs,
            targets=self.data.targets,
            task=dataset.task,
            names=dataset.target_names,
            feature_names=dataset.feature_names,
        )


def to_numpy(value: Tensor) -> Any:
    """A NumPy copy that nothing changes any more."""
    return value.detach().cpu().numpy().copy()

"""The tensors of one training, and the two things done to them: one mini-batch, and a checkpoint.

Mini-batches are drawn from (seed, epoch), so a checkpoint is tensors and a step number, and a resumed
training equals the uninterrupted one bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from kernlab import devices
from kernlab.data import Prepared
from kernlab.errors import OptionError, TrainingError
from kernlab.methods import MethodSpec
from kernlab.model import Model
from kernlab.objectives import Loss
from kernlab.solvers import ProximalGradient
from kernlab.solvers.proximal_gradient import Step, compiled_step, eager_step, risk_gradients
from kernlab.training.events import Checkpoint
from kernlab.training.rules import worth_compiling
from kernlab.typing import Tensor

__all__ = ["TrainingState", "row_order", "to_numpy"]

GATHERED = 64  # mini-batches whose rows are gathered at once


class TrainingState:
    """A model while it is being learned.

    Args:
        method: the method, every "auto" resolved.
        data: what to train on.
        seed: decides the drawn frequencies and the order of the mini-batches.
        device: where the tensors live.

    Attributes:
        params: the map's tensors and "weight" [D K]: the very tensors that the optimizer holds.
        free: names of those that are learned.
        step, per_epoch, total: mini-batches done, in one epoch, in the whole run.
        sums, summed: the loss and smooth penalties added up since they were last taken.
        threads, compiled: how a step is computed.
    """

    def __init__(self, method: MethodSpec, data: Prepared, seed: int, device: torch.device) -> None:
        assert isinstance(method.solver, ProximalGradient)
        assert isinstance(method.objective, Loss)
        self.method, self.data, self.seed, self.device = method, data, seed, device
        self.solver, self.loss, feature_map = method.solver, method.objective, method.feature_map
        self.n, self.K = len(data.X_train), data.dataset.n_outputs
        self.per_epoch = self.n // self.solver.batch_size
        self.total = int(self.solver.epochs) * self.per_epoch
        self.learning_rate = float(self.solver.learning_rate)

        columns = feature_map.width * getattr(feature_map, "pairs", 1)
        self.threads = devices.threads_for(2.0 * self.solver.batch_size * data.dataset.d * columns)
        if device.type == "cpu":
            torch.set_num_threads(self.threads)
        self.X, self.y = self.tensors(data.X_train, data.y_train)
        self.params = feature_map.init(self.X, torch.Generator().manual_seed(seed))
        # W is kept column by column (its transpose is contiguous): every product with it then runs along its
        # long side, which is a third faster for D ≫ K.
        self.params["weight"] = torch.zeros(self.K, feature_map.width, device=device, dtype=self.X.dtype).mT
        self.free = ["weight", *(feature_map.trainable if method.learned else ())]
        self.optimizer = self.solver.make_optimizer([self.params[k] for k in self.free], self.learning_rate)
        self.step, self.summed = 0, 0
        self.sums: dict[str, Any] = {}
        self._rows, self._group = (self.X[:0], self.y[:0]), (-1, -1)
        self.gradients = risk_gradients(feature_map, method.learned, self.loss, method.regularizers)
        self._take, self.compiled = self._step_function()

    def tensors(self, X: Any, y: Any) -> tuple[Tensor, Tensor]:
        """Inputs and targets on the device."""
        return torch.from_numpy(X).to(self.device), torch.from_numpy(y).to(self.device)

    # -- one mini-batch ---------------------------------------------------------------------------------------

    @property
    def epoch(self) -> float:
        """Epochs done, with the fraction of the one under way."""
        return self.step / self.per_epoch

    @property
    def rate(self) -> float:
        """Learning rate of the coming step."""
        return self.learning_rate * self.solver.rate(self.step / self.total)

    def batch(self) -> tuple[Tensor, Tensor]:
        """Rows of the coming step. Many mini-batches are gathered at once; each is then a plain slice."""
        epoch, place = divmod(self.step, self.per_epoch)
        m, group = self.solver.batch_size, (epoch, place // GATHERED)
        if group != self._group:
            order = row_order(self.seed, epoch, self.n)[group[1] * GATHERED * m : (group[1] + 1) * GATHERED * m]
            rows = order.to(self.device)
            self._rows, self._group = (self.X[rows], self.y[rows]), group
        start = place % GATHERED * m
        return self._rows[0][start : start + m], self._rows[1][start : start + m]

    def advance(self) -> None:
        """One mini-batch: gradient step, then the proximal maps."""
        X, y = self.batch()
        with torch.no_grad():
            value, penalties = self._take(X, y, self.rate)
        for name, amount in (("loss", value), *penalties.items()):
            self.sums[name] = self.sums.get(name, 0.0) + amount
        self.step += 1
        self.summed += 1

    def take_means(self) -> dict[str, float]:
        """Mean loss and penalties over the mini-batches since this was last asked; empty if there were none."""
        means = {name: float(total) / self.summed for name, total in self.sums.items()}
        self.sums, self.summed = {}, 0
        return means

    def _step_function(self) -> tuple[Step, bool]:
        parts = (self.gradients, self.params, self.free, self.method.regularizers)
        eager = eager_step(*parts, self.optimizer)
        if not worth_compiling(self.method, self.total, self.device):
            return eager, False
        assert isinstance(self.optimizer, torch.optim.Adam)
        before = self.checkpoint()
        try:
            fast = compiled_step(*parts, self.optimizer)
            with torch.no_grad():
                fast(self.X[: self.solver.batch_size], self.y[: self.solver.batch_size], 0.0)
        except Exception as error:
            if self.solver.compile == "on":
                raise OptionError("compile=on needs a working C++ compiler", error, "set compile=auto") from None
            return eager, False
        finally:
            self.restore(before)  # compiling took a step
        return fast, True

    def diverged(self, found: object) -> TrainingError:
        """What to say when numbers are no longer finite."""
        return TrainingError(
            "the objective must stay finite",
            f"{found} at step {self.step}",
            f"set a learning_rate below {self.learning_rate:g}, or a smaller frequency_scale",
        )

    # -- keeping it -------------------------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on."""
        arrays = {f"param/{name}": to_numpy(value) for name, value in self.params.items()}
        for name in self.free:
            for key, value in self.optimizer.state.get(self.params[name], {}).items():
                arrays[f"optimizer/{name}/{key}"] = to_numpy(torch.as_tensor(value))
        sums = {name: float(value) for name, value in self.sums.items()}
        return Checkpoint(self.step, arrays, {"step": self.step, "sums": sums, "summed": self.summed})

    def restore(self, checkpoint: Checkpoint) -> None:
        """Put a checkpoint's numbers into the tensors that the optimizer holds.

        Raises:
            OptionError: it belongs to another method or other data.
        """
        tensors = {k: torch.as_tensor(np.array(v)) for k, v in checkpoint.arrays.items()}
        shapes = {name: tuple(value.shape) for name, value in self.params.items()}
        if {k: tuple(tensors[f"param/{k}"].shape) for k in shapes if f"param/{k}" in tensors} != shapes:
            raise OptionError("a checkpoint must belong to the same method and data", "tensors of other shapes")
        with torch.no_grad():
            for name, value in self.params.items():
                value.copy_(tensors[f"param/{name}"])
        for name in self.free:
            prefix, param = f"optimizer/{name}/", self.params[name]
            state = {k.removeprefix(prefix): v.to(self.device) for k, v in tensors.items() if k.startswith(prefix)}
            # The optimizer walks a parameter and its state through memory side by side: same strides for both.
            self.optimizer.state[param] = {
                k: torch.empty_like(param).copy_(v) if v.shape == param.shape else v for k, v in state.items()
            }
        self.step = int(checkpoint.state["step"])
        self.sums = {k: torch.tensor(v, device=self.device) for k, v in checkpoint.state["sums"].items()}
        self.summed = int(checkpoint.state["summed"])

    def model(self) -> Model:
        """The model as it stands."""
        dataset = self.data.dataset
        return Model(
            method=self.method,
            params={k: v.detach().clone(memory_format=torch.contiguous_format) for k, v in self.params.items()},
            inputs=self.data.inputs,
            targets=self.data.targets,
            task=dataset.task,
            names=dataset.target_names,
            feature_names=dataset.feature_names,
        )


def row_order(seed: int, epoch: int, n: int) -> Tensor:
    """The order of the rows in one epoch: a function of (seed, epoch) alone, so there is no state to keep."""
    mixed = int(np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)[0] >> 1)
    return torch.randperm(n, generator=torch.Generator().manual_seed(mixed))


def to_numpy(value: Tensor) -> Any:
    """A NumPy copy that nothing changes any more."""
    return value.detach().cpu().numpy().copy()

"""Learning from mini-batches: one gradient step, and a checkpoint.

Mini-batches are drawn from (seed, epoch), so a checkpoint is tensors and a step number, and a resumed
training equals the uninterrupted one bit for bit.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch

from kernlab import devices
from kernlab.data import Prepared
from kernlab.errors import OptionError
from kernlab.feature_maps import FeatureMap
from kernlab.linalg import real_targets
from kernlab.methods import MethodSpec
from kernlab.objectives import Loss, MapObjective
from kernlab.solvers import ProximalGradient
from kernlab.solvers.plateau import Plateau
from kernlab.solvers.proximal_gradient import Step, compiled_step, eager_step, map_step, risk_gradients
from kernlab.training.events import Checkpoint
from kernlab.training.rules import worth_compiling
from kernlab.training.state import TrainingState, to_numpy
from kernlab.typing import Params, Tensor

__all__ = ["GradientState", "row_order"]

SAMPLES, DECAY = 16, 4  # weights of an epoch that enter the average, about, and γ of its decay
GATHERED, GATHERED_NUMBERS = 64, 8_000_000  # mini-batches whose rows are gathered at once, and at most so many numbers


class GradientState(TrainingState):
    """A model while it is learned from mini-batches.

    Attributes:
        params: the map's tensors and "weight" [D K] (or what a map objective keeps): the very tensors that
            the optimizer holds.
        free: names of those that are learned.
        averaged: the model is the polynomial-decay average of what the optimizer went through: the weights of a
            step count the more, the later it is (the last fifth of the way for half).
        sums, summed: the loss and smooth penalties added up since they were last taken.
    """

    def __init__(
        self,
        method: MethodSpec,
        data: Prepared,
        seed: int,
        device: torch.device,
        sample_weight: Tensor | None = None,
        *,
        drawn_from: Tensor | None = None,
        epochs: int | None = None,
        averaged: bool = False,
    ) -> None:
        """As every training; and

        Args:
            drawn_from: rows that the map is drawn from; None: all.
            epochs: of the schedule are done; None: all.
            averaged: the model is an average of the weights.
        """
        super().__init__(method, data, seed, device, sample_weight)
        assert isinstance(method.solver, ProximalGradient)
        assert isinstance(method.feature_map, FeatureMap)
        assert method.solver.batch_size != "auto"
        self.solver, self.m, feature_map = method.solver, int(method.solver.batch_size), method.feature_map
        self.per_epoch = self.n // self.m
        self.scheduled = int(self.solver.epochs) * self.per_epoch
        self.total = self.scheduled if epochs is None else epochs * self.per_epoch
        self.learning_rate = float(self.solver.learning_rate)

        rows = self.X if drawn_from is None else self.X[drawn_from.to(device)]
        self.params = feature_map.init(rows, torch.Generator().manual_seed(seed))
        columns = feature_map.columns(self.params)
        work = 2.0 * self.m * feature_map.work(data.d)
        if isinstance(method.objective, MapObjective):
            work += 2.0 * self.m * columns**2
        self.threads = devices.threads_for(work)
        if device.type == "cpu":
            torch.set_num_threads(self.threads)
        self.free = list(feature_map.trainable if method.learned else ())
        if isinstance(method.objective, Loss):
            # W is kept column by column (its transpose is contiguous): every product with it then runs along its
            # long side, which is a third faster for D ≫ K.
            self.params["weight"] = torch.zeros(self.K, columns, device=device, dtype=self.X.dtype).mT
            self.free = ["weight", *self.free]
        elif isinstance(method.objective, MapObjective):
            Phi = feature_map.apply(self.params, rows[: self.m])
            objective = method.objective.resolve(Phi, real_targets(self._first_targets(drawn_from), self.K, Phi.dtype))
            self.method = method = replace(method, objective=objective)
            self.params |= objective.start(columns, self.K, self.X)
        self.optimizer = self.solver.make_optimizer([self.params[k] for k in self.free], self.learning_rate)
        self.averaged, self._every = averaged, max(1, self.per_epoch // SAMPLES)
        self.average = {name: self.params[name].clone() for name in self.free} if averaged else {}
        self.summed = 0
        self._last: float | None = None
        self.sums: dict[str, Any] = {}
        self.plateau, self._epoch_sum = Plateau(), 0.0
        self._rows, self._group = (self.X[:0], self.y[:0]), (-1, -1)
        self._gathered = max(1, min(GATHERED, GATHERED_NUMBERS // (self.m * data.d)))
        self._take, self.compiled = self._step_function()

    # -- one mini-batch ---------------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        return self.step >= self.total or self.plateau.over

    @property
    def objective(self) -> float | None:
        return self._last if isinstance(self.method.objective, MapObjective) else None

    @property
    def parameters(self) -> Params:
        """The averaged weights, from the first that entered the average on."""
        return {**self.params, **self.average} if self.averaged and self.step >= self._every else self.params

    def share_of_average(self, step: int) -> float:
        """The share that the weights after this step get in the average; 0 where they do not enter it.

        Some from every epoch enter. The k-th gets (γ + 1)/(k + γ) with γ = 4.
        """
        number, rest = divmod(step, self._every)
        return 0.0 if rest or not self.averaged else (DECAY + 1) / (number + DECAY)

    def _first_targets(self, drawn_from: Tensor | None) -> Tensor:
        y = self.y if drawn_from is None else self.y[drawn_from.to(self.device)]
        return y[: self.m]

    @property
    def rate(self) -> float:
        """Learning rate of the coming step."""
        return self.rate_at(self.step)

    def rate_at(self, step: int) -> float:
        """Learning rate of a step."""
        fall = self.plateau.factor if self.solver.schedule == "plateau" else self.solver.rate(step / self.scheduled)
        return self.learning_rate * fall

    @property
    def remedy(self) -> str:
        return f"set a learning_rate below {self.learning_rate:g}, or a smaller frequency_scale"

    def batch(self) -> tuple[Tensor, Tensor]:
        """Rows of the coming step. Many mini-batches are gathered at once; each is then a plain slice."""
        epoch, place = divmod(self.step, self.per_epoch)
        m, together = self.m, self._gathered
        group = (epoch, place // together)
        if group != self._group:
            order = row_order(self.seed, epoch, self.n)[group[1] * together * m : (group[1] + 1) * together * m]
            rows = order.to(self.device)
            self._rows, self._group = (self.X[rows], self.y[rows]), group
        start = place % together * m
        return self._rows[0][start : start + m], self._rows[1][start : start + m]

    def advance(self) -> None:
        """One mini-batch of the training rows."""
        self.learn_from(*self.batch())

    def learn_from(self, X: Tensor, y: Tensor) -> None:
        """One step on these rows: gradient step, then the proximal maps."""
        with torch.no_grad():
            value, penalties = self._take(X, y, self.rate)
        for name, amount in (("loss", value), *penalties.items()):
            self.sums[name] = self.sums.get(name, 0.0) + amount
        self.step += 1
        self.summed += 1
        if weight := self.share_of_average(self.step):
            for name, average in self.average.items():
                average.lerp_(self.params[name], weight)
        if self.solver.schedule == "plateau":
            self._epoch_sum += float(value)
            if self.step % self.per_epoch == 0:
                mean, self._epoch_sum = self._epoch_sum / self.per_epoch, 0.0
                limits = {"patience": self.solver.patience, "tolerance": self.solver.tolerance}
                self.plateau = self.plateau.after(mean, **limits)  # type: ignore[arg-type]

    def take_means(self) -> dict[str, float]:
        means = {name: float(total) / self.summed for name, total in self.sums.items()}
        self.sums, self.summed = {}, 0
        if not means:
            return {}
        weights = {r.name: r for r in self.method.regularizers}
        if "weight" in self.params:
            W = self.params["weight"]
            for r in weights.values():  # those with a proximal map take no part in the step's value
                if r.name not in means and r.acts == "proximal step":
                    means[r.name] = float(r.value_at(W, W.new_empty(0, len(W)), {}))  # these depend on W alone
        means["objective"] = means["loss"] + sum(r.weight * means[name] for name, r in weights.items())
        means["learning_rate"] = self.rate_at(self.step - 1)
        self._last = means["objective"]
        return means

    def _step_function(self) -> tuple[Step, bool]:
        feature_map, objective, penalties = self.method.feature_map, self.method.objective, self.method.regularizers
        assert isinstance(feature_map, FeatureMap)
        if isinstance(objective, MapObjective):
            return map_step(feature_map, objective, penalties, self.params, self.optimizer, self.K), False
        assert isinstance(objective, Loss)
        self.gradients = risk_gradients(feature_map, self.method.learned, objective, penalties)
        parts = (self.gradients, self.params, self.free, penalties)
        eager = eager_step(*parts, self.optimizer)
        if not worth_compiling(self.method, self.total, self.device):
            return eager, False
        assert isinstance(self.optimizer, torch.optim.Adam)
        before = self.checkpoint()
        try:
            fast = compiled_step(*parts, self.optimizer)
            with torch.no_grad():
                fast(self.X[: self.m], self.y[: self.m], 0.0)
        except Exception as error:
            if self.solver.compile == "on":
                raise OptionError("compile=on needs a working C++ compiler", error, "set compile=auto") from None
            return eager, False
        finally:
            self.restore(before)  # compiling took a step
        return fast, True

    # -- keeping it -------------------------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        arrays = {f"param/{name}": to_numpy(value) for name, value in self.params.items()}
        arrays |= {f"average/{name}": to_numpy(value) for name, value in self.average.items()}
        for name in self.free:
            for key, value in self.optimizer.state.get(self.params[name], {}).items():
                arrays[f"optimizer/{name}/{key}"] = to_numpy(torch.as_tensor(value))
        sums = {name: float(value) for name, value in self.sums.items()}
        state: dict[str, Any] = {"step": self.step, "sums": sums, "summed": self.summed, "last": self._last}
        if self.solver.schedule == "plateau":
            state |= {"plateau": asdict(self.plateau), "epoch_sum": self._epoch_sum}
        return Checkpoint(self.step, arrays, state)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Put a checkpoint's numbers into the tensors that the optimizer holds."""
        tensors = {k: torch.as_tensor(np.array(v)) for k, v in checkpoint.arrays.items()}
        shapes = {name: tuple(value.shape) for name, value in self.params.items()}
        if {k: tuple(tensors[f"param/{k}"].shape) for k in shapes if f"param/{k}" in tensors} != shapes:
            raise OptionError("a checkpoint must belong to the same method and data", "tensors of other shapes")
        with torch.no_grad():
            for name, value in self.params.items():
                value.copy_(tensors[f"param/{name}"])
            for name, value in self.average.items():
                value.copy_(tensors[f"average/{name}"])
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
        self._last = checkpoint.state.get("last")
        if "plateau" in checkpoint.state:
            self.plateau = Plateau(**checkpoint.state["plateau"])
            self._epoch_sum = float(checkpoint.state["epoch_sum"])


def row_order(seed: int, epoch: int, n: int) -> Tensor:
    """The order of the rows in one epoch: a function of (seed, epoch) alone, so there is no state to keep."""
    mixed = int(np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)[0] >> 1)
    return torch.randperm(n, generator=torch.Generator().manual_seed(mixed))

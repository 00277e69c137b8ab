"""Learning from mini-batches.

Mini-batches are drawn from (seed, epoch), so a checkpoint is tensors and a step number, and a resumed training equals
the uninterrupted one bit for bit.
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
from kernlab.methods.changes import changed, in_force
from kernlab.objectives import Loss, MapObjective
from kernlab.solvers import ProximalGradient
from kernlab.solvers.plateau import Plateau
from kernlab.solvers.proximal_gradient import Step, eager_step, map_step, risk_gradients
from kernlab.training.compiling import Compiler
from kernlab.training.events import Checkpoint
from kernlab.training.rules import compiled_from
from kernlab.training.state import TrainingState, to_numpy
from kernlab.typing import Params, Tensor

__all__ = ["GradientState", "row_order"]

SAMPLES, DECAY = 16, 4  # weights of an epoch that enter the average, about, and γ of its decay
GATHERED, GATHERED_NUMBERS = 64, 8_000_000  # mini-batches whose rows are gathered at once, and at most so many numbers


class GradientState(TrainingState):
    """A model that is learned from mini-batches.

    Args:
        method, data, seed, device, sample_weight: as for every training.
        drawn_from: rows that the map is drawn from; None: all.
        epochs: number of epochs of the schedule to train for; None: all.
        averaged: the model is the polynomial-decay average of the weights: those of a step count the more, the later
            it is (the last fifth of the steps for half).

    Attributes:
        params: the map's tensors and "weight" [D K] (or those of a map objective), which the optimizer changes.
        free: names of those that are learned.
        sums, summed: sums of the loss and the smooth penalties since they were last taken, and of how many steps.
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
        super().__init__(method, data, seed, device, sample_weight)
        assert isinstance(method.solver, ProximalGradient)
        assert isinstance(method.feature_map, FeatureMap)
        assert method.solver.batch_size != "auto"
        self.solver, self.m, feature_map = method.solver, int(method.solver.batch_size), method.feature_map
        self.per_epoch = self.n // self.m
        self.scheduled = int(self.solver.epochs) * self.per_epoch
        self.total = self.scheduled if epochs is None else epochs * self.per_epoch
        self.learning_rate = float(self.solver.learning_rate)

        X, y = self.X, self.y
        if drawn_from is not None:
            X, y = X[drawn_from.to(device)], y[drawn_from.to(device)]
        self.params = feature_map.init(X, torch.Generator().manual_seed(seed))
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
            Phi = feature_map.apply(self.params, X[: self.m])
            objective = method.objective.resolve(Phi, real_targets(y[: self.m], self.K, Phi.dtype))
            self.method = method = replace(method, objective=objective)
            self.params |= objective.start(columns, self.K, self.X)
        self.optimizer = self.solver.make_optimizer([self.params[k] for k in self.free], self.learning_rate)
        self.averaged, self._every = averaged, max(1, self.per_epoch // SAMPLES)
        self.average = {name: self.params[name].clone() for name in self.free} if averaged else {}
        self.summed = 0
        self._last: float | None = None
        self.sums: dict[str, Any] = {}
        self.plateau, self._epoch_sum = Plateau(), 0.0
        self._rows, self._since = (self.X[:0], self.y[:0]), 0
        self._gathered = max(1, min(GATHERED, GATHERED_NUMBERS // (self.m * data.d)))
        self._asked, self._values = method, dict[str, float]()  # the method before changes, and the values of these
        self._take = self._eager_step()
        self._compiler: Compiler | None = None  # until the step is compiled
        self._compiled: Step | None = None
        self._weights: dict[str, Tensor] = {}  # λ of each penalty, as a compiled step reads it
        if isinstance(method.objective, Loss):
            self.compiled_from = compiled_from(method, self.total, device)
        if self.compiled_from is not None:
            rows = self.X[: self.m], self.y[: self.m]
            self._compiler = Compiler(self.method, self.params, self.free, *rows, self.threads)
            self._weights = self._compiler.weights

    @property
    def done(self) -> bool:
        return self.step >= self.total or self.plateau.over

    @property
    def changing(self) -> bool:
        return in_force(self.changes, self.step) != self._values

    def take_up(self) -> dict[str, float]:
        """As of every training. λ and η are no part of a compiled step; a penalty that was 0 before it is eager."""
        return self._take_up(in_force(self.changes, self.step))

    def _take_up(self, values: dict[str, float]) -> dict[str, float]:
        new = {name: value for name, value in values.items() if self._values.get(name) != value}
        self._values, self.method = values, changed(self._asked, values)
        assert isinstance(self.method.solver, ProximalGradient)
        self.solver, self.learning_rate = self.method.solver, float(self.method.solver.learning_rate)
        for penalty in self.method.regularizers:
            if penalty.name in self._weights:
                self._weights[penalty.name].fill_(penalty.weight)
        self._take = self._present_step()
        return new

    @property
    def objective(self) -> float | None:
        return self._last if isinstance(self.method.objective, MapObjective) else None

    @property
    def parameters(self) -> Params:
        """The averaged weights, once the average has some."""
        return {**self.params, **self.average} if self.averaged and self.step >= self._every else self.params

    def share_of_average(self, step: int) -> float:
        """The share of this step's weights in the average: (γ + 1)/(k + γ), γ = 4, for the k-th that enter; or 0."""
        number, rest = divmod(step, self._every)
        return 0.0 if rest or not self.averaged else (DECAY + 1) / (number + DECAY)

    @property
    def rate(self) -> float:
        """Learning rate of the next step."""
        return self.rate_at(self.step)

    def rate_at(self, step: int) -> float:
        """Learning rate of a step."""
        fall = self.plateau.factor if self.solver.schedule == "plateau" else self.solver.rate(step / self.scheduled)
        return self.learning_rate * fall

    @property
    def remedy(self) -> str:
        return f"set a learning_rate below {self.learning_rate:g}, or a smaller frequency_scale"

    def batch(self) -> tuple[Tensor, Tensor]:
        """Rows of the next step. Many mini-batches are gathered at once; each is then a plain slice."""
        start = (self.step - self._since) * self.m
        if not 0 <= start < len(self._rows[0]):
            left = self.per_epoch - self.step % self.per_epoch
            rows = self.next_rows(self.step, min(self._gathered, left)).to(self.device)
            self._rows, self._since, start = (self.X[rows], self.y[rows]), self.step, 0
        return self._rows[0][start : start + self.m], self._rows[1][start : start + self.m]

    def next_rows(self, step: int, steps: int) -> Tensor:
        """Numbers of the rows of so many mini-batches from a step on, one after the other."""
        found = []
        while steps:
            epoch, place = divmod(step, self.per_epoch)
            count = min(steps, self.per_epoch - place)
            found.append(row_order(self.seed, epoch, self.n)[place * self.m : (place + count) * self.m])
            step, steps = step + count, steps - count
        return torch.cat(found)

    def advance(self) -> None:
        """One mini-batch of the training rows."""
        self.learn_from(*self.batch())

    @property
    def ready(self) -> bool:
        return self._compiler is None or self.step < (self.compiled_from or 0) or not self._compiler.working

    def compile(self) -> None:
        """Take compiled steps from now on, where the method has one; it waits for the compiler.

        Raises:
            OptionError: the compiler does not work, and compile is "on".
        """
        compiler, self._compiler = self._compiler, None
        if compiler is None:
            return
        assert isinstance(self.optimizer, torch.optim.Adam)
        try:
            self._compiled = compiler.step(self.params, self.optimizer, self.X[: self.m], self.y[: self.m])
            self._take = self._present_step()
        except Exception as error:
            if self.solver.compile == "on":
                raise OptionError("compile=on needs a working C++ compiler", error, "set compile=auto") from None

    def learn_from(self, X: Tensor, y: Tensor) -> None:
        """One step on these rows: gradient step, then the proximal maps."""
        if self.changes and self.changing:
            self.take_up()
        if self._compiler is not None:
            self._compiler.start()
            if self.step >= (self.compiled_from or 0):
                self.compile()
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
                solver = self.solver
                self.plateau = self.plateau.after(mean, patience=solver.patience, tolerance=solver.tolerance)

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
        means["objective"] = means["loss"] + sum(r.weight * means[name] for name, r in weights.items() if r.weight > 0)
        means["learning_rate"] = self.rate_at(self.step - 1)
        self._last = means["objective"]
        return means

    def _present_step(self) -> Step:
        """The compiled step, where there is one that has every penalty of the present method."""
        present = {r.name for r in self.method.regularizers if r.weight > 0}
        return self._compiled if self._compiled and present <= {*self._weights} else self._eager_step()

    def _eager_step(self) -> Step:
        feature_map, objective, penalties = self.method.feature_map, self.method.objective, self.method.regularizers
        assert isinstance(feature_map, FeatureMap)
        if isinstance(objective, MapObjective):
            return map_step(feature_map, objective, penalties, self.params, self.optimizer, self.K)
        assert isinstance(objective, Loss)
        self.gradients = risk_gradients(feature_map, self.method.learned, objective, penalties)
        return eager_step(self.gradients, self.params, self.free, penalties, self.optimizer)

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
        """Copy a checkpoint's numbers into the tensors that the optimizer changes."""
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
            # The optimizer reads a parameter and its state side by side, so that both need the same strides.
            self.optimizer.state[param] = {
                k: torch.empty_like(param).copy_(v) if v.shape == param.shape else v for k, v in state.items()
            }
        self.step = int(checkpoint.state["step"])
        self.sums = {k: torch.tensor(v, device=self.device) for k, v in checkpoint.state["sums"].items()}
        self.summed = int(checkpoint.state["summed"])
        self._last = checkpoint.state.get("last")
        if self.changes:
            self._take_up(in_force(self.changes, self.step - 1))  # the sums are of the steps before
        if "plateau" in checkpoint.state:
            self.plateau = Plateau(**checkpoint.state["plateau"])
            self._epoch_sum = float(checkpoint.state["epoch_sum"])


def row_order(seed: int, epoch: int, n: int) -> Tensor:
    """The order of the rows in one epoch: a function of (seed, epoch) alone, without a state."""
    mixed = int(np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)[0] >> 1)
    return torch.randperm(n, generator=torch.Generator().manual_seed(mixed))

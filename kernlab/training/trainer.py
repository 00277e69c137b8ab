"""Training as a generator of events.

    for event in train(RunSpec.of("ASKL", "letter")):
        ...

Numbers follow from the spec, the data, the device and the thread count alone: mini-batches are drawn
from (seed, epoch), so a checkpoint holds tensors and a step number, and a resumed run equals the
uninterrupted one. Requests (pause, step, stop, checkpoint) are looked at between mini-batches.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import numpy as np
import torch

from kernlab import devices
from kernlab.bounds import spectral_terms
from kernlab.bounds.spectral import rademacher_exact
from kernlab.data import Prepared, constant_metric, fingerprint, load, prepare
from kernlab.errors import OptionError, TrainingError
from kernlab.linalg import singular_values
from kernlab.methods import MethodSpec
from kernlab.model import Model, feature_blocks, outputs
from kernlab.objectives import Loss
from kernlab.solvers import ProximalGradient
from kernlab.solvers.proximal_gradient import Gradients, proximal_step, risk_gradients
from kernlab.spec import RunSpec
from kernlab.training import rules
from kernlab.training.control import Control
from kernlab.training.events import (
    Cancelled,
    Checkpoint,
    Evaluated,
    Event,
    Failed,
    Finished,
    Snapshot,
    Started,
    Step,
)
from kernlab.training.views import view_of
from kernlab.typing import Float, Targets, Tensor

__all__ = ["Result", "fit", "milestones", "train"]

EVALUATE_TRAIN, EVALUATE_TEST = 2000, 4000  # rows looked at while training; the end looks at all
SNAPSHOT_BYTES = 2**20  # frequencies a snapshot keeps: all of them, or a random sample this large
CHECKPOINT_SECONDS = 2.0  # between two checkpoints, or longer: writing them may take a thirtieth of the time
EXACT_FLOPS = 2e11  # the exact complexity is computed on all rows at the end where that costs less


def milestones(total: int, epoch: int, limit: int = 60) -> list[int]:
    """Steps at which the model is measured and kept: 0, powers of two within the first epoch, then ends of
    epochs (at most ``limit`` of them, evenly), and the last."""
    early = {2**k for k in range(2, 40) if 2**k < min(epoch, total)}
    ends = list(range(epoch, total + 1, epoch))
    if len(ends) > limit:
        ends = [ends[round(i * (len(ends) - 1) / (limit - 1))] for i in range(limit)]
    return sorted({0, total} | early | set(ends))


def train(
    spec: RunSpec,
    *,
    control: Control | None = None,
    resume: Checkpoint | None = None,
    data: Prepared | None = None,
) -> Iterator[Event]:
    """Train ``spec`` and yield what happens.

    Args:
        spec: what to train on what.
        control: where requests are looked for; without one the run goes freely.
        resume: go on from this checkpoint of the same spec and data.
        data: prepared data, where they are at hand; otherwise loaded as the spec says.

    Yields:
        Started, then Step, Evaluated, Snapshot and Checkpoint as they come, and one of Finished,
        Failed and Cancelled as the last.

    Raises:
        KernlabError: the spec, the data or the device cannot be used; nothing was started.
    """
    device = devices.resolve(spec.device)
    if data is None:
        data = prepare(load(spec.data), spec.data, spec.seed)
    method = rules.resolve(spec.method, data)
    run = _Run(replace(spec, method=method), data, device, control or Control(), resume)
    step = run.step
    try:
        for event in run.events():
            step = getattr(event, "step", step)
            yield event
    except TrainingError as error:
        yield Failed(step, str(error))
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # a matrix with NaN or infinity has no singular values
        yield Failed(step, str(run.diverged("weights that are not finite")))
    except (torch.OutOfMemoryError, MemoryError):
        yield Failed(
            step,
            str(TrainingError("the run must fit into memory", device, "set a smaller n_features or batch_size")),
        )


@dataclass(frozen=True)
class Result:
    """A finished training: what ``kernlab train --json`` prints, and the model."""

    summary: Mapping[str, Any]
    model: Model


def fit(spec: RunSpec, *, data: Prepared | None = None) -> Result:
    """Train to the end and return the summary and the model.

    Raises:
        TrainingError: the run diverged or did not fit into memory.
    """
    (last,) = deque(train(spec, data=data), maxlen=1)
    if isinstance(last, Finished):
        return Result(last.summary, Model.from_arrays(last.model, last.meta))
    raise TrainingError("the run must reach its last step", getattr(last, "message", "it was stopped"))


class _Run:
    """One training in progress: its tensors, and the pieces of the loop."""

    def __init__(
        self, spec: RunSpec, data: Prepared, device: torch.device, control: Control, resume: Checkpoint | None
    ) -> None:
        self.spec, self.data, self.device, self.control = spec, data, device, control
        self.method: MethodSpec = spec.method
        assert isinstance(spec.method.solver, ProximalGradient)
        assert isinstance(spec.method.objective, Loss)
        self.solver, self.loss = spec.method.solver, spec.method.objective
        self.began = time.perf_counter()

        self.n, self.K = len(data.X_train), data.dataset.n_outputs
        self.per_epoch = self.n // self.solver.batch_size
        self.total = int(self.solver.epochs) * self.per_epoch
        self.milestones = set(milestones(self.total, self.per_epoch))
        self.every = max(1, self.total // 500)  # steps between two points of a curve

        d, work = data.dataset.d, self.method.feature_map.width * getattr(self.method.feature_map, "pairs", 1)
        self.threads = devices.threads_for(2.0 * self.solver.batch_size * d * work)
        if device.type == "cpu":
            torch.set_num_threads(self.threads)
        self.X, self.y = self._tensors(data.X_train, data.y_train)
        samples = np.random.default_rng(spec.seed)
        self.train_sample = torch.from_numpy(samples.permutation(self.n)[:EVALUATE_TRAIN]).to(device)
        test_rows = samples.permutation(len(data.X_test))[:EVALUATE_TEST]
        self.X_test, self.y_test = self._tensors(data.X_test[test_rows], data.y_test[test_rows])

        generator = torch.Generator().manual_seed(spec.seed)
        self.params = self.method.feature_map.init(self.X, generator)
        self.params["weight"] = torch.zeros(self.method.feature_map.width, self.K, device=device, dtype=self.X.dtype)
        self.free = ["weight", *(self.method.feature_map.trainable if self.method.learned else ())]
        self.initial = {k: v.clone() for k, v in self.method.feature_map.frequencies(self._kept()).items()}
        self.learning_rate = float(self.solver.learning_rate)
        self.optimizer = self.solver.make_optimizer([self.params[k] for k in self.free], self.learning_rate)
        self.step, self.summed = 0, 0
        self.sums: dict[str, Any] = {}
        self.order, self.order_epoch = torch.empty(0, dtype=torch.int64), -1
        if resume:
            self._restore(resume)
        self.gradients, self.compiled = self._step_function()

    # -- the loop ---------------------------------------------------------------------------------------------

    def events(self) -> Iterator[Event]:
        facts, arrays = view_of(self.data, self.spec.seed)
        self.view_points = torch.from_numpy(arrays["view_points"]).to(self.device)
        first = {f"{name}_initial": _numpy(value) for name, value in self.initial.items()}
        yield Started(self.spec.to_dict(), {**self.facts(), **facts}, {**arrays, **first})
        if self.step == 0:
            yield from self.look()
        if self.step == 0:
            yield self.checkpoint()
        saved, pause = time.monotonic(), CHECKPOINT_SECONDS
        while self.step < self.total:
            if self.control.paused:
                yield from self.flush()
                self.control.wait()
            if self.control.cancelled:
                yield from self.flush()
                yield self.checkpoint()
                yield Cancelled(self.step)
                return
            if self.control.take_checkpoint() or time.monotonic() - saved > pause:
                begun = time.monotonic()
                yield self.checkpoint()  # comes back when the consumer has written it
                saved = time.monotonic()
                pause = max(CHECKPOINT_SECONDS, 30 * (saved - begun))
            if self.control.paused:
                continue
            stepped = self.control.spent("batch")  # used up now: a click from here on asks for the next one
            self.advance()
            if self.step % self.per_epoch == 0:
                stepped |= self.control.spent("epoch")
            looking = stepped or self.step in self.milestones
            if looking or self.step <= 8 or self.step % self.every == 0:
                yield from self.flush()
            if looking:
                yield from self.look()
        yield self.finish()

    def advance(self) -> None:
        """One mini-batch: gradient step, then the proximal maps."""
        epoch, place = divmod(self.step, self.per_epoch)
        if epoch != self.order_epoch:
            self.order, self.order_epoch = _order(self.spec.seed, epoch, self.n).to(self.device), epoch
        rows = self.order[place * self.solver.batch_size : (place + 1) * self.solver.batch_size]
        rate = self.learning_rate * self.solver.rate(self.step / self.total)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        with torch.no_grad():
            value, penalties, gradient = self.gradients(self.params, self.X[rows], self.y[rows])
            for name in self.free:
                self.params[name].grad = gradient[name]
            self.optimizer.step()
            proximal_step(self.params["weight"], self.method.regularizers, rate)
        self.sums["loss"] = self.sums.get("loss", 0.0) + value
        for name, penalty in penalties.items():
            self.sums[name] = self.sums.get(name, 0.0) + penalty
        self.step += 1
        self.summed += 1

    def flush(self) -> Iterator[Event]:
        """The means since the last point, where there are any."""
        if not self.summed:
            return
        metrics = {name: float(total) / self.summed for name, total in self.sums.items()}
        self.sums, self.summed = {}, 0
        with torch.no_grad():
            W = self.params["weight"]
            for r in self.method.regularizers:  # those with a proximal map take no part in the step's value
                if r.name not in metrics and r.acts == "proximal step":
                    metrics[r.name] = float(r.value(W, W.new_empty(0, len(W))))  # they look at W alone
        weights = {r.name: r.weight for r in self.method.regularizers}
        metrics["objective"] = metrics["loss"] + sum(w * metrics[name] for name, w in weights.items())
        metrics["learning_rate"] = self.learning_rate * self.solver.rate((self.step - 1) / self.total)
        if not math.isfinite(metrics["objective"]):
            raise self.diverged(metrics["objective"])
        yield Step(self.step, self.epoch, metrics)

    def look(self) -> Iterator[Event]:
        """Measure on the samples and take a snapshot."""
        with torch.no_grad():
            X, y = self.X[self.train_sample], self.y[self.train_sample]
            Phi = torch.cat(list(feature_blocks(self.method, self.params, X)))
            F_train, F_test = Phi @ self.params["weight"], outputs(self.method, self.params, self.X_test)
            metrics, terms = self.measure(Phi, F_train, y, F_test, self.y_test)
            yield Evaluated(self.step, self.epoch, {**metrics, **{f"bound/{k}": v for k, v in terms.items()}})
            scores = outputs(self.method, self.params, self.view_points)
            if self.data.targets:
                scores = torch.as_tensor(self.data.targets.inverse(_numpy(scores)), dtype=torch.float32)
            arrays = {name: _numpy(v) for name, v in self.method.feature_map.frequencies(self._kept()).items()}
            arrays["weight_singular_values"] = _numpy(singular_values(self.params["weight"]))
            arrays["view_scores"] = _numpy(scores)
            arrays["diagonal"] = _numpy(Phi[:500].pow(2).sum(1))
        yield Snapshot(self.step, self.epoch, arrays)

    def finish(self) -> Finished:
        """Measure on everything and hand over the model."""
        method, params = self.method, self.params
        X_test, y_test = self._tensors(self.data.X_test, self.data.y_test)
        with torch.no_grad():
            F_train, F_test = outputs(method, params, self.X), outputs(method, params, X_test)
            Phi = torch.cat(list(feature_blocks(method, params, self.X[self.train_sample])))
            metrics, terms = self.measure(Phi, F_train, self.y, F_test, y_test)
            draws = 8
            if 2.0 * self.n * method.feature_map.width * self.K * draws < EXACT_FLOPS:
                blocks = feature_blocks(method, params, self.X)
                exact, error = rademacher_exact(blocks, self.K, draws=draws, generator=self._generator())
                terms |= {"dual_norm": terms["weight_norm"] * exact, "dual_norm_se": terms["weight_norm"] * error}
            objective = metrics["train_loss"] + sum(
                r.weight * float(r.value(params["weight"], Phi)) for r in method.regularizers
            )
        if not math.isfinite(objective):
            raise self.diverged(objective)
        regression = self.data.dataset.task == "regression"
        summary: dict[str, Any] = {
            "method": method.name,
            "dataset": self.data.dataset.name,
            "spec": self.spec.to_dict(),
            "seed": self.spec.seed,
            "device": str(self.device),
            "n_train": self.n,
            "n_test": len(self.data.X_test),
            "epochs": int(self.solver.epochs),
            "steps": self.step,
            "metric": self.metric,
            "train_metric": metrics["train_metric"],
            "test_metric": metrics["test_metric"],
            "constant": constant_metric(self.data),
            "objective": objective,
            "bound": terms,
            "seconds": time.perf_counter() - self.began,
        }
        if regression:  # the same error with every target stretched to [0, 100]: comparable across data sets
            summary["test_rmse_range100"] = self._rmse(F_test, y_test, range100=True)
            summary["target_unit"] = self.data.target_unit
        arrays, meta = self.model().to_arrays()
        return Finished(self.step, summary, arrays, meta)

    # -- pieces -----------------------------------------------------------------------------------------------

    @property
    def epoch(self) -> float:
        return self.step / self.per_epoch

    @property
    def metric(self) -> str:
        return "accuracy" if self.data.dataset.task == "classification" else "rmse"

    def facts(self) -> dict[str, Any]:
        """The facts of Started that do not depend on the view."""
        dataset = self.data.dataset
        return {
            "n_train": self.n,
            "n_test": len(self.data.X_test),
            "d": dataset.d,
            "K": self.K,
            "task": dataset.task,
            "metric": self.metric,
            "classes": list(dataset.target_names),
            "feature_names": list(dataset.feature_names),
            "image_shape": list(dataset.image_shape) if dataset.image_shape else None,
            "scaling": self.data.inputs.kind,
            "target_unit": self.data.target_unit,
            "device": str(self.device),
            "threads": self.threads,
            "compiled": self.compiled,
            "steps_per_epoch": self.per_epoch,
            "total_steps": self.total,
            "start_step": self.step,
            "constant": constant_metric(self.data),
            "evaluated_rows": [len(self.train_sample), len(self.X_test)],
            "frequencies_kept": self._kept_columns(),
            "fingerprint": fingerprint(dataset),
            "warnings": list(dataset.warnings),
        }

    def measure(
        self,
        Phi: Float[Tensor, "s D"],
        F_train: Float[Tensor, "a K"],
        y_train: Targets,
        F_test: Float[Tensor, "b K"],
        y_test: Targets,
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Metrics and bound terms from outputs and from the features of a sample of training rows."""
        train_loss, test_loss = float(self.loss.value(F_train, y_train)), float(self.loss.value(F_test, y_test))
        metrics = {
            "train_metric": self._score(F_train, y_train),
            "test_metric": self._score(F_test, y_test),
            "train_loss": train_loss,
            "test_loss": test_loss,
        }
        terms = spectral_terms(
            self.params["weight"],
            Phi,
            n=self.n,
            empirical_risk=train_loss,
            lipschitz=self.loss.lipschitz(F_train, y_train),
            gap=test_loss - train_loss,
            generator=self._generator(),
        )
        return metrics, terms

    def diverged(self, found: object) -> TrainingError:
        """What to say when numbers are no longer finite."""
        return TrainingError(
            "the objective must stay finite",
            f"{found} at step {self.step}",
            f"set a learning_rate below {self.learning_rate:g}, or a smaller frequency_scale",
        )

    def model(self) -> Model:
        dataset = self.data.dataset
        params = {name: value.detach().clone() for name, value in self.params.items()}
        return Model(
            self.method,
            params,
            self.data.inputs,
            self.data.targets,
            dataset.task,
            dataset.target_names,
            dataset.feature_names,
        )

    def checkpoint(self) -> Checkpoint:
        arrays = {f"param/{name}": _numpy(value) for name, value in self.params.items()}
        for name in self.free:
            for key, value in self.optimizer.state.get(self.params[name], {}).items():
                arrays[f"optimizer/{name}/{key}"] = _numpy(torch.as_tensor(value))
        sums = {name: float(value) for name, value in self.sums.items()}
        return Checkpoint(self.step, arrays, {"step": self.step, "sums": sums, "summed": self.summed})

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Put a checkpoint's tensors into those that the optimizer holds."""
        tensors = {k: torch.as_tensor(np.array(v)) for k, v in checkpoint.arrays.items()}
        shapes = {name: tuple(value.shape) for name, value in self.params.items()}
        if {k: tuple(tensors[f"param/{k}"].shape) for k in shapes if f"param/{k}" in tensors} != shapes:
            raise OptionError("a checkpoint must belong to the same method and data", "tensors of other shapes")
        with torch.no_grad():
            for name, value in self.params.items():
                value.copy_(tensors[f"param/{name}"])
        for name in self.free:
            prefix = f"optimizer/{name}/"
            state = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
            # Adam's step count lives with the parameter when fused, and is a tensor everywhere.
            self.optimizer.state[self.params[name]] = {k: v.to(self.device) for k, v in state.items()}
        self.step = int(checkpoint.state["step"])
        self.sums = {k: torch.tensor(v, device=self.device) for k, v in checkpoint.state["sums"].items()}
        self.summed = int(checkpoint.state["summed"])

    def _step_function(self) -> tuple[Callable[..., Gradients], bool]:
        plain = risk_gradients(self.method.feature_map, self.method.learned, self.loss, self.method.regularizers)
        if not rules.worth_compiling(self.method, self.total, self.device):
            return plain, False
        # The compiler counts how often one code object was compiled in this process and refuses the ninth;
        # a copy for each run starts its own count, and is freed with the run.
        copy = FunctionType(plain.__code__.replace(), plain.__globals__, closure=plain.__closure__)
        fast = torch.compile(copy, fullgraph=True, dynamic=False)
        rows = slice(0, self.solver.batch_size)
        try:
            with torch.no_grad():
                fast(self.params, self.X[rows], self.y[rows])
        except Exception as error:
            if self.solver.compile == "on":
                raise OptionError("compile=on needs a working C++ compiler", error, "set compile=auto") from None
            return plain, False
        return fast, True

    def _tensors(self, X: Any, y: Any) -> tuple[Tensor, Tensor]:
        return torch.from_numpy(X).to(self.device), torch.from_numpy(y).to(self.device)

    def _generator(self) -> torch.Generator:
        """The same random signs at every look, so that a curve moves only because the model does."""
        return torch.Generator().manual_seed(self.spec.seed + 1)

    def _score(self, F: Float[Tensor, "n K"], y: Targets) -> float:
        if self.metric == "accuracy":
            return 100.0 * int((F.argmax(1) == y).sum()) / len(y)
        return self._rmse(F, y)

    def _rmse(self, F: Float[Tensor, "n K"], y: Targets, range100: bool = False) -> float:
        """Root of the mean, over samples and outputs, of squared errors in the reported unit."""
        assert self.data.targets
        unit = self.data.targets.scale * (self.data.range100 if range100 else 1.0)
        return float(np.sqrt(np.mean((_numpy(F - y).astype(np.float64) * unit) ** 2)))

    def _kept_columns(self) -> int:
        """How many frequencies a snapshot keeps: they are random draws, so the first are a fair sample."""
        omega = next(iter(self.method.feature_map.frequencies(self.params).values()), None)
        if omega is None:
            return 0
        each = omega.element_size() * omega.shape[0] * len(self.method.feature_map.frequencies(self.params))
        return min(omega.shape[1], max(1, SNAPSHOT_BYTES // each))

    def _kept(self) -> dict[str, Tensor]:
        """The parameters with only the frequencies that a snapshot keeps."""
        kept = self._kept_columns()
        return {k: v[..., :kept] if k in ("omega", "phase") else v for k, v in self.params.items()}


def _order(seed: int, epoch: int, n: int) -> Tensor:
    """The order of the rows in one epoch; a function of (seed, epoch) alone, so there is no state to keep."""
    mixed = int(np.random.SeedSequence([seed, epoch]).generate_state(1, np.uint64)[0] >> 1)
    return torch.randperm(n, generator=torch.Generator().manual_seed(mixed))


def _numpy(value: Tensor) -> Any:
    return value.detach().cpu().numpy().copy()

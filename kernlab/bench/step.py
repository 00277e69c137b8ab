"""One ASKL training step (d = 16, D = 2000, K = 26, batches of 32: letter's shape) on one CPU thread.

The step of the training, eager and compiled, against a plain reference with the same mathematics, autograd, and a full
SVD of W.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from kernlab import devices
from kernlab.bench.base import BENCHMARKS, in_turns, ratio
from kernlab.data import Prepared, load, make_dataset, prepare
from kernlab.errors import KernlabError
from kernlab.solvers.proximal_gradient import proximal_step
from kernlab.spec import RunSpec
from kernlab.training import rules
from kernlab.training.gradient import GradientState
from kernlab.typing import Float, Int, Tensor

__all__ = ["PlainASKL", "askl_step", "letter", "reference"]

STEPS = 100  # in one timing


class PlainASKL:
    """The training steps of ASKL as in a textbook: autograd, Adam, and a full singular value decomposition of W.

    The baseline of the closed-form step, and an oracle for it: the same mathematics without shared code.

    Args:
        omega, omega_prime: frequencies [d D].
        phase: phases [D], shared by both; None: pairs of cosine and sine, two columns a frequency.
        K: classes.
        learning_rate: of Adam.
        trace_norm, feature_norm: λ₁ and λ₂.
    """

    def __init__(
        self,
        omega: Float[Tensor, "d D"],
        omega_prime: Float[Tensor, "d D"],
        phase: Float[Tensor, " D"] | None,
        K: int,
        *,
        learning_rate: float,
        trace_norm: float,
        feature_norm: float,
    ) -> None:
        self.omega = omega.clone().requires_grad_()
        self.omega_prime = omega_prime.clone().requires_grad_()
        columns = omega.shape[1] * (2 if phase is None else 1)
        self.weight = torch.zeros(columns, K, device=omega.device, requires_grad=True)
        self.phase, self.trace_norm, self.feature_norm = phase, trace_norm, feature_norm
        self.optimizer = torch.optim.Adam([self.omega, self.omega_prime, self.weight], lr=learning_rate)

    def step(self, X: Float[Tensor, "m d"], y: Int[Tensor, " m"], learning_rate: float) -> None:
        """One mini-batch."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        z, z_prime = X @ self.omega, X @ self.omega_prime
        if self.phase is None:
            Phi = torch.cat([torch.cos(z) + torch.cos(z_prime), torch.sin(z) + torch.sin(z_prime)], dim=1)
        else:
            Phi = torch.cos(z + self.phase) + torch.cos(z_prime + self.phase)
        Phi = Phi / math.sqrt(2 * Phi.shape[1])
        F = Phi @ self.weight
        own = F.gather(1, y[:, None]).squeeze(1)
        other = F.scatter(1, y[:, None], -torch.inf).max(1).values  # one of several equal ones
        objective = torch.relu(1 - own + other).mean() + self.feature_norm * Phi.pow(2).sum() / len(X)
        self.optimizer.zero_grad()
        objective.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        with torch.no_grad():
            U, s, Vh = torch.linalg.svd(self.weight, full_matrices=False)
            self.weight.copy_(U @ torch.diag((s - learning_rate * self.trace_norm).clamp_min(0)) @ Vh)


@BENCHMARKS.register("askl-step")
def askl_step() -> dict[str, Any]:
    """Speed of a step against the reference, the time of its parts, and the relative difference of the results."""
    data, origin = letter()
    with devices.one_thread():
        eager, compiled, plain = _run(data, "off"), _run(data, "on"), _plain(_run(data, "off"))
        difference = _difference(_run(data, "off"), _run(data, "on"), _run(data, "off"))
        seconds = in_turns({
            "reference": plain,
            "eager": _advance(eager),
            "compiled": _advance(compiled),
        })  # fmt: skip
        parts = _parts(eager)
    figures: dict[str, Any] = {
        "data": origin,
        "threads": 1,
        "eager_times_faster": ratio(seconds["reference"], seconds["eager"]),
        "compiled_times_faster": ratio(seconds["reference"], seconds["compiled"]),
        "relative_difference_eager": difference[0],
        "relative_difference_compiled": difference[1],
    }
    for name, values in seconds.items():
        figures[f"{name}_steps_per_second"] = STEPS / statistics.median(values)
    return figures | parts


def letter() -> tuple[Prepared, str]:
    """The prepared letter data, or random numbers of its shape if they are not at hand; the time is the same."""
    spec = RunSpec.of("ASKL", "letter").data
    try:
        return prepare(load("letter"), spec, 0), "letter"
    except KernlabError:
        rng = np.random.default_rng(0)
        table = make_dataset("random", rng.normal(size=(20_000, 16)), rng.integers(0, 26, 20_000), "classification")
        return prepare(table, spec, 0), "random numbers of letter's shape"


def _run(data: Prepared, compile: str) -> GradientState:
    spec = RunSpec.of("ASKL", "letter", compile=compile, epochs=10, frequency_scale=0.18)
    state = GradientState(rules.resolve(spec.method, data), data, spec.seed, torch.device("cpu"))
    state.compile()
    return state


def _advance(run: GradientState) -> Callable[[], None]:
    def go() -> None:
        for _ in range(STEPS):
            run.advance()

    return go


def _plain(run: GradientState) -> Callable[[], None]:
    """The reference with the frequencies and mini-batches of ``run``."""
    model = reference(run)

    def go() -> None:
        for _ in range(STEPS):
            X, y = run.batch()
            model.step(X, y, run.rate)
            run.step += 1

    return go


def reference(run: GradientState) -> PlainASKL:
    """The reference before its first step, with the frequencies of ``run``."""
    weights = {r.name: r.weight for r in run.method.regularizers}
    omega, phase = run.params["omega"], run.params["phase"][0] if "phase" in run.params else None
    return PlainASKL(
        omega[:, 0], omega[:, 1], phase, run.K, learning_rate=run.learning_rate,
        trace_norm=weights["trace_norm"], feature_norm=weights["feature_norm"],
    )  # fmt: skip


def _difference(eager: GradientState, compiled: GradientState, source: GradientState, steps: int = 10) -> list[float]:
    """Relative distance ‖θ − θ_reference‖/‖θ_reference‖ after some steps, the larger of Ω and W.

    Single entries may differ more: even if a gradient is mere rounding error, Adam makes a step of full length.
    """
    model = reference(source)
    for _ in range(steps):
        X, y = source.batch()
        model.step(X, y, source.rate)
        source.step += 1
        eager.advance()
        compiled.advance()
    truth = {
        "omega": torch.stack([model.omega, model.omega_prime], dim=1).detach(),
        "weight": model.weight.detach(),
    }
    return [max(float((run.params[k] - truth[k]).norm() / truth[k].norm()) for k in truth) for run in (eager, compiled)]


def _parts(run: GradientState, steps: int = 300) -> dict[str, float]:
    """Milliseconds of the parts of an eager step."""
    clock = {"gradients_ms": 0.0, "optimizer_ms": 0.0, "proximal_ms": 0.0}
    with torch.no_grad():
        for _ in range(steps):
            X, y = run.batch()
            marks = [time.perf_counter()]
            _, _, gradient = run.gradients(run.params, X, y)
            marks.append(time.perf_counter())
            for name in run.free:
                run.params[name].grad = gradient[name]
            run.optimizer.step()
            marks.append(time.perf_counter())
            proximal_step(run.params["weight"], run.method.regularizers, run.rate)
            marks.append(time.perf_counter())
            for i, key in enumerate(clock):
                clock[key] += marks[i + 1] - marks[i]
            run.step += 1
    return {key: 1000 * value / steps for key, value in clock.items()}

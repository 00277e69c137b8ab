"""One ASKL training step (d = 16, D = 2000, K = 26, batches of 32: letter's shape) on one CPU thread.

The step that training really takes, eager and compiled, against a plain reference that does the same
mathematics with autograd and a full SVD of W.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from kernlab.bench.base import BENCHMARKS, in_turns, ratio
from kernlab.bench.reference import PlainASKL
from kernlab.data import Prepared, load, make_dataset, prepare
from kernlab.errors import KernlabError
from kernlab.solvers.proximal_gradient import proximal_step
from kernlab.spec import RunSpec
from kernlab.training import rules
from kernlab.training.gradient import GradientState

__all__ = ["askl_step", "letter", "reference"]

STEPS = 100  # in one timing


@BENCHMARKS.register("askl-step")
def askl_step() -> dict[str, Any]:
    """Speed of a step against the reference, the parts of it, and how far the results differ."""
    data, origin = letter()
    threads = torch.get_num_threads()
    try:
        eager, compiled, plain = _run(data, "off"), _run(data, "on"), _plain(_run(data, "off"))
        torch.set_num_threads(1)
        difference = _difference(_run(data, "off"), _run(data, "on"), _run(data, "off"))
        seconds = in_turns({
            "reference": plain,
            "eager": _advance(eager),
            "compiled": _advance(compiled),
        })  # fmt: skip
        parts = _parts(eager)
    finally:
        torch.set_num_threads(threads)
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
    """The letter data prepared, or random numbers of its shape where they are not at hand: the time is the same."""
    spec = RunSpec.of("ASKL", "letter").data
    try:
        return prepare(load("letter"), spec, 0), "letter"
    except KernlabError:
        rng = np.random.default_rng(0)
        table = make_dataset("random", rng.normal(size=(20_000, 16)), rng.integers(0, 26, 20_000), "classification")
        return prepare(table, spec, 0), "random numbers of letter's shape"


def _run(data: Prepared, compile: str) -> GradientState:
    spec = RunSpec.of("ASKL", "letter", compile=compile, epochs=10, frequency_scale=0.18)
    return GradientState(rules.resolve(spec.method, data), data, spec.seed, torch.device("cpu"))


def _advance(run: GradientState) -> Callable[[], None]:
    def go() -> None:
        for _ in range(STEPS):
            run.advance()

    return go


def _plain(run: GradientState) -> Callable[[], None]:
    """The reference on the same frequencies and mini-batches as ``run``."""
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

    Entry by entry a few numbers may differ more: where a gradient is rounding error, Adam still makes a
    step of full length of it.
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

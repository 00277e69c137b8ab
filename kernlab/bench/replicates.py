"""Replicates of ASKL (d = 16, D = 2000, K = 26, batches of 32: letter's shape) against the plain reference.

The reference trains one replicate after the other, on one CPU thread (more make its small steps slower) or on CUDA.
:func:`kernlab.training.replicates.replicate` trains them at once: in processes on the CPU, as a stack on CUDA. Every
replicate makes the same number of steps, without measurements in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from kernlab import devices
from kernlab.bench.base import BENCHMARKS, in_turns, medians, ratio
from kernlab.bench.step import letter, reference
from kernlab.data import Prepared
from kernlab.methods import MethodSpec, method
from kernlab.training import rules
from kernlab.training.gradient import GradientState
from kernlab.training.replicates import Replicate, replicate
from kernlab.training.stacked import Stack, initial_state

__all__ = ["askl_replicates"]

BATCH = 32
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm")
COMPARED = 1000  # rows whose predictions are compared


@BENCHMARKS.register("replicates")
def askl_replicates(cpu: int = 10, cuda: int = 30, steps: int = 500, rounds: int = 3) -> dict[str, Any]:
    """How many times faster than one by one, and the relative difference of the predictions.

    Args:
        cpu, cuda: replicates on each device.
        steps: of each replicate; 500 are an epoch of letter.
        rounds: whose median is reported.
    """
    prepared, origin = letter()
    rows = steps * BATCH  # one epoch has ``steps`` steps
    data = replace(
        prepared,
        train_rows=prepared.train_rows[:rows],
        X_train=prepared.X_train[:rows],
        y_train=prepared.y_train[:rows],
    )
    spec = method("ASKL", n_features=2000, batch_size=BATCH, epochs=1, frequency_scale=0.18, compile="off")
    figures: dict[str, Any] = {"data": origin, "steps": steps, "cores": devices.cores()}
    figures |= {f"cpu_{key}": value for key, value in _on_cpu(spec, data, cpu, rounds).items()}
    if not torch.cuda.is_available():
        return {**figures, "cuda_skipped": "this machine has no CUDA device"}
    return figures | {f"cuda_{key}": value for key, value in _on_cuda(spec, data, cuda, rounds).items()}


def _on_cpu(spec: MethodSpec, data: Prepared, R: int, rounds: int) -> dict[str, Any]:
    device, threads = torch.device("cpu"), torch.get_num_threads()
    plain, ours = _one_by_one(spec, data, R, device), _together(spec, data, R, device)
    alone = _together(spec, data, R, device, workers=1)
    try:
        torch.set_num_threads(1)
        seconds = in_turns({"reference": plain, "alone": alone, "ours": ours}, rounds)
        difference = _difference(alone(), ours(), data)
    finally:
        torch.set_num_threads(threads)
    return {
        "replicates": R,
        "times_faster": ratio(seconds["reference"], seconds["ours"]),
        "times_faster_than_one_worker": ratio(seconds["alone"], seconds["ours"]),
        "relative_difference": difference,
        **medians(seconds),
    }


def _on_cuda(spec: MethodSpec, data: Prepared, R: int, rounds: int) -> dict[str, Any]:
    device = torch.device("cuda")
    plain, ours = _one_by_one(spec, data, R, device), _together(spec, data, R, device)
    seconds = in_turns({"reference": plain, "ours": ours}, rounds)
    return {
        "device": devices.describe(device),
        "replicates": R,
        "times_faster": ratio(seconds["reference"], seconds["ours"]),
        "relative_difference": _difference(_together(spec, data, R, torch.device("cpu"))(), ours(), data),
        "share_in_matrix_products": _share_in_products(spec, data, R, device),
        **medians(seconds),
    }


def _together(
    spec: MethodSpec, data: Prepared, R: int, device: torch.device, workers: int | None = None
) -> Callable[[], list[Replicate]]:
    def go() -> list[Replicate]:
        found = replicate(spec, data, range(R), device=device.type, workers=workers, evaluations=0)
        return sorted(found, key=lambda each: each.number)

    return go


def _one_by_one(spec: MethodSpec, data: Prepared, R: int, device: torch.device) -> Callable[[], None]:
    """The reference with the same initial frequencies and the same mini-batches."""

    def go() -> None:
        threads = torch.get_num_threads()
        for seed in range(R):
            state = GradientState(rules.resolve(spec, data), data, seed, device)
            torch.set_num_threads(threads)
            model = reference(state)
            for step in range(state.total):
                state.step = step
                X, y = state.batch()
                model.step(X, y, state.rate)
        if device.type == "cuda":
            torch.cuda.synchronize()

    return go


def _difference(one_by_one: list[Replicate], together: list[Replicate], data: Prepared) -> float:
    """The largest relative distance of predictions over the replicates."""
    X = data.dataset.X[data.test_rows[:COMPARED]]
    apart = []
    for a, b in zip(one_by_one, together, strict=True):
        truth = torch.from_numpy(a.model.decision_function(X))
        apart.append(float((torch.from_numpy(b.model.decision_function(X)) - truth).norm() / truth.norm()))
    return max(apart)


def _share_in_products(spec: MethodSpec, data: Prepared, R: int, device: torch.device, steps: int = 20) -> float:
    """Share of the device's time that a step spends in matrix products.

    Measured with kernels that are launched one by one, since the profiler cannot assign those of a graph to operations.
    """
    from torch.profiler import ProfilerActivity, profile

    resolved = rules.resolve(spec, data)
    stack = Stack([initial_state(resolved, data, seed) for seed in range(R)], device, graphs=False)
    stack.advance(steps)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        stack.advance(steps)
        torch.cuda.synchronize()
    # Operations only, since the profiler lists the kernels that they launch separately.
    spent = {e.key: e.self_device_time_total for e in seen.key_averages() if e.key.startswith("aten::")}
    return float(sum(spent.get(name, 0.0) for name in PRODUCTS) / sum(spent.values()))

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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from kernlab import devices
from kernlab.data import Prepared, constant_metric, fingerprint, load, prepare
from kernlab.errors import OptionError, TrainingError
from kernlab.methods import MethodSpec
from kernlab.model import Model
from kernlab.solvers import ProximalGradient
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
from kernlab.training.gradient import GradientState
from kernlab.training.measure import Measure
from kernlab.training.state import TrainingState
from kernlab.training.stepwise import StepwiseState
from kernlab.typing import Tensor

__all__ = ["Result", "fit", "learn", "milestones", "prepared", "start", "train", "trained"]

POINTS = 500  # of a curve, about
CHECKPOINT_SECONDS = 2.0  # between two checkpoints, or longer: writing them may take a thirtieth of the time


def milestones(total: int, epoch: int, limit: int | None = None) -> list[int]:
    """Steps at which the model is measured and kept: 0, powers of two within the first epoch (of all steps, where
    each is an epoch), then ends of epochs (at most ``limit`` of them, evenly), and the last.

    ``limit`` is 200, or less where 300 steps a look would not be left: 60 at least.
    """
    if limit is None:
        limit = min(200, max(60, total // 300))
    early = {2**k for k in range(2, 40) if 2**k < (min(epoch, total) if epoch > 1 else total)}
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
    began = time.perf_counter()
    device = devices.resolve(spec.device)
    if data is None:
        data = prepared(spec)
    spec = replace(spec, method=rules.resolve(spec.method, data))
    state = start(spec.method, data, spec.seed, device)
    looks = len(milestones(state.total, state.per_epoch))
    measure = Measure(state, looks)  # before a checkpoint is put in: it keeps the frequencies as they were drawn
    if resume:
        _go_on(state, resume)
    try:
        yield Started(spec.to_dict(), {**_facts(state), **measure.facts}, measure.arrays)
        yield from _steps(state, measure, control or Control())
        if state.done:
            yield _finished(spec, state, measure, time.perf_counter() - began)
    except TrainingError as error:
        yield Failed(state.step, str(error))
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # NaN or infinity has no singular values
        yield Failed(state.step, str(state.diverged()))
    except (torch.OutOfMemoryError, MemoryError):
        advice = "set a smaller n_features or batch_size"
        yield Failed(state.step, str(TrainingError("the run must fit into memory", device, advice)))


@dataclass(frozen=True)
class Result:
    """A finished training: what ``kernlab train --json`` prints, and the model."""

    summary: Mapping[str, Any]
    model: Model


def learn(
    method: MethodSpec,
    data: Prepared,
    *,
    seed: int = 0,
    device: str = "auto",
    sample_weight: Tensor | None = None,
) -> Model:
    """Train to the end without looking, and return the model; ``data`` needs no test part.

    Raises:
        KernlabError: the method, the data or the device cannot be used.
        TrainingError: the run diverged.
    """
    return trained(method, data, seed=seed, device=device, sample_weight=sample_weight).model()


def trained(
    method: MethodSpec,
    data: Prepared,
    *,
    seed: int = 0,
    device: str = "auto",
    sample_weight: Tensor | None = None,
) -> TrainingState:
    """As :func:`learn`, for the state at the end. It takes no more threads than the caller had."""
    threads = torch.get_num_threads()
    try:
        state = start(rules.resolve(method, data), data, seed, devices.resolve(device), sample_weight)
        torch.set_num_threads(min(threads, torch.get_num_threads()))
        while not state.done:
            state.advance()
        state.check_finite()
        state.settle()
        return state
    finally:
        torch.set_num_threads(threads)


def fit(spec: RunSpec, *, data: Prepared | None = None) -> Result:
    """Train to the end and return the summary and the model.

    Raises:
        TrainingError: the run diverged or did not fit into memory.
    """
    threads = torch.get_num_threads()
    try:
        (last,) = deque(train(spec, data=data), maxlen=1)
    finally:
        torch.set_num_threads(threads)  # a run computes with its own number; the caller gets theirs back
    if isinstance(last, Finished):
        return Result(last.summary, Model.from_arrays(last.model, last.meta))
    raise TrainingError("the run must reach its last step", getattr(last, "message", "it was stopped"))


def prepared(spec: RunSpec) -> Prepared:
    """The spec's data, split and scaled; where the scaling is "auto" the method may have one of its own."""
    data = rules.resolve_data(spec.data, spec.method)
    return prepare(load(data), data, spec.seed)


def start(
    method: MethodSpec, data: Prepared, seed: int, device: torch.device, sample_weight: Tensor | None = None
) -> TrainingState:
    """The training of a resolved method, before its first step."""
    kind = GradientState if isinstance(method.solver, ProximalGradient) else StepwiseState
    return kind(method, data, seed, device, sample_weight)


def _go_on(state: TrainingState, checkpoint: Checkpoint) -> None:
    """Put a checkpoint in.

    Raises:
        OptionError: it is of another training, or not what a training writes.
    """
    must, fix = "a checkpoint must belong to the same method and data", "train a new run with the same options"
    try:
        state.restore(checkpoint)
    except OptionError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError, OverflowError) as error:
        raise OptionError(must, f"one with other contents ({type(error).__name__}: {error})", fix) from error
    if not checkpoint.step == state.step <= state.total:
        given = f"step {checkpoint.step}, with a state of step {state.step}, of {state.total} steps"
        raise OptionError(must, given, fix)


def _steps(state: TrainingState, measure: Measure, control: Control) -> Iterator[Event]:
    """The loop: steps, points, looks and checkpoints, until there is nothing more to learn or a request to stop."""
    looks = set(milestones(state.total, state.per_epoch))
    every = max(1, state.total // POINTS)
    if state.step == 0:
        yield from _look(state, measure)
        yield state.checkpoint()
    saved, pause = time.monotonic(), CHECKPOINT_SECONDS
    while not state.done:
        if control.paused:
            yield from _point(state)
            control.wait()
        if control.cancelled:
            yield from _point(state)
            yield state.checkpoint()
            yield Cancelled(state.step)
            return
        if control.take_checkpoint() or time.monotonic() - saved > pause:
            begun = time.monotonic()
            yield state.checkpoint()  # comes back when the consumer has written it
            saved = time.monotonic()
            pause = max(CHECKPOINT_SECONDS, 30 * (saved - begun))
        if control.paused:
            continue
        stepped = control.spent("batch")  # used up now: a click from here on asks for the next one
        state.advance()
        if state.step % state.per_epoch == 0:
            stepped |= control.spent("epoch")
        looking = stepped or state.done or state.step in looks
        if looking or state.step <= 8 or state.step % every == 0:
            yield from _point(state)
        if state.done:
            state.settle()
        if looking:
            yield from _look(state, measure)


def _point(state: TrainingState) -> Iterator[Event]:
    """The means since the last point of the curves, where there were steps.

    Raises:
        TrainingError: they are not finite.
    """
    metrics = state.take_means()
    if not metrics:
        return
    if not math.isfinite(metrics.get("objective", 0.0)):
        raise state.diverged(metrics["objective"])
    yield Step(state.step, state.epoch, metrics)


def _look(state: TrainingState, measure: Measure) -> Iterator[Event]:
    metrics, arrays = measure.look()
    yield Evaluated(state.step, state.epoch, metrics)
    yield Snapshot(state.step, state.epoch, arrays)


def _facts(state: TrainingState) -> dict[str, Any]:
    data, dataset = state.data, state.data.dataset
    return {
        "n_train": state.n,
        "n_test": len(data.X_test),
        "d": data.d,
        "K": state.K,
        "task": dataset.task,
        "classes": list(dataset.target_names),
        "feature_names": list(data.inputs.names(dataset.feature_names)),
        "image_shape": list(dataset.image_shape) if dataset.image_shape and data.d == dataset.d else None,
        "scaling": data.inputs.kind,
        "target_unit": data.target_unit,
        "device": str(state.device),
        "threads": state.threads,
        "compiled": state.compiled,
        "steps_per_epoch": state.per_epoch,
        "total_steps": state.total,
        "start_step": state.step,
        "constant": constant_metric(data),
        "fingerprint": fingerprint(dataset),
        "warnings": list(dataset.warnings),
    }


def _finished(spec: RunSpec, state: TrainingState, measure: Measure, seconds: float) -> Finished:
    """Measure on everything and hand over the model.

    Raises:
        TrainingError: the last steps were not finite.
    """
    found = measure.final()
    if not math.isfinite(found["objective"]):
        raise state.diverged(found["objective"])
    summary = {
        "method": spec.method.name,
        "dataset": state.data.dataset.name,
        "spec": spec.to_dict(),
        "seed": spec.seed,
        "device": str(state.device),
        "n_train": state.n,
        "n_test": len(state.data.X_test),
        "epochs": state.step // state.per_epoch,
        "steps": state.step,
        "constant": constant_metric(state.data),
        **found,
        "seconds": seconds,
    }
    arrays, meta = state.model().to_arrays()
    return Finished(state.step, summary, arrays, meta)

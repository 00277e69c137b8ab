"""Training as a generator of events.

    for event in train(RunSpec.of("ASKL", "letter")):
        ...

Numbers follow from the spec, the data, the device and the thread count alone: mini-batches are drawn
from (seed, epoch), so a checkpoint holds tensors and a step number, and a resumed run equals the
uninterrupted one. Requests (pause, step, stop, checkpoint) are looked at between mini-batches.

Where the method holds rows back the run has two stretches: it learns on the others and judges every epoch, until
nothing is gained (Kept says what was best), and it repeats the best number of epochs on all rows. Steps and epochs are
counted through both.
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
    Kept,
    Snapshot,
    Started,
    Step,
)
from kernlab.training.measure import Measure
from kernlab.training.selection import Choice, Selection, chosen, holds_back, start
from kernlab.training.state import TrainingState
from kernlab.typing import Tensor

__all__ = ["Result", "fit", "learn", "milestones", "prepared", "train", "trained"]

POINTS = 500  # of a curve, about
UNREADABLE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    RuntimeError,
    OverflowError,
)  # of a foreign checkpoint
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
        Started, then Step, Evaluated, Snapshot and Checkpoint as they come, Kept where rows were held back, and one
        of Finished, Failed and Cancelled as the last.

    Raises:
        KernlabError: the spec, the data or the device cannot be used; nothing was started.
    """
    began = time.perf_counter()
    device = devices.resolve(spec.device)
    if data is None:
        data = prepared(spec)
    method, control = rules.resolve(spec.method, data), control or Control()
    before = _Before.of(resume)
    choosing: Selection | None = None
    if isinstance(method.solver, ProximalGradient) and holds_back(method) and not before.choice:
        choosing = Selection(method, data, spec.seed, device)
    state = choosing.state if choosing else start(method, data, spec.seed, device, choice=before.choice)
    spec = replace(spec, method=state.method)
    looks = len(milestones(state.total, state.per_epoch))
    measure = Measure(state, looks)  # before a checkpoint is put in: it keeps the frequencies as they were drawn
    if resume:
        _go_on(choosing or state, state, resume, before.step)
    try:
        yield Started(spec.to_dict(), {**_facts(state, data, before), **measure.facts}, measure.arrays)
        if choosing:
            yield from _steps(state, measure, control, choosing)
            if not choosing.done:
                return
            choice = choosing.choice
            before = _Before(choosing.epoch * state.per_epoch, float(choosing.epoch), choice)
            state = start(spec.method, data, spec.seed, device, choice=choice)
            yield Kept(before.step, before.epoch, _kept(state, before))
            measure = Measure(state, looks)
        yield from before.shifted(_steps(state, measure, control))
        if state.done:
            yield _finished(spec, state, measure, time.perf_counter() - began, before)
    except TrainingError as error:
        yield Failed(state.step, str(error))
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # NaN or infinity has no singular values
        yield Failed(state.step, str(state.diverged()))
    except (torch.OutOfMemoryError, MemoryError):
        advice = "set a smaller n_features or batch_size"
        yield Failed(state.step, str(TrainingError("the run must fit into memory", device, advice)))


@dataclass(frozen=True)
class _Before:
    """What lies before the stretch on all rows: steps and epochs of choosing, and what was chosen."""

    step: int = 0
    epoch: float = 0.0
    choice: Choice | None = None

    @classmethod
    def of(cls, resume: Checkpoint | None) -> _Before:
        """As a checkpoint of that stretch tells it."""
        known = resume.state.get("before") if resume else None
        try:
            return cls(int(known["step"]), float(known["epoch"]), Choice(**known["choice"])) if known else cls()
        except UNREADABLE as error:
            must, fix = "a checkpoint must say what was chosen before it", "train a new run with the same options"
            raise OptionError(must, f"{type(error).__name__}: {error}", fix) from error

    def shifted(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events with their steps and epochs counted on, and checkpoints that know what lies before."""
        if not self.choice:
            yield from events
            return
        known = {"step": self.step, "epoch": self.epoch, "choice": self.choice.to_dict()}
        for event in events:
            moved: dict[str, Any] = {"step": event.step + self.step}  # type: ignore[union-attr]
            if isinstance(event, Step | Evaluated | Snapshot):
                moved["epoch"] = event.epoch + self.epoch
            if isinstance(event, Checkpoint):
                moved["state"] = {**event.state, "before": known}
            yield replace(event, **moved)


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
        where = devices.resolve(device)
        resolved, choice = chosen(rules.resolve(method, data), data, seed, where, sample_weight)
        state = start(resolved, data, seed, where, sample_weight, choice)
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


def _go_on(goal: TrainingState | Selection, state: TrainingState, checkpoint: Checkpoint, before: int) -> None:
    """Put a checkpoint in.

    Args:
        goal: what it is put in.
        state: the training.
        before: steps of choosing, where those lie behind.

    Raises:
        OptionError: it is of another training, or not what a training writes.
    """
    must, fix = "a checkpoint must belong to the same method and data", "train a new run with the same options"
    try:
        goal.restore(checkpoint)
    except OptionError:
        raise
    except UNREADABLE as error:
        raise OptionError(must, f"one with other contents ({type(error).__name__}: {error})", fix) from error
    if not checkpoint.step - before == state.step <= state.total:
        given = f"step {checkpoint.step}, with a state of step {state.step}, of {state.total} steps"
        raise OptionError(must, given, fix)


def _steps(
    state: TrainingState, measure: Measure, control: Control, choosing: Selection | None = None
) -> Iterator[Event]:
    """The loop: steps, points, looks and checkpoints, until there is nothing more to learn or a request to stop."""
    looks = set(milestones(state.total, state.per_epoch))
    every = max(1, max(state.total, state.scheduled) // POINTS)  # as far apart where a schedule is cut short
    goal = choosing or state
    if state.step == 0:
        judged = choosing.look() if choosing else {}
        if state.done:
            state.settle()
        yield from _look(state, measure, judged)
        yield goal.checkpoint()
    saved, pause = time.monotonic(), CHECKPOINT_SECONDS
    while not state.done and not (choosing and choosing.learned.done):
        if control.paused:
            yield from _point(state)
            control.wait()
        if control.cancelled:
            yield from _point(state)
            yield goal.checkpoint()
            yield Cancelled(state.step)
            return
        if control.take_checkpoint() or time.monotonic() - saved > pause:
            begun = time.monotonic()
            yield goal.checkpoint()  # comes back when the consumer has written it
            saved = time.monotonic()
            pause = max(CHECKPOINT_SECONDS, 30 * (saved - begun))
        if control.paused:
            continue
        stepped = control.spent("batch")  # used up now: a click from here on asks for the next one
        state.advance()
        judged = {}
        if state.step % state.per_epoch == 0:
            stepped |= control.spent("epoch")
            judged = {**choosing.look(), **choosing.advance_assigned()} if choosing else {}
        looking = stepped or state.done or state.step in looks or (choosing is not None and choosing.learned.done)
        if looking or state.step <= 8 or state.step % every == 0:
            yield from _point(state)
        if state.done and not choosing:
            state.settle()
        if looking:
            yield from _look(state, measure, judged)
        elif judged:
            yield Evaluated(state.step, state.epoch, judged)
    while choosing and not choosing.done:  # the assigned map may take longer to come to its best
        if control.paused:
            control.wait()
        if control.cancelled:
            yield choosing.checkpoint()
            yield Cancelled(state.step)
            return
        judged = choosing.advance_assigned()
        yield Evaluated(choosing.epoch * state.per_epoch, float(choosing.epoch), judged)


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


def _look(state: TrainingState, measure: Measure, judged: Mapping[str, float]) -> Iterator[Event]:
    metrics, arrays = measure.look()
    yield Evaluated(state.step, state.epoch, {**metrics, **judged})
    yield Snapshot(state.step, state.epoch, arrays)


def _kept(state: TrainingState, before: _Before) -> dict[str, Any]:
    """Facts that are known once the held rows have chosen."""
    assert before.choice
    return {
        "kept": before.choice.to_dict(),
        "total_steps": before.step + state.total,
        "total_epochs": before.epoch + before.choice.epoch,
    }


def _facts(state: TrainingState, data: Prepared, before: _Before) -> dict[str, Any]:
    dataset = data.dataset
    return {
        "n_train": len(data.X_train),
        "n_held": len(data.X_train) - state.n,
        "chosen_on": state.chosen_on,
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
        "start_step": before.step + state.step,
        "constant": constant_metric(data),
        "fingerprint": fingerprint(dataset),
        "warnings": list(dataset.warnings),
        **(_kept(state, before) if before.choice else {}),
    }


def _finished(spec: RunSpec, state: TrainingState, measure: Measure, seconds: float, before: _Before) -> Finished:
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
    if before.choice:
        summary["kept"] = _kept(state, before)["kept"]
    arrays, meta = state.model().to_arrays()
    return Finished(before.step + state.step, summary, arrays, meta)

"""Training as a generator of events.

    for event in train(RunSpec.of("ASKL", "letter")):
        ...

Numbers follow from the spec, the data, the device and the thread count alone: mini-batches are drawn from (seed,
epoch), so a checkpoint holds tensors and a step number, and a resumed run equals the uninterrupted one. Requests
(pause, step, stop, checkpoint) are read between mini-batches.

A method with validation rows trains in two stretches: on the other rows, judging every epoch, until nothing is gained
(Kept has the best epoch), and again on all rows for the best number of epochs. Steps and epochs are counted through
both; the return to the start is a step of its own, so that no two snapshots have the same step.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from kernlab import devices
from kernlab.data import Prepared, constant_metric, fingerprint, load, prepare
from kernlab.errors import OptionError, TrainingError
from kernlab.methods import MethodSpec
from kernlab.model import Model
from kernlab.solvers import FullBatchSolver, ProximalGradient
from kernlab.spec import RunSpec
from kernlab.training import rules
from kernlab.training.control import Control
from kernlab.training.course import Course
from kernlab.training.events import (
    Cancelled,
    Changed,
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
from kernlab.training.failures import EXPECTED, NOT_FINITE, failure_message
from kernlab.training.full_batch import FullBatchState
from kernlab.training.gradient import GradientState
from kernlab.training.measure import Measure
from kernlab.training.selection import Choice, Selection, has_validation, select, start
from kernlab.training.state import TrainingState
from kernlab.typing import Tensor

__all__ = ["Result", "begin", "fit", "milestones", "train", "trained"]

POINTS = 560  # of a curve, or up to a third fewer
PACE_SECONDS = 0.02  # of the steps that say how long a training may take
CHECKPOINT_SECONDS = 2.0  # between two checkpoints, or longer: writing them may take a thirtieth of the time
#: Errors of reading a checkpoint of another training.
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, RuntimeError, OverflowError)


def milestones(total: int, epoch: int, limit: int | None = None) -> list[int]:
    """Steps that are evaluated and have a snapshot: 0, powers of two within the first epoch (of all steps, where
    each is an epoch), then ends of epochs (at most ``limit`` of them, evenly), and the last.

    ``limit`` is 200, or less where there would be fewer than 300 steps between two: 60 at least.
    """
    if limit is None:
        limit = min(200, max(60, total // 300))
    early = {2**k for k in range(2, 40) if 2**k < (min(epoch, total) if epoch > 1 else total)}
    ends = list(range(epoch, total + 1, epoch))
    if len(ends) > limit:
        ends = [ends[round(i * (len(ends) - 1) / (limit - 1))] for i in range(limit)]
    return sorted({0, total} | early | set(ends))


def _points(snapshots: Sequence[int], length: int) -> set[int]:
    """Steps at which curves have a point: those of the snapshots, as many between any two as their distance has of
    ``length`` steps, and the first eight.

    Points that fell beside the snapshots would be seen one after the other, and every look at a run takes time from it.
    """
    found = {*snapshots, *range(1, 9)}
    for begin, end in pairwise(snapshots):
        parts = max(1, (end - begin) * POINTS // length)
        found |= {begin + round(part * (end - begin) / parts) for part in range(1, parts)}
    return found


def train(
    spec: RunSpec,
    *,
    control: Control | None = None,
    resume: Checkpoint | None = None,
    data: Prepared | None = None,
) -> Iterator[Event]:
    """Train ``spec`` and yield the events.

    Args:
        spec: what to train on what.
        control: source of requests; without one the run goes freely.
        resume: go on from this checkpoint of the same spec and data.
        data: prepared data; otherwise they are loaded as the spec says.

    Yields:
        Started, then Step, Evaluated, Snapshot and Checkpoint as they come, Kept where there are validation rows, and
        one of Finished, Failed and Cancelled as the last.

    Raises:
        KernlabError: the spec, the data or the device cannot be used; nothing was started.
    """
    began = time.perf_counter()
    device = devices.resolve(spec.device)
    if data is None:
        source = rules.resolve_data(spec.data, spec.method)
        data = prepare(load(source), source, spec.seed)
    method, control = rules.resolve(spec.method, data), control or Control()
    first = _FirstStretch.of(resume)
    selection: Selection | None = None
    if isinstance(method.solver, ProximalGradient) and has_validation(method) and not first.choice:
        selection = Selection(method, data, spec.seed, device)
    state = selection.state if selection else start(method, data, spec.seed, device, choice=first.choice)
    course = Course(replace(spec, method=state.method))
    course.enter([each.state for each in selection.candidates] if selection else [state], first.step, first.epoch)
    course.check_steps(first.step + state.total if first.choice or not selection else selection.most_steps)
    evaluations = len(milestones(state.total, state.per_epoch))
    measure = Measure(
        state, evaluations
    )  # before a checkpoint is restored: it keeps the frequencies as they were drawn
    if resume:
        _restore(selection or state, state, resume, first.step)
    try:
        yield Started(course.spec.to_dict(), {**_facts(state, data, first), **measure.facts}, measure.arrays)
        if selection:
            yield from _steps(state, measure, control, course, selection)
            if not selection.done:
                return
            choice, epochs = selection.choice, selection.epoch
            first = _FirstStretch(epochs * state.per_epoch + 1, float(epochs), choice)
            state = start(course.spec.method, data, spec.seed, device, choice=choice)
            course.enter([state], first.step, first.epoch)
            yield Kept(first.step, first.epoch, _kept(state, first))
            measure = Measure(state, evaluations)
        yield from first.followed_by(_steps(state, measure, control, course))
        if state.done:
            yield _finished(course.spec, state, measure, time.perf_counter() - began, first)
    except EXPECTED as error:
        known = state.diverged() if isinstance(error, NOT_FINITE) else error
        yield Failed(first.step + state.step, failure_message(known, device))


def begin(spec: RunSpec, data: Prepared | None = None) -> tuple[Started, Snapshot]:
    """What a training of ``spec`` would begin with: nothing is measured and nothing is trained.

    Args:
        spec: what to train on what.
        data: prepared data; otherwise they are loaded as the spec says.

    Returns:
        Started with every "auto" resolved, but for what validation rows choose, and with the fact
        ``expected_seconds`` where the time of a step says how long the training may take; and a snapshot that has the
        map's arrays alone.

    Raises:
        KernlabError: the spec, the data or the device cannot be used.
    """
    device = devices.resolve(spec.device)
    if data is None:
        source = rules.resolve_data(spec.data, spec.method)
        data = prepare(load(source), source, spec.seed)
    method = rules.resolve(spec.method, data)
    state: TrainingState
    if isinstance(method.solver, FullBatchSolver):
        state = FullBatchState(method, data, spec.seed, device)
    elif has_validation(method):
        state = Selection(method, data, spec.seed, device).state
    else:
        state = start(method, data, spec.seed, device)
    measure = Measure(state, len(milestones(state.total, state.per_epoch)))
    arrays = measure.kernel()
    facts = {**_facts(state, data, _FirstStretch()), **measure.facts, "expected_seconds": _expected_seconds(state)}
    return Started(replace(spec, method=state.method).to_dict(), facts, measure.arrays), Snapshot(0, 0.0, arrays)


def _expected_seconds(state: TrainingState) -> float | None:
    """How long the rest of a training by mini-batches takes at the pace of its first steps, taken for this."""
    if not isinstance(state, GradientState):
        return None
    state.advance()  # it loads code
    # On a busy machine a step may wait for a core as long as hundreds of others take: that is no pace.
    clock = time.thread_time if state.device.type == "cpu" else time.perf_counter
    begun, first = clock(), state.step
    while not state.done and (state.step == first or clock() - begun < PACE_SECONDS):
        state.advance()
    return state.total * (clock() - begun) / max(1, state.step - first)


@dataclass(frozen=True)
class _FirstStretch:
    """Steps and epochs before the training on all rows, and the choice they led to."""

    step: int = 0
    epoch: float = 0.0
    choice: Choice | None = None

    @classmethod
    def of(cls, resume: Checkpoint | None) -> _FirstStretch:
        """That of a checkpoint from the second stretch; otherwise an empty one."""
        known = resume.state.get("before") if resume else None
        try:
            return cls(int(known["step"]), float(known["epoch"]), Choice(**known["choice"])) if known else cls()
        except UNREADABLE as error:
            must, fix = "a checkpoint must say what was chosen before it", "train a new run with the same options"
            raise OptionError(must, f"{type(error).__name__}: {error}", fix) from error

    def followed_by(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events of the second stretch, with steps and epochs counted on; checkpoints contain the first stretch."""
        if not self.choice:
            yield from events
            return
        known = {"step": self.step, "epoch": self.epoch, "choice": self.choice.to_dict()}
        for event in events:
            changes: dict[str, Any] = {"step": event.step + self.step}  # type: ignore[union-attr]
            if isinstance(event, Step | Evaluated | Snapshot | Changed):
                changes["epoch"] = event.epoch + self.epoch
            if isinstance(event, Checkpoint):
                changes["state"] = {**event.state, "before": known}
            yield replace(event, **changes)


@dataclass(frozen=True)
class Result:
    """A finished training: the fields of ``kernlab train --json``, and the model."""

    summary: Mapping[str, Any]
    model: Model


def trained(
    method: MethodSpec,
    data: Prepared,
    *,
    seed: int = 0,
    device: str = "auto",
    sample_weight: Tensor | None = None,
) -> TrainingState:
    """Train to the end without measuring; ``data`` needs no test part. It takes no more threads than the caller had.

    Raises:
        KernlabError: the method, the data or the device cannot be used.
        TrainingError: the run diverged.
    """
    threads = torch.get_num_threads()
    try:
        where = devices.resolve(device)
        resolved, choice = select(rules.resolve(method, data), data, seed, where, sample_weight)
        state = start(resolved, data, seed, where, sample_weight, choice)
        torch.set_num_threads(min(threads, torch.get_num_threads()))
        while not state.done:
            state.advance()
        state.check_finite()
        state.fit_heads()
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
        torch.set_num_threads(threads)  # a run sets its own number
    if isinstance(last, Finished):
        return Result(last.summary, Model.from_arrays(last.model, last.meta))
    raise TrainingError("the run must reach its last step", getattr(last, "message", "it was stopped"))


def _restore(goal: TrainingState | Selection, state: TrainingState, checkpoint: Checkpoint, before: int) -> None:
    """Restore a checkpoint, whose own step may count ``before`` steps of the first stretch.

    Raises:
        OptionError: it is of another training, or damaged.
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
    state: TrainingState, measure: Measure, control: Control, course: Course, selection: Selection | None = None
) -> Iterator[Event]:
    """One stretch: steps, points of the curves, evaluations and checkpoints, to its end or a request to stop.

    A changed option is reported before the step in which it counts, so that whoever stores the run has it by then.
    """
    snapshots = milestones(state.total, state.per_epoch)
    pointed = _points(snapshots, max(state.total, state.scheduled))  # as far apart where a schedule is cut short
    evaluated = {*snapshots}
    goal = selection or state
    if state.step == 0:
        judged = selection.learned.judge() if selection else {}
        if state.done:
            state.fit_heads()
        yield from _evaluation(state, measure, judged)
        yield goal.checkpoint()
    saved, pause = time.monotonic(), CHECKPOINT_SECONDS
    while not state.done and not (selection and selection.learned.done):
        if control.give_way(state.epoch):
            _own_threads(state)
        if control.paused:
            yield from _point(state)
            control.wait()
            _own_threads(state)
        course.add(state.step, control.take_values())
        if state.changing:
            yield from _point(state)  # a mean is over steps of the same values
            yield Changed(state.step, state.epoch, state.take_up(), course.changes)
        if control.cancelled:
            yield from _point(state)
            yield goal.checkpoint()
            yield Cancelled(state.step)
            return
        if control.take_checkpoint() or time.monotonic() - saved > pause:
            begun = time.monotonic()
            yield goal.checkpoint()  # the consumer has written it when the generator goes on
            saved = time.monotonic()
            pause = max(CHECKPOINT_SECONDS, 30 * (saved - begun))
        if control.paused:
            continue
        if not state.ready:
            time.sleep(0.05)
            continue
        stepped = control.spent("batch")  # used up before the step, so that a later request grants the next one
        state.advance()
        judged = {}
        if state.step % state.per_epoch == 0:
            stepped |= control.spent("epoch")
            judged = {**selection.learned.judge(), **selection.advance_assigned()} if selection else {}
        last = state.done or bool(selection and selection.learned.done)
        evaluating = stepped or last or state.step in evaluated
        if evaluating or state.step in pointed:
            yield from _point(state)
        if state.done and not selection:
            state.fit_heads()
        if evaluating:
            yield from _evaluation(state, measure, judged)
        elif judged:
            yield Evaluated(state.step, state.epoch, judged)
    while selection and not selection.done:  # the assigned map may take longer to come to its best
        if control.give_way(float(selection.epoch)):
            _own_threads(state)
        if control.paused:
            control.wait()
            _own_threads(state)
        if values := control.take_values():
            course.add(selection.epoch * state.per_epoch, values)
            yield Changed(selection.epoch * state.per_epoch, float(selection.epoch), values, course.changes)
        if control.cancelled:
            yield selection.checkpoint()
            yield Cancelled(state.step)
            return
        judged = selection.advance_assigned()
        yield Evaluated(selection.epoch * state.per_epoch, float(selection.epoch), judged)


def _own_threads(state: TrainingState) -> None:
    """Compute with the number of threads that the run began with: another one has worked meanwhile."""
    if state.device.type == "cpu":
        torch.set_num_threads(state.threads)


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


def _evaluation(state: TrainingState, measure: Measure, judged: Mapping[str, float]) -> Iterator[Event]:
    metrics, arrays = measure.evaluate()
    yield Evaluated(state.step, state.epoch, {**metrics, **judged})
    yield Snapshot(state.step, state.epoch, arrays)


def _kept(state: TrainingState, first: _FirstStretch) -> dict[str, Any]:
    """Facts that follow from the choice of the validation rows."""
    assert first.choice
    return {
        "kept": first.choice.to_dict(),
        "compiled_from": None if state.compiled_from is None else first.step + state.compiled_from,
        "total_steps": first.step + state.total,
        "total_epochs": first.epoch + first.choice.epoch,
    }


def _facts(state: TrainingState, data: Prepared, first: _FirstStretch) -> dict[str, Any]:
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
        "class_rows": [] if data.targets else np.bincount(data.y_train, minlength=state.K).tolist(),
        "feature_names": list(data.inputs.names(dataset.feature_names)),
        "image_shape": list(dataset.image_shape) if dataset.image_shape and data.d == dataset.d else None,
        "scaling": data.inputs.kind,
        "target_unit": data.target_unit,
        "device": str(state.device),
        "threads": state.threads,
        "compiled": state.compiled_from is not None,
        "compiled_from": state.compiled_from,
        "steps_per_epoch": state.per_epoch,
        "total_steps": state.total,
        "start_step": first.step + state.step,
        "constant": constant_metric(data),
        "fingerprint": fingerprint(dataset),
        "warnings": list(dataset.warnings),
        **(_kept(state, first) if first.choice else {}),
    }


def _finished(spec: RunSpec, state: TrainingState, measure: Measure, seconds: float, first: _FirstStretch) -> Finished:
    """The measurement on all rows, and the model.

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
        **found,
        "seconds": seconds,
    }
    if first.choice:
        summary["kept"] = first.choice.to_dict()
    arrays, meta = state.model().to_arrays()
    return Finished(first.step + state.step, summary, arrays, meta)

"""Replicates: a method trained many times, for repeats, seeds and settings.

    for found in replicate(METHODS["ASKL"], data, seeds=range(10)):
        found.metrics["test_metric"], found.curve, found.model

    CUDA    replicates of one shape are one computation over stacked parameters (kernlab.training.stacked), as many
            at a time as fit into memory
    CPU     one process of one thread for each core: a stack of models falls out of the cache, one model does not

Either way a replicate equals a training of its own, and a failed one has a message and disturbs no other.
"""

from __future__ import annotations

import logging
import math
import time
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from kernlab import devices, processes
from kernlab.data import Prepared
from kernlab.errors import OptionError, TrainingError
from kernlab.methods import MethodSpec
from kernlab.model import Model, outputs
from kernlab.solvers import ProximalGradient
from kernlab.training import rules
from kernlab.training.failures import NO_MEMORY, failure_message
from kernlab.training.gradient import GradientState
from kernlab.training.measure import final_metrics
from kernlab.training.selection import Candidate, Choice, Selection, has_validation, select, start
from kernlab.training.stacked import Stack, initial_selection, initial_state, shape_of
from kernlab.training.state import TrainingState

__all__ = ["SHARE_OF_FREE", "Replicate", "Task", "free_memory", "replicate", "train_replicate"]

_log = logging.getLogger(__name__)

CURVE_ROWS = 2000  # rows of each part that a point of the curve is measured on
SHARE_OF_FREE = 0.6  # of the free memory that replicates may fill
WORKER_BYTES = 600 * 2**20  # of a process without data


@dataclass(frozen=True)
class Replicate:
    """The result of one replicate.

    Attributes:
        number: its place among the tasks.
        seed: its seed.
        message: why it failed, in a sentence; empty if it did not.
        metrics: those of :func:`~kernlab.training.measure.final_metrics`; empty if nothing was to be measured.
        curve: ``epoch``, ``train_metric``, ``test_metric``, of equal length: on a sample of the rows during training,
            on all of them at the end.
        options: of the method by flat key, every "auto" resolved.
        seconds: of training, with its preparation and its heads, without the measurements; of a stack its share.
        arrays, meta: the model, as :meth:`Model.to_arrays` gives it.
    """

    number: int
    seed: int
    message: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    curve: Mapping[str, Sequence[float]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    arrays: Mapping[str, Any] = field(default_factory=dict, repr=False)
    meta: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def model(self) -> Model:
        """The trained model, on the CPU.

        Raises:
            TrainingError: the replicate failed.
        """
        if self.message:
            raise TrainingError("only a finished replicate has a model", self.message)
        return Model.from_arrays(self.arrays, self.meta)


class Task(NamedTuple):
    """A replicate to train."""

    number: int
    method: MethodSpec
    data: Prepared
    seed: int


def replicate(
    methods: MethodSpec | Sequence[MethodSpec],
    data: Prepared | Sequence[Prepared],
    seeds: int | Sequence[int],
    *,
    device: str = "auto",
    batched: bool | None = None,
    workers: int | None = None,
    evaluations: int = 12,
    memory: int | None = None,
) -> Iterator[Replicate]:
    """Train replicates and yield each when it is finished; closing the iterator stops the rest.

    Args:
        methods, data, seeds: one for all, or one for each replicate. Settings, splits and seeds may differ; those of
            one shape share the work.
        device: where to compute.
        batched: stack replicates of one shape; None: on CUDA. Others (two-stage methods, full-batch solvers) are
            trained one by one.
        workers: processes where nothing is stacked on the CPU; None: one a core, as far as memory goes. With one
            everything stays in this process.
        evaluations: points of the curve, about; 0: measure nothing at all.
        memory: bytes that may be used; None: a share (SHARE_OF_FREE) of the free ones.

    Raises:
        OptionError: sequences of different lengths, or fewer than one worker.
        DeviceError: this machine has no such device.
    """
    where, tasks = devices.resolve(device), _tasks(methods, data, seeds)
    if workers is not None and workers < 1:
        raise OptionError("workers must be a whole number of at least 1", workers)
    if batched and where.type == "mps":
        raise OptionError("replicates are stacked on the CPU and on CUDA", where.type, "set batched=False")
    allowed = memory if memory is not None else int(SHARE_OF_FREE * free_memory(where))
    if where.type == "cuda" if batched is None else batched:
        return _by_shape(tasks, where, evaluations, allowed)
    if where.type != "cpu":
        return (train_replicate(task, where, evaluations) for task in tasks)
    most = max(1, allowed // (WORKER_BYTES + 4 * max((task.data.dataset.X.nbytes for task in tasks), default=0)))
    return _by_workers(tasks, evaluations, min(workers or min(devices.cores(), most), max(1, len(tasks))))


def free_memory(device: torch.device) -> int:
    """Bytes of free memory; 1 TiB where the system does not report them."""
    if device.type == "cuda":
        reserved = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0] + reserved)
    try:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        return 1024 * int(lines["MemAvailable"].split()[0])
    except (OSError, ValueError, LookupError):
        return 2**40


def _tasks(
    methods: MethodSpec | Sequence[MethodSpec], data: Prepared | Sequence[Prepared], seeds: int | Sequence[int]
) -> list[Task]:
    columns: tuple[Any, ...] = (methods, data, seeds)
    columns = tuple([each] if isinstance(each, MethodSpec | Prepared | int) else list(each) for each in columns)
    lengths = [len(column) for column in columns]
    R = max(lengths) if min(lengths) else 0
    if any(length not in (1, R) for length in lengths):
        must = "methods, data and seeds must be one for all, or one for each replicate"
        raise OptionError(must, f"{lengths} of them")
    rows = zip(*(column * R if len(column) == 1 else column for column in columns), strict=True)
    return [Task(number, *row) for number, row in enumerate(rows)]


def train_replicate(task: Task, device: torch.device, evaluations: int) -> Replicate:
    """Train one replicate, on the CPU on one thread; a failure is in its message."""
    try:
        with devices.one_thread() if device.type == "cpu" else nullcontext():
            _load_optimizers(task.method)
            began = _now(device)
            method, choice = select(rules.resolve(task.method, task.data), task.data, task.seed, device)
            state = start(method, task.data, task.seed, device, choice=choice)
            curve = _Curve(task, state, evaluations, _now(device) - began)
            while not state.done:
                stop, began = curve.evaluate(), _now(device)
                while not state.done and state.step < stop:
                    state.advance()
                curve.seconds += _now(device) - began
            return curve.finish()
    except Exception as error:
        return _failed(task, error, device)


def _load_optimizers(method: MethodSpec) -> None:
    """Load torch's optimizers, which takes seconds of a process's first training."""
    if isinstance(method.solver, ProximalGradient):
        torch.optim.Adam([torch.zeros(1)])


def _now(device: torch.device) -> float:
    """Seconds, once the device is idle."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def _by_workers(tasks: Sequence[Task], evaluations: int, workers: int) -> Iterator[Replicate]:
    """One process for each worker; arrays travel once, through files that all of them map."""
    cpu = torch.device("cpu")
    if workers == 1:
        yield from (train_replicate(task, cpu, evaluations) for task in tasks)
        return
    from joblib import delayed

    # Copy on write, because torch refuses read-only arrays.
    calls = (delayed(train_replicate)(task, cpu, evaluations) for task in tasks)
    yield from processes.results(calls, workers, mmap_mode="c")


def _by_shape(tasks: Sequence[Task], device: torch.device, evaluations: int, memory: int) -> Iterator[Replicate]:
    """Stack replicates of one shape, as many at a time as fit into memory; train the others one by one."""
    shapes: dict[Hashable, list[Task]] = defaultdict(list)
    for task in tasks:
        try:
            resolved = task._replace(method=rules.resolve(task.method, task.data))
        except Exception as error:
            yield _failed(task, error, device)
            continue
        shapes[shape_of(resolved.method, resolved.data)].append(resolved)
    single = shapes.pop(None, [])
    for left in shapes.values():
        size = _at_once(left[0], memory)
        while left:
            done: set[int] = set()
            for found in _stacked(left[:size], device, evaluations):
                done.add(found.number)
                yield found
            if not done:  # the stack did not fit after all
                if size == 1:
                    yield _failed(left[0], MemoryError(), device)
                    done.add(left[0].number)
                size = math.ceil(min(size, len(left)) / 2)
            left = [task for task in left if task.number not in done]
    yield from (train_replicate(task, device, evaluations) for task in single)


def _at_once(task: Task, memory: int) -> int:
    """The number of replicates like this one that fit into the memory."""
    try:
        return max(1, memory // Stack.bytes_each(initial_state(*task[1:])))
    except Exception:  # the error is reported when this replicate is trained
        return 1


def _stacked(tasks: Sequence[Task], device: torch.device, evaluations: int) -> Iterator[Replicate]:
    """Train these at once. Nothing is yielded if they do not fit into memory together; so finished ones wait."""
    found: list[Replicate] = []
    try:
        _load_optimizers(tasks[0].method)
        began = _now(device)
        choices, failures = _select_stacked(tasks, device)
        found += failures
        tasks = [task for task in tasks if task.number in choices]
        states = [initial_state(*task[1:], choices[task.number]) for task in tasks]
        stack = Stack(states, device)
        share = (_now(device) - began) / max(1, len(tasks))
        curves = [_Curve(task, state, evaluations, share) for task, state in zip(tasks, states, strict=True)]
        while curves:
            going: list[int] = []
            for place, (curve, finite) in enumerate(zip(curves, stack.finite(), strict=True)):
                try:
                    if not finite:
                        raise curve.state.diverged()
                    if curve.state.done:
                        found.append(curve.finish())
                    else:
                        curve.evaluate()
                        going.append(place)
                except NO_MEMORY:
                    raise
                except Exception as error:
                    found.append(_failed(curve.task, error, device))
            if len(going) < len(curves):
                stack.keep(going)
                curves = [curves[place] for place in going]
            if curves:
                began = _now(device)
                stack.advance(min(curve.stop for curve in curves) - stack.step)
                share = (_now(device) - began) / len(curves)
                for curve in curves:
                    curve.seconds += share
    except NO_MEMORY:
        found = []
    except Exception as error:  # one replicate may have caused it; the others are still to be trained
        _log.warning(
            "a stack of %d replicates could not go on; they are trained one by one", len(tasks), exc_info=error
        )
        ended = {each.number for each in found}
        found += [train_replicate(task, device, evaluations) for task in tasks if task.number not in ended]
    if not found and device.type == "cuda":
        torch.cuda.empty_cache()
    yield from found


def _select_stacked(tasks: Sequence[Task], device: torch.device) -> tuple[dict[int, Choice | None], list[Replicate]]:
    """The choice of each task's validation rows by number, None without such rows; and the failed replicates."""
    if not has_validation(tasks[0].method):
        return {task.number: None for task in tasks}, []
    failures: list[Replicate] = []
    going = [(task, initial_selection(*task[1:])) for task in tasks]
    for kind in ("learned", "assigned"):  # one after the other: the candidates of one kind are one stack
        candidates = [(task, selection, getattr(selection, kind)) for task, selection in going]
        failed = _judge_stacked([each for each in candidates if each[2]], device)
        failures += failed.values()
        going = [(task, selection) for task, selection in going if task.number not in failed]
    return {task.number: selection.choice for task, selection in going}, failures


def _judge_stacked(
    candidates: Sequence[tuple[Task, Selection, Candidate]], device: torch.device
) -> dict[int, Replicate]:
    """Train candidates of several selections until each is done; the failed replicates by number."""
    failed: dict[int, Replicate] = {}
    if not candidates:
        return failed
    stack = Stack([candidate.state for _, _, candidate in candidates], device)
    for _, _, candidate in candidates:
        candidate.to(device)
        candidate.judge()
    while candidates:
        going = []
        for place, ((task, selection, candidate), finite) in enumerate(zip(candidates, stack.finite(), strict=True)):
            state = candidate.state
            try:
                if not finite:
                    raise state.diverged()
                if state.step and state.step % state.per_epoch == 0:
                    candidate.judge()
                    if candidate is selection.assigned:
                        candidate.drop_if_behind(selection.learned)
                if not candidate.done:
                    going.append(place)
            except TrainingError as error:
                failed[task.number] = _failed(task, error, device)
        if len(going) < len(candidates):
            stack.keep(going)
            candidates = [candidates[place] for place in going]
        if candidates:
            states = [candidate.state for _, _, candidate in candidates]
            stack.advance(min(state.per_epoch - state.step % state.per_epoch for state in states))
    return failed


class _Curve:
    """Measures one replicate during its training and at its end.

    Attributes:
        seconds: of training so far; ``finish`` adds its own.
    """

    def __init__(self, task: Task, state: TrainingState, evaluations: int, seconds: float) -> None:
        self.task, self.state, self.seconds = task, state, seconds
        self._measured = evaluations > 0
        self._marks, self._next = _marks(state, evaluations), 0
        order = np.random.default_rng(task.seed)
        self._train, self._test = (order.permutation(n)[:CURVE_ROWS] for n in (state.n, len(task.data.X_test)))
        self._points: dict[str, list[float]] = {"epoch": [], "train_metric": [], "test_metric": []}

    @property
    def stop(self) -> int:
        """The step before which it is to be measured again; the last one if not."""
        state = self.state
        mark = self._marks[self._next] if self._next < len(self._marks) else state.total
        if isinstance(state, GradientState) and state.solver.schedule == "plateau":  # it may end with any epoch
            return min(mark, state.step - state.step % state.per_epoch + state.per_epoch)
        return mark

    @torch.no_grad()
    def evaluate(self) -> int:
        """Add a point to the curve where its step has come, and return the step of the next."""
        state, data = self.state, self.state.data
        if self._next < len(self._marks) and state.step >= self._marks[self._next]:
            self._next += 1
            rows, params = torch.from_numpy(self._train).to(state.device), state.with_head()
            X, y = state.tensors(data.X_test[self._test], data.y_test[self._test])
            parts = (state.X[rows], state.y[rows]), (X, y)
            self._add(*(state.score(outputs(state.method, params, X), y) for X, y in parts))
        return self.stop

    def _add(self, train: float, test: float) -> None:
        for points, value in zip(self._points.values(), (self.state.epoch, train, test), strict=True):
            points.append(value)

    def finish(self) -> Replicate:
        """Fit the heads, measure everything, and return the model with it.

        Raises:
            TrainingError: the weights are not finite.
        """
        state, task = self.state, self.task
        metrics: dict[str, Any] = {}
        state.check_finite()
        began = _now(state.device)
        state.fit_heads()
        self.seconds += _now(state.device) - began
        if self._measured:
            metrics = final_metrics(state)[0]
            self._add(metrics["train_metric"], metrics["test_metric"])
        curve, options = self._points if self._measured else {}, state.method.options()
        return Replicate(task.number, task.seed, "", metrics, curve, options, self.seconds, *state.model().to_arrays())


def _marks(state: TrainingState, evaluations: int) -> Sequence[int]:
    """Steps of the curve's points before the last: ends of epochs, spread evenly; none where each of them would need a
    head that takes long to fit."""
    head = state.method.head
    if evaluations < 1 or not state.total or (head.stage != "joint" and not head.quick):
        return ()
    ends = range(0, state.total, state.per_epoch)
    return ends[:: math.ceil(len(ends) / evaluations)]


def _failed(task: Task, error: Exception, device: torch.device) -> Replicate:
    return Replicate(task.number, task.seed, failure_message(error, device))

"""Replicates: one method trained many times, for repeats, seeds and settings.

    for found in replicate(METHODS["ASKL"], data, seeds=range(10)):
        found.metrics["test_metric"], found.curve, found.model

    CUDA    replicates of one shape are one computation over stacked parameters (kernlab.training.stacked), as many
            at a time as fit into memory
    CPU     one process of one thread for each core: a stack of models falls out of the cache, one model does not

Either way a replicate is what training it alone would have given, and one that fails says so and hurts no other.
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
from kernlab.data import Prepared, constant_metric
from kernlab.errors import OptionError, TrainingError
from kernlab.heads import Head
from kernlab.methods import MethodSpec
from kernlab.model import Model, outputs
from kernlab.solvers import ProximalGradient
from kernlab.training import rules
from kernlab.training.failures import why
from kernlab.training.gradient import GradientState
from kernlab.training.selection import Choice, Selection, Trial, chosen, holds_back, start
from kernlab.training.stacked import Stack, beginning, choosing, shape_of
from kernlab.training.state import TrainingState
from kernlab.typing import Tensor

__all__ = ["SHARE_OF_FREE", "Replicate", "Task", "alone", "free_memory", "replicate"]

_log = logging.getLogger(__name__)

LOOK_ROWS = 2000  # rows of each part that a point of the curve looks at
SHARE_OF_FREE = 0.6  # of the free memory that replicates may fill
WORKER_BYTES = 600 * 2**20  # a process before it has any data


@dataclass(frozen=True)
class Replicate:
    """What came of one replicate.

    Attributes:
        number: its place among those that were asked for.
        seed: what was drawn with.
        message: why it failed, in a sentence; empty if it did not.
        metrics: ``metric`` ("accuracy" in percent, or "rmse" in the reported unit), ``train_metric``, ``test_metric``
            and ``constant`` on all rows, ``test_rmse_range100`` for regression, ``heads`` where there are several,
            ``steps``, ``epochs``, ``n_train``, ``n_test``. Empty if nothing was to be measured.
        curve: ``epoch``, ``train_metric``, ``test_metric``, of equal length: on a sample of the rows on the way, on
            all of them at the end.
        options: of the method by flat key, every "auto" resolved.
        seconds: of training, what comes before the first step and heads included, looking not; of a stack its share.
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
    """One replicate that is to be trained."""

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
    looks: int = 12,
    memory: int | None = None,
) -> Iterator[Replicate]:
    """Train replicates and yield each when it is finished; close the iterator to stop the rest.

    Args:
        methods, data, seeds: one for all, or one for each replicate. Settings, splits and seeds may differ; those of
            one shape share the work.
        device: where to compute.
        batched: stack replicates of one shape; None: on CUDA. What cannot be stacked (maps that are learned before
            their head, solvers that see all rows) is trained one by one.
        workers: processes where nothing is stacked on the CPU; None: one a core, as far as memory goes. With one
            everything stays in this process.
        looks: points of the curve, about; 0: measure nothing at all.
        memory: bytes that may be taken; None: a good half of what is free.

    Raises:
        OptionError: lengths that do not go together, or fewer than one worker.
        DeviceError: this machine has no such device.
    """
    where, tasks = devices.resolve(device), _tasks(methods, data, seeds)
    if workers is not None and workers < 1:
        raise OptionError("workers must be a whole number of at least 1", workers)
    if batched and where.type == "mps":
        raise OptionError("replicates are stacked on the CPU and on CUDA", where.type, "set batched=False")
    allowed = memory if memory is not None else int(SHARE_OF_FREE * free_memory(where))
    if where.type == "cuda" if batched is None else batched:
        return _side_by_side(tasks, where, looks, allowed)
    if where.type != "cpu":
        return (alone(task, where, looks) for task in tasks)
    most = max(1, allowed // (WORKER_BYTES + 4 * max((task.data.dataset.X.nbytes for task in tasks), default=0)))
    return _by_workers(tasks, looks, min(workers or min(devices.cores(), most), max(1, len(tasks))))


def free_memory(device: torch.device) -> int:
    """Bytes that can still be had; where the system does not say, plenty."""
    if device.type == "cuda":
        kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0] + kept)
    try:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        return 1024 * int(lines["MemAvailable"].split()[0])
    except (OSError, ValueError, LookupError):
        return 2**40


def _tasks(
    methods: MethodSpec | Sequence[MethodSpec], data: Prepared | Sequence[Prepared], seeds: int | Sequence[int]
) -> list[Task]:
    columns: list[list[Any]] = [
        [methods] if isinstance(methods, MethodSpec) else list(methods),
        [data] if isinstance(data, Prepared) else list(data),
        [seeds] if isinstance(seeds, int) else list(seeds),
    ]
    lengths = [len(column) for column in columns]
    R = max(lengths) if min(lengths) else 0
    if any(length not in (1, R) for length in lengths):
        raise OptionError(
            "methods, data and seeds must be one for all, or one for each replicate", f"{lengths} of them"
        )
    rows = list(zip(*(column * (R if len(column) == 1 else 1) for column in columns), strict=True)) if R else []
    return [Task(number, *row) for number, row in enumerate(rows)]


# -- one by one -------------------------------------------------------------------------------------------------


def alone(task: Task, device: torch.device, looks: int) -> Replicate:
    """Train one from beginning to end, on the CPU on one thread; what goes wrong is said in its message."""
    try:
        with devices.one_thread() if device.type == "cpu" else nullcontext():
            _load_optimizers(task.method)
            began = _now(device)
            method, choice = chosen(rules.resolve(task.method, task.data), task.data, task.seed, device)
            state = start(method, task.data, task.seed, device, choice=choice)
            watch = _Watch(task, state, looks, _now(device) - began)
            while not state.done:
                stop, began = watch.look(), _now(device)
                while not state.done and state.step < stop:
                    state.advance()
                watch.seconds += _now(device) - began
            return watch.finish()
    except Exception as error:
        return _failed(task, error, device)


def _load_optimizers(method: MethodSpec) -> None:
    """A process's first optimizer takes seconds to load, which are no part of a training."""
    if isinstance(method.solver, ProximalGradient):
        torch.optim.Adam([torch.zeros(1)])


def _now(device: torch.device) -> float:
    """Seconds, once the device has done what it was asked for."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def _by_workers(tasks: Sequence[Task], looks: int, workers: int) -> Iterator[Replicate]:
    """One process for each worker; arrays travel once, through files that all of them map."""
    cpu = torch.device("cpu")
    if workers == 1:
        yield from (alone(task, cpu, looks) for task in tasks)
        return
    from joblib import delayed

    # Copy on write: torch takes no arrays that are read-only.
    yield from processes.results((delayed(alone)(task, cpu, looks) for task in tasks), workers, mmap_mode="c")


# -- side by side -----------------------------------------------------------------------------------------------


def _side_by_side(tasks: Sequence[Task], device: torch.device, looks: int, memory: int) -> Iterator[Replicate]:
    """Stack what has one shape, as many at a time as fit; what fits with nothing is trained alone."""
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
            for found in _stacked(left[:size], device, looks):
                done.add(found.number)
                yield found
            if not done:  # it did not fit after all
                if size == 1:
                    yield _failed(left[0], MemoryError(), device)
                    done.add(left[0].number)
                size = math.ceil(min(size, len(left)) / 2)
            left = [task for task in left if task.number not in done]
    yield from (alone(task, device, looks) for task in single)


def _at_once(task: Task, memory: int) -> int:
    """How many like this one fit into the memory."""
    try:
        return max(1, memory // Stack.bytes_each(beginning(*task[1:])))
    except Exception:  # it cannot even begin, and will say so when its turn comes
        return 1


def _stacked(tasks: Sequence[Task], device: torch.device, looks: int) -> Iterator[Replicate]:
    """Train these at once. Nothing is yielded if they do not fit into memory together; so finished ones wait."""
    found: list[Replicate] = []
    try:
        _load_optimizers(tasks[0].method)
        began = _now(device)
        choices, failures = _chosen(tasks, device)
        found += failures
        tasks = [task for task in tasks if task.number in choices]
        states = [beginning(*task[1:], choices[task.number]) for task in tasks]
        stack = Stack(states, device)
        share = (_now(device) - began) / max(1, len(tasks))
        watches = [_Watch(task, state, looks, share) for task, state in zip(tasks, states, strict=True)]
        while watches:
            going: list[int] = []
            for place, (watch, sound) in enumerate(zip(watches, stack.sound(), strict=True)):
                try:
                    if not sound:
                        raise watch.state.diverged()
                    if watch.state.done:
                        found.append(watch.finish())
                    else:
                        watch.look()
                        going.append(place)
                except (torch.OutOfMemoryError, MemoryError):
                    raise
                except Exception as error:
                    found.append(_failed(watch.task, error, device))
            if len(going) < len(watches):
                stack.keep(going)
                watches = [watches[place] for place in going]
            if watches:
                began = _now(device)
                stack.advance(min(watch.stop for watch in watches) - stack.step)
                share = (_now(device) - began) / len(watches)
                for watch in watches:
                    watch.seconds += share
    except (torch.OutOfMemoryError, MemoryError):
        found = []
    except Exception as error:  # of one of them, perhaps, and the others are not to suffer
        _log.warning(
            "a stack of %d replicates could not go on; they are trained one by one", len(tasks), exc_info=error
        )
        ended = {each.number for each in found}
        found += [alone(task, device, looks) for task in tasks if task.number not in ended]
    if not found and device.type == "cuda":
        torch.cuda.empty_cache()
    yield from found


def _chosen(tasks: Sequence[Task], device: torch.device) -> tuple[dict[int, Choice | None], list[Replicate]]:
    """What the held rows of each choose, by number, where the tasks hold rows back; and those that came to nothing."""
    if not holds_back(tasks[0].method):
        return {task.number: None for task in tasks}, []
    failures: list[Replicate] = []
    going = [(task, choosing(*task[1:])) for task in tasks]
    for _, selection in going:
        selection.to(device)
    for side in ("learned", "assigned"):  # one after the other: each side of all is one stack
        trials = [(task, selection, getattr(selection, side)) for task, selection in going]
        failed = _judged_side_by_side([each for each in trials if each[2]], device)
        failures += failed.values()
        going = [(task, selection) for task, selection in going if task.number not in failed]
    return {task.number: selection.choice for task, selection in going}, failures


def _judged_side_by_side(trials: Sequence[tuple[Task, Selection, Trial]], device: torch.device) -> dict[int, Replicate]:
    """Train these on the rows that are not held until each is done; what failed, by number."""
    failed: dict[int, Replicate] = {}
    if not trials:
        return failed
    stack = Stack([trial.state for _, _, trial in trials], device)
    for _, _, trial in trials:
        trial.look()
    while trials:
        going = []
        for place, ((task, selection, trial), sound) in enumerate(zip(trials, stack.sound(), strict=True)):
            state = trial.state
            try:
                if not sound:
                    raise state.diverged()
                if state.step and state.step % state.per_epoch == 0:
                    trial.look()
                    if trial is selection.assigned:
                        trial.drop_if_behind(selection.learned)
                if not trial.done:
                    going.append(place)
            except TrainingError as error:
                failed[task.number] = _failed(task, error, device)
        if len(going) < len(trials):
            stack.keep(going)
            trials = [trials[place] for place in going]
        if trials:
            states = [trial.state for _, _, trial in trials]
            stack.advance(min(state.per_epoch - state.step % state.per_epoch for state in states))
    return failed


# -- measuring --------------------------------------------------------------------------------------------------


class _Watch:
    """Looks at one training on its way and at its end.

    Attributes:
        seconds: it took so far; those of ``finish`` are added by itself.
        stop: the step before which it wants to look again; the last one if not.
    """

    def __init__(self, task: Task, state: TrainingState, looks: int, seconds: float) -> None:
        self.task, self.state, self.seconds = task, state, seconds
        self.measured = looks > 0
        self._marks = _marks(state, looks)
        self._next = 0
        order = np.random.default_rng(task.seed)
        self._train, self._test = (order.permutation(n)[:LOOK_ROWS] for n in (state.n, len(task.data.X_test)))
        self._curve: dict[str, list[float]] = {"epoch": [], "train_metric": [], "test_metric": []}

    @property
    def stop(self) -> int:
        state = self.state
        mark = self._marks[self._next] if self._next < len(self._marks) else state.total
        if isinstance(state, GradientState) and state.solver.schedule == "plateau":  # it may end with any epoch
            return min(mark, state.step - state.step % state.per_epoch + state.per_epoch)
        return mark

    def look(self) -> int:
        """A point of the curve where there is to be one; returns the step before which to look again."""
        if self._next < len(self._marks) and self.state.step >= self._marks[self._next]:
            self._next += 1
            rows, data = torch.from_numpy(self._train).to(self.state.device), self.state.data
            test = self.state.tensors(data.X_test[self._test], data.y_test[self._test])
            self._point(*self._metrics(self.state.method.head, (self.state.X[rows], self.state.y[rows]), test))
        return self.stop

    def finish(self) -> Replicate:
        """Fit the heads, measure everything, hand over the model.

        Raises:
            TrainingError: the weights are not finite.
        """
        state, task = self.state, self.task
        state.check_finite()
        began = _now(state.device)
        state.settle()
        self.seconds += _now(state.device) - began
        metrics = self._final() if self.measured else {}
        curve = self._curve if self.measured else {}
        options = state.method.options()
        return Replicate(task.number, task.seed, "", metrics, curve, options, self.seconds, *state.model().to_arrays())

    def _final(self) -> dict[str, Any]:
        """Metrics of every head on all rows; the last point of the curve."""
        state, data = self.state, self.state.data
        train, test = (state.X, state.y), state.tensors(data.X_test, data.y_test)
        heads = {head.name: self._metrics(head, train, test) for head in state.method.heads}
        self._point(*heads[state.method.head.name])
        found: dict[str, Any] = {
            "metric": data.metric,
            "train_metric": self._curve["train_metric"][-1],
            "test_metric": self._curve["test_metric"][-1],
            "constant": constant_metric(data),
            "n_train": state.n,
            "n_test": len(data.X_test),
            "steps": state.step,
            "epochs": state.step // state.per_epoch,
        }
        if data.targets:
            (found["test_rmse_range100"],) = self._metrics(state.method.head, test, unit=data.range100)
        if len(heads) > 1:
            found["heads"] = {name: {"train_metric": a, "test_metric": b} for name, (a, b) in heads.items()}
        return found

    def _point(self, train: float, test: float) -> None:
        for name, value in (("epoch", self.state.epoch), ("train_metric", train), ("test_metric", test)):
            self._curve[name].append(value)

    @torch.no_grad()
    def _metrics(self, head: Head, *parts: tuple[Tensor, Tensor], unit: Any = 1.0) -> list[float]:
        """The metric of a head on each part: its (X, y)."""
        state, params = self.state, self.state.with_head(head)
        return [state.score(outputs(state.method, params, X, head), y, unit) for X, y in parts]


def _marks(state: TrainingState, looks: int) -> Sequence[int]:
    """Steps of the curve's points before the last: ends of epochs, spread evenly. None where a head would have to be
    fitted at length for each of them."""
    head = state.method.head
    if looks < 1 or not state.total or (head.takes != "solver" and not head.quick):
        return ()
    ends = range(0, state.total, state.per_epoch)
    return ends[:: math.ceil(len(ends) / looks)]


def _failed(task: Task, error: Exception, device: torch.device) -> Replicate:
    return Replicate(task.number, task.seed, why(error, device))

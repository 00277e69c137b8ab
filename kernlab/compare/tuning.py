"""Tuning: the search for hyper-parameters inside the training part, which never uses the test part.

    training part  →  at most ``rows`` of it  →  k folds, or one held-out fifth  →  the setting with the best mean

Parts are stratified for classes. Inputs and targets keep the scaling of the whole training part, which saw no test
row; whether the normal scores of the inputs stand beside them is searched too. The method's own settings are tried
first and win a tie, so that the chosen ones are never worse on the held-out rows. Methods that learn from mini-batches
are tried with at most WIDTH features, and for real targets first as sketches, with fewer features and epochs: which
settings are good hardly depends on these (the same adjustments help: measured on six data sets), the time does. The
caller then trains with the chosen settings on the whole training part and at full size. A baseline has a minimum of
settings that no limit in seconds cuts short (:data:`kernlab.compare.baselines.LEAST`).
"""

from __future__ import annotations

import functools
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab import devices
from kernlab.compare.base import Tuning
from kernlab.compare.baselines import BASELINES, Baseline
from kernlab.compare.searches import SEARCHES, Ask, SearchProblem, coarse_first, coarse_settings
from kernlab.compare.spaces import Adjustment, Range, adjusted, method_space, with_aliased
from kernlab.data import Prepared, rescaled, score
from kernlab.data.base import Scaling
from kernlab.errors import DataError, KernlabError, OptionError, TrainingError
from kernlab.methods import METHODS, MethodSpec
from kernlab.model import outputs
from kernlab.solvers import ProximalGradient
from kernlab.training import rules
from kernlab.training.failures import failure_message
from kernlab.training.gradient import GradientState
from kernlab.training.selection import select, start
from kernlab.training.state import TrainingState

__all__ = ["Chosen", "TuningTrial", "check", "tune"]

REPORTS = 8  # times that a training from mini-batches is measured on its way
WIDTH = 500  # features of a trial at most
SKETCH_WIDTH, SKETCH_EPOCHS = 250, 0.4  # features of a sketch at most, and its share of the epochs
HELD_OUT = 5  # one part in so many is held out where there are no folds
TRIAL = {"validation": 0}  # a trial is judged on held-out rows already, and holds out no others to end itself

#: (metric on the held-out rows, whether the training is over), at each report of a training
Reports: TypeAlias = Generator[tuple[float, bool], None, None]


@dataclass(frozen=True)
class TuningTrial:
    """One setting, tried.

    Attributes:
        number: of the setting; 0 is the method's own.
        options: what differs from the method's own.
        status: "done"; "pruned": cut short since others were better by then; "failed"; "stopped": out of time.
        value: mean metric on the held-out rows; of a pruned trial the last one measured; None of the others.
        rows: rows it was trained on.
        seconds: it took.
        message: why it failed.
        sketch: a training with fewer features and epochs.
    """

    number: int
    options: Mapping[str, Any]
    status: Literal["done", "pruned", "failed", "stopped"]
    value: float | None
    rows: int
    seconds: float
    message: str = ""
    sketch: bool = False


@dataclass(frozen=True)
class Chosen:
    """The result of a search.

    Attributes:
        options: all options to train with, by flat key: those of the caller, and the chosen ones.
        scaling: how the inputs are to be scaled; None: as they are (:func:`kernlab.data.rescaled`).
        value: mean metric on the held-out rows; None where there was no time for a single trial.
        trials: settings tried.
        seconds: the search took.
        history: every trial in order.
    """

    options: Mapping[str, Any]
    value: float | None
    trials: int
    seconds: float
    history: tuple[TuningTrial, ...]
    scaling: Scaling | None = None

    @property
    def default(self) -> float | None:
        """The value of the method's own settings on all rows (of the last trial of them)."""
        found = [t.value for t in self.history if t.number == 0 and t.status == "done"]
        return found[-1] if found else None


def tune(
    name: str | MethodSpec,
    options: Mapping[str, Any],
    prepared: Prepared,
    tuning: Tuning,
    seed: int = 0,
    progress: Callable[[TuningTrial], None] | None = None,
    *,
    device: str = "cpu",
    scaling: bool = True,
) -> Chosen:
    """Search a method's or a baseline's hyper-parameters on the training part of ``prepared``.

    The same arguments give the same answer, unless ``tuning.seconds`` lets the clock decide.

    Args:
        name: a method (kernlab.methods), a baseline (kernlab.compare.baselines), or a composed method.
        options: by flat key; these stay as they are and are not searched.
        prepared: the split; its test part is not read.
        tuning: which search, how many trials, how long, on which rows.
        seed: decides the inner split, the search and the trainings.
        progress: called after every trial; what it raises ends the search.
        device: where methods are trained.
        scaling: whether standardised inputs may get their normal scores beside them.

    Raises:
        KernlabError: options or data that cannot be used, or every single setting failed (with the first reason).
    """
    check(tuning)
    torch.optim.Adam([torch.zeros(1)])  # a process's first optimizer takes seconds to load: no part of the search
    began = time.perf_counter()
    subject = _subject(name, options, device, scaling)
    subject.check(prepared)
    more = 1.0 if prepared.targets is None else -1.0  # accuracy rises, RMSE falls
    scaled: dict[str, list[Prepared]] = {"": _parts(prepared, tuning, seed)}

    def parts(values: Mapping[str, Any]) -> list[Prepared]:
        kind = values.get("scaling", "")
        if kind not in scaled:
            scaled[kind] = _parts(rescaled(prepared, kind), tuning, seed)
        return scaled[kind]

    problem = SearchProblem(
        lambda values: subject.space(parts(values)[0], values),
        lambda adjustment, values: subject.adjusted(adjustment, parts(values)[0], values),
        subject.sketches(prepared),
    )
    n = len(parts({})[0].X_train)
    deadline = math.inf if tuning.seconds is None else began + tuning.seconds
    history: list[TuningTrial] = []
    searching = SEARCHES[tuning.search]
    coarse = subject.coarse(parts({})[0], tuning.trials, seed) if tuning.seconds is not None else ()
    if coarse:
        problem = replace(problem, coarse=coarse)
        searching = functools.partial(coarse_first, searching)
    with closing(searching(problem, tuning.trials, seed, n)) as search:
        ask: Ask | None = next(search)
        while ask is not None:
            trial = _tried(subject, ask, parts(ask.values), seed, more, math.inf if ask.due else deadline)
            history.append(trial)
            if progress:
                progress(trial)
            over = time.perf_counter() > deadline
            if over and not ask.due:
                break
            ask = _next(search, None if trial.status == "pruned" else _worth(trial, more))
            if over and ask is not None and not ask.due:
                break
    return _chosen(options, history, more, time.perf_counter() - began)


def _next(search: Generator[Ask, float | None, None], value: float | None) -> Ask | None:
    try:
        return search.send(value)
    except StopIteration:
        return None


def _worth(trial: TuningTrial, more: float) -> float:
    """More is better; a failure is the worst."""
    return more * trial.value if trial.status == "done" and trial.value is not None else -math.inf


def _chosen(options: Mapping[str, Any], history: list[TuningTrial], more: float, seconds: float) -> Chosen:
    """The best of the trials on the most rows, sketches only where nothing else is finished; the earlier setting of two
    that are equally good."""
    done = [t for t in history if t.status == "done"]
    done = sorted([t for t in done if not t.sketch] or done, key=lambda t: t.number)
    most = max((t.rows for t in done), default=0)
    best = max((t for t in done if t.rows == most), key=lambda t: _worth(t, more), default=None)
    if best is None and all(t.status == "failed" for t in history):
        raise TrainingError(
            f"one of the {len(history)} settings tried must train", history[0].message, "change the options or the data"
        )
    found = dict(best.options if best else {})
    scaling = found.pop("scaling", None)
    value = best.value if best else None
    return Chosen({**options, **found}, value, len({t.number for t in history}), seconds, tuple(history), scaling)


# -- one trial ----------------------------------------------------------------------------------------------------


def _tried(subject: _Subject, ask: Ask, parts: list[Prepared], seed: int, more: float, deadline: float) -> TuningTrial:
    """Train on every fold, unless the search gives up, the time is over or it fails."""
    began = time.perf_counter()
    parts = [_shortened(part, ask.share) for part in parts]
    finals: list[float] = []
    value: float | None = None
    step = 0

    def trial(status: Literal["done", "pruned", "failed", "stopped"], message: str = "") -> TuningTrial:
        kept = value if status in ("done", "pruned") else None
        seconds = time.perf_counter() - began
        rows = len(parts[0].X_train)
        return TuningTrial(ask.number, dict(ask.values), status, kept, rows, seconds, message, ask.sketch)

    try:
        for fold, part in enumerate(parts):
            with closing(subject.reports(part, ask.values, seed, ask.sketch)) as reports:
                for found, over in reports:
                    value = (sum(finals) + found) / (len(finals) + 1)
                    if over:
                        finals.append(found)
                    if over and fold == len(parts) - 1:
                        return trial("done")
                    if time.perf_counter() > deadline:
                        return trial("stopped")
                    if ask.cut(step, more * value):
                        return trial("pruned")
                    step += 1
    except (KernlabError, torch.linalg.LinAlgError, torch.OutOfMemoryError, MemoryError) as error:  # type: ignore[attr-defined]
        return trial("failed", failure_message(error, subject.device))
    raise AssertionError("a training ends with a report that says so")


def _shortened(data: Prepared, share: float) -> Prepared:
    """A share of the training rows, stratified; the held-out rows stay."""
    if share >= 1:
        return data
    return _only(data, _every(_ordered(data, np.random.default_rng(0)), max(1, round(share * len(data.X_train)))))


# -- what is tuned ------------------------------------------------------------------------------------------------


class _Subject(ABC):
    """A method or a baseline, as a search sees it. ``values`` are the settings of a trial."""

    device: torch.device
    fixed: set[str]  # keys of options that stay as they are

    @abstractmethod
    def check(self, data: Prepared) -> None:
        """Refuse data that it cannot learn from."""

    @abstractmethod
    def current(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Any]:
        """Every option in force by its key, the scaling of the data among them where it may change."""

    @abstractmethod
    def space(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Range]:
        """The range of every option that is searched."""

    @abstractmethod
    def reports(self, data: Prepared, values: Mapping[str, Any], seed: int, sketch: bool) -> Reports:
        """Train, and measure on the held-out rows on the way and at the end."""

    def adjusted(self, adjustment: Adjustment, data: Prepared, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The settings after an adjustment; None where it does not apply."""
        found = adjusted(adjustment, self.current(data, values), data.dataset.task, self.fixed)
        if found is None:
            return None
        try:
            self.current(data, {**values, **found})
        except KernlabError:
            return None  # a mini-batch larger than the data, for example
        return {**values, **found}

    def sketches(self, data: Prepared) -> bool:
        """Whether adjustments can be judged by sketches."""
        return False

    def coarse(self, data: Prepared, trials: int, seed: int) -> Sequence[Mapping[str, Any]]:
        """The settings that are tried first where time is short."""
        return ()


def _subject(name: str | MethodSpec, options: Mapping[str, Any], device: str, scaling: bool) -> _Subject:
    if isinstance(name, str) and name in BASELINES:
        return _BaselineSubject(BASELINES[name], options, scaling)
    method = METHODS[name] if isinstance(name, str) else name
    return _MethodSubject(method.with_options(options), options, devices.resolve(device), scaling)


def _options_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without the scaling, which belongs to the data."""
    return {key: value for key, value in values.items() if key != "scaling"}


class _BaselineSubject(_Subject):
    device = torch.device("cpu")

    def __init__(self, kind: type[Baseline], options: Mapping[str, Any], scaling: bool) -> None:
        self._kind, self._options, self._scaling, self.fixed = kind, options, scaling, set(options)

    def check(self, data: Prepared) -> None:
        self._with({}).check(len(data.X_train))  # all rows, on which the chosen settings will be trained

    def _with(self, values: Mapping[str, Any]) -> Baseline:
        return self._kind.build(**{**self._options, **_options_in(values)})

    def current(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Any]:
        found = self._with(values).resolved(data).options()
        if self._scaling and "gamma" in found:  # trees depend on the order of an input alone
            found["scaling"] = data.inputs.kind
        return found

    def space(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Range]:
        return self._with(values).space(data, tuple(self.fixed))

    def coarse(self, data: Prepared, trials: int, seed: int) -> Sequence[Mapping[str, Any]]:
        return coarse_settings(self.space(data, {}), self._kind.coarse, trials, seed)

    def reports(self, data: Prepared, values: Mapping[str, Any], seed: int, sketch: bool) -> Reports:
        predict = self._with(values).fitted(data, seed)
        yield score(data, predict(data.X_test), data.y_test), True


class _MethodSubject(_Subject):
    def __init__(self, method: MethodSpec, options: Mapping[str, Any], device: torch.device, scaling: bool) -> None:
        self._method, self.device, self._scaling = method, device, scaling
        self.fixed = with_aliased(options, method.parts)

    def check(self, data: Prepared) -> None:
        self._method.check(data.dataset.task)

    def _with(self, values: Mapping[str, Any], data: Prepared) -> MethodSpec:
        return rules.resolve(self._method.with_options(_options_in(values)), data)

    def current(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Any]:
        method = self._with(values, data)
        found = method.options()
        if self._scaling and not method.input_scaling:
            found["scaling"] = data.inputs.kind
        return found

    def space(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Range]:
        return method_space(self._with(values, data), data.dataset.task, self.fixed)

    def sketches(self, data: Prepared) -> bool:
        """Differences of accuracy are too small to be seen in a sketch; a plateau ends a run by itself."""
        solver = self._method.solver
        learning = isinstance(solver, ProximalGradient) and solver.schedule != "plateau"
        return learning and not self._method.two_stage and data.targets is not None

    def smaller(self, values: Mapping[str, Any], data: Prepared, sketch: bool) -> MethodSpec:
        """The method as a trial trains it."""
        method = self._with(values, data)
        if not isinstance(method.solver, ProximalGradient) or method.two_stage:
            return method
        options = method.options()
        changes = {**TRIAL, "n_features": min(options.get("n_features", 0), SKETCH_WIDTH if sketch else WIDTH)}
        if sketch:
            changes["epochs"] = max(1, round(SKETCH_EPOCHS * options["epochs"]))
        return method.with_options({key: value for key, value in changes.items() if key in options})

    def reports(self, data: Prepared, values: Mapping[str, Any], seed: int, sketch: bool) -> Reports:
        threads = torch.get_num_threads()
        try:
            method, choice = select(self.smaller(values, data, sketch), data, seed, self.device)
            state = start(method, data, seed, self.device, choice=choice)
            torch.set_num_threads(min(threads, torch.get_num_threads()))
            steps = set(_measured_steps(state))
            while not state.done:
                state.advance()
                if state.step in steps and not state.done:
                    yield _score(state), False
            yield _score(state), True
        finally:
            torch.set_num_threads(threads)


def _measured_steps(state: TrainingState) -> Iterator[int]:
    """Steps after which a training is measured on its way: fractions of the run, as its learning rate falls by them;
    on a plateau, whose length is not known before, powers of two of epochs."""
    if not isinstance(state, GradientState) or (state.method.two_stage and not state.method.head.quick):
        return
    assert isinstance(state.method.solver, ProximalGradient)
    if state.method.solver.schedule == "plateau":
        yield from (state.per_epoch * 2**k for k in range(3, 40) if state.per_epoch * 2**k < state.total)
    else:
        yield from (math.ceil(state.total * i / REPORTS) for i in range(1, REPORTS))


@torch.no_grad()
def _score(state: TrainingState) -> float:
    """The metric on the held-out rows.

    Raises:
        TrainingError: the outputs are not finite.
    """
    X, y = state.tensors(state.data.X_test, state.data.y_test)
    F = outputs(state.method, state.with_head(), X)
    if not bool(F.isfinite().all()):
        raise state.diverged("outputs that are not finite")
    return state.score(F, y)


# -- inner splits -------------------------------------------------------------------------------------------------


def _parts(data: Prepared, tuning: Tuning, seed: int) -> list[Prepared]:
    """The training part, or ``rows`` of it, split into rows to train on and held-out ones (as "test")."""
    order = _ordered(data, np.random.default_rng([seed, 1]))
    order = _every(order, min(len(order), tuning.rows), keep_order=True)
    folds = tuning.folds if tuning.folds > 1 else HELD_OUT
    if len(order) < 2 * folds:
        raise DataError(
            f"tuning needs at least {2 * folds} training rows",
            f"{len(order)} of them",
            "take more rows, or do not tune",
        )
    turn = np.arange(len(order)) % folds  # rows are distributed class by class: every part has its share of each
    return [
        _split(data, np.sort(order[turn != fold]), np.sort(order[turn == fold]))
        for fold in range(folds if tuning.folds > 1 else 1)
    ]


def _split(data: Prepared, fit: NDArray[np.int64], judge: NDArray[np.int64]) -> Prepared:
    X, y, rows = data.X_train, data.y_train, data.train_rows
    return replace(_only(data, fit), X_test=X[judge], y_test=y[judge], test_rows=rows[judge])


def _only(data: Prepared, rows: NDArray[np.int64]) -> Prepared:
    """With these of the training rows."""
    return replace(data, X_train=data.X_train[rows], y_train=data.y_train[rows], train_rows=data.train_rows[rows])


def _ordered(data: Prepared, rng: np.random.Generator) -> NDArray[np.int64]:
    """The training rows' places, shuffled; one class after the other where there are classes."""
    order = rng.permutation(len(data.X_train))
    if data.targets is None:
        order = order[np.argsort(data.y_train[order], kind="stable")]
    return order


def _every(order: NDArray[np.int64], number: int, keep_order: bool = False) -> NDArray[np.int64]:
    """``number`` of them, evenly along the order; in their places' order unless it is to be kept."""
    taken = order[np.arange(number) * len(order) // number]
    return taken if keep_order else np.sort(taken)


def check(tuning: Tuning) -> None:
    """Make sure that a search can be made like this.

    Raises:
        OptionError: a number outside its range, or a search whose library is not installed.
        UnknownNameError: no such search.
    """
    for key, value, least in (("trials", tuning.trials, 1), ("folds", tuning.folds, 1), ("rows", tuning.rows, 10)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise OptionError(f"{key} must be a whole number of at least {least}", repr(value))
    if tuning.seconds is not None and not 0 < tuning.seconds < math.inf:
        raise OptionError("seconds must be a number above 0, or None", repr(tuning.seconds))
    with closing(SEARCHES[tuning.search](SearchProblem(lambda values: {}), 1, 0, 10)) as search:
        next(search)

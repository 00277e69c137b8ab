"""Tuning: the search for hyper-parameters inside the training part. The test part is never looked at.

    training part  →  at most ``rows`` of it  →  k folds, or one held-out fifth  →  the setting with the best mean

Parts are stratified for classes. Inputs and targets keep the scaling of the whole training part, which saw no test
row; whether inputs are scaled with their ranks is searched too. The method's own settings are tried first and win a
tie, so what is chosen is never worse on the held-out rows. Methods that learn from mini-batches are tried with at
most WIDTH features, and for real targets first as sketches, of fewer features and epochs: which settings are good
hardly depends on these (the same moves help: measured on six data sets), the time does. Whoever tunes fits again,
to the whole training part and at full size, with what was chosen. A baseline has a minimum of settings that no
limit in seconds cuts short (:data:`kernlab.compare.rivals.LEAST`).
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab import devices
from kernlab.compare.base import Tuning
from kernlab.compare.rivals import RIVALS, Rival
from kernlab.compare.searches import SEARCHES, Ask, Plan, coarse_first, coarse_settings
from kernlab.compare.spaces import Move, Range, method_space, moved
from kernlab.data import Prepared, rescaled, score
from kernlab.data.base import Scaling
from kernlab.errors import DataError, KernlabError, OptionError, TrainingError
from kernlab.methods import METHODS, MethodSpec
from kernlab.model import outputs
from kernlab.solvers import ProximalGradient
from kernlab.training import rules
from kernlab.training.gradient import GradientState
from kernlab.training.selection import chosen, start
from kernlab.training.state import TrainingState

__all__ = ["Chosen", "Trial", "check", "tune"]

REPORTS = 8  # times that a training from mini-batches is looked at on its way
WIDTH = 500  # features of a trial at most
SKETCH_WIDTH, SKETCH_EPOCHS = 250, 0.4  # features of a sketch at most, and its share of the epochs
HELD_OUT = 5  # one part in so many is held out where there are no folds
TRIAL = {"validation": 0}  # a trial is judged on rows held out already, and holds out no others to end itself

#: (metric on the held-out rows, whether the training is over)
Report: TypeAlias = tuple[float, bool]


@dataclass(frozen=True)
class Trial:
    """One setting, tried.

    Attributes:
        number: of the setting; 0 is the method's own.
        options: what differs from the method's own.
        status: "done"; "pruned": given up since others were better by then; "failed"; "stopped": out of time.
        value: mean metric on the held-out rows; of a pruned trial the last one seen; None of the others.
        rows: rows it was trained on.
        seconds: it took.
        message: why it failed.
        sketch: a small and short training.
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
    """What a search came to.

    Attributes:
        options: all options to train with, by flat key: those given, and those chosen.
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
    history: tuple[Trial, ...]
    scaling: Scaling | None = None

    @property
    def default(self) -> float | None:
        """The value of the method's own settings on all rows (of the last one made)."""
        found = [t.value for t in self.history if t.number == 0 and t.status == "done"]
        return found[-1] if found else None


def tune(
    name: str | MethodSpec,
    options: Mapping[str, Any],
    prepared: Prepared,
    tuning: Tuning,
    seed: int = 0,
    progress: Callable[[Trial], None] | None = None,
    *,
    device: str = "cpu",
    scaling: bool = True,
) -> Chosen:
    """Search a method's or a baseline's hyper-parameters on the training part of ``prepared``.

    The same arguments give the same answer, unless ``tuning.seconds`` lets the clock decide.

    Args:
        name: a method (kernlab.methods), a baseline (kernlab.compare.rivals), or a composed method.
        options: by flat key; these stay as they are and are not searched.
        prepared: the split; its test part is not read.
        tuning: which search, how many trials, how long, on which rows.
        seed: decides the inner split, the search and the trainings.
        progress: called after every trial; what it raises ends the search.
        device: where methods are trained.
        scaling: whether standardised inputs may get their ranks beside them.

    Raises:
        KernlabError: options or data that cannot be used, or every single setting failed (with the first reason).
    """
    check(tuning)
    torch.optim.Adam([torch.zeros(1)])  # a process's first optimizer takes seconds to load: no part of the search
    began = time.perf_counter()
    subject = _subject(name, options, device, scaling)
    subject.check(prepared)
    more = 1.0 if prepared.targets is None else -1.0  # accuracy rises, RMSE falls
    scaled = {"": _parts(prepared, tuning, seed)}

    def parts(values: Mapping[str, Any]) -> list[Prepared]:
        kind = values.get("scaling", "")
        if kind not in scaled:
            scaled[kind] = _parts(rescaled(prepared, kind), tuning, seed)
        return scaled[kind]

    def after(move: Move, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return subject.moved(move, parts(values)[0], values)

    plan = Plan(lambda values: subject.space(parts(values)[0], values), after, subject.sketches(prepared))
    n = len(parts({})[0].X_train)
    deadline = math.inf if tuning.seconds is None else began + tuning.seconds
    history: list[Trial] = []
    searching = SEARCHES[tuning.search]
    if tuning.seconds is not None and isinstance(subject, _OfRival):
        plan = replace(plan, coarse=subject.coarse(parts({})[0], tuning.trials, seed))
        searching = functools.partial(coarse_first, searching)
    with closing(searching(plan, tuning.trials, seed, n)) as search:
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


def _worth(trial: Trial, more: float) -> float:
    """More is better; a failure is the worst."""
    return more * trial.value if trial.status == "done" and trial.value is not None else -math.inf


def _chosen(given: Mapping[str, Any], history: list[Trial], more: float, seconds: float) -> Chosen:
    """The best of the trials on the most rows, sketches only where there is nothing else; the earlier setting where
    two are alike."""
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
    return Chosen({**given, **found}, value, len({t.number for t in history}), seconds, tuple(history), scaling)


# -- one trial ----------------------------------------------------------------------------------------------------


def _tried(subject: _Subject, ask: Ask, parts: list[Prepared], seed: int, more: float, deadline: float) -> Trial:
    """Train on every fold, unless the search gives up, the time is over or it fails."""
    began = time.perf_counter()
    parts = [_shortened(part, ask.share) for part in parts]
    finals: list[float] = []
    value: float | None = None
    step = 0

    def trial(status: Literal["done", "pruned", "failed", "stopped"], message: str = "") -> Trial:
        kept = value if status in ("done", "pruned") else None
        seconds = time.perf_counter() - began
        return Trial(ask.number, dict(ask.values), status, kept, len(parts[0].X_train), seconds, message, ask.sketch)

    try:
        for fold, part in enumerate(parts):
            with closing(subject.watch(part, ask.values, seed, ask.sketch)) as reports:
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
    except KernlabError as error:
        return trial("failed", str(error))
    except torch.linalg.LinAlgError as error:  # type: ignore[attr-defined]  # NaN or infinity has no singular values
        return trial("failed", f"The numbers must stay finite. Given: {error}.")
    except (torch.OutOfMemoryError, MemoryError):
        return trial("failed", "The training must fit into memory.")
    raise AssertionError("a training ends with a report that says so")


def _shortened(data: Prepared, share: float) -> Prepared:
    """A share of the training rows, stratified; the held-out rows stay."""
    if share >= 1:
        return data
    rows = _every(_ordered(data, np.random.default_rng(0)), max(1, round(share * len(data.X_train))))
    return replace(data, X_train=data.X_train[rows], y_train=data.y_train[rows], train_rows=data.train_rows[rows])


# -- what is tuned ------------------------------------------------------------------------------------------------


class _Subject(Protocol):
    """A method or a baseline, as a search sees it."""

    def check(self, data: Prepared) -> None: ...

    def space(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Range]: ...

    def moved(self, move: Move, data: Prepared, values: Mapping[str, Any]) -> Mapping[str, Any] | None: ...

    def sketches(self, data: Prepared) -> bool: ...

    def watch(
        self, data: Prepared, values: Mapping[str, Any], seed: int, sketch: bool
    ) -> Generator[Report, None, None]: ...


def _subject(name: str | MethodSpec, options: Mapping[str, Any], device: str, scaling: bool) -> _Subject:
    if isinstance(name, str) and name in RIVALS:
        return _OfRival(RIVALS[name], options, scaling)
    method = METHODS[name] if isinstance(name, str) else name
    return _OfMethod(method.with_options(options), tuple(options), devices.resolve(device), scaling)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is the data's."""
    return {key: value for key, value in values.items() if key != "scaling"}


@dataclass(frozen=True)
class _OfRival:
    kind: type[Rival]
    options: Mapping[str, Any]
    scaling: bool

    def check(self, data: Prepared) -> None:
        self.kind.build(**self.options).check(len(data.X_train))  # all rows, to which what is chosen will be fitted

    def space(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Range]:
        return self._with(values).space(data, tuple(self.options))

    def moved(self, move: Move, data: Prepared, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        current = self._with(values).resolved(data).options()
        if self.scaling and "gamma" in current:  # trees see the order of an input alone
            current["scaling"] = data.inputs.kind
        found = moved(move, current, data.dataset.task, tuple(self.options))
        return None if found is None else {**values, **found}

    def coarse(self, data: Prepared, trials: int, seed: int) -> list[dict[str, float]]:
        """The settings that it tries first where time is short."""
        return coarse_settings(self.space(data, {}), self.kind.coarse, trials, seed)

    def _with(self, values: Mapping[str, Any]) -> Rival:
        return self.kind.build(**{**self.options, **_plain(values)})

    def sketches(self, data: Prepared) -> bool:
        return False

    def watch(
        self, data: Prepared, values: Mapping[str, Any], seed: int, sketch: bool
    ) -> Generator[Report, None, None]:
        (predicted,) = self._with(values).predict(data, seed, data.X_test)
        yield score(data, predicted, data.y_test), True


@dataclass(frozen=True)
class _OfMethod:
    method: MethodSpec
    fixed: tuple[str, ...]
    device: torch.device
    scaling: bool

    def check(self, data: Prepared) -> None:
        self.method.check(data.dataset.task)

    def space(self, data: Prepared, values: Mapping[str, Any]) -> dict[str, Range]:
        return method_space(self._with(values, data), data.dataset.task, self.fixed)

    def moved(self, move: Move, data: Prepared, values: Mapping[str, Any]) -> Mapping[str, Any] | None:
        method = self._with(values, data)
        current = method.options()
        if self.scaling and not method.input_scaling:
            current["scaling"] = data.inputs.kind
        aliased = {part.aliases[key][0] for part in method.parts for key in self.fixed if key in part.aliases}
        found = moved(move, current, data.dataset.task, {*self.fixed, *aliased})
        if found is None:
            return None
        try:
            self._with({**values, **found}, data)
        except KernlabError:
            return None  # a mini-batch larger than the data, say
        return {**values, **found}

    def _with(self, values: Mapping[str, Any], data: Prepared) -> MethodSpec:
        return rules.resolve(self.method.with_options(_plain(values)), data)

    def sketches(self, data: Prepared) -> bool:
        """Differences of accuracy are too small to be seen in a sketch; a plateau ends a run by itself."""
        solver = self.method.solver
        learning = isinstance(solver, ProximalGradient) and solver.schedule != "plateau" and not self.method.two_stage
        return learning and data.targets is not None

    def _smaller(self, values: Mapping[str, Any], data: Prepared, sketch: bool) -> MethodSpec:
        """The method as a trial trains it."""
        method = self._with(values, data)
        if not isinstance(method.solver, ProximalGradient) or method.two_stage:
            return method
        options = method.options()
        changes = {**TRIAL, "n_features": min(options.get("n_features", 0), SKETCH_WIDTH if sketch else WIDTH)}
        if sketch:
            changes["epochs"] = max(1, round(SKETCH_EPOCHS * options["epochs"]))
        return method.with_options({key: value for key, value in changes.items() if key in options})

    def watch(
        self, data: Prepared, values: Mapping[str, Any], seed: int, sketch: bool
    ) -> Generator[Report, None, None]:
        threads = torch.get_num_threads()
        try:
            method, choice = chosen(self._smaller(values, data, sketch), data, seed, self.device)
            state = start(method, data, seed, self.device, choice=choice)
            torch.set_num_threads(min(threads, torch.get_num_threads()))
            looks = set(_looks(state))
            while not state.done:
                state.advance()
                if state.step in looks and not state.done:
                    yield _score(state), False
            yield _score(state), True
        finally:
            torch.set_num_threads(threads)


def _looks(state: TrainingState) -> Iterator[int]:
    """Steps after which a training is worth looking at on its way: fractions of the run, as its learning rate
    falls by them; on a plateau, which ends when it will, powers of two of epochs."""
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
    """The training part, or ``rows`` of it, split into what is trained on and what is held out (as "test")."""
    order = _ordered(data, np.random.default_rng([seed, 1]))
    order = _every(order, min(len(order), tuning.rows), keep_order=True)
    folds = tuning.folds if tuning.folds > 1 else HELD_OUT
    if len(order) < 2 * folds:
        raise DataError(
            f"tuning needs at least {2 * folds} training rows",
            f"{len(order)} of them",
            "take more rows, or do not tune",
        )
    turn = np.arange(len(order)) % folds  # rows are dealt out class by class: every part has its share of each
    return [
        _held_out(data, np.sort(order[turn != fold]), np.sort(order[turn == fold]))
        for fold in range(folds if tuning.folds > 1 else 1)
    ]


def _held_out(data: Prepared, fit: NDArray[np.int64], judge: NDArray[np.int64]) -> Prepared:
    X, y, rows = data.X_train, data.y_train, data.train_rows
    return replace(
        data, X_train=X[fit], y_train=y[fit], train_rows=rows[fit], X_test=X[judge], y_test=y[judge],
        test_rows=rows[judge],
    )  # fmt: skip


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
    """Make sure that a search can be made so.

    Raises:
        OptionError: a number outside its range, or a search whose library is not installed.
        UnknownNameError: no such search.
    """
    for key, value, least in (("trials", tuning.trials, 1), ("folds", tuning.folds, 1), ("rows", tuning.rows, 10)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise OptionError(f"{key} must be a whole number of at least {least}", repr(value))
    if tuning.seconds is not None and not 0 < tuning.seconds < math.inf:
        raise OptionError("seconds must be a number above 0, or None", repr(tuning.seconds))
    with closing(SEARCHES[tuning.search](Plan(lambda values: {}), 1, 0, 10)) as search:
        next(search)

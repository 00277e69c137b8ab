"""Which settings are tried, in which order, and which of them to the end.

A search is a generator: it yields what to try (:class:`Ask`) and is sent the result (a value, of which more is better;
None where the trial was cut short; −∞ where it failed). The method's own settings are always the first.

    bayes     adjustments that are likely to help, each on top of the best settings so far, judged by sketches where
              these suffice; then a tree-structured Parzen estimator around the best (Optuna). A trial that falls
              behind is cut short
    halving   many settings on few rows; the best third goes on to three times as many, until all rows are used
    grid      the papers' grid in order, or random points of it where it is larger than the number of trials

Where time is short a baseline begins with settings on few rows, whichever search it is (:func:`coarse_first`).

Sources: Bergstra et al. 2011; Karnin, Koren & Somekh 2013; Jamieson & Talwalkar 2016; ASKL §"Experiments"; FKS §5.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from kernlab.compare.spaces import ADJUSTMENTS, Adjustment, Range
from kernlab.errors import OptionError
from kernlab.registry import Registry

__all__ = ["SEARCHES", "Ask", "Search", "SearchProblem", "coarse_first", "coarse_settings"]

ETA = 3  # settings are reduced to one in ETA, and rows multiplied by it, from rung to rung
FEWEST = 500  # rows on which a setting is judged at least, where the data have as many
WARM = 5  # reports of a trial before it can be called behind: a training that learns slowly at first may still win
AGAIN = 3  # times that one adjustment is made at most
COARSE, COARSE_ROWS, KEPT = 20, 2000, 3  # of a baseline: settings on so many rows, and those tried again on all rows


@dataclass(frozen=True)
class Ask:
    """One trial to make.

    Attributes:
        number: of the setting, 0 for the method's own; halving tries one setting several times.
        values: the options that differ from the method's own.
        share: of the rows to train on.
        sketch: a training with fewer features and epochs is enough.
        due: the trial is made even when the time is over.
        cut: given (report's number, value so far), whether to cut the trial short.
    """

    number: int
    values: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    sketch: bool = False
    due: bool = False
    cut: Callable[[int, float], bool] = field(default=lambda step, value: False, compare=False)


@dataclass(frozen=True)
class SearchProblem:
    """What is searched.

    Attributes:
        space: given the settings so far, the range of every option that has one.
        adjusted: given an adjustment and the settings so far, the settings after it; None where it does not apply.
        sketch: whether adjustments can be judged by sketches.
        coarse: settings that are tried first on few rows, the method's own before all others.
    """

    space: Callable[[Mapping[str, Any]], Mapping[str, Range]]
    adjusted: Callable[[Adjustment, Mapping[str, Any]], Mapping[str, Any] | None] = lambda adjustment, values: None
    sketch: bool = False
    coarse: Sequence[Mapping[str, Any]] = ()


Search: TypeAlias = Generator[Ask, float | None, None]

#: Searches by name: (problem, trials, seed, training rows) -> Search.
SEARCHES: Registry[Callable[[SearchProblem, int, int, int], Search]] = Registry("search")


@SEARCHES.register("bayes")
def bayes(problem: SearchProblem, trials: int, seed: int, rows: int) -> Search:
    """Adjustments, then Optuna's tree-structured Parzen estimator with median pruning; reproducible from the seed."""
    try:
        import optuna
    except ImportError:
        raise OptionError(
            "search=bayes needs Optuna", "it is not installed",
            "pip install 'kernlab[tune]', or set search=halving or search=grid",
        ) from None  # fmt: skip
    best = _Incumbent(trials, problem.sketch)
    yield from best.run({})
    yield from _adjusted(problem, [each for each in ADJUSTMENTS if not (problem.sketch and each.full_length)], best)
    if problem.sketch:
        sketched, best = best, _Incumbent(trials, False, best.settings, best.tried)
        for values in (sketched.values, {}) if sketched.values else ({},):
            yield from best.run(values)
        yield from _adjusted(problem, [each for each in ADJUSTMENTS if each.full_length], best)
    space = problem.space(best.values)
    if not space or best.over:
        return
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=max(4, trials // 3)),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1),
    )
    study.enqueue_trial({key: each.start for key, each in space.items()})  # where the best so far lies
    start = study.ask()
    for key, each in space.items():
        _suggested(start, key, each)
    study.tell(start, best.value)
    chosen = dict(best.values)
    while not best.over:
        trial = study.ask()
        values = {**chosen, **{key: _suggested(trial, key, each) for key, each in space.items()}}

        def behind(step: int, value: float, trial: Any = trial) -> bool:
            trial.report(value, step)
            return bool(trial.should_prune())

        value = yield from best.run(values, behind)
        if value is None:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        else:
            study.tell(trial, value)


def _adjusted(problem: SearchProblem, adjustments: Sequence[Adjustment], best: _Incumbent) -> Search:
    """One adjustment after the other, each on top of the best settings so far."""
    for adjustment in adjustments:
        for _ in range(AGAIN if adjustment.factors else 1):
            values, before = problem.adjusted(adjustment, best.values), best.value
            if values is None:
                break
            yield from best.run(values)
            if best.value == before:
                break


class _Incumbent:
    """The best settings so far and the reports of their training, behind which other trainings are cut short."""

    def __init__(self, trials: int, sketch: bool, settings: Sequence[Mapping[str, Any]] = (), tried: int = 0) -> None:
        self.values: Mapping[str, Any] = {}
        self.value, self.tried, self.settings = -math.inf, tried, list(settings)
        self._trials, self._sketch, self._reports = trials, sketch, list[float]()

    @property
    def over(self) -> bool:
        """Whether all trials are used."""
        return self.tried >= self._trials

    def run(
        self, values: Mapping[str, Any], behind: Callable[[int, float], bool] = lambda step, value: False
    ) -> Generator[Ask, float | None, float | None]:
        """Try settings while trials are left; they become the incumbent if they are better."""
        if self.over:
            return None
        reports: list[float] = []

        def cut(step: int, value: float) -> bool:
            reports.append(value)
            late = WARM <= step < len(self._reports) and value < self._reports[step]
            return behind(step, value) or late

        if values not in self.settings:
            self.settings.append(values)
        value = yield Ask(self.settings.index(values), values, sketch=self._sketch, cut=cut)
        self.tried += 1
        if value is not None and value > self.value:
            self.values, self.value, self._reports = values, value, reports
        return value


def _suggested(trial: Any, key: str, each: Range) -> float:
    if each.whole:
        return int(trial.suggest_int(key, int(each.low), int(each.high), log=each.log))
    return each.tidy(trial.suggest_float(key, each.low, each.high, log=each.log))


@SEARCHES.register("halving")
def halving(problem: SearchProblem, trials: int, seed: int, rows: int) -> Search:
    """Successive halving over rows. The method's own settings stay to the end, so that the chosen ones have beaten them
    on all rows."""
    space = problem.space({})
    settings = dict(enumerate([{}, *(_spread(space, trials - 1, seed) if space else ())]))
    rungs = 1 + min(_levels(trials), _levels(rows / FEWEST))
    for rung in range(rungs):
        found = {}
        for number, values in settings.items():
            found[number] = _worth((yield Ask(number, values, share=float(ETA) ** (rung + 1 - rungs))))
        others = sorted((number for number in found if number), key=lambda number: -found[number])
        kept = {0, *others[: max(1, math.ceil(len(found) / ETA) - 1)]}
        settings = {number: values for number, values in settings.items() if number in kept}


def _levels(ratio: float) -> int:
    """How often ``ratio`` can be divided by ETA and stay at least 1."""
    return max(0, math.floor(math.log(ratio, ETA) + 1e-9)) if ratio >= 1 else 0


def _spread(space: Mapping[str, Range], number: int, seed: int) -> list[dict[str, float]]:
    """Settings that fill the space evenly (a scrambled Halton sequence)."""
    from scipy.stats import qmc

    if number < 1:
        return []
    shares = qmc.Halton(len(space), rng=np.random.default_rng(seed)).random(number)
    return [{key: each.at(share) for (key, each), share in zip(space.items(), row, strict=True)} for row in shares]


@SEARCHES.register("grid")
def grid(problem: SearchProblem, trials: int, seed: int, rows: int) -> Search:
    """The product of the values that papers searched; of evenly spread ones where no paper searched any."""
    space = problem.space({})
    searched = {key: each for key, each in space.items() if each.grid} or space
    values = [each.points() for each in searched.values()]
    size = math.prod(len(each) for each in values)
    yield Ask(0)
    if not space:
        return
    order = np.arange(size)
    if size > trials - 1:
        order = np.random.default_rng(seed).choice(size, trials - 1, replace=False)
    for number, place in enumerate(order, start=1):
        at = np.unravel_index(int(place), [len(each) for each in values])
        yield Ask(number, {key: each[int(i)] for key, each, i in zip(searched, values, at, strict=True)})


def coarse_settings(
    space: Mapping[str, Range], factors: Mapping[str, Sequence[float]], trials: int, seed: int
) -> list[dict[str, float]]:
    """The settings that a baseline begins with: its own, then a grid around them, or some that fill the space.

    Args:
        space: where to look, with the values in force.
        factors: of the values in force, whose product is the grid; empty: no grid.
        trials: settings at most.
        seed: decides which, where the grid has more.
    """
    number = min(COARSE, trials)
    own = {key: space[key].start for key in factors if key in space}
    if not own:
        return [{}, *_spread(space, number - 1, seed)] if space else [{}]
    values = [[space[key].tidy(start * factor) for factor in factors[key]] for key, start in own.items() if start]
    grid = [dict(zip(own, each, strict=True)) for each in itertools.product(*values)]
    others = [each for each in grid if any(each[key] != space[key].tidy(start or 0) for key, start in own.items())]
    if len(others) > number - 1:
        kept = np.sort(np.random.default_rng(seed).choice(len(others), number - 1, replace=False))
        others = [others[i] for i in kept]
    return [{}, *others]


def coarse_first(
    search: Callable[[SearchProblem, int, int, int], Search], problem: SearchProblem, trials: int, seed: int, rows: int
) -> Search:
    """Coarse settings on few rows, the method's own and the best of them on all rows, then the search from there.

    The trials before the search are made even when the time is over.
    """
    worth = {}
    share = min(1.0, COARSE_ROWS / rows)
    for number, values in enumerate(problem.coarse):
        worth[number] = _worth((yield Ask(number, values, share=share, due=True)))
    if share < 1:
        best_few = sorted(worth, key=lambda number: -worth[number])[:KEPT]
        worth = {}
        for number in sorted({0, *best_few}):
            worth[number] = _worth((yield Ask(number, problem.coarse[number], due=True)))
    best = max(worth, key=lambda number: worth[number])
    start, known = problem.coarse[best], len(problem.coarse)
    around = SearchProblem(
        lambda values: problem.space({**start, **values}),
        lambda each, values: problem.adjusted(each, {**start, **values}),
    )
    with closing(search(around, trials, seed, rows)) as further, suppress(StopIteration):
        ask = next(further)
        while True:
            if ask.number == 0 and ask.share >= 1:
                ask = further.send(worth[best])
                continue
            number = ask.number + known - 1 if ask.number else best
            ask = further.send((yield replace(ask, number=number, values={**start, **ask.values})))


def _worth(value: float | None) -> float:
    return -math.inf if value is None else value

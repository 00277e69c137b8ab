"""Which settings are tried, in which order, and which of them to the end.

A search is a generator: it yields what to try (:class:`Ask`) and is sent how that went (a value where more is
better, None where the trial was given up; −∞ where it failed). The method's own settings are always the first.

    bayes     tree-structured Parzen estimator; a trial below the median of the others is cut short (Optuna)
    halving   many settings on few rows; the best third goes on to three times as many, until all rows are used
    grid      the papers' grid in order, or random points of it where it is larger than the number of trials

Sources: Bergstra et al. 2011; Karnin, Koren & Somekh 2013; Jamieson & Talwalkar 2016; ASKL §"Experiments"; FKS §5.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from kernlab.compare.spaces import Range
from kernlab.errors import OptionError
from kernlab.registry import Registry

__all__ = ["SEARCHES", "Ask", "Search"]

ETA = 3  # settings dropped to one in ETA, rows multiplied by it, from rung to rung
FEWEST = 500  # rows that a setting is judged on at least, where there are as many


@dataclass(frozen=True)
class Ask:
    """One trial to make.

    Attributes:
        number: of the setting, 0 for the method's own; halving tries one setting several times.
        values: the options that differ from the method's own.
        share: of the rows to train on.
        cut: given (report's number, value so far), whether to give the trial up.
    """

    number: int
    values: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    cut: Callable[[int, float], bool] = field(default=lambda step, value: False, compare=False)


Search: TypeAlias = Generator[Ask, float | None, None]

#: Searches by name: (space, trials, seed, training rows) -> Search.
SEARCHES: Registry[Callable[[Mapping[str, Range], int, int, int], Search]] = Registry("search")


@SEARCHES.register("bayes")
def bayes(space: Mapping[str, Range], trials: int, seed: int, rows: int) -> Search:
    """Optuna's tree-structured Parzen estimator with median pruning; reproducible from the seed."""
    try:
        import optuna
    except ImportError:
        raise OptionError(
            "search=bayes needs Optuna", "it is not installed",
            "pip install 'kernlab[tune]', or set search=halving or search=grid",
        ) from None  # fmt: skip
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    drawn = max(4, trials // 3)  # at random, before the estimator has enough to go by
    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=drawn),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=3, n_warmup_steps=1),
    )
    study.enqueue_trial({key: each.start for key, each in space.items()})
    for number in range(trials):
        trial = study.ask()
        drawn_values = {key: _suggested(trial, key, each) for key, each in space.items()}

        def cut(step: int, value: float, trial: Any = trial) -> bool:
            trial.report(value, step)
            return bool(trial.should_prune())

        value = yield Ask(number, drawn_values if number else {}, cut=cut)
        if value is None:
            study.tell(trial, state=optuna.trial.TrialState.PRUNED)
        else:
            study.tell(trial, value)


def _suggested(trial: Any, key: str, each: Range) -> float:
    if each.whole:
        return int(trial.suggest_int(key, int(each.low), int(each.high), log=each.log))
    return each.tidy(trial.suggest_float(key, each.low, each.high, log=each.log))


@SEARCHES.register("halving")
def halving(space: Mapping[str, Range], trials: int, seed: int, rows: int) -> Search:
    """Successive halving over rows. The method's own settings stay to the end, so that what is chosen has beaten
    them on all rows."""
    settings = dict(enumerate([{}, *_spread(space, trials - 1, seed)]))
    rungs = 1 + min(_levels(trials), _levels(rows / FEWEST))
    for rung in range(rungs):
        found = {}
        for number, values in settings.items():
            value = yield Ask(number, values, share=float(ETA) ** (rung + 1 - rungs))
            found[number] = -math.inf if value is None else value
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
def grid(space: Mapping[str, Range], trials: int, seed: int, rows: int) -> Search:
    """The product of the values that papers searched; of evenly spread ones where no paper searched any."""
    searched = {key: each for key, each in space.items() if each.grid} or space
    values = [each.points() for each in searched.values()]
    size = math.prod(len(each) for each in values)
    yield Ask(0)
    order = np.arange(size)
    if size > trials - 1:
        order = np.random.default_rng(seed).choice(size, trials - 1, replace=False)
    for number, place in enumerate(order, start=1):
        at = np.unravel_index(int(place), [len(each) for each in values])
        yield Ask(number, {key: each[int(i)] for key, each, i in zip(searched, values, at, strict=True)})

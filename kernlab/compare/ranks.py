"""Methods over several data sets: average ranks, Friedman's test, Nemenyi's critical difference.

    R_i = mean over the N data sets of method i's rank among the k (1: best; ties share the mean of their ranks); a
          method comes after all that finished more splits of the data set, whatever its mean over the others
    CD  = q_α √(k (k + 1) / (6 N)),   q_α: studentized range for k groups and infinite degrees of freedom, over √2

Two methods differ significantly where their average ranks are CD or more apart (Demšar, Statistical comparisons of
classifiers over multiple data sets, JMLR 7, 2006, §3.2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from kernlab.errors import OptionError

__all__ = ["AverageRanks", "critical_difference", "friedman", "ranks"]


class AverageRanks(NamedTuple):
    """Average ranks and what may be concluded from them.

    Attributes:
        methods, average: k of them, best first.
        datasets: the N data sets that count.
        left_out: the others, on which some method has no result yet, or all failed.
        friedman: p that all methods are alike; None for fewer than three methods or two data sets.
        critical: the critical difference; None where nothing can be tested.
        level: of both tests.
        cliques: groups, best first, within which no two differ significantly; none lies in another.
    """

    methods: tuple[str, ...]
    average: tuple[float, ...]
    datasets: tuple[str, ...]
    left_out: tuple[str, ...]
    friedman: float | None
    critical: float | None
    level: float
    cliques: tuple[tuple[str, ...], ...]


def critical_difference(methods: int, datasets: int, level: float = 0.05) -> float:
    """Nemenyi's critical difference of the average ranks of k methods over N data sets.

    Raises:
        OptionError: fewer than 2 methods or 1 data set, or a level α outside (0, 1).
    """
    if methods < 2 or datasets < 1 or not 0 < level < 1:
        raise OptionError(
            "a critical difference needs 2 methods, 1 data set and a level between 0 and 1",
            f"{methods}, {datasets}, {level}",
        )
    q = scipy.stats.studentized_range.isf(level, methods, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(methods * (methods + 1) / (6 * datasets)))


def friedman(table: NDArray[np.float64]) -> float | None:
    """p of Friedman's test that the columns of ``table`` [N k] are alike; None for k < 3 or N < 2."""
    N, k = table.shape
    if k < 3 or N < 2:
        return None
    if (table == table[:, :1]).all():  # all tied everywhere: the statistic would be 0/0
        return 1.0
    return float(scipy.stats.friedmanchisquare(*table.T).pvalue)


def ranks(
    results: Mapping[str, Mapping[str, float | None]],
    direction: Mapping[str, Literal["more", "less"]],
    *,
    finished: Mapping[str, Mapping[str, int]] | None = None,
    methods: Sequence[str] = (),
    level: float = 0.05,
) -> AverageRanks:
    """Average ranks over the data sets on which every method has a result, or has failed on every split.

    Args:
        results: data set to method to its mean; None or NaN where it has none.
        direction: data set to whether more or less is better.
        finished: data set to method to the number of splits that it finished; by default as many as the others.
        methods: those compared; all that occur by default.
        level: of the tests, in (0, 1).

    Raises:
        OptionError: a level outside (0, 1).
    """
    if not 0 < level < 1:
        raise OptionError("the level of a test must be between 0 and 1", level, "0.05 is usual")
    names = list(methods) or list(dict.fromkeys(name for row in results.values() for name in row))
    rows = {}
    for dataset, row in results.items():
        splits = np.array([(finished or {}).get(dataset, {}).get(name, 1) for name in names])
        means = np.array([row.get(name) for name in names], np.float64)
        means = np.where(splits > 0, means, 0.0)
        if splits.any() and np.isfinite(means).all():
            keys = np.stack([-splits, -means if direction[dataset] == "more" else means], axis=1)
            _, places = np.unique(keys, axis=0, return_inverse=True)  # rows in lexicographic order
            rows[dataset] = scipy.stats.rankdata(places.reshape(-1))
    left_out = tuple(dataset for dataset in results if dataset not in rows)
    if not rows:
        return AverageRanks((), (), (), left_out, None, None, level, ())
    table = np.array(list(rows.values()))
    average = table.mean(axis=0)
    order = np.argsort(average, kind="stable")
    sorted_names, sorted_ranks = [names[i] for i in order], average[order]
    critical = critical_difference(len(names), len(rows), level) if len(names) > 1 and len(rows) > 1 else None
    return AverageRanks(
        tuple(sorted_names),
        tuple(map(float, sorted_ranks)),
        tuple(rows),
        left_out,
        friedman(table),
        critical,
        level,
        _cliques(sorted_names, sorted_ranks, critical) if critical is not None else (),
    )


def _cliques(names: Sequence[str], average: NDArray[np.float64], critical: float) -> tuple[tuple[str, ...], ...]:
    found, reached = [], 0
    for start in range(len(names)):
        end = start + int((average[start:] - average[start] < critical).sum())
        if end - start > 1 and end > reached:
            found.append(tuple(names[start:end]))
            reached = end
    return tuple(found)

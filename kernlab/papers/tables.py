"""The papers' tables over many data sets: as they were printed, run anew as ordinary comparisons, and side by side.

    askl-table2   accuracy in percent, or RMSE with targets in [0,100]; mean ± std over 30 random 80/20 splits
    fks-table2    MSE with targets in [0,1]; mean ± std over 30 random 50/50 splits
    fks-table3    training seconds of the same cells, features included, on the authors' machine

NAME.csv beside this file has a table's figures as they were printed, one a line. constants.csv has what predicting the
mean gives on each regression set (100 · standard deviation / range of the targets), so that printed errors which are
worse than that can be recognised.

Without tuning the methods' own settings are used; the papers searched theirs by 5-fold cross-validation on a grid
(``Tuning(search="grid", folds=5)``). Each table is an ordinary stored comparison: its cells are kept, so a stopped one
can be resumed, fewer repeats are a part of more, and Table 3 costs nothing after Table 2. The constant predictor is
always among the methods: some printed errors are worse than its error, and nothing is claimed from those.
"""

from __future__ import annotations

import csv
import functools
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any

from kernlab.compare import Comparison, Record, Tuning
from kernlab.compare.summary import CONSTANT, Beside, Published, Row, Table, on_scale, summarise
from kernlab.compare.written import assemble
from kernlab.data import SOURCES
from kernlab.data.folder import VARIABLE, files
from kernlab.errors import DataError, OptionError, UnknownNameError
from kernlab.registry import Registry

__all__ = ["REPEATS", "TABLES", "VERDICTS", "PrintedTable", "available", "beside", "comparison_of", "printed"]

#: Whether ours beats a printed figure, in words; None where nothing can be claimed.
VERDICTS = {True: "ours is better", False: "printed is better", None: ""}

REPEATS = 30  # splits of each data set, in every one of these tables


@dataclass(frozen=True)
class PrintedTable:
    """A printed table over many data sets, and how it is measured anew.

    Attributes:
        name: as ``kernlab reproduce`` takes it, and of its CSV file.
        label: what the Papers page calls it.
        title: what it shows.
        citation: where it stands.
        printed: in a sentence, how the paper measured it.
        said: in a sentence, how it is measured here.
        data: how its data sets are split and scaled, by field of :class:`kernlab.data.DataSpec`.
        own: options that the table fixes, by the method's name.
        called: kernlab's names of methods and data sets by the paper's, where they differ.
    """

    name: str
    label: str
    title: str
    citation: str
    printed: str
    said: str
    data: Mapping[str, Any]
    own: Mapping[str, Mapping[str, Any]]
    called: Mapping[str, str] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names, as the table has them from top to bottom."""
        return tuple(dict.fromkeys(figure.dataset for figure in printed(self.name)))

    @property
    def methods(self) -> tuple[str, ...]:
        """Names, as the table has them, and the constant predictor."""
        return (*dict.fromkeys(figure.method for figure in printed(self.name)), CONSTANT)


#: By the names that ``kernlab reproduce`` takes; each paper's file puts its own in.
TABLES: Registry[PrintedTable] = Registry("printed table")


@functools.cache
def printed(table: str) -> tuple[Published, ...]:
    """The figures of a printed table, by kernlab's names of methods and data sets.

    Raises:
        UnknownNameError: no such table.
    """
    called = TABLES[table].called
    constants = {row["dataset"]: float(row["rmse"]) for row in _csv("constants")}
    found = []
    for row in _csv(table):
        dataset, method = (called.get(row[key], row[key]) for key in ("dataset", "method"))
        rmse = constants.get(dataset)
        constant = {"rmse": rmse, "mse": (rmse / 100) ** 2}.get(row["metric"]) if rmse is not None else None
        std = float(row["std"]) if row["std"] else None
        found.append(Published(table, dataset, method, row["metric"], float(row["mean"]), std, constant))
    return tuple(found)


def _csv(name: str) -> list[dict[str, str]]:
    text = resources.files(__name__.rpartition(".")[0]).joinpath(f"{name}.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def available(table: str) -> list[str]:
    """The data sets of a table that are at hand.

    Raises:
        UnknownNameError: no such table.
        DataError: a folder of KERNLAB_DATA does not exist.
    """
    at_hand = {*SOURCES, *files()}
    return [name for name in TABLES[table].datasets if name in at_hand]


def comparison_of(
    table: str,
    *,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    repeats: int = REPEATS,
    seed: int = 0,
    tuning: Tuning | None = None,
    budget: float | None = None,
    workers: int = 1,
) -> Comparison:
    """The comparison that reproduces a table.

    Args:
        table: a name of :data:`TABLES`.
        datasets: of the table; default: all that are at hand.
        methods: of the table or any others; default: the table's. The constant predictor is added.
        repeats: splits of each data set.
        seed: of the first split.
        tuning: how settings are searched in each cell; None: the methods' own.
        budget: seconds of searching for the whole table, by the clock, shared evenly: each tuned cell has
            budget · workers / number of tuned cells. That depends on these arguments alone, so that the same
            ones name the same cells again.
        workers: cells that are computed at a time, where there is a budget.

    Raises:
        UnknownNameError: no such table, or no such data set in it.
        DataError: a data set is not at hand; the message names it and the folder that it must lie in.
        OptionError: a budget without tuning or not above 0, nothing to compare, or something named twice.
    """
    protocol, at_hand = TABLES[table], available(table)
    for name in datasets:
        if name not in protocol.datasets:
            raise UnknownNameError.among(f"data set of {table}", name, protocol.datasets)
    chosen = datasets or at_hand
    if missing := [name for name in chosen or protocol.datasets if name not in at_hand]:
        raise DataError(
            f"the data sets of {table} must be at hand",
            f"{', '.join(missing)}, which are missing",
            f"set {VARIABLE} to a folder with a file NAME.parquet of each (datasets/README.md describes them)"
            + (f", or name others: {', '.join(at_hand)}" if at_hand else ""),
        )
    names = [*(methods or protocol.methods)]
    names += [CONSTANT] * (CONSTANT not in names)
    own = {f"{name}.{key}": value for name in names for key, value in protocol.own.get(name, {}).items()}
    found = assemble(names, chosen, {**protocol.data, **own}, repeats=repeats, tuning=tuning, seed=seed)
    return found if budget is None else replace(found, tuning=_shared(found, budget, workers))


def _shared(comparison: Comparison, budget: float, workers: int) -> Tuning:
    """The budget in equal parts; the constant predictor has nothing to search."""
    if comparison.tuning is None:
        raise OptionError("a budget is for searching settings", f"{budget:g} s without tuning", "tune, or drop it")
    if not budget > 0:
        raise OptionError("the budget must be a number of seconds above 0", f"{budget:g}")
    tuned = len(comparison.datasets) * comparison.repeats * (len(comparison.methods) - 1)
    return replace(comparison.tuning, seconds=budget * workers / max(tuned, 1))


def beside(table: str, records: Iterable[Record]) -> list[dict[str, Any]]:
    """Ours beside the printed figures, on the scale of the printed table.

    Args:
        table: a name of :data:`TABLES`.
        records: of :func:`comparison_of`, of as many cells as are finished.

    Returns:
        A row for each method of the table, and each further one that was run, on every data set that has records:

        ``dataset``, ``method``, ``metric`` ("accuracy", "rmse", "mse" or "train_seconds"); ``mean``, ``std``, ``n``:
        ours over the splits that every method has reported; ``published_mean``, ``published_std``; ``constant``: the
        constant predictor's mean on the same splits; ``beats``: ours is better than what was printed, None where that
        would claim nothing (not run, nothing printed, marked, or seconds of another machine); ``mark``: "not on the
        stated scale" where the printed error is worse than predicting the mean; ``times``, ``published_times``
        (seconds only): how many times as long as the table's first method, each on its own machine; ``seconds``,
        ``tuning_seconds``, ``trials``: of training and of the search for settings, means; ``failed``, ``messages``:
        splits without a result, and why. None where there is nothing.

    Raises:
        UnknownNameError: no such table.
    """
    every = list(records)
    summary = summarise(every, methods=TABLES[table].methods, published=printed(table))
    last = {(r.cell["data"]["dataset"], r.cell["method"], int(r.cell["seed"])): r for r in every}
    rows = []
    for part in summary.tables:
        found = list(_rows(part, last))
        first = found[0]
        for row in found:
            timed = row["metric"] == "train_seconds"
            row["times"] = _ratio(row["mean"], first["mean"]) if timed else None
            row["published_times"] = _ratio(row["published_mean"], first["published_mean"]) if timed else None
        rows += found
    return rows


def _rows(part: Table, records: Mapping[tuple[str, str, int], Record]) -> Iterator[dict[str, Any]]:
    figures = {figure.published.method: figure for figure in part.published}
    ran = {row.method: row for row in part.rows}
    metric = part.published[0].published.metric if part.published else part.metric
    ours = {
        name: [r for seed in part.splits if (r := records[part.dataset, name, seed]).status == "done"] for name in ran
    }
    constant = _mean_std([on_scale(r, metric) for r in ours.get(CONSTANT, []) if metric != "train_seconds"])[0]
    for name in dict.fromkeys([*figures, *(each for each in ran if each != CONSTANT), CONSTANT]):
        figure, row, cells = figures.get(name), ran.get(name), ours.get(name, [])
        if figure is None and row is None:
            continue
        mean, std = (figure.mean, figure.std) if figure else _mean_std([on_scale(r, metric) for r in cells])
        yield {
            "dataset": part.dataset,
            "method": name,
            "metric": metric,
            "mean": mean,
            "std": std,
            "n": len(cells),
            **_printed(figure),
            "constant": constant,
            **_spent(row),
            "trials": statistics.fmean(r.trials for r in cells) if cells else None,
        }


def _printed(figure: Beside | None) -> dict[str, Any]:
    published: Published | None = figure.published if figure else None
    return {
        "published_mean": published.mean if published else None,
        "published_std": published.std if published else None,
        "beats": figure.beats if figure else None,
        "mark": published.mark if published else "",
    }


def _spent(row: Row | None) -> dict[str, Any]:
    return {
        "seconds": row.seconds if row else None,
        "tuning_seconds": row.tuning_seconds if row else None,
        "failed": row.failed if row else 0,
        "messages": list(row.messages) if row else [],
    }


def _mean_std(values: Sequence[float]) -> tuple[float | None, float | None]:
    mean = statistics.fmean(values) if values else None
    return mean, statistics.stdev(values) if len(values) > 1 else None


def _ratio(value: float | None, first: float | None) -> float | None:
    return value / first if value is not None and first else None

"""The papers' tables over many data sets: the printed figures, their reproduction as a comparison, and both together.

    askl-table2   accuracy in percent, or RMSE with targets in [0,100]; mean ± std over 30 random 80/20 splits
    fks-table2    MSE with targets in [0,1]; mean ± std over 30 random 50/50 splits
    fks-table3    training seconds of the same cells, features included, on the authors' machine

NAME.csv beside this file has the printed figures of a table, one a line. constants.csv has the error of predicting the
mean on each regression set (100 · standard deviation / range of the targets), by which printed errors that are worse
can be recognised.

Without tuning the methods have their default settings; the papers searched theirs by 5-fold cross-validation on a grid
(``Tuning(search="grid", folds=5)``). Each table is an ordinary stored comparison: its cells are kept, so a stopped one
can be resumed, more repeats reuse the cells of fewer, and Table 3 reuses those of Table 2. The constant predictor is
always among the methods: some printed errors are worse than its error, and no claim is based on those.
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
from kernlab.compare.summary import CONSTANT, Published, Table, on_scale, summarise
from kernlab.compare.written import assemble
from kernlab.data import SOURCES
from kernlab.data.folder import VARIABLE, files
from kernlab.errors import DataError, OptionError, UnknownNameError
from kernlab.registry import Registry

__all__ = ["REPEATS", "TABLES", "VERDICTS", "PrintedTable", "available", "beside", "comparison_of", "printed"]

#: Whether our figure beats the printed one, in words; None if no claim can be made.
VERDICTS = {True: "ours is better", False: "printed is better", None: ""}

REPEATS = 30  # splits of each data set, in every one of these tables


@dataclass(frozen=True)
class PrintedTable:
    """A printed table over many data sets, and how it is reproduced.

    Attributes:
        name: as ``kernlab reproduce`` takes it, and of its CSV file.
        label: what the Papers page calls it.
        title: the measured quantity.
        citation: paper and number of the table.
        printed: how the paper measured it, in a sentence.
        protocol: how it is measured here, in a sentence.
        data: how its data sets are split and scaled, by field of :class:`kernlab.data.DataSpec`.
        own: options that the table fixes, by the method's name.
        called: kernlab's names of methods and data sets that the paper names differently, by the paper's names.
    """

    name: str
    label: str
    title: str
    citation: str
    printed: str
    protocol: str
    data: Mapping[str, Any]
    own: Mapping[str, Mapping[str, Any]]
    called: Mapping[str, str] = field(default_factory=dict)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names, in the order of the table."""
        return tuple(dict.fromkeys(figure.dataset for figure in printed(self.name)))

    @property
    def methods(self) -> tuple[str, ...]:
        """Names, in the order of the table, and the constant predictor."""
        return (*dict.fromkeys(figure.method for figure in printed(self.name)), CONSTANT)


#: By the names that ``kernlab reproduce`` takes; the papers' files register them.
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
            arguments name the same cells again.
        workers: number of cells that are computed at a time, which share a budget.

    Raises:
        UnknownNameError: no such table, or no such data set in it.
        DataError: a data set is not at hand; the message names it and the folder that it must lie in.
        OptionError: a budget without tuning or not above 0, nothing to compare, or a name that stands twice.
    """
    about, at_hand = TABLES[table], available(table)
    for name in datasets:
        if name not in about.datasets:
            raise UnknownNameError.among(f"data set of {table}", name, about.datasets)
    chosen = datasets or at_hand
    if missing := [name for name in chosen or about.datasets if name not in at_hand]:
        raise DataError(
            f"the data sets of {table} must be at hand",
            f"{', '.join(missing)}, which are missing",
            f"set {VARIABLE} to a folder with a file NAME.parquet of each (datasets/README.md describes them)"
            + (f", or name others: {', '.join(at_hand)}" if at_hand else ""),
        )
    names = [*(methods or about.methods)]
    names += [CONSTANT] * (CONSTANT not in names)
    own = {f"{name}.{key}": value for name in names for key, value in about.own.get(name, {}).items()}
    found = assemble(names, chosen, {**about.data, **own}, repeats=repeats, tuning=tuning, seed=seed)
    return found if budget is None else replace(found, tuning=_shared(found, budget, workers))


def _shared(comparison: Comparison, budget: float, workers: int) -> Tuning:
    """The budget in equal parts; the constant predictor has no settings to search."""
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
        A row for each method of the table and of the records, on every data set of the records:

        ``dataset``, ``method``, ``metric`` ("accuracy", "rmse", "mse" or "train_seconds"); ``mean``, ``std``, ``n``:
        our figures over the splits that every method has finished; ``published_mean``, ``published_std``;
        ``constant``: the constant predictor's mean on the same splits; ``beats``: our figure is better than the
        printed one, None if the two allow no claim (one is missing, the printed one is marked, or they are seconds of
        two machines); ``mark``: "not on the stated scale" if the printed error is worse than predicting the mean;
        ``times``, ``published_times`` (seconds only): ratio to the time of the table's first method on the same
        machine; ``seconds``, ``tuning_seconds``, ``trials``: means, of training and of the search for settings;
        ``failed``, ``messages``: number of splits without a result, and the reasons. A missing value is None.

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
        published = figure.published if figure else None
        yield {
            "dataset": part.dataset,
            "method": name,
            "metric": metric,
            "mean": mean,
            "std": std,
            "n": len(cells),
            "published_mean": getattr(published, "mean", None),
            "published_std": getattr(published, "std", None),
            "beats": getattr(figure, "beats", None),
            "mark": getattr(published, "mark", ""),
            "constant": constant,
            "seconds": getattr(row, "seconds", None),
            "tuning_seconds": getattr(row, "tuning_seconds", None),
            "failed": getattr(row, "failed", 0),
            "messages": list(getattr(row, "messages", ())),
            "trials": statistics.fmean(r.trials for r in cells) if cells else None,
        }


def _mean_std(values: Sequence[float]) -> tuple[float | None, float | None]:
    mean = statistics.fmean(values) if values else None
    return mean, statistics.stdev(values) if len(values) > 1 else None


def _ratio(value: float | None, first: float | None) -> float | None:
    return value / first if value is not None and first else None

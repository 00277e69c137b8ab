"""A comparison as tables: one row for each method on each data set, tested on the splits that all methods share.

    records -> splits that every method has reported -> Row, Row, … -> one Table for each data set -> Summary

While cells are still being computed, a table shows the splits that every method has reported, so that it is fair at
any moment. Published figures stand beside the measured ones on the scale they were printed in:

    rmse   targets in [0,100]          mse   targets in [0,1]: (rmse/100)²

Where a printed error is worse than the constant predictor's on that scale, the figure is marked, and a better result is
never called a win: for some data sets every printed figure is several times worse than a constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

import numpy as np

from kernlab.compare.base import Record
from kernlab.compare.ranks import AverageRanks, ranks
from kernlab.compare.significance import Standing, Test, better, explanation, standings

__all__ = [
    "COLUMNS", "CONSTANT", "OFF_SCALE", "Beside", "Column", "Published", "Row", "Summary", "Table", "on_scale",
    "summarise",
]  # fmt: skip

#: The constant predictor's name among the methods. Its result is known for every split anyway, so the ranks leave it
#: out: one more method that always comes last would only widen the critical difference.
CONSTANT = "constant"

#: How a printed figure is marked that is worse than the constant predictor's on the scale its paper states.
OFF_SCALE = "not on the stated scale"


class Column(NamedTuple):
    """A measured quantity with a column of its own; the page, the command line, JSON, CSV and LaTeX show all of them.

    Attributes:
        key: its name in JSON and CSV.
        short, heading: what heads it on the command line, and on the page and in LaTeX.
        measured: reads it off a record; None where it was not measured.
    """

    key: str
    short: str
    heading: str
    measured: Callable[[Record], float | None]


#: What a table shows besides the metric and its test. A new column is one line here and a measurement that the record
#: keeps, usually in ``Record.extra``.
COLUMNS = (
    Column("seconds", "seconds", "Training (s)", lambda record: record.seconds),
    Column("tuning_seconds", "tuning", "Search (s)", lambda record: record.tuning_seconds),
    Column(
        "prediction_ms", "ms/1000", "Prediction (ms per 1000 rows)", lambda record: record.extra.get("prediction_ms")
    ),
)


class Published(NamedTuple):
    """One printed figure.

    Attributes:
        table: which printed table: "askl-table2" …
        dataset, method: by kernlab's names.
        metric: "accuracy" (percent), "rmse" (targets in [0,100]), "mse" (targets in [0,1]) or "train_seconds".
        mean, std: as printed; std is None where none is printed.
        constant: the constant predictor's figure for the whole data set on that scale, None where unknown.
    """

    table: str
    dataset: str
    method: str
    metric: str
    mean: float
    std: float | None
    constant: float | None = None

    @property
    def mark(self) -> str:
        """:data:`OFF_SCALE` for an error that is worse than the constant predictor's, else nothing."""
        return OFF_SCALE if self.constant is not None and self.mean > self.constant else ""


class Beside(NamedTuple):
    """A printed figure and the measured one on the same scale.

    Attributes:
        published: the printed figure.
        mean, std: measured for that method; None where it was not run or cannot be put on that scale.
        beats: the measured mean is better; None where that would claim nothing (not run, marked, or seconds of another
            machine).
    """

    published: Published
    mean: float | None
    std: float | None
    beats: bool | None


@dataclass(frozen=True, kw_only=True)
class Row(Standing):
    """One method on one data set: its standing, and what else is known of it.

    Attributes:
        method: its name.
        values: the test metric on every split of the table, NaN where the cell failed.
        measured: mean of each of :data:`COLUMNS` over the finished splits, by key; None where it was not measured.
        messages: why cells failed, each reason once.
        constant: the constant predictor's mean on the splits that the method finished, None where unknown.
        beats_constant: the mean is better than that; None where one of the two is unknown.
    """

    method: str
    values: tuple[float, ...]
    measured: Mapping[str, float | None]
    messages: tuple[str, ...]
    constant: float | None
    beats_constant: bool | None

    @property
    def seconds(self) -> float | None:
        """Mean training time with the chosen settings."""
        return self.measured["seconds"]

    @property
    def tuning_seconds(self) -> float | None:
        """Mean time of the search for settings."""
        return self.measured["tuning_seconds"]

    def to_dict(self) -> dict[str, Any]:
        """Every attribute by name, each measured column by its key."""
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "measured"}
        return {"method": self.method, **found, **self.measured}


class Table(NamedTuple):
    """All methods on one data set.

    Attributes:
        dataset: its name.
        metric: "accuracy" (percent) or "rmse"; "" where every cell failed.
        direction: whether more or less is better.
        splits: seeds of the splits that every method has reported, in order.
        waiting: further splits that only some have reported.
        rows: one for each method.
        constant, constant_std: the constant predictor over those splits, None where unknown.
        n_train, n_test: rows of a split.
        published: printed figures on this data set.
    """

    dataset: str
    metric: str
    direction: Literal["more", "less"]
    splits: tuple[int, ...]
    waiting: int
    rows: tuple[Row, ...]
    constant: float | None
    constant_std: float | None
    n_train: int
    n_test: int
    published: tuple[Beside, ...]

    def remarks(self) -> list[str]:
        """A sentence for every method that is significantly better than the best where both finished."""
        best = next((row for row in self.rows if row.best), None)
        return [
            f"{row.method} is significantly better than {best.method} on the {_shared(row, best)} splits that both "
            f"finished, but failed on {row.failed} of {len(self.splits)}, so that it is not called the best."
            for row in self.rows
            if best is not None and row.better
        ]


class Summary(NamedTuple):
    """A whole comparison.

    Attributes:
        tables: one for each data set.
        methods: all that occur, in the order they are shown.
        ranks: the methods without the constant predictor over the data sets.
        test, level: what decides ``not_worse``.
        note: which test was made and why, and how failures are ranked.
    """

    tables: tuple[Table, ...]
    methods: tuple[str, ...]
    ranks: AverageRanks
    test: Test
    level: float
    note: str

    @property
    def columns(self) -> list[Column]:
        """Those of :data:`COLUMNS` in which some method has a number other than 0."""
        rows = [row for table in self.tables for row in table.rows]
        return [each for each in COLUMNS if any(row.measured[each.key] for row in rows)]


def summarise(
    records: Iterable[Record],
    *,
    methods: Sequence[str] = (),
    published: Iterable[Published] = (),
    test: Test = "paired",
    level: float = 0.05,
) -> Summary:
    """The tables of a comparison, finished or not.

    Args:
        records: done and failed cells, in any order; the last counts where one cell has several.
        methods: the order in which methods are shown; by default as they occur. Others follow.
        published: printed figures; those on the compared data sets are shown.
        test: which test decides what is called not worse.
        level: its level, in (0, 1).

    Raises:
        OptionError: a level outside (0, 1), or a metric of unknown direction.
    """
    cells: dict[str, dict[str, dict[int, Record]]] = {}
    for record in records:
        cell = record.cell
        cells.setdefault(cell["data"]["dataset"], {}).setdefault(cell["method"], {})[int(cell["seed"])] = record
    occurring = list(dict.fromkeys(name for row in cells.values() for name in row))
    order = [name for name in dict.fromkeys((*methods, *occurring)) if name in occurring]
    printed = list(published)
    tables = tuple(
        _table(dataset, {name: row[name] for name in order if name in row}, printed, test, level)
        for dataset, row in cells.items()
    )
    every = [record for row in cells.values() for splits in row.values() for record in splits.values()]
    same_rows = any(record.cell["data"].get("split") == "source" for record in every)
    compared = [name for name in order if name != CONSTANT]
    ranked = ranks(
        {table.dataset: {row.method: row.mean for row in table.rows} for table in tables},
        {table.dataset: table.direction for table in tables},
        finished={table.dataset: {row.method: row.n for row in table.rows if table.splits} for table in tables},
        methods=compared,
        level=level,
    )
    note = explanation(test, level, [len(table.splits) for table in tables], same_rows=same_rows)
    failed = [
        f"{row.method} on {table.dataset}"
        for table in tables
        for row in table.rows
        if row.failed and row.method in compared and table.dataset in ranked.datasets
    ]
    if failed and len(tables) > 1:
        note += (
            " In the average ranks a method comes after those that finished more splits of a data set: "
            f"{', '.join(failed)}."
        )
    return Summary(tables, tuple(order), ranked, test, level, note)


def _shared(one: Row, other: Row) -> int:
    return sum(math.isfinite(a) and math.isfinite(b) for a, b in zip(one.values, other.values, strict=True))


def _table(
    dataset: str, cells: Mapping[str, Mapping[int, Record]], printed: Sequence[Published], test: Test, level: float
) -> Table:
    seeds = [set(per_split) for per_split in cells.values()]
    splits = sorted(set.intersection(*seeds))
    done = [record for per_split in cells.values() for record in per_split.values() if record.status == "done"]
    metric = next((record.metric for record in done if record.metric), "")
    direction = better(metric) if metric else "more"
    n_train, n_test = next(((r.n_train, r.n_test) for r in done if r.n_train and r.n_test), (0, 0))
    values = {name: tuple(_value(per_split[s]) for s in splits) for name, per_split in cells.items()}
    ratio = n_test / n_train if n_train else None
    standing = standings(values, direction=direction, level=level, test=test if ratio else "paired", ratio=ratio)
    constants = [_constant(per_split[s] for per_split in cells.values()) for s in splits]
    rows = []
    for name, per_split in cells.items():
        finite = [math.isfinite(value) for value in values[name]]
        finished = [per_split[s] for s, kept in zip(splits, finite, strict=True) if kept]
        failed = [per_split[s] for s, kept in zip(splits, finite, strict=True) if not kept]
        constant = _mean_std(c for c, kept in zip(constants, finite, strict=True) if kept)[0]
        mean = standing[name].mean
        rows.append(
            Row(
                **vars(standing[name]),
                method=name,
                values=values[name],
                measured={each.key: _mean_std(each.measured(r) for r in finished)[0] for each in COLUMNS},
                messages=tuple(dict.fromkeys(r.message or "the test metric is not finite" for r in failed)),
                constant=constant,
                beats_constant=None if mean is None or constant is None else _is_better(mean, constant, direction),
            )
        )
    beside = [
        _beside(each, [cells[each.method][s] for s in splits] if each.method in cells else [])
        for each in printed
        if each.dataset == dataset
    ]
    waiting = len(set.union(*seeds)) - len(splits)
    return Table(
        dataset, metric, direction, tuple(splits), waiting, tuple(rows), *_mean_std(constants), n_train, n_test,
        tuple(beside),
    )  # fmt: skip


def _value(record: Record) -> float:
    value = record.test if record.status == "done" else None
    return float(value) if value is not None and math.isfinite(value) else math.nan


def _constant(records: Iterable[Record]) -> float:
    """The constant predictor's metric on one split, which the record of any method has."""
    return next((float(r.constant) for r in records if r.constant is not None), math.nan)


def _mean_std(values: Iterable[float | None]) -> tuple[float | None, float | None]:
    """Over the numbers that are finite."""
    found = np.array([value for value in values if value is not None and math.isfinite(value)], np.float64)
    return float(found.mean()) if len(found) else None, float(found.std(ddof=1)) if len(found) > 1 else None


def _is_better(ours: float, other: float, direction: Literal["more", "less"]) -> bool:
    return ours > other if direction == "more" else ours < other


def _beside(published: Published, ours: Sequence[Record]) -> Beside:
    mean, std = _mean_std(on_scale(record, published.metric) for record in ours)
    if mean is None or published.mark or published.metric == "train_seconds":
        return Beside(published, mean, std, None)
    return Beside(published, mean, std, _is_better(mean, published.mean, better(published.metric)))


def on_scale(record: Record, metric: str) -> float:
    """A record's result in the unit of a printed table, NaN where it cannot be converted."""
    value = _value(record)
    if math.isnan(value):
        return value
    if metric == "train_seconds":
        return record.seconds
    if metric == "accuracy" or record.metric == "accuracy":
        return value if metric == record.metric else math.nan
    factor = {"[0,100]": 1.0, "[0,1]": 100.0}.get(record.cell["data"].get("target_scale", ""), math.nan)
    rmse = float(record.extra.get("test_rmse_range100", factor * value))
    return rmse if metric == "rmse" else (rmse / 100) ** 2

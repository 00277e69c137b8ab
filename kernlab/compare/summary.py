"""What came of a comparison, as tables: a row a method on each data set, tested on the same splits for all.

    records -> splits that every method has reported -> Row, Row, … -> Table a data set -> Summary

While cells are still being computed the table keeps to the splits that every method has reported, so it is fair at
any moment. Published figures stand beside ours on the scale they were printed in:

    rmse   targets in [0,100]          mse   targets in [0,1]: (rmse/100)²

Where a printed error is worse than what the constant predictor makes on that scale, the figure is marked, and being
better than it is never called a win: of some data sets every printed figure is several times worse than a constant.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from kernlab.compare.ranks import AverageRanks, ranks
from kernlab.compare.significance import Test, better, explanation, standings

__all__ = [
    "CONSTANT",
    "OFF_SCALE",
    "Beside",
    "Finished",
    "Published",
    "Row",
    "Summary",
    "Table",
    "on_scale",
    "summarise",
]

#: The constant predictor's name among the methods. It is known of every split anyhow, so the ranks leave it out: one
#: more method that always comes last would only widen the critical difference.
CONSTANT = "constant"

#: How a printed figure is marked that is worse than the constant predictor's on the scale its paper states.
OFF_SCALE = "not on the stated scale"


class Finished(Protocol):
    """What is read of a record of a comparison (``kernlab.compare.Record``)."""

    @property
    def cell(self) -> Mapping[str, Any]: ...
    @property
    def status(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def test(self) -> float | None: ...
    @property
    def train(self) -> float | None: ...
    @property
    def constant(self) -> float | None: ...
    @property
    def n_train(self) -> int: ...
    @property
    def n_test(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def tuning_seconds(self) -> float: ...
    @property
    def trials(self) -> int: ...
    @property
    def chosen(self) -> Mapping[str, Any]: ...
    @property
    def curve(self) -> Mapping[str, Sequence[float]]: ...
    @property
    def extra(self) -> Mapping[str, Any]: ...


class Published(NamedTuple):
    """One printed figure.

    Attributes:
        table: which printed table: "askl-table2" …
        dataset, method: by our names.
        metric: "accuracy" (percent), "rmse" (targets in [0,100]), "mse" (targets in [0,1]) or "train_seconds".
        mean, std: as printed; std None where there is none.
        constant: what the constant predictor makes of the whole data set on that scale, None where unknown.
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
    """A printed figure and ours on the same scale.

    Attributes:
        published: the figure.
        mean, std: ours for that method; None where it was not run or cannot be put on that scale.
        beats: ours is better; None where that would claim nothing (not run, marked, or seconds of another machine).
    """

    published: Published
    mean: float | None
    std: float | None
    beats: bool | None


class Row(NamedTuple):
    """One method on one data set.

    Attributes:
        method: its name.
        values: the test metric on every split of the table, NaN where the cell failed.
        n: splits it finished.
        mean, std: over those (n − 1 in the denominator of std); None where there are too few.
        p, p_corrected: against the best method, as in :class:`kernlab.compare.significance.Standing`.
        best, not_worse: as there.
        seconds, tuning_seconds: of training with the chosen settings and of the search for them, means; None: n = 0.
        failed: cells that failed.
        messages: why, each reason once.
        constant: the constant predictor's mean on the same splits, None where unknown.
        beats_constant: the mean is better than that; None where one of them is unknown.
        better: as in Standing; :meth:`Table.remarks` says it in words.
    """

    method: str
    values: tuple[float, ...]
    n: int
    mean: float | None
    std: float | None
    p: float | None
    p_corrected: float | None
    best: bool
    not_worse: bool
    seconds: float | None
    tuning_seconds: float | None
    failed: int
    messages: tuple[str, ...]
    constant: float | None
    beats_constant: bool | None
    better: bool


class Table(NamedTuple):
    """All methods on one data set.

    Attributes:
        dataset: its name.
        metric: "accuracy" (percent) or "rmse"; "" where every cell failed.
        direction: whether more or less is better.
        splits: seeds of the splits that every method has reported, in order.
        waiting: further splits that only some have reported.
        rows: a row a method.
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
        tables: one a data set.
        methods: all that occur, in the order they are shown.
        ranks: the methods but the constant predictor over the data sets.
        test, level: what decides ``not_worse``.
        note: what was tested, and why that way.
    """

    tables: tuple[Table, ...]
    methods: tuple[str, ...]
    ranks: AverageRanks
    test: Test
    level: float
    note: str


def summarise(
    records: Iterable[Finished],
    *,
    methods: Sequence[str] = (),
    published: Iterable[Published] = (),
    test: Test = "paired",
    level: float = 0.05,
) -> Summary:
    """The tables of a comparison, finished or not.

    Args:
        records: done and failed cells, in any order; the last counts where one cell stands twice.
        methods: the order in which methods are shown; by default as they occur. Others follow.
        published: printed figures; those on the compared data sets are shown.
        test: which test decides what is called not worse.
        level: its level, in (0, 1).

    Raises:
        OptionError: a level outside (0, 1), or a metric of unknown direction.
    """
    cells: dict[str, dict[str, dict[int, Finished]]] = {}
    for record in records:
        cell = record.cell
        cells.setdefault(cell["data"]["dataset"], {}).setdefault(cell["method"], {})[int(cell["seed"])] = record
    there = dict.fromkeys(name for row in cells.values() for name in row)
    order = [name for name in dict.fromkeys((*methods, *there)) if name in there]
    printed = list(published)
    tables = tuple(
        _table(dataset, {name: row[name] for name in order if name in row}, printed, test, level)
        for dataset, row in cells.items()
    )
    same_rows = any(
        record.cell["data"].get("split") == "source"
        for row in cells.values()
        for per_split in row.values()
        for record in per_split.values()
    )
    return Summary(
        tables,
        tuple(order),
        ranks(
            {table.dataset: {row.method: row.mean for row in table.rows} for table in tables},
            {table.dataset: table.direction for table in tables},
            methods=[name for name in order if name != CONSTANT],
            level=level,
        ),
        test,
        level,
        explanation(test, level, [len(table.splits) for table in tables], same_rows=same_rows),
    )


def _shared(one: Row, other: Row) -> int:
    return sum(math.isfinite(a) and math.isfinite(b) for a, b in zip(one.values, other.values, strict=True))


def _table(
    dataset: str, cells: Mapping[str, Mapping[int, Finished]], printed: Sequence[Published], test: Test, level: float
) -> Table:
    splits = sorted(set.intersection(*(set(per_split) for per_split in cells.values())))
    every = [record for per_split in cells.values() for record in per_split.values()]
    done = [record for record in every if record.status == "done"]
    metric = next((record.metric for record in done if record.metric), "")
    direction = better(metric) if metric else "more"
    n_train, n_test = next(((r.n_train, r.n_test) for r in done if r.n_train and r.n_test), (0, 0))
    values = {name: tuple(_value(per_split[s]) for s in splits) for name, per_split in cells.items()}
    ratio = n_test / n_train if n_train else None
    standing = standings(values, direction=direction, level=level, test=test if ratio else "paired", ratio=ratio)
    constants = [_constant(per_split[s] for per_split in cells.values()) for s in splits]
    constant, constant_std = _mean_std(constants)
    rows = []
    for name, per_split in cells.items():
        reported = [per_split[s] for s in splits]
        finished = [r for r, value in zip(reported, values[name], strict=True) if math.isfinite(value)]
        same = [c for c, value in zip(constants, values[name], strict=True) if math.isfinite(value)]
        stands, beaten = standing[name], _mean_std(same)[0]
        rows.append(
            Row(
                name,
                values[name],
                stands.n,
                stands.mean,
                stands.std,
                stands.p,
                stands.p_corrected,
                stands.best,
                stands.not_worse,
                _mean_std([r.seconds for r in finished])[0],
                _mean_std([r.tuning_seconds for r in finished])[0],
                len(reported) - len(finished),
                tuple(dict.fromkeys(_reason(r) for r in reported if r not in finished)),
                beaten,
                None if stands.mean is None or beaten is None else _is_better(stands.mean, beaten, direction),
                stands.better,
            )
        )
    return Table(
        dataset,
        metric,
        direction,
        tuple(splits),
        len({s for per_split in cells.values() for s in per_split}) - len(splits),
        tuple(rows),
        constant,
        constant_std,
        n_train,
        n_test,
        tuple(
            _beside(each, [cells[each.method][s] for s in splits] if each.method in cells else [])
            for each in printed
            if each.dataset == dataset
        ),
    )


def _value(record: Finished) -> float:
    value = record.test if record.status == "done" else None
    return float(value) if value is not None and math.isfinite(value) else math.nan


def _reason(record: Finished) -> str:
    return record.message or "the test metric is not finite"


def _constant(records: Iterable[Finished]) -> float:
    """The constant predictor's metric on one split: any method's record knows it."""
    return next((float(r.constant) for r in records if r.constant is not None), math.nan)


def _mean_std(values: Iterable[float]) -> tuple[float | None, float | None]:
    held = np.array([value for value in values if math.isfinite(value)], np.float64)
    return float(held.mean()) if len(held) else None, float(held.std(ddof=1)) if len(held) > 1 else None


def _is_better(ours: float, other: float, direction: Literal["more", "less"]) -> bool:
    return ours > other if direction == "more" else ours < other


def _beside(published: Published, ours: Sequence[Finished]) -> Beside:
    mean, std = _mean_std(on_scale(record, published.metric) for record in ours)
    if mean is None or published.mark or published.metric == "train_seconds":
        return Beside(published, mean, std, None)
    return Beside(published, mean, std, _is_better(mean, published.mean, better(published.metric)))


def on_scale(record: Finished, metric: str) -> float:
    """A record's result in the unit of a printed table, NaN where it cannot be told."""
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

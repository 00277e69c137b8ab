"""What is made of a table's columns: chosen by a person (Recipe), then measured on rows (Preparation).

    Recipe        target, task, each column's kind, what becomes of missing values and of categories; JSON
    Preparation   the recipe with what was measured: means, most frequent values, categories; JSON
                  Preparation.transform(raw rows) -> X, by scikit-learn's ColumnTransformer

The same Preparation makes the inputs of an import, of a pipeline's estimator, and of ``Model.predict`` on raw rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from kernlab.data.kinds import KINDS, NUMBER, CellError, Kind, converted, detected
from kernlab.data.readers.base import Reading, refused
from kernlab.errors import DataError, OptionError, UnknownNameError
from kernlab.typing import Task

__all__ = [
    "MOST_LEVELS",
    "Categories",
    "Input",
    "Measured",
    "Missing",
    "Preparation",
    "Recipe",
    "as_table",
    "cells",
    "preparation_of",
]

Missing = Literal["drop", "mean", "most frequent", "indicator"]
Categories = Literal["one-hot", "ordinal"]

MOST_LEVELS = 1000  # categories of a column, and classes
_MOST_VALUES = 100_000  # different numbers that are counted for the most frequent one
_ABSENT = "(missing)"  # the category of missing values


@dataclass(frozen=True)
class Recipe:
    """What becomes of the columns of a table. JSON round-trips through ``to_dict`` and ``from_dict``.

    Attributes:
        targets: the columns that are to be predicted; several make a regression with several outputs.
        task: "classification" or "regression".
        kinds: each column's kind by its name; columns that are not named here are dropped.
        date_formats: of dates in text, by column.
        missing: what becomes of missing values: "drop" the row; fill in the "mean" or the "most frequent" value;
            "indicator": the mean, and a column of zeros and ones beside it. Categories have no mean: the most
            frequent one is taken, and with "indicator" missing values are a category of their own.
        missing_of: exceptions by column.
        categories: "one-hot" (a column of zeros and ones for each) or "ordinal" (their number in sorted order).
        categories_of: exceptions by column.
        reading: how the file is read.
    """

    targets: tuple[str, ...]
    task: Task
    kinds: Mapping[str, Kind]
    date_formats: Mapping[str, str] = field(default_factory=dict)
    missing: Missing = "mean"
    missing_of: Mapping[str, Missing] = field(default_factory=dict)
    categories: Categories = "one-hot"
    categories_of: Mapping[str, Categories] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)

    def __post_init__(self) -> None:
        if isinstance(self.targets, str):
            object.__setattr__(self, "targets", (self.targets,))
        object.__setattr__(self, "targets", tuple(self.targets))
        for what, values, allowed in (
            ("task", [self.task], get_args(Task)),
            ("the kind of a column", self.kinds.values(), KINDS),
            ("missing", [self.missing, *self.missing_of.values()], get_args(Missing)),
            ("categories", [self.categories, *self.categories_of.values()], get_args(Categories)),
        ):
            for value in values:
                if value not in allowed:
                    raise UnknownNameError.among(what, value, allowed)
        if self.task == "classification" and len(self.targets) > 1:
            raise OptionError("classification must have one target", ", ".join(self.targets), "choose regression")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns that are used as inputs."""
        return tuple(
            name for name, kind in self.kinds.items() if kind not in ("drop", "text") and name not in self.targets
        )

    def handling(self, column: str) -> Missing:
        """What becomes of missing values in a column."""
        return self.missing_of.get(column, self.missing)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {**asdict(self), "targets": list(self.targets), "reading": self.reading.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Recipe:
        """The recipe that ``to_dict`` wrote.

        Raises:
            KernlabError: a part of it is unknown or invalid.
        """
        known = [each.name for each in fields(cls)]
        if unknown := set(values) - set(known):
            raise UnknownNameError.among("part of a recipe", min(unknown), known)
        try:
            return cls(**{**values, "reading": Reading(**values.get("reading", {}))})
        except (TypeError, AttributeError) as error:
            raise OptionError("a recipe must be what kernlab wrote", error) from None


@dataclass(frozen=True)
class Input:
    """One column as it becomes inputs.

    Attributes:
        name: of the raw column.
        kind: "number", "boolean", "date" or "category".
        date_format: of dates in text.
        fill: what stands for a missing value; None: a row without it is refused.
        indicator: a column of zeros and ones says where it was missing.
        levels: the categories in the order of their codes.
        encoding: of categories.
    """

    name: str
    kind: Kind
    date_format: str = ""
    fill: float | str | None = None
    indicator: bool = False
    levels: tuple[str, ...] = ()
    encoding: Categories = "one-hot"


class _Counted(NamedTuple):
    """What was counted in one column."""

    rows: int = 0
    missing: int = 0
    total: float = 0.0
    counts: Counter[Any] | None = None


class Measured:
    """What an import has to know of all rows, counted batch by batch."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.rows = self.without_target = 0
        self._columns = {name: _Counted() for name in (*recipe.inputs, *recipe.targets)}

    def counted(self, name: str) -> bool:
        """Whether the values of a column are counted one by one."""
        recipe = self.recipe
        if name in recipe.targets:
            return recipe.task == "classification"
        return recipe.kinds[name] == "category" or recipe.handling(name) == "most frequent"

    def add(self, cells: Mapping[str, Any]) -> None:
        """Count a batch of converted columns (``pyarrow`` arrays by name)."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for name, before in self._columns.items():
            column, total, counts = cells[name], before.total, before.counts
            if pa.types.is_floating(column.type):
                total += pc.sum(column).as_py() or 0.0
            if self.counted(name):
                found = pc.value_counts(pc.drop_null(column))
                counts = (counts or Counter()) + Counter(
                    dict(zip(found.field(0).to_pylist(), found.field(1).to_pylist(), strict=True))
                )
                self._check(name, len(counts))
            rows = before.rows + len(column)
            self._columns[name] = _Counted(rows, before.missing + column.null_count, total, counts)
        self.rows += len(next(iter(cells.values()))) if cells else 0

    def _check(self, name: str, found: int) -> None:
        words = name in self.recipe.targets or self.recipe.kinds[name] == "category"
        most = MOST_LEVELS if words else _MOST_VALUES
        if found > most:
            what = "classes" if name in self.recipe.targets else "categories" if words else "values to count"
            raise DataError(
                f"column {name!r} must have at most {most} {what}",
                "more than that",
                "choose regression or another target" if name in self.recipe.targets
                else "drop the column; it seems to be an identifier" if words else "fill in the mean",
            )  # fmt: skip

    def missing(self, name: str) -> int:
        """Cells of a column that are missing."""
        return self._columns[name].missing

    def preparation(self) -> Preparation:
        """The recipe with what was measured.

        Raises:
            DataError: a column has missing values only, or no input is left.
        """
        recipe = self.recipe
        found = []
        for name in recipe.inputs:
            column, kind, handling = self._columns[name], recipe.kinds[name], recipe.handling(name)
            if column.rows and column.missing == column.rows:
                continue
            levels: tuple[str, ...] = ()
            fill: float | str | None = None
            flag = handling == "indicator" and column.missing > 0
            if kind == "category":
                levels = tuple(_ordered(column.counts or ()))
                if flag:
                    levels, fill, flag = (*levels, _ABSENT), _ABSENT, False
                elif handling != "drop":
                    fill = _most_frequent(column.counts)
            elif handling == "most frequent":
                fill = float(_most_frequent(column.counts))
            elif handling != "drop":
                fill = column.total / max(1, column.rows - column.missing)
            encoding = recipe.categories_of.get(name, recipe.categories)
            found.append(Input(name, kind, recipe.date_formats.get(name, ""), fill, flag, levels, encoding))
        if not found:
            raise DataError("a table must have at least one input column", "none is left",
                            "make a column a number or a category")  # fmt: skip
        labels: tuple[str, ...] = ()
        if recipe.task == "classification":
            kinds = _ordered(self._columns[recipe.targets[0]].counts or ())
            labels = tuple(_label(each) for each in kinds)
        return Preparation(tuple(found), recipe, labels)


def _ordered(values: Iterable[Any]) -> list[Any]:
    """Categories in their order: numbers by size, also where they are written as words ("2" before "10")."""
    found = list(values)
    if all(isinstance(each, str) and NUMBER.fullmatch(each) for each in found):
        return sorted(found, key=lambda each: (float(each), each))
    return sorted(found)


def _label(value: Any) -> str:
    """A class as it is written: whole numbers without decimals, and no two numbers alike."""
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}"
    return short if float(short) == value else f"{value:.0f}" if value.is_integer() else repr(value)


def _most_frequent(counts: Mapping[Any, int] | None) -> Any:
    """The value with the highest count, the smallest of several."""
    return min(counts or {0.0: 1}, key=lambda value: (-(counts or {}).get(value, 0), value))


@dataclass(frozen=True)
class Preparation:
    """A recipe with all that was measured for it.

    Attributes:
        inputs: the raw columns that are used.
        recipe: what they were made by.
        labels: class labels in the order of their codes.
    """

    inputs: tuple[Input, ...]
    recipe: Recipe
    labels: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The raw columns, in the order in which unnamed raw rows have them."""
        return tuple(each.name for each in self.inputs)

    @cached_property
    def transformer(self) -> Any:
        """scikit-learn's ColumnTransformer: imputation of numbers, codes of categories.

        It is fitted on two rows that have exactly what was measured: the first has the value to fill in in each
        column, the second has gaps where an indicator is wanted.
        """
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.preprocessing import OneHotEncoder

        numbers = [each for each in self.inputs if each.kind != "category"]
        onehot = [each for each in self.inputs if each.kind == "category" and each.encoding == "one-hot"]
        ordinal = [each for each in self.inputs if each.kind == "category" and each.encoding == "ordinal"]
        steps: list[Any] = []
        if numbers:
            imputer = SimpleImputer(add_indicator=any(each.indicator for each in numbers), keep_empty_features=True)
            steps.append(("numbers", imputer, [each.name for each in numbers]))
        if ordinal:
            steps.append(("ordinal", "passthrough", [each.name for each in ordinal]))
        if onehot:
            encoder = OneHotEncoder(
                categories=[np.arange(len(each.levels), dtype=np.float64) for each in onehot],
                handle_unknown="ignore",
                sparse_output=False,
                dtype=np.float32,
            )
            steps.append(("one-hot", encoder, [each.name for each in onehot]))
        first = {e.name: [e.fill if isinstance(e.fill, float) else 0.0] for e in self.inputs}
        second = {e.name: [np.nan if e.indicator else first[e.name][0]] for e in self.inputs}
        import pandas as pd

        made = ColumnTransformer(steps, sparse_threshold=0, verbose_feature_names_out=False)
        return made.fit(pd.DataFrame({name: first[name] + second[name] for name in first}))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the d inputs; categories are named "column=category"."""
        numbers = [each for each in self.inputs if each.kind != "category"]
        words = [each for each in self.inputs if each.kind == "category"]
        named = [each.name for each in numbers]
        named += [f"{each.name} missing" for each in numbers if each.indicator]
        named += [each.name for each in words if each.encoding == "ordinal"]
        named += [f"{each.name}={level}" for each in words if each.encoding == "one-hot" for level in each.levels]
        # In a stored file a column called target is the target.
        named = [f"input {name}" if name == "target" or name.startswith("target_") else name for name in named]
        taken: Counter[str] = Counter()
        for place, name in enumerate(named):
            taken[name] += 1
            named[place] = name if taken[name] == 1 else f"{name} ({taken[name]})"
        return tuple(named)

    def converted(self, table: Any, first_row: int = 0, file: str = "the table") -> dict[str, Any]:
        """The raw columns' cells as numbers and words; see :func:`cells`."""
        kinds = {each.name: (each.kind, each.date_format) for each in self.inputs}
        return cells(table, kinds, self.recipe.reading.decimal or ".", first_row, file)

    def apply(self, found: Mapping[str, Any]) -> NDArray[np.float32]:
        """Inputs [n d] from converted columns; NaN nowhere."""
        import pandas as pd
        import pyarrow as pa
        import pyarrow.compute as pc

        frame = {}
        for each in self.inputs:
            column = found[each.name]
            if each.kind == "category":
                if each.fill is not None:
                    column = pc.fill_null(column, each.fill)
                codes = pc.index_in(column, value_set=pa.array(each.levels, pa.string()))
                column = pc.fill_null(pc.cast(codes, pa.float64()), -1.0)  # a category that was never seen
            frame[each.name] = column.to_numpy(zero_copy_only=False)
        if len(self.inputs) and not len(next(iter(frame.values()))):
            return np.empty((0, len(self.names)), np.float32)
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(self.transformer.transform(pd.DataFrame(frame, copy=False)), np.float32)

    def transform(self, rows: Any) -> NDArray[np.float32]:
        """Inputs [n d] of raw rows.

        Args:
            rows: a pandas frame, a ``pyarrow`` table, a list of dicts, a dict of columns, or an array [n, columns] in
                the order of :attr:`columns`, or of all columns of the raw table but its targets. Further columns are
                ignored.

        Raises:
            DataError: a column is not there, or a cell is not what its column is (with row and column).
        """
        every = tuple(name for name in self.recipe.kinds if name not in self.recipe.targets)
        found = self.converted(as_table(rows, self.columns, every))
        for each in self.inputs:
            column = found[each.name]
            if each.fill is None and column.null_count:
                row = column.is_null().to_numpy(zero_copy_only=False).argmax() + 1
                raise refused("the table", int(row), each.name, "missing", "fill in a value or leave the row out")
        return self.apply(found)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "inputs": [{**asdict(each), "levels": list(each.levels)} for each in self.inputs],
            "recipe": self.recipe.to_dict(),
            "labels": list(self.labels),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Preparation:
        """The preparation that ``to_dict`` wrote."""
        inputs = tuple(Input(**{**each, "levels": tuple(each["levels"])}) for each in values["inputs"])
        return cls(inputs, Recipe.from_dict(values["recipe"]), tuple(values["labels"]))


def preparation_of(
    rows: Any, columns: Sequence[str] | None = None, *, missing: Missing = "mean", categories: Categories = "one-hot",
    kinds: Mapping[str, Kind] | None = None, decimal: str = ".",
) -> tuple[Preparation, int]:  # fmt: skip
    """The preparation of raw rows without a target, and how many columns they have.

    Args:
        rows: see :meth:`Preparation.transform`.
        columns: the columns' names; by default those of the rows, of an array x0, x1 …
        missing, categories: see :class:`Recipe`.
        kinds: of columns that are to be another kind than is found.
        decimal: the decimal sign of numbers in text.

    Raises:
        KernlabError: a cell is not what its column is, or no column can become an input.
    """
    if columns is None:
        columns = _names_of(rows)
    table = as_table(rows, columns)
    for name in kinds or ():
        if name not in columns:
            raise UnknownNameError.among("column", name, columns)
    found = {name: detected(table.column(name), decimal) for name in columns}
    chosen = {name: (kinds or {}).get(name, each.kind) for name, each in found.items()}
    formats = {name: each.date_format for name, each in found.items() if each.date_format}
    recipe = Recipe((), "regression", chosen, formats, missing, categories=categories, reading=Reading(decimal=decimal))
    measured = Measured(recipe)
    if recipe.inputs:
        wanted = {name: (chosen[name], formats.get(name, "")) for name in recipe.inputs}
        measured.add(cells(table, wanted, decimal, 0, "the table"))
    return measured.preparation(), len(columns)


def _names_of(rows: Any) -> tuple[str, ...]:
    if isinstance(rows, Mapping):
        return tuple(map(str, rows))
    if isinstance(rows, Sequence) and rows and all(isinstance(row, Mapping) for row in rows):
        return tuple(dict.fromkeys(str(name) for row in rows for name in row))
    shape = np.shape(rows)
    if len(shape) != 2:
        raise DataError("raw rows must be a table", f"an array of shape {shape}", "give rows of columns")
    return tuple(f"x{j}" for j in range(shape[1]))


def cells(table: Any, kinds: Mapping[str, tuple[Kind, str]], decimal: str, first_row: int, file: str) -> dict[str, Any]:
    """Columns of a table as float64 and text arrays.

    Args:
        table: a ``pyarrow`` table or batch.
        kinds: kind and date format of the wanted columns.
        decimal: the decimal sign of numbers in text.
        first_row: rows of the file that come before the table.
        file: its name, for errors.

    Raises:
        DataError: a cell is not what its column is, with row and column.
    """
    import pyarrow as pa

    found = {}
    for name, (kind, date_format) in kinds.items():
        column = table.column(name)
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        try:
            found[name] = converted(column, kind, decimal, date_format)
        except CellError as error:
            wanted = {"number": "a finite number", "boolean": "true or false", "date": "a date"}.get(kind, kind)
            shown = error.cell[:60]
            raise refused(file, first_row + error.place + 1, name, f"{shown!r} is not {wanted}",
                          "correct the cell, or make the column a category, or drop it") from None  # fmt: skip
        except (pa.ArrowException, ValueError, OverflowError) as error:
            reason = str(error).splitlines()[0][:200].rstrip(".")
            raise refused(file, None, name, reason, "make the column another kind, or drop it") from None
    return found


def as_table(rows: Any, columns: Sequence[str], every: Sequence[str] = ()) -> Any:
    """Raw rows as a ``pyarrow`` table of these columns; ``every``: what a wider array has.

    Raises:
        DataError: a column is not there, or the rows are no table.
    """
    import pyarrow as pa

    if not isinstance(rows, pa.Table):
        if hasattr(rows, "to_dict") and hasattr(rows, "columns"):  # a frame
            rows = {str(name): rows[name] for name in rows.columns}
        elif not isinstance(rows, Mapping):
            rows = _columns_of(rows, columns, every)
        rows = {name: rows[name] for name in columns if name in rows}
        try:
            rows = pa.table({name: _array(values) for name, values in rows.items()})
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise DataError("raw rows must be columns of equal length", str(error).splitlines()[0]) from None
    lacking = [name for name in columns if name not in rows.column_names]
    if lacking:
        more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
        raise DataError(
            f"raw rows must have the columns {', '.join(columns[:8])}{' …' if len(columns) > 8 else ''}",
            f"no column {', '.join(map(repr, lacking[:5]))}{more}",
            "add it, with empty cells where a value is missing",
        )
    return rows.select(list(columns))


def _columns_of(rows: Any, columns: Sequence[str], every: Sequence[str]) -> dict[str, Any]:
    """Columns of a list of dicts, or of an array in the order of the columns."""
    if isinstance(rows, Sequence) and rows and all(isinstance(row, Mapping) for row in rows):
        present = {name for row in rows for name in row}
        return {name: [row.get(name) for row in rows] for name in columns if name in present}
    values = np.asarray(rows, object) if not isinstance(rows, np.ndarray) else rows
    if values.ndim == 2 and values.shape[1] == len(every) != len(columns):
        columns = every
    if values.ndim != 2 or values.shape[1] != len(columns):
        raise DataError(
            f"raw rows must have the {len(columns)} columns {', '.join(columns[:8])}{' …' if len(columns) > 8 else ''}",
            f"an array of shape {values.shape}",
        )
    return {name: values[:, j] for j, name in enumerate(columns)}


def _array(values: Any) -> Any:
    """A ``pyarrow`` array; a column of mixed types becomes text."""
    import pyarrow as pa

    try:
        made = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        made = pa.array(
            [None if value is None or value != value else str(value) for value in _listed(values)], pa.string()
        )
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _listed(values: Any) -> list[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)

"""A person's own tables: looked at, prepared, kept under a name, and loaded like any other data set.

    preview = look("houses.csv")                    # or look(upload_bytes, "houses.csv"): a second for any size
    preview.columns                                 # each with detected kind, missing, distinct, examples, a note
    preview.reading                                 # what was understood: format, delimiter, encoding, header, decimal
    preview.recipe                                  # the proposal: target, task, kinds, missing values, categories
    look(path, reading=replace(preview.reading, delimiter=";"))   # read otherwise
    preview.with_kinds({"zip": "category"})         # another kind for columns: the recipe with it
    replace(preview.recipe, targets=("price",), task="regression", missing="indicator")

    trial(preview, recipe)                          # -> Dataset of the rows looked at: for pictures before an import
    stored = prepare(path, recipe, "houses", progress=print, cancelled=lambda: False)   # the whole file, streamed
    load("houses"), known()                         # kernlab.data: it is there at once, group "yours"
    names(), about("houses"), remove("houses"), free_name("houses")

What was prepared is one Parquet file in ``KERNLAB_HOME/data``; its metadata say how it was made, and have the
Preparation with which a trained model takes raw rows. It takes its name when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernlab import files
from kernlab.data import folder
from kernlab.data.base import SOURCES, Dataset
from kernlab.data.kinds import Detected, Kind, detected, without_missing
from kernlab.data.readers import READERS, Reader, Reading, Upload, opened
from kernlab.data.recipe import Measured, Preparation, Recipe, cells
from kernlab.data.registered import registered
from kernlab.data.table import make_dataset
from kernlab.errors import DataError, StoreError, UnknownNameError
from kernlab.typing import Task

__all__ = [
    "ColumnView",
    "Progress",
    "Stored",
    "TablePreview",
    "about",
    "check_name",
    "free_name",
    "in_memory",
    "look",
    "names",
    "prepare",
    "remove",
    "trial",
    "with_targets",
]

_TARGETS = ("target", "class", "label", "labels", "y", "outcome", "response", "classe", "klasse", "zielvariable")
_CLASSES = 20  # a target of whole numbers with at most so many values is a class
_GROUP = 2**22  # numbers in a row group
_NAME = re.compile(r"[^\W_][\w .()+-]{0,98}[\w)+]|[^\W_]")


class ColumnView(NamedTuple):
    """A column as it was looked at.

    Attributes:
        name: its name.
        kind: what it seems to be; see :mod:`kernlab.data.kinds`.
        missing: cells without a value, in the rows looked at.
        distinct: different values in the rows looked at.
        examples: up to five different cells.
        note: what is worth knowing ("dates become days since 1970"), else "".
        date_format: of dates in text.
    """

    name: str
    kind: Kind
    missing: int
    distinct: int
    examples: tuple[str, ...]
    note: str = ""
    date_format: str = ""


@dataclass(frozen=True, eq=False)
class TablePreview:
    """A table as it was understood, from its first rows and from passages further on.

    Attributes:
        upload: the file.
        reading: how it is read, nothing left open.
        columns: all columns.
        recipe: the proposal.
        sample: the rows looked at, a ``pyarrow`` table of raw cells.
        rows: how many rows there are; ``exact`` says whether that was counted or estimated from the file's size.
        notes: sentences on what was assumed.
    """

    upload: Upload
    reading: Reading
    columns: tuple[ColumnView, ...]
    recipe: Recipe
    sample: Any
    rows: int
    exact: bool
    notes: tuple[str, ...] = ()

    @property
    def one_number_type(self) -> bool:
        """Whether the format cannot tell whole numbers from others by their type."""
        return READERS[self.reading.format or "csv"].one_number_type

    @property
    def looked_at(self) -> int:
        """Rows in ``sample``."""
        return int(self.sample.num_rows)

    def values(self, name: str, kind: Kind | None = None) -> NDArray[Any]:
        """A column of the sample: float64 with NaN for numbers, true/false and dates; objects with None for words.

        Raises:
            DataError: a cell is not of that kind (the column's own by default).
        """
        column = next(each for each in self.columns if each.name == name)
        if column.kind == "drop" and kind is None:
            return np.array([None if v is None else str(v) for v in self.sample.column(name).to_pylist()], object)
        chosen = {name: (kind or column.kind, column.date_format)}
        found = cells(self.sample, chosen, self.reading.decimal or ".", 0, self.upload.name)[name]
        values: NDArray[Any] = found.to_numpy(zero_copy_only=False)
        return values

    def with_kinds(self, kinds: Mapping[str, Kind]) -> Recipe:
        """The proposal with other kinds for some columns.

        Raises:
            UnknownNameError: there is no such column or kind.
        """
        for name in kinds:
            if name not in self.recipe.kinds:
                raise UnknownNameError.among("column", name, self.recipe.kinds)
        return replace(self.recipe, kinds={**self.recipe.kinds, **kinds})

    @cached_property
    def suggested_name(self) -> str:
        """A name that is free."""
        return free_name(self.upload.stem)


class Progress(NamedTuple):
    """How far an import is.

    Attributes:
        share: of the work, 0 … 1.
        phase: "measuring" or "writing".
        rows: read in this phase.
        remaining: seconds, about; None while it cannot be estimated.
    """

    share: float
    phase: str
    rows: int
    remaining: float | None


@dataclass(frozen=True)
class Stored:
    """A prepared data set.

    Attributes:
        name: what ``load`` takes.
        path: its file.
        rows, features: its shape.
        task: what it is for.
        notes: sentences on what was done (rows dropped, columns left out).
        made: how it was made, JSON-ready: recipe, source file with its size and SHA-256, time.
    """

    name: str
    path: Path
    rows: int
    features: int
    task: Task
    notes: tuple[str, ...] = ()
    made: Mapping[str, Any] = field(default_factory=dict)


def look(source: str | Path | bytes | Upload, name: str = "", reading: Reading | None = None) -> TablePreview:
    """What a file contains, from a sample of its rows.

    Args:
        source: a path, or the bytes of a file.
        name: of bytes: the file's name, whose ending tells the format.
        reading: how to read it; what is None there is found.

    Raises:
        KernlabError: the file cannot be read, with row and column where they can be named.
    """
    upload = Upload.of(source, name)
    reader = opened(upload, reading)
    sample = reader.sample()
    decimal = reader.reading.decimal or "."
    columns, whole = [], {}
    for each in reader.names:
        view, is_whole = _view(each, sample.column(each), decimal, reader.levels(each))
        columns.append(view)
        whole[each] = is_whole
    target = _target(reader, columns)
    task: Task = "classification"
    if target is not None:
        task = _task(target, whole[target.name] or (reader.one_number_type and _all_whole(sample.column(target.name))))
    kinds = {each.name: each.kind for each in columns}
    if target is not None and target.kind in ("text", "drop") and target.distinct:
        kinds[target.name] = "category"
    recipe = Recipe(
        targets=(target.name,) if target else (),
        task=task,
        kinds=kinds,
        date_formats={each.name: each.date_format for each in columns if each.date_format},
        reading=reader.reading,
    )
    exact = reader.rows is not None
    rows = reader.rows if reader.rows is not None else max(sample.num_rows, reader.estimated_rows() or 0)
    return TablePreview(upload, reader.reading, tuple(columns), recipe, sample, rows, exact, reader.notes)


def with_targets(preview: TablePreview, recipe: Recipe, targets: Sequence[str]) -> Recipe:
    """The recipe for other targets, with the task that they suggest; the former ones become inputs.

    Raises:
        UnknownNameError: there is no such column.
    """
    by_name = {each.name: each for each in preview.columns}
    for name in targets:
        if name not in by_name:
            raise UnknownNameError.among("column", name, by_name)
    kinds = {**recipe.kinds}
    task: Task = "regression"
    if len(targets) == 1:
        column, cells = by_name[targets[0]], preview.sample.column(targets[0])
        whole = detected(cells, preview.reading.decimal or ".").whole or (preview.one_number_type and _all_whole(cells))
        task = _task(column, whole)
        if column.kind in ("text", "drop") and column.distinct:
            kinds[column.name] = "category"
    return replace(recipe, targets=tuple(targets), task=task, kinds=kinds)


def _view(name: str, column: Any, decimal: str, levels: tuple[str, ...]) -> tuple[ColumnView, bool]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, date_format, whole = Detected("category") if levels else detected(column, decimal)
    nested = pa.types.is_nested(column.type) and not pa.types.is_dictionary(column.type)
    cleaned = column if nested else without_missing(column)
    distinct = 0 if nested else len(pc.unique(pc.drop_null(cleaned)))
    note = {
        "date": "Dates become numbers: days since 1970-01-01.",
        "boolean": "True becomes 1, false 0.",
        "text": "Nearly every row has another word: not used, unless you make it a category.",
        "drop": "Nothing here can become an input." if distinct or nested else "Every cell is missing: not used.",
    }.get(kind, "")
    if kind == "date" and date_format[:5] in ("%m/%d", "%d/%m"):
        note += f" They are read as {'month/day' if date_format.startswith('%m') else 'day/month'}/year."
    shown = [] if nested else pc.unique(pc.drop_null(cleaned)).slice(0, 5).to_pylist()
    examples = tuple(str(each)[:60] for each in shown)
    return ColumnView(name, kind, cleaned.null_count, distinct, examples, note, date_format), whole


def _target(reader: Reader, columns: list[ColumnView]) -> ColumnView | None:
    """The column that is probably to be predicted: the format's own, one with a telling name, else the last one."""
    usable = [each for each in columns if each.distinct > 1 and each.kind != "text"]
    by_name = {each.name: each for each in columns}
    if reader.target in by_name:
        return by_name[reader.target]
    lowered = {each.name.casefold(): each for each in usable}
    named = next((lowered[word] for word in _TARGETS if word in lowered), None)
    return named or (usable[-1] if usable else None)


def _task(target: ColumnView, whole: bool) -> Task:
    words = target.kind in ("category", "boolean", "text", "drop")
    return "classification" if words or (whole and target.distinct <= _CLASSES) else "regression"


def _all_whole(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pa.types.is_floating(column.type) and bool(pc.all(pc.equal(column, pc.floor(column))).as_py())


# -- preparing --------------------------------------------------------------------------------------------------


def trial(preview: TablePreview, recipe: Recipe, rows: int = 2000) -> Dataset:
    """The data set that the rows looked at would make: for pictures before an import.

    Args:
        preview: what :func:`look` found.
        recipe: what is to become of the columns.
        rows: at most so many, spread evenly.

    Raises:
        DataError: the recipe does not fit the table, or the rows make no data set.
    """
    import pyarrow as pa

    table = preview.sample
    if table.num_rows > rows:
        table = table.take(pa.array(np.linspace(0, table.num_rows - 1, rows).astype(np.int64)))
    X, y, preparation = in_memory(table, recipe, preview.upload.name)
    return make_dataset(
        preview.suggested_name,
        X,
        y,
        recipe.task,
        preparation.names,
        preparation.labels or recipe.targets,
        description=f"{preview.upload.name}, the rows looked at.",
    )


def in_memory(
    table: Any, recipe: Recipe, file: str = "the table"
) -> tuple[NDArray[np.float32], NDArray[Any], Preparation]:
    """Inputs [n d], class codes [n] or targets [n K], and the preparation, of a ``pyarrow`` table of raw cells.

    Raises:
        DataError: the recipe does not fit the table.
    """
    _check_recipe(recipe, table.column_names)
    found, _ = _complete(_cells(table, recipe, 0, file), recipe)
    measured = Measured(recipe)
    measured.add(found)
    preparation = measured.preparation()
    return preparation.apply(found), _targets(found, preparation), preparation


def prepare(
    source: str | Path | bytes | Upload,
    recipe: Recipe,
    name: str,
    *,
    file_name: str = "",
    progress: Callable[[Progress], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    replacing: bool = False,
    details: Mapping[str, Any] | None = None,
) -> Stored | None:
    """Read a whole file, prepare it by a recipe, and keep it under a name.

    The file is read twice, batch by batch: to measure what the recipe needs, and to write. What is measured (means,
    most frequent values, categories) comes from all rows, those that a split later takes for testing among them.

    Args:
        source: a path, or the bytes of a file.
        recipe: what becomes of the columns.
        name: what to keep it under: letters, digits, blank and _ . - + ( ), at most 100.
        file_name: of bytes: the file's name.
        progress: called with the progress, some times a second at most.
        cancelled: asked between batches.
        replacing: whether a prepared data set of that name may be replaced.
        details: description, origin and train_rows, where they are known.

    Returns:
        What was kept; None where it was cancelled, and then nothing is kept.

    Raises:
        KernlabError: the file cannot be read, or the data cannot be used; nothing is kept.
    """
    upload = Upload.of(source, file_name)
    path = check_name(name, replacing)
    reader = opened(upload, recipe.reading)
    _check_recipe(recipe, reader.names)
    clock = _Clock(progress, cancelled)
    measured = Measured(recipe)
    dropped = 0
    for found, gone in _parts(reader, recipe, clock, "measuring"):
        dropped += gone
        measured.add(found)
    if clock.stopped:
        return None
    if not measured.rows:
        raise DataError(f"{upload.name} must have rows with a target and no gap", "none is left",
                        "choose another target, or fill in missing values")  # fmt: skip
    preparation = measured.preparation()
    _check_targets(measured, preparation)
    features = len(preparation.names)
    folder.check_shape(upload.name, measured.rows, features)
    notes = _notes(recipe, preparation, measured, dropped)
    made = {
        "file": upload.name,
        "bytes": upload.size,
        "sha256": _digest(upload),
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "recipe": recipe.to_dict(),
    }
    meta = {
        "task": recipe.task,
        "labels": list(preparation.labels),
        "targets": list(recipe.targets),
        "features": features,
        "preparation": preparation.to_dict(),
        "notes": list(notes),
        "made": made,
        **(details or {}),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with files.replacing(path) as file:
            _write(file, (_prepared(found, preparation) for found, _ in _parts(reader, recipe, clock, "writing")),
                   preparation, meta)  # fmt: skip
            if clock.stopped:
                raise _Stopped
    except _Stopped:
        return None
    except OSError as error:
        raise StoreError("the data set must be writable", f"{path}: {error}", "free some space") from None
    return Stored(name, path, measured.rows, features, recipe.task, notes, made)


class _Stopped(Exception):
    """The import was cancelled."""


class _Clock:
    """Reports the progress at most ten times a second, and asks whether to go on."""

    def __init__(self, progress: Callable[[Progress], object] | None, cancelled: Callable[[], bool] | None) -> None:
        self._progress, self._cancelled = progress, cancelled
        self._began = time.monotonic()
        self._last = 0.0
        self.stopped = False

    def tick(self, phase: str, share: float, rows: int) -> bool:
        """Whether to go on."""
        if self._cancelled and self._cancelled():
            self.stopped = True
            return False
        now = time.monotonic()
        if self._progress and (now - self._last >= 0.1 or share >= 1):
            self._last = now
            total = 0.5 * share + 0.5 * (phase == "writing")
            spent = now - self._began
            remaining = spent * (1 - total) / total if total > 0.02 else None
            self._progress(Progress(total, phase, rows, remaining))
        return True


def _parts(reader: Reader, recipe: Recipe, clock: _Clock, phase: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Converted columns batch by batch, rows that the recipe drops left out, and how many these are."""
    row = 0
    numbers = [name for name, (kind, _) in _wanted(recipe).items() if kind == "number"]
    for batch, share in reader.batches(numbers):
        found = _cells(batch, recipe, row, reader.upload.name)
        row += batch.num_rows
        yield _complete(found, recipe)
        if not clock.tick(phase, share, row):
            return


def _check_recipe(recipe: Recipe, columns: tuple[str, ...] | list[str]) -> None:
    if not recipe.targets:
        raise DataError("a target must be chosen", "none", "choose the column that is to be predicted")
    for name in (*recipe.inputs, *recipe.targets):
        if name not in columns:
            raise UnknownNameError.among("column", name, columns)
    if not recipe.inputs:
        raise DataError("a table must have at least one input column", "none is left",
                        "make a column a number or a category")  # fmt: skip


def _wanted(recipe: Recipe) -> dict[str, tuple[Kind, str]]:
    """Kind and date format of each column that the recipe uses."""
    wanted: dict[str, tuple[Kind, str]] = {
        name: (recipe.kinds[name], recipe.date_formats.get(name, "")) for name in recipe.inputs
    }
    for name in recipe.targets:
        kind = recipe.kinds.get(name, "category")
        if recipe.task == "regression":
            kind = kind if kind in ("boolean", "date") else "number"
        elif kind != "number":
            kind = "category"  # labels stay as they are written
        wanted[name] = (kind, recipe.date_formats.get(name, ""))
    return wanted


def _cells(table: Any, recipe: Recipe, first_row: int, file: str) -> dict[str, Any]:
    return cells(table, _wanted(recipe), recipe.reading.decimal or ".", first_row, file)


def _complete(found: dict[str, Any], recipe: Recipe) -> tuple[dict[str, Any], int]:
    """Rows with a target, and without a gap in columns whose gaps drop the row; and how many were left out."""
    import pyarrow as pa

    needed = [*recipe.targets, *(name for name in recipe.inputs if recipe.handling(name) == "drop")]
    gaps = [found[name] for name in needed if found[name].null_count]
    if not gaps:
        return found, 0
    whole = np.ones(len(gaps[0]), bool)
    for column in gaps:
        whole &= column.is_valid().to_numpy(zero_copy_only=False)
    mask = pa.array(whole)
    return {name: column.filter(mask) for name, column in found.items()}, int((~whole).sum())


def _check_targets(measured: Measured, preparation: Preparation) -> None:
    if measured.recipe.task == "classification" and len(preparation.labels) < 2:
        raise DataError("a target of classes must have at least two of them",
                        f"only {', '.join(preparation.labels)}", "choose another target")  # fmt: skip


def _targets(found: Mapping[str, Any], preparation: Preparation) -> NDArray[Any]:
    """Class codes [n], or targets float64 [n K]."""
    import pyarrow as pa
    import pyarrow.compute as pc

    recipe = preparation.recipe
    if recipe.task == "regression":
        return np.stack([found[name].to_numpy(zero_copy_only=False) for name in recipe.targets], axis=1)
    column = found[recipe.targets[0]]
    if pa.types.is_floating(column.type):
        values = column.to_numpy(zero_copy_only=False)
        kinds = np.array([float(label) for label in preparation.labels])
        places: NDArray[Any] = np.searchsorted(kinds, values)
        return places
    codes: NDArray[Any] = pc.index_in(column, value_set=pa.array(preparation.labels, pa.string())).to_numpy(
        zero_copy_only=False
    )
    return codes


def _prepared(found: dict[str, Any], preparation: Preparation) -> tuple[NDArray[np.float32], NDArray[Any]]:
    return preparation.apply(found), _targets(found, preparation)


def _write(file: Any, parts: Iterator[tuple[NDArray[Any], NDArray[Any]]], preparation: Preparation, meta: Any) -> None:
    """A Parquet file of inputs and targets."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, recipe = preparation.names, preparation.recipe
    classes = recipe.task == "classification"
    kind = pa.int32() if classes else pa.float64()
    targets = ["target"] if len(recipe.targets) == 1 else [f"target_{k}" for k in range(len(recipe.targets))]
    schema = pa.schema(
        [*((name, pa.float32()) for name in names), *((name, kind) for name in targets)],
        metadata={folder.METADATA: json.dumps(meta)},
    )
    with pq.ParquetWriter(
        file, schema, compression="zstd", compression_level=1, use_dictionary=False, write_statistics=False
    ) as writer:
        kept: list[Any] = []
        numbers = 0
        for X, y in parts:
            y = y.reshape(len(y), -1)
            arrays = [pa.array(X[:, j]) for j in range(X.shape[1])]
            arrays += [pa.array(y[:, k]).cast(kind) for k in range(y.shape[1])]
            kept.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
            numbers += X.size
            if numbers >= _GROUP:
                writer.write_table(pa.Table.from_batches(kept))
                kept, numbers = [], 0
        if kept:
            writer.write_table(pa.Table.from_batches(kept))


def _notes(recipe: Recipe, preparation: Preparation, measured: Measured, dropped: int) -> tuple[str, ...]:
    """What was done, as sentences."""
    found = []
    if dropped:
        rows = "1 row was" if dropped == 1 else f"{dropped:,} rows were"
        found.append(f"{rows} not used for want of a target or of a value that its column needs.")
    used = {each.name for each in preparation.inputs}
    left = [name for name in recipe.kinds if name not in used and name not in recipe.targets]
    if left:
        more = f" and {len(left) - 5} more" if len(left) > 5 else ""
        found.append(f"Not used: {', '.join(left[:5])}{more}.")
    filled = [each.name for each in preparation.inputs if measured.missing(each.name)]
    if filled:
        more = f" and {len(filled) - 5} more" if len(filled) > 5 else ""
        found.append(
            f"Missing values were filled in in {', '.join(filled[:5])}{more}, by what all rows have, test rows too."
        )
    dates = [each.name for each in preparation.inputs if each.kind == "date"]
    if dates:
        found.append(f"Days since 1970-01-01: {', '.join(dates[:5])}.")
    return tuple(found)


def _digest(upload: Upload) -> str:
    digest = hashlib.sha256()
    with upload.open() as file:
        while part := file.read(2**20):
            digest.update(part)
    return digest.hexdigest()


# -- names ------------------------------------------------------------------------------------------------------


def names() -> list[str]:
    """The names of what was prepared."""
    return sorted((path.stem for path in folder.prepared().glob("*.parquet")), key=str.casefold)


def about(name: str) -> Stored:
    """How a prepared data set was made.

    Raises:
        UnknownNameError: nothing was prepared under that name.
        DataError: its file is damaged.
    """
    if name not in names():
        raise UnknownNameError.among("prepared data set", name, names())
    path = folder.prepared() / f"{name}.parquet"
    meta, rows = folder.metadata(path)
    if meta is None:
        raise DataError(f"{path.name} must be a file that kernlab prepared", str(path), "import the table again")
    return Stored(name, path, rows, meta["features"], meta["task"], tuple(meta["notes"]), meta["made"])


def remove(name: str) -> None:
    """Delete a prepared data set; the file that it was made from stays.

    Raises:
        UnknownNameError: nothing was prepared under that name.
    """
    if name not in names():
        raise UnknownNameError.among("prepared data set", name, names())
    try:
        (folder.prepared() / f"{name}.parquet").unlink(missing_ok=True)
    except OSError as error:
        raise StoreError("the data set must be removable", error, "check the permissions of its folder") from None


def check_name(name: str, replacing: bool = False) -> Path:
    """The file of a data set to be kept under that name.

    Raises:
        DataError: no such name is possible, or it is taken.
    """
    if not _NAME.fullmatch(name) or name.rstrip(". ") != name:
        raise DataError(
            "the name of a data set must begin with a letter or digit and consist of letters, digits, blanks and "
            "_ . - + ( ), at most 100",
            repr(name[:120]),
            "choose another name",
        )
    taken = name in SOURCES or any(path.parent != folder.prepared() for path in folder.files().get(name, []))
    if taken or (name in names() and not replacing):
        fix = "choose another name" if taken else "choose another name, or replace it"
        raise DataError("the name of a data set must be free", f"{name!r}, which is taken", fix)
    return folder.prepared() / f"{name}.parquet"


def free_name(wanted: str) -> str:
    """A name like the wanted one that can be used and is free."""
    name = re.sub(r"[^\w .()+-]", " ", wanted).strip(" ._-+()")[:90].strip(". ") or "table"
    taken = {*SOURCES, *folder.files(), *names(), *registered()}
    return name if name not in taken else next(f"{name} {k}" for k in range(2, 10**6) if f"{name} {k}" not in taken)

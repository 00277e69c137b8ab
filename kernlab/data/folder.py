"""Data sets in folders: every NAME.parquet in the folders that ``KERNLAB_DATA`` lists, and what was prepared.

A file has one column per feature (numbers or true/false) and a column ``target``; several columns
``target_…`` make a regression with several outputs. Where a name exists twice, the bundled or generated
set wins over a file and an earlier folder over a later one; a warning of the loaded data set says so. A file that
:mod:`kernlab.data.tables` prepared lies in the last folder, ``KERNLAB_HOME/data``, and says in its metadata what its
columns are, which class codes stand for which labels, and how raw rows become its inputs.

No file can keep the others from being listed: only regular files are opened, also by symbolic links (pipes, sockets
and devices are never opened, since reading one may wait for ever), and names, sizes and columns are read within the
limits below.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlab.data.base import Dataset
from kernlab.data.recipe import Preparation
from kernlab.data.registered import About
from kernlab.data.table import encode, make_dataset
from kernlab.errors import DataError, KernlabError
from kernlab.paths import home
from kernlab.typing import Task

__all__ = ["METADATA", "VARIABLE", "check_shape", "files", "folders", "glance", "metadata", "prepared", "read"]

VARIABLE = "KERNLAB_DATA"
METADATA = b"kernlab"  # the key in a Parquet file's metadata under which a prepared file describes itself

_MOST_CLASSES = 100  # a whole-number target with more values than that is a quantity, not a class
_MOST_LABELS = 1000  # words with more values than that are an identifier
_BATCH = 2**21  # numbers decoded at once (8 MB), so that a file is never in memory twice
_MOST_COLUMNS = 20_000
_LONGEST_NAME = 1000  # characters of a column's name
_LARGEST_FOOTER = 2**25  # bytes: a footer describes every column of every row group, and is read as a whole
_MOST_NUMBERS = 2**31  # features times rows: 8 GiB
_GLANCED = 2**20  # rows whose targets are read for the list


def folders() -> list[Path]:
    """The folders of ``KERNLAB_DATA``, in order.

    Raises:
        DataError: one of them does not exist.
    """
    parts = os.environ.get(VARIABLE, "").split(os.pathsep)
    listed = list(dict.fromkeys(Path(part).expanduser() for part in parts if part))
    for folder in listed:
        if not folder.is_dir():
            raise DataError(
                f"every folder in {VARIABLE} must exist",
                f"{str(folder)!r}, which is {'a file' if folder.exists() else 'missing'}",
                f"correct or unset {VARIABLE}",
            )
    return listed


def prepared() -> Path:
    """The folder of data sets that were prepared from a person's own tables; it need not exist."""
    return home() / "data"


def files() -> dict[str, list[Path]]:
    """The Parquet files by name; of several with one name the first is read."""
    found: dict[str, list[Path]] = {}
    for folder in [*folders(), prepared()]:
        for path in sorted(folder.glob("*.parquet")):
            found.setdefault(path.stem, []).append(path)
    return found


def glance(path: Path, about: About | None) -> tuple[Task, int, int, int | None]:
    """Task, rows, features and classes, from the file's footer and the first 2²⁰ rows of its target column alone."""
    with _opened(path) as (file, features, targets):
        rows, own = file.metadata.num_rows, _described(file)
        if own is not None:
            return own["task"], rows, len(features), len(own["labels"]) or None
        if about is not None and about.describes(rows, len(features)):
            return about.task, rows, len(features), about.classes
        task, _, labels, _ = _targets(path, file, targets, None, _GLANCED)
        return task, rows, len(features), len(labels) if task == "classification" else None


def read(name: str, path: Path, about: About | None = None) -> Dataset:
    """The data set of a prepared Parquet file.

    Args:
        name: the name it was asked for by.
        path: the file.
        about: the registry's entry of that name, used where rows and features agree with it.

    Raises:
        DataError: the file is damaged or not a table of numbers with a target.
    """
    import pyarrow as pa

    with _opened(path) as (file, features, targets):
        rows, warnings, own = file.metadata.num_rows, [], _described(file)
        if own is not None:
            about = None
        if about is not None and not about.describes(rows, len(features)):
            warnings.append(
                f"{path.name} is not the {name!r} of the registry ({about.rows} rows, {about.features} features); "
                f"its own {rows} rows and {len(features)} features are used without the registry's description."
            )
            about = None
        X = np.empty((rows, len(features)), np.float32)
        start = 0  # make_dataset refuses infinity and NaN
        for batch in file.iter_batches(max(1, _BATCH // len(features)), columns=features):
            stop = start + batch.num_rows
            places = {name: place for place, name in enumerate(batch.schema.names)}
            for j, feature in enumerate(features):
                column = batch.column(places[feature]).cast(pa.float32(), safe=False)
                X[start:stop, j] = column.to_numpy(zero_copy_only=False)  # too large: infinite; missing: NaN
            start = stop
        if own is not None:
            return _prepared_dataset(name, path, own, X, file, targets, features)
        task, y, labels, guesses = _targets(path, file, targets, about)
    return make_dataset(
        name,
        X,
        y,
        task,
        features,
        labels,
        source_train_rows=about.train_rows if about else None,
        warnings=[*warnings, *guesses],
        description=about.description if about else f"{path.name}, a file of yours.",
        origin=about.provenance if about else str(path),
    )


def metadata(path: Path) -> tuple[dict[str, Any] | None, int]:
    """How a prepared file describes itself (None: it is not one), and its number of rows.

    Raises:
        DataError: the file is damaged.
    """
    with _opened(path) as (file, _, _):
        return _described(file), file.metadata.num_rows


def _described(file: Any) -> dict[str, Any] | None:
    text = (file.schema_arrow.metadata or {}).get(METADATA)
    if text is None:
        return None
    try:
        found = json.loads(text)
        fits = found["task"] in ("classification", "regression") and found["features"] < len(file.schema_arrow.names)
        return found if fits and isinstance(found["labels"], list) else None
    except (ValueError, LookupError, TypeError):
        return None


def _prepared_dataset(
    name: str, path: Path, own: dict[str, Any], X: NDArray[np.float32], file: Any, targets: list[str],
    features: list[str],
) -> Dataset:  # fmt: skip
    """The data set of a prepared file, its codes as they are labelled."""
    import pyarrow as pa

    try:
        preparation = Preparation.from_dict(own["preparation"]) if own.get("preparation") else None
        task: Task = own["task"]
        table = file.read(columns=targets)
        columns = [table.column(each).cast(pa.float64()).to_numpy() for each in targets]
        y = np.stack(columns, axis=1)
        labels = own["labels"] if task == "classification" else own["targets"]
        if task == "classification" and not ((y >= 0) & (y < len(labels))).all():
            raise ValueError("a class code without a label")
    except (KernlabError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise DataError(f"{path.name} must be as kernlab prepared it", error, "import the table again") from None
    return make_dataset(
        name,
        X,
        y[:, 0] if task == "classification" else y,
        task,
        features,
        labels,
        source_train_rows=own.get("train_rows"),
        warnings=own.get("notes", ()),
        description=own.get("description") or f"Prepared from {own.get('made', {}).get('file', path.name)}.",
        origin=own.get("origin") or str(path),
        preparation=preparation,
    )


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, list[str], list[str]]]:
    """The open file with the names of its features and targets; what PyArrow refuses becomes a DataError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        _check(path)
        with pq.ParquetFile(path) as file:
            yield file, *_columns(path, file)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(
            f"{path.name} must be a readable Parquet file",
            f"{path}: {reason.rstrip('.')}",
            "copy or write the file again; it is damaged, or not Parquet",
        ) from None


def _check(path: Path) -> None:
    """Raise DataError unless the path leads to a regular file whose footer is small enough to be read."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
        raise DataError(
            f"{path.name} must be a regular file, or a symbolic link to one",
            f"{path}, which is {kinds.get(stat.S_IFMT(mode), 'a device')}",
            "move it elsewhere or rename it",
        )
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) < 8:
            return  # PyArrow says what is wrong with so short a file
        file.seek(-8, os.SEEK_END)  # the length of the footer (4 bytes, little-endian), then the letters PAR1
        length = int.from_bytes(file.read(4), "little")
        if file.read(4) == b"PAR1" and length > _LARGEST_FOOTER:
            raise DataError(
                f"the footer of {path.name}, which describes its columns, must have at most {_LARGEST_FOOTER} bytes",
                f"{length} bytes",
                "write the file again with fewer columns, or with more rows in each row group",
            )


def _columns(path: Path, file: Any) -> tuple[list[str], list[str]]:
    """Names of the feature and the target columns, checked."""
    import pyarrow as pa

    rows = file.metadata.num_rows
    check_shape(path.name, rows, file.metadata.num_columns)
    schema = file.schema_arrow
    kinds = dict(zip(schema.names, schema.types, strict=True))
    # pandas stores an index that is not 0, 1, 2 … as a column of this name: a row number, not a feature.
    names = [name for name in schema.names if not re.fullmatch(r"__index_level_\d+__", name)]
    targets = [name for name in names if name == "target" or name.startswith("target_")]
    features = [name for name in names if name not in targets]
    long = [name for name in names if len(name) > _LONGEST_NAME]
    if long:
        raise DataError(
            f"column names of {path.name} must have at most {_LONGEST_NAME} characters",
            f"{long[0][:20]!r} … with {len(long[0])}",
            "rename the column",
        )
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise DataError(f"column names of {path.name} must differ", f"{twice[0]!r} twice", "rename one of them")
    if not targets:
        last = f", the last one {names[-1]!r}" if names else ""
        raise DataError(
            f"{path.name} must have a column named target (or several, target_0, target_1 …)",
            f"{len(names)} column{'s' * (len(names) != 1)}{last}",
            "rename the column that is to be predicted to target",
        )
    if not features:
        raise DataError(f"{path.name} must have at least one feature column", f"only {', '.join(targets)}", "add one")
    if rows == 0:
        raise DataError(f"{path.name} must have rows", "none", "write the file again with its rows")
    for target in targets:
        if pa.types.is_nested(kinds[target]):
            raise DataError(
                f"a target in {path.name} must be one number or word per row",
                f"column {target!r} of type {kinds[target]}",
                "store several targets as the columns target_0, target_1 …",
            )
    for feature in features:
        if not (_is_number(kinds[feature]) or pa.types.is_boolean(kinds[feature])):
            raise DataError(
                f"feature columns of {path.name} must hold numbers",
                f"column {feature!r} of type {kinds[feature]}",
                "turn it into numbers (for words: one 0/1 column per word) or drop it",
            )
    return features, targets


def check_shape(name: str, rows: int, width: int) -> None:
    """Raise DataError unless a table of that shape can be loaded."""
    if width > _MOST_COLUMNS:
        fix = "keep the columns that matter, or project the inputs to fewer of them"
        raise DataError(f"{name} must have at most {_MOST_COLUMNS} columns", f"{width} columns", fix)
    if rows * width > _MOST_NUMBERS:
        raise DataError(
            f"{name} must have at most {_MOST_NUMBERS} numbers, rows times columns",
            f"{rows} rows of {width} columns",
            "keep a sample of the rows",
        )


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _targets(
    path: Path, file: Any, names: list[str], about: About | None, rows: int | None = None
) -> tuple[Task, NDArray[Any], tuple[str, ...], list[str]]:
    """Task, targets of the first ``rows`` (None: all), their names or class labels, and warnings about guesses."""
    import pyarrow as pa

    if rows is None or file.metadata.num_rows <= rows:
        table = file.read(columns=names)
    else:
        table = pa.Table.from_batches([next(file.iter_batches(rows, columns=names))])
    kinds = [table.schema.field(name).type for name in names]
    counted = [_is_number(kind) for kind in kinds]
    for name in names:
        missing = table.column(name).null_count
        if missing:
            raise DataError(
                f"every row of {path.name} must have a target",
                f"column {name!r}: {missing} missing",
                "remove those rows or fill in the values",
            )
    if len(names) > 1:
        if not all(counted):
            words = names[counted.index(False)]
            raise DataError(
                f"several targets in {path.name} make a regression and must be numbers",
                f"column {words!r} of type {kinds[counted.index(False)]}",
                "keep one target column for classification",
            )
        columns = [table.column(name).cast(pa.float64(), safe=False).to_numpy() for name in names]
        return "regression", np.stack(columns, axis=1), tuple(names), []

    column, kind = table.column(0), kinds[0]
    if not counted[0]:
        values = np.asarray(column.cast(pa.string()).to_numpy(zero_copy_only=False), dtype=str)
        codes, labels = encode(values)
        if len(labels) > _MOST_LABELS:
            raise DataError(
                f"a target of words must have at most {_MOST_LABELS} classes",
                f"{len(labels)} in {path.name}",
                "choose another target column; this one seems to be an identifier",
            )
        return "classification", codes, labels, []
    values = column.cast(pa.float64(), safe=False).to_numpy()
    if about is not None:
        task: Task = about.task
    else:
        task = "regression" if pa.types.is_floating(kind) or pa.types.is_decimal(kind) else "classification"
    if task == "regression":
        few = len(np.unique(values[:10_000])) <= 2
        guess = "The target is stored as decimal numbers and has two values; store it as whole numbers for classes."
        return "regression", values, (about.target if about else "target",), [guess] * (few and about is None)
    if not np.isfinite(values).all():
        bad = int((~np.isfinite(values)).sum())
        raise DataError(
            f"every class in {path.name} must be a finite number", f"{bad} are not", "remove those rows or label them"
        )
    codes, labels = encode(values)
    if about is None and len(labels) > _MOST_CLASSES:
        guess = f"The target has {len(labels)} different whole numbers and is taken for a quantity (regression)."
        return "regression", values, ("target",), [guess]
    if about is not None and len(about.labels) == len(labels):
        labels = about.labels
    return "classification", codes, labels, []

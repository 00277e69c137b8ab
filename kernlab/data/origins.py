"""The registry's data sets from their origins: downloaded, verified file by file, put together, verified as a whole.

A table that is put together otherwise than the registry's would give other results than the published ones: it is
refused. Sets without readable files of their own come from OpenML and say so.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlab.data import openml
from kernlab.data.base import SOURCES
from kernlab.data.download import Arrived, Remote, download
from kernlab.data.kinds import Kind, detected
from kernlab.data.readers import Reading, Upload, opened
from kernlab.data.recipe import Recipe
from kernlab.data.registered import About, registered
from kernlab.data.tables import Progress, Stored, check_name, in_memory, prepare
from kernlab.errors import DataError, UnknownNameError
from kernlab.paths import home

__all__ = ["available", "content", "get"]


def available() -> list[str]:
    """The registry's data sets that :func:`get` can fetch."""
    return [name for name, about in registered().items() if name not in SOURCES and (about.files or about.openml)]


def get(
    name: str,
    *,
    progress: Callable[[Arrived | Progress], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
    replacing: bool = False,
) -> Stored | None:
    """Fetch a data set and keep it under its name.

    Args:
        name: of the registry; or "openml:" with a name or number of OpenML.
        progress: called with the progress of each download, then of the preparation.
        cancelled: asked now and then; what has been downloaded is kept for later.
        replacing: whether a data set that was kept under that name may be replaced.

    Returns:
        What was kept; None where it was cancelled.

    Raises:
        UnknownNameError: there is no such data set.
        DataError: what arrives is not the data set.
    """
    if name.startswith("openml:"):
        entry = openml.find(name.removeprefix("openml:"))
        check_name(entry.name, replacing)
        return openml.keep(entry, entry.name, progress=progress, cancelled=cancelled, replacing=replacing)
    if name not in available():
        raise UnknownNameError.among("data set to download", name, available())
    check_name(name, replacing)
    about = registered()[name]
    if not about.files:
        note = (
            "From OpenML: order and units of its rows may differ from the table that published figures were taken on."
        )
        return openml.keep(
            openml.find(about.openml or 0), name, progress=progress, cancelled=cancelled, replacing=replacing,
            details={"description": about.description, "origin": about.provenance, "notes": [note]},
        )  # fmt: skip
    paths: list[Path] = []
    for each in about.files:
        folder = home() / "downloads" / name
        path = download(Remote(each["url"], f"git:{each['git']}"), folder, progress=progress, cancelled=cancelled)
        if path is None:
            return None
        paths.append(path)
    table, recipe = _assembled(name, about, paths)
    buffer = io.BytesIO()
    import pyarrow.parquet as pq

    pq.write_table(table, buffer)
    details: dict[str, Any] = {
        "description": about.description,
        "origin": about.provenance,
        "train_rows": about.train_rows,
        "targets": [about.target],
    }
    if about.labels:
        details["labels"] = list(about.labels)
    stored = prepare(
        buffer.getvalue(), recipe, name, file_name=f"{name}.parquet", progress=progress, cancelled=cancelled,
        replacing=replacing, details=details,
    )  # fmt: skip
    if stored is not None:
        for path in paths:
            path.unlink(missing_ok=True)
    return stored


def content(X: NDArray[np.float32], y: NDArray[Any]) -> str:
    """SHA-256 of inputs (float32) and targets (int64 class codes, or float64), whatever their names."""
    kind = np.int64 if y.dtype.kind in "iu" else np.float64
    digest = hashlib.sha256(np.ascontiguousarray(X, np.float32).data)
    digest.update(np.ascontiguousarray(y.reshape(-1), kind).data)
    return digest.hexdigest()


def _assembled(name: str, about: About, paths: Sequence[Path]) -> tuple[Any, Recipe]:
    """The registry's table, from its files; their target is the last column or the first one.

    Raises:
        DataError: no way to put it together gives the registry's table.
    """
    whole = _stacked(about, [_table(path) for path in paths])
    width = whole.num_columns
    for place in (width - 1, 0):
        others = [j for j in range(width) if j != place]
        titles = about.columns if len(about.columns) == len(others) else [whole.column_names[j] for j in others]
        table = whole.select([*others, place]).rename_columns([*titles, "target"])
        kinds: dict[str, Kind] = dict.fromkeys(titles, "number")
        kinds["target"] = "number" if about.task == "regression" or _is_numeric(table.column("target")) else "category"
        recipe = Recipe(("target",), about.task, kinds, reading=Reading(format="parquet"))
        try:
            X, y, _ = in_memory(table, recipe)
        except DataError:
            continue
        if content(X, y) == about.content:
            return table, recipe
    raise DataError(
        f"the table put together from the files of {name} must be the registry's",
        f"{whole.num_rows} rows of {width} columns with other contents",
        "report it; the files are as the registry expects them, and nothing is kept",
    )


def _table(path: Path) -> Any:
    import pyarrow as pa

    reader = opened(Upload.of(path), Reading())
    table = pa.Table.from_batches([batch for batch, _ in reader.batches()])
    return table.rename_columns([f"c{j}" for j in range(table.num_columns)])


def _stacked(about: About, tables: Sequence[Any]) -> Any:
    """Files one below the other; one that is marked so beside the file before it."""
    import pyarrow as pa

    parts: list[Any] = []
    for each, table in zip(about.files, tables, strict=True):
        for place, words in about.words.items():
            coded = pa.array([float(words.index(v) + 1) if v in words else None
                              for v in table.column(int(place)).to_pylist()], pa.float64())  # fmt: skip
            table = table.set_column(int(place), f"c{place}", coded)
        if each.get("beside") and parts and parts[-1].num_rows == table.num_rows:
            before = parts.pop()
            for j in range(table.num_columns):
                before = before.append_column(f"c{before.num_columns}", table.column(j))
            table = before
        parts.append(table)
    if len({part.num_columns for part in parts}) > 1:
        raise DataError("the files of a data set must have equally many columns",
                        ", ".join(str(part.num_columns) for part in parts), "report it")  # fmt: skip
    return pa.concat_tables(parts)


def _is_numeric(column: Any) -> bool:
    return detected(column).kind == "number"

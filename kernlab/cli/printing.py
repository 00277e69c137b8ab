"""How commands print: sentences, tables and JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kernlab.errors import StoreError

__all__ = ["note", "print_json", "print_rows", "print_table", "report", "spread", "to_json", "word", "write_files"]


def note(text: str) -> None:
    """Print to standard error."""
    click.echo(text, err=True)


def report(document: Any, sentence: str, as_json: bool) -> None:
    """Print the document or the sentence."""
    if as_json:
        print_json(document)
    else:
        click.echo(sentence)


def print_json(document: Any) -> None:
    click.echo(to_json(document))


def to_json(document: Any) -> str:
    return json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity, which the curves of a diverged run contain: they become null."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def word(value: Any) -> str:
    """A value as a cell of a table."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def spread(mean: float | None, std: float | None) -> str:
    """Mean ± standard deviation."""
    return "–" if mean is None else f"{mean:.4g}" if std is None else f"{mean:.4g} ± {std:.2g}"


def print_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], as_json: bool) -> None:
    """Print whole rows as JSON, or the given columns of them as a table."""
    if as_json:
        print_json(rows)
    else:
        print_table(columns, [[word(row.get(column)) for column in columns] for row in rows])


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text in columns; a row that is too short ends with empty cells."""
    full = [[*row, *[""] * (len(columns) - len(row))] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *full, strict=True)]
    for row in [columns, ["-" * width for width in widths], *full]:
        click.echo("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts by their file names.

    Raises:
        StoreError: the folder or a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8", newline="")
    except OSError as error:
        fix = "choose another --out; the same command writes it again without computing anything"
        raise StoreError("the tables must be writable", f"{folder}: {error}", fix) from None

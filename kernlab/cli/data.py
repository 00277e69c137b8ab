"""``kernlab data``: a person's own tables, and downloads."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernlab.cli.base import as_json, cli, parsed_settings
from kernlab.cli.printing import note, print_json, print_rows, print_table, report
from kernlab.cli.stopping import stoppable
from kernlab.errors import DataError, OptionError, UnknownNameError

if TYPE_CHECKING:
    from kernlab.data.findings import Finding
    from kernlab.data.tables import Stored, TablePreview

__all__ = ["data"]


@cli.group()
def data() -> None:
    """Your own tables and downloads: get, import, list, check, remove."""


@data.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", help="What to keep it under; default: the file's name.")
@click.option("--target", "targets", multiple=True, help="The column to predict; repeated: several outputs.")
@click.option("--task", type=click.Choice(["classification", "regression"]), help="Default: what the target suggests.")
@click.option("--kind", "kinds", multiple=True, metavar="COLUMN=KIND",
              help="number, boolean, date, category, text or drop; may be repeated.")  # fmt: skip
@click.option("--missing", type=click.Choice(["drop", "mean", "most frequent", "indicator"]),
              help="What becomes of missing values; default: mean.")  # fmt: skip
@click.option("--missing-of", multiple=True, metavar="COLUMN=HOW", help="An exception; may be repeated.")
@click.option("--categories", type=click.Choice(["one-hot", "ordinal"]), help="Default: one-hot.")
@click.option("--categories-of", multiple=True, metavar="COLUMN=HOW", help="An exception; may be repeated.")
@click.option("--format", help="csv, parquet, arff, svmlight, npz or excel; default: by the file's name.")
@click.option("--delimiter", help="Of CSV, one character; default: found.")
@click.option("--encoding", help="Of text; default: found.")
@click.option("--header/--no-header", default=None, help="Whether the first row has names; default: found.")
@click.option("--decimal", type=click.Choice([".", ","]), help="The decimal sign; default: found.")
@click.option("--quote", help='The sign around cells; default: ".')
@click.option("--sheet", help="Of Excel; default: the first one.")
@click.option("--features", type=int, help="Of LIBSVM: how many, where the last ones are 0 in every row.")
@click.option("--recipe", type=click.Path(path_type=Path), help="A recipe in JSON, as kernlab data list --json has it.")
@click.option("--replace", "replacing", is_flag=True, help="Replace a prepared data set of that name.")
@click.option("--dry-run", is_flag=True, help="Only print what was understood.")
@as_json
def import_(
    path: Path, name: str | None, targets: tuple[str, ...], task: Any, kinds: tuple[str, ...], missing: Any,
    missing_of: tuple[str, ...], categories: Any, categories_of: tuple[str, ...], recipe: Path | None,
    replacing: bool, dry_run: bool, as_json: bool, **reading: Any,
) -> None:  # fmt: skip
    """Prepare a table from a file and keep it under a name."""
    from kernlab.data.readers import Reading
    from kernlab.data.recipe import Recipe
    from kernlab.data.tables import check_name, look, prepare, with_targets

    start = Recipe.from_dict(_document(recipe)) if recipe else None
    given = {key: value for key, value in reading.items() if value is not None}
    if given.get("delimiter") in ("\\t", "tab"):
        given["delimiter"] = "\t"
    preview = look(path, reading=replace(start.reading if start else Reading(), **given))
    chosen = start or preview.recipe
    if targets:
        chosen = with_targets(preview, chosen, targets)
    changes: dict[str, Any] = {"reading": preview.reading}
    for key, value in (("task", task), ("missing", missing), ("categories", categories)):
        changes |= {key: value} if value else {}
    for key, settings in (("kinds", kinds), ("missing_of", missing_of), ("categories_of", categories_of)):
        parsed = parsed_settings(settings, "COLUMN=HOW", "town=category")
        for column in parsed:
            if column not in chosen.kinds:
                raise UnknownNameError.among("column", column, chosen.kinds)
        changes[key] = {**getattr(chosen, key), **parsed}
    chosen = replace(chosen, **changes)
    name = name or preview.upload.stem
    if dry_run:
        if as_json:
            columns = [each._asdict() for each in preview.columns]
            print_json({"reading": preview.reading.to_dict(), "rows": preview.rows, "exact": preview.exact,
                        "columns": columns, "recipe": chosen.to_dict()})  # fmt: skip
        else:
            _print_preview(preview, chosen)
        return
    check_name(name, replacing)
    if not as_json:
        _print_preview(preview, chosen)
    with _stoppable() as (progress, cancelled):
        stored = prepare(path, chosen, name, progress=progress, cancelled=cancelled, replacing=replacing)
    _finished(stored, "stopped; nothing was kept", as_json)


@data.command()
@click.argument("name")
@click.option("--replace", "replacing", is_flag=True, help="Replace what is kept under that name.")
@as_json
def get(name: str, replacing: bool, as_json: bool) -> None:
    """Download a data set of the registry, or openml:NAME, openml:NUMBER. The same command goes on after a break."""
    from kernlab.data.origins import get

    with _stoppable() as (progress, cancelled):
        stored = get(name, progress=progress, cancelled=cancelled, replacing=replacing)
    _finished(stored, "stopped; the same command goes on with what has arrived", as_json)


@data.command("list")
@as_json
def list_(as_json: bool) -> None:
    """List what was prepared or downloaded."""
    from kernlab.data.tables import about, names

    rows, troubles = [], []
    for name in names():
        try:
            rows.append(_as_dict(about(name)))
        except DataError as error:
            troubles.append(f"kernlab: {name}: {error}")
    if not (rows or as_json or troubles):
        click.echo("No data sets. Try: kernlab data import FILE")
        return
    print_rows(rows, ("name", "task", "rows", "features", "file", "time"), as_json)
    for each in troubles:
        note(each)


@data.command()
@click.argument("name_or_path")
@as_json
def check(name_or_path: str, as_json: bool) -> None:
    """Say what is worth knowing of a data set, or of a file before its import."""
    from kernlab.data import DataSpec, known, load
    from kernlab.data import prepare as split
    from kernlab.data.findings import findings_of
    from kernlab.data.tables import look, trial

    if any(each.name == name_or_path for each in known()):
        dataset = load(name_or_path)
        try:
            parts = split(dataset, DataSpec.build(dataset=name_or_path), 0)
        except DataError as error:  # a class too small for a split
            note(f"kernlab: {error}")
            parts = None
        _print_findings(dataset, findings_of(dataset, parts), as_json)
        return
    if not Path(name_or_path).expanduser().exists():
        raise UnknownNameError.among("data set or file", name_or_path, [each.name for each in known()])
    preview = look(name_or_path)
    dataset = trial(preview, preview.recipe)
    if not as_json:
        _print_preview(preview, preview.recipe)
    _print_findings(dataset, findings_of(dataset, preview=preview), as_json)


@data.command()
@click.argument("name")
@as_json
def remove(name: str, as_json: bool) -> None:
    """Delete a prepared data set; the file it was made from stays."""
    from kernlab.data.tables import remove

    remove(name)
    report({"removed": name}, f"{name} is removed.", as_json)


def _finished(stored: Stored | None, stopped: str, as_json: bool) -> None:
    if stored is None:
        note(stopped)
        raise SystemExit(130)
    for each in stored.notes:
        note(each)
    report(_as_dict(stored), f"{stored.name}: {stored.rows:,} rows, {stored.features:,} features, {stored.task}. "
           f"Train on it: kernlab train --method ASKL --dataset {json.dumps(stored.name)}", as_json)  # fmt: skip


def _document(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise OptionError("--recipe must be a file of JSON", f"{path}: {error}", "correct the file") from None


def _as_dict(stored: Stored) -> dict[str, Any]:
    made = stored.made
    return {"name": stored.name, "task": stored.task, "rows": stored.rows, "features": stored.features,
            "notes": list(stored.notes), "file": made.get("file"), "bytes": made.get("bytes"),
            "sha256": made.get("sha256"), "time": made.get("time"), "recipe": made.get("recipe"),
            "path": str(stored.path)}  # fmt: skip


def _print_preview(preview: TablePreview, recipe: Any) -> None:
    """What was understood, to standard error."""
    reading = ", ".join(f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in
                        preview.reading.to_dict().items())  # fmt: skip
    about = "" if preview.exact else "about "
    click.echo(f"{preview.upload.name}: {about}{preview.rows:,} rows, {len(preview.columns):,} columns ({reading}).",
               err=True)  # fmt: skip
    for each in preview.notes:
        note(each)
    note(f"target {', '.join(recipe.targets) or '–'}, {recipe.task}; missing values: {recipe.missing}; "
         f"categories: {recipe.categories}")  # fmt: skip
    rows = [[each.name[:40], recipe.kinds.get(each.name, "drop"), str(each.missing), str(each.distinct),
             ", ".join(each.examples)[:60], each.note] for each in preview.columns[:60]]  # fmt: skip
    with redirect_stdout(sys.stderr):
        print_table(["column", "kind", "missing", "distinct", "examples", "note"], rows)
    if len(preview.columns) > 60:
        note(f"and {len(preview.columns) - 60:,} more columns")


def _print_findings(dataset: Any, found: tuple[Finding, ...], as_json: bool) -> None:
    if as_json:
        print_json({"name": dataset.name, "task": dataset.task, "rows": dataset.n, "features": dataset.d,
                    "warnings": list(dataset.warnings), "findings": [each._asdict() for each in found]})  # fmt: skip
        return
    click.echo(f"{dataset.name}: {dataset.n:,} rows, {dataset.d:,} features, {dataset.task}")
    for each in found:
        click.echo(f"{each.kind}: {each.sentence}")
    if not found:
        click.echo("Nothing stands out.")


@contextmanager
def _stoppable() -> Iterator[tuple[Callable[[Any], None], Callable[[], bool]]]:
    """A reporter of progress on standard error, and whether Ctrl-C was pressed."""
    from kernlab.training.control import Control

    control, last = Control(), [-1]

    def progress(at: Any) -> None:
        tenth = int(10 * at.share)
        if tenth != last[0]:
            last[0] = tenth
            left = f", about {at.remaining:.0f} s left" if at.remaining else ""
            note(f"{at.phase}: {100 * at.share:.0f} %{left}")

    with stoppable(control, "stopping", "ended at once"):
        yield progress, lambda: control.cancelled

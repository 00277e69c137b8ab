"""``kernlab runs``: the stored runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from kernlab.cli.base import as_json, cli, open_store, parsed_settings
from kernlab.cli.printing import note, print_json, print_rows, report
from kernlab.cli.train import print_summary, trained
from kernlab.errors import OptionError, StoreError

__all__ = ["runs"]


@cli.group()
def runs() -> None:
    """The stored runs: list, show, figure, export, import, delete, resume, check."""


@runs.command("list")
@click.option("--text", default="", help="Only runs with this in their id, name, note, method or data set.")
@click.option("--method", help="Only runs of this method.")
@click.option("--dataset", help="Only runs on this data set.")
@click.option("--status", help="Only runs of this status.")
@click.option("--deleted", is_flag=True, help="The deleted runs, which can be brought back.")
@as_json
def list_(as_json: bool, **chosen: Any) -> None:
    """List runs, newest first."""
    found = open_store().list(**chosen)
    rows = [
        {
            **{key: getattr(run, key) for key in ("id", "name", "method", "dataset", "seed", "status", "step")},
            "test_metric": run.summary.get("test_metric"),
            "metric": run.summary.get("metric"),
            "created": datetime.fromtimestamp(run.created).isoformat(timespec="seconds"),
            "starred": run.starred,
            "resumable": run.resumable,
            "damage": list(run.damage),
        }
        for run in found
    ]
    if not (rows or as_json):
        click.echo("No runs. Try: kernlab train --method ASKL --dataset digits")
        return
    print_rows(rows, ("id", "name", "status", "step", "test_metric", "created"), as_json)
    for run in found:
        if run.trouble and not as_json:
            note(f"kernlab: {run.trouble}")


@runs.command()
@click.argument("run_id")
@as_json
def show(run_id: str, as_json: bool) -> None:
    """Show one run: its options, facts, last metrics and result."""
    from kernlab.spec import RunSpec

    store = open_store()
    run = store.get(run_id)
    if run.trouble:
        note(f"kernlab: {run.trouble}")
    curves = store.metrics(run_id).curves
    last = {name: float(curve.values[-1]) for name, curve in curves.items() if len(curve.values)}
    if as_json:
        whole = ("note", "spec", "resolved", "facts", "versions", "step", "seconds")
        print_json({
            **{key: getattr(run, key) for key in ("id", "name", "status", "error")},
            "damage": list(run.damage),
            **{key: getattr(run, key) for key in whole},
            "notes": [asdict(each) for each in store.pinned(run_id)],
            "snapshots": [int(step) for step in store.snapshots(run_id).steps],
            "last": last,
            "summary": run.summary,
        })  # fmt: skip
        return
    click.echo(f"{run.name}  [{run.status}]  step {run.step}, {run.seconds:.1f} s")
    if run.spec:
        click.echo(RunSpec.from_dict(run.spec).command())
    for text in filter(None, (run.error, run.note)):
        click.echo(text)
    for each in store.pinned(run_id):
        click.echo(f"at {each.epoch:.4g}: {each.text}")
    for name, value in sorted(last.items()):
        click.echo(f"  {name:<24} {value:.6g}")


@runs.command()
@click.argument("run_id")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default RUN_ID.zip here.")
@as_json
def export(run_id: str, out: Path | None, as_json: bool) -> None:
    """Write a whole run into one file."""
    path = out / f"{run_id}.zip" if out and out.is_dir() else out or Path(f"{run_id}.zip")
    open_store().export(run_id, path)
    report({"id": run_id, "file": str(path)}, f"{run_id} -> {path}", as_json)


@runs.command("figure")
@click.argument("run_id")
@click.argument("picture", required=False)
@click.option("--all", "every", is_flag=True, help="All pictures that the run has, into the folder --out.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write (.html, .json, .csv, .svg or .png; "
              "default PICTURE.html here); with --all a folder.")  # fmt: skip
@click.option("--format", "kind", type=click.Choice(["html", "json", "csv", "svg", "png"]), default="html",
              show_default=True, help="Of the files that --all writes.")  # fmt: skip
@click.option("--at", metavar="EPOCH", help="The moment, in epochs (or full-batch steps); default: the newest.")
@click.option("--set", "settings", multiple=True, metavar="SWITCH=VALUE",
              help="A switch of the view, such as reference=0 or look='principal direction 2'.")  # fmt: skip
@as_json
def figure_(
    run_id: str, picture: str | None, every: bool, out: Path | None, kind: str, at: str | None,
    settings: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Write a picture of a run, or all of them, as files. Without PICTURE and --all the names of its pictures."""
    from kernlab.pictures.files import save
    from kernlab.pictures.gallery import PICTURES, picture_for, seen
    from kernlab.pictures.recorded import RecordedRun

    if every and picture:
        raise OptionError("--all draws every picture, so no picture may be named", picture)
    switches = parsed_settings(settings, "SWITCH=VALUE", "reference=0")
    store = open_store()
    run = RecordedRun(store, store.get(run_id).id)
    run.refresh()
    shown = seen(run, switches | ({} if at is None else {"at": at}))
    fitting = [each for each in PICTURES.values() if each.fits(shown)]
    if not every and not picture:
        rows = [{"picture": each.key, "shows": each.alt, "switches": list(each.uses)} for each in fitting]
        width = max((len(each.key) for each in fitting), default=0)
        lines = "\n".join(f"{each.key:{width}}  {each.alt}" for each in fitting)
        report(rows, lines, as_json)
        return
    if every:
        folder = out or Path(f"{run_id}-figures")
        files = {each.key: folder / f"{each.key}.{kind}" for each in fitting}
    else:
        chosen = picture_for(str(picture), shown)
        files = {chosen.key: out or Path(f"{chosen.key}.{kind}")}
    for key, path in files.items():
        save(PICTURES[key].make(shown), path, height=PICTURES[key].height)
    document = {"id": run_id, "step": shown.moment.step, "epoch": shown.moment.epoch,
                "files": {key: str(path) for key, path in files.items()}}  # fmt: skip
    report(document, "\n".join(f"{key} -> {path}" for key, path in files.items()), as_json)


@runs.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@as_json
def import_(file: Path, as_json: bool) -> None:
    """Import a run that was exported, on this machine or another."""
    run_id = open_store().import_(file)
    report({"id": run_id}, f"{file} -> {run_id}", as_json)


@runs.command()
@click.argument("run_id")
@click.option("--undo", is_flag=True, help="Bring a deleted run back.")
@click.option("--purge", is_flag=True, help="Remove its files for good.")
@as_json
def delete(run_id: str, undo: bool, purge: bool, as_json: bool) -> None:
    """Delete a run (it can be brought back until it is purged)."""
    store = open_store()
    if undo and purge:
        raise OptionError("--undo and --purge exclude each other", "both")
    state = "restored" if undo else "purged" if purge else "deleted"
    (store.restore if undo else store.purge if purge else store.delete)(run_id)
    report({"id": run_id, "state": state}, f"{run_id} {state}", as_json)


@runs.command()
@click.argument("run_id")
@as_json
def resume(run_id: str, as_json: bool) -> None:
    """Go on with a stopped, interrupted or failed run from its last checkpoint (from its start if it left none)."""
    from kernlab.spec import RunSpec

    store = open_store()
    run = store.get(run_id)
    if run.trouble:
        raise run.trouble
    if not run.resumable:
        raise StoreError("only a stopped, interrupted or failed run can go on", f"{run.name} is {run.status}")
    spec = RunSpec.from_dict(run.resolved or run.spec)  # it keeps the values that the rules chose at its start
    print_summary(trained(spec, store=store, run_id=run_id, resume=store.checkpoint(run_id)), as_json)


@runs.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended; replaced files are kept in the folder aside.")
@as_json
def check(repair: bool, as_json: bool) -> None:
    """Check the database, the records and the files of all runs.

    Ends with code 0 if everything is whole or has been mended, and with code 1 otherwise. Without --repair nothing is
    changed. A repair deletes nothing: it takes a wrong record from its copy in the run's folder or
    from its other columns, enters folders again that the database has lost, copies a damaged database into a new one,
    and moves what it replaces to the folder aside/TIME of the store. A run that a process works on is left alone.
    """
    from kernlab.runs.check import check

    found = check(repair=repair)
    lines = [*found.notes]
    for each in found.troubles:
        state = "mended" if each.mended else "to mend with --repair" if each.repair else "cannot be mended"
        how = f": {each.repair}" if each.repair else ""
        lines.append(f"{each.run or 'store'}: {each.what}: {each.why}. {state.capitalize()}{how}.")
    if found.aside:
        lines.append(f"Replaced files lie in {found.aside}.")
    words = f"{len(found.troubles)} troubles" if found.troubles else "everything is whole"
    if mended := sum(each.mended for each in found.troubles):
        words += f", {mended} of them mended"
    lines.append(f"{found.runs} runs in {found.store}: {words}.")
    troubles = [each._asdict() for each in found.troubles]
    document: Mapping[str, Any] = {**found._asdict(), "troubles": troubles, "whole": found.whole}
    report(document, "\n".join(lines), as_json)
    if not found.whole:
        raise SystemExit(1)

"""``kernlab reproduce``: published results computed anew, beside the printed ones."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from kernlab.cli.base import as_json, cli, names
from kernlab.cli.compare import computed, computing, failures, flags, rule_of_baselines, searching, tuning_of
from kernlab.cli.printing import note, print_json, print_rows, print_table, spread, to_json, word, write_files
from kernlab.errors import OptionError, UnknownNameError


@cli.command()
@click.argument("name")
@click.option("--datasets", default="", help="Only these, separated by commas; default: all that are at hand.")
@click.option("--methods", default="", help="Only these, or others, separated by commas.")
@click.option("--repeats", type=click.IntRange(1), help="Splits or draws; default: 30 for a table, else 1.")
@click.option("--seed", default=0, show_default=True, type=int, help="Of the first split or draw.")
@searching("of the whole table by the clock, shared evenly by its cells (kernlab compare: of a cell)")
@computing
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Also write the table to this folder.")
@as_json
@click.pass_context
def reproduce(context: click.Context, /, name: str, out: Path | None, as_json: bool, **given: Any) -> None:
    """Reproduce a published comparison and print our figures beside the published ones.

    askl-table2, fks-table2 and fks-table3 are comparisons on the same splits as those of kernlab compare: the same
    command resumes a stopped one, and a finished cell is never computed twice. lkrf-examples and
    di-figures have --datasets, --repeats and --seed only.
    """
    from kernlab.compare.tables import to_csv
    from kernlab.papers import REPRODUCTIONS, TABLES

    given |= {key: names(given[key]) for key in ("datasets", "methods")}
    if name in TABLES:
        _table(name, out, as_json, **given)
        return
    if name not in REPRODUCTIONS:
        raise UnknownNameError.among("reproduction", name, [*TABLES, *REPRODUCTIONS])
    typed = {key for key in given if context.get_parameter_source(key) is click.core.ParameterSource.COMMANDLINE}
    run = REPRODUCTIONS[name].run
    known = [key for key in given if key in inspect.signature(run).parameters]
    if other := sorted(typed.difference(known)):
        raise OptionError(f"{name} has the options {flags(known)}, --out and --json", flags(other), "drop the others")
    chosen = {key: given[key] for key in known if key in typed}
    rows = run(note, **chosen)
    if out:
        write_files(out, {f"{name}.json": to_json(rows), f"{name}.csv": to_csv(rows)})
    if as_json:
        print_json({"reproduction": name, "repeats": 1, "seed": 0, **chosen, "rows": rows})
    else:
        print_rows(rows, list(dict.fromkeys(key for row in rows for key in row)), as_json)


def _table(
    name: str, out: Path | None, as_json: bool, *, datasets: Sequence[str], methods: Sequence[str],
    repeats: int | None, seed: int, **how: Any,
) -> None:  # fmt: skip
    """A printed table of many data sets, as an ordinary comparison."""
    from kernlab.compare.summary import CONSTANT, summarise
    from kernlab.compare.tables import to_csv, to_latex_published, to_long_csv
    from kernlab.papers.tables import REPEATS, TABLES, beside, comparison_of, printed

    began = time.perf_counter()
    tuning = tuning_of(how)
    budget = tuning.seconds if tuning else None
    comparison = comparison_of(
        name, datasets=datasets, methods=methods, repeats=repeats or REPEATS, seed=seed, tuning=tuning, budget=budget,
        workers=1 if budget is None else _at_a_time(how["backend"], how["workers"]),
    )  # fmt: skip
    about = TABLES[name]
    compared = [spec.dataset for spec in comparison.datasets]
    left_out = [] if datasets else [each for each in about.datasets if each not in compared]
    note(f"{name}: {about.protocol}")
    if left_out:
        note(f"left out, since they are not at hand: {', '.join(left_out)}")
    if budget is not None and comparison.tuning:
        note(f"{comparison.tuning.seconds:.3g} s of tuning in each cell")
    records = computed(comparison, name=name, **how)
    rows = beside(name, records)
    seconds = {
        "tuning": sum(record.tuning_seconds for record in records),
        "training": sum(record.seconds for record in records),
        "clock": time.perf_counter() - began,
    }
    document = {
        "reproduction": name, "protocol": about.protocol, "repeats": comparison.repeats, "seed": seed, "budget": budget,
        "tuning": comparison.to_dict()["tuning"], "baselines": rule_of_baselines(comparison.tuning),
        "left_out": left_out, "rows": rows, "seconds": seconds,
    }  # fmt: skip
    if out:
        summary = summarise(records, methods=comparison.methods, published=printed(name))
        write_files(out, {
            f"{name}.json": to_json(document),
            f"{name}.csv": to_csv(rows),
            f"{name}.tex": to_latex_published(summary, label=f"tab:{name}"),
            f"{name}-cells.csv": to_long_csv(records),
        })  # fmt: skip
    if as_json:
        print_json(document)
    else:
        _print_beside(rows)
        click.echo(
            f"{seconds['tuning']:.1f} s of tuning and {seconds['training']:.1f} s of training in all cells together; "
            f"this command took {seconds['clock']:.1f} s."
        )
    if all(record.status == "failed" for record in records if record.cell["method"] != CONSTANT):
        raise SystemExit(1)


def _at_a_time(backend: str, workers: int | None) -> int:
    """Number of cells that are computed at the same time and share a budget of wall-clock seconds."""
    from kernlab.devices import cores

    if backend == "here":
        return 1
    if backend == "dask" and not workers:
        fix = "say with --workers how many processes the cluster has"
        raise OptionError("a budget is shared by processes that are computing at the same time", "no --workers", fix)
    return workers or cores()


_UNITS = {
    "accuracy": "accuracy in %",
    "rmse": "RMSE, targets in [0,100]",
    "mse": "MSE, targets in [0,1]",
    "train_seconds": "seconds of training",
}


def _print_beside(rows: Sequence[Mapping[str, Any]]) -> None:
    beats = {True: "better", False: "not better", None: ""}
    for (dataset, metric), group in groupby(rows, key=lambda row: (row["dataset"], row["metric"])):
        found = list(group)
        timed, tuned = metric == "train_seconds", any(row["tuning_seconds"] for row in found)
        splits = max(row["n"] for row in found)
        click.echo(f"{dataset}: {_UNITS.get(metric, metric)}, {splits} split{'s' * (splits != 1)}")
        keys = ["times", "published_times"] if timed else ["seconds"]
        headings = ["ours / FKS", "published / FKS"] if timed else ["seconds"]
        if tuned:
            keys, headings = [*keys, "tuning_seconds"], [*headings, "tuning"]
        cells = []
        for row in found:
            failed = f"{row['failed']} failed" if row["failed"] else ""
            figures = [spread(row["mean"], row["std"]), spread(row["published_mean"], row["published_std"])]
            remarks = ", ".join(filter(None, [row["mark"], beats[row["beats"]], failed]))
            cells.append([row["method"], *figures, *(word(row[key]) for key in keys), remarks])
        print_table(["method", "ours", "published", *headings, ""], cells)
        failures(message for row in found for message in row["messages"])
        click.echo()

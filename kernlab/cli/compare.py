"""``kernlab compare``, and what ``kernlab reproduce`` shares with it: searching for settings and computing cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from kernlab.cli.base import Command, as_json, cli, names, options, parsed_settings
from kernlab.cli.printing import note, print_json, print_table, spread, word, write_files
from kernlab.cli.stopping import stoppable
from kernlab.errors import OptionError

if TYPE_CHECKING:
    from kernlab.compare import Comparison, Record, Tuning
    from kernlab.compare.summary import Summary

__all__ = [
    "computed",
    "computing",
    "failures",
    "flags",
    "print_comparison",
    "rule_of_baselines",
    "searching",
    "tuning_of",
]


def searching(budget_of: str) -> Callable[[Command], Command]:
    """The options that say how settings are searched; see :func:`tuning_of`."""
    return options(
        click.option("--tune", is_flag=True, help="Search each method's hyper-parameters inside each training part."),
        click.option("--trials", type=int, help="Settings tried in a cell at most; default 20."),
        click.option("--budget", type=float, help=f"Seconds of tuning {budget_of}; baselines: at least 20 settings."),
        click.option("--search", type=click.Choice(["bayes", "halving", "grid"]), help="How settings are searched."),
        click.option("--folds", type=int, help="Folds of the cross-validation inside; 1: a held-out fifth."),
    )


def tuning_of(given: dict[str, Any]) -> Tuning | None:
    """Take the options of :func:`searching` out of those of a command."""
    from kernlab.compare import Tuning

    tune = given.pop("tune")
    values = {key: given.pop(key) for key in ("trials", "budget", "search", "folds")}
    values = {key: value for key, value in values.items() if value is not None}
    if values and not tune:
        raise OptionError("--trials, --budget, --search and --folds say how to tune", flags(values), "add --tune")
    return Tuning(seconds=values.pop("budget", None), **values) if tune else None


def computing(command: Command) -> Command:
    """The options that say where cells are computed; the arguments of :func:`computed`."""
    return options(
        click.option("--backend", default="local", show_default=True, type=click.Choice(["local", "dask", "here"]),
                     help="local: one process for each core; dask: a cluster; here: this process."),
        click.option("--address", help="Of the Dask scheduler: tcp://HOST:8786."),
        click.option("--workers", type=int, help="Processes of the local backend; default: one for each core."),
        click.option("--retry", is_flag=True, help="Compute cells again that have failed."),
    )(command)  # fmt: skip


def flags(keys: Iterable[str]) -> str:
    """Options as a user types them."""
    return ", ".join(f"--{key}" for key in keys)


@cli.command()
@click.option("--methods", default="SK,NSK,SKL,NSKL,ASKL", show_default=True,
              help="Methods and baselines (constant, svm-rbf, boosting ...), separated by commas.")  # fmt: skip
@click.option("--dataset", "--datasets", "datasets", default="digits", show_default=True,
              help="Data sets, separated by commas.")  # fmt: skip
@click.option("--repeats", default=10, show_default=True, type=int, help="Splits of each data set.")
@click.option("--test-size", type=float, help="Share of the rows held out for testing; default 0.2.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE",
              help="An option for all methods that have it (METHOD.KEY=VALUE: for that one); "
              "may be repeated.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=int, help="Of the first split.")
@searching("of a cell (kernlab reproduce: of a whole table)")
@click.option("--device", default="cpu", show_default=True, help="auto, cpu, cuda or mps.")
@computing
@click.option("--level", default=0.05, show_default=True, type=float, help="Of the significance test.")
@click.option("--test", default="paired", show_default=True, type=click.Choice(["paired", "corrected"]),
              help="Paired t-test, or the one corrected for splits that share rows.")  # fmt: skip
@click.option("--name", default="", help="What to call the comparison.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Also write CSV, LaTeX and JSON here.")
@as_json
def compare(
    methods: str, datasets: str, repeats: int, test_size: float | None, settings: tuple[str, ...], seed: int,
    device: str, level: float, test: Literal["paired", "corrected"], name: str, out: Path | None, as_json: bool,
    **how: Any,
) -> None:  # fmt: skip
    """Compare methods on the same splits. The same command resumes a stopped comparison."""
    from kernlab.compare import tables
    from kernlab.compare.summary import summarise
    from kernlab.compare.written import assemble

    tuning = tuning_of(how)
    chosen: dict[str, Any] = parsed_settings(settings) | ({} if test_size is None else {"test_size": test_size})
    comparison = assemble(
        names(methods), names(datasets), chosen, repeats=repeats, tuning=tuning, seed=seed, device=device
    )
    summarise((), level=level)  # refuses a wrong level before anything is computed
    records = computed(comparison, name=name, **how)
    summary = summarise(records, methods=names(methods), test=test, level=level)
    if out:
        write_files(out, {
            "comparison.csv": tables.to_wide_csv(summary),
            "comparison.tex": tables.to_latex(summary),
            "comparison.json": tables.to_json(summary),
            "costs.tex": tables.to_latex_costs(summary),
            "cells.csv": tables.to_long_csv(records),
        })  # fmt: skip
    if as_json:
        print_json({"comparison": comparison.to_dict(), "test": test, "level": level, "note": summary.note,
                    "baselines": rule_of_baselines(tuning), "rows": _rows(summary, records)})  # fmt: skip
    else:
        print_comparison(summary)
    if all(record.status == "failed" for record in records):
        raise SystemExit(1)


def rule_of_baselines(tuning: Tuning | None) -> str:
    """The rule by which baselines are searched longer than methods, if there is a limit in seconds."""
    from kernlab.compare.baselines import LEAST

    return LEAST if tuning and tuning.seconds is not None else ""


def computed(comparison: Comparison, **how: Any) -> Sequence[Record]:
    """Compute the missing cells and print the progress.

    Raises:
        SystemExit: it was stopped (code 130); finished cells are kept.
    """
    from kernlab.compare.run import Computed, Done, Planned, compare
    from kernlab.training.control import Control

    control = Control()
    again = "the same command goes on from here"
    first = "stopping after the cells under way; a second Ctrl-C drops them and ends at once"
    with stoppable(control, first, f"dropped what was under way; {again}"):
        for event in compare(comparison, stop=lambda: control.cancelled, **how):
            if isinstance(event, Planned):
                total, done = len(event.cells), len(event.records)
                note(f"{total} cells, {done} of them known" if done else f"{total} cells")
            elif isinstance(event, Computed):
                done += 1
                note(f"{done}/{total}  {_outcome(event.record)}")
            elif isinstance(event, Done) and event.complete:
                return event.records
    note(f"stopped with {done} of {total} cells; {again}")
    raise SystemExit(130)


def _outcome(record: Record) -> str:
    where = f"{record.cell['method']} on {record.cell['data']['dataset']}, seed {record.cell['seed']}: "
    if record.status == "failed":
        return where + record.message
    unit = " %" if record.metric == "accuracy" else ""
    tuned = f" and {record.tuning_seconds:.1f} s of tuning" if record.trials else ""
    return f"{where}{record.metric} {record.test:.4g}{unit}, {record.seconds:.1f} s{tuned}"


def _rows(summary: Summary, records: Sequence[Record]) -> list[dict[str, Any]]:
    """For each data set a row for each method and one for the constant predictor."""
    rows = []
    for table in summary.tables:
        place = {"dataset": table.dataset, "metric": table.metric, "seeds": table.splits}
        rows += [{**place, **row.to_dict()} for row in table.rows if row.method != "constant"]
        values = {
            record.cell["seed"]: record.constant
            for record in records
            if record.cell["data"]["dataset"] == table.dataset and record.constant is not None
        }
        constant = {"mean": table.constant, "std": table.constant_std, "values": list(values.values())}
        rows.append({**place, "method": "constant", **constant, "best": False, "not_worse": False, "better": False,
                     "seconds": 0.0})  # fmt: skip
    return rows


def print_comparison(summary: Summary) -> None:
    """Print a table for each data set, and what its marks mean."""
    for table in summary.tables:
        unit = "accuracy in %" if table.metric == "accuracy" else table.metric
        click.echo(f"{table.dataset}: {unit}, {table.n_train} rows to train on, {table.n_test} to test on")
        rows = []
        for row in table.rows:
            mark = "best" if row.best else "better" if row.better else "not worse" if row.not_worse else ""
            measured = [word(row.measured[column.key]) for column in summary.columns]
            failed = [f"{row.failed} failed"] if row.failed else []
            rows.append([row.method, spread(row.mean, row.std), mark, word(row.p), *measured, *failed])
        if all(row.method != "constant" for row in table.rows):
            rows.append(["constant", spread(table.constant, table.constant_std)])
        print_table(["method", "mean ± std", "", "p", *(column.short for column in summary.columns), ""], rows)
        failures(message for row in table.rows for message in row.messages)
        for remark in table.remarks():
            click.echo(remark)
        click.echo()
    click.echo(summary.note)


def failures(messages: Iterable[str]) -> None:
    """Print each reason for failed cells once."""
    for message in dict.fromkeys(messages):
        click.echo(f"failed: {message} (--retry computes it again)")

"""The ``kernlab`` command.

With ``--json`` one JSON document goes to standard output and nothing else does; progress and errors go
to standard error. A user's mistake ends with code 2 and a sentence, a run that failed with code 1, an
interrupted one with code 130. Heavy imports happen inside the commands, so that ``--help`` is instant.
"""

from __future__ import annotations

import inspect
import json
import math
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from kernlab import __version__
from kernlab.errors import KernlabError, OptionError, UnknownNameError

if TYPE_CHECKING:
    from kernlab.compare import Comparison, Record, Tuning
    from kernlab.compare.summary import Summary
    from kernlab.runs.store import Store
    from kernlab.spec import RunSpec
    from kernlab.training.control import Control
    from kernlab.training.events import Checkpoint, Event

__all__ = ["main"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on standard output.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: run the command, and turn a user's mistake into a sentence and exit code 2."""
    try:
        code = cli.main(args=arguments, prog_name="kernlab", standalone_mode=False)
    except KernlabError as error:
        click.echo(f"kernlab: {error}", err=True)
        code = 2
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:  # the reader of our output has gone (kernlab runs list | head)
        sys.stderr.close()
        code = 0
    sys.exit(code if isinstance(code, int) else 0)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kernlab")
def cli() -> None:
    """See kernel learning: train, watch and compare spectral kernels."""


# -- the app ----------------------------------------------------------------------------------------------------


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8501, show_default=True, type=int, help="Port to listen on.")
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the default browser.")
def app(host: str, port: int, browser: bool) -> None:
    """Open the app."""
    from kernlab.ui.server import serve

    serve(host, port, browser)


# -- lists ------------------------------------------------------------------------------------------------------


@cli.command()
@click.option("--markdown", is_flag=True, help="As the table in the README.")
@as_json
def methods(markdown: bool, as_json: bool) -> None:
    """List the named methods."""
    from kernlab.methods import METHODS

    rows = [
        {
            "name": name,
            "title": spec.title,
            "feature_map": spec.feature_map.name,
            "learned": spec.learned,
            "objective": spec.objective.name if spec.objective else "auto",
            "regularizers": [r.name for r in spec.regularizers],
            "solver": spec.solver.name,
            "heads": [head.name for head in spec.heads],
            "source": spec.source,
            "options": {key: opt._asdict() for key, opt in spec.schema().items()},
        }
        for name, spec in METHODS.items()
    ]
    if as_json:
        _print_json(rows)
        return
    if markdown:
        columns: tuple[str, ...] = (
            "name",
            "feature_map",
            "learned",
            "objective",
            "regularizers",
            "solver",
            "heads",
            "title",
            "source",
        )
        click.echo("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
        for row in rows:
            click.echo("| " + " | ".join(_word(row[c]) for c in columns) + " |")
        return
    columns = ("name", "title", "feature_map", "learned", "objective", "solver", "heads", "source")
    _table(columns, [[_word(row[c]) for c in columns] for row in rows])


@cli.command()
@click.option("--all", "missing", is_flag=True, help="Also those that are known but whose files are not here.")
@as_json
def datasets(missing: bool, as_json: bool) -> None:
    """List the data sets that can be used here."""
    from kernlab.data import known

    rows = [each._asdict() for each in known(missing)]
    if as_json:
        _print_json(rows)
        return
    columns = ("name", "task", "group", "rows", "features", "classes", "description")
    _table(columns, [[_word(row[c]) for c in columns] for row in rows])


# -- training ---------------------------------------------------------------------------------------------------


@cli.command()
@click.option("--method", default="ASKL", show_default=True, help="A named method (kernlab methods).")
@click.option("--dataset", default="digits", show_default=True, help="A data set (kernlab datasets).")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change an option; may be repeated.")
@click.option("--epochs", type=str, help="Short for --set epochs=N.")
@click.option("--seed", default=0, show_default=True, type=int, help="Decides split, frequencies and mini-batches.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or mps.")
@click.option("--name", help="What to call the run.")
@click.option("--keep/--no-keep", default=True, show_default=True, help="Keep the run where the app shows it.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Also save the model to this file.")
@as_json
def train(
    method: str,
    dataset: str,
    settings: tuple[str, ...],
    epochs: str | None,
    seed: int,
    device: str,
    name: str | None,
    keep: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Train one method on one data set."""
    from kernlab.spec import RunSpec

    options = _settings(settings)
    if epochs is not None:
        options["epochs"] = epochs
    spec = RunSpec.of(method, dataset, seed=seed, device=device, **options)
    summary = _train(spec, store=_store() if keep else None, name=name, out=out)
    _report(summary, as_json)


def _settings(settings: Sequence[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for each in settings:
        key, sign, value = each.partition("=")
        if not sign or not key.strip():
            raise OptionError("--set must be KEY=VALUE", repr(each), "write for example --set n_features=500")
        options[key.strip()] = value.strip()
    return options


def _train(
    spec: RunSpec,
    *,
    store: Store | None,
    name: str | None = None,
    run_id: str | None = None,
    resume: Checkpoint | None = None,
    out: Path | None = None,
) -> Mapping[str, Any]:
    """Train in the foreground and return the summary; the run is entered once it has really started."""
    from kernlab.model import Model
    from kernlab.training.control import Control
    from kernlab.training.events import Cancelled, Failed, Finished, Started
    from kernlab.training.trainer import train

    if out and not out.resolve().parent.is_dir():
        raise OptionError("--out must name a file in a folder that is there", out)
    control = Control()
    writer = None
    with _interruptible(control), ExitStack() as kept:
        for event in train(spec, control=control, resume=resume):
            if store and writer is None and isinstance(event, Started):
                run_id = run_id or store.create(spec.to_dict(), name)
                writer = kept.enter_context(store.writer(run_id))
                click.echo(f"run {run_id}", err=True)
            if writer:
                writer.write(event)
            _progress(event)
            if isinstance(event, Finished):
                if out:
                    Model.from_arrays(event.model, event.meta).save(out)
                return {"run": run_id, **event.summary}
            if isinstance(event, Failed):
                click.echo(f"kernlab: {event.message}", err=True)
                raise SystemExit(1)
            if isinstance(event, Cancelled):
                again = f"; kernlab runs resume {run_id} goes on from here" if writer else ""
                click.echo(f"stopped at step {event.step}{again}", err=True)
                raise SystemExit(130)
    raise AssertionError("the training ended without a final event")


@contextmanager
def _interruptible(control: Control) -> Iterator[None]:
    """Ctrl-C (or a polite kill) stops between two mini-batches and keeps a checkpoint; a second one stops at once."""

    def stop(number: int, _: object) -> None:
        if control.cancelled:
            raise KeyboardInterrupt
        control.cancel()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _progress(event: Event) -> None:
    from kernlab.runs.kept import kept
    from kernlab.training.events import Evaluated, Kept, Started

    if isinstance(event, Started):
        facts = event.facts
        choosing = f" ({held} do not train but choose how long)" if (held := facts["n_held"]) else ""
        click.echo(
            f"{event.spec['method']['name']} on {event.spec['data']['dataset']}: {facts['n_train']} rows{choosing}, "
            f"{'at most ' if held else ''}{facts['total_steps']} steps, {facts['device']}"
            f"{', compiled' if facts['compiled'] else ''}",
            err=True,
        )
    elif isinstance(event, Kept) and (found := kept(event.facts)):
        again = f"{found.epoch} epoch{'s' * (found.epoch != 1)}" if found.epoch else "the head alone"
        click.echo(f"{found.sentence}; now {again} on all rows", err=True)
    elif isinstance(event, Evaluated):
        names = {"train_metric": "train", "test_metric": "test", "train_loss": "loss"}
        names |= {"validation_metric": "held-out", "assigned_validation_metric": "held-out, assigned map"}
        words = [f"{word} {event.metrics[name]:<8.4g}" for name, word in names.items() if name in event.metrics]
        click.echo(f"epoch {event.epoch:6.2f}   {' '.join(words).rstrip()}", err=True)


def _report(summary: Mapping[str, Any], as_json: bool) -> None:
    from kernlab.runs.kept import kept

    if as_json:
        _print_json(summary)
        return
    unit = " %" if summary["metric"] == "accuracy" else ""
    rows = [
        (summary["metric"], f"{summary['test_metric']:.4g}{unit} test, {summary['train_metric']:.4g}{unit} train"),
        ("constant", f"{summary['constant']:.4g}{unit}"),
        ("objective", f"{summary['objective']:.4g}"),
        ("steps", f"{summary['steps']} in {summary['seconds']:.1f} s on {summary['device']}"),
    ]
    if found := kept(summary):
        rows.append(("kept", found.sentence.removeprefix("kept: ")))
    if "total" in summary["bound"]:
        rows.insert(3, ("bound", f"{summary['bound']['total']:.4g} (measured gap {summary['bound']['gap']:.4g})"))
    for head, found in summary.get("heads", {}).items():
        rows.append((head, f"{found['test_metric']:.4g}{unit} test, {found['train_metric']:.4g}{unit} train"))
    if summary.get("run"):
        rows.append(("run", summary["run"]))
    for key, value in rows:
        click.echo(f"{key:<10} {value}")


# -- comparing --------------------------------------------------------------------------------------------------


def _searching(budget_of: str) -> Callable[[_Command], _Command]:
    """The options that say how settings are searched."""
    return _all(
        click.option("--tune", is_flag=True, help="Search each method's hyper-parameters inside each training part."),
        click.option("--trials", type=int, help="Settings tried in a cell at most; default 20."),
        click.option("--budget", type=float, help=f"Seconds of tuning {budget_of}; baselines: at least 20 settings."),
        click.option("--search", type=click.Choice(["bayes", "halving", "grid"]), help="How settings are searched."),
        click.option("--folds", type=int, help="Folds of the cross-validation inside; 1: a held-out fifth."),
    )


def _computing(command: _Command) -> _Command:
    """The options that say where cells are computed."""
    return _all(
        click.option(
            "--backend",
            default="local",
            show_default=True,
            type=click.Choice(["local", "dask", "here"]),
            help="local: a process a core; dask: a cluster; here: this process.",
        ),
        click.option("--address", help="Of the Dask scheduler: tcp://HOST:8786."),
        click.option("--workers", type=int, help="Processes of the local backend; default: one a core."),
        click.option("--retry", is_flag=True, help="Compute cells again that failed before."),
    )(command)


def _all(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Several options as one decorator, in the order in which ``--help`` lists them."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@cli.command()
@click.option(
    "--methods",
    "methods_",
    default="SK,NSK,SKL,NSKL,ASKL",
    show_default=True,
    help="Methods and baselines (constant, svm-rbf, boosting ...), separated by commas.",
)
@click.option(
    "--dataset", "--datasets", "datasets_", default="digits", show_default=True, help="Data sets, separated by commas."
)
@click.option("--repeats", default=10, show_default=True, type=int, help="Splits of each data set.")
@click.option("--test-size", type=float, help="Share of the rows held out for testing; default 0.2.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option for all methods that have it (METHOD.KEY=VALUE: for that one); may be repeated.",
)
@click.option("--seed", default=0, show_default=True, type=int, help="Of the first split.")
@_searching("of a cell (kernlab reproduce: of a whole table)")
@click.option("--device", default="cpu", show_default=True, help="auto, cpu, cuda or mps.")
@_computing
@click.option("--level", default=0.05, show_default=True, type=float, help="Of the significance test.")
@click.option(
    "--test",
    default="paired",
    show_default=True,
    type=click.Choice(["paired", "corrected"]),
    help="Paired t-test, or the one corrected for splits that share rows.",
)
@click.option("--name", default="", help="What to call the comparison.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Also write CSV, LaTeX and JSON here.")
@as_json
def compare(
    methods_: str,
    datasets_: str,
    repeats: int,
    test_size: float | None,
    settings: tuple[str, ...],
    seed: int,
    tune: bool,
    trials: int | None,
    budget: float | None,
    search: str | None,
    folds: int | None,
    device: str,
    backend: str,
    address: str | None,
    workers: int | None,
    retry: bool,
    level: float,
    test: Literal["paired", "corrected"],
    name: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Compare methods on the same splits; the same command goes on where it was stopped."""
    from kernlab.compare.summary import summarise
    from kernlab.compare.written import assemble

    tuning = _tuning(tune, trials, budget, search, folds)
    options = _settings(settings) | ({} if test_size is None else {"test_size": test_size})
    names = _names(methods_)
    comparison = assemble(names, _names(datasets_), options, repeats=repeats, tuning=tuning, seed=seed, device=device)
    summarise((), level=level)  # a bad level is told before the work
    records = _records(comparison, backend=backend, address=address, workers=workers, name=name, retry=retry)
    summary = summarise(records, methods=names, test=test, level=level)
    if out:
        _write_comparison(out, records, summary)
    if as_json:
        _print_json({"comparison": comparison.to_dict(), "test": test, "level": level, "note": summary.note,
                     "baselines": _least(tuning), "rows": _compared(summary, records)})  # fmt: skip
    else:
        _print_comparison(summary)
    if all(record.status == "failed" for record in records):
        raise SystemExit(1)


def _tuning(
    tune: bool, trials: int | None, budget: float | None, search: str | None, folds: int | None
) -> Tuning | None:
    from kernlab.compare import Tuning

    said = {"trials": trials, "budget": budget, "search": search, "folds": folds}
    said = {key: value for key, value in said.items() if value is not None}
    if said and not tune:
        raise OptionError("--trials, --budget, --search and --folds say how to tune", _flags(said), "add --tune")
    seconds = said.pop("budget", None)
    return Tuning(seconds=seconds, **said) if tune else None  # type: ignore[arg-type]


def _least(tuning: Tuning | None) -> str:
    """The rule by which baselines are searched longer than methods, where there is a limit in seconds."""
    from kernlab.compare.rivals import LEAST

    return LEAST if tuning and tuning.seconds is not None else ""


def _flags(keys: Iterable[str]) -> str:
    return ", ".join(f"--{key}" for key in keys)


def _records(comparison: Comparison, **how: Any) -> Sequence[Record]:
    """Compute what is missing and say how it goes; Ctrl-C ends with code 130 and keeps what is finished."""
    from kernlab.compare.run import Computed, Done, Planned, compare
    from kernlab.training.control import Control

    control = Control()
    with _stoppable(control):
        for event in compare(comparison, stop=lambda: control.cancelled, **how):
            if isinstance(event, Planned):
                total, there = len(event.cells), len(event.records)
                click.echo(f"{total} cells, {there} of them known" if there else f"{total} cells", err=True)
            elif isinstance(event, Computed):
                there += 1
                click.echo(f"{there}/{total}  {_outcome(event.record)}", err=True)
            elif isinstance(event, Done) and event.complete:
                return event.records
    click.echo(f"stopped with {there} of {total} cells; the same command goes on from here", err=True)
    raise SystemExit(130)


@contextmanager
def _stoppable(control: Control) -> Iterator[None]:
    """Ctrl-C (or a polite kill) begins no more cells and says so; a second one drops the cells under way.

    A thread hears both at once. A handler alone would hear them when the main thread returns to Python, which may
    be in minutes when that one factorises a matrix.
    """
    import os
    import socket
    import threading
    import time

    from kernlab import processes

    numbers = (signal.SIGINT, signal.SIGTERM)
    inbox, outbox = socket.socketpair()
    outbox.setblocking(False)
    heard = 0

    def unwind(number: int, _: object) -> None:
        nonlocal heard
        heard += 1
        if heard > 1:
            raise KeyboardInterrupt

    def listen() -> None:
        while data := inbox.recv(1):
            if data[0] not in numbers:
                continue
            if control.cancelled:
                click.echo("dropped what was under way; the same command goes on from here", err=True)
                processes.drop()
                time.sleep(0.5)  # the main thread unwinds, if it can
                os._exit(130)
            control.cancel()
            click.echo("stopping after the cells under way; a second Ctrl-C drops them and ends at once", err=True)

    listener = threading.Thread(target=listen, name="stop", daemon=True)
    listener.start()
    before = {number: signal.signal(number, unwind) for number in numbers}
    outlet = signal.set_wakeup_fd(outbox.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(outlet)
        for number, handler in before.items():
            signal.signal(number, handler)
        outbox.close()
        listener.join(1)
        inbox.close()


def _names(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _outcome(record: Record) -> str:
    where = f"{record.cell['method']} on {record.cell['data']['dataset']}, seed {record.cell['seed']}: "
    if record.status == "failed":
        return where + record.message
    unit = " %" if record.metric == "accuracy" else ""
    tuned = f" and {record.tuning_seconds:.1f} s of tuning" if record.trials else ""
    return f"{where}{record.metric} {record.test:.4g}{unit}, {record.seconds:.1f} s{tuned}"


def _compared(summary: Summary, records: Sequence[Record]) -> list[dict[str, Any]]:
    """A row a method on each data set, and one of the constant predictor."""
    rows = []
    for table in summary.tables:
        place = {"dataset": table.dataset, "metric": table.metric, "seeds": table.splits}
        rows += [{**place, **row._asdict()} for row in table.rows if row.method != "constant"]
        values = {
            record.cell["seed"]: record.constant
            for record in records
            if record.cell["data"]["dataset"] == table.dataset and record.constant is not None
        }
        constant = {"mean": table.constant, "std": table.constant_std, "values": list(values.values())}
        rows.append({**place, "method": "constant", **constant, "best": False, "not_worse": False, "better": False,
                     "seconds": 0.0})  # fmt: skip
    return rows


def _print_comparison(summary: Summary) -> None:
    for table in summary.tables:
        unit = "accuracy in %" if table.metric == "accuracy" else table.metric
        click.echo(f"{table.dataset}: {unit}, {table.n_train} rows to train on, {table.n_test} to test on")
        rows = []
        for row in table.rows:
            mark = "best" if row.best else "better" if row.better else "not worse" if row.not_worse else ""
            seconds = [_word(row.seconds), *([_word(row.tuning_seconds)] if _tuned(summary) else [])]
            rows.append([row.method, _spread(row.mean, row.std), mark, _word(row.p), *seconds, *_failed(row.failed)])
        if all(row.method != "constant" for row in table.rows):
            rows.append(["constant", _spread(table.constant, table.constant_std)])
        columns = ["method", "mean ± std", "", "p", "seconds", *(["tuning"] if _tuned(summary) else []), ""]
        _table(columns, [row + [""] * (len(columns) - len(row)) for row in rows])
        for message in dict.fromkeys(message for row in table.rows for message in row.messages):
            click.echo(f"failed: {message} (--retry computes it again)")
        for remark in table.remarks():
            click.echo(remark)
        click.echo()
    click.echo(summary.note)


def _failed(cells: int) -> list[str]:
    return [f"{cells} failed"] if cells else []


def _tuned(summary: Summary) -> bool:
    return any(row.tuning_seconds for table in summary.tables for row in table.rows)


def _spread(mean: float | None, std: float | None) -> str:
    return "–" if mean is None else f"{mean:.4g}" if std is None else f"{mean:.4g} ± {std:.2g}"


def _write_comparison(folder: Path, records: Sequence[Record], summary: Summary) -> None:
    """comparison.csv, .tex and .json, and cells.csv with a row a cell."""
    from kernlab.compare import tables

    _write_files(folder, {
        "comparison.csv": tables.to_wide_csv(summary),
        "comparison.tex": tables.to_latex(summary),
        "comparison.json": tables.to_json(summary),
        "cells.csv": tables.to_long_csv(records),
    })  # fmt: skip


def _write_files(folder: Path, texts: Mapping[str, str]) -> None:
    from kernlab.errors import StoreError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8", newline="")
    except OSError as error:
        fix = "choose another --out; the same command writes it again without computing anything"
        raise StoreError("the tables must be writable", f"{folder}: {error}", fix) from None


# -- runs -------------------------------------------------------------------------------------------------------


@cli.group()
def runs() -> None:
    """What has been trained: list, show, export, import, delete, resume, check."""


@runs.command("list")
@click.option("--text", default="", help="Only runs with this in their id, name, note, method or data set.")
@click.option("--method", help="Only runs of this method.")
@click.option("--dataset", help="Only runs on this data set.")
@click.option("--status", help="Only runs of this status.")
@click.option("--deleted", is_flag=True, help="The deleted runs, which can be brought back.")
@as_json
def list_(text: str, method: str | None, dataset: str | None, status: str | None, deleted: bool, as_json: bool) -> None:
    """List runs, newest first."""
    found = _store().list(text=text, method=method, dataset=dataset, status=status, deleted=deleted)  # type: ignore[arg-type]
    rows = [
        {
            "id": run.id,
            "name": run.name,
            "method": run.method,
            "dataset": run.dataset,
            "seed": run.seed,
            "status": run.status,
            "step": run.step,
            "test_metric": run.summary.get("test_metric"),
            "metric": run.summary.get("metric"),
            "created": datetime.fromtimestamp(run.created).isoformat(timespec="seconds"),
            "starred": run.starred,
            "resumable": run.resumable,
            "damage": list(run.damage),
        }
        for run in found
    ]
    if as_json:
        _print_json(rows)
    elif rows:
        columns = ("id", "name", "status", "step", "test_metric", "created")
        _table(columns, [[_word(row[c]) for c in columns] for row in rows])
        for run in found:
            if run.trouble:
                click.echo(f"kernlab: {run.trouble}", err=True)
    else:
        click.echo("No runs. Try: kernlab train --method ASKL --dataset digits")


@runs.command()
@click.argument("run_id")
@as_json
def show(run_id: str, as_json: bool) -> None:
    """Show one run: its options, facts, last metrics and result."""
    store = _store()
    run = store.get(run_id)
    if run.trouble:
        click.echo(f"kernlab: {run.trouble}", err=True)
    curves = store.metrics(run_id).curves
    last = {name: float(curve.values[-1]) for name, curve in curves.items() if len(curve.values)}
    document = {
        "id": run.id,
        "name": run.name,
        "status": run.status,
        "error": run.error,
        "damage": list(run.damage),
        "note": run.note,
        "spec": run.spec,
        "resolved": run.resolved,
        "facts": run.facts,
        "versions": run.versions,
        "step": run.step,
        "seconds": run.seconds,
        "snapshots": [int(step) for step in store.snapshots(run_id).steps],
        "last": last,
        "summary": run.summary,
    }
    if as_json:
        _print_json(document)
        return
    from kernlab.spec import RunSpec

    click.echo(f"{run.name}  [{run.status}]  step {run.step}, {run.seconds:.1f} s")
    if run.spec:
        click.echo(RunSpec.from_dict(run.spec).command())
    for text in (run.error, run.note):
        if text:
            click.echo(text)
    for name, value in sorted(last.items()):
        click.echo(f"  {name:<24} {value:.6g}")


@runs.command()
@click.argument("run_id")
@click.option("--out", type=click.Path(path_type=Path), help="File to write; default RUN_ID.zip here.")
@as_json
def export(run_id: str, out: Path | None, as_json: bool) -> None:
    """Write a whole run into one file."""
    path = out / f"{run_id}.zip" if out and out.is_dir() else out or Path(f"{run_id}.zip")
    _store().export(run_id, path)
    _said({"id": run_id, "file": str(path)}, f"{run_id} -> {path}", as_json)


@runs.command("figure")
@click.argument("run_id")
@click.argument("picture", required=False)
@click.option("--all", "every", is_flag=True, help="All pictures that the run has, into the folder --out.")
@click.option("--out", type=click.Path(path_type=Path), help="File to write (.html, .json, .svg or .png; default "
              "PICTURE.html here); with --all a folder.")  # fmt: skip
@click.option("--format", "kind", type=click.Choice(["html", "json", "svg", "png"]), default="html",
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
    from kernlab.pictures.base import PICTURES, picture_for, seen
    from kernlab.pictures.files import save
    from kernlab.pictures.recorded import RecordedRun

    if every and picture:
        raise OptionError("--all draws every picture, so no picture may be named", picture)
    switches = {}
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError("--set must be SWITCH=VALUE", text)
        switches[name.strip()] = value.strip()
    store = _store()
    run = RecordedRun(store, store.get(run_id).id)
    run.refresh()
    shown = seen(run, switches | ({} if at is None else {"at": at}))
    fitting = [each for each in PICTURES.values() if each.fits(shown)]
    if not every and not picture:
        rows = [{"picture": each.key, "shows": each.alt, "switches": list(each.uses)} for each in fitting]
        if as_json:
            _print_json(rows)
        else:
            width = max((len(each.key) for each in fitting), default=0)
            click.echo("\n".join(f"{each.key:{width}}  {each.alt}" for each in fitting))
        return
    folder = out or Path(f"{run_id}-figures")
    files = {
        each.key: folder / f"{each.key}.{kind}" if every else out or Path(f"{each.key}.{kind}")
        for each in (fitting if every else [picture_for(str(picture), shown)])
    }
    for key, path in files.items():
        save(PICTURES[key].make(shown), path, height=PICTURES[key].height)
    document = {"id": run_id, "step": shown.moment.step, "epoch": shown.moment.epoch,
                "files": {key: str(path) for key, path in files.items()}}  # fmt: skip
    _said(document, "\n".join(f"{key} -> {path}" for key, path in files.items()), as_json)


@runs.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@as_json
def import_(file: Path, as_json: bool) -> None:
    """Take in a run that was exported, here or elsewhere."""
    run_id = _store().import_(file)
    _said({"id": run_id}, f"{file} -> {run_id}", as_json)


@runs.command()
@click.argument("run_id")
@click.option("--undo", is_flag=True, help="Bring a deleted run back.")
@click.option("--purge", is_flag=True, help="Remove its files for good.")
@as_json
def delete(run_id: str, undo: bool, purge: bool, as_json: bool) -> None:
    """Delete a run (it can be brought back until it is purged)."""
    store = _store()
    if undo and purge:
        raise OptionError("--undo and --purge exclude each other", "both")
    done = "restored" if undo else "purged" if purge else "deleted"
    (store.restore if undo else store.purge if purge else store.delete)(run_id)
    _said({"id": run_id, "state": done}, f"{run_id} {done}", as_json)


@runs.command()
@click.argument("run_id")
@as_json
def resume(run_id: str, as_json: bool) -> None:
    """Go on with a stopped, interrupted or failed run from its last checkpoint (from its start if it left none)."""
    from kernlab.errors import StoreError
    from kernlab.spec import RunSpec

    store = _store()
    run = store.get(run_id)
    if run.trouble:
        raise run.trouble
    if not run.resumable:
        raise StoreError("only a stopped, interrupted or failed run can go on", f"{run.name} is {run.status}")
    spec = RunSpec.from_dict(run.resolved or run.spec)  # it keeps what the rules once chose
    _report(_train(spec, store=store, run_id=run_id, resume=store.checkpoint(run_id)), as_json)


@runs.command("check")
@click.option("--repair", is_flag=True, help="Mend what can be mended; what is replaced is kept in the folder aside.")
@as_json
def check_(repair: bool, as_json: bool) -> None:
    """Check the database, the records and the files of all runs.

    Ends with code 0 where everything is whole or has been mended, and with code 1 where something is not. Without
    --repair nothing is changed. A repair deletes nothing: it takes a wrong record from its copy in the run's folder or
    from its other columns, enters folders again that the database has lost, copies a damaged database into a new one,
    and puts whatever it replaces into the folder aside/TIME of the store. A run that something works on is left alone.
    """
    from kernlab.runs.check import check

    report = check(repair=repair)
    if as_json:
        _print_json({**report._asdict(), "troubles": [each._asdict() for each in report.troubles],
                     "whole": report.whole})  # fmt: skip
    else:
        for note in report.notes:
            click.echo(note)
        for each in report.troubles:
            done = "mended" if each.mended else "to mend with --repair" if each.repair else "cannot be mended"
            click.echo(f"{each.run or 'store'}: {each.what}: {each.why}. {done.capitalize()}"
                       + (f": {each.repair}." if each.repair else "."))  # fmt: skip
        if report.aside:
            click.echo(f"What was replaced lies in {report.aside}.")
        words = "everything is whole" if not report.troubles else f"{len(report.troubles)} troubles"
        if mended := sum(each.mended for each in report.troubles):
            words += f", {mended} of them mended"
        click.echo(f"{report.runs} runs in {report.store}: {words}.")
    if not report.whole:
        raise SystemExit(1)


# -- benchmark --------------------------------------------------------------------------------------------------


@cli.command()
@click.option("--only", multiple=True, help="Only this benchmark; may be repeated.")
@click.option("--datasets", default="", help="Of the benchmark defaults: only these, separated by commas.")
@click.option("--methods", default="", help="Of the benchmark defaults: only these, separated by commas.")
@as_json
def bench(only: tuple[str, ...], datasets: str, methods: str, as_json: bool) -> None:
    """Measure speed against named baselines, in one run; with --only defaults, whether the defaults hold.

    That one takes an hour or more and is measured only where it is named. It goes on where it was stopped.
    """
    from kernlab.bench import BENCHMARKS
    from kernlab.bench.defaults import defaults, line

    chosen = {name: BENCHMARKS[name] for name in only}  # an unknown name answers before anything is measured
    chosen = chosen or {name: each for name, each in BENCHMARKS.items() if each is not defaults}
    if (datasets or methods) and defaults not in chosen.values():
        raise OptionError("--datasets and --methods belong to the benchmark defaults", ", ".join(chosen),
                          "add --only defaults, or leave them out")  # fmt: skip
    results = {}
    for name, measure in chosen.items():
        click.echo(f"{name} ...", err=True)
        if measure is defaults:
            results[name] = defaults(
                datasets=_names(datasets), methods=_names(methods), progress=lambda text: click.echo(text, err=True)
            )
        else:
            results[name] = measure()
    if as_json:
        _print_json(results)
        return
    for name, figures in results.items():
        click.echo(name)
        for key, value in figures.items():
            if key == "rows":
                click.echo("\n".join(map(line, value)))
                continue
            click.echo(f"  {key:<36} {value:.4g}" if isinstance(value, float) else f"  {key:<36} {value}")


# -- published results ------------------------------------------------------------------------------------------


@cli.command()
@click.argument("name")
@click.option("--datasets", default="", help="Only these, separated by commas; default: all that are at hand.")
@click.option("--methods", default="", help="Only these, or others, separated by commas.")
@click.option("--repeats", type=click.IntRange(1), help="Splits or draws; default: 30 for a table, else 1.")
@click.option("--seed", default=0, show_default=True, type=int, help="Of the first split or draw.")
@_searching("of the whole table by the clock, shared evenly by its cells (kernlab compare: of a cell)")
@_computing
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Also write the table to this folder.")
@as_json
@click.pass_context
def reproduce(context: click.Context, /, name: str, out: Path | None, as_json: bool, **given: Any) -> None:
    """Run a published comparison anew and print ours beside theirs.

    askl-table2, fks-table2 and fks-table3 are comparisons on the same splits as those of kernlab compare: stopped by
    Ctrl-C they go on with the same command, and a finished cell is never computed twice. lkrf-examples and
    di-figures have --datasets, --repeats and --seed only.
    """
    from kernlab.papers import REPRODUCTIONS, TABLES

    given |= {key: _names(given[key]) for key in ("datasets", "methods")}
    if name in TABLES:
        _reproduce_table(name, out, as_json, **given)
        return
    if name not in REPRODUCTIONS:
        raise UnknownNameError.among("reproduction", name, [*TABLES, *REPRODUCTIONS])
    said = {key for key in given if context.get_parameter_source(key) is click.core.ParameterSource.COMMANDLINE}
    run = REPRODUCTIONS[name].run
    known = [key for key in given if key in inspect.signature(run).parameters]
    if other := sorted(said.difference(known)):
        raise OptionError(f"{name} has the options {_flags(known)}, --out and --json", _flags(other), "drop the others")
    given = {key: given[key] for key in known if key in said}
    rows = run(lambda said: click.echo(said, err=True), **given)
    if out:
        from kernlab.compare.tables import to_csv

        _write_files(out, {f"{name}.json": _json(rows), f"{name}.csv": to_csv(rows)})
    if as_json:
        _print_json({"reproduction": name, "repeats": 1, "seed": 0, **given, "rows": rows})
        return
    columns = list(dict.fromkeys(key for row in rows for key in row))
    _table(columns, [[_word(row.get(c)) for c in columns] for row in rows])


def _reproduce_table(
    name: str,
    out: Path | None,
    as_json: bool,
    *,
    datasets: Sequence[str],
    methods: Sequence[str],
    repeats: int | None,
    seed: int,
    tune: bool,
    trials: int | None,
    budget: float | None,
    search: str | None,
    folds: int | None,
    **how: Any,
) -> None:
    import time

    from kernlab.compare.summary import CONSTANT, summarise
    from kernlab.compare.tables import to_csv, to_latex_published, to_long_csv
    from kernlab.papers.tables import REPEATS, TABLES, beside, comparison_of, printed

    began = time.perf_counter()
    tuning = _tuning(tune, trials, budget, search, folds)
    shared_by = 1 if budget is None else _at_a_time(how["backend"], how["workers"])
    comparison = comparison_of(
        name, datasets=datasets, methods=methods, repeats=repeats or REPEATS, seed=seed, tuning=tuning, budget=budget,
        workers=shared_by,
    )  # fmt: skip
    protocol = TABLES[name]
    compared = [spec.dataset for spec in comparison.datasets]
    left_out = [] if datasets else [each for each in protocol.datasets if each not in compared]
    click.echo(f"{name}: {protocol.said}", err=True)
    if left_out:
        click.echo(f"left out, since they are not at hand: {', '.join(left_out)}", err=True)
    if budget is not None and comparison.tuning:
        click.echo(f"{comparison.tuning.seconds:.3g} s of tuning in each cell", err=True)
    records = _records(comparison, name=name, **how)
    rows = beside(name, records)
    seconds = {
        "tuning": sum(record.tuning_seconds for record in records),
        "training": sum(record.seconds for record in records),
        "clock": time.perf_counter() - began,
    }
    document = {
        "reproduction": name, "protocol": protocol.said, "repeats": comparison.repeats, "seed": seed, "budget": budget,
        "tuning": comparison.to_dict()["tuning"], "baselines": _least(comparison.tuning), "left_out": left_out,
        "rows": rows, "seconds": seconds,
    }  # fmt: skip
    if out:
        summary = summarise(records, methods=comparison.methods, published=printed(name))
        _write_files(out, {
            f"{name}.json": _json(document),
            f"{name}.csv": to_csv(rows),
            f"{name}.tex": to_latex_published(summary, label=f"tab:{name}"),
            f"{name}-cells.csv": to_long_csv(records),
        })  # fmt: skip
    if as_json:
        _print_json(document)
    else:
        _print_beside(rows)
        click.echo(
            f"{seconds['tuning']:.1f} s of tuning and {seconds['training']:.1f} s of training in all cells together; "
            f"this command took {seconds['clock']:.1f} s."
        )
    if all(record.status == "failed" for record in records if record.cell["method"] != CONSTANT):
        raise SystemExit(1)


def _at_a_time(backend: str, workers: int | None) -> int:
    """Cells that are computed at the same time, which a budget by the clock is shared by."""
    from kernlab.devices import cores

    if backend == "here":
        return 1
    if backend == "dask" and not workers:
        fix = "say with --workers how many processes the cluster has"
        raise OptionError("a budget is shared by processes that are computing at the same time", "no --workers", fix)
    return workers or cores()


def _print_beside(rows: Sequence[Mapping[str, Any]]) -> None:
    units = {
        "accuracy": "accuracy in %",
        "rmse": "RMSE, targets in [0,100]",
        "mse": "MSE, targets in [0,1]",
        "train_seconds": "seconds of training",
    }
    beats = {True: "better", False: "not better", None: ""}
    for (dataset, metric), found in groupby(rows, key=lambda row: (row["dataset"], row["metric"])):
        there = list(found)
        timed, tuned = metric == "train_seconds", any(row["tuning_seconds"] for row in there)
        splits = max(row["n"] for row in there)
        click.echo(f"{dataset}: {units.get(metric, metric)}, {splits} split{'s' * (splits != 1)}")
        columns = ["method", "ours", "published", *(["ours / FKS", "published / FKS"] if timed else ["seconds"])]
        columns += [*(["tuning"] if tuned else []), ""]
        cells = []
        for row in there:
            ratios = [_word(row["times"]), _word(row["published_times"])] if timed else [_word(row["seconds"])]
            note = ", ".join(filter(None, [row["mark"], beats[row["beats"]], *_failed(row["failed"])]))
            figures = [_spread(row["mean"], row["std"]), _spread(row["published_mean"], row["published_std"])]
            cells.append([row["method"], *figures, *ratios, *([_word(row["tuning_seconds"])] if tuned else []), note])
        _table(columns, cells)
        for message in dict.fromkeys(message for row in there for message in row["messages"]):
            click.echo(f"failed: {message} (--retry computes it again)")
        click.echo()


# -- printing ---------------------------------------------------------------------------------------------------


def _store() -> Store:
    from kernlab.runs.store import Store

    return Store()


def _print_json(document: Any) -> None:
    click.echo(_json(document))


def _json(document: Any) -> str:
    return json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity, which a diverged run's curves end in: they become null."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _said(document: Mapping[str, Any], sentence: str, as_json: bool) -> None:
    if as_json:
        _print_json(document)
    else:
        click.echo(sentence)


def _word(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    for row in [columns, ["-" * w for w in widths], *rows]:
        click.echo("  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    main()

"""``kernlab train``: one method on one data set, in the foreground."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kernlab.cli.base import as_json, cli, open_store, parsed_settings
from kernlab.cli.printing import note, print_json
from kernlab.cli.stopping import stoppable
from kernlab.errors import OptionError

if TYPE_CHECKING:
    from kernlab.runs.store import Store
    from kernlab.spec import RunSpec
    from kernlab.training.events import Checkpoint, Event

__all__ = ["print_summary", "trained"]


@cli.command()
@click.option("--method", default="ASKL", show_default=True, help="A named method (kernlab methods).")
@click.option("--dataset", default="digits", show_default=True, help="A data set (kernlab datasets).")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change an option; may be repeated.")
@click.option("--at", "changes", multiple=True, metavar="STEP:OPTION=VALUE",
              help="Another learning rate or weight of a penalty after so many steps; may be repeated.")  # fmt: skip
@click.option("--epochs", type=str, help="Short for --set epochs=N.")
@click.option("--seed", default=0, show_default=True, type=int, help="Decides split, frequencies and mini-batches.")
@click.option("--device", default="auto", show_default=True, help="auto, cpu, cuda or mps.")
@click.option("--name", help="What to call the run.")
@click.option("--keep/--no-keep", default=True, show_default=True, help="Keep the run where the app shows it.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Also save the model to this file.")
@as_json
def train(
    method: str, dataset: str, settings: tuple[str, ...], changes: tuple[str, ...], epochs: str | None, seed: int,
    device: str, name: str | None, keep: bool, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Train one method on one data set."""
    from kernlab.methods.changes import Change
    from kernlab.spec import RunSpec

    chosen = parsed_settings(settings) | ({} if epochs is None else {"epochs": epochs})
    spec = RunSpec.of(method, dataset, seed=seed, device=device, changes=map(Change.read, changes), **chosen)
    print_summary(trained(spec, store=open_store() if keep else None, name=name, out=out), as_json)


def trained(
    spec: RunSpec,
    *,
    store: Store | None,
    name: str | None = None,
    run_id: str | None = None,
    resume: Checkpoint | None = None,
    out: Path | None = None,
) -> Mapping[str, Any]:
    """Train in the foreground and return the summary. The run is entered into the store once the training has started.

    Raises:
        SystemExit: the training failed (code 1) or was stopped (code 130).
    """
    from kernlab.model import Model
    from kernlab.training.control import Control
    from kernlab.training.events import Cancelled, Failed, Finished, Started
    from kernlab.training.trainer import train

    if out and not out.resolve().parent.is_dir():
        raise OptionError("--out must name a file in an existing folder", out)
    control = Control()
    writer = None
    with stoppable(control), ExitStack() as open_writer:
        for event in train(spec, control=control, resume=resume):
            if store and writer is None and isinstance(event, Started):
                run_id = run_id or store.create(spec.to_dict(), name)
                writer = open_writer.enter_context(store.writer(run_id))
                note(f"run {run_id}")
            if writer:
                writer.write(event)
            _progress(event)
            if isinstance(event, Finished):
                if out:
                    Model.from_arrays(event.model, event.meta).save(out)
                return {"run": run_id, **event.summary}
            if isinstance(event, Failed):
                note(f"kernlab: {event.message}")
                raise SystemExit(1)
            if isinstance(event, Cancelled):
                again = f"; kernlab runs resume {run_id} goes on from here" if writer else ""
                note(f"stopped at step {event.step}{again}")
                raise SystemExit(130)
    raise AssertionError("the training ended without a final event")


#: The columns of the progress, by metric.
_COLUMNS = {
    "train_metric": "train",
    "test_metric": "test",
    "train_loss": "loss",
    "validation_metric": "held-out",
    "assigned_validation_metric": "held-out, assigned map",
}


def _progress(event: Event) -> None:
    from kernlab.runs.kept import kept
    from kernlab.training.events import Changed, Evaluated, Kept, Started

    if isinstance(event, Started):
        facts = event.facts
        begin = facts["compiled_from"]
        compiled = "" if begin is None else f", steps compiled from step {begin} on"
        choosing = f" ({held} do not train but choose how long)" if (held := facts["n_held"]) else ""
        note(
            f"{event.spec['method']['name']} on {event.spec['data']['dataset']}: {facts['n_train']} rows{choosing}, "
            f"{'at most ' if held else ''}{facts['total_steps']} steps, {facts['device']}"
            f"{compiled}"
        )
    elif isinstance(event, Kept) and (found := kept(event.facts)):
        again = f"{found.epoch} epoch{'s' * (found.epoch != 1)}" if found.epoch else "the head alone"
        note(f"{found.sentence}; now {again} on all rows")
    elif isinstance(event, Changed):
        note(f"after step {event.step}: {', '.join(f'{name} = {value:g}' for name, value in event.values.items())}")
    elif isinstance(event, Evaluated):
        words = [f"{word} {event.metrics[name]:<8.4g}" for name, word in _COLUMNS.items() if name in event.metrics]
        note(f"epoch {event.epoch:6.2f}   {' '.join(words).rstrip()}")


def print_summary(summary: Mapping[str, Any], as_json: bool) -> None:
    """Print the result of a run."""
    from kernlab.runs.kept import kept

    if as_json:
        print_json(summary)
        return
    unit = " %" if summary["metric"] == "accuracy" else ""

    def both(found: Mapping[str, Any]) -> str:
        return f"{found['test_metric']:.4g}{unit} test, {found['train_metric']:.4g}{unit} train"

    rows = {
        summary["metric"]: both(summary),
        "constant": f"{summary['constant']:.4g}{unit}",
        "objective": f"{summary['objective']:.4g}",
    }
    if "total" in (bound := summary["bound"]):
        rows["bound"] = f"{bound['total']:.4g} (measured gap {bound['gap']:.4g})"
    rows["steps"] = f"{summary['steps']} in {summary['seconds']:.1f} s on {summary['device']}"
    if found := kept(summary):
        rows["kept"] = found.sentence.removeprefix("kept: ")
    rows |= {head: both(found) for head, found in summary.get("heads", {}).items()}
    if summary.get("run"):
        rows["run"] = summary["run"]
    for key, value in rows.items():
        click.echo(f"{key:<10} {value}")

"""``kernlab bench``: the benchmarks of speed and of the defaults."""

from __future__ import annotations

import click

from kernlab.cli.base import as_json, cli, names
from kernlab.cli.printing import note, print_json
from kernlab.errors import OptionError


@cli.command()
@click.option("--only", multiple=True, help="Only this benchmark; may be repeated.")
@click.option("--datasets", default="", help="Of the benchmark defaults: only these, separated by commas.")
@click.option("--methods", default="", help="Of the benchmark defaults: only these, separated by commas.")
@as_json
def bench(only: tuple[str, ...], datasets: str, methods: str, as_json: bool) -> None:
    """Measure speed against named baselines, in one run; with --only defaults, whether the defaults hold.

    The benchmark defaults takes an hour or more and is measured only if it is named. The same command resumes it.
    """
    from kernlab.bench import BENCHMARKS
    from kernlab.bench.defaults import defaults, line

    chosen = {name: BENCHMARKS[name] for name in only}  # an unknown name is refused before anything is measured
    chosen = chosen or {name: each for name, each in BENCHMARKS.items() if each is not defaults}
    if (datasets or methods) and defaults not in chosen.values():
        raise OptionError("--datasets and --methods belong to the benchmark defaults", ", ".join(chosen),
                          "add --only defaults, or leave them out")  # fmt: skip
    results = {}
    for name, measure in chosen.items():
        note(f"{name} ...")
        if measure is defaults:
            results[name] = defaults(datasets=names(datasets), methods=names(methods), progress=note)
        else:
            results[name] = measure()
    if as_json:
        print_json(results)
        return
    for name, figures in results.items():
        click.echo(name)
        for key, value in figures.items():
            if isinstance(value, list):  # comparisons of the benchmark defaults
                click.echo("\n".join(map(line, value)))
                continue
            click.echo(f"  {key:<36} {value:.4g}" if isinstance(value, float) else f"  {key:<36} {value}")

"""``kernlab methods`` and ``kernlab datasets``."""

from __future__ import annotations

import click

from kernlab.cli.base import as_json, cli
from kernlab.cli.printing import print_rows, word


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
    if markdown and not as_json:
        columns = ["name", "feature_map", "learned", "objective", "regularizers", "solver", "heads", "title", "source"]
        click.echo(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
        for row in rows:
            click.echo(f"| {' | '.join(word(row[column]) for column in columns)} |")
        return
    print_rows(rows, ("name", "title", "feature_map", "learned", "objective", "solver", "heads", "source"), as_json)


@cli.command()
@click.option("--all", "missing", is_flag=True, help="Also known data sets whose files are missing.")
@as_json
def datasets(missing: bool, as_json: bool) -> None:
    """List the data sets that can be used here."""
    from kernlab.data import known

    rows = [each._asdict() for each in known(missing)]
    print_rows(rows, ("name", "task", "group", "rows", "features", "classes", "description"), as_json)

"""``kernlab app``: the pages in a browser."""

from __future__ import annotations

import click

from kernlab.cli.base import cli


@cli.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8501, show_default=True, type=int, help="Port to listen on.")
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the default browser.")
@click.option("--lessons", help="Folder of your own lessons (.toml), which the Learn page adds to its own.")
def app(host: str, port: int, browser: bool, lessons: str | None) -> None:
    """Open the app."""
    from kernlab.ui.server import serve

    serve(host, port, browser, lessons)

"""Figures as files: standalone pages, Plotly's JSON, and pictures for a paper."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import plotly.graph_objects as go

from kernlab.errors import KernlabError, OptionError

FORMATS = (".html", ".json", ".svg", ".png")
WIDTH = 900  # CSS pixels


def save(figure: go.Figure, path: Path, *, height: int = 340) -> None:
    """Write a figure in the format that the file's name ends in.

    Args:
        figure: what to write.
        path: ends in .html (one page that needs no network), .json, .svg or .png; the last two need kaleido.
        height: in CSS pixels; the width is 900.

    Raises:
        OptionError: another ending.
        KernlabError: kaleido is missing, or finds no browser.
    """
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise OptionError(f"the file of a figure must end in {', '.join(FORMATS)}", path.name)
    drawn = go.Figure(figure).update_layout(paper_bgcolor="white", width=WIDTH, height=height)
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == ".html":
        path.write_text(drawn.to_html(include_plotlyjs=True), "utf-8")
    elif kind == ".json":
        path.write_text(figure.to_json(), "utf-8")
    else:
        _image(drawn, path)


def _image(drawn: go.Figure, path: Path) -> None:
    if not find_spec("kaleido"):
        raise KernlabError(
            f"a figure in {path.suffix} needs the package kaleido", "it is not installed",
            "install it with pip install 'kernlab[figures]', or write .html or .json",
        )  # fmt: skip
    try:
        drawn.write_image(path, scale=2)
    except (RuntimeError, ValueError) as error:
        raise KernlabError(
            f"a figure in {path.suffix} needs a browser that kaleido can start", str(error).split(chr(10))[0],
            "install Chrome or Chromium, or write .html or .json",
        ) from error  # fmt: skip

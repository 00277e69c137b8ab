"""Figures as files: standalone pages, Plotly's JSON, tables of their numbers, and pictures for a paper."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.compare.tables import to_csv
from kernlab.errors import KernlabError, OptionError

FORMATS = (".html", ".json", ".csv", ".svg", ".png")
WIDTH = 900  # CSS pixels


def save(figure: go.Figure, path: Path, *, height: int = 340) -> None:
    """Write a figure in the format that the file's name ends in.

    Args:
        figure: the figure.
        path: ends in .html (one page that needs no network), .json, .csv (:func:`rows`), .svg or .png; the last two
            need kaleido.
        height: in CSS pixels; the width is 900.

    Raises:
        OptionError: the name has another ending.
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
    elif kind == ".csv":
        path.write_text(to_csv(list(rows(figure))), "utf-8")
    else:
        _image(drawn, path)


def rows(figure: go.Figure) -> Iterator[dict[str, Any]]:
    """One row for each point, bar or cell of a figure: the name of its trace, x, y, and z of matrices and surfaces.

    Columns and rows of a matrix without coordinates are counted from 0.
    """
    for trace in figure.data:
        x, y, z = (getattr(trace, key, None) for key in "xyz")
        if z is not None and np.ndim(z) == 2:
            height, width = np.shape(z)
            x, y = range(width) if x is None else x, range(height) if y is None else y
            points = [(a, b, c) for b, line in zip(y, z, strict=True) for a, c in zip(x, line, strict=True)]
        else:
            points = list(zip_longest(*(() if each is None else each for each in (x, y, z))))
        for point in points:
            yield {"trace": trace.name, **dict(zip("xyz", point, strict=True))}


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

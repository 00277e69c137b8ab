"""The data that a run would train on: as points by class or target, and inputs that are pictures as pictures."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from kernlab.pictures.base import At, has_images, picture
from kernlab.pictures.kernels import rows_of
from kernlab.pictures.marks import PIXELS, cells, dots, stated
from kernlab.pictures.mosaic import Mosaic, centres, mosaic
from kernlab.pictures.sample_plane import plot_sample, sample_at
from kernlab.pictures.theme import figure

COUNT = 49
_INK = [[0, "#ffffff"], [1, "#000000"]]  # low values are paper


def plot_examples(tiled: Mosaic, total: int | None = None) -> go.Figure:
    """Dark where a pixel is large; ``total``: rows of which these are some."""
    low, high = float(np.nanmin(tiled.mosaic)), float(np.nanmax(tiled.mosaic))
    shown = cells(tiled.mosaic, "pixel", "pixel %{z:.3~g}", _INK, (low, high), hoverongaps=False, showscale=False)
    subtitle = f"{len(tiled.shown)}{f' of {total}' if total else ''} inputs, by class"
    return figure([shown], title="Inputs as pictures", subtitle=subtitle, x="", y="", revision="examples", **PIXELS)


@picture("preview", alt="Some rows of the data, by class or target", when=lambda at: at.sample is not None,
         of_data=True, uses=("output",))  # fmt: skip
def draw_data(at: At) -> go.Figure:
    """The sample before anything is known of a kernel."""
    return plot_sample(sample_at(at, None)).update_layout(title_text="The data", dragmode="zoom")


@picture(
    "preview", alt="Some inputs as pictures", of_data=True, when=lambda at: has_images(at) and at.sample is not None
)
def draw_examples(at: At) -> go.Figure:
    """Rows of the run's sample as pictures, the same number of each class where there are classes."""
    assert at.image
    rows = rows_of(at)
    chosen = np.unique(np.linspace(0, len(rows.X) - 1, COUNT).astype(int))
    tiled = mosaic(rows.X[chosen].T, at.image, np.arange(len(chosen)), count=COUNT)
    numbers = rows.numbers[chosen][tiled.shown]
    middles = dots(*centres(tiled, at.image), "rows", "rgba(0,0,0,0)", "row %{customdata}", size=14, showlegend=False,
                   customdata=numbers, meta=stated(row=numbers))  # fmt: skip
    return plot_examples(tiled, at.facts.get("n_train")).add_trace(middles)

"""What every picture over training has: the moment that is shown, and where the run changed from choosing to repeating.

A run that chooses its epochs on held-out rows repeats them on all rows. Its curves are two stretches: the second begins
at the epoch at which the first ended.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from kernlab.pictures.base import At
from kernlab.pictures.changes import mark_turns
from kernlab.pictures.theme import GREY, KEPT, with_words_above

ROOM = 0.27  # of the axis that a label needs


def second_stretch(x: ArrayLike, boundary: float | None) -> int:
    """Position at which the repetition begins in ascending epochs [n]; n where all points are of one stretch.

    Of two points at the boundary the second is of the repetition, and so is a single one of a curve that begins at
    epoch 0: what is measured with the weights at rest is measured before the first step too, which means over
    mini-batches are not.
    """
    epochs = np.asarray(x, float)
    if boundary is None or len(epochs) < 3:
        return len(epochs)
    first, end = np.searchsorted(epochs, [boundary - 1e-4, boundary + 1e-4])
    if end == len(epochs):
        return len(epochs)
    at_boundary = end - first
    return int(end - 1 if at_boundary > 1 or (at_boundary == 1 and epochs[0] == 0) else end)


def timed(figure: go.Figure, at: At) -> go.Figure:
    """Lines at the shown moment, at the epoch that was kept, where the repetition begins, and where options changed.

    Where a full-batch solver counts time in steps, the axis is named so.
    """
    if found := at.run.kept:
        for trace in figure.data:
            _divide(trace, float(found.stopped))
        with_words_above(figure)
        # The labels stand outside the two lines where there is room, else between them: they never overlap.
        outside = found.epoch > ROOM * (found.stopped + found.epoch)
        _mark(figure, found.epoch, f"kept: epoch {found.epoch}", found.sentence, KEPT, left=outside)
        if found.epoch:
            _mark(figure, found.stopped, "on all rows", "the kept epochs again, on all rows", GREY, left=not outside)
            # While it repeats them the axis has room for all of them, and for the label.
            figure.update_xaxes(autorangeoptions_include=[found.stopped + found.epoch])
    mark_turns(figure, at.run)
    if at.mark is not None:
        figure.add_vline(x=at.mark, line={"color": GREY, "dash": "dot", "width": 2})
    figure.update_layout(meta={"time": True})  # a browser that plays the run marks the moment itself
    if at.run.unit == "step":
        figure.update_xaxes(title_text="step")
        for trace in figure.data:
            if trace.hovertemplate:
                trace.hovertemplate = trace.hovertemplate.replace("<extra>epoch", "<extra>step")
    return figure


def _mark(figure: go.Figure, x: float, words: str, sentence: str, colour: str, *, left: bool) -> None:
    """A thin line, and its label above the plot."""
    figure.add_vline(x=x, line={"color": colour, "width": 1.5})
    figure.add_annotation(
        x=x, y=1, yref="paper", yanchor="bottom", text=words, hovertext=sentence, showarrow=False,
        xanchor="right" if left else "left", borderpad=0, font={"size": 13, "color": colour},
    )  # fmt: skip


def _divide(trace: go.Scatter, boundary: float) -> None:
    """Break a line between the two stretches."""
    if not isinstance(trace, go.Scatter) or trace.x is None or trace.stackgroup or "lines" not in (trace.mode or ""):
        return
    place = second_stretch(trace.x, boundary)
    if place < len(trace.x):
        # Numbers of single precision stay so: a figure holds thousands of them.
        x, y = (np.asarray(each, np.result_type(each, np.float32)) for each in (trace.x, trace.y))
        trace.x, trace.y = np.insert(x, place, np.nan), np.insert(y, place, np.nan)

"""Where in time a picture over training stands, and where the run changed from choosing to repeating."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from kernlab.pictures.base import At
from kernlab.pictures.theme import GREY, KEPT

ROOM = 0.27  # of the axis that a label needs


def timed(figure: go.Figure, at: At) -> go.Figure:
    """A line at the moment that is looked at, one at the epoch that was kept, and one where the repetition begins.

    Where a solver goes by steps, time is counted in those.
    """
    if found := at.run.kept:
        for trace in figure.data:
            _part(trace, float(found.stopped))
        if figure.layout.title.subtitle.text:  # the labels need a line of their own beneath it
            figure.update_layout(title={"y": 1, "yanchor": "top", "pad": {"l": 8, "t": 12}}, margin_t=80)
        # The labels stand outside the two lines where there is room, else between them: they never meet.
        outside = found.epoch > ROOM * (found.stopped + found.epoch)
        _mark(figure, found.epoch, f"kept: epoch {found.epoch}", found.sentence, KEPT, left=outside)
        if found.epoch:
            _mark(figure, found.stopped, "on all rows", "the kept epochs again, on all rows", GREY, left=not outside)
    if at.mark is not None:
        figure.add_vline(x=at.mark, line={"color": GREY, "dash": "dot", "width": 2})
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


def _part(trace: go.Scatter, boundary: float) -> None:
    """Break a line between the last point of choosing and the first of repeating, which stands at the same epoch."""
    if not isinstance(trace, go.Scatter) or trace.x is None or trace.stackgroup or "lines" not in (trace.mode or ""):
        return
    x, y = np.asarray(trace.x, float), np.asarray(trace.y, float)
    first, end = np.searchsorted(x, [boundary - 1e-4, boundary + 1e-4])
    if len(x) < 3 or end == len(x):
        return  # a level, or a curve of one stretch
    # Of two points at the boundary the second is of the repetition, and so is a single one of what is measured with the
    # weights at rest: that is measured before the first step too, which means over mini-batches are not.
    place = end - 1 if end - first > 1 or (end - first == 1 and x[0] == 0) else end
    trace.x, trace.y = np.insert(x, place, np.nan), np.insert(y, place, np.nan)

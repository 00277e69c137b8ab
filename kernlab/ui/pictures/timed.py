"""Where in time a picture over training stands."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.ui.pictures.base import Shown

__all__ = ["timed"]


def timed(figure: go.Figure, at: Shown) -> go.Figure:
    """A line at the moment that is looked at; where a solver goes by steps, time is counted in those."""
    if at.mark is not None:
        figure.add_vline(x=at.mark, line={"color": "#767676", "dash": "dot", "width": 2})
    if at.watch.unit == "step":
        figure.update_xaxes(title_text="step")
        for trace in figure.data:
            if trace.hovertemplate:
                trace.hovertemplate = trace.hovertemplate.replace("<extra>epoch", "<extra>step")
    return figure

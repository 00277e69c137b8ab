"""Pictures of lessons: panels one above the other, which suits a narrow screen, and the marks of a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from kernlab.pictures.theme import PURPLE, VERMILLION, figure

__all__ = ["FOUND", "YOURS", "curve", "dots", "line_at", "stacked", "yours_and_found"]

#: Colour and dash of a prediction and of the computed answer, in every lesson.
YOURS, FOUND = (PURPLE, "dot"), (VERMILLION, "solid")


def curve(x: Any, y: Any, name: str, look: tuple[str, str], **more: Any) -> go.Scatter:
    """A curve with its name in the legend."""
    colour, dash = look
    style = {"color": colour, "dash": dash, "width": 3}
    more.setdefault("hovertemplate", f"{name}: %{{y:.3~g}}<extra>%{{x:.3~g}}</extra>")
    return go.Scatter(x=x, y=y, mode="lines", name=name, line=style, **more)


def dots(x: Any, y: Any, name: str, colour: str, symbol: str = "circle", size: float = 7, **more: Any) -> go.Scatter:
    """Points with their name in the legend."""
    marker = {"color": colour, "symbol": symbol, "size": size, **more.pop("marker", {})}
    more.setdefault("hovertemplate", f"{name}: %{{y:.3~g}}<extra>%{{x:.3~g}}</extra>")
    return go.Scatter(x=x, y=y, mode="markers", name=name, marker=marker, **more)


def line_at(x: float, look: tuple[str, str], lower: bool = False) -> dict[str, Any]:
    """A vertical line over the height of a panel, as a shape."""
    colour, dash = look
    axis = "2" if lower else ""
    return {
        "type": "line", "x0": x, "x1": x, "xref": f"x{axis}", "yref": f"y{axis} domain", "y0": 0, "y1": 1,
        "line": {"color": colour, "dash": dash, "width": 3},
    }  # fmt: skip


def yours_and_found(guess: float | None, truth: float, *, lower: bool = False) -> tuple[list[Any], list[go.Scatter]]:
    """A predicted number and the computed one along the x axis: shapes, and their entries in the legend."""
    both = [("computed", truth, FOUND)] + ([("your prediction", guess, YOURS)] if guess is not None else [])
    shapes = [line_at(value, look, lower) for _, value, look in both]
    axis = {"xaxis": "x2", "yaxis": "y2"} if lower else {}
    entries = [curve([None], [None], name, look, **axis) for name, _, look in both]
    return shapes, entries


def stacked(
    upper: Sequence[Any], lower: Sequence[Any], *, title: str, heading: str, x: str, y: str, lower_x: str,
    lower_y: str, revision: str, share: float = 0.5, xaxis: dict[str, Any] | None = None,
    yaxis: dict[str, Any] | None = None, xaxis2: dict[str, Any] | None = None, yaxis2: dict[str, Any] | None = None,
    **layout: Any,
) -> go.Figure:  # fmt: skip
    """Two panels, one above the other.

    Args:
        upper, lower: traces.
        title, heading: of the upper and of the lower panel.
        x, y, lower_x, lower_y: names of their axes.
        revision: as of :func:`kernlab.pictures.theme.figure`.
        share: of the height that the upper one has.
        xaxis, yaxis, xaxis2, yaxis2, layout: further layout.
    """
    gap = 0.14  # on a phone there are a heading and the name of an axis in it
    bottom, top = (1 - share) - gap, (1 - share) + gap
    for trace in lower:
        trace.update(xaxis="x2", yaxis="y2")
    words = {
        "text": heading, "xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": bottom, "yanchor": "bottom",
        "showarrow": False, "font": {"size": 16}, "yshift": 4,
    }  # fmt: skip
    return figure(
        [*upper, *lower],
        title=title,
        x=x,
        y=y,
        revision=revision,
        xaxis={"anchor": "y", **(xaxis or {})},
        yaxis={"domain": [top, 1], **(yaxis or {})},
        xaxis2={"anchor": "y2", "title": {"text": lower_x}, **(xaxis2 or {})},
        yaxis2={"domain": [0, bottom], "anchor": "x2", "title": {"text": lower_y}, **(yaxis2 or {})},
        annotations=[words, *layout.pop("annotations", [])],
        **layout,
    )

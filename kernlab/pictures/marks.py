"""Traces and axes that many pictures share, with the arguments that each of them has; all others are Plotly's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.pictures.theme import POWERS, colourbar, trace

#: An axis with powers of ten in the usual notation, and so few ticks that they are alone where there are many.
LOG: dict[str, Any] = {"type": "log", "nticks": 4} | POWERS
#: The same with one tick a power, for positions 1, 10, 100 …
DECADES: dict[str, Any] = {"type": "log", "dtick": 1}
FROM_ZERO: dict[str, Any] = {"rangemode": "tozero"}
#: Both axes of a picture made of pixels: hidden, equal in scale, the first row on top.
PIXELS: dict[str, Any] = {
    "xaxis": {"visible": False, "constrain": "domain"},
    "yaxis": {"visible": False, "constrain": "domain", "autorange": "reversed", "scaleanchor": "x"},
}


def line(
    x: Any, y: Any, name: str, colour: str, hover: str | None, *, extra: str = "", width: float = 2.5,
    dash: str | None = None, mode: str = "lines", **rest: Any,
) -> go.Scatter:  # fmt: skip
    """A curve.

    Args:
        x, y: its points.
        name: in the legend.
        colour, width, dash: of the line.
        hover, extra: words at a point, and those beside them; None where pointing at the curve shows nothing.
        mode, rest: as of Plotly's scatter trace.
    """
    style = {"color": colour, "width": width, "dash": dash}
    return trace(go.Scatter, x=x, y=y, mode=mode, name=name, line=style, **_words(hover, extra), **rest)


def dots(
    x: Any, y: Any, name: str, colour: Any, hover: str | None, *, extra: str = "", size: Any = 8, symbol: Any = None,
    outline: dict[str, Any] | None = None, mode: str = "markers", marker: dict[str, Any] | None = None, **rest: Any,
) -> go.Scatter:  # fmt: skip
    """Markers at points; ``outline`` is the line round each, ``marker`` more properties; the rest as of a line."""
    look = {"color": colour, "size": size, "symbol": symbol, "line": outline, **(marker or {})}
    return trace(go.Scatter, x=x, y=y, mode=mode, name=name, marker=look, **_words(hover, extra), **rest)


def bars(x: Any, y: Any, name: str, colour: str, hover: str, *, pattern: str | None = None, **rest: Any) -> go.Bar:
    """Bars of one colour, hatched where ``pattern`` names a shape."""
    look = {"color": colour, "pattern": None if pattern is None else {"shape": pattern}}
    return trace(go.Bar, x=x, y=y, name=name, marker=look, **_words(hover, ""), **rest)


def cells(
    z: Any, name: str, hover: str, scale: Any, limits: tuple[float | None, float | None] = (None, None), *,
    strip: str = "", **rest: Any,
) -> go.Heatmap:  # fmt: skip
    """A matrix as colours between two limits; ``strip`` names the colour strip, else the name does.

    Zeros alone have the narrowest limits, so that a change from a moment to itself sets no scale for the other moments
    of its run.
    """
    low, high = (-1e-12, 1e-12) if limits == (0, 0) else limits
    return trace(
        go.Heatmap, z=z, name=name, zmin=low, zmax=high, colorscale=scale, colorbar=colourbar(strip or name),
        **_words(hover, ""), **rest,
    )  # fmt: skip


def stated(**kinds: Any) -> dict[str, Any] | None:
    """The ``meta`` of a trace, by the kinds of :data:`kernlab.pictures.base.SELECTED`; without those of no numbers."""
    return {kind: numbers for kind, numbers in kinds.items() if numbers is not None and np.size(numbers)} or None


def upright(x: float, **look: Any) -> dict[str, Any]:
    """The shape of a line over the whole height of a plot."""
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": look}


def _words(hover: str | None, extra: str) -> dict[str, str]:
    return {"hoverinfo": "skip"} if hover is None else {"hovertemplate": f"{hover}<extra>{extra}</extra>"}

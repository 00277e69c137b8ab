"""A Gram matrix as colour with its classes, the difference of two, and single rows as curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.gram import Difference, GramRows, GramView, Groups
from kernlab.plots.theme import CLASSES, DIVERGING, colourbar, figure

__all__ = ["plot_difference", "plot_gram", "plot_gram_rows"]

_NAMED = 30  # classes that have room for their names
_BORDER = {"color": "rgba(128,128,128,0.8)", "width": 1}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def plot_gram(view: GramView, *, what: str) -> go.Figure:
    """k(x_i, x_j) as colour, rows class by class.

    Args:
        view: the matrix.
        what: whose it is, for the title: "features", "exact" …
    """
    low, high = view.limits
    note = f"{len(view.values)} rows"
    if view.within is not None:
        note += f"; mean k within a class {view.within:.3g}"
    if view.between is not None:
        note += f", between classes {view.between:.3g}"
    # From zero where k is positive, so that a pale matrix is one whose entries are small.
    cells = _cells(view.values, "k(x, x')", "Cividis", (min(0.0, low), max(high, 1e-12)))
    return _matrix(cells, f"Gram matrix, {what}", note, view.groups, f"gram:{what}")


def plot_difference(view: Difference, *, what: str) -> go.Figure:
    """K − K' as colour, blue above zero.

    Args:
        view: the difference.
        what: of which two, for the title: "features − exact" …
    """
    limit = view.largest or 1.0
    note = f"{len(view.values)} rows; mean |difference| {view.mean:.3g}, largest {view.largest:.3g}, "
    note += f"in all {view.relative:.1%} of ‖K‖"
    cells = _cells(view.values, "difference", DIVERGING, (-limit, limit))
    return _matrix(cells, f"Gram matrix, {what}", note, view.groups, f"gram:{what}")


def plot_gram_rows(view: GramRows) -> go.Figure:
    """k(x_i, ·) over the sample, one curve a selected row; its own place carries a marker."""
    x = np.arange(view.n, dtype=np.int32)
    traces: list[Any] = []
    for order, row in enumerate(view.rows):
        colour, symbol = CLASSES[order % len(CLASSES)]
        name = f"row {row.row}" + (f" ({row.name})" if row.name else "")
        told = f"{name}: k(x, x) = {row.own:.3g}"
        traces += [
            go.Scatter(
                x=x,
                y=row.values,
                mode="lines",
                name=told,
                legendgroup=name,
                line={"color": colour, "width": 2, "dash": _DASHES[order % len(_DASHES)]},
                hovertemplate=f"{name}, column %{{x}}: k = %{{y:.3~g}}<extra></extra>",
            ),
            go.Scatter(
                x=[row.row],
                y=[row.own],
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=False,
                marker={"color": colour, "symbol": symbol, "size": 11},
                hovertemplate=f"{told}<extra></extra>",
            ),
        ]
    note = f"{len(view.rows)} of {view.wanted} selected rows" if len(view.rows) < view.wanted else ""
    return figure(
        traces,
        title="Rows of the Gram matrix",
        subtitle=note,
        x="row of the sample, class by class" if view.groups.names else "row of the sample, by target",
        y="k(x, x')",
        revision="gram-rows",
        xaxis=_ticks(view.groups),
        shapes=[
            {"type": "line", "x0": end - 0.5, "x1": end - 0.5, "yref": "paper", "y0": 0, "y1": 1, "line": _BORDER}
            for end in view.groups.ends[:-1]
        ],
    )


def _cells(values: Any, name: str, scale: Any, limits: tuple[float, float]) -> Any:
    return go.Heatmap(
        z=values,
        zmin=limits[0],
        zmax=limits[1],
        colorscale=scale,
        colorbar=colourbar(name),
        name=name,
        hovertemplate=f"row %{{y}}, column %{{x}}: {name} = %{{z:.3~g}}<extra></extra>",
    )


def _matrix(cells: Any, title: str, note: str, groups: Groups, revision: str) -> go.Figure:
    ends = groups.ends[:-1]
    n = len(cells.z)
    borders = [{"type": "line", "x0": end - 0.5, "x1": end - 0.5, "y0": -0.5, "y1": n - 0.5} for end in ends]
    borders += [{"type": "line", "y0": end - 0.5, "y1": end - 0.5, "x0": -0.5, "x1": n - 0.5} for end in ends]
    axis = {"showgrid": False, "zeroline": False, "constrain": "domain", **_ticks(groups)}
    words = "row, class by class" if groups.names else "row, by target"
    return figure(
        [cells],
        title=title,
        subtitle=note,
        x=words,
        y=words,
        revision=revision,
        xaxis=axis,
        yaxis={**axis, "autorange": "reversed", "scaleanchor": "x"},
        shapes=[{**each, "line": _BORDER} for each in borders],
    )


def _ticks(groups: Groups) -> dict[str, Any]:
    """Names of the classes in their middle, where there is room."""
    if not 0 < len(groups.names) <= _NAMED:
        return {}
    return {"tickvals": list(groups.middles), "ticktext": list(groups.names), "ticks": "", "showgrid": False}

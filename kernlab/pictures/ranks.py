"""The critical-difference diagram: average ranks on a line, and bars over what does not differ significantly.

The form is that of Demšar (2006), best on the left. Lines to names never cross: on each side the method nearest the
edge has the highest row.
"""

from __future__ import annotations

import math

import plotly.graph_objects as go

from kernlab.compare.ranks import AverageRanks
from kernlab.pictures.theme import GREY, figure, method_style

_BAR = 0.32  # rows between two bars


def plot_ranks(view: AverageRanks) -> go.Figure:
    """Average ranks of methods over data sets, with Nemenyi's critical difference.

    Args:
        view: what :func:`kernlab.compare.ranks.ranks` gave.
    """
    k = len(view.methods)
    side = max(1.0, 0.45 * k)  # room for names, in ranks
    top = _BAR * (len(view.cliques) + 1)  # the bars hang between the axis and the first name
    traces = []
    if view.critical is not None:
        traces.append(_bar([1, 1 + view.critical], -0.75, f"critical difference {view.critical:.3g}", 3))
    for place, clique in enumerate(view.cliques):
        ends = [view.average[view.methods.index(name)] for name in (clique[0], clique[-1])]
        words = f"not significantly different: {', '.join(clique)}"
        traces.append(_bar([ends[0] - 0.03, ends[1] + 0.03], _BAR * (place + 1), words, 6))
    left = math.ceil(k / 2)
    notes = []
    for place, (name, rank) in enumerate(zip(view.methods, view.average, strict=True)):
        first = place < left
        row = top + 0.75 * ((place if first else k - 1 - place) + 1)
        edge = 1 - side if first else k + side
        style = method_style(name)
        traces.append(
            go.Scatter(
                x=[rank, rank, edge],
                y=[0, row, row],
                mode="lines+markers",
                name=name,
                line={"color": style.colour, "width": 1.5},
                marker={"symbol": style.symbol, "size": [11, 0, 0], "color": style.colour},
                cliponaxis=False,
                showlegend=False,
                hovertemplate=f"{name}: average rank {rank:.3f}<extra></extra>",
            )
        )
        notes.append(
            {
                "x": edge,
                "y": row,
                "text": name,
                "showarrow": False,
                "xanchor": "left" if first else "right",
                "yanchor": "bottom",
                "font": {"size": 14},
                "borderpad": 0,
            }
        )
    if view.critical is not None:
        cd = {"x": 1, "y": -0.8, "text": f"CD = {view.critical:.2f}", "xanchor": "left", "yanchor": "bottom"}
        notes.append({**cd, "showarrow": False, "font": {"size": 14}})
    bottom = top + 0.75 * (left + 0.3)
    made = figure(
        traces,
        title="Average ranks over data sets",
        subtitle=_summary(view),
        x="average rank (1: best)",
        y="",
        revision=f"ranks:{k}:{len(view.datasets)}",
        annotations=notes,
        xaxis={
            "range": [1 - side - 0.05, max(k, 1) + side + 0.05],
            "tickvals": list(range(1, k + 1)),
            "side": "top",
            "anchor": "free",
            "position": 1,
            "showgrid": False,
            "zeroline": False,
            "showline": False,
        },
        yaxis={"range": [bottom, -1.4], "visible": False},
        margin={"t": 132},
        shapes=[{"type": "line", "x0": 1, "x1": max(k, 1), "y0": 0, "y1": 0, "line": {"color": GREY, "width": 2}}],
    )
    # The axis stands above, so the heading makes room for its name.
    return made.update_layout(title={"y": 1, "yanchor": "top", "yref": "container", "pad": {"t": 12}})


def _bar(x: list[float], y: float, words: str, width: float) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=[y, y],
        mode="lines",
        name=words,
        line={"color": GREY, "width": width},
        showlegend=False,
        hovertemplate=f"{words}<extra></extra>",
    )


def _summary(view: AverageRanks) -> str:
    if not view.datasets:
        return "no data set with results of every method yet"
    words = f"{len(view.datasets)} data set{'s' if len(view.datasets) > 1 else ''}"
    if view.critical is None:
        return f"{words}: too few for a test"
    if view.friedman is not None:
        words += f", Friedman p = {view.friedman:.2g}"
    return f"{words}<br>bars: no significant difference ({100 * view.level:g} %, Nemenyi)"

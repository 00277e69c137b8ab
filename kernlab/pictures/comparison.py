"""Methods on the same splits: curves with bands, every repeat, speed against accuracy, and average ranks.

The critical-difference diagram has the form of Demšar (2006), best on the left: average ranks on a line, and bars over
methods that do not differ significantly. Lines to names never cross: on each side the method nearest the edge has the
highest row.
"""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from kernlab.compare.bands import Bands
from kernlab.compare.ranks import AverageRanks
from kernlab.compare.summary import CONSTANT as NO_LEARNING
from kernlab.compare.summary import Row, Table
from kernlab.numerals import number
from kernlab.pictures.curves import constant_line
from kernlab.pictures.marks import dots, line
from kernlab.pictures.theme import GREY, fade, figure, method_style, role

_AXES = {"accuracy": "accuracy (%)", "rmse": "RMSE"}
_SPREADS = {"std": ("− std", "+ std", "bands: ± standard deviation"), "range": ("least", "greatest", "bands: range")}
_GOLDEN = 0.6180339887  # shifts repeats on the axis of methods, so that equal values are beside each other
_BAR = 0.32  # rows between two bars of average ranks


def plot_bands(view: Bands, *, constant: bool = False, log_x: bool = False) -> go.Figure:
    """Each method's mean over its repeats with a band around it.

    Args:
        view: of :func:`kernlab.compare.bands.bands`.
        constant: draw the constant predictor's line where it is known.
        log_x: logarithmic epochs.
    """
    metric, (under, over, note) = _AXES.get(view.metric, "metric"), _SPREADS[view.spread]
    traces = []
    for band in view.bands:
        style, name = method_style(band.method), band.method
        edge: dict[str, Any] = {"width": 0, "legendgroup": name, "showlegend": False}
        if band.n > 1:
            fill: dict[str, Any] = {"fill": "tonexty", "fillcolor": fade(style.colour, 0.18)}
            traces.append(line(band.x, band.low, f"{name} {under}", style.colour, None, **edge))
            traces.append(line(band.x, band.high, f"{name} {over}", style.colour, None, **edge, **fill))
        traces.append(line(
            band.x, band.mean, name, style.colour, f"{name}, mean of {band.n}: %{{y:.4~g}}", extra="epoch %{x:.4~g}",
            dash=style.dash, mode="lines+markers", legendgroup=name,
            marker={"symbol": style.symbol, "size": 9, "maxdisplayed": 8},
        ))  # fmt: skip
    if constant and view.constant is not None and view.bands:
        ends = [float(x) for band in view.bands for x in (band.x[0], band.x[-1])]
        traces.append(constant_line(view.constant, min(ends), max(ends)))
    counts = sorted({band.n for band in view.bands})
    notes = "" if not counts else f"{counts[0]} repeats" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} repeats"
    notes = "one repeat" if counts == [1] else f"{notes}, {note}"
    return figure(
        traces, title=f"{view.dataset}: {role(view.curve)[0]} {metric.split()[0]} over training",
        subtitle=notes if counts else "no curves yet", x="epoch", y=metric,
        revision=f"bands:{view.dataset}:{view.curve}:{log_x}", xaxis={"type": "log" if log_x else "linear"},
    )  # fmt: skip


def plot_repeats(table: Table) -> go.Figure:
    """Every repeat of a :func:`kernlab.compare.summary.summarise` table as a point, and a line at each method's mean.

    The constant predictor is named in words alone.
    """
    rows, traces = _drawn(table), []
    for place, row in enumerate(rows):
        style = method_style(row.method)
        points = [(j, s, v) for j, (s, v) in enumerate(zip(table.splits, row.values, strict=True)) if math.isfinite(v)]
        traces.append(dots(
            [value for _, _, value in points], [place + 0.5 * ((j * _GOLDEN) % 1 - 0.5) for j, _, _ in points],
            row.method, style.colour, f"{row.method}, seed %{{customdata}}: %{{x:.4~g}}", symbol=style.symbol,
            marker={"opacity": 0.75}, customdata=[seed for _, seed, _ in points], showlegend=False,
        ))  # fmt: skip
    colours = [method_style(row.method).colour for row in rows]
    traces.append(dots(
        [row.mean for row in rows], list(range(len(rows))), "mean", None, "mean %{x:.4~g}%{customdata}", size=26,
        symbol="line-ns", outline={"width": 3, "color": colours}, customdata=[_spread(row) for row in rows],
        showlegend=False,
    ))  # fmt: skip
    best = [row.method for row in rows if row.best]
    notes = [f"line: mean; best: {', '.join(best)}"] if best else []
    notes += [f"constant predictor: {number(table.constant, 4)}"] if table.constant is not None else []
    names = {"tickvals": list(range(len(rows))), "ticktext": [row.method for row in rows]}
    return figure(
        traces, title=f"{table.dataset}: every repeat", subtitle="; ".join(notes) if rows else "nothing finished yet",
        x=f"test {_AXES.get(table.metric, 'metric')}", y="method", revision=f"repeats:{table.dataset}",
        yaxis={**names, "range": [max(len(rows), 1) - 0.4, -0.6], "showgrid": False, "zeroline": False},
    )  # fmt: skip


def plot_speed(table: Table, *, tuning: bool = False) -> go.Figure:
    """Training time against the test metric, means with the metric's standard deviation.

    Args:
        table: of :func:`kernlab.compare.summary.summarise`.
        tuning: count the search for settings too.
    """
    traces = []
    for row in _drawn(table):
        style, trained, searched = method_style(row.method), row.seconds or 0.0, row.tuning_seconds or 0.0
        words = f"{row.method}: %{{y:.4~g}}{_spread(row)}<br>training {trained:.3g} s, search {searched:.3g} s"
        traces.append(dots(
            [trained + searched if tuning else trained], [row.mean], row.method, style.colour, words, size=13,
            symbol=style.symbol, outline={"width": 2, "color": style.colour},
            error_y={"array": [row.std or 0.0], "thickness": 1.5, "width": 4, "color": fade(style.colour, 0.6)},
        ))  # fmt: skip
    times = [trace.x[0] for trace in traces if trace.x[0] > 0] or [1.0]
    few = max(times) > 300 * min(times)
    ticks = [first * 10.0**power for power in range(-5, 7) for first in ((1,) if few else (1, 2, 5))]
    return figure(
        traces, title=f"{table.dataset}: speed against {'accuracy' if table.metric == 'accuracy' else 'error'}",
        subtitle=f"{'upper' if table.direction == 'more' else 'lower'} left is better; bars: ± standard deviation",
        x=f"training time{' and search' if tuning else ''} (s)", y=f"test {_AXES.get(table.metric, 'metric')}",
        revision=f"speed:{table.dataset}:{tuning}", legend={"entrywidth": 110},
        xaxis={"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]},
    )  # fmt: skip


def _drawn(table: Table) -> list[Row]:
    """Methods with results. A constant among them would press all others into a corner."""
    return [row for row in table.rows if row.n and row.method != NO_LEARNING]


def _spread(row: Row) -> str:
    return f" ± {row.std:.3g}" if row.std is not None else ""


def plot_ranks(view: AverageRanks) -> go.Figure:
    """Average ranks of methods over data sets, with Nemenyi's critical difference."""
    k = len(view.methods)
    side = max(1.0, 0.45 * k)  # room for names, in ranks
    top = _BAR * (len(view.cliques) + 1)  # the bars hang between the axis and the first name
    traces, notes = [], []
    if view.critical is not None:
        traces.append(_bar([1, 1 + view.critical], -0.75, f"critical difference {view.critical:.3g}", 3))
    for place, clique in enumerate(view.cliques):
        ends = [view.average[view.methods.index(name)] for name in (clique[0], clique[-1])]
        words = f"not significantly different: {', '.join(clique)}"
        traces.append(_bar([ends[0] - 0.03, ends[1] + 0.03], _BAR * (place + 1), words, 6))
    left = math.ceil(k / 2)
    for place, (name, rank) in enumerate(zip(view.methods, view.average, strict=True)):
        first = place < left
        row = top + 0.75 * ((place if first else k - 1 - place) + 1)
        edge, style = 1 - side if first else k + side, method_style(name)
        marker = {"symbol": style.symbol, "size": [11, 0, 0], "color": style.colour}
        traces.append(line(
            [rank, rank, edge], [0, row, row], name, style.colour, f"{name}: average rank {rank:.3f}", width=1.5,
            mode="lines+markers", marker=marker, cliponaxis=False, showlegend=False,
        ))  # fmt: skip
        notes.append(_label(edge, row, name, "left" if first else "right") | {"borderpad": 0})
    if view.critical is not None:
        notes.append(_label(1, -0.8, f"CD = {view.critical:.2f}", "left"))
    made = figure(
        traces, title="Average ranks over data sets", subtitle=_summary(view), x="average rank (1: best)", y="",
        revision=f"ranks:{k}:{len(view.datasets)}", annotations=notes, margin={"t": 132},
        xaxis={
            "range": [1 - side - 0.05, max(k, 1) + side + 0.05], "tickvals": list(range(1, k + 1)), "side": "top",
            "anchor": "free", "position": 1, "showgrid": False, "zeroline": False, "showline": False,
        },
        yaxis={"range": [top + 0.75 * (left + 0.3), -1.4], "visible": False},
        shapes=[{"type": "line", "x0": 1, "x1": max(k, 1), "y0": 0, "y1": 0, "line": {"color": GREY, "width": 2}}],
    )  # fmt: skip
    # The axis is above the plot, so the heading makes room for its name.
    return made.update_layout(title={"y": 1, "yanchor": "top", "yref": "container", "pad": {"t": 12}})


def _bar(x: list[float], y: float, words: str, width: float) -> go.Scatter:
    return line(x, [y, y], words, GREY, words, width=width, showlegend=False)


def _label(x: float, y: float, text: str, side: str) -> dict[str, Any]:
    where = {"x": x, "y": y, "xanchor": side, "yanchor": "bottom"}
    return {**where, "text": text, "showarrow": False, "font": {"size": 14}}


def _summary(view: AverageRanks) -> str:
    if not view.datasets:
        return "no data set with results of every method yet"
    words = f"{len(view.datasets)} data set{'s' if len(view.datasets) > 1 else ''}"
    if view.critical is None:
        return f"{words}: too few for a test"
    if view.friedman is not None:
        words += f", Friedman p = {view.friedman:.2g}"
    return f"{words}<br>bars: no significant difference ({100 * view.level:g} %, Nemenyi)"

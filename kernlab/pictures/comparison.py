"""Methods on the same splits: curves with bands, every repeat, speed against accuracy."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from kernlab.compare.bands import Bands
from kernlab.compare.summary import CONSTANT as NO_LEARNING
from kernlab.compare.summary import Row, Table
from kernlab.pictures.theme import CONSTANT, fade, figure, method_style, role

_AXES = {"accuracy": "accuracy (%)", "rmse": "RMSE"}


_SPREADS = {"std": ("− std", "+ std", "bands: ± standard deviation"), "range": ("least", "greatest", "bands: range")}


#: Added to a repeat's place on the axis, so that equal values stand beside each other.
_GOLDEN = 0.6180339887


def plot_bands(view: Bands, *, constant: bool = False, log_x: bool = False) -> go.Figure:
    """Each method's mean over its repeats with a band around it.

    Args:
        view: what :func:`kernlab.compare.bands.bands` gave.
        constant: draw the constant predictor's line where it is known.
        log_x: logarithmic epochs.
    """
    under, over, note = _SPREADS[view.spread]
    traces: list[Any] = []
    for band in view.bands:
        style = method_style(band.method)
        edge = {
            "x": band.x,
            "mode": "lines",
            "line": {"width": 0, "color": style.colour},
            "legendgroup": band.method,
            "showlegend": False,
            "hoverinfo": "skip",
        }
        if band.n > 1:
            traces.append(go.Scatter(y=band.low, name=f"{band.method} {under}", **edge))
            fill = {"fill": "tonexty", "fillcolor": fade(style.colour, 0.18)}
            traces.append(go.Scatter(y=band.high, name=f"{band.method} {over}", **edge, **fill))
        traces.append(
            go.Scatter(
                x=band.x,
                y=band.mean,
                mode="lines+markers",
                name=band.method,
                legendgroup=band.method,
                line={"color": style.colour, "dash": style.dash, "width": 2.5},
                marker={"symbol": style.symbol, "size": 9, "maxdisplayed": 8},
                hovertemplate=f"{band.method}, mean of {band.n}: %{{y:.4~g}}<extra>epoch %{{x:.4~g}}</extra>",
            )
        )
    if constant and view.constant is not None and view.bands:
        ends = [float(x) for band in view.bands for x in (band.x[0], band.x[-1])]
        traces.append(
            go.Scatter(
                x=[min(ends), max(ends)],
                y=[view.constant] * 2,
                mode="lines",
                name="constant predictor",
                line={"color": CONSTANT.colour, "dash": CONSTANT.dash, "width": 2},
                hovertemplate="constant predictor: %{y:.4~g}<extra></extra>",
            )
        )
    counts = sorted({band.n for band in view.bands})
    notes = "" if not counts else f"{counts[0]} repeats" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} repeats"
    notes = "one repeat" if counts == [1] else f"{notes}, {note}"
    return figure(
        traces,
        title=f"{view.dataset}: {role(view.curve)[0]} {_AXES.get(view.metric, 'metric').split()[0]} over training",
        subtitle=notes if counts else "no curves yet",
        x="epoch",
        y=_AXES.get(view.metric, "metric"),
        revision=f"bands:{view.dataset}:{view.curve}:{log_x}",
        xaxis={"type": "log" if log_x else "linear"},
    )


def plot_repeats(table: Table) -> go.Figure:
    """Every repeat as a point, and a line at each method's mean; the constant predictor in words alone.

    Args:
        table: what :func:`kernlab.compare.summary.summarise` gave for a data set.
    """
    traces: list[Any] = []
    rows = _drawn(table)
    for place, row in enumerate(rows):
        style = method_style(row.method)
        points = [(j, s, v) for j, (s, v) in enumerate(zip(table.splits, row.values, strict=True)) if math.isfinite(v)]
        traces.append(
            go.Scatter(
                x=[value for _, _, value in points],
                y=[place + 0.5 * ((j * _GOLDEN) % 1 - 0.5) for j, _, _ in points],
                customdata=[seed for _, seed, _ in points],
                mode="markers",
                name=row.method,
                showlegend=False,
                marker={"color": style.colour, "symbol": style.symbol, "size": 8, "opacity": 0.75},
                hovertemplate=f"{row.method}, seed %{{customdata}}: %{{x:.4~g}}<extra></extra>",
            )
        )
    traces.append(
        go.Scatter(
            x=[row.mean for row in rows],
            y=list(range(len(rows))),
            customdata=[_spread(row) for row in rows],
            mode="markers",
            name="mean",
            marker={
                "symbol": "line-ns",
                "size": 26,
                "line": {"width": 3, "color": [method_style(row.method).colour for row in rows]},
            },
            showlegend=False,
            hovertemplate="mean %{x:.4~g}%{customdata}<extra></extra>",
        )
    )
    best = [row.method for row in rows if row.best]
    notes = [f"line: mean; best: {', '.join(best)}"] if best else []
    notes += [f"constant predictor: {table.constant:.4g}"] if table.constant is not None else []
    return figure(
        traces,
        title=f"{table.dataset}: every repeat",
        subtitle="; ".join(notes) if rows else "nothing finished yet",
        x=f"test {_AXES.get(table.metric, 'metric')}",
        y="method",
        revision=f"repeats:{table.dataset}",
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": [row.method for row in rows],
            "range": [max(len(rows), 1) - 0.4, -0.6],
            "showgrid": False,
            "zeroline": False,
        },
    )


def plot_speed(table: Table, *, tuning: bool = False) -> go.Figure:
    """Training time against the test metric, means with the metric's standard deviation.

    Args:
        table: what :func:`kernlab.compare.summary.summarise` gave for a data set.
        tuning: count the search for settings too.
    """
    traces = []
    for row in _drawn(table):
        style, trained, searched = method_style(row.method), row.seconds or 0.0, row.tuning_seconds or 0.0
        outline = {"width": 2, "color": style.colour}
        traces.append(
            go.Scatter(
                x=[trained + searched if tuning else trained],
                y=[row.mean],
                mode="markers",
                name=row.method,
                marker={"color": style.colour, "symbol": style.symbol, "size": 13, "line": outline},
                error_y={"array": [row.std or 0.0], "thickness": 1.5, "width": 4, "color": fade(style.colour, 0.6)},
                hovertemplate=f"{row.method}: %{{y:.4~g}}{_spread(row)}<br>training {trained:.3g} s, "
                f"search {searched:.3g} s<extra></extra>",
            )
        )
    times = [trace.x[0] for trace in traces if trace.x[0] > 0] or [1.0]
    few = max(times) > 300 * min(times)
    ticks = [first * 10.0**power for power in range(-5, 7) for first in ((1,) if few else (1, 2, 5))]
    return figure(
        traces,
        title=f"{table.dataset}: speed against {'accuracy' if table.metric == 'accuracy' else 'error'}",
        subtitle=f"{'upper' if table.direction == 'more' else 'lower'} left is better; bars: ± standard deviation",
        x=f"training time{' and search' if tuning else ''} (s)",
        y=f"test {_AXES.get(table.metric, 'metric')}",
        revision=f"speed:{table.dataset}:{tuning}",
        xaxis={"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]},
        legend={"entrywidth": 110},
    )


def _drawn(table: Table) -> list[Row]:
    """Methods with results. A constant among them would press all others into a corner."""
    return [row for row in table.rows if row.n and row.method != NO_LEARNING]


def _spread(row: Row) -> str:
    return f" ± {row.std:.3g}" if row.std is not None else ""

"""Our figures beside the printed ones: a point for each method on each data set, and the line where both agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from kernlab.pictures.marks import FROM_ZERO, dots, line
from kernlab.pictures.theme import GREY, fade, figure, method_style

#: Words and unit of a metric. Of accuracy more is better, of the others less.
METRICS = {
    "accuracy": "accuracy (%)",
    "rmse": "RMSE (targets in [0, 100])",
    "mse": "MSE (targets in [0, 1])",
    "train_seconds": "training time (s)",
}
_TICKS = [first * 10.0**power for power in range(-4, 5) for first in (1, 2, 5)]


def plot_beside(rows: Sequence[Mapping[str, Any]], metric: str) -> go.Figure:
    """Our mean over the printed mean, each with its standard deviation.

    Args:
        rows: with ``dataset``, ``method``, ``metric``, ``mean``, ``std``, ``published_mean``, ``published_std`` and
            ``mark``; those without one of the means, or of other metrics, are left out.
        metric: "accuracy", "rmse", "mse" or "train_seconds". Errors and times have logarithmic axes.

    Marked figures, of which nothing is claimed, are pale and have no bars.
    """
    words, more = METRICS.get(metric, metric), metric == "accuracy"
    drawn = [row for row in rows if row["metric"] == metric and None not in (row["mean"], row["published_mean"])]
    traces: list[Any] = []
    bars = [
        float(row[mean]) + side * float(row[std] or 0.0)
        for row in drawn
        for mean, std in (("mean", "std"), ("published_mean", "published_std"))
        for side in (-1, 0, 1)
    ]
    ends = [end for end in bars if more or end > 0]
    axis: dict[str, Any] = {} if more else {"type": "log", "tickvals": _TICKS, "ticktext": [f"{t:g}" for t in _TICKS]}
    if ends:
        margin = 0.05 * (max(ends) - min(ends)) or 1.0
        low, high = (min(ends) - margin, max(ends) + margin) if more else (min(ends) / 1.3, max(ends) * 1.3)
        axis["range"] = [low, high] if more else [math.log10(low), math.log10(high)]
        traces.append(line([low, high], [low, high], "the same", GREY, None, width=2, dash="dot"))
    for method in dict.fromkeys(row["method"] for row in drawn):
        mine = [row for row in drawn if row["method"] == method]
        plain, marked = ([row for row in mine if bool(row["mark"]) is off] for off in (False, True))
        for part, pale in ((plain, False), (marked, True)):
            if part:
                traces.append(_points(part, method, pale=pale, named=not pale or not plain))
    side = "above" if more else "below"
    claim = "faster, on another machine" if metric == "train_seconds" else "better"
    note = "; pale: off the stated scale" if any(row["mark"] for row in drawn) else ""
    return figure(
        traces, title=f"Ours against the printed: {words.split(' (')[0]}",
        subtitle=f"{side} the line: ours {claim}{note}" if drawn else "nothing to draw yet", x=f"printed {words}",
        y=f"our {words}", revision=f"beside:{metric}", xaxis=axis, yaxis=axis,
    )  # fmt: skip


def _points(rows: Sequence[Mapping[str, Any]], method: str, *, pale: bool, named: bool) -> go.Scatter:
    style = method_style(method)
    spread = {"thickness": 1.5, "width": 3, "color": fade(style.colour, 0.6), "visible": not pale}
    return dots(
        [row["published_mean"] for row in rows], [row["mean"] for row in rows], method, style.colour,
        f"{method} on %{{customdata}}<br>ours %{{y:.4~g}}, printed %{{x:.4~g}}", size=11, symbol=style.symbol,
        outline={"width": 2, "color": style.colour}, legendgroup=method, showlegend=named, opacity=0.4 if pale else 1.0,
        error_x={**spread, "array": [row["published_std"] or 0.0 for row in rows]},
        error_y={**spread, "array": [row["std"] or 0.0 for row in rows]},
        customdata=[row["dataset"] + (f"<br>{row['mark']}" if row["mark"] else "") for row in rows],
    )  # fmt: skip


def plot_measured(rows: Sequence[Mapping[str, Any]], key: str, words: str) -> go.Figure:
    """One measurement of every row as a point, with what was printed of it beside, where anything was.

    Args:
        rows: with ``key``, perhaps ``<key>_std`` and ``published_<key>``; named by ``method``, and by ``example`` or
            by ``dataset`` and ``D``.
        key: what is drawn.
        words: what that is, with its unit.
    """
    places = [_place(row) for row in rows]
    styles = [method_style(str(row["method"]).split(" ")[0]) for row in rows]
    spread = {"array": [row.get(f"{key}_std") or 0.0 for row in rows], "thickness": 1.5, "width": 4}
    colours, symbols = [style.colour for style in styles], [style.symbol for style in styles]
    traces = [dots(
        [row[key] for row in rows], places, "ours", colours, "%{y}: ours %{x:.4~g}", size=12, symbol=symbols,
        outline={"width": 2, "color": colours},
        error_x={**spread, "visible": any(row.get(f"{key}_std") for row in rows)},
    )]  # fmt: skip
    printed = [(row[f"published_{key}"], place) for row, place in zip(rows, places, strict=True)
               if row.get(f"published_{key}") is not None]  # fmt: skip
    if printed:
        traces.append(dots(
            [value for value, _ in printed], [place for _, place in printed], "printed", GREY,
            "%{y}: printed %{x:.4~g}", size=22, symbol="line-ns", outline={"width": 3, "color": GREY},
        ))  # fmt: skip
    return figure(
        traces, title=words[0].upper() + words[1:], subtitle="upright lines: printed" if printed else "", x=words,
        y="method", revision=f"measured:{key}", xaxis=FROM_ZERO,
        yaxis={"categoryorder": "array", "categoryarray": places[::-1], "tickvals": places},
    )  # fmt: skip


def _place(row: Mapping[str, Any]) -> str:
    width = f" D = {row['D']}" if "D" in row else ""
    return f"{row.get('example') or row.get('dataset')}{width}: {row['method']}"

"""Objective, loss and metric curves, of one run or of several laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.curves import Curve, Curves
from kernlab.plots.theme import CONSTANT, fade, figure, method_style, role

__all__ = ["plot_curves"]

_OVERLAY_DASHES = ("solid", "dot", "dash", "dashdot", "longdash")


def plot_curves(
    runs: Curves | Sequence[Curves],
    *,
    title: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
    constant: bool = False,
) -> go.Figure:
    """Curves of one run (coloured by what they are) or several (coloured by method, dashed by what they are).

    Args:
        runs: what :func:`kernlab.analysis.curves.curves` gave.
        title: heading.
        y: name of the y-axis with its unit.
        log_x, log_y: logarithmic axes.
        constant: draw the constant predictor's line where it is known.
    """
    every = [runs] if isinstance(runs, Curves) else list(runs)
    single = len(every) == 1
    traces: list[Any] = []
    for run in every:
        for place, curve in enumerate(run.curves):
            words, colour, dash = role(curve.name)
            line = {"color": colour, "dash": dash, "width": 2.5}
            marker: dict[str, Any] = {}
            if not single:
                style = method_style(run.method)
                line |= {"color": style.colour, "dash": _OVERLAY_DASHES[place % len(_OVERLAY_DASHES)]}
                marker = {"symbol": style.symbol, "size": 9, "maxdisplayed": 12}
                words = f"{run.label or run.method} {words}"
            traces += _traces(curve, words, run.axis, line, marker)
    told = next((run.constant for run in every if run.constant is not None), None)
    if constant and told is not None:
        ends = [x for run in every for curve in run.curves for x in (curve.x[0], curve.x[-1])] or [0, 1]
        traces.append(
            go.Scatter(
                x=[min(ends), max(ends)],
                y=[told, told],
                mode="lines",
                name="constant predictor",
                line={"color": CONSTANT.colour, "dash": CONSTANT.dash, "width": 2},
                hovertemplate="constant predictor: %{y:.4~g}<extra></extra>",
            )
        )
    axis = every[0].axis if every else "epoch"
    return figure(
        traces,
        title=title,
        subtitle=_note(every),
        x=axis if axis == "epoch" else "step (mini-batches)",
        y=y,
        revision=f"{title}:{axis}:{log_x}:{log_y}",
        xaxis={"type": "log" if log_x else "linear"},
        yaxis={"type": "log" if log_y else "linear", "exponentformat": "power" if log_y else "none"},
        hovermode="x unified" if single else "closest",
    )


def _traces(curve: Curve, words: str, axis: str, line: dict[str, Any], marker: dict[str, Any]) -> list[Any]:
    faint = go.Scatter(
        x=curve.raw_x,
        y=curve.raw_y,
        mode="lines",
        name=f"{words} (raw)",
        legendgroup=words,
        showlegend=False,
        hoverinfo="skip",
        line={"color": fade(line["color"], 0.3), "width": 1},
    )
    strong = go.Scatter(
        x=curve.x,
        y=curve.y,
        mode="lines+markers" if marker or len(curve.x) == 1 else "lines",
        name=words,
        legendgroup=words,
        line=line,
        marker=marker,
        hovertemplate=f"{words}: %{{y:.4~g}}<extra>{axis} %{{x:.4~g}}</extra>",
    )
    return [faint, strong] if len(curve.raw_x) else [strong]


def _note(runs: Sequence[Curves]) -> str:
    every = [curve for run in runs for curve in run.curves]
    thinned = next((curve for curve in every if curve.thinned), None)
    notes = [f"{len(thinned.x)} of {thinned.total} points drawn"] if thinned else []
    dropped = sum(curve.dropped for curve in every)
    notes += [f"{dropped} values not finite"] if dropped else []
    return ", ".join(notes)

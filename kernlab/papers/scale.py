"""Printed errors divided by that of the constant predictor: some cannot be on the scale that their table states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from kernlab.compare.summary import OFF_SCALE, Published
from kernlab.papers.base import upright
from kernlab.papers.tables import printed
from kernlab.pictures.theme import GREY, figure, method_style


class OverConstant(NamedTuple):
    """A printed error divided by that of the constant predictor on the stated scale."""

    figure: Published  #: the printed error
    ratio: float  #: above 1 the printed error is worse than predicting the mean


def against_constant(figures: Iterable[Published]) -> tuple[OverConstant, ...]:
    """The ratio of every printed RMSE or MSE to the constant predictor's, if that is known."""
    return tuple(OverConstant(each, each.mean / each.constant) for each in figures if each.constant)


def plot_against_constant(view: Sequence[OverConstant], title: str = "Printed error over constant's") -> go.Figure:
    """Every printed error as a multiple of the error of predicting the mean."""
    datasets = list(dict.fromkeys(each.figure.dataset for each in view))
    methods = list(dict.fromkeys(each.figure.method for each in view))
    off = sum(each.ratio > 1 for each in view)
    traces: list[Any] = []
    for method in methods:
        style = method_style(method)
        outline = {"width": 2, "color": style.colour}
        mine = [each for each in view if each.figure.method == method]
        traces.append(
            go.Scatter(
                x=[each.ratio for each in mine],
                y=[each.figure.dataset for each in mine],
                customdata=[
                    f"printed {each.figure.mean:g}, constant {each.figure.constant:.4g}"
                    + (f"<br>{OFF_SCALE}" if each.ratio > 1 else "")
                    for each in mine
                ],
                mode="markers",
                name=method,
                marker={"color": style.colour, "symbol": style.symbol, "size": 11, "line": outline},
                hovertemplate=f"{method} on %{{y}}: %{{x:.3~g}} times the constant<br>%{{customdata}}<extra></extra>",
            )
        )
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
    return figure(
        traces,
        title=title,
        subtitle=f"right of the line: worse ({off} of {len(view)})",
        x="printed error / error of the constant predictor",
        y="data set",
        revision=f"against:{'-'.join(datasets)}",
        xaxis={"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]},
        yaxis={"categoryorder": "array", "categoryarray": datasets[::-1], "tickvals": datasets},
        shapes=[upright(1, GREY)],
    )


def scale_of(table: str) -> tuple[Callable[[], Any], Callable[[Any], go.Figure]]:
    """The numbers and the drawing of a :class:`kernlab.papers.base.Mistake` about a table's scale."""
    return lambda: against_constant(printed(table)), plot_against_constant

"""Results of a run, head by head: training and test metric beside the constant predictor's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import plotly.graph_objects as go

from kernlab.pictures.base import At, picture
from kernlab.pictures.curves import metric_name
from kernlab.pictures.marks import FROM_ZERO, bars
from kernlab.pictures.theme import CONSTANT, figure, role


class HeadResult(NamedTuple):
    """One head's training and test metric; None where it was not measured."""

    head: str
    train: float | None
    test: float | None


class Results(NamedTuple):
    """Every head of one method."""

    heads: tuple[HeadResult, ...]  # the results, the model's own head first
    constant: float | None  # the constant predictor's test metric, None where it is unknown
    percent: bool  # the metric is an accuracy in percent; else an error


def results(
    values: Mapping[str, float],
    names: Mapping[str, str],
    *,
    heads: Mapping[str, Mapping[str, Any]] | None = None,
    constant: float | None = None,
    percent: bool = True,
) -> Results:
    """Results of one moment.

    Args:
        values: ``train_metric`` and ``test_metric`` of the model's own head.
        names: head to its title, the model's own first.
        heads: head to its ``train_metric`` and ``test_metric``, where all were measured (at a run's end).
        constant, percent: as in :class:`Results`.
    """
    first = next(iter(names))
    measured = heads or {first: values}
    found = tuple(
        HeadResult(title, measured[head].get("train_metric"), measured[head].get("test_metric"))
        for head, title in names.items()
        if head in measured
    )
    return Results(found, constant, percent)


def plot_results(view: Results, *, y: str) -> go.Figure:
    """Two bars a head, each with its number above; ``y`` is the name of the metric with its unit."""
    every = [value for result in view.heads for value in (result.train, result.test) if value is not None]
    digits = ".1f" if view.percent else ".3~s" if max(every, default=0) >= 1000 else ".3~g"
    heads, traces, shapes = [result.head for result in view.heads], [], []
    for part, pattern in (("train", "/"), ("test", "")):
        words, colour, _ = role(f"{part}_metric")
        values, hover = [getattr(result, part) for result in view.heads], f"{words}, %{{x}}: %{{y:.4~g}}"
        traces.append(bars(
            heads, values, words, colour, hover, pattern=pattern, texttemplate=f"%{{y:{digits}}}",
            textposition="outside", textfont={"size": 15}, cliponaxis=False,
        ))  # fmt: skip
    if view.constant is not None:
        shapes.append({
            "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": view.constant, "y1": view.constant,
            "line": {"color": CONSTANT.colour, "dash": CONSTANT.dash, "width": 2}, "name": "constant predictor",
            "showlegend": True,
        })  # fmt: skip
    return figure(
        traces, title="Results", x="", y=y, revision="results", barmode="group", bargap=0.4, shapes=shapes,
        xaxis={"tickangle": 0},
        yaxis={"range": [0, 110], "tickvals": [0, 20, 40, 60, 80, 100]} if view.percent else FROM_ZERO,
    )  # fmt: skip


#: Heads whose titles are too long for an axis.
_SHORT = {
    "joint": "linear", "linear_svm": "linear SVM", "kernel_ridge": "kernel ridge", "svc": "SVC", "epsilon_svr": "ε-SVR",
    "nu_svr": "ν-SVR",
}  # fmt: skip


def head_words(name: str) -> str:
    """A head in a word or two."""
    return _SHORT.get(name, name)


@picture("overview", alt="Training and test metric of every head as bars", metrics=("test_metric",), height=360,
         when=lambda at: at.run.at_once, over_time=True)  # fmt: skip
def draw_reached(at: At) -> go.Figure:
    """Training and test metric of every head."""
    names = {head.name: head_words(head.name) for head in at.method.heads} if at.method else {"": at.run.run.method}
    found = results(
        at.moment.values, names, heads=at.run.run.summary.get("heads") if at.moment.latest else None,
        constant=at.facts.get("constant"), percent=at.facts.get("metric") == "accuracy",
    )  # fmt: skip
    return plot_results(found, y=metric_name(at.facts))

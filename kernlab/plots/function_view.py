"""The learned function: regions, surface, curve, scores, projection."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.function_view import FunctionView, Line, Points, Projection, Regions, Scores, Surface
from kernlab.plots.theme import BLUE, GREY, VERMILLION, class_style, colourbar, fade, figure

__all__ = [
    "plot_function",
    "plot_line",
    "plot_projection",
    "plot_regions",
    "plot_scores",
    "plot_surface",
]


def plot_function(view: FunctionView) -> go.Figure:
    """The figure that fits what :func:`kernlab.analysis.function_view.function_view` gave."""
    return _plot(view)


@singledispatch
def _plot(view: Any) -> go.Figure:
    raise TypeError(f"no picture for {type(view).__name__}")


@_plot.register
def plot_regions(view: Regions) -> go.Figure:
    """Decision regions: the colour is the class, its strength the margin; training points on top."""
    heat = go.Heatmap(
        x=view.x,
        y=view.y,
        z=view.ink,
        text=np.array(view.classes, object)[view.codes],
        customdata=view.margin,
        zmin=0,
        zmax=len(view.classes),
        colorscale=_class_scale(len(view.classes)),
        showscale=False,
        name="prediction",
        hovertemplate=f"predicted %{{text}}, margin %{{customdata:.2~f}}"
        f"<br>{view.features[0]} %{{x:.3~g}}, {view.features[1]} %{{y:.3~g}}<extra></extra>",
    )
    traces = [heat, *(_cloud(view.points, code, label) for code, label in enumerate(view.classes))]
    return _plane(traces, "Decision regions", _sampled(view.points), view.features)


@_plot.register
def plot_surface(view: Surface) -> go.Figure:
    """The regression function as colour, the training targets as points in the same colours."""
    low, high = view.limits
    shared = {"colorscale": "Cividis", "showscale": False}
    traces = [
        go.Heatmap(
            x=view.x,
            y=view.y,
            z=view.values,
            zmin=low,
            zmax=high,
            zsmooth="best",
            colorscale="Cividis",
            colorbar=colourbar(view.target),
            name="prediction",
            hovertemplate=f"predicted %{{z:.4~g}}<br>{view.features[0]} %{{x:.3~g}}, "
            f"{view.features[1]} %{{y:.3~g}}<extra></extra>",
        ),
        go.Scatter(
            x=view.points.x,
            y=view.points.y,
            mode="markers",
            name="training points",
            marker={
                "color": view.points.value,
                "cmin": low,
                "cmax": high,
                "size": 8,
                "line": {"color": "white", "width": 1},
                **shared,
            },
            hovertemplate="target %{marker.color:.4~g}<extra></extra>",
        ),
    ]
    return _plane(traces, "Regression surface", _sampled(view.points), view.features)


@_plot.register
def plot_line(view: Line) -> go.Figure:
    """The regression curve, the training points, and the noise-free function where it is known."""
    traces = [
        go.Scatter(
            x=view.points.x,
            y=view.points.y,
            mode="markers",
            name="training points",
            marker={"color": fade(GREY, 0.55), "size": 6},
            hovertemplate=f"{view.feature} %{{x:.4~g}}: {view.target} %{{y:.4~g}}<extra></extra>",
        ),
        go.Scatter(
            x=view.x,
            y=view.y,
            mode="lines",
            name="prediction",
            line={"color": BLUE, "width": 3},
            hovertemplate=f"{view.feature} %{{x:.4~g}}: predicted %{{y:.4~g}}<extra></extra>",
        ),
    ]
    if view.true is not None:
        traces.append(
            go.Scatter(
                x=view.x,
                y=view.true,
                mode="lines",
                name="without noise",
                line={"color": VERMILLION, "width": 2, "dash": "dash"},
                hovertemplate=f"{view.feature} %{{x:.4~g}}: true %{{y:.4~g}}<extra></extra>",
            )
        )
    note = f"{len(view.x)} of {view.total} positions drawn" if len(view.x) < view.total else _sampled(view.points)
    return figure(
        traces, title="Regression curve", subtitle=note, x=view.feature, y=view.target, revision="function:line"
    )


@_plot.register
def plot_scores(view: Scores) -> go.Figure:
    """One score a class over the input; the highest decides. Training points lie in rows beneath."""
    traces: list[Any] = []
    for code, label in enumerate(view.classes):
        colour, symbol = class_style(code)
        dash = ("solid", "dash", "dot", "dashdot", "longdash")[code % 5]
        traces.append(
            go.Scatter(
                x=view.x,
                y=view.values[:, code],
                mode="lines",
                name=label,
                legendgroup=label,
                line={"color": colour, "width": 2.5, "dash": dash},
                hovertemplate=f"{label}: score %{{y:.3~g}} at %{{x:.3~g}}<extra></extra>",
            )
        )
        mine = view.points.value == code
        traces.append(
            go.Scatter(
                x=view.points.x[mine],
                y=view.points.y[mine],
                mode="markers",
                name=f"{label}: training points",
                legendgroup=label,
                showlegend=False,
                marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.7},
                hovertemplate=f"{label} at %{{x:.3~g}}<extra></extra>",
            )
        )
    return figure(
        traces,
        title="Class scores",
        subtitle=_sampled(view.points),
        x=view.feature,
        y="score f(x)",
        revision="function:scores",
    )


@_plot.register
def plot_projection(view: Projection) -> go.Figure:
    """Test points in their principal plane, coloured by prediction; misclassified ones carry a cross."""
    note = f"{len(view.x)} of {view.total} points" if len(view.x) < view.total else f"{view.total} points"
    if not view.classes:
        traces = [
            go.Scatter(
                x=view.x,
                y=view.y,
                mode="markers",
                name="test points",
                customdata=view.true,
                marker={
                    "color": view.predicted,
                    "colorscale": "Cividis",
                    "cmin": float(view.true.min()),
                    "cmax": float(view.true.max()),
                    "showscale": True,
                    "size": 8,
                    "line": {"color": fade(GREY, 0.5), "width": 0.5},
                    "colorbar": colourbar(view.target),
                },
                hovertemplate="predicted %{marker.color:.4~g}, true %{customdata:.4~g}<extra></extra>",
            )
        ]
        subtitle = f"test points: {note}, RMSE {view.score:.3g}"
    else:
        traces = []
        for code in np.unique(view.predicted).tolist():
            mine = view.predicted == code
            colour, symbol = class_style(code)
            traces.append(
                go.Scatter(
                    x=view.x[mine],
                    y=view.y[mine],
                    mode="markers",
                    name=view.classes[code],
                    text=[view.classes[true] for true in view.true[mine]],
                    marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.8},
                    hovertemplate=f"predicted {view.classes[code]}, true %{{text}}<extra></extra>",
                )
            )
        wrong = view.wrong
        traces.append(
            go.Scatter(
                x=view.x[wrong],
                y=view.y[wrong],
                mode="markers",
                name="wrong",
                marker={"symbol": "x-thin-open", "size": 11, "line": {"width": 2, "color": GREY}, "color": GREY},
                hoverinfo="skip",
            )
        )
        subtitle = f"test points: {note}, {view.score:.1%} right"
    return figure(
        traces,
        title="Predictions in the principal plane",
        subtitle=subtitle,
        x="principal component 1",
        y="component 2",
        revision="function:projection",
    )


def _class_scale(classes: int) -> list[list[Any]]:
    """A colour scale that jumps at each whole number, and fades in from it."""
    scale: list[list[Any]] = []
    for code in range(classes):
        colour = class_style(code)[0]
        scale += [[code / classes, fade(colour, 0.1)], [(code + 1) / classes, fade(colour, 0.65)]]
    return scale


def _cloud(points: Points, code: int, label: str) -> Any:
    mine = points.value == code
    colour, symbol = class_style(code)
    return go.Scatter(
        x=points.x[mine],
        y=points.y[mine],
        mode="markers",
        name=label,
        marker={"color": colour, "symbol": symbol, "size": 7, "line": {"color": "white", "width": 1}},
        hovertemplate=f"training point of {label}<br>%{{x:.3~g}}, %{{y:.3~g}}<extra></extra>",
    )


def _plane(traces: list[Any], title: str, note: str, features: tuple[str, str]) -> go.Figure:
    return figure(
        traces,
        title=title,
        subtitle=note,
        x=features[0],
        y=features[1],
        revision=f"function:{title}",
        xaxis={"showgrid": False, "zeroline": False},
        yaxis={"showgrid": False, "zeroline": False},
    )


def _sampled(points: Points) -> str:
    return f"{len(points.x)} of {points.total} training points drawn" if len(points.x) < points.total else ""

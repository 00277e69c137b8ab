"""What the learned function looks like, in the view that suits the data.

d = 2   decision regions, or the regression surface
d = 1   the regression curve, or one score per class
d > 2   a projection of test points, coloured by what is predicted for them
pictures as inputs   the frequencies themselves, as pictures
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError
from kernlab.pictures.base import At, picture
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, class_style, colourbar, fade, figure, without_crowded_legend
from kernlab.pictures.thinning import MAX_POINTS, spread, thin

#: Training points drawn over a function at most.
CLOUD = 800


class Points(NamedTuple):
    """A cloud of data points.

    Attributes:
        x, y: coordinates in original units [p].
        value: class codes, or targets [p].
        total: points before an even sample of them was taken.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    value: NDArray[Any]
    total: int


class Regions(NamedTuple):
    """Decision regions over a grid.

    Attributes:
        x, y: coordinates of columns [c] and rows [r], original units.
        codes: predicted class f: argmax_k f_k(x) [r c].
        margin: f_top − f_second ≥ 0 [r c].
        ink: code + shade [r c], where shade in [0, 0.99] is the margin over its 95 % quantile: 0 on a
            boundary. One number a cell that holds class and strength, for one colour scale.
        points: training points with class codes.
        classes: K labels.
        features: names of the two inputs.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    codes: NDArray[np.int16]
    margin: NDArray[np.float32]
    ink: NDArray[np.float32]
    points: Points
    classes: tuple[str, ...]
    features: tuple[str, str]


class Surface(NamedTuple):
    """A regression function over a grid.

    Attributes:
        x, y: coordinates of columns [c] and rows [r], original units.
        values: predictions [r c].
        points: training points with their targets.
        limits: one colour range for predictions and targets.
        features: names of the two inputs.
        target: name of the output.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    values: NDArray[np.float32]
    points: Points
    limits: tuple[float, float]
    features: tuple[str, str]
    target: str


class Line(NamedTuple):
    """A regression function of one input.

    Attributes:
        x, y: the prediction, x ascending [v].
        true: the noise-free function at x [v], None where it is unknown.
        points: training points; ``y`` and ``value`` are both the target.
        feature, target: names of input and output.
        total: positions before thinning.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    true: NDArray[np.float32] | None
    points: Points
    feature: str
    target: str
    total: int


class Scores(NamedTuple):
    """The class scores over one input.

    Attributes:
        x: positions, ascending [v].
        values: f_k(x) [v K].
        points: training points; ``y`` places class k in its own row under the curves.
        classes: K labels.
        feature: name of the input.
    """

    x: NDArray[np.float32]
    values: NDArray[np.float32]
    points: Points
    classes: tuple[str, ...]
    feature: str


class Projection(NamedTuple):
    """Predictions on test points, drawn in the plane of the inputs' first two principal components.

    Attributes:
        x, y: coordinates [v].
        predicted, true: class codes, or outputs [v].
        wrong: misclassified [v]; all False for regression.
        classes: K labels, empty for regression.
        target: name of the output (regression).
        total: points before an even sample of them was taken.
        score: share classified rightly, or RMSE, over the points before sampling.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    predicted: NDArray[Any]
    true: NDArray[Any]
    wrong: NDArray[np.bool_]
    classes: tuple[str, ...]
    target: str
    total: int
    score: float


FunctionView: TypeAlias = Regions | Surface | Line | Scores | Projection


def function_view(
    snapshot: Mapping[str, Any], static: Mapping[str, Any], facts: Mapping[str, Any], *, output: int = 0
) -> FunctionView:
    """The view of the function that suits the data, chosen by ``facts["view"]`` and ``facts["task"]``.

    Args:
        snapshot: arrays of one moment; ``view_scores`` [v K].
        static: arrays of the run: ``view_axes``, ``view_projection``, ``view_labels``, ``data_points``,
            ``data_targets``.
        facts: the run's facts: view, view_grid, task, feature_names, classes (of a regression: the outputs).
        output: which of the K regression outputs.

    Raises:
        OptionError: there is no such output.
    """
    predicted = _columns(snapshot["view_scores"])
    classify = facts["task"] == "classification"
    names = tuple(str(name) for name in facts.get("feature_names") or ())
    outputs = tuple(str(name) for name in facts.get("classes") or ())
    classes = outputs if classify else ()
    if not classify and not 0 <= output < predicted.shape[1]:
        raise OptionError(f"the output must be a whole number from 0 to {predicted.shape[1] - 1}", output)
    target = outputs[output] if output < len(outputs) else "target"
    labels = static.get("view_labels")

    if facts["view"] == "projection":
        return projection(
            predicted, static["view_projection"], static["view_labels"], classes, target=target, output=output
        )
    data, targets = static["data_points"], np.asarray(static["data_targets"])
    targets = targets if classify or targets.ndim == 1 else targets[:, output]
    if facts["view"] == "curve":
        feature = names[0] if names else "x"
        if classify:
            return scores(predicted, static["view_axes"], data, targets, classes, feature=feature)
        true = None if labels is None else _columns(labels)[:, output]
        return line(predicted[:, output], static["view_axes"], data, targets, true, feature=feature, target=target)
    pair = (names[0], names[1]) if len(names) > 1 else ("x₁", "x₂")
    grid = (int(facts["view_grid"][0]), int(facts["view_grid"][1]))
    if classify:
        return regions(predicted, static["view_axes"], grid, data, targets, classes, features=pair)
    return surface(predicted[:, output], static["view_axes"], grid, data, targets, features=pair, target=target)


def decide(values: ArrayLike) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Class codes argmax_k f_k and margins f_top − f_second from scores [v K]."""
    values = np.asarray(values)
    codes = values.argmax(axis=1)
    if values.shape[1] == 1:
        return codes.astype(np.int16), np.zeros(len(values), np.float32)
    top_two = np.partition(values, -2, axis=1)[:, -2:]
    return codes.astype(np.int16), (top_two[:, 1] - top_two[:, 0]).astype(np.float32)


def regions(
    values: ArrayLike,
    axes: ArrayLike,
    grid: tuple[int, int],
    data: ArrayLike,
    targets: ArrayLike,
    classes: tuple[str, ...],
    *,
    features: tuple[str, str] = ("x₁", "x₂"),
) -> Regions:
    """Decision regions from class scores [v K] at the points ``axes`` [v 2] of a ``grid`` of (rows, columns)."""
    x, y, place = _laid_out(axes, grid)
    codes, margin = decide(values)
    scale = float(np.quantile(margin, 0.95)) or 1.0
    ink = (codes + 0.99 * np.minimum(margin / scale, 1.0)).astype(np.float32)
    cloud = np.asarray(data)
    points = _sampled_points(cloud[:, 0], cloud[:, 1], targets)
    return Regions(x, y, place(codes), place(margin), place(ink), points, classes, features)


def surface(
    values: ArrayLike,
    axes: ArrayLike,
    grid: tuple[int, int],
    data: ArrayLike,
    targets: ArrayLike,
    *,
    features: tuple[str, str] = ("x₁", "x₂"),
    target: str = "target",
) -> Surface:
    """A regression surface from predictions [v] at the points ``axes`` [v 2] of a ``grid`` of (rows, columns)."""
    x, y, place = _laid_out(axes, grid)
    cloud = np.asarray(data)
    points = _sampled_points(cloud[:, 0], cloud[:, 1], targets)
    predicted = np.asarray(values, np.float32)
    # The targets set the colours, so that a wild prediction shows as such and a scrubbed scene keeps its colours.
    limits = (float(points.value.min()), float(points.value.max())) if len(points.value) else (0.0, 1.0)
    return Surface(x, y, place(predicted), points, limits, features, target)


def line(
    values: ArrayLike,
    axes: ArrayLike,
    data: ArrayLike,
    targets: ArrayLike,
    true: ArrayLike | None = None,
    *,
    feature: str = "x",
    target: str = "target",
) -> Line:
    """A regression curve from predictions [v] at the sorted positions ``axes`` [v 1]; ``true`` [v] if known."""
    x, y = np.ravel(axes).astype(np.float32), np.asarray(values, np.float32)
    kept = thin(x, y, MAX_POINTS)
    points = _sampled_points(np.ravel(data), targets, targets)
    known = None if true is None else np.asarray(true, np.float32)[kept]
    return Line(x[kept], y[kept], known, points, feature, target, len(x))


def scores(
    values: ArrayLike,
    axes: ArrayLike,
    data: ArrayLike,
    targets: ArrayLike,
    classes: tuple[str, ...],
    *,
    feature: str = "x",
) -> Scores:
    """Class scores [v K] over the sorted positions ``axes`` [v 1], training points in one row a class beneath."""
    x, f = np.ravel(axes).astype(np.float32), np.asarray(values, np.float32)
    kept = spread(len(x), MAX_POINTS // 2)
    height = float(f.max() - f.min()) or 1.0
    codes = np.asarray(targets)
    rows = float(f.min()) - height * (0.1 + 0.06 * codes)
    return Scores(x[kept], f[kept], _sampled_points(np.ravel(data), rows, codes), classes, feature)


def projection(
    values: ArrayLike,
    plane: ArrayLike,
    true: ArrayLike,
    classes: tuple[str, ...] = (),
    *,
    target: str = "target",
    output: int = 0,
) -> Projection:
    """Predictions ``values`` [v K] drawn at ``plane`` [v 2]; classification where ``classes`` are given.

    Args:
        values: class scores, or regression outputs.
        plane: coordinates.
        true: class codes [v], or targets [v] or [v K].
        classes: labels of the K classes.
        target: name of the output.
        output: which of the K regression outputs.
    """
    table, flat = _columns(values), np.asarray(plane, np.float32)
    if classes:
        predicted, known = decide(table)[0], np.asarray(true).astype(np.int16)
        wrong = predicted != known
        score = float(1 - wrong.mean())
    else:
        predicted, known = table[:, output].astype(np.float32), _columns(true)[:, output].astype(np.float32)
        wrong = np.zeros(len(predicted), bool)
        score = float(np.sqrt(np.mean((predicted.astype(np.float64) - known) ** 2)))
    kept = spread(len(flat), MAX_POINTS)
    return Projection(
        flat[kept, 0], flat[kept, 1], predicted[kept], known[kept], wrong[kept], classes, target, len(flat), score
    )


def _columns(values: ArrayLike) -> NDArray[Any]:
    table = np.asarray(values)
    return table[:, None] if table.ndim == 1 else table


def _sampled_points(x: ArrayLike, y: ArrayLike, value: ArrayLike) -> Points:
    """An even sample of at most CLOUD points."""
    x, y, value = np.asarray(x, np.float32), np.asarray(y, np.float32), np.asarray(value)
    kept = spread(len(x), CLOUD)
    return Points(x[kept], y[kept], value[kept], len(x))


def _laid_out(axes: ArrayLike, grid: tuple[int, int]) -> tuple[NDArray[np.float32], NDArray[np.float32], Any]:
    """Column and row coordinates of a regular grid, and a function that lays values [v] out as [rows columns].

    Either input may run fastest in ``axes``: where the first one stays put along a row, rows and columns swap.
    """
    laid = np.asarray(axes, np.float32).reshape(*grid, 2)
    swapped = bool(laid[0, 0, 0] == laid[0, -1, 0])
    if swapped:
        laid = laid.swapaxes(0, 1)

    def place(values: NDArray[Any]) -> NDArray[Any]:
        table = values.reshape(grid)
        return np.ascontiguousarray(table.T if swapped else table)

    return laid[0, :, 0], laid[:, 0, 1], place


def plot_function(view: FunctionView) -> go.Figure:
    """The figure that fits what :func:`kernlab.pictures.function_view.function_view` gave."""
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


@picture("overview", alt="The learned function", arrays=("view_scores",), uses=("output",), height=360)
def draw_function(at: At) -> go.Figure:
    """What the learned function looks like."""
    view = function_view(at.arrays, at.static, at.facts, output=at.view["output"])
    figure = plot_function(view)
    return without_crowded_legend(figure, len(at.facts.get("classes") or ()))

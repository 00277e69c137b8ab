"""The learned function, in the view that suits the data.

d = 2   decision regions, or the regression surface
d = 1   the regression curve, or one score per class
d > 2   a projection of test points, coloured by what is predicted for them
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import KernlabError, OptionError
from kernlab.numerals import number
from kernlab.pictures.base import At, picture
from kernlab.pictures.certainty import band_at
from kernlab.pictures.class_names import with_class_names
from kernlab.pictures.marks import cells, dots, line, stated
from kernlab.pictures.run_data import has_features
from kernlab.pictures.sample import row_numbers
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, class_style, colourbar, fade, figure
from kernlab.pictures.thinning import MAX_POINTS, spread, thin

#: Training points drawn over a function at most.
CLOUD = 800


class Points(NamedTuple):
    """A cloud of data points."""

    x: NDArray[np.float32]  # x, y: coordinates in original units [p]
    y: NDArray[np.float32]
    value: NDArray[Any]  # class codes, or targets [p]
    total: int  # points before an even sample of them was taken
    rows: NDArray[np.int64] = np.zeros(0, np.int64)  # their numbers in the data set [p]; none where they are unknown

    def of(self, mine: Any = slice(None), code: int | None = None) -> dict[str, Any] | None:
        """What a trace of some of the points states (:func:`kernlab.pictures.marks.stated`); ``code`` is its class."""
        return stated(**{"row": self.rows[mine] if len(self.rows) else None, "class": code})


class Regions(NamedTuple):
    """Decision regions over a grid."""

    x: NDArray[np.float32]  # x, y: coordinates of columns [c] and rows [r], original units
    y: NDArray[np.float32]
    codes: NDArray[np.int16]  # predicted class f: argmax_k f_k(x) [r c]
    margin: NDArray[np.float32]  # f_top − f_second ≥ 0 [r c]
    # code + shade [r c], where shade in [0, 0.99] is the margin over its 95 % quantile: 0 on a boundary. One number a
    # cell that holds class and strength, for one colour scale.
    ink: NDArray[np.float32]
    points: Points  # training points with class codes
    classes: tuple[str, ...]  # K labels
    features: tuple[str, str]  # names of the two inputs


class Surface(NamedTuple):
    """A regression function over a grid."""

    x: NDArray[np.float32]  # x, y: coordinates of columns [c] and rows [r], original units
    y: NDArray[np.float32]
    values: NDArray[np.float32]  # predictions [r c]
    points: Points  # training points with their targets
    limits: tuple[float, float]  # one colour range for predictions and targets
    features: tuple[str, str]  # names of the two inputs
    target: str  # name of the output


class Line(NamedTuple):
    """A regression function of one input."""

    x: NDArray[np.float32]  # x, y: the prediction, x ascending [v]
    y: NDArray[np.float32]
    true: NDArray[np.float32] | None  # the noise-free function at x [v], None where it is unknown
    points: Points  # training points; ``y`` and ``value`` are both the target
    feature: str  # feature, target: names of input and output
    target: str
    total: int  # positions before thinning
    # mean and two deviations of an observation at x [v], where they are known, and what they are made of
    band: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
    words: str = ""


class Scores(NamedTuple):
    """The class scores over one input."""

    x: NDArray[np.float32]  # positions, ascending [v]
    values: NDArray[np.float32]  # f_k(x) [v K]
    points: Points  # training points; ``y`` places class k in its own row under the curves
    classes: tuple[str, ...]  # K labels
    feature: str  # name of the input


class Projection(NamedTuple):
    """Predictions on test points, drawn in the plane of the inputs' first two principal components."""

    x: NDArray[np.float32]  # x, y: coordinates [v]
    y: NDArray[np.float32]
    predicted: NDArray[Any]  # predicted, true: class codes, or outputs [v]
    true: NDArray[Any]
    wrong: NDArray[np.bool_]  # misclassified [v]; all False for regression
    classes: tuple[str, ...]  # K labels, empty for regression
    target: str  # name of the output (regression)
    total: int  # points before an even sample of them was taken
    score: float  # share classified rightly, or RMSE, over the points before sampling
    rows: NDArray[np.int64] = np.zeros(0, np.int64)  # numbers of the points in the data set [v]


FunctionView: TypeAlias = Regions | Surface | Line | Scores | Projection


def function_view(
    snapshot: Mapping[str, Any], static: Mapping[str, Any], facts: Mapping[str, Any], *, output: int = 0
) -> FunctionView:
    """The view of the function that suits the data, chosen by ``facts["view"]`` and ``facts["task"]``.

    Args:
        snapshot: arrays of one moment; ``view_scores`` [v K].
        static: arrays of the run: ``view_axes``, ``view_projection``, ``view_labels``, ``data_points``,
            ``data_targets``, ``row_numbers``.
        facts: the run's facts: view, view_grid, task, feature_names, classes (of a regression: the outputs).
        output: which of the K regression outputs.

    Raises:
        OptionError: the run has no such output.
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
            predicted, static["view_projection"], static["view_labels"], classes, target=target, output=output,
            rows=row_numbers(static, len(predicted)),
        )  # fmt: skip
    data, targets = static["data_points"], np.asarray(static["data_targets"])
    rows = row_numbers(static, len(targets))
    targets = targets if classify or targets.ndim == 1 else targets[:, output]
    if facts["view"] == "curve":
        feature = names[0] if names else "x"
        if classify:
            return scores(predicted, static["view_axes"], data, targets, classes, feature=feature, rows=rows)
        true = None if labels is None else _columns(labels)[:, output]
        values = predicted[:, output]
        return curve(values, static["view_axes"], data, targets, true, feature=feature, target=target, rows=rows)
    pair = (names[0], names[1]) if len(names) > 1 else ("x₁", "x₂")
    grid = (int(facts["view_grid"][0]), int(facts["view_grid"][1]))
    if classify:
        return regions(predicted, static["view_axes"], grid, data, targets, classes, features=pair, rows=rows)
    values = predicted[:, output]
    return surface(values, static["view_axes"], grid, data, targets, features=pair, target=target, rows=rows)


def decide(values: ArrayLike) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Class codes argmax_k f_k and margins f_top − f_second from scores [v K]."""
    values = np.asarray(values)
    codes = values.argmax(axis=1)
    if values.shape[1] == 1:
        return codes.astype(np.int16), np.zeros(len(values), np.float32)
    top_two = np.partition(values, -2, axis=1)[:, -2:]
    return codes.astype(np.int16), (top_two[:, 1] - top_two[:, 0]).astype(np.float32)


def regions(
    values: ArrayLike, axes: ArrayLike, grid: tuple[int, int], data: ArrayLike, targets: ArrayLike,
    classes: tuple[str, ...], *, features: tuple[str, str] = ("x₁", "x₂"), rows: ArrayLike = (),
) -> Regions:  # fmt: skip
    """Decision regions from class scores [v K] at the points ``axes`` [v 2] of a ``grid`` of (rows, columns).

    ``rows`` are the numbers of the points ``data`` in the data set, here and in the views below.
    """
    x, y, place = _laid_out(axes, grid)
    codes, margin = decide(values)
    scale = float(np.quantile(margin, 0.95)) or 1.0
    ink = (codes + 0.99 * np.minimum(margin / scale, 1.0)).astype(np.float32)
    cloud = np.asarray(data)
    points = _sampled_points(cloud[:, 0], cloud[:, 1], targets, rows)
    return Regions(x, y, place(codes), place(margin), place(ink), points, classes, features)


def surface(
    values: ArrayLike, axes: ArrayLike, grid: tuple[int, int], data: ArrayLike, targets: ArrayLike, *,
    features: tuple[str, str] = ("x₁", "x₂"), target: str = "target", rows: ArrayLike = (),
) -> Surface:  # fmt: skip
    """A regression surface from predictions [v] at the points ``axes`` [v 2] of a ``grid`` of (rows, columns)."""
    x, y, place = _laid_out(axes, grid)
    cloud = np.asarray(data)
    points = _sampled_points(cloud[:, 0], cloud[:, 1], targets, rows)
    # The targets set the colours, so that a wild prediction shows as such and colours last while time is scrubbed.
    limits = (float(points.value.min()), float(points.value.max())) if len(points.value) else (0.0, 1.0)
    return Surface(x, y, place(np.asarray(values, np.float32)), points, limits, features, target)


def curve(
    values: ArrayLike, axes: ArrayLike, data: ArrayLike, targets: ArrayLike, true: ArrayLike | None = None, *,
    feature: str = "x", target: str = "target", rows: ArrayLike = (),
) -> Line:  # fmt: skip
    """A regression curve from predictions [v] at the sorted positions ``axes`` [v 1]; ``true`` [v] if known."""
    x, y = np.ravel(axes).astype(np.float32), np.asarray(values, np.float32)
    kept = thin(x, y, MAX_POINTS)
    known = None if true is None else np.asarray(true, np.float32)[kept]
    points = _sampled_points(np.ravel(data), targets, targets, rows)
    return Line(x[kept], y[kept], known, points, feature, target, len(x))


def scores(
    values: ArrayLike, axes: ArrayLike, data: ArrayLike, targets: ArrayLike, classes: tuple[str, ...], *,
    feature: str = "x", rows: ArrayLike = (),
) -> Scores:  # fmt: skip
    """Class scores [v K] over the sorted positions ``axes`` [v 1], training points in one row a class beneath."""
    x, f = np.ravel(axes).astype(np.float32), np.asarray(values, np.float32)
    kept = spread(len(x), MAX_POINTS // 2)
    height = float(f.max() - f.min()) or 1.0
    codes = np.asarray(targets)
    beneath = float(f.min()) - height * (0.1 + 0.06 * codes)
    return Scores(x[kept], f[kept], _sampled_points(np.ravel(data), beneath, codes, rows), classes, feature)


def projection(
    values: ArrayLike, plane: ArrayLike, true: ArrayLike, classes: tuple[str, ...] = (), *,
    target: str = "target", output: int = 0, rows: ArrayLike = (),
) -> Projection:  # fmt: skip
    """Predictions drawn at the points ``plane`` [v 2].

    Args:
        values: class scores, or regression outputs [v K].
        plane: coordinates.
        true: class codes [v], or targets [v] or [v K].
        classes: labels of the K classes; empty for a regression.
        target: name of the output.
        output: which of the K regression outputs.
        rows: numbers of the points in the data set [v].
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
    x, y = flat[kept].T
    numbers = np.asarray(rows, np.int64)
    return Projection(
        x, y, predicted[kept], known[kept], wrong[kept], classes, target, len(flat), score,
        numbers[kept] if len(numbers) else numbers,
    )  # fmt: skip


def _columns(values: ArrayLike) -> NDArray[Any]:
    table = np.asarray(values)
    return table[:, None] if table.ndim == 1 else table


def _sampled_points(x: ArrayLike, y: ArrayLike, value: ArrayLike, rows: ArrayLike = ()) -> Points:
    """An even sample of at most CLOUD points."""
    x, y, value = np.asarray(x, np.float32), np.asarray(y, np.float32), np.asarray(value)
    kept, numbers = spread(len(x), CLOUD), np.asarray(rows, np.int64)
    return Points(x[kept], y[kept], value[kept], len(x), numbers[kept] if len(numbers) else numbers)


def _laid_out(
    axes: ArrayLike, grid: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32], Callable[[NDArray[Any]], NDArray[Any]]]:
    """Column and row coordinates of a regular grid, and a function that lays values [v] out as [rows columns].

    Either input may run fastest in ``axes``: where the first one is constant along a row, rows and columns swap.
    """
    laid = np.asarray(axes, np.float32).reshape(*grid, 2)
    swapped = bool(laid[0, 0, 0] == laid[0, -1, 0])
    if swapped:
        laid = laid.swapaxes(0, 1)

    def place(values: NDArray[Any]) -> NDArray[Any]:
        table = values.reshape(grid)
        return np.ascontiguousarray(table.T if swapped else table)

    return laid[0, :, 0], laid[:, 0, 1], place


@singledispatch
def plot_function(view: FunctionView) -> go.Figure:
    """The figure that fits what :func:`function_view` returned."""
    raise TypeError(f"no picture for {type(view).__name__}")


@plot_function.register
def _plot_regions(view: Regions) -> go.Figure:
    """Decision regions: the colour is the class, its strength the margin; training points on top."""
    count = len(view.classes)
    # A colour scale that jumps at each whole number, and fades in from it.
    scale: list[Any] = []
    for code in range(count):
        colour = class_style(code)[0]
        scale += [[code / count, fade(colour, 0.1)], [(code + 1) / count, fade(colour, 0.65)]]
    words = f"predicted %{{text}}, margin %{{customdata:.2~f}}<br>{_place(view.features)}"
    text = np.array(view.classes, object)[view.codes]
    traces: list[Any] = [
        go.Heatmap(
            x=view.x, y=view.y, z=view.ink, text=text, customdata=view.margin, zmin=0, zmax=count, name="prediction",
            colorscale=scale, showscale=False, hovertemplate=f"{words}<extra></extra>",
        )
    ]  # fmt: skip
    for code, label in enumerate(view.classes):
        mine = view.points.value == code
        colour, symbol = class_style(code)
        words = f"training point of {label}<br>%{{x:.3~g}}, %{{y:.3~g}}"
        traces.append(
            dots(view.points.x[mine], view.points.y[mine], label, colour, words, symbol=symbol, size=7,
                 outline={"color": "white", "width": 1}, meta=view.points.of(mine, code))
        )  # fmt: skip
    points = view.points
    return with_class_names(_plane(traces, "Decision regions", view), points.x, points.y, points.value, view.classes)


@plot_function.register
def _plot_surface(view: Surface) -> go.Figure:
    """The regression function as colour, the training targets as points in the same colours."""
    (low, high), points = view.limits, view.points
    scale = {"colorscale": "Cividis", "showscale": False, "cmin": low, "cmax": high}
    traces = [
        cells(view.values, "prediction", f"predicted %{{z:.4~g}}<br>{_place(view.features)}", "Cividis", view.limits,
              strip=view.target, x=view.x, y=view.y, zsmooth="best"),
        dots(points.x, points.y, "training points", points.value, "target %{marker.color:.4~g}",
             outline={"color": "white", "width": 1}, marker=scale, meta=points.of()),
    ]  # fmt: skip
    return _plane(traces, "Regression surface", view)


@plot_function.register
def _plot_line(view: Line) -> go.Figure:
    """The regression curve, the training points, and the noise-free function where it is known."""
    at = f"{view.feature} %{{x:.4~g}}: "
    traces = [
        dots(view.points.x, view.points.y, "training points", fade(GREY, 0.55), f"{at}{view.target} %{{y:.4~g}}",
             size=6, meta=view.points.of()),
        line(view.x, view.y, "prediction", BLUE, f"{at}predicted %{{y:.4~g}}", width=3),
    ]  # fmt: skip
    if view.true is not None:
        words = f"{at}true %{{y:.4~g}}"
        traces.append(line(view.x, view.true, "without noise", VERMILLION, words, width=2, dash="dash"))
    if view.band:
        mean, reach = view.band
        low, high = mean - reach, mean + reach
        shade = go.Scatter(
            x=np.concatenate([view.x, view.x[::-1]]), y=np.concatenate([low, high[::-1]]), fill="toself", mode="lines",
            fillcolor=fade(BLUE, 0.15), line={"width": 0}, name="±2σ of an observation", hoverinfo="skip",
        )  # fmt: skip
        traces.insert(0, shade)
    note = f"{len(view.x)} of {view.total} positions drawn" if len(view.x) < view.total else _sampled(view.points)
    note = "; ".join(filter(None, [note, view.words and f"σ of {view.words}"]))
    return figure(
        traces, title="Regression curve", subtitle=note, x=view.feature, y=view.target, revision="function:line"
    )


@plot_function.register
def _plot_scores(view: Scores) -> go.Figure:
    """One score a class over the input; the highest decides. Training points lie in rows beneath."""
    traces: list[Any] = []
    for code, label in enumerate(view.classes):
        colour, symbol = class_style(code)
        dash = ("solid", "dash", "dot", "dashdot", "longdash")[code % 5]
        words = f"{label}: score %{{y:.3~g}} at %{{x:.3~g}}"
        score = line(view.x, view.values[:, code], label, colour, words, dash=dash, legendgroup=label)
        traces.append(score.update(meta=stated(**{"class": code})))
        mine = view.points.value == code
        traces.append(
            dots(view.points.x[mine], view.points.y[mine], f"{label}: training points", colour,
                 f"{label} at %{{x:.3~g}}", size=7, symbol=symbol, marker={"opacity": 0.7}, legendgroup=label,
                 showlegend=False, meta=view.points.of(mine, code))
        )  # fmt: skip
    drawn = figure(
        traces, title="Class scores", subtitle=_sampled(view.points), x=view.feature, y="score f(x)",
        revision="function:scores",
    )  # fmt: skip
    return with_class_names(drawn, view.points.x, view.points.y, view.points.value, view.classes)


@plot_function.register
def _plot_projection(view: Projection) -> go.Figure:
    """Test points in their principal plane, coloured by prediction; misclassified ones carry a cross."""
    note = f"{len(view.x)} of {view.total} points" if len(view.x) < view.total else f"{view.total} points"
    if not view.classes:
        scale = {
            "colorscale": "Cividis", "cmin": float(view.true.min()), "cmax": float(view.true.max()),
            "showscale": True, "colorbar": colourbar(view.target),
        }  # fmt: skip
        words = "predicted %{marker.color:.4~g}, true %{customdata:.4~g}"
        traces = [
            dots(view.x, view.y, "test points", view.predicted, words, customdata=view.true, marker=scale,
                 outline={"color": fade(GREY, 0.5), "width": 0.5}, meta=stated(row=view.rows))
        ]  # fmt: skip
        subtitle = f"test points: {note}, RMSE {number(view.score, 3)}"
    else:
        traces = []
        for code in np.unique(view.predicted).tolist():
            mine = view.predicted == code
            colour, symbol = class_style(code)
            traces.append(
                dots(view.x[mine], view.y[mine], view.classes[code], colour,
                     f"predicted {view.classes[code]}, true %{{text}}", size=7, symbol=symbol,
                     marker={"opacity": 0.8}, text=[view.classes[true] for true in view.true[mine]],
                     meta=stated(**{"row": view.rows[mine] if len(view.rows) else None, "class": code}))
            )  # fmt: skip
        cross = {"width": 2, "color": GREY}
        traces.append(
            dots(view.x[view.wrong], view.y[view.wrong], "wrong", GREY, None, symbol="x-thin-open", size=11,
                 outline=cross)
        )  # fmt: skip
        subtitle = f"test points: {note}, {view.score:.1%} right"
    drawn = figure(
        traces, title="Predictions in the principal plane", subtitle=subtitle, x="principal component 1",
        y="component 2", revision="function:projection",
    )  # fmt: skip
    return with_class_names(drawn, view.x, view.y, view.true, view.classes)


def _place(features: tuple[str, str]) -> str:
    return f"{features[0]} %{{x:.3~g}}, {features[1]} %{{y:.3~g}}"


def _plane(traces: list[Any], title: str, view: Regions | Surface) -> go.Figure:
    plain = {"showgrid": False, "zeroline": False}
    return figure(
        traces, title=title, subtitle=_sampled(view.points), x=view.features[0], y=view.features[1],
        revision=f"function:{title}", xaxis=plain, yaxis=plain,
    )  # fmt: skip


def _sampled(points: Points) -> str:
    return f"{len(points.x)} of {points.total} training points drawn" if len(points.x) < points.total else ""


@picture("overview", alt="The learned function", arrays=("view_scores",), uses=("output",), height=360)
def draw_function(at: At) -> go.Figure:
    """The learned function; of a regression on one input with the band that has 95 % of the observations."""
    view = function_view(at.arrays, at.static, at.facts, output=at.view["output"])
    if isinstance(view, Line) and has_features(at):
        with suppress(KernlabError):  # without its data set a run is still seen, without the band
            mean, deviation, words = band_at(at)
            kept = np.searchsorted(np.ravel(at.static["view_axes"]), view.x)
            output = at.view["output"]
            band = mean[kept, output].astype(np.float32), 2 * deviation[kept, output].astype(np.float32)
            view = view._replace(band=band, words=words)
    return plot_function(view)

"""What the learned function looks like, in the view that suits the data.

d = 2   decision regions, or the regression surface
d = 1   the regression curve, or one score per class
d > 2   a projection of test points, coloured by what is predicted for them
pictures as inputs   the frequencies themselves, as pictures
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.thinning import MAX_POINTS, spread, thin
from kernlab.errors import OptionError

__all__ = [
    "Frequencies",
    "FunctionView",
    "Line",
    "Points",
    "Projection",
    "Regions",
    "Scores",
    "Surface",
    "decide",
    "frequencies",
    "function_view",
    "line",
    "projection",
    "regions",
    "scores",
    "surface",
]

#: Training points drawn over a function at most.
CLOUD = 800

#: Cells of a mosaic of frequencies at most; keeps the figure below 200 kB.
_MOSAIC = 28_000


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


class Frequencies(NamedTuple):
    """Some columns of Ω as pictures, tiled into one mosaic with a gap of one cell.

    Attributes:
        mosaic: [rows columns], NaN in the gaps.
        limit: colours run from −limit to limit.
        shown: which columns of Ω, row by row.
        total: columns of Ω.
        each: every tile was divided by its own largest |ω|.
    """

    mosaic: NDArray[np.float32]
    limit: float
    shown: NDArray[np.intp]
    total: int
    each: bool


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
    data, told = static["data_points"], np.asarray(static["data_targets"])
    told = told if classify or told.ndim == 1 else told[:, output]
    if facts["view"] == "curve":
        feature = names[0] if names else "x"
        if classify:
            return scores(predicted, static["view_axes"], data, told, classes, feature=feature)
        true = None if labels is None else _columns(labels)[:, output]
        return line(predicted[:, output], static["view_axes"], data, told, true, feature=feature, target=target)
    pair = (names[0], names[1]) if len(names) > 1 else ("x₁", "x₂")
    grid = (int(facts["view_grid"][0]), int(facts["view_grid"][1]))
    if classify:
        return regions(predicted, static["view_axes"], grid, data, told, classes, features=pair)
    return surface(predicted[:, output], static["view_axes"], grid, data, told, features=pair, target=target)


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
    x, y, place = _grid(axes, grid)
    codes, margin = decide(values)
    scale = float(np.quantile(margin, 0.95)) or 1.0
    ink = (codes + 0.99 * np.minimum(margin / scale, 1.0)).astype(np.float32)
    cloud = np.asarray(data)
    points = _points(cloud[:, 0], cloud[:, 1], targets)
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
    x, y, place = _grid(axes, grid)
    cloud = np.asarray(data)
    points = _points(cloud[:, 0], cloud[:, 1], targets)
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
    points = _points(np.ravel(data), targets, targets)
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
    return Scores(x[kept], f[kept], _points(np.ravel(data), rows, codes), classes, feature)


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
        predicted, told = decide(table)[0], np.asarray(true).astype(np.int16)
        wrong = predicted != told
        score = float(1 - wrong.mean())
    else:
        predicted, told = table[:, output].astype(np.float32), _columns(true)[:, output].astype(np.float32)
        wrong = np.zeros(len(predicted), bool)
        score = float(np.sqrt(np.mean((predicted.astype(np.float64) - told) ** 2)))
    kept = spread(len(flat), MAX_POINTS)
    return Projection(
        flat[kept, 0], flat[kept, 1], predicted[kept], told[kept], wrong[kept], classes, target, len(flat), score
    )


def frequencies(
    omega: ArrayLike,
    shape: tuple[int, int],
    *,
    count: int = 64,
    order: str | ArrayLike = "norm",
    each: bool = False,
) -> Frequencies:
    """Columns of Ω as pictures of ``shape`` (height, width), tiled.

    Args:
        omega: frequencies [d D], d = height · width.
        shape: height and width of an input picture.
        count: tiles wanted; fewer are shown where the mosaic would be too large to send.
        order: "norm" (longest first), "index", or the columns to show.
        each: scale every tile by its own largest |ω| instead of one scale for all.

    Raises:
        OptionError: the pictures have another size than the columns.
    """
    omega = np.asarray(omega)
    height, width = shape
    if height * width != omega.shape[0]:
        raise OptionError(f"height times width must be the {omega.shape[0]} inputs", f"{height} × {width}")
    count = max(1, min(count, omega.shape[1]))
    most = max(1, _MOSAIC // ((height + 1) * (width + 1)))
    if count > most:
        count = most // math.isqrt(most) * math.isqrt(most)  # full rows: gaps at the end cost as much as tiles
    if isinstance(order, str):
        size = np.einsum("ij,ij->j", omega, omega) if order == "norm" else -np.arange(omega.shape[1])
        shown = np.argsort(-size, kind="stable")[:count]
    else:
        shown = np.asarray(order, np.intp)[:count]
    tiles = omega[:, shown].T.reshape(len(shown), height, width).astype(np.float32)
    if each:
        tiles = tiles / np.maximum(np.abs(tiles).max(axis=(1, 2), keepdims=True), np.finfo(np.float32).tiny)
    across = math.isqrt(len(shown) - 1) + 1
    down = -(-len(shown) // across)
    padded = np.full((down * across, height + 1, width + 1), np.nan, np.float32)
    padded[: len(shown), :height, :width] = tiles
    mosaic = padded.reshape(down, across, height + 1, width + 1).swapaxes(1, 2)
    mosaic = mosaic.reshape(down * (height + 1), across * (width + 1))[:-1, :-1]
    # A few extreme entries should not wash out the rest.
    limit = float(np.quantile(np.abs(tiles), 0.995)) or 1.0
    return Frequencies(np.ascontiguousarray(mosaic), limit, shown, omega.shape[1], each)


def _columns(values: ArrayLike) -> NDArray[Any]:
    table = np.asarray(values)
    return table[:, None] if table.ndim == 1 else table


def _points(x: ArrayLike, y: ArrayLike, value: ArrayLike) -> Points:
    """An even sample of at most CLOUD points."""
    x, y, value = np.asarray(x, np.float32), np.asarray(y, np.float32), np.asarray(value)
    kept = spread(len(x), CLOUD)
    return Points(x[kept], y[kept], value[kept], len(x))


def _grid(axes: ArrayLike, grid: tuple[int, int]) -> tuple[NDArray[np.float32], NDArray[np.float32], Any]:
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

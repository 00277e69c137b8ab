"""Landmarks of a Nyström map on the data, with lines from where each began.

d = 1   on the learned curve (of a classification: on the highest score)
d = 2   among the training points, in original units
d > 2   in the plane of the projection view, (z − view_center) · view_directionsᵀ for a scaled z
pictures as inputs   the landmarks themselves, or what training has changed about them
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, has_images, picture
from kernlab.pictures.class_names import with_class_names
from kernlab.pictures.function_view import CLOUD, Points
from kernlab.pictures.marks import PIXELS, cells, dots, line
from kernlab.pictures.mosaic import mosaic
from kernlab.pictures.sample import row_numbers
from kernlab.pictures.theme import BLUE, DIVERGING, GREY, class_style, colourbar, fade, figure
from kernlab.pictures.thinning import MAX_POINTS, spread, thin

#: Landmarks drawn at most, and lines from where they began: more would hide the data.
SHOWN, LINES = 150, 60

Polyline: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32]]


class Landmarks(NamedTuple):
    """Landmarks in the plane of a picture."""

    x: NDArray[np.float32]  # places now [j]
    y: NDArray[np.float32]  # places now [j]
    start_x: NDArray[np.float32]  # places at the start [j]
    start_y: NDArray[np.float32]  # places at the start [j]
    lined: NDArray[np.intp]  # positions among the j from which a line to the start is drawn
    total: int  # landmarks before an even sample of them was taken
    moved: float  # mean distance from the start, over all landmarks and in scaled inputs
    points: Points  # the data
    curve: Polyline | None  # the learned curve (x [v], y [v]) under one-dimensional landmarks, else None
    classes: tuple[str, ...]  # K labels, empty for regression
    axes: tuple[str, str]  # names of the two axes
    target: str  # name of the output (regression)


class LandmarkPictures(NamedTuple):
    """Some landmarks as pictures, tiled into one mosaic with a gap of one cell."""

    mosaic: NDArray[np.float32]  # [rows columns], NaN in the gaps; scaled inputs
    limits: tuple[float, float]  # colours run from the first to the second
    shown: NDArray[np.intp]  # which landmarks, those that moved farthest first
    total: int  # all of them
    change: bool  # the mosaic holds now − start instead of now


def landmarks(
    snapshot: Mapping[str, Any], static: Mapping[str, Any], facts: Mapping[str, Any], *, output: int = 0
) -> Landmarks:
    """Landmarks on the data, in the view that ``facts["view"]`` names.

    Args:
        snapshot: arrays of one moment: ``landmarks`` [J d] as scaled inputs; of one input ``view_scores`` [v K].
        static: arrays of the run: ``landmarks_initial`` [J d]; of a projection ``view_center``, ``view_directions``,
            ``view_projection``, ``view_labels``; else ``data_points``, ``data_targets``, ``inputs_center``,
            ``inputs_scale`` (and ``view_axes``); of both ``row_numbers``.
        facts: the run's facts: view, task, feature_names, classes (of a regression: the outputs).
        output: which of the K regression outputs colours the data.
    """
    view, classify = facts["view"], facts["task"] == "classification"
    outputs = tuple(str(name) for name in facts.get("classes") or ())
    names = [str(name) for name in facts.get("feature_names") or ()]
    target = outputs[output] if output < len(outputs) else "target"
    targets = _column(static["view_labels" if view == "projection" else "data_targets"], classify, output)
    curve = _curve(snapshot["view_scores"], static["view_axes"], classify, output) if view == "curve" else None

    if view == "projection":
        data, axes = np.asarray(static["view_projection"]), ("principal component 1", "component 2")
    elif curve is not None:
        height = _beneath(curve[1], targets) if classify else targets
        data = np.column_stack([np.ravel(static["data_points"]), height])
        axes = (names[0] if names else "x", "highest score" if classify else target)
    else:
        data, axes = np.asarray(static["data_points"]), (names[0], names[1]) if len(names) > 1 else ("x₁", "x₂")

    now, initial = np.asarray(snapshot["landmarks"]), np.asarray(static["landmarks_initial"])
    kept, drawn = spread(len(now), SHOWN), spread(len(data), CLOUD)
    (x, y), (start_x, start_y) = (_place(each[kept], static, curve).T for each in (now, initial))
    cloud_x, cloud_y = data[drawn].T.astype(np.float32)
    points = Points(cloud_x, cloud_y, targets[drawn], len(data), row_numbers(static, len(data))[drawn])
    moved = float(np.linalg.norm(now - initial, axis=1).mean())
    classes = outputs if classify else ()
    lined = spread(len(kept), LINES)
    return Landmarks(x, y, start_x, start_y, lined, len(now), moved, points, curve, classes, axes, target)


def landmark_pictures(
    now: ArrayLike, initial: ArrayLike, shape: tuple[int, int], *, count: int = 36, change: bool = False
) -> LandmarkPictures:
    """Landmarks as pictures of ``shape`` (height, width), tiled; those that moved farthest.

    Args:
        now, initial: landmarks [J d] as scaled inputs, d = height · width.
        shape: height and width of an input picture.
        count: tiles wanted; fewer are shown where the mosaic would be too large to send.
        change: show now − start.

    Raises:
        OptionError: the pictures have another size than the landmarks.
    """
    now, initial = np.asarray(now), np.asarray(initial)
    shift = now - initial
    farthest = np.argsort(-np.einsum("jd,jd->j", shift, shift), kind="stable")
    tiled = mosaic((shift if change else now).T, shape, count=count, order=farthest)
    finite = tiled.mosaic[np.isfinite(tiled.mosaic)]
    # A few extreme entries should not wash out the rest.
    low, high = (float(np.quantile(finite, q)) for q in (0.002, 0.998))
    if change or low == high:
        high = max(abs(low), abs(high))
        low = -high
    return LandmarkPictures(tiled.mosaic, (low, high), tiled.shown, len(now), change)


def _place(points: NDArray[Any], static: Mapping[str, Any], curve: Polyline | None) -> NDArray[np.float32]:
    """Coordinates [j 2] of scaled inputs [j d] in the picture."""
    if "view_directions" in static:
        placed = (points - np.asarray(static["view_center"])) @ np.asarray(static["view_directions"]).T
    else:
        scale, center = np.asarray(static["inputs_scale"]), np.asarray(static["inputs_center"])
        placed = points[:, : len(scale)] * scale + center  # columns beyond those of the data are derived from them
        if curve is not None:
            placed = np.column_stack([placed[:, 0], np.interp(placed[:, 0], *curve)])
    return np.asarray(placed, np.float32)


def _column(targets: ArrayLike, classify: bool, output: int) -> NDArray[Any]:
    table = np.asarray(targets)
    return table if classify or table.ndim == 1 else table[:, output]


def _curve(values: ArrayLike, axes: ArrayLike, classify: bool, output: int) -> Polyline:
    """The prediction over one input; of a classification the highest score."""
    x, table = np.ravel(axes).astype(np.float32), np.asarray(values, np.float32)
    table = table.reshape(len(x), -1)
    y = table.max(axis=1) if classify else table[:, output]
    kept = thin(x, y, MAX_POINTS)
    return x[kept], y[kept]


def _beneath(curve: NDArray[np.float32], codes: NDArray[Any]) -> NDArray[np.float64]:
    """A row for each class beneath the curve."""
    height = float(curve.max() - curve.min()) or 1.0
    return float(curve.min()) - height * (0.1 + 0.06 * codes)


def plot_landmarks(view: Landmarks) -> go.Figure:
    """Large marks at the landmarks, a thin line from where each began, the data faint beneath."""
    x, y = (
        _paths(starts[view.lined], ends[view.lined])
        for starts, ends in ((view.start_x, view.x), (view.start_y, view.y))
    )
    ticks, traces = view.curve is not None, _data(view)
    if view.curve is not None:
        words = "prediction" if not view.classes else "highest score"
        traces.append(line(*view.curve, words, BLUE, None, width=2))
    sizes = np.tile(np.array([7 if ticks else 4, 0, 0], np.int8), len(view.lined))
    traces += [
        line(x, y, "from its start", GREY, None, width=4 if ticks else 1, mode="lines+markers",
             marker={"color": GREY, "size": sizes}),
        dots(view.x, view.y, "landmarks", GREY, "landmark at %{x:.3~g}, %{y:.3~g}<br>moved %{customdata:.2~g} here",
             customdata=np.hypot(view.x - view.start_x, view.y - view.start_y),
             symbol="line-ns-open" if ticks else "star", size=18 if ticks else 12 if len(view.x) < 100 else 9,
             outline={"color": GREY, "width": 3} if ticks else {"color": "white", "width": 1}),
    ]  # fmt: skip
    plain = {"showgrid": False, "zeroline": False}
    drawn = figure(
        traces, title="Landmarks on the data", subtitle=_note(view), x=view.axes[0], y=view.axes[1],
        revision=f"landmarks:{view.axes}", xaxis=plain, yaxis=plain,
    )  # fmt: skip
    return with_class_names(drawn, view.points.x, view.points.y, view.points.value, view.classes)


def plot_landmark_pictures(view: LandmarkPictures) -> go.Figure:
    """The mosaic of :func:`landmark_pictures`; a change in blue above zero."""
    what, scale = ("change", DIVERGING) if view.change else ("input", "Greys_r")
    hover = f"{what} at this pixel: %{{z:.3~g}}"
    return figure(
        [cells(view.mosaic, what, hover, scale, view.limits, strip=f"{what} (scaled)", hoverongaps=False)],
        title="Change of the landmarks" if view.change else "Landmarks as pictures",
        subtitle=f"{len(view.shown)} of {view.total}, those that moved farthest", x="", y="",
        revision=f"landmark-pictures:{view.change}", **PIXELS,
    )  # fmt: skip


def _data(view: Landmarks) -> list[Any]:
    """Faint points, coloured by class or by target."""
    points = view.points
    if not view.classes:
        marker: dict[str, Any] = {"color": fade(GREY, 0.6)}  # on a curve the height shows the target
        if view.curve is None:
            marker = {"color": points.value, "colorscale": "Cividis", "colorbar": colourbar(view.target)}
        marker["opacity"], hover = 0.6, "target %{customdata:.4~g}"
        return [dots(points.x, points.y, "data", None, hover, size=6, marker=marker, customdata=points.value,
                     meta=points.of())]  # fmt: skip
    traces = []
    for code in np.unique(points.value).tolist():
        mine, (colour, symbol), name = points.value == code, class_style(code), view.classes[code]
        hover = f"data point of {name}"
        traces.append(dots(points.x[mine], points.y[mine], name, fade(colour, 0.4), hover, size=6, symbol=symbol,
                           meta=points.of(mine, code)))  # fmt: skip
    return traces


def _paths(starts: Any, ends: Any) -> Any:
    """One coordinate of many separate lines: start, end, gap."""
    return np.stack([starts, ends, np.full_like(ends, np.nan)], axis=1).ravel()


def _note(view: Landmarks) -> str:
    shown = len(view.x)
    count = f"{shown} of {view.total}" if shown < view.total else f"{view.total}"
    lines = f", lines for {len(view.lined)} of them" if len(view.lined) < shown else ""
    return f"{count} landmarks{lines}; moved {view.moved:.2g} on average (scaled inputs)"


@picture("overview", alt="Landmarks on the data, with lines from where they began", arrays=("landmarks",),
         uses=("output",), height=360)  # fmt: skip
def draw_landmarks_on_data(at: At) -> go.Figure:
    """Landmarks on the data."""
    return plot_landmarks(landmarks(at.arrays, at.static, at.facts, output=at.view["output"]))


@picture("overview", "kernel", alt="Landmarks as pictures", arrays=("landmarks",), when=has_images, height=380)
def draw_landmark_pictures(at: At) -> go.Figure:
    """Those landmarks that moved farthest, as pictures."""
    return _draw_mosaic(at, change=False)


@picture("kernel", alt="What training changed about the landmarks, as pictures", arrays=("landmarks",),
         when=has_images, height=380)  # fmt: skip
def draw_landmark_changes(at: At) -> go.Figure:
    """What training has changed about them."""
    return _draw_mosaic(at, change=True)


def _draw_mosaic(at: At, change: bool) -> go.Figure:
    assert at.image
    now, first = at.arrays["landmarks"], at.static["landmarks_initial"]
    return plot_landmark_pictures(landmark_pictures(now, first, at.image, change=change))

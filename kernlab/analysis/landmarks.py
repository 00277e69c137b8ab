"""Landmarks of a Nyström map on the data they stand for, and where each began.

d = 1   on the learned curve (of a classification: on the highest score)
d = 2   among the training points, in original units
d > 2   in the plane of the projection view, (z − view_center) · view_directionsᵀ for a scaled z
pictures as inputs   the landmarks themselves, or what training has changed about them
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.function_view import CLOUD, Points, frequencies
from kernlab.analysis.thinning import MAX_POINTS, spread, thin

__all__ = ["LandmarkPictures", "Landmarks", "landmark_pictures", "landmarks"]

#: Landmarks drawn at most, and lines from where they began: more would hide the data.
SHOWN, LINES = 150, 60

Line: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32]]


class Landmarks(NamedTuple):
    """Landmarks in the plane of a picture.

    Attributes:
        x, y: where they are now [j].
        start_x, start_y: where the same ones began [j].
        lined: positions among the j from which a line to the start is drawn.
        total: landmarks before an even sample of them was taken.
        moved: mean distance from the start, over all landmarks and in scaled inputs.
        points: the data.
        curve: the learned curve (x [v], y [v]) that one-dimensional landmarks stand on, else None.
        classes: K labels, empty for regression.
        axes: names of the two axes.
        target: name of the output (regression).
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    start_x: NDArray[np.float32]
    start_y: NDArray[np.float32]
    lined: NDArray[np.intp]
    total: int
    moved: float
    points: Points
    curve: Line | None
    classes: tuple[str, ...]
    axes: tuple[str, str]
    target: str


class LandmarkPictures(NamedTuple):
    """Some landmarks as pictures, tiled into one mosaic with a gap of one cell.

    Attributes:
        mosaic: [rows columns], NaN in the gaps; scaled inputs.
        limits: colours run from the first to the second.
        shown: which landmarks, those that moved farthest first.
        total: all of them.
        change: the mosaic holds now − start instead of now.
    """

    mosaic: NDArray[np.float32]
    limits: tuple[float, float]
    shown: NDArray[np.intp]
    total: int
    change: bool


def landmarks(
    snapshot: Mapping[str, Any], static: Mapping[str, Any], facts: Mapping[str, Any], *, output: int = 0
) -> Landmarks:
    """Landmarks on the data, in the view that ``facts["view"]`` names.

    Args:
        snapshot: arrays of one moment: ``landmarks`` [J d] as scaled inputs; of one input ``view_scores`` [v K].
        static: arrays of the run: ``landmarks_initial`` [J d]; of a projection ``view_center``, ``view_directions``,
            ``view_projection``, ``view_labels``; else ``data_points``, ``data_targets``, ``inputs_center``,
            ``inputs_scale`` (and ``view_axes``).
        facts: the run's facts: view, task, feature_names, classes (of a regression: the outputs).
        output: which of the K regression outputs colours the data.
    """
    view, classify = facts["view"], facts["task"] == "classification"
    outputs = tuple(str(name) for name in facts.get("classes") or ())
    names = [str(name) for name in facts.get("feature_names") or ()]
    target = outputs[output] if output < len(outputs) else "target"
    told = _column(static["view_labels" if view == "projection" else "data_targets"], classify, output)
    curve = _curve(snapshot["view_scores"], static["view_axes"], classify, output) if view == "curve" else None

    if view == "projection":
        data, axes = np.asarray(static["view_projection"]), ("principal component 1", "component 2")
    elif curve is not None:
        height = _beneath(curve[1], told) if classify else told
        data = np.column_stack([np.ravel(static["data_points"]), height])
        axes = (names[0] if names else "x", "highest score" if classify else target)
    else:
        data, axes = np.asarray(static["data_points"]), (names[0], names[1]) if len(names) > 1 else ("x₁", "x₂")

    now, initial = np.asarray(snapshot["landmarks"]), np.asarray(static["landmarks_initial"])
    kept, drawn = spread(len(now), SHOWN), spread(len(data), CLOUD)
    (x, y), (start_x, start_y) = (_place(each[kept], static, curve).T for each in (now, initial))
    return Landmarks(
        x,
        y,
        start_x,
        start_y,
        spread(len(kept), LINES),
        len(now),
        float(np.linalg.norm(now - initial, axis=1).mean()),
        Points(data[drawn, 0].astype(np.float32), data[drawn, 1].astype(np.float32), told[drawn], len(data)),
        curve,
        outputs if classify else (),
        axes,
        target,
    )


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
    moves = now - initial
    farthest = np.argsort(-np.einsum("jd,jd->j", moves, moves), kind="stable")
    tiled = frequencies((moves if change else now).T, shape, count=count, order=farthest)
    held = tiled.mosaic[np.isfinite(tiled.mosaic)]
    # A few extreme entries should not wash out the rest.
    low, high = (float(np.quantile(held, q)) for q in (0.002, 0.998))
    if change or low == high:
        high = max(abs(low), abs(high)) or 1.0
        low = -high
    return LandmarkPictures(tiled.mosaic, (low, high), tiled.shown, len(now), change)


def _place(points: NDArray[Any], static: Mapping[str, Any], curve: Line | None) -> NDArray[np.float32]:
    """Scaled inputs [j d] where the picture has them, [j 2]."""
    if "view_directions" in static:
        placed = (points - np.asarray(static["view_center"])) @ np.asarray(static["view_directions"]).T
    else:
        scale, center = np.asarray(static["inputs_scale"]), np.asarray(static["inputs_center"])
        placed = points[:, : len(scale)] * scale + center  # columns beyond those of the data are derived from them
        if curve is not None:
            placed = np.column_stack([placed[:, 0], np.interp(placed[:, 0], *curve)])
    return np.asarray(placed, np.float32)


def _column(told: ArrayLike, classify: bool, output: int) -> NDArray[Any]:
    table = np.asarray(told)
    return table if classify or table.ndim == 1 else table[:, output]


def _curve(values: ArrayLike, axes: ArrayLike, classify: bool, output: int) -> Line:
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

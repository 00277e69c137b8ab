"""Where a sample is drawn: along its one input, in its two, or on its first two principal directions.

Coordinates of one or two inputs are in the data's own units; those of a plane are in scaled inputs, from the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, once, picture
from kernlab.pictures.kernels import PAGE, classes_of, grams_at, has_kernel, rows_of
from kernlab.pictures.theme import GREY, VERMILLION, class_style, colourbar, figure, without_crowded_legend


class SamplePlane(NamedTuple):
    """A line or a plane on which scaled inputs have coordinates.

    Attributes:
        directions: orthonormal rows [p d], p = 1 or 2.
        middle: scaled input at which the coordinates are ``shift`` [d].
        shift, unit: coordinate = shift + unit · direction·(x − middle) [p].
        axes: names of the p coordinates.
        coordinates: of the sample [n p].
        share: of the sample's variance that the plane holds.
    """

    directions: NDArray[np.float64]
    middle: NDArray[np.float64]
    shift: NDArray[np.float64]
    unit: NDArray[np.float64]
    axes: tuple[str, ...]
    coordinates: NDArray[np.float64]
    share: float

    def place(self, X: ArrayLike) -> NDArray[np.float64]:
        """Coordinates [n p] of scaled inputs [n d]."""
        return np.asarray((np.asarray(X, np.float64) - self.middle) @ self.directions.T * self.unit + self.shift)

    def moved(self, x: ArrayLike, coordinates: ArrayLike) -> NDArray[np.float64]:
        """Scaled inputs [g d]: ``x`` [d] moved along the directions until its first coordinates are these [g q]."""
        to, point = np.asarray(coordinates, np.float64), np.asarray(x, np.float64)
        q = to.shape[1]
        steps = (to - self.place(point[None])[0, :q]) / self.unit[:q]
        return np.asarray(point + steps @ self.directions[:q])

    def span(self, axis: int, margin: float = 0.08) -> tuple[float, float]:
        """Lowest and highest coordinate of the sample, and a margin."""
        low, high = float(self.coordinates[:, axis].min()), float(self.coordinates[:, axis].max())
        room = margin * (high - low) or 0.5
        return low - room, high + room


class SampleView(NamedTuple):
    """The sample as points that can be selected.

    Attributes:
        x, y: coordinates; of one input y is the target [n].
        targets: class codes from 0, or real targets [n].
        classes: names of the classes, empty for real targets.
        diagonal: k(x, x) [n].
        selected: places of the selected points, in the order they were selected.
        axes: names of x and y.
        share: of the sample's variance that is seen.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    targets: NDArray[Any]
    classes: tuple[str, ...]
    diagonal: NDArray[np.float32]
    selected: tuple[int, ...]
    axes: tuple[str, str]
    share: float


def sample_view(
    plane: SamplePlane,
    targets: ArrayLike,
    diagonal: ArrayLike,
    selected: Sequence[int] = (),
    *,
    classes: tuple[str, ...] = (),
    target: str = "target",
) -> SampleView:
    """The sample where it lies, with each point's k(x, x).

    Args:
        plane: of the sample.
        targets: class codes from 0, or real targets [n].
        diagonal: k(x, x) [n].
        selected: places among the n; others are left out.
        classes: names of the classes.
        target: name of a real target.
    """
    values = np.asarray(targets)
    one = len(plane.axes) == 1
    axes = (plane.axes[0], ("class" if classes else target) if one else plane.axes[1])
    return SampleView(
        plane.coordinates[:, 0].astype(np.float32),
        (values if one else plane.coordinates[:, 1]).astype(np.float32),
        values,
        classes,
        np.asarray(diagonal, np.float32),
        tuple(int(place) for place in selected if 0 <= place < len(values)),
        axes,
        plane.share,
    )


def sample_plane(
    X: ArrayLike, names: Sequence[str] = (), *, center: ArrayLike | None = None, scale: ArrayLike | None = None
) -> SamplePlane:
    """The line or plane of a sample.

    Args:
        X: scaled inputs [n d].
        names: of the inputs; numbered where there is none.
        center, scale: [d] of original = center + scale · scaled; coordinates of more than two inputs stay scaled.
    """
    points = np.asarray(X, np.float64)
    d = points.shape[1]
    middle, total = points.mean(0), float(points.var(0).sum())
    if d <= 2:
        zero: NDArray[Any] = np.zeros(d)
        shift = zero if center is None else np.asarray(center, np.float64)
        unit = zero + 1 if scale is None else np.asarray(scale, np.float64)
        axes = tuple(str(names[j]) if j < len(names) else f"input {j + 1}" for j in range(d))
        return SamplePlane(np.eye(d), zero, shift, unit, axes, points * unit + shift, 1.0)
    _, spread, turned = np.linalg.svd(points - middle, full_matrices=False)
    directions = np.zeros((2, d))
    directions[: len(turned[:2])] = turned[:2]
    if len(turned) < 2:  # one row: any direction beside it
        directions[1] = np.eye(d)[int(np.abs(turned[0]).argmin())]
        directions[1] -= directions[0] * (directions[0] @ directions[1])
        directions[1] /= np.linalg.norm(directions[1])
    directions *= np.where(directions.sum(1, keepdims=True) < 0, -1.0, 1.0)  # a singular vector's sign is open
    share = float((spread[:2] ** 2).sum() / len(points)) / total if total > 0 else 1.0
    axes = ("principal direction 1 (scaled)", "principal direction 2 (scaled)")
    return SamplePlane(
        directions, middle, np.zeros(2), np.ones(2), axes, (points - middle) @ directions.T, min(share, 1.0)
    )


def plot_sample(view: SampleView) -> go.Figure:
    """Points by class, or coloured by target; the selected ones carry a ring. Hovering names k(x, x)."""
    if view.classes:
        codes = np.unique(view.targets).tolist()
        parts = [(view.classes[code], np.flatnonzero(view.targets == code), code) for code in codes]
    else:
        parts = [("sample", np.arange(len(view.x)), -1)]
    traces: list[Any] = []
    for name, mine, code in parts:
        if code < 0:
            look: dict[str, Any] = {"color": view.targets[mine], "colorscale": "Cividis", "size": 8}
            look |= {"colorbar": colourbar("target"), "line": {"color": GREY, "width": 0.5}}
        else:
            colour, symbol = class_style(code)
            look = {"color": colour, "symbol": symbol, "size": 8, "opacity": 0.8}
        traces.append(
            go.Scatter(
                x=view.x[mine],
                y=view.y[mine],
                customdata=mine.astype(np.int32),
                text=[f"{value:.4g}" for value in view.diagonal[mine]],
                mode="markers",
                name=name,
                marker=look,
                hovertemplate=f"row %{{customdata}} of {name}: k(x, x) = %{{text}}<extra></extra>",
            )
        )
    if view.selected:
        kept = list(view.selected)
        traces.append(
            go.Scatter(
                x=view.x[kept],
                y=view.y[kept],
                mode="markers",
                name="selected",
                marker={"symbol": "circle-open", "size": 16, "color": VERMILLION, "line": {"width": 3}},
                hoverinfo="skip",
            )
        )
    seen = "" if view.share > 0.999 else f"; the plane holds {view.share:.0%} of the variance"
    return figure(
        traces,
        title="The sample",
        subtitle=f"{len(view.x)} rows, {len(view.selected)} selected{seen}",
        x=view.axes[0],
        y=view.axes[1],
        revision=f"sample:{view.axes}",
        xaxis={"zeroline": False},
        yaxis={"zeroline": False},
        dragmode="select",
    )


def _select(at: At, event: str, value: Any) -> dict[str, Any]:
    """Selected points are taken as they are; a click adds one, or takes it away."""
    marks = [each.get("customdata") for each in (value if event == "select" else [value])]
    rows = [int(row) for row in marks if row is not None]
    if not rows:  # a click ends an empty selection too
        return {}
    if event == "click":
        before = list(at.points)
        rows = [row for row in before if row not in rows] + [row for row in rows if row not in before]
    return {"points": ",".join(map(str, rows))}


def plane_at(at: At) -> SamplePlane:
    static, names = at.static, [str(name) for name in at.facts.get("feature_names") or ()]
    return once(at, ("plane",), lambda: sample_plane(
        rows_of(at).X, names, center=static.get("inputs_center"), scale=static.get("inputs_scale")
    ))  # fmt: skip


@picture(PAGE, alt="The sample as points that can be selected", when=has_kernel, uses=("points", "output"), height=480,
         events=("click", "select"), taken=_select)  # fmt: skip
def draw_sample(at: At) -> go.Figure:
    """The sample; points that are selected here are looked at in the other pictures."""
    rows, classes = rows_of(at), classes_of(at)
    outputs = [str(name) for name in at.facts.get("classes") or ["target"]]
    target = outputs[min(at.view["output"], len(outputs) - 1)]
    view = sample_view(
        plane_at(at), rows.targets, grams_at(at)["now"].diagonal(), at.points, classes=classes, target=target
    )
    figure = plot_sample(view)
    return without_crowded_legend(figure, len(classes))

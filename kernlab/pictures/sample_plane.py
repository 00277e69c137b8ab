"""Where a sample is drawn: along its only input, in the plane of its two, or on its first two principal directions.

Coordinates of one or two inputs are in the data's own units; those of a plane are in scaled inputs, from the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, once, picture
from kernlab.pictures.class_names import with_class_names
from kernlab.pictures.kernels import PAGE, classes_of, grams_at, has_kernel, rows_of
from kernlab.pictures.marks import dots, stated
from kernlab.pictures.sample import known_numbers
from kernlab.pictures.theme import GREY, VERMILLION, class_style, colourbar, figure


class SamplePlane(NamedTuple):
    """A line or a plane on which scaled inputs have coordinates."""

    directions: NDArray[np.float64]  # orthonormal rows [p d], p = 1 or 2
    middle: NDArray[np.float64]  # scaled input at which the coordinates are ``shift`` [d]
    shift: NDArray[np.float64]  # shift, unit: coordinate = shift + unit · direction·(x − middle) [p]
    unit: NDArray[np.float64]
    axes: tuple[str, ...]  # names of the p coordinates
    coordinates: NDArray[np.float64]  # of the sample [n p]
    share: float  # of the sample's variance that the plane explains

    def place(self, X: ArrayLike) -> NDArray[np.float64]:
        """Coordinates [n p] of scaled inputs [n d]."""
        return np.asarray((np.asarray(X, np.float64) - self.middle) @ self.directions.T * self.unit + self.shift)

    def moved(self, x: ArrayLike, coordinates: ArrayLike) -> NDArray[np.float64]:
        """Scaled inputs [g d]: ``x`` [d] is moved along the directions until its first coordinates are these [g q]."""
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
    """The sample as points that can be selected."""

    x: NDArray[np.float32]  # x, y: coordinates; of one input y is the target [n]
    y: NDArray[np.float32]
    targets: NDArray[Any]  # class codes from 0, or real targets [n]
    classes: tuple[str, ...]  # names of the classes, empty for real targets
    diagonal: NDArray[np.float32] | None  # k(x, x) [n]; None: without
    selected: tuple[int, ...]  # places of the selected points, in the order they were selected
    axes: tuple[str, str]  # names of x and y
    share: float  # of the sample's variance that is seen
    rows: NDArray[np.int64] = np.zeros(0, np.int64)  # their numbers in the data set [n]; none where they are unknown


def sample_view(
    plane: SamplePlane, targets: ArrayLike, diagonal: ArrayLike | None, selected: Sequence[int] = (), *,
    classes: tuple[str, ...] = (), target: str = "target", rows: ArrayLike = (),
) -> SampleView:  # fmt: skip
    """The sample in its plane, with each point's k(x, x).

    Args:
        plane: of the sample.
        targets: class codes from 0, or real targets [n].
        diagonal: k(x, x) [n]; None: without.
        selected: places among the n; others are left out.
        classes: names of the classes.
        target: name of a real target.
        rows: numbers of the points in the data set [n].
    """
    values = np.asarray(targets)
    one = len(plane.axes) == 1
    axes = (plane.axes[0], ("class" if classes else target) if one else plane.axes[1])
    x, y = plane.coordinates[:, 0], values if one else plane.coordinates[:, 1]
    kept = tuple(int(place) for place in selected if 0 <= place < len(values))
    if diagonal is not None:
        diagonal = np.asarray(diagonal, np.float32)
    return SampleView(
        x.astype(np.float32), y.astype(np.float32), values, classes, diagonal, kept, axes, plane.share,
        np.asarray(rows, np.int64),
    )  # fmt: skip


def sample_plane(
    X: ArrayLike, names: Sequence[str] = (), *, center: ArrayLike | None = None, scale: ArrayLike | None = None
) -> SamplePlane:
    """The line or plane of a sample.

    Args:
        X: scaled inputs [n d].
        names: of the inputs; an input without a name is numbered.
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
    axes = ("principal axis 1", "principal axis 2")
    return SamplePlane(
        directions, middle, np.zeros(2), np.ones(2), axes, (points - middle) @ directions.T, min(share, 1.0)
    )


def share_words(share: float) -> str:
    """How much of the sample's variance a plane explains, where it is not all."""
    return "" if share > 0.999 else f"; the plane explains {share:.0%} of the variance"


def plot_sample(view: SampleView) -> go.Figure:
    """Points by class, or coloured by target; the selected ones carry a ring. Hovering names k(x, x)."""
    codes = np.unique(view.targets).tolist() if view.classes else [None]
    colour: Any
    traces: list[Any] = []
    for code in codes:
        if code is None:
            name, mine, colour, symbol = "sample", np.arange(len(view.x)), view.targets, None
            look: dict[str, Any] = {"colorscale": "Cividis", "colorbar": colourbar("target")}
            outline = {"color": GREY, "width": 0.5}
        else:
            name, mine, look, outline = view.classes[code], np.flatnonzero(view.targets == code), {"opacity": 0.8}, None
            colour, symbol = class_style(code)
        words, text = f"row %{{customdata}} of {name}", None
        if view.diagonal is not None:
            words, text = f"{words}: k(x, x) = %{{text}}", [f"{value:.4g}" for value in view.diagonal[mine]]
        traces.append(
            dots(view.x[mine], view.y[mine], name, colour, words, symbol=symbol, outline=outline, marker=look,
                 customdata=known_numbers(view.rows, len(view.x))[mine].astype(np.int32), text=text,
                 meta=stated(**{"row": view.rows[mine] if len(view.rows) else None, "class": code}))
        )  # fmt: skip
    if view.selected:
        kept = list(view.selected)
        traces.append(
            dots(view.x[kept], view.y[kept], "selected", VERMILLION, None, symbol="circle-open", size=16,
                 outline={"width": 3})
        )  # fmt: skip
    chosen = f", {len(view.selected)} selected" if view.selected else ""
    drawn = figure(
        traces, title="The sample", x=view.axes[0], y=view.axes[1], revision=f"sample:{view.axes}",
        subtitle=f"{len(view.x)} rows{chosen}{share_words(view.share)}",
        xaxis={"zeroline": False}, yaxis={"zeroline": False}, dragmode="select",
    )  # fmt: skip
    return with_class_names(drawn, view.x, view.y, view.targets, view.classes)


def plane_at(at: At) -> SamplePlane:
    """The plane of a run's sample."""
    static, names = at.static, [str(name) for name in at.facts.get("feature_names") or ()]
    return once(at, ("plane",), lambda: sample_plane(
        rows_of(at).X, names, center=static.get("inputs_center"), scale=static.get("inputs_scale")
    ))  # fmt: skip


@picture(PAGE, alt="The sample as points that can be selected", when=has_kernel, uses=("output",), height=480)
def draw_sample(at: At) -> go.Figure:
    """The sample; the other pictures show the points that are selected here."""
    return plot_sample(sample_at(at, grams_at(at)["now"].diagonal()))


def sample_at(at: At, diagonal: ArrayLike | None) -> SampleView:
    """The sample of a run; ``diagonal`` [n] is k(x, x), or None."""
    outputs = [str(name) for name in at.facts.get("classes") or ["target"]]
    target = outputs[min(at.view["output"], len(outputs) - 1)]
    rows = rows_of(at)
    return sample_view(
        plane_at(at), rows.targets, diagonal, at.points, classes=classes_of(at), target=target, rows=rows.numbers
    )

"""The kernel as a function around one point, k(x₀, ·): along a line as curves, on a plane as contours.

The line and the plane go through x₀ along the directions of :mod:`kernlab.pictures.sample_plane`: the inputs
themselves where there are one or two, else the sample's principal directions. In all other directions a point keeps
the coordinates of x₀.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps.law import GramFunction
from kernlab.numerals import number
from kernlab.pictures.base import At, picture
from kernlab.pictures.class_names import with_class_names
from kernlab.pictures.kernels import (
    PAGE,
    chosen_matrix,
    classes_of,
    earlier,
    has_kernel,
    kernels_at,
    matrix_words,
    rows_of,
)
from kernlab.pictures.marks import dots, line, stated
from kernlab.pictures.sample import known_numbers
from kernlab.pictures.sample_plane import SamplePlane, plane_at, share_words
from kernlab.pictures.theme import (
    DIVERGING,
    GREY,
    VERMILLION,
    class_style,
    colourbar,
    fade,
    figure,
    moment_style,
)

LINE, GRID = 201, 41  # points of a line, and of each side of a grid
UNLIKE = 10.0  # times as large: beyond that one curve would flatten the other
_LEVELS = 12  # lines between the lowest colour and the highest
# From transparent to full, so that either background shows where nothing resembles a point.
_POSITIVE = [[0, "rgba(0,114,178,0)"], [0.15, "rgba(0,114,178,0.3)"], [1, "rgba(0,114,178,1)"]]


class KernelProfile(NamedTuple):
    """k(x₀, ·) along the first direction."""

    x: NDArray[np.float64]  # coordinate [g]
    names: tuple[str, ...]  # which kernels
    values: NDArray[np.float32]  # k(x₀, ·) of each [c g]
    relative: bool  # the values are k(x₀, ·)/k(x₀, x₀), since the kernels are of very different size
    at: float  # coordinate of x₀
    own: tuple[float, ...]  # k(x₀, x₀) of each
    axis: str  # name of the coordinate
    row: int  # number of x₀ in the data set, as far as it is known, else its place in the sample


class KernelSurface(NamedTuple):
    """k(x₀, ·) on the plane."""

    x: NDArray[np.float64]  # x, y: coordinates of the grid [u], [v]
    y: NDArray[np.float64]
    values: NDArray[np.float32]  # k(x₀, ·) [v u]
    name: str  # which kernel
    at: tuple[float, float]  # coordinates of x₀
    own: float  # k(x₀, x₀)
    points: NDArray[np.float32]  # coordinates of the sample [n 2]
    codes: NDArray[np.int64]  # codes, classes: class of each point and their names; codes are all 0 without classes
    classes: tuple[str, ...]
    axes: tuple[str, str]  # names of the coordinates
    row: int  # which row of the sample x₀ is
    share: float  # of the sample's variance that lies in the plane
    rows: NDArray[np.int64] = np.zeros(0, np.int64)  # numbers of the points in the data set [n]; none: unknown


def kernel_profile(
    kernels: Mapping[str, GramFunction], X: ArrayLike, row: int, plane: SamplePlane, rows: ArrayLike = ()
) -> KernelProfile:
    """Several kernels along the line through one row.

    Args:
        kernels: by name (now, initial, exact …).
        X: scaled inputs of the sample [n d].
        row: x₀ is this row.
        plane: of the sample.
        rows: numbers of the rows in the data set [n].
    """
    x0 = np.asarray(X, np.float64)[row]
    x = np.linspace(*plane.span(0), LINE)
    points = np.concatenate([x0[None], plane.moved(x0, x[:, None])])
    values = [kernel(points, x0[None])[:, 0] for kernel in kernels.values()]
    table = np.asarray(values, np.float64).reshape(len(kernels), LINE + 1)
    at, own = float(plane.place(x0[None])[0, 0]), table[:, 0]
    relative = len(own) > 1 and bool(0 < own.min() < own.max() / UNLIKE)
    drawn = (table[:, 1:] / own[:, None] if relative else table[:, 1:]).astype(np.float32)
    number = int(known_numbers(np.asarray(rows, np.int64), len(np.asarray(X)))[row])
    return KernelProfile(x, tuple(kernels), drawn, relative, at, tuple(own.tolist()), plane.axes[0], number)


def kernel_surface(
    name: str, kernel: GramFunction, X: ArrayLike, row: int, plane: SamplePlane, codes: ArrayLike | None = None,
    classes: tuple[str, ...] = (), rows: ArrayLike = (),
) -> KernelSurface:  # fmt: skip
    """A kernel on the plane through one row, over the sample.

    Args:
        name: which kernel.
        kernel: evaluates it.
        X: scaled inputs of the sample [n d], d ≥ 2.
        row: x₀ is this row.
        plane: of the sample, with two directions.
        codes, classes: class of each row [n], from 0, and the names.
        rows: numbers of the rows in the data set [n].
    """
    x0 = np.asarray(X, np.float64)[row]
    x, y = (np.linspace(*plane.span(axis), GRID) for axis in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    found = kernel(np.concatenate([x0[None], plane.moved(x0, grid)]), x0[None])[:, 0]
    at, points = plane.place(x0[None])[0], plane.coordinates.astype(np.float32)
    return KernelSurface(
        x, y, found[1:].reshape(GRID, GRID).astype(np.float32), name, (float(at[0]), float(at[1])), float(found[0]),
        points, np.zeros(len(points), np.int64) if codes is None else np.asarray(codes, np.int64), classes,
        (plane.axes[0], plane.axes[1]), row, plane.share, np.asarray(rows, np.int64),
    )  # fmt: skip


def plot_kernel_profile(view: KernelProfile) -> go.Figure:
    """k(x₀, ·) along the line, one curve a kernel; a dotted line stands at x₀."""
    value = "k(x₀, x) / k(x₀, x₀)" if view.relative else "k(x₀, x)"  # not on the axis: it may change within a run
    traces = []
    for name, values in zip(view.names, view.values, strict=True):
        style, words = moment_style(name), f"{name}: {value} = %{{y:.3~g}} at %{{x:.3~g}}"
        traces.append(line(view.x, values, name, style.colour, words, dash=style.dash))
    own = ", ".join(f"{number(at, 3)} {name}" for name, at in zip(view.names, view.own, strict=True))
    shown = figure(
        traces, title="The kernel around a point",
        subtitle=f"row {view.row}; {'divided by ' if view.relative else ''}k(x₀, x₀) = {own}",
        x=view.axis, y="k(x₀, x)", revision=f"kernel-profile:{view.relative}",
    )  # fmt: skip
    return shown.add_vline(x=view.at, line={"color": GREY, "width": 1.5, "dash": "dot"})


def plot_kernel_surface(view: KernelSurface) -> go.Figure:
    """k(x₀, ·) as contours over the sample; the cross is x₀."""
    numbers = known_numbers(view.rows, len(view.points))
    row = numbers[view.row]
    low, high = float(view.values.min()), max(float(view.values.max()), view.own, 1e-12)
    signed = low < -0.02 * high
    top = max(-low, high)
    bottom = -top if signed else low if low > 0.3 * high else 0.0  # a kernel that is high everywhere still has a shape
    traces: list[Any] = [
        go.Contour(
            x=view.x, y=view.y, z=view.values, zmin=bottom, zmax=top, name="k(x₀, x)",
            colorscale=DIVERGING if signed else _POSITIVE,
            colorbar=colourbar("k(x₀, x)") | {"tickformat": ".2~g"},
            contours={"coloring": "heatmap", "start": bottom, "end": top, "size": (top - bottom) / _LEVELS},
            line={"width": 0.5, "color": fade(GREY, 0.7)}, hovertemplate="k(x₀, x) = %{z:.3~g}<extra></extra>",
        )
    ]  # fmt: skip
    for code in np.unique(view.codes).tolist():
        mine = np.flatnonzero(view.codes == code)
        colour, symbol = class_style(code) if view.classes else (GREY, "circle")
        name = view.classes[code] if view.classes else "sample"
        words = f"row %{{customdata}} of {name}: click to centre the kernel on it"
        traces.append(
            dots(view.points[mine, 0], view.points[mine, 1], name, fade(colour, 0.75), words, symbol=symbol, size=6,
                 customdata=numbers[mine].astype(np.int32),
                 meta=stated(**{"row": view.rows[mine] if len(view.rows) else None,
                                "class": code if view.classes else None}))
        )  # fmt: skip
    traces.append(
        dots([view.at[0]], [view.at[1]], "x₀", VERMILLION, f"x₀, row {row}: k(x₀, x₀) = {number(view.own, 3)}", size=13,
             symbol="x", outline={"color": "white", "width": 1.5})
    )  # fmt: skip
    plain = {"showgrid": False, "zeroline": False}
    drawn = figure(
        traces, title=f"The kernel around a point, {view.name}" if view.name else "The kernel around a point",
        subtitle=f"row {row}: k(x₀, x₀) = {number(view.own, 3)}{share_words(view.share)}",
        x=view.axes[0], y=view.axes[1],
        revision=f"kernel-surface:{view.axes}", xaxis=plain, yaxis=plain,
    )  # fmt: skip
    return with_class_names(drawn, view.points[:, 0], view.points[:, 1], view.codes, view.classes)


def _row(at: At) -> int:
    """x₀: the point that was clicked, else the one selected last, else the middle of the sample."""
    n = len(rows_of(at).X)
    asked = [int(text) for text in [at.view["around"]] if text.isdecimal()] + list(at.points[::-1])
    return next((row for row in asked if row < n), n // 2)


def _nearest(at: At, clicked: list[Any]) -> dict[str, Any]:
    """x₀ becomes the row whose coordinates are nearest to where was clicked; not all of them need be known."""
    if any(not isinstance(each, int | float) for each in clicked):
        return {}
    coordinates = plane_at(at).coordinates[:, : len(clicked)]
    width = np.ptp(coordinates, axis=0)
    apart = (coordinates - np.array(clicked[: coordinates.shape[1]])) / np.where(width > 0, width, 1.0)
    return {"around": str(int((apart**2).sum(1).argmin()))}


def _take_point(at: At, event: str, value: Any) -> dict[str, Any]:
    return _nearest(at, [value.get("x"), value.get("y")])


def _take_place(at: At, event: str, value: Any) -> dict[str, Any]:
    return _nearest(at, [value.get("x")])


def _about_profile(at: At) -> tuple[str, str]:
    words = "How similar the model takes other inputs to be to one point x₀. Click to choose another x₀."
    if len(plane_at(at).directions[0]) > 2:
        words += " In all other directions the inputs keep the coordinates of x₀."
    return r"x\mapsto k(x_0,x)", words


@picture(
    PAGE, alt="The kernel along a line through a point", when=has_kernel,
    uses=("around", "points", "output"), height=380, note=_about_profile, events=("click",), taken=_take_place,
)  # fmt: skip
def draw_kernel_profile(at: At) -> go.Figure:
    """k(x₀, ·) along the first direction: now, before, exact."""
    kernels = {name: kernel for name, (_, kernel) in kernels_at(at).items()}
    rows = rows_of(at)
    return plot_kernel_profile(kernel_profile(kernels, rows.X, _row(at), plane_at(at), rows.numbers))


@picture(
    "preview", alt="The kernel along the only input", when=lambda at: has_kernel(at) and rows_of(at).X.shape[1] == 1,
    uses=("around",), events=("click",), taken=_take_place,
)  # fmt: skip
def draw_kernel_line(at: At) -> go.Figure:
    """As the kernel along a line, where there is but one."""
    return draw_kernel_profile(at)


@picture(
    PAGE, "preview", alt="The kernel around a point, over the sample", uses=("matrix", "around", "points", "output"),
    when=lambda at: has_kernel(at) and rows_of(at).X.shape[1] > 1, height=480, events=("click",), taken=_take_point,
)  # fmt: skip
def draw_kernel_surface(at: At) -> go.Figure:
    """k(x₀, ·) on the plane of the sample, or one of the differences."""
    kernels = {name: kernel for name, (_, kernel) in kernels_at(at).items()}
    chosen, rows = chosen_matrix(at), rows_of(at)
    words, kernel = matrix_words(at, chosen), kernels["exact" if chosen == "exact" else "now"]
    if chosen in ("error", "change"):
        name = "exact" if chosen == "error" else earlier(kernels)
        now, other = kernel, kernels[name]
        kernel, words = lambda X, Z: now(X, Z) - other(X, Z), f"now − {name}" if chosen == "change" else words
    classes = classes_of(at)
    codes = rows.targets if classes else None
    view = kernel_surface(words, kernel, rows.X, _row(at), plane_at(at), codes, classes, rows.numbers)
    return plot_kernel_surface(view)

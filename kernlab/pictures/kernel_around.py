"""The kernel as a function around one point, k(x₀, ·): along a line as curves, on a plane as contours.

The line and the plane go through x₀ along the directions of :mod:`kernlab.pictures.sample_plane`: the inputs
themselves where there are one or two, else the sample's principal directions, all other directions staying as they
are at x₀.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.exact_kernel import GramFunction
from kernlab.pictures.kernels import MATRICES, PAGE, chosen_matrix, classes_of, earlier, has_kernel, kernels_at, rows_of
from kernlab.pictures.sample_plane import SamplePlane, plane_at
from kernlab.pictures.theme import (
    DIVERGING,
    GREY,
    VERMILLION,
    class_style,
    colourbar,
    fade,
    figure,
    moment_style,
    without_crowded_legend,
)

LINE, GRID = 201, 41


UNLIKE = 10.0  # times as large: beyond that one curve would flatten the other


class KernelProfile(NamedTuple):
    """k(x₀, ·) along the first direction.

    Attributes:
        x: coordinate [g].
        names: which kernels.
        values: k(x₀, ·) of each [c g].
        relative: the values are k(x₀, ·)/k(x₀, x₀), since the kernels are of very different size.
        at: coordinate of x₀.
        own: k(x₀, x₀) of each.
        axis: name of the coordinate.
        row: which row of the sample x₀ is.
    """

    x: NDArray[np.float64]
    names: tuple[str, ...]
    values: NDArray[np.float32]
    relative: bool
    at: float
    own: tuple[float, ...]
    axis: str
    row: int


class KernelSurface(NamedTuple):
    """k(x₀, ·) on the plane.

    Attributes:
        x, y: coordinates of the grid [u], [v].
        values: k(x₀, ·) [v u].
        name: which kernel.
        at: coordinates of x₀.
        own: k(x₀, x₀).
        points: coordinates of the sample [n 2].
        codes, classes: class of each point and their names; codes are all 0 without classes.
        axes: names of the coordinates.
        row: which row of the sample x₀ is.
        share: of the sample's variance that lies in the plane.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    values: NDArray[np.float32]
    name: str
    at: tuple[float, float]
    own: float
    points: NDArray[np.float32]
    codes: NDArray[np.int64]
    classes: tuple[str, ...]
    axes: tuple[str, str]
    row: int
    share: float


def kernel_profile(kernels: Mapping[str, GramFunction], X: ArrayLike, row: int, plane: SamplePlane) -> KernelProfile:
    """Several kernels along the line through one row.

    Args:
        kernels: by name (now, initial, exact …).
        X: scaled inputs of the sample [n d].
        row: x₀ is this row.
        plane: of the sample.
    """
    x0 = np.asarray(X, np.float64)[row]
    x = np.linspace(*plane.span(0), LINE)
    line = plane.moved(x0, x[:, None])
    values = [kernel(np.concatenate([x0[None], line]), x0[None])[:, 0] for kernel in kernels.values()]
    table = np.asarray(values, np.float64).reshape(len(kernels), LINE + 1)
    at, own = float(plane.place(x0[None])[0, 0]), table[:, 0]
    relative = len(own) > 1 and bool(0 < own.min() < own.max() / UNLIKE)
    drawn = (table[:, 1:] / own[:, None] if relative else table[:, 1:]).astype(np.float32)
    return KernelProfile(x, tuple(kernels), drawn, relative, at, tuple(own.tolist()), plane.axes[0], row)


def kernel_surface(
    name: str,
    kernel: GramFunction,
    X: ArrayLike,
    row: int,
    plane: SamplePlane,
    codes: ArrayLike | None = None,
    classes: tuple[str, ...] = (),
) -> KernelSurface:
    """A kernel on the plane through one row, over the sample.

    Args:
        name: which kernel.
        kernel: evaluates it.
        X: scaled inputs of the sample [n d], d ≥ 2.
        row: x₀ is this row.
        plane: of the sample, with two directions.
        codes, classes: class of each row [n], from 0, and the names.
    """
    x0 = np.asarray(X, np.float64)[row]
    x, y = (np.linspace(*plane.span(axis), GRID) for axis in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    found = kernel(np.concatenate([x0[None], plane.moved(x0, grid)]), x0[None])[:, 0]
    at = plane.place(x0[None])[0]
    return KernelSurface(
        x,
        y,
        found[1:].reshape(GRID, GRID).astype(np.float32),
        name,
        (float(at[0]), float(at[1])),
        float(found[0]),
        plane.coordinates.astype(np.float32),
        np.zeros(len(plane.coordinates), np.int64) if codes is None else np.asarray(codes, np.int64),
        classes,
        (plane.axes[0], plane.axes[1]),
        row,
        plane.share,
    )


# From nothing to full, so that either background shows where a point has no kin.
_POSITIVE = [[0, "rgba(0,114,178,0)"], [0.15, "rgba(0,114,178,0.3)"], [1, "rgba(0,114,178,1)"]]


_LEVELS = 12  # lines between the lowest colour and the highest


def plot_kernel_profile(view: KernelProfile) -> go.Figure:
    """k(x₀, ·) along the line, one curve a kernel; a dotted line stands at x₀."""
    traces = []
    for name, values in zip(view.names, view.values, strict=True):
        style = moment_style(name)
        traces.append(
            go.Scatter(
                x=view.x,
                y=values,
                mode="lines",
                name=name,
                line={"color": style.colour, "width": 2.5, "dash": style.dash},
                hovertemplate=f"{name}: k = %{{y:.3~g}} at %{{x:.3~g}}<extra></extra>",
            )
        )
    own = ", ".join(f"{value:.3g} {name}" for name, value in zip(view.names, view.own, strict=True))
    shown = figure(
        traces,
        title="The kernel around a point",
        subtitle=f"row {view.row} of the sample; k(x₀, x₀) = {own}",
        x=view.axis,
        y="k(x₀, x) / k(x₀, x₀)" if view.relative else "k(x₀, x)",
        revision=f"kernel-profile:{view.relative}",
    )
    return shown.add_vline(x=view.at, line={"color": GREY, "width": 1.5, "dash": "dot"})


def plot_kernel_surface(view: KernelSurface) -> go.Figure:
    """k(x₀, ·) as contours over the sample; the cross is x₀."""
    low, high = float(view.values.min()), max(float(view.values.max()), view.own, 1e-12)
    signed = low < -0.02 * high
    top = max(-low, high)
    bottom = -top if signed else low if low > 0.3 * high else 0.0  # a kernel that is high everywhere still has a shape
    traces: list[Any] = [
        go.Contour(
            x=view.x,
            y=view.y,
            z=view.values,
            zmin=bottom,
            zmax=top,
            colorscale=DIVERGING if signed else _POSITIVE,
            colorbar=colourbar("k(x₀, x)") | {"tickformat": ".2~g"},
            contours={"coloring": "heatmap", "start": bottom, "end": top, "size": (top - bottom) / _LEVELS},
            line={"width": 0.5, "color": fade(GREY, 0.7)},
            name="k(x₀, x)",
            hovertemplate="k(x₀, x) = %{z:.3~g}<extra></extra>",
        )
    ]
    for code in np.unique(view.codes).tolist():
        mine = np.flatnonzero(view.codes == code)
        colour, symbol = class_style(code) if view.classes else (GREY, "circle")
        name = view.classes[code] if view.classes else "sample"
        traces.append(
            go.Scatter(
                x=view.points[mine, 0],
                y=view.points[mine, 1],
                customdata=mine.astype(np.int32),
                mode="markers",
                name=name,
                marker={"color": fade(colour, 0.75), "symbol": symbol, "size": 6},
                hovertemplate=f"row %{{customdata}} of {name}: click to look around it<extra></extra>",
            )
        )
    traces.append(
        go.Scatter(
            x=[view.at[0]],
            y=[view.at[1]],
            mode="markers",
            name="x₀",
            marker={"color": VERMILLION, "symbol": "x", "size": 13, "line": {"color": "white", "width": 1.5}},
            hovertemplate=f"x₀, row {view.row}: k(x₀, x₀) = {view.own:.3g}<extra></extra>",
        )
    )
    seen = "" if view.share > 0.999 else f"; the plane holds {view.share:.0%} of the variance"
    return figure(
        traces,
        title=f"The kernel around a point, {view.name}",
        subtitle=f"row {view.row}: k(x₀, x₀) = {view.own:.3g}{seen}",
        x=view.axes[0],
        y=view.axes[1],
        revision=f"kernel-surface:{view.axes}",
        xaxis={"showgrid": False, "zeroline": False},
        yaxis={"showgrid": False, "zeroline": False},
    )


# -- around a point --------------------------------------------------------------------------------------------


def _row(at: At) -> int:
    """x₀: the point that was clicked, else the first selected one, else the middle of the sample."""
    n = len(rows_of(at).X)
    asked = [int(text) for text in [at.view["around"]] if text.isdecimal()] + list(at.points)
    return next((row for row in asked if row < n), n // 2)


def _go_there(at: At, event: str, value: Any) -> dict[str, Any]:
    """x₀ becomes the row nearest to where was clicked."""
    clicked = [value.get("x"), value.get("y")][: len(plane_at(at).axes)]
    if any(not isinstance(each, int | float) for each in clicked):
        return {}
    plane = plane_at(at)
    width = np.ptp(plane.coordinates, axis=0)
    apart = (plane.coordinates - np.array(clicked)) / np.where(width > 0, width, 1.0)
    return {"around": str(int((apart**2).sum(1).argmin()))}


def _go_along(at: At, event: str, value: Any) -> dict[str, Any]:
    x = value.get("x")
    return (
        {"around": str(int(np.abs(plane_at(at).coordinates[:, 0] - x).argmin()))} if isinstance(x, int | float) else {}
    )


def _about_profile(at: At) -> tuple[str, str]:
    words = "What the model calls alike to one point. Click to look around another one."
    if len(plane_at(at).directions[0]) > 2:
        words += " All other directions stay as they are at x₀."
    return r"x\mapsto k(x_0,x)", words


@picture(PAGE, alt="The kernel along a line through a point", when=has_kernel, uses=("around", "points", "output"),
         height=380, note=_about_profile, events=("click",), taken=_go_along)  # fmt: skip
def draw_kernel_profile(at: At) -> go.Figure:
    """k(x₀, ·) along the first direction: now, before, exact."""
    kernels = {name: kernel for name, (_, kernel) in kernels_at(at).items()}
    return plot_kernel_profile(kernel_profile(kernels, rows_of(at).X, _row(at), plane_at(at)))


@picture(PAGE, alt="The kernel around a point, over the sample", uses=("matrix", "around", "points", "output"),
         when=lambda at: has_kernel(at) and rows_of(at).X.shape[1] > 1, height=480, events=("click",),
         taken=_go_there)  # fmt: skip
def draw_kernel_surface(at: At) -> go.Figure:
    """k(x₀, ·) on the plane of the sample, or one of the differences."""
    kernels = {name: kernel for name, (_, kernel) in kernels_at(at).items()}
    chosen, rows = chosen_matrix(at), rows_of(at)
    words, kernel = MATRICES[chosen], kernels["exact" if chosen == "exact" else "now"]
    if chosen in ("error", "change"):
        name = "exact" if chosen == "error" else earlier(kernels)
        kernel, words = _less(kernel, kernels[name]), f"now − {name}" if chosen == "change" else words
    classes = classes_of(at)
    codes = rows.targets if classes else None
    figure = plot_kernel_surface(kernel_surface(words, kernel, rows.X, _row(at), plane_at(at), codes, classes))
    return without_crowded_legend(figure, len(classes))


def _less(first: GramFunction, second: GramFunction) -> GramFunction:
    return lambda X, Z: first(X, Z) - second(X, Z)

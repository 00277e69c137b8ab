"""A Gram matrix whose rows stand class by class, the difference of two, and single rows of one.

error    K − K_exact            change    K_now − K_then            ‖K − K'‖_F / ‖K'‖_F beside it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.kernels import (
    MATRICES,
    PAGE,
    chosen_matrix,
    earlier,
    exact_at,
    features_words,
    grams_at,
    has_kernel,
    rows_of,
)
from kernlab.pictures.sample import Sample
from kernlab.pictures.theme import CLASSES, DIVERGING, colourbar, figure

ROWS = 6  # drawn at most as curves


class Groups(NamedTuple):
    """Which rows belong together.

    Attributes:
        ends: where each class ends, one past its last row [c]; empty for real targets.
        names: of the classes [c].
    """

    ends: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def middles(self) -> tuple[float, ...]:
        """Where to write the names, counted from row 0."""
        starts = (0, *self.ends[:-1])
        return tuple((start + end - 1) / 2 for start, end in zip(starts, self.ends, strict=True))

    def name(self, row: int) -> str:
        """Class of a row; empty where there are none."""
        return self.names[int(np.searchsorted(self.ends, row, side="right"))] if self.names else ""


class GramView(NamedTuple):
    """A Gram matrix.

    Attributes:
        values: k(x_i, x_j) [n n].
        groups: its classes.
        within, between: mean of k over different rows of one class, and of two classes; None without classes.
        limits: smallest and largest value.
    """

    values: NDArray[np.float32]
    groups: Groups
    within: float | None
    between: float | None
    limits: tuple[float, float]


class Difference(NamedTuple):
    """One Gram matrix less another.

    Attributes:
        values: K − K' [n n].
        groups: its classes.
        mean, largest: of |K − K'| over all entries.
        relative: ‖K − K'‖_F / ‖K'‖_F.
    """

    values: NDArray[np.float32]
    groups: Groups
    mean: float
    largest: float
    relative: float


class GramRow(NamedTuple):
    """k(x_i, ·) over the sample.

    Attributes:
        row: i, from 0.
        name: class of x_i, empty without classes.
        values: [n].
        own: k(x_i, x_i).
    """

    row: int
    name: str
    values: NDArray[np.float32]
    own: float


class GramRows(NamedTuple):
    """Some rows of a Gram matrix as curves.

    Attributes:
        rows: in the order they were asked for.
        wanted: how many were asked for.
        groups: classes along the axis.
        n: rows of the sample.
    """

    rows: tuple[GramRow, ...]
    wanted: int
    groups: Groups
    n: int


def gram_view(K: ArrayLike, groups: Groups = Groups()) -> GramView:  # noqa: B008  # a tuple
    """A Gram matrix [n n] with what its classes say.

    Args:
        K: rows sorted by class.
        groups: the classes.
    """
    values = np.asarray(K, np.float64)
    n, within, between = len(values), None, None
    if groups.names:
        label = np.repeat(np.arange(len(groups.ends)), np.diff([0, *groups.ends]))
        same = label[:, None] == label[None, :]
        apart = ~same
        np.fill_diagonal(same, False)
        within, between = (float(values[part].mean()) if part.any() else None for part in (same, apart))
    limits = (float(values.min()), float(values.max())) if n else (0.0, 0.0)
    return GramView(values.astype(np.float32), groups, within, between, limits)


def gram_difference(K: ArrayLike, other: ArrayLike, groups: Groups = Groups()) -> Difference:  # noqa: B008
    """K − K' [n n] with its size.

    Args:
        K, other: rows in the same order.
        groups: the classes.
    """
    first, second = np.asarray(K, np.float64), np.asarray(other, np.float64)
    values = first - second
    size, apart = float(np.linalg.norm(second)), np.abs(values)
    relative = float(np.linalg.norm(values)) / size if size > 0 else float("nan")
    return Difference(values.astype(np.float32), groups, float(apart.mean()), float(apart.max()), relative)


def gram_rows(K: ArrayLike, rows: Sequence[int], groups: Groups = Groups()) -> GramRows:  # noqa: B008
    """The first rows of those asked for, as curves; rows that are not there are left out."""
    values = np.asarray(K, np.float32)
    there = [int(row) for row in rows if 0 <= row < len(values)]
    found = tuple(GramRow(row, groups.name(row), values[row], float(values[row, row])) for row in there[:ROWS])
    return GramRows(found, len(there), groups, len(values))


_NAMED = 30  # classes that have room for their names


_BORDER = {"color": "rgba(128,128,128,0.8)", "width": 1}


_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def plot_gram(view: GramView, *, what: str) -> go.Figure:
    """k(x_i, x_j) as colour, rows class by class.

    Args:
        view: the matrix.
        what: whose it is, for the title: "features", "exact" …
    """
    low, high = view.limits
    note = f"{len(view.values)} rows"
    if view.within is not None:
        note += f"; mean k within a class {view.within:.3g}"
    if view.between is not None:
        note += f", between classes {view.between:.3g}"
    # From zero where k is positive, so that a pale matrix is one whose entries are small.
    cells = _cells(view.values, "k(x, x')", "Cividis", (min(0.0, low), max(high, 1e-12)))
    return _matrix(cells, f"Gram matrix, {what}", note, view.groups, f"gram:{what}")


def plot_difference(view: Difference, *, what: str) -> go.Figure:
    """K − K' as colour, blue above zero.

    Args:
        view: the difference.
        what: of which two, for the title: "features − exact" …
    """
    limit = view.largest or 1.0
    note = f"{len(view.values)} rows; mean |difference| {view.mean:.3g}, largest {view.largest:.3g}, "
    note += f"in all {view.relative:.1%} of ‖K‖"
    cells = _cells(view.values, "difference", DIVERGING, (-limit, limit))
    return _matrix(cells, f"Gram matrix, {what}", note, view.groups, f"gram:{what}")


def plot_gram_rows(view: GramRows) -> go.Figure:
    """k(x_i, ·) over the sample, one curve a selected row; its own place carries a marker."""
    x = np.arange(view.n, dtype=np.int32)
    traces: list[Any] = []
    for order, row in enumerate(view.rows):
        colour, symbol = CLASSES[order % len(CLASSES)]
        name = f"row {row.row}" + (f" ({row.name})" if row.name else "")
        label = f"{name}: k(x, x) = {row.own:.3g}"
        traces += [
            go.Scatter(
                x=x,
                y=row.values,
                mode="lines",
                name=label,
                legendgroup=name,
                line={"color": colour, "width": 2, "dash": _DASHES[order % len(_DASHES)]},
                hovertemplate=f"{name}, column %{{x}}: k = %{{y:.3~g}}<extra></extra>",
            ),
            go.Scatter(
                x=[row.row],
                y=[row.own],
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=False,
                marker={"color": colour, "symbol": symbol, "size": 11},
                hovertemplate=f"{label}<extra></extra>",
            ),
        ]
    note = f"{len(view.rows)} of {view.wanted} selected rows" if len(view.rows) < view.wanted else ""
    return figure(
        traces,
        title="Rows of the Gram matrix",
        subtitle=note,
        x="row of the sample, class by class" if view.groups.names else "row of the sample, by target",
        y="k(x, x')",
        revision="gram-rows",
        xaxis=_ticks(view.groups),
        shapes=[
            {"type": "line", "x0": end - 0.5, "x1": end - 0.5, "yref": "paper", "y0": 0, "y1": 1, "line": _BORDER}
            for end in view.groups.ends[:-1]
        ],
    )


def _cells(values: Any, name: str, scale: Any, limits: tuple[float, float]) -> Any:
    return go.Heatmap(
        z=values,
        zmin=limits[0],
        zmax=limits[1],
        colorscale=scale,
        colorbar=colourbar(name),
        name=name,
        hovertemplate=f"row %{{y}}, column %{{x}}: {name} = %{{z:.3~g}}<extra></extra>",
    )


def _matrix(cells: Any, title: str, note: str, groups: Groups, revision: str) -> go.Figure:
    ends = groups.ends[:-1]
    n = len(cells.z)
    borders = [{"type": "line", "x0": end - 0.5, "x1": end - 0.5, "y0": -0.5, "y1": n - 0.5} for end in ends]
    borders += [{"type": "line", "y0": end - 0.5, "y1": end - 0.5, "x0": -0.5, "x1": n - 0.5} for end in ends]
    axis = {"showgrid": False, "zeroline": False, "constrain": "domain", **_ticks(groups)}
    words = "row, class by class" if groups.names else "row, by target"
    return figure(
        [cells],
        title=title,
        subtitle=note,
        x=words,
        y=words,
        revision=revision,
        xaxis=axis,
        yaxis={**axis, "autorange": "reversed", "scaleanchor": "x"},
        shapes=[{**each, "line": _BORDER} for each in borders],
    )


def _ticks(groups: Groups) -> dict[str, Any]:
    """Names of the classes in their middle, where there is room."""
    if not 0 < len(groups.names) <= _NAMED:
        return {}
    return {"tickvals": list(groups.middles), "ticktext": list(groups.names), "ticks": "", "showgrid": False}


def groups_of(sample: Sample) -> Groups:
    return Groups(tuple(sample.borders.tolist()), sample.names)


def _about_gram(at: At) -> tuple[str, str]:
    kernel, exact = at.kernel, exact_at(at)
    assert kernel
    words = "Rows are sorted by target: a kernel that helps is bright near the diagonal."
    if rows_of(at).classes:
        words = "Rows of one class stand together: a kernel that helps is bright on the blocks of the diagonal."
    if exact:
        words += f" Exact means {exact.words}."
    return r"K_{ij}=k(x_i,x_j)\approx\varphi(x_i)^\top\varphi(x_j)", f"{words} {features_words(kernel)}"


def _cell(at: At, event: str, value: Any) -> dict[str, Any]:
    """A cell stands for two rows."""
    places = dict.fromkeys(str(int(value[axis])) for axis in ("y", "x") if value.get(axis) is not None)
    return {"points": ",".join(places)}


@picture(PAGE, alt="Gram matrix of a sample", when=has_kernel, uses=("matrix", "output"), height=480,
         note=_about_gram, events=("click",), taken=_cell)  # fmt: skip
def draw_gram(at: At) -> go.Figure:
    """The Gram matrix: of the features, exact, or one of the differences."""
    found, groups, chosen = grams_at(at), groups_of(rows_of(at)), chosen_matrix(at)
    if chosen == "error":
        return plot_difference(gram_difference(found["now"], found["exact"], groups), what=MATRICES[chosen])
    if chosen == "change":
        then = earlier(found)
        view = gram_difference(found["now"], found[then], groups)
        return plot_difference(view, what=f"now − {then}")
    return plot_gram(gram_view(found["exact" if chosen == "exact" else "now"], groups), what=MATRICES[chosen])

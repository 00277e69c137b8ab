"""A Gram matrix sorted by class, the difference of two, and single rows of one.

error    K − K_exact            change    K_now − K_then            ‖K − K'‖_F / ‖K'‖_F beside it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.numerals import number
from kernlab.pictures.base import At, picture
from kernlab.pictures.class_names import named_ticks
from kernlab.pictures.kernels import (
    PAGE,
    chosen_matrix,
    earlier,
    exact_at,
    features_words,
    grams_at,
    has_kernel,
    matrix_words,
    rows_of,
)
from kernlab.pictures.marks import cells, dots, line, stated, upright
from kernlab.pictures.sample import Sample, known_numbers
from kernlab.pictures.theme import CLASSES, DIVERGING, figure

ROWS = 6  # drawn at most as curves


class Groups(NamedTuple):
    """The classes of sorted rows."""

    ends: tuple[int, ...] = ()  # where each class ends, one past its last row [c]; empty for real targets
    names: tuple[str, ...] = ()  # of the classes [c]

    @property
    def middles(self) -> tuple[float, ...]:
        """The middle row of each class, where its name is written; none without classes."""
        starts = (0, *self.ends)[:-1]
        return tuple((start + end - 1) / 2 for start, end in zip(starts, self.ends, strict=True))

    def name(self, row: int) -> str:
        """Class of a row; empty where there are none."""
        return self.names[int(np.searchsorted(self.ends, row, side="right"))] if self.names else ""


class GramView(NamedTuple):
    """A Gram matrix."""

    values: NDArray[np.float32]  # k(x_i, x_j) [n n]
    groups: Groups  # its classes
    within: float | None  # mean of k over different rows of one class; None without classes
    between: float | None  # mean of k over rows of two classes; None without classes
    limits: tuple[float, float]  # smallest and largest value


class Difference(NamedTuple):
    """One Gram matrix less another."""

    values: NDArray[np.float32]  # K − K' [n n]
    groups: Groups  # its classes
    mean: float  # of |K − K'| over all entries
    largest: float  # of |K − K'| over all entries
    relative: float  # ‖K − K'‖_F / ‖K'‖_F


class GramRow(NamedTuple):
    """k(x_i, ·) over the sample."""

    row: int  # i, from 0
    number: int  # of x_i in the data set, as far as it is known, else i
    name: str  # class of x_i, empty without classes
    values: NDArray[np.float32]  # [n]
    own: float  # k(x_i, x_i)


class GramRows(NamedTuple):
    """Some rows of a Gram matrix as curves."""

    rows: tuple[GramRow, ...]  # in the order of the selection
    wanted: int  # number of selected rows
    groups: Groups  # classes along the axis
    n: int  # rows of the sample


def gram_view(K: ArrayLike, groups: Groups = Groups()) -> GramView:  # noqa: B008  # a tuple
    """A Gram matrix [n n], sorted by class, with its means within and between the classes."""
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
    """K − K' [n n] with its size; the rows of both have the same order."""
    first, second = np.asarray(K, np.float64), np.asarray(other, np.float64)
    values = first - second
    size, apart = float(np.linalg.norm(second)), np.abs(values)
    relative = float(np.linalg.norm(values)) / size if size > 0 else float("nan")
    return Difference(values.astype(np.float32), groups, float(apart.mean()), float(apart.max()), relative)


def gram_rows(
    K: ArrayLike, rows: Sequence[int], groups: Groups = Groups(), numbers: Sequence[int] = (),  # noqa: B008
) -> GramRows:  # fmt: skip
    """The first six of the selected rows as curves; places without a row are left out.

    Args:
        K: the matrix [n n].
        rows: places of the selected rows.
        groups: classes of the rows.
        numbers: of the rows in the data set [n].
    """
    values = np.asarray(K, np.float32)
    called = known_numbers(np.asarray(numbers, np.int64), len(values))
    known = [int(row) for row in rows if 0 <= row < len(values)]
    found = tuple(
        GramRow(row, int(called[row]), groups.name(row), values[row], float(values[row, row])) for row in known[:ROWS]
    )
    return GramRows(found, len(known), groups, len(values))


_BELOW = 40  # letters of all names for which there is room below a matrix
_BORDER = {"color": "rgba(128,128,128,0.8)", "width": 1}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def plot_gram(view: GramView, *, what: str) -> go.Figure:
    """k(x_i, x_j) as colour, sorted by class; ``what`` names the kernel in the title: "features", "exact kernel" …"""
    low, high = view.limits
    note = f"{len(view.values)} rows"
    if view.within is not None:
        note += f"; mean k within a class {number(view.within, 3)}"
    if view.between is not None:
        note += f", between classes {number(view.between, 3)}"
    # From zero where k is positive, so that a pale matrix is one whose entries are small.
    return _matrix(view, "k(x, x')", "Cividis", (min(0.0, low), max(high, 1e-12)), what, note)


def plot_difference(view: Difference, *, what: str) -> go.Figure:
    """K − K' as colour, blue above zero; ``what`` names both in the title: "features − exact" …"""
    note = f"{len(view.values)} rows; mean |difference| {number(view.mean, 3)}, largest {number(view.largest, 3)}, "
    note += f"in all {view.relative:.1%} of ‖K‖"
    return _matrix(view, "difference", DIVERGING, (-view.largest, view.largest), what, note)


def plot_gram_rows(view: GramRows) -> go.Figure:
    """k(x_i, ·) over the sample, one curve a selected row, with a marker at k(x_i, x_i)."""
    x = np.arange(view.n, dtype=np.int32)
    traces = []
    for order, row in enumerate(view.rows):
        (colour, symbol), dash = CLASSES[order % len(CLASSES)], _DASHES[order % len(_DASHES)]
        name = f"row {row.number}" + (f" ({row.name})" if row.name else "")
        label, hover = f"{name}: k(x, x) = {number(row.own, 3)}", f"{name}, column %{{x}}: k = %{{y:.3~g}}"
        what: dict[str, Any] = {"legendgroup": name, "meta": stated(row=row.number)}
        traces += [
            line(x, row.values, label, colour, hover, width=2, dash=dash, **what),
            dots([row.row], [row.own], name, colour, label, size=11, symbol=symbol, showlegend=False, **what),
        ]
    return figure(
        traces, title="Rows of the Gram matrix",
        subtitle=f"{len(view.rows)} of {view.wanted} selected rows" if len(view.rows) < view.wanted else "",
        x="row of the sample, class by class" if view.groups.names else "row of the sample, by target",
        y="k(x, x')", revision="gram-rows", xaxis=_ticks(view.groups),
        shapes=[upright(end - 0.5, **_BORDER) for end in view.groups.ends[:-1]],
    )  # fmt: skip


def _matrix(
    view: GramView | Difference, name: str, scale: Any, limits: tuple[float, float], what: str, note: str
) -> go.Figure:
    ends, n, groups = view.groups.ends[:-1], len(view.values), view.groups
    borders = [{"x0": end - 0.5, "x1": end - 0.5, "y0": -0.5, "y1": n - 0.5} for end in ends]
    borders += [{"y0": end - 0.5, "y1": end - 0.5, "x0": -0.5, "x1": n - 0.5} for end in ends]
    axis = {"showgrid": False, "zeroline": False, "constrain": "domain"}
    words, hover = "row, class by class" if groups.names else "row, by target", f"{name} = %{{z:.3~g}}"
    return figure(
        [cells(view.values, name, f"row %{{y}}, column %{{x}}: {hover}", scale, limits)],
        title=f"Gram matrix, {what}" if what else "Gram matrix", subtitle=note, x=words, y=words,
        revision=f"gram:{what}",
        xaxis={**axis, **_ticks(groups)},
        yaxis={**axis, **_ticks(groups, beside=True), "autorange": "reversed", "scaleanchor": "x"},
        shapes=[{"type": "line", "line": _BORDER, **each} for each in borders],
    )  # fmt: skip


def _ticks(groups: Groups, *, beside: bool = False) -> dict[str, Any]:
    """Names of the classes in their middle, where there is room: below a picture for short ones alone."""
    found = named_ticks(groups.middles, groups.names)
    if not found:
        return {}
    names = found["ticktext"]
    shown = names if beside or sum(map(len, names)) <= _BELOW else [""] * len(names)
    return {**found, "ticktext": shown, "ticks": "", "showgrid": False}


def groups_of(sample: Sample) -> Groups:
    """The classes of a sample."""
    return Groups(tuple(sample.borders.tolist()), sample.names)


def _about_gram(at: At) -> tuple[str, str]:
    kernel, exact = at.kernel, exact_at(at)
    assert kernel
    words = "Rows are sorted by target: a kernel that helps is bright near the diagonal."
    if rows_of(at).classes:
        words = "Rows are sorted by class: a kernel that helps is bright on the blocks of the diagonal."
    if exact:
        words += f" This is {exact.words}." if exact.same else f" Exact means {exact.words}."
    if kernel.itself:
        return r"K_{ij}=k(x_i,x_j)", words
    return r"K_{ij}=k(x_i,x_j)\approx\varphi(x_i)^\top\varphi(x_j)", f"{words} {features_words(kernel)}"


@picture(PAGE, alt="Gram matrix of a sample", when=has_kernel, uses=("matrix", "output"), height=480, note=_about_gram)
def draw_gram(at: At) -> go.Figure:
    """The Gram matrix: of the features, exact, or one of the differences."""
    found, rows, chosen = grams_at(at), rows_of(at), chosen_matrix(at)
    what, groups = matrix_words(at, chosen), groups_of(rows)
    if chosen == "error":
        drawn = plot_difference(gram_difference(found["now"], found["exact"], groups), what=what)
    elif chosen == "change":
        then = earlier(found)
        drawn = plot_difference(gram_difference(found["now"], found[then], groups), what=f"now − {then}")
    else:
        shown = found["exact" if chosen == "exact" else "now"]
        drawn = plot_gram(gram_view(shown, groups), what=what)
    return drawn.update_traces(meta=stated(row={"x": rows.numbers, "y": rows.numbers}))

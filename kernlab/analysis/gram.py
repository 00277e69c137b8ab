"""A Gram matrix whose rows stand class by class, the difference of two, and single rows of one.

error    K − K_exact            change    K_now − K_then            ‖K − K'‖_F / ‖K'‖_F beside it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Difference", "GramRow", "GramRows", "GramView", "Groups", "gram_difference", "gram_rows", "gram_view"]

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

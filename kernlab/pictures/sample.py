"""A sample of a run's rows, sorted by class, or by a real target from small to large."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROWS = 240


class Sample(NamedTuple):
    """Rows in order."""

    X: NDArray[np.float32]  # inputs as the model takes them [s d]
    targets: NDArray[Any]  # class codes [s], or the first target in the reported unit [s]
    rows: NDArray[np.int64]  # their places among the rows that the run keeps [s]
    borders: NDArray[np.int64]  # where each class ends [classes], empty for real targets
    names: tuple[str, ...]  # of the classes that occur, in that order
    numbers: NDArray[np.int64]  # of the rows in the data set, as :func:`row_numbers` [s]

    @property
    def classes(self) -> bool:
        """Whether targets are classes."""
        return bool(self.names)


def row_numbers(static: Mapping[str, Any], count: int) -> NDArray[np.int64]:
    """Numbers in the data set of the first ``count`` rows that a run keeps: the same rows have them in every run.

    Runs of older versions do not keep them. Their rows are numbered as :func:`sorted_sample` has them, then the others.
    """
    if "row_numbers" in static:
        return np.asarray(static["row_numbers"], np.int64)[:count]
    targets = np.asarray(static["data_targets" if "data_points" in static else "view_labels"])[:ROWS]
    first = targets if targets.ndim == 1 else targets[:, 0]
    return np.concatenate([np.argsort(np.argsort(first, kind="stable")), np.arange(len(first), count)])[:count]


def known_numbers(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """What ``count`` rows are called: their numbers in the data set, or where these are unknown their places."""
    return numbers if len(numbers) else np.arange(count)


def sorted_sample(
    static: Mapping[str, Any], classes: Sequence[str] = (), rows: int = ROWS, output: int = 0
) -> Sample | None:
    """Up to ``rows`` of the rows that a run keeps for its pictures.

    Args:
        static: arrays that stay the same over the run: ``view_points`` and ``view_labels``, or ``data_inputs`` and
            ``data_targets``.
        classes: names of the classes; none for real targets.
        rows: how many at most.
        output: number of the target, of several.

    Returns:
        None where the run keeps no such rows, as runs of older versions do.
    """
    inputs, targets = ("data_inputs", "data_targets") if "data_points" in static else ("view_points", "view_labels")
    if inputs not in static or targets not in static:
        return None
    X, y = np.asarray(static[inputs]), np.asarray(static[targets])
    if y.ndim > 1:
        y = y[:, min(output, y.shape[1] - 1)]
    taken = np.arange(len(X))[:rows]  # they were shuffled when the run began
    order = taken[np.argsort(y[taken], kind="stable")]
    y, numbers = y[order], row_numbers(static, len(X))[order]
    if not classes:
        return Sample(X[order], y, order, np.zeros(0, np.int64), (), numbers)
    codes, ends = np.unique(y, return_counts=True)
    return Sample(X[order], y, order, np.cumsum(ends), tuple(classes[int(code)] for code in codes), numbers)

"""A sample of a run's rows, sorted so that what belongs together stands together.

Classes one after the other; real targets from small to large.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROWS = 240


class Sample(NamedTuple):
    """Rows in order.

    Attributes:
        X: inputs as the model takes them [s d].
        targets: class codes [s], or the first target in the reported unit [s].
        rows: their places among the rows that the run keeps [s].
        borders: where each class ends [classes], empty for real targets.
        names: of the classes that occur, in that order.
    """

    X: NDArray[np.float32]
    targets: NDArray[Any]
    rows: NDArray[np.int64]
    borders: NDArray[np.int64]
    names: tuple[str, ...]

    @property
    def classes(self) -> bool:
        """Whether targets are classes."""
        return bool(self.names)


def sorted_sample(
    static: Mapping[str, Any], classes: Sequence[str] = (), rows: int = ROWS, output: int = 0
) -> Sample | None:
    """Up to ``rows`` of the rows that a run keeps for its pictures.

    Args:
        static: what stays the same over the run: ``view_points`` and ``view_labels``, or ``data_inputs`` and
            ``data_targets``.
        classes: names of the classes; none for real targets.
        rows: how many.
        output: which target, where there are several.

    Returns:
        None where the run has kept no such rows (it was made by an older kernlab).
    """
    inputs, targets = ("data_inputs", "data_targets") if "data_points" in static else ("view_points", "view_labels")
    if inputs not in static or targets not in static:
        return None
    X, y = np.asarray(static[inputs]), np.asarray(static[targets])
    if y.ndim > 1:
        y = y[:, min(output, y.shape[1] - 1)]
    taken = np.arange(len(X))[:rows]  # they were shuffled when the run began
    order = taken[np.argsort(y[taken], kind="stable")]
    y = y[order]
    if not classes:
        return Sample(X[order], y, order, np.zeros(0, np.int64), ())
    codes, ends = np.unique(y, return_counts=True)
    return Sample(X[order], y, order, np.cumsum(ends), tuple(classes[int(code)] for code in codes))

"""The points whose outputs are in every snapshot: fixed over a run, chosen by the number of inputs.

d = 1   curve        400 points along the line
d = 2   regions      a grid of 72 × 72
else    projection   600 test rows on their first two principal components
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernlab.data import Prepared

__all__ = ["view_of"]

LINE, GRID, ROWS, SHOWN = 400, 72, 600, 800


def view_of(data: Prepared, seed: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Facts (view, view_grid) and arrays (view_points, view_axes …, data_points, data_targets).

    Where inputs are projected, ``view_center`` [d] and ``view_directions`` [2 d] project any scaled point.

    ``view_points`` are scaled as the model's inputs; everything that is drawn is in original units. ``row_numbers`` are
    the rows of the data set that these points are: of ``data_points`` where there are some, else of ``view_points``.
    """
    dataset, rng = data.dataset, np.random.default_rng(seed)
    shown = rng.permutation(data.train_rows)[:SHOWN]
    arrays = {
        "row_numbers": shown.astype(np.int64),
        "data_points": dataset.X[shown],
        "data_targets": _targets(data, shown),
        "data_inputs": data.inputs.transform(dataset.X[shown]),  # the same points scaled
        "inputs_center": data.inputs.center,  # with the scale it brings scaled points (landmarks) to original units
        "inputs_scale": data.inputs.scale,
    }
    if dataset.d > 2:
        arrays = {}
        # The same rows, whichever rows train: a run that chooses how long to train does it on two parts in turn.
        rows = np.random.default_rng(seed).permutation(len(data.X_test))[:ROWS]
        points = data.X_test[rows]
        center = points.mean(axis=0)
        spread = np.pad(points - center, ((0, 2), (0, 0)))  # two axes even where there is one row
        _, _, axes = np.linalg.svd(spread, full_matrices=False)
        axes = axes[:2] * np.sign(axes[:2].sum(axis=1, keepdims=True) + 1e-12)  # svd leaves the sign open
        return {"view": "projection"}, {
            "row_numbers": data.test_rows[rows].astype(np.int64),
            "view_points": points,
            "view_projection": ((points - center) @ axes.T).astype(np.float32),
            "view_center": center.astype(np.float32),
            "view_directions": axes.astype(np.float32),
            "view_labels": _targets(data, data.test_rows[rows]),
        }
    low, high = dataset.X.min(axis=0), dataset.X.max(axis=0)
    margin = 0.08 * (high - low)
    low, high = low - margin, high + margin
    if dataset.d == 1:
        line = np.linspace(low[0], high[0], LINE)[:, None]
        return {"view": "curve"}, {
            **arrays,
            "view_points": data.inputs.transform(line),
            "view_axes": line[:, 0].astype(np.float32),
        }
    across, up = np.linspace(low[0], high[0], GRID), np.linspace(low[1], high[1], GRID)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    return {"view": "regions", "view_grid": [GRID, GRID]}, {
        **arrays,
        "view_points": data.inputs.transform(grid),
        "view_axes": grid.astype(np.float32),
    }


def _targets(data: Prepared, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Class codes, or targets in the reported unit, of rows of the data set."""
    if data.targets is None:
        return np.asarray(data.dataset.y[rows], np.int64)
    everything = np.empty((data.dataset.n, data.dataset.n_outputs), np.float32)
    everything[data.train_rows] = data.targets.inverse(data.y_train)
    everything[data.test_rows] = data.targets.inverse(data.y_test)
    return everything[rows]

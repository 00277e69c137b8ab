"""A figure's numbers as a tidy CSV: one row a drawn value."""

from __future__ import annotations

import base64
import csv
import io
import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

__all__ = ["to_csv"]


def to_csv(figure: go.Figure) -> str:
    """All traces of a figure as CSV with the columns trace, x, y, z.

    Curves, clouds and bars have one row a point and an empty z; heatmaps and contours one row a cell
    (x and y count from 0 where the figure gives none). Cells without a value are left out.
    """
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("trace", "x", "y", "z"))
    for trace in figure.data:
        name = trace.name or trace.type
        x, y, z = (_values(getattr(trace, key, None)) for key in ("x", "y", "z"))
        if x is not None and y is not None and z is not None and z.ndim == 1:  # a line in space
            rows.writerows((name, *map(_text, point)) for point in zip(x, y, z, strict=True))
        elif z is not None:
            height, width = z.shape
            x, y = np.arange(width) if x is None else x, np.arange(height) if y is None else y
            rows.writerows(
                (name, _text(x[j]), _text(y[i]), _text(z[i, j]))
                for i in range(height)
                for j in range(width)
                if not _missing(z[i, j])
            )
        elif y is not None:
            x = np.arange(len(y)) if x is None else x
            rows.writerows((name, _text(a), _text(b), "") for a, b in zip(x, y, strict=True))
    return out.getvalue()


def _values(held: Any) -> NDArray[Any] | None:
    if held is None:
        return None
    if isinstance(held, dict):  # plotly's packed array, as a figure read from JSON holds it
        flat = np.frombuffer(base64.b64decode(held["bdata"]), held["dtype"])
        return flat.reshape([int(n) for n in str(held["shape"]).split(",")]) if "shape" in held else flat
    return np.asarray(held)


def _missing(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def _text(value: Any) -> str:
    # str() of a NumPy float32 is its shortest exact form; converting to float first would add digits.
    return str(value).replace("<br>", " ")

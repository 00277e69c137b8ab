"""What there is to predict: rows of each class of the training part, or how a real target is distributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, picture
from kernlab.pictures.class_names import named_ticks, short
from kernlab.pictures.kernels import rows_of
from kernlab.pictures.marks import FROM_ZERO, bars, stated
from kernlab.pictures.theme import BLUE, figure

_BINS = 24  # of a real target


class Balance(NamedTuple):
    """Bars over classes, or over intervals of a target."""

    x: list[str] | NDArray[np.float64]  # names of the classes [c], or middles of the intervals [c]
    counts: NDArray[np.int64]  # rows [c]
    axis: str
    largest: float  # share of the largest class; of a real target 0


def class_balance(counts: Sequence[int], names: Sequence[str]) -> Balance:
    """Rows of each class."""
    rows = np.asarray(counts, np.int64)
    return Balance([str(name) for name in names], rows, "class", float(rows.max() / max(1, rows.sum())))


def target_distribution(targets: ArrayLike, name: str) -> Balance:
    """A real target [n] in intervals of equal width."""
    counts, edges = np.histogram(np.asarray(targets, np.float64), bins=_BINS)
    return Balance((edges[1:] + edges[:-1]) / 2, counts.astype(np.int64), name, 0.0)


def plot_balance(view: Balance) -> go.Figure:
    """One bar a class or interval."""
    classes = isinstance(view.x, list)
    words = f"constant predictor: {view.largest:.0%} right" if classes else ""
    return figure(
        [bars(view.x, view.counts, "rows", BLUE, "%{x}: %{y} rows",
              meta=stated(**{"class": np.arange(len(view.x)) if classes else None}))],
        title="Rows of each class" if classes else "The target", subtitle=words, x=view.axis, y="training rows",
        revision="balance", yaxis=FROM_ZERO, xaxis=_names(view.x) if isinstance(view.x, list) else {}, bargap=0.15,
        showlegend=False,
    )  # fmt: skip


def _names(names: list[str]) -> dict[str, Any]:
    """Names of classes below their bars, cut where one is long; a bar itself says the whole."""
    long = any(short(name) != name for name in names)  # of short ones Plotly leaves out what has no room
    return {"type": "category", **(named_ticks(names, names) if long else {})}


def _counted(at: At) -> bool:
    return bool(at.facts.get("class_rows")) if at.class_names else at.sample is not None


@picture("preview", alt="Training rows of each class, or the distribution of the target", when=_counted, height=340,
         of_data=True, uses=("output",))  # fmt: skip
def draw_balance(at: At) -> go.Figure:
    """Class balance of the training part, or the distribution of a real target in the run's sample."""
    if at.class_names:
        return plot_balance(class_balance(at.facts["class_rows"], at.class_names))
    outputs = [str(name) for name in at.facts.get("classes") or ["target"]]
    return plot_balance(target_distribution(rows_of(at).targets, outputs[min(at.view["output"], len(outputs) - 1)]))

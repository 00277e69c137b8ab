"""Rows that a model contradicts: what it would say of each training row had it not seen that row, in closed form.

    r_i/(1 − h_i)                                      residual of row i under the ridge regression without it
    classes    m_i = max_{k≠y} f_{−i,k}(x_i) − f_{−i,y}(x_i)    above 0: another class than the label
    targets    m_i = |r_i/(1 − h_i)|/σ                 in deviations of the noise

Rows of the largest m are probably mislabelled, or measured wrongly. The features are fixed: where they have been
learned from the same labels, they may have learned a wrong one by heart.

Source: Allen 1974; Cook & Weisberg 1982 (leverage h_i).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.numerals import number
from kernlab.pictures.base import At, has_images, once, picture
from kernlab.pictures.certainty import regression_at
from kernlab.pictures.marks import dots, stated
from kernlab.pictures.mosaic import Mosaic, centres, mosaic
from kernlab.pictures.run_data import has_features, rows_at
from kernlab.pictures.theme import BLUE, GREY, VERMILLION, fade, figure
from kernlab.pictures.thinning import spread

LISTED = 30  # rows that are marked, listed and shown as pictures
_CLOUD = 1500


class LeftOutRows(NamedTuple):
    """Training rows as the model without each of them sees it."""

    numbers: NDArray[np.int64]  # of the rows in the data set [n]
    doubt: NDArray[np.float64]  # m [n]
    leverage: NDArray[np.float64]  # h [n]
    labels: NDArray[Any]  # class codes, or targets in the reported unit [n]
    others: NDArray[Any]  # what the model says instead [n]
    classes: tuple[str, ...]  # empty for targets
    words: str  # which rows and features, where not all

    def worst(self, count: int = LISTED) -> NDArray[np.int64]:
        """Places of the most doubtful rows, the worst first."""
        return np.argsort(-self.doubt, kind="stable")[:count]

    def answers(self, place: int) -> tuple[str, str]:
        """The label of a row and what the model says instead, in words."""
        label, other = self.labels[place], self.others[place]
        if self.classes:
            return self.classes[int(label)], self.classes[int(other)]
        return f"{label:.4g}", f"{other:.4g}"


def doubts(left_out: ArrayLike, codes: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The margin m [n] of the best other class over the label, and the class of the largest score.

    Args:
        left_out: scores f_{−i}(x_i) [n K].
        codes: labels [n].
    """
    F, y = np.asarray(left_out, np.float64), np.asarray(codes)
    rows = np.arange(len(y))
    others = F.copy()
    others[rows, y] = -np.inf
    return others.max(1) - F[rows, y], F.argmax(1)


def left_out_at(at: At) -> LeftOutRows:
    """The rows at a moment, computed once."""
    return once(at, ("left out", at.moment.step), lambda: _left_out(at))


def _left_out(at: At) -> LeftOutRows:
    rows = rows_at(at)
    Phi, Y = rows.Phi, rows.Y
    found = regression_at(at, rows, Phi)
    out = found.left_out([Phi], Y)
    leverage, residual = out.leverage.numpy(), out.residual.numpy()
    F = Y.numpy() - residual
    data, output = rows.data, int(at.view["output"])
    if data.targets is None:
        codes = rows.y.numpy()
        margin, best = doubts(F, codes)
        return LeftOutRows(rows.numbers, margin, leverage, codes, best, at.class_names, rows.words)
    labels, others = (np.asarray(data.targets.inverse(each))[:, output] for each in (Y.numpy(), F))
    size = np.abs(residual[:, output]) / np.sqrt(float(found.noise[output]))
    return LeftOutRows(rows.numbers, size, leverage, labels, others, (), rows.words)


def plot_left_out(view: LeftOutRows) -> go.Figure:
    """Every row by its leverage and its doubt; the most doubtful ones are marked."""
    worst = view.worst()
    rest = np.setdiff1d(np.arange(len(view.doubt)), worst)
    traces = []
    for name, mine, colour, size in (
        ("training rows", rest[spread(len(rest), _CLOUD)], fade(GREY, 0.55), 5),
        (f"the {len(worst)} most doubtful", worst, VERMILLION, 9),
    ):
        answers = [view.answers(int(place)) for place in mine]
        words = [
            f"row {view.numbers[place]}: {a}, the model says {b}" for place, (a, b) in zip(mine, answers, strict=True)
        ]
        traces.append(dots(view.leverage[mine].astype(np.float32), view.doubt[mine].astype(np.float32), name, colour,
                           "%{text}", size=size, text=words, meta=stated(row=view.numbers[mine])))  # fmt: skip
    what = "margin of another class" if view.classes else "residual (σ)"
    border = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 0,
        "y1": 0,
        "line": {"color": BLUE, "dash": "dot"},
    }
    return figure(
        traces, title="Rows the model contradicts", subtitle=view.words, x="leverage h", y=f"{what}, left out",
        revision="left-out", shapes=[border] if view.classes else [],
    )  # fmt: skip


def plot_doubtful(tiled: Mosaic, shape: tuple[int, int], view: LeftOutRows) -> go.Figure:
    """The most doubtful rows as pictures, the worst first."""
    from kernlab.pictures.examples import plot_examples

    places = view.worst()[tiled.shown]
    answers = [view.answers(int(place)) for place in places]
    words = [f"row {view.numbers[place]}: labelled {a}, the model says {b}"
             for place, (a, b) in zip(places, answers, strict=True)]  # fmt: skip
    drawn = plot_examples(tiled).update_layout(
        title_text="Probably mislabelled",
        title_subtitle_text="; ".join(
            filter(None, [f"the worst {len(places)} of {number(len(view.numbers))} rows", view.words])
        ),
    )
    labels = [f"{a} → {b}" if len(a) + len(b) < 8 else "" for a, b in answers]
    middles = dots(*centres(tiled, shape), "rows", "rgba(0,0,0,0)", "%{hovertext}", size=14, showlegend=False,
                   hovertext=words, text=labels, meta=stated(row=view.numbers[places]))  # fmt: skip
    return drawn.add_trace(middles)


def _about(at: At) -> tuple[str, str]:
    return r"f_{-i}(x_i)=y_i-\frac{r_i}{1-h_i},\qquad h_i=\tfrac1n+\bar\varphi_i^\top A^{-1}\bar\varphi_i", (
        "What a ridge regression on the features of this moment would say of each row had it not been fitted to it: "
        "exact, without fitting again. Rows on top are probably mislabelled. Features that were learned from the same "
        "labels may hide some. Allen 1974."
    )


@picture("certainty", alt="Training rows by leverage and by how much the model without them contradicts their label",
         when=has_features, height=400, uses=("output",), note=_about)  # fmt: skip
def draw_left_out(at: At) -> go.Figure:
    """Leave-one-out residuals of the rows."""
    return plot_left_out(left_out_at(at))


@picture("certainty", alt="The most doubtful rows as pictures", height=400,
         when=lambda at: has_features(at) and has_images(at) and bool(at.class_names))  # fmt: skip
def draw_doubtful_rows(at: At) -> go.Figure:
    """The rows whose labels are probably wrong."""
    assert at.image
    found, data = left_out_at(at), rows_at(at).data
    X = data.dataset.X[found.numbers[found.worst()]]
    tiled = mosaic(X.T, at.image, np.arange(len(X)), count=len(X))
    return plot_doubtful(tiled, at.image, found)

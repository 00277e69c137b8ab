"""What a model makes of one picture: a probability for each class, the nearest training rows, the deciding frequencies.

probability   softmax regression on the features of the moment (:mod:`kernlab.heads.laplace`)
nearest       the training rows of the largest k(x, ·) under the learned and under the assigned kernel
deciding      (W_jk − W_jl)φ_j(x) of every frequency j, for the run's own two best classes k and l, over its columns
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import DataError
from kernlab.heads.laplace import SoftmaxPosterior, laplace
from kernlab.pictures.base import At, has_images
from kernlab.pictures.examples import plot_examples
from kernlab.pictures.kernel_at import KernelAt
from kernlab.pictures.marks import PIXELS, bars, cells, dots, stated
from kernlab.pictures.mosaic import centres, mosaic
from kernlab.pictures.run_data import RowsAt, has_features, rows_at
from kernlab.pictures.theme import BLUE, DIVERGING, VERMILLION, figure

NEAR, DECIDING = 8, 12  # training rows, and frequencies, that are shown


class Near(NamedTuple):
    """Training rows by their similarity to a picture, the most similar first."""

    name: str  # of the kernel
    numbers: NDArray[np.int64]  # of the rows in the data set [NEAR]
    similarity: NDArray[np.float64]  # k(x, x_i) [NEAR]
    labels: tuple[str, ...]
    X: NDArray[Any]  # their pixels [NEAR d]
    rows: int  # among which they are the nearest


class Deciding(NamedTuple):
    """Frequencies by what they have added to one class and taken from another."""

    places: NDArray[np.int64]  # the strongest ones [DECIDING]
    shares: NDArray[np.float64]  # (W_jk − W_jl)φ_j(x) of these [DECIDING]
    omega: NDArray[Any]  # [d DECIDING]
    best: str  # class k
    second: str  # class l
    margin: float  # f_k − f_l, over all frequencies (and the bias)
    total: int  # frequencies


class DrawnOne(NamedTuple):
    """All about one picture."""

    chances: NDArray[np.float64]  # p(y = k | x) [K]
    classes: tuple[str, ...]
    near: tuple[Near, ...]
    deciding: Deciding | None  # None where a snapshot does not hold the weights of its frequencies
    words: str  # which rows and features are used, where not all


def takes_pictures(at: At) -> bool:
    """Whether the run tells classes of pictures apart."""
    return has_images(at) and bool(at.class_names) and has_features(at)


class _Known(NamedTuple):
    """What every picture is asked of, computed once for a moment."""

    rows: RowsAt
    Phi: torch.Tensor  # of the training rows
    posterior: SoftmaxPosterior
    kernel: KernelAt | None
    before: KernelAt | None
    Phi_before: NDArray[np.float64] | None


_known: OrderedDict[tuple[str, int], Future[_Known]] = OrderedDict()  # the last two: they hold the features of all rows
_lock = threading.Lock()
_worker = ThreadPoolExecutor(1, "drawn-one")


def prepare(at: At) -> Future[_Known]:
    """Begin to compute, in the background, what every picture of a moment is asked of, so that the first picture has
    its answer as soon as the others. Moments that were left before their turn are not computed.

    Args:
        at: a moment for which :func:`takes_pictures` is true.
    """
    key = at.run.id, at.moment.step
    with _lock:
        if key not in _known:
            _known[key] = _worker.submit(_about, at)
            while len(_known) > 2:
                _known.popitem(last=False)[1].cancel()
        return _known[key]


def _prepared(at: At) -> _Known:
    found = prepare(at)
    try:
        return found.result()
    except CancelledError:  # another page has come to other moments meanwhile
        return _prepared(at)
    finally:
        if found.cancelled() or found.exception():
            with _lock:
                _known.pop((at.run.id, at.moment.step), None)


def _about(at: At) -> _Known:
    rows = rows_at(at)
    Phi, kernel = rows.Phi, at.kernel
    learned = at.method is not None and at.method.learned and kernel is not None and kernel.kept > 0
    before = at.kernel_before if learned else None  # of an exact kernel there are no features
    X = rows.data.X_train[rows.train]
    return _Known(
        rows, Phi, laplace(Phi, rows.y, rows.data.dataset.n_outputs), kernel and kernel.precise(),
        before and before.precise(), None if before is None else before.features(X),
    )  # fmt: skip


def drawn_one(at: At, pixels: ArrayLike) -> DrawnOne:
    """What the model of a moment makes of a picture.

    Args:
        at: a moment for which :func:`takes_pictures` is true.
        pixels: row by row, 0 (paper) to 1 (ink), [d].

    Raises:
        DataError: another number of pixels, or values outside [0, 1].
    """
    known = _prepared(at)
    data, values = known.rows.data, np.asarray(pixels, np.float64).ravel()
    if values.shape != (data.dataset.d,) or not ((values >= 0) & (values <= 1)).all():
        raise DataError(f"a picture must have {data.dataset.d} pixels from 0 to 1", f"{values.size} values")
    low, high = float(data.dataset.X.min()), float(data.dataset.X.max())
    X = data.inputs.transform((low + (high - low) * values)[None])
    phi = known.rows.features(X)
    name = "learned" if at.method and at.method.learned else "assigned"
    near = [_nearest(known, at, name, (known.Phi @ phi[0]).numpy())]
    if known.before is not None and known.Phi_before is not None:
        near.append(_nearest(known, at, "assigned", known.Phi_before @ known.before.features(X)[0]))
    chances = known.posterior.probabilities(phi)[0].numpy()
    return DrawnOne(chances, at.class_names, tuple(near), _deciding(known.kernel, at, X), known.rows.words)


def _nearest(known: _Known, at: At, name: str, similarity: NDArray[np.float64]) -> Near:
    places = np.argsort(-similarity, kind="stable")[:NEAR]
    numbers, dataset = known.rows.numbers[places], known.rows.data.dataset
    labels = tuple(at.class_names[int(code)] for code in dataset.y[numbers])
    return Near(name, numbers, similarity[places], labels, dataset.X[numbers], len(known.rows.numbers))


def _deciding(kernel: KernelAt | None, at: At, X: NDArray[Any]) -> Deciding | None:
    W, omega = at.arrays.get("head_weight"), at.arrays.get("omega")
    if kernel is None or W is None or omega is None or kernel.kept != len(W):
        return None
    count = np.shape(omega)[1]
    if len(W) not in (count, 2 * count):  # a column each, or one of cosines and one of sines
        return None
    phi = kernel.features(X)[0]
    F = phi @ W + at.arrays.get("head_bias", 0.0)
    second, best = np.argsort(F)[-2:]
    shares = (phi * (W[:, best] - W[:, second])).reshape(-1, count).sum(0)
    places = np.argsort(-np.abs(shares), kind="stable")[:DECIDING]
    names = at.class_names
    return Deciding(
        places,
        shares[places],
        np.asarray(omega)[:, places],
        names[best],
        names[second],
        float(F[best] - F[second]),
        count,
    )


# -- figures ---------------------------------------------------------------------------------------------------


def plot_chances(view: DrawnOne) -> go.Figure:
    """A bar for each class; of many the most probable ones."""
    order = np.sort(np.argsort(-view.chances, kind="stable")[:10])
    best = int(view.chances.argmax())
    names = [view.classes[k] for k in order]
    bar = bars(view.chances[order].astype(np.float32), names, "probability", BLUE, "%{y}: %{x:.1%}", orientation="h",
               texttemplate="%{x:.0%}", textposition="outside", cliponaxis=False)  # fmt: skip
    return figure(
        [bar], title=f"{view.classes[best]}, with a probability of {view.chances[best]:.0%}", subtitle=view.words,
        x="probability", y="", revision="chances", xaxis={"range": [0, 1.12], "tickformat": ".0%"},
        yaxis={"type": "category", "autorange": "reversed"},
    )  # fmt: skip


def plot_near(view: Near, shape: tuple[int, int]) -> go.Figure:
    """The nearest training rows as pictures, the most similar first."""
    tiled = mosaic(view.X.T, shape, np.arange(len(view.X)), count=len(view.X))
    words = [f"row {view.numbers[k]}: {view.labels[k]}, k = {view.similarity[k]:.3g}" for k in tiled.shown]
    drawn = plot_examples(tiled).update_layout(
        title_text=f"Nearest under the {view.name} kernel",
        title_subtitle_text=f"of {view.rows} training rows; labels " + " ".join(view.labels[k] for k in tiled.shown),
    )
    return drawn.add_trace(dots(
        *centres(tiled, shape), "rows", "rgba(0,0,0,0)", "%{text}", size=14, showlegend=False, text=words,
        meta=stated(row=view.numbers[tiled.shown]),
    ))  # fmt: skip


def plot_deciding(view: Deciding, shape: tuple[int, int]) -> go.Figure:
    """The deciding frequencies as pictures; a frame says for which of the two classes each spoke."""
    tiled = mosaic(view.omega, shape, np.arange(len(view.places)), count=len(view.places))
    x, y = centres(tiled, shape)
    words = [
        f"frequency {view.places[k]}: {view.shares[k]:+.3g} for {view.best if view.shares[k] > 0 else view.second}"
        for k in tiled.shown
    ]
    traces = [
        cells(tiled.mosaic, "ω", "ω at this pixel: %{z:.3~g}", DIVERGING, (-tiled.limit, tiled.limit),
              hoverongaps=False),
        dots(x, y, "frequencies", "rgba(0,0,0,0)", "%{text}", size=14, showlegend=False, text=words,
             meta=stated(frequency=view.places[tiled.shown])),
    ]  # fmt: skip
    height, width = shape
    frames = [
        {"type": "rect", "x0": float(x[k]) - width / 2, "x1": float(x[k]) + width / 2, "y0": float(y[k]) - height / 2,
         "y1": float(y[k]) + height / 2,
         "line": {"color": BLUE if view.shares[k] > 0 else VERMILLION, "width": 3,
                  "dash": "solid" if view.shares[k] > 0 else "dot"}}
        for k in range(len(tiled.shown))
    ]  # fmt: skip
    return figure(
        traces, title="Frequencies that decided",
        subtitle=f"{len(view.places)} of {view.total}: {view.best} (solid) against {view.second} (dotted), "
        f"{view.shares.sum():+.2g} of {view.margin:+.2g}", x="", y="", revision="deciding", shapes=frames, **PIXELS,
    )  # fmt: skip

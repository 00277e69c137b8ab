"""What a frame kernel is made of: the weights λ of its functions by input and frequency, and its eigenvalues.

The eigenvalues of the kernel's integral operator are Aλ_i, or at most that (FKS Theorem 2; see
:mod:`kernlab.feature_maps.frames`); sorted, they lie under the power law c·i^{−γ} that the bound uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.bounds.frame import power_law_envelope
from kernlab.errors import OptionError
from kernlab.pictures.base import At, picture
from kernlab.pictures.directions import input_names, input_place
from kernlab.pictures.marks import DECADES, FROM_ZERO, LOG, cells, dots, line, stated
from kernlab.pictures.theme import BLUE, CLASSES, GREY, ORANGE, POWERS, VERMILLION, figure

STEMS = 600  # functions of one kind that are drawn along one input: the largest
POINTS = 400  # eigenvalues that are drawn, evenly spread on the logarithmic axis
WORDS = ("constant", "cosine", "sine", "wavelet")  # by frame_kind


class FrameSpectrum(NamedTuple):
    """λ by input and level, summed over what shares both."""

    inputs: tuple[str, ...]  # names of the rows [d]
    # frequency indices i, or wavelet scales j, of the columns [l], rising; level 0 of a Fourier frame is the constant
    # in that input (products only)
    levels: NDArray[np.int32]
    # Σλ over the functions with this level in this input [d l]; a product of several inputs' functions counts in each
    weight: NDArray[np.float32]
    what: str  # "frequency index" or "scale"
    constant: float  # λ of the one additive constant, 0 where there is none
    nonzero: int  # functions in use
    columns: int  # all functions
    products: bool  # columns are products of one function per input


class FrameSeries(NamedTuple):
    """One kind of function along one input."""

    name: str  # "cosine", "sine", "constant" or "scale j"
    x: NDArray[np.float32]  # frequency index, or place of the wavelet's centre in [-1, 1] units
    weight: NDArray[np.float32]  # λ, summed over products that share the function


class FrameInput(NamedTuple):
    """λ along one input."""

    name: str  # of the input
    series: tuple[FrameSeries, ...]  # cosines and sines, or one for each scale
    x: str  # name of the positions
    nonzero: int  # functions in use along this input
    columns: int  # all functions along it


class FrameEigenvalues(NamedTuple):
    """Sorted eigenvalues and the power law above them."""

    place: NDArray[np.int32]  # positions i = 1, 2 … that are drawn
    value: NDArray[np.float32]  # Aλ_i there, falling; those above 0 only
    envelope: NDArray[np.float32]  # c·i^{−γ} there
    constant: float  # c
    exponent: float  # γ
    frame_constant: float | None  # A; None: not known, the values are λ_i
    nonzero: int  # eigenvalues above 0
    columns: int  # all eigenvalues
    total: float  # Σ Aλ_i of all


def frame_spectrum(spectrum: ArrayLike, static: Mapping[str, Any], feature_names: Sequence[str] = ()) -> FrameSpectrum:
    """λ by input and frequency (or scale).

    Args:
        spectrum: λ [D], of a snapshot.
        static: ``frame_dimension``, ``frame_kind`` and ``frame_level``, each [D p], as the map describes its columns.
        feature_names: names of the inputs; numbered where there is none.
    """
    weight = np.asarray(spectrum, np.float64)
    dimension, kind, level = (np.asarray(static[f"frame_{name}"]) for name in ("dimension", "kind", "level"))
    d, products = int(dimension.max()) + 1, dimension.shape[1] > 1
    levels = np.unique(level[dimension >= 0])
    table = np.zeros((d, len(levels)))
    for part in range(dimension.shape[1]):
        there = dimension[:, part] >= 0
        where = dimension[there, part], np.searchsorted(levels, level[there, part])
        np.add.at(table, where, weight[there])
    return FrameSpectrum(
        inputs=tuple(_name(j, feature_names) for j in range(d)),
        levels=levels.astype(np.int32),
        weight=table.astype(np.float32),
        what="scale" if (kind == WORDS.index("wavelet")).any() else "frequency index",
        constant=float(weight[(dimension < 0).all(axis=1)].sum()),
        nonzero=int((weight > 0).sum()),
        columns=len(weight),
        products=products,
    )


def frame_input(
    spectrum: ArrayLike,
    static: Mapping[str, Any],
    dimension: int,
    feature_names: Sequence[str] = (),
    *,
    dilation: float = 2.0,
    tau: float = 0.5,
) -> FrameInput:
    """λ of every function along one input.

    Args:
        spectrum: λ [D], of a snapshot.
        static: ``frame_dimension``, ``frame_kind``, ``frame_level`` and ``frame_shift``, each [D p].
        dimension: which input, from 0.
        feature_names: names of the inputs; numbered where there is none.
        dilation, tau: a and τ of a wavelet frame, which place its centres kτaʲ.

    Raises:
        OptionError: there is no such input.
    """
    weight = np.asarray(spectrum, np.float64)
    inputs, *parts = (np.asarray(static[f"frame_{name}"]) for name in ("dimension", "kind", "level", "shift"))
    last = int(inputs.max())
    if not 0 <= dimension <= last:
        raise OptionError(f"the input must be a whole number from 0 to {last}", dimension)
    row, column = np.nonzero(inputs == dimension)
    described = np.stack([part[row, column] for part in parts], axis=1)  # kind, level, shift
    functions, place = np.unique(described, axis=0, return_inverse=True)
    sums = np.bincount(place.ravel(), weight[row], len(functions))
    kinds, levels, shifts = functions.T
    wavelet = bool((kinds == WORDS.index("wavelet")).any())
    x = shifts * tau * dilation ** levels.astype(float) if wavelet else levels.astype(float)
    series = []
    for key in np.unique(levels if wavelet else kinds):
        mine = np.flatnonzero((levels if wavelet else kinds) == key)
        if len(mine) > STEMS:
            mine = np.sort(mine[np.argsort(-sums[mine], kind="stable")[:STEMS]])
        name = f"scale {key}" if wavelet else WORDS[key]
        series.append(FrameSeries(name, x[mine].astype(np.float32), sums[mine].astype(np.float32)))
    return FrameInput(
        name=_name(dimension, feature_names),
        series=tuple(series),
        x="centre of the wavelet (scaled input)" if wavelet else "frequency index i",
        nonzero=int((sums > 0).sum()),
        columns=len(sums),
    )


def frame_eigenvalues(spectrum: ArrayLike, frame_constant: float | None = None) -> FrameEigenvalues:
    """Aλ_i in falling order with the tightest power law above them.

    Args:
        spectrum: λ [D], ≥ 0, of a snapshot.
        frame_constant: A (the bound's term ``frame_constant``); None: λ_i are shown.

    Source: FKS Theorem 2 and eq. 8.
    """
    values = np.asarray(spectrum, np.float64) * (1.0 if frame_constant is None else frame_constant)
    falling = np.sort(values[values > 0])[::-1]
    law = power_law_envelope(falling)
    count = len(falling)
    shown = np.unique(np.geomspace(1, max(count, 1), POINTS).round().astype(np.int32))[:count]
    return FrameEigenvalues(
        place=shown,
        value=falling[shown - 1].astype(np.float32),
        envelope=(law.constant * shown.astype(float) ** -law.exponent).astype(np.float32),
        constant=law.constant,
        exponent=law.exponent,
        frame_constant=frame_constant,
        nonzero=count,
        columns=len(values),
        total=float(falling.sum()),
    )


def _name(dimension: int, names: Sequence[str]) -> str:
    return names[dimension] if dimension < len(names) else f"input {dimension + 1}"


# From nothing to full, so that either background shows where a function is not used.
_SCALE = [[0, "rgba(0,114,178,0)"], [0.02, "rgba(0,114,178,0.3)"], [0.4, "rgba(0,114,178,0.9)"], [1, "#56B4E9"]]
_SERIES = {"constant": (GREY, "square"), "cosine": (BLUE, "circle"), "sine": (ORANGE, "diamond")}


def plot_frame_spectrum(view: FrameSpectrum) -> go.Figure:
    """λ as colour over inputs and frequencies (or scales); an empty cell is a function that is not used."""
    hover = f"%{{y}}, {view.what} %{{x}}: λ = %{{z:.3~g}}"
    drawn = cells(view.weight, "λ", hover, _SCALE, x=view.levels, y=np.asarray(view.inputs), xgap=1, ygap=1,
                  meta=stated(input={"y": np.arange(len(view.inputs))}))  # fmt: skip
    note = f"{view.nonzero} of {view.columns} functions in use"
    if view.products:
        note += "; a product counts for each of its inputs"
    elif view.constant:
        note += f", constant λ₀ = {view.constant:.3g}"
    return figure(
        [drawn], title="Spectrum of the frame kernel", subtitle=note,
        x="frequency index i" if view.what == "frequency index" else "scale j (fine to coarse)", y="input",
        revision="frame-spectrum", xaxis={"showgrid": False, "zeroline": False},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
    )  # fmt: skip


def plot_frame_input(view: FrameInput) -> go.Figure:
    """λ along one input as stems: over frequencies, or over the places of wavelets."""
    traces = []
    for order, each in enumerate(view.series):
        colour, symbol = _SERIES.get(each.name, CLASSES[order % len(CLASSES)])
        # A gap after each stem lifts the pen.
        stems = np.stack([np.zeros_like(each.weight), each.weight, np.full_like(each.weight, np.nan)], axis=1)
        traces.append(line(
            np.repeat(each.x, 3), stems.ravel(), each.name, colour, f"{each.name} at %{{x:.3~g}}: λ = %{{y:.3~g}}",
            width=2, mode="lines+markers",
            marker={"color": colour, "symbol": symbol, "size": np.tile(np.array([0, 8, 0], np.int8), len(each.x))},
        ))  # fmt: skip
    return figure(
        traces, title=f"Spectrum along {view.name}", subtitle=f"{view.nonzero} of {view.columns} functions in use",
        x=view.x, y="λ", revision=f"frame-input:{view.name}", yaxis=FROM_ZERO | POWERS,
    )  # fmt: skip


def plot_frame_eigenvalues(view: FrameEigenvalues) -> go.Figure:
    """Falling eigenvalues on logarithmic axes, where a power law is a straight line."""
    law, note = f"c·i<sup>−γ</sup>, γ = {view.exponent:.3g}", f"{view.nonzero} of {view.columns} above 0"
    traces = [
        dots(view.place, view.value, "eigenvalues", BLUE, "%{x}: %{y:.3~g}", size=7),
        line(view.place, view.envelope, law, VERMILLION, "%{x}: at most %{y:.3~g}", width=2, dash="dash"),
    ]
    note += f", sum {view.total:.3g}" + ("" if view.frame_constant is None else f", A = {view.frame_constant:.3g}")
    return figure(
        traces, title="Eigenvalues of the frame kernel", subtitle=note, x="index i",
        y="λ<sub>i</sub>" if view.frame_constant is None else "Aλ<sub>i</sub>", revision="frame-eigenvalues",
        xaxis=DECADES, yaxis=LOG,
    )  # fmt: skip


# -- frames ----------------------------------------------------------------------------------------------------


def _several(at: At) -> bool:
    return int(at.facts.get("d") or 0) > 1


@picture("overview", "spectrum", alt="Weights of the frame's functions by input and frequency",
         arrays=("spectrum",), when=_several, height=360)  # fmt: skip
def draw_frame_by_input(at: At) -> go.Figure:
    """λ by input and frequency index, or scale."""
    return plot_frame_spectrum(frame_spectrum(at.arrays["spectrum"], at.static, input_names(at)))


def _along(at: At) -> go.Figure:
    options = at.method.feature_map.options() if at.method else {}
    places = {key: float(options[key]) for key in ("dilation", "tau") if key in options}
    view = frame_input(at.arrays["spectrum"], at.static, input_place(at), input_names(at), **places)
    return plot_frame_input(view)


@picture("overview", alt="Weights of the frame's functions", arrays=("spectrum",), uses=("look",), height=360,
         when=lambda at: not _several(at))  # fmt: skip
def draw_frame_of_one_input(at: At) -> go.Figure:
    """λ of every function, where there is but one input."""
    return _along(at)


@picture("spectrum", alt="Weights of the frame's functions along one input", arrays=("spectrum",), uses=("look",),
         height=360)  # fmt: skip
def draw_frame_along(at: At) -> go.Figure:
    """λ of every function along one input."""
    return _along(at)


@picture("overview", "spectrum", alt="Sorted eigenvalues under their power law", arrays=("spectrum",), height=360,
         when=lambda at: bool((at.arrays["spectrum"] > 0).any()))  # fmt: skip
def draw_frame_eigenvalues(at: At) -> go.Figure:
    """Aλ_i in falling order with the tightest power law above them."""
    constant = at.moment.values.get("bound/frame_constant")
    return plot_frame_eigenvalues(frame_eigenvalues(at.arrays["spectrum"], constant))

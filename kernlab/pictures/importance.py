"""Importance of the inputs, computed from the frequencies.

    I_j = E ω_j²        I_j = ½E[ω_j² + ω'_j²] of pairs        drawn as shares of their sum

Derivation. The kernel from the origin along input j, k(τe_j, 0), is E cos ω_jτ; of pairs it is
½E[cos ω_jτ + cos ω'_jτ], since the cross terms of ASKL eq. 5–6 lose one factor where the other point is 0. Two
derivatives in τ give

    I_j = −∂²/∂τ² k(τe_j, 0) at τ = 0

For a stationary kernel this is the mean squared slope along input j of a function drawn from the Gaussian process
with kernel k, E|∂f/∂x_j|² (Rasmussen & Williams 2006, section 4.1.1; Adler 1981, spectral moments). With weights
‖w_m‖² of the features' outputs instead of q it is that of the learned f(x) = Wᵀφ(x), averaged over the phases:
E_b ‖∂f/∂x_j‖² = (1/D) Σ_m ‖w_m‖² ω_jm². An input along which all frequencies are 0 is not used.

Inputs are scaled, so I_j has no unit of theirs. A Laplacian kernel has a kink at 0 and no second derivative; then I_j
grows with the number of draws, and describes the drawn frequencies alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError
from kernlab.pictures.base import At, has_images, picture
from kernlab.pictures.directions import input_names
from kernlab.pictures.marks import FROM_ZERO, PIXELS, bars, cells, dots, stated
from kernlab.pictures.spectrum import Spectrum, frequencies_at, since, then_at
from kernlab.pictures.theme import BLUE, DIVERGING, GREY, figure


class Importance(NamedTuple):
    """The inputs that matter most."""

    names: tuple[str, ...]  # of the inputs shown, the most important now first [p]
    places: NDArray[np.intp]  # their numbers among the inputs [p]
    now: NDArray[np.float32]  # shares of the sum over all inputs [p]
    before: NDArray[np.float32]  # the same before training [p]
    shown: float  # the sum of their shares now, in [0, 1]
    total: int  # inputs


class ImportancePicture(NamedTuple):
    """Importance of each pixel."""

    # share times the number of pixels [height width]: 1 is what each would have if all were alike
    values: NDArray[np.float32]
    limit: float  # colours run from 0 to limit, of a change from −limit
    change: bool  # values are now − then


def curvature(spectrum: Spectrum, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """I_j of the module's formula [d], in (radians per scaled unit)².

    Args:
        spectrum: frequencies of one moment.
        weights: of the frequencies [D]; None: those of the map.
    """
    shares = spectrum.shares if weights is None else Spectrum(spectrum.omega, weights=np.asarray(weights)).shares
    parts = [np.einsum("ij,ij,j->i", each, each, shares, dtype=np.float64) for each in spectrum.both]
    return np.asarray(sum(parts) / len(parts), np.float64)


def importance(
    now: Spectrum, before: Spectrum, names: Sequence[str] = (), *, count: int = 20, weights: ArrayLike | None = None
) -> Importance:
    """The ``count`` most important inputs, with what they were before training.

    Args:
        now, before: frequencies at the moment and before training.
        names: of the d inputs; x₁ … where there are none.
        count: inputs shown at most.
        weights: as for :func:`curvature`, of the frequencies now.
    """
    present, past = _shares(curvature(now, weights)), _shares(curvature(before))
    places = np.argsort(-present, kind="stable")[: max(1, count)]
    words = tuple(str(names[place]) if place < len(names) else f"x{place + 1}" for place in places)
    shares = present[places].astype(np.float32), past[places].astype(np.float32)
    return Importance(words, places, *shares, float(present[places].sum()), now.d)


def importance_picture(now: Spectrum, shape: tuple[int, int], then: Spectrum | None = None) -> ImportancePicture:
    """Importance of every pixel of inputs that are pictures of ``shape`` (height, width); with ``then``, its change.

    Raises:
        OptionError: the pictures have another size than the inputs.
    """
    if shape[0] * shape[1] != now.d:
        raise OptionError(f"height times width must be the {now.d} inputs", f"{shape[0]} × {shape[1]}")
    shares = _shares(curvature(now)) - (0.0 if then is None else _shares(curvature(then)))
    values = (shares * now.d).reshape(shape).astype(np.float32)
    return ImportancePicture(values, float(np.quantile(np.abs(values), 0.995)), then is not None)


def _shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    total = float(values.sum())
    return np.asarray(values / total) if total > 0 else np.full(len(values), 1 / len(values))


def plot_importance(view: Importance, since: str = "before training") -> go.Figure:
    """A bar for each input, the most important first; a mark where it was at the moment that ``since`` names."""
    look: dict[str, Any] = {"size": 16, "symbol": "line-ns-open", "outline": {"width": 3}}
    traces = [
        bars(view.now, view.names, "now", BLUE, "%{y}: %{x:.2%} now", orientation="h", meta=stated(input=view.places)),
        dots(view.before, view.names, since, GREY, f"%{{y}}: %{{x:.2%}} {since}", **look),
    ]
    shown = len(view.names)
    return figure(
        traces, title="Importance of the inputs",
        subtitle=f"{shown} of {view.total} inputs, {view.shown:.0%} of the sum" if view.total > shown else "",
        x="share of E ω² (inputs scaled)", y="", revision="importance", xaxis={"tickformat": ".0%"} | FROM_ZERO,
        yaxis={"autorange": "reversed", "type": "category", "title": {"text": "input"}},
    )  # fmt: skip


def plot_importance_picture(view: ImportancePicture, since: str = "") -> go.Figure:
    """The same for every pixel; 1 is what each would have if all were alike. Of a change ``since`` names the moment."""
    hover, strip = "column %{x}, row %{y}: %{z:.2f} times the average", "times the average"
    scale: Any = DIVERGING if view.change else "Cividis"
    if view.change:
        title, note, low = "Change of the pixels' importance", f"since {since}", -view.limit
        strip = "now − then, times the average"
    else:
        title, note, low = "Importance of the pixels", "E ω² of each pixel beside the average", 0
    drawn = cells(view.values, "importance", hover, scale, (low, view.limit), strip=strip,
                  meta=stated(input=np.arange(view.values.size)))  # fmt: skip
    return figure([drawn], title=title, subtitle=note, x="", y="", revision="importance-picture", **PIXELS)


def _about_importance(at: At) -> tuple[str, str]:
    return (
        r"\mathbb E\,\omega_j^2=-\left.\frac{\partial^2 k(\tau e_j,0)}{\partial\tau^2}\right|_{\tau=0}",
        "How sharply the kernel bends along each scaled input: the mean squared slope of a random function with this "
        "kernel (Rasmussen & Williams 2006, section 4.1). Of pairs the mean of both frequencies counts.",
    )


@picture("inside.spectrum", alt="Importance of the inputs as bars, now and before training", arrays=("omega",),
         when=lambda at: int(at.facts.get("d") or 0) > 1, height=440, note=_about_importance)  # fmt: skip
def draw_input_importance(at: At) -> go.Figure:
    """Share of E ω_j² that each input has."""
    now, before = frequencies_at(at)
    then, names = then_at(at), input_names(at)
    found = importance(now, then or before, names, count=15)
    return plot_importance(found, f"at {since(at)}") if then else plot_importance(found)


@picture("inside.spectrum", alt="Importance of the pixels", arrays=("omega",), when=has_images, height=380)
def draw_pixel_importance(at: At) -> go.Figure:
    """The same as a picture, or what has changed about it."""
    assert at.image
    found = importance_picture(frequencies_at(at)[0], at.image, then_at(at))
    return plot_importance_picture(found, since(at)) if found.change else plot_importance_picture(found)

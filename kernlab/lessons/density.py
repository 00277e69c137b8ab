"""What a spectral density is: the share of waves of each frequency that a kernel is an average of.

    k(Δ) = ∫ p(ω) cos(ωΔ) dω            a kernel half as wide has a density twice as wide

Source: Bochner's theorem; Rahimi & Recht 2007.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
import torch
from scipy.integrate import cumulative_trapezoid

from kernlab.feature_maps.densities import draw
from kernlab.feature_maps.law import FrequencyLaw
from kernlab.lessons.base import Asked, Computation, Guess, Sheet, Slider, Vector, offer
from kernlab.lessons.panels import FOUND, YOURS, curve, stacked
from kernlab.pictures.theme import BLUE, GREY, fade, figure

_SHEET = Sheet(
    (-8.0, 8.0), (0.0, 0.5), "frequency (radians per unit)", "share of waves", "the density of the wide kernel"
)
_WAVES = 1000
_FAST = 5.0
_WIDE = FrequencyLaw("gaussian", 1.0)


class KernelAndDensity(NamedTuple):
    """A kernel and its spectral density, beside those of a Gaussian kernel of width 1."""

    distance: Vector  #: Δ [p]
    wide: Vector  #: the kernel of width 1 [p]
    kernel: Vector  #: this kernel [p]
    frequency: Vector  #: ω, the places of the sheet
    known: Vector  #: density of the kernel of width 1
    density: Vector  #: of this kernel
    drawn: Vector  #: frequencies of waves drawn from it [1000]
    half: float  #: the frequency below which half of the waves are
    fast: float  #: percentage of the waves with a frequency above 5
    peak: float  #: the largest value of the density as a share of that of width 1


def spectrum(width: float = 0.5, kernel: str = "gaussian") -> KernelAndDensity:
    """The kernel of that width and name."""
    law = FrequencyLaw(kernel, 1 / width)
    distance = np.linspace(-3, 3, 181)
    origin = np.zeros((1, 1))
    omega = draw(1, _WAVES, density=kernel, scale=1 / width, generator=torch.Generator().manual_seed(0))
    grid = np.linspace(0, 400 / width, 40_001)  # beyond it a Laplacian kernel has a share of 1.6e-3 of its waves
    mass = 2 * cumulative_trapezoid(law.along([1.0], grid), grid, initial=0.0)
    return KernelAndDensity(
        distance,
        _WIDE.kernel(distance[:, None], origin)[:, 0],
        law.kernel(distance[:, None], origin)[:, 0],
        _SHEET.grid,
        _WIDE.along([1.0], _SHEET.grid),
        law.along([1.0], _SHEET.grid),
        omega[0, 0].double().numpy(),
        float(np.interp(0.5, mass, grid)),
        100 * (1 - float(np.interp(_FAST, grid, mass))),
        float(law.along([1.0], [0.0])[0] / _WIDE.along([1.0], [0.0])[0]),
    )


def draw_spectrum(view: KernelAndDensity, seen: bool, guess: Guess | None) -> go.Figure:
    """Both kernels; with the answer, their densities, the drawn waves and the prediction."""
    upper = [
        curve(view.distance, view.wide, "wide kernel", (BLUE, "dash")),
        curve(view.distance, view.kernel, "this kernel", FOUND),
    ]
    title, x, y = "Kernels over distance", "distance of two points", "similarity"
    if not seen:
        return figure(upper, title=title, x=x, y=y, revision="spectrum", yaxis={"range": [0, 1.05]})
    bins = {"start": -8, "end": 8, "size": 0.5}
    lower = [
        go.Histogram(x=view.drawn, xbins=bins, histnorm="probability density", name="1000 waves, drawn",
                     marker={"color": fade(GREY, 0.35)}, hovertemplate="%{y:.2f}<extra>%{x}</extra>"),
        curve(view.frequency, view.known, "wide kernel", (BLUE, "dash"), showlegend=False),
        curve(view.frequency, view.density, "this kernel", FOUND, showlegend=False),
    ]  # fmt: skip
    if guess is not None:
        lower.append(curve(view.frequency, guess, "your prediction", YOURS))
    return stacked(
        upper, lower, title=title, heading="Their spectral densities", x=x, y=y, lower_x=_SHEET.x_name,
        lower_y=_SHEET.y_name, revision="spectrum", yaxis={"range": [0, 1.05]}, xaxis2={"range": _SHEET.x},
        yaxis2={"range": [0, max(0.5, 1.1 * float(view.density.max()))]},
    )  # fmt: skip


offer(Computation(
    "density",
    "Two kernels over the distance of two points, and the spectral density of each",
    spectrum,
    draw_spectrum,
    (
        Slider("width", "Width of the kernel", (0.125, 0.25, 0.5, 1.0, 2.0), 0.5),
        Slider("kernel", "Kernel", ("gaussian", "matern", "laplacian", "cauchy"), "gaussian"),
    ),
    {
        "half": lambda view: view.half,
        "fast": lambda view: view.fast,
        "peak": lambda view: view.peak,
        "wider": lambda view: 1 / view.peak,
    },
    {"density": Asked("curve", lambda view: view.density, _SHEET, lambda view: view.known)},
))  # fmt: skip

"""Weights of the kernels in a dictionary, each by the name of its kernel.

K = Σ_m θ_m K_m,   share of kernel m: θ_m / Σθ
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps import Dictionary
from kernlab.pictures.base import At, picture
from kernlab.pictures.theme import BLUE, GREY, ORANGE, figure


class Mixture(NamedTuple):
    """Kernel weights.

    Attributes:
        names: one a kernel: γ of a Gaussian, degree s of a polynomial.
        families: "Gaussian" or "polynomial" of each.
        share: θ_m / Σθ now [M].
        start: the share each began with [M].
        effective: (Σθ)²/Σθ², as many equal weights would vary as much.
    """

    names: tuple[str, ...]
    families: tuple[str, ...]
    share: NDArray[np.float32]
    start: NDArray[np.float32]
    effective: float


def mixture(theta: ArrayLike, initial: ArrayLike) -> Mixture:
    """The weights of :class:`kernlab.feature_maps.Dictionary`, now and at the start [M]."""
    now, first = (np.asarray(values, np.float64) for values in (theta, initial))
    names = [f"γ = 2{_raised(round(np.log2(gamma)))}" for gamma in Dictionary.gammas]
    names += [f"s = {degree}" for degree in Dictionary.degrees]
    families = ["Gaussian"] * len(Dictionary.gammas) + ["polynomial"] * len(Dictionary.degrees)
    share, start = (values / values.sum() for values in (now, first))
    return Mixture(
        tuple(names), tuple(families), share.astype(np.float32), start.astype(np.float32), 1 / float(share @ share)
    )


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


_LOOKS = {"Gaussian": (BLUE, ""), "polynomial": (ORANGE, "/")}


def plot_mixture(view: Mixture) -> go.Figure:
    """Share of every kernel; the dotted line is where each began."""
    traces: list[go.Bar | go.Scatter] = []
    for family, (colour, pattern) in _LOOKS.items():
        mine = np.array([each == family for each in view.families])
        traces.append(
            go.Bar(
                x=[name for name, here in zip(view.names, mine, strict=True) if here],
                y=view.share[mine],
                name=family,
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate=f"{family}, %{{x}}: %{{y:.1%}}<extra></extra>",
            )
        )
    traces.append(
        go.Scatter(
            x=list(view.names),
            y=view.start,
            mode="lines",
            name="at the start",
            line={"color": GREY, "width": 2, "dash": "dot"},
            hovertemplate="%{x} began at %{y:.1%}<extra></extra>",
        )
    )
    return figure(
        traces,
        title="Weights of the kernels",
        subtitle=f"{len(view.names)} kernels, worth {view.effective:.1f} of equal weight",
        x="kernel",
        y="share of the weight",
        revision="mixture",
        yaxis={"tickformat": ".0%", "rangemode": "tozero"},
        xaxis={"type": "category", "tickangle": -60},
    )


@picture("overview", "kernel", alt="Weights of the kernels as bars", arrays=("theta",), height=360)
def draw_kernel_weights(at: At) -> go.Figure:
    """Weights θ of the kernels in a dictionary."""
    return plot_mixture(mixture(at.arrays["theta"], at.static["theta_initial"]))

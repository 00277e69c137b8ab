"""A frame's weights by input and frequency, along one input, and the sorted eigenvalues under their power law."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.frame_spectrum import FrameEigenvalues, FrameInput, FrameSpectrum
from kernlab.plots.theme import BLUE, CLASSES, GREY, ORANGE, VERMILLION, colourbar, figure

__all__ = ["plot_frame_eigenvalues", "plot_frame_input", "plot_frame_spectrum"]

# From nothing to full, so that either background shows where a function is not used.
_SCALE = [[0, "rgba(0,114,178,0)"], [0.02, "rgba(0,114,178,0.3)"], [0.4, "rgba(0,114,178,0.9)"], [1, "#56B4E9"]]
_SERIES = {"constant": (GREY, "square"), "cosine": (BLUE, "circle"), "sine": (ORANGE, "diamond")}


def plot_frame_spectrum(view: FrameSpectrum) -> go.Figure:
    """λ as colour over inputs and frequencies (or scales); an empty cell is a function that is not used."""
    cells = go.Heatmap(
        x=view.levels,
        y=np.asarray(view.inputs),
        z=view.weight,
        name="λ",
        colorscale=_SCALE,
        colorbar=colourbar("λ"),
        xgap=1,
        ygap=1,
        hovertemplate=f"%{{y}}, {view.what} %{{x}}: λ = %{{z:.3~g}}<extra></extra>",
    )
    note = f"{view.nonzero} of {view.columns} functions in use"
    if view.products:
        note += "; a product counts for each of its inputs"
    elif view.constant:
        note += f", constant λ₀ = {view.constant:.3g}"
    return figure(
        [cells],
        title="Spectrum of the frame kernel",
        subtitle=note,
        x="frequency index i" if view.what == "frequency index" else "scale j (fine to coarse)",
        y="input",
        revision="frame-spectrum",
        xaxis={"showgrid": False, "zeroline": False},
        yaxis={"type": "category", "autorange": "reversed", "showgrid": False},
    )


def plot_frame_input(view: FrameInput) -> go.Figure:
    """λ along one input as stems: over frequencies, or over the places of wavelets."""
    traces: list[Any] = []
    for order, each in enumerate(view.series):
        colour, symbol = _SERIES.get(each.name, CLASSES[order % len(CLASSES)])
        # A gap after each stem lifts the pen.
        stems = np.stack([np.zeros_like(each.weight), each.weight, np.full_like(each.weight, np.nan)], axis=1)
        traces.append(
            go.Scatter(
                x=np.repeat(each.x, 3),
                y=stems.ravel(),
                mode="lines+markers",
                name=each.name,
                line={"color": colour, "width": 2},
                marker={"color": colour, "symbol": symbol, "size": np.tile(np.array([0, 8, 0], np.int8), len(each.x))},
                hovertemplate=f"{each.name} at %{{x:.3~g}}: λ = %{{y:.3~g}}<extra></extra>",
            )
        )
    return figure(
        traces,
        title=f"Spectrum along {view.name}",
        subtitle=f"{view.nonzero} of {view.columns} functions in use",
        x=view.x,
        y="λ",
        revision=f"frame-input:{view.name}",
        yaxis={"rangemode": "tozero"},
    )


def plot_frame_eigenvalues(view: FrameEigenvalues) -> go.Figure:
    """Falling eigenvalues on logarithmic axes, where a power law is a straight line."""
    letter = "λ<sub>i</sub>" if view.frame_constant is None else "Aλ<sub>i</sub>"
    law = f"c·i<sup>−γ</sup>, γ = {view.exponent:.3g}"
    traces = [
        go.Scatter(
            x=view.place,
            y=view.value,
            mode="markers",
            name="eigenvalues",
            marker={"color": BLUE, "size": 7},
            hovertemplate="%{x}: %{y:.3~g}<extra></extra>",
        ),
        go.Scatter(
            x=view.place,
            y=view.envelope,
            mode="lines",
            name=law,
            line={"color": VERMILLION, "width": 2, "dash": "dash"},
            hovertemplate="%{x}: at most %{y:.3~g}<extra></extra>",
        ),
    ]
    note = f"{view.nonzero} of {view.columns} above 0, sum {view.total:.3g}"
    return figure(
        traces,
        title="Eigenvalues of the frame kernel",
        subtitle=note if view.frame_constant is None else f"{note}, A = {view.frame_constant:.3g}",
        x="index i",
        y=letter,
        revision="frame-eigenvalues",
        xaxis={"type": "log", "dtick": 1},
        yaxis={"type": "log", "exponentformat": "power"},
    )

"""Falling eigenvalues with the law they follow, their change between two moments, and the effective dimension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.decay import Decay, EffectiveDimension, EigenvalueChange, Law
from kernlab.analysis.frame_spectrum import FrameEigenvalues
from kernlab.plots.moments import moment_style
from kernlab.plots.theme import BLUE, GREY, OLIVE, VERMILLION, figure

__all__ = ["plot_decay", "plot_effective_dimension", "plot_eigenvalue_change"]

_POWERS = {"type": "log", "exponentformat": "power"}


def plot_decay(views: Mapping[str, Decay], *, operator: FrameEigenvalues | None = None) -> go.Figure:
    """Eigenvalues of K/n on logarithmic axes with the better law of the first kernel.

    Args:
        views: by name: "now", "before training", "then …", "exact"; the law is the first one's.
        operator: Aλ_i of a frame, drawn with them.
    """
    traces: list[Any] = []
    for name, view in views.items():
        style = moment_style(name)
        traces.append(
            go.Scatter(
                x=view.place,
                y=view.value,
                mode="markers",
                name=name,
                marker={"color": style.colour, "symbol": style.symbol, "size": 7, "line": {"width": 1.5}},
                hovertemplate=f"{name}: λ%{{x}} = %{{y:.3~g}}<extra></extra>",
            )
        )
    first = next(iter(views.values()))
    if first.best:
        place = first.place[: first.fitted]
        traces.append(
            go.Scatter(
                x=place,
                y=first.best.at(place),
                mode="lines",
                name=_formula(first.best),
                line={"color": VERMILLION, "width": 2.5, "dash": "dash"},
                hovertemplate="law at %{x}: %{y:.3~g}<extra></extra>",
            )
        )
    if operator is not None:
        letter = "λ<sub>i</sub> of the frame" if operator.frame_constant is None else "Aλ<sub>i</sub> of the frame"
        traces.append(
            go.Scatter(
                x=operator.place,
                y=operator.value,
                mode="lines",
                name=letter,
                line={"color": OLIVE, "width": 2, "dash": "longdash"},
                hovertemplate=f"{letter} %{{x}}: %{{y:.3~g}}<extra></extra>",
            )
        )
    return figure(
        traces,
        title="Eigenvalues of K/n",
        subtitle=_fit(first),
        x="index i",
        y="λ<sub>i</sub>",
        revision="decay",
        xaxis={"type": "log", "dtick": 1},
        yaxis=_POWERS,
    )


def plot_eigenvalue_change(view: EigenvalueChange, *, then: str) -> go.Figure:
    """λ_i now over λ_i then, on logarithmic axes; the dotted line is no change.

    Args:
        view: the ratios.
        then: what now is compared with.
    """
    trace = go.Scatter(
        x=view.place,
        y=view.ratio,
        mode="lines+markers",
        name="ratio",
        marker={"color": BLUE, "size": 6},
        line={"color": BLUE, "width": 1.5},
        hovertemplate="λ%{x}: %{y:.3~g} times as large<extra></extra>",
    )
    shown = figure(
        [trace],
        title="What became of the eigenvalues",
        subtitle=f"now over {then}, {view.n} rows",
        x="index i",
        y="ratio of λ<sub>i</sub>",
        revision="eigenvalue-change",
        xaxis={"type": "log", "dtick": 1},
        yaxis=_POWERS,
    )
    return shown.add_hline(y=1, line={"color": GREY, "width": 1.5, "dash": "dot"})


def plot_effective_dimension(views: Mapping[str, EffectiveDimension]) -> go.Figure:
    """d(ρ) of several kernels, by name as in :func:`plot_decay`; a marker stands at the ridge of the run."""
    traces: list[Any] = []
    for name, view in views.items():
        style = moment_style(name)
        traces.append(
            go.Scatter(
                x=view.ridge,
                y=view.value,
                mode="lines",
                name=name,
                line={"color": style.colour, "width": 2.5, "dash": style.dash},
                hovertemplate=f"{name}: d = %{{y:.3~g}} at ρ = %{{x:.2~g}}<extra></extra>",
            )
        )
    first = next(iter(views.values()))
    if first.at:
        ridge, value = first.at
        traces.append(
            go.Scatter(
                x=[ridge],
                y=[value],
                mode="markers",
                name=f"this run's ridge: d = {value:.3g}",
                marker={"color": VERMILLION, "symbol": "diamond", "size": 12},
                hovertemplate="d = %{y:.3~g} at ρ = %{x:.2~g}<extra></extra>",
            )
        )
    return figure(
        traces,
        title="Effective dimension",
        subtitle=f"directions that a ridge ρ leaves free, out of {first.n} rows",
        x="ridge ρ",
        y="d(ρ)",
        revision="effective-dimension",
        xaxis=_POWERS,
        yaxis={"rangemode": "tozero"},
    )


def _formula(law: Law) -> str:
    exponent = f"−{law.rate:.3g}" if law.rate >= 0 else f"{-law.rate:.3g}"
    end = f"i<sup>{exponent}</sup>" if law.kind == "power" else f"e<sup>{exponent} i</sup>"
    return f"{law.constant:.3g} · {end}"


def _fit(view: Decay) -> str:
    if not (view.best and view.other):
        return f"{len(view.place)} of {view.n} above rounding, sum {view.trace:.3g}: too few for a law"
    # An error of ln λ is about a relative error.
    return (
        f"{view.best.kind} law fitted to i = 1 … {view.fitted} of {view.n}, "
        f"off by {view.best.error:.2g} in ln λ ({view.other.kind}: {view.other.error:.2g})"
    )

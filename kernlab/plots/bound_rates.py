"""A bound over the number of rows in all its readings, and what λ₁ guarantees of ‖W‖_*."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.bound_rates import AgainstN, Sweep, WeightGuarantee
from kernlab.plots.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, fade, figure

__all__ = ["plot_against_n", "plot_sweep", "plot_weight_guarantee"]

_LOOKS = {
    "exact": (GREEN, "longdash"),
    "paper": (BLUE, "solid"),
    "worst case": (ORANGE, "dot"),
    "any minimiser": (PURPLE, "dashdot"),
    "size": (BLUE, "solid"),
    "printed": (VERMILLION, "dash"),
    "order": (GREY, "dot"),
    "best": (GREEN, "dashdot"),
    "rademacher": (PURPLE, "longdash"),
}
_LOG: dict[str, Any] = {"type": "log", "exponentformat": "power", "nticks": 6}


def plot_against_n(view: AgainstN) -> go.Figure:
    """Lines of :func:`kernlab.analysis.bound_rates.against_n` on logarithmic axes, marked at the run's own n."""
    traces: list[Any] = []
    for rate in view.rates:
        colour, dash = _LOOKS[rate.key]
        slope = "" if rate.slope is None else f", slope {rate.slope:g}".replace("-", "−")
        traces.append(
            go.Scatter(
                x=view.n,
                y=rate.y,
                mode="lines",
                name=rate.words,
                line={"color": colour, "dash": dash, "width": 2.5},
                hovertemplate=f"{rate.words}{slope}: %{{y:.3~g}}<extra>n = %{{x:.3~s}}</extra>",
            )
        )
    if view.measured is not None:
        value, words = view.measured
        traces.append(
            go.Scatter(
                x=[view.measured_at],
                y=[value],
                mode="markers",
                name=words,
                marker={"color": VERMILLION, "symbol": "star", "size": 14},
                hovertemplate=f"{words}: %{{y:.3~g}}<extra>n = %{{x:.3~s}}</extra>",
            )
        )
    traces += [
        go.Scatter(
            x=[n],
            y=[height],
            mode="markers",
            name=words,
            marker={"color": GREY, "symbol": "x-open", "size": 12, "line": {"width": 3}},
            hovertemplate=f"{words} from n = %{{x:.3~s}} on<extra></extra>",
        )
        for n, height, words in view.crossings
    ]
    drawn = figure(
        traces,
        title=view.title,
        x="n (training rows)",
        y=view.y,
        revision="bound-against-n",
        xaxis=_LOG,
        yaxis=_LOG,
        legend={"traceorder": "normal"},
    )
    drawn.add_vline(x=view.here, line={"color": GREY, "dash": "dash", "width": 2})
    if view.trivial is not None:
        drawn.add_hline(y=view.trivial, line={"color": GREY, "dash": "dot", "width": 2})
        drawn.add_annotation(
            x=1,
            xref="paper",
            xanchor="right",
            y=math.log10(view.trivial),  # of lines the value, of words its logarithm
            yanchor="bottom",
            text="risk of answering zero",
            font={"size": 14, "color": GREY},
            showarrow=False,
        )
    return drawn


def plot_weight_guarantee(view: WeightGuarantee) -> go.Figure:
    """The line of :func:`kernlab.analysis.bound_rates.weight_guarantee` with what the run has found."""
    return figure(
        [
            go.Scatter(
                x=view.strength,
                y=view.most,
                mode="lines",
                name="no minimiser has more",
                line={"color": PURPLE, "dash": "dashdot", "width": 2.5},
                hovertemplate="at most %{y:.3~g}<extra>λ₁ = %{x:.3~g}</extra>",
            ),
            go.Scatter(
                x=[view.chosen],
                y=[view.guaranteed],
                mode="markers",
                name="at the λ₁ that is set",
                marker={"color": PURPLE, "symbol": "circle-open", "size": 13, "line": {"width": 3}},
                hovertemplate="at most %{y:.3~g}<extra>λ₁ = %{x:.3~g}</extra>",
            ),
            go.Scatter(
                x=[view.here],
                y=[view.measured],
                mode="markers",
                name="this run, measured",
                marker={"color": VERMILLION, "symbol": "star", "size": 14},
                hovertemplate="measured %{y:.3~g}<extra>λ₁ = %{x:.3~g}</extra>",
            ),
        ],
        title="What λ₁ guarantees of the weights",
        x="λ₁",
        y="‖W‖⁎",
        revision="weight-guarantee",
        xaxis=_LOG,
        yaxis=_LOG,
        legend={"traceorder": "normal"},
    )


def plot_sweep(view: Sweep) -> go.Figure:
    """Lines and bands of :func:`kernlab.analysis.bound_rates.sweep` on logarithmic axes."""
    looks = ((GREY, "dash"), (BLUE, "solid"), (ORANGE, "longdash"))
    traces: list[Any] = [
        go.Scatter(
            x=view.x,
            y=values,
            mode="lines",
            name=words,
            line={"color": colour, "dash": dash, "width": 2.5},
            hovertemplate=f"{words}: %{{y:.3~g}}<extra>%{{x:.3~g}}</extra>",
        )
        for (words, values), (colour, dash) in zip(view.lines, looks, strict=False)
    ]
    for words, least, most in view.bands:
        for values, fill, said in ((least, None, f"{words}, at least"), (most, "tonexty", f"{words}, at most")):
            traces.append(
                go.Scatter(
                    x=view.x,
                    y=values,
                    mode="lines",
                    name=said,
                    fill=fill,
                    fillcolor=fade(GREEN, 0.3),
                    line={"color": GREEN, "width": 1.5, "dash": "dot" if fill else "solid"},
                    hovertemplate=f"{said}: %{{y:.3~g}}<extra>%{{x:.3~g}}</extra>",
                )
            )
    drawn = figure(
        traces,
        title=view.title,
        x=view.x_title,
        y=view.y_title,
        revision="bound-sweep",
        xaxis=_LOG,
        yaxis=_LOG if view.log_y else {"rangemode": "tozero"},
        legend={"traceorder": "normal"},
    )
    return drawn.add_vline(x=view.here, line={"color": GREY, "dash": "dash", "width": 2})

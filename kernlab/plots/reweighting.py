"""Weights of re-weighted features: by rank against the uniform line, and how few carry how much."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.reweighting import FeatureWeights, WeightMass
from kernlab.plots.theme import BLUE, GREY, ORANGE, fade, figure

__all__ = ["plot_feature_weights", "plot_weight_mass"]


def plot_feature_weights(view: FeatureWeights, *, log_x: bool = True, log_y: bool = True) -> go.Figure:
    """Falling weights, and the weight that all candidates began with."""
    traces = [
        go.Scatter(
            x=view.rank,
            y=view.q,
            mode="lines" if view.support > 1 else "markers",
            name="learned weights",
            line={"color": BLUE, "width": 2.5, "simplify": False},
            marker={"color": BLUE, "size": 9},
            hovertemplate="feature %{x}: q = %{y:.3~g}<extra></extra>",
        ),
        go.Scatter(
            x=[1, view.candidates],
            y=[view.uniform, view.uniform],
            mode="lines",
            name="uniform, as they began",
            line={"color": GREY, "width": 2, "dash": "dot"},
            hovertemplate="%{y:.3~g} for each of the candidates<extra></extra>",
        ),
    ]
    power = {"type": "log", "exponentformat": "power"}
    return figure(
        traces,
        title="Weights of the features",
        subtitle=f"{view.support} of {view.candidates} kept, worth {view.effective:.0f} of equal weight",
        x="rank",
        y="weight q",
        revision=f"feature-weights:{log_x}:{log_y}",
        xaxis={**power, "dtick": 1} if log_x else {},
        yaxis={**power, "dtick": 1} if log_y else {"rangemode": "tozero"},
    )


def plot_weight_mass(view: WeightMass) -> go.Figure:
    """Share of all weight that the heaviest features carry; marks at half, 90 % and 99 %."""
    marked = [(share, k) for share, k in view.marks if k]
    traces = [
        go.Scatter(
            x=view.rank,
            y=view.mass,
            mode="lines",
            name="weight of the heaviest features",
            line={"color": BLUE, "width": 2.5, "simplify": False},
            fill="tozeroy",
            fillcolor=fade(BLUE, 0.15),
            hovertemplate="%{x} features carry %{y:.1%}<extra></extra>",
        ),
        go.Scatter(
            x=[k for _, k in marked],
            y=[share for share, _ in marked],
            mode="markers+text",
            name="half, 90 % and 99 %",
            text=[str(k) for _, k in marked],
            textposition="bottom right",
            textfont={"size": 15},
            cliponaxis=False,
            marker={"color": ORANGE, "symbol": "diamond", "size": 10},
            hovertemplate="%{x} features carry %{y:.0%}<extra></extra>",
        ),
    ]
    return figure(
        traces,
        title="How few features carry the weight",
        subtitle=f"{view.support} of {view.candidates} have any weight",
        x="features, heaviest first",
        y="share of the weight",
        revision="weight-mass",
        yaxis={"tickformat": ".0%", "rangemode": "tozero"},
    )

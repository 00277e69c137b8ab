"""Alignment with the targets: bars of several kernels, and lines over the run."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from kernlab.analysis.kernel_alignment import AlignmentHistory, Alignments
from kernlab.plots.theme import BLUE, GREY, ORANGE, figure

__all__ = ["plot_alignment_history", "plot_alignments"]

_CENTRED, _PLAIN, _CHANCE = "centred", "not centred", "shuffled targets, centred"


def plot_alignments(view: Alignments) -> go.Figure:
    """Centred and uncentred alignment of each kernel, with what shuffled targets would reach."""
    rows = ((_CENTRED, BLUE, ""), (_PLAIN, ORANGE, "/"))
    traces: list[Any] = [
        go.Bar(
            x=list(view.names),
            y=[value[place] for value in view.values],
            name=name,
            text=[f"{value[place]:.3f}" for value in view.values],
            textposition="outside",
            cliponaxis=False,
            marker={"color": colour, "pattern": {"shape": pattern}},
            hovertemplate=f"%{{x}}, {name}: %{{y:.4f}}<extra></extra>",
        )
        for place, (name, colour, pattern) in enumerate(rows)
    ]
    traces.append(
        go.Scatter(
            x=list(view.names),
            y=[value.chance for value in view.values],
            mode="markers",
            name=_CHANCE,
            marker={"color": GREY, "symbol": "line-ew-open", "size": 26, "line": {"width": 3}},
            hovertemplate="%{x}, shuffled targets: %{y:.4f}<extra></extra>",
        )
    )
    return figure(
        traces,
        title="Alignment with the targets",
        subtitle=f"{view.n} rows; 1 would be a kernel that knows the targets",
        x="kernel",
        y="A(K, YYᵀ)",
        revision="alignments",
        barmode="group",
        yaxis={"rangemode": "tozero"},
    )


def plot_alignment_history(view: AlignmentHistory, *, unit: str = "epoch") -> go.Figure:
    """Both alignments over the run's snapshots, and the level of shuffled targets.

    Args:
        view: the alignments.
        unit: what time is counted in.
    """
    lines = (
        (_CENTRED, view.centred, BLUE, "solid"),
        (_PLAIN, view.plain, ORANGE, "dash"),
        (_CHANCE, view.chance, GREY, "dot"),
    )
    traces = [
        go.Scatter(
            x=view.epoch,
            y=values,
            mode="lines+markers" if name == _CENTRED else "lines",
            name=name,
            line={"color": colour, "width": 2.5, "dash": dash},
            marker={"color": colour, "size": 6},
            hovertemplate=f"{name}: %{{y:.4f}}<extra>{unit} %{{x:.3~g}}</extra>",
        )
        for name, values, colour, dash in lines
    ]
    return figure(
        traces,
        title="Alignment with the targets over the run",
        subtitle=f"{view.n} rows at {len(view.epoch)} snapshots",
        x=unit,
        y="A(K, YYᵀ)",
        revision="alignment-history",
        yaxis={"rangemode": "tozero"},
    )

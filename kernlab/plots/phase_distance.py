"""The distance of features with random phases from the kernel of their frequencies, over a run."""

from __future__ import annotations

import plotly.graph_objects as go

from kernlab.analysis.phase_distance import PhaseHistory
from kernlab.plots.theme import GREY, VERMILLION, figure

__all__ = ["plot_phase_history"]


def plot_phase_history(view: PhaseHistory, *, unit: str = "epoch") -> go.Figure:
    """Both distances over the run's snapshots.

    Args:
        view: the distances.
        unit: what time is counted in.
    """
    lines = (
        ("phases as they are", view.own, VERMILLION, "solid"),
        ("phases drawn anew", view.redrawn, GREY, "dot"),
    )
    return figure(
        [
            go.Scatter(
                x=view.epoch,
                y=values,
                mode="lines+markers",
                name=name,
                line={"color": colour, "width": 2.5, "dash": dash},
                marker={"color": colour, "size": 6},
                hovertemplate=f"{name}: %{{y:.3f}}<extra>{unit} %{{x:.3~g}}</extra>",
            )
            for name, values, colour, dash in lines
        ],
        title="Distance from the frequencies' kernel",
        subtitle=f"{view.n} rows at {len(view.epoch)} snapshots; 0 for pairs of cosine and sine",
        x=unit,
        y="‖ΦΦᵀ − K‖ / ‖K‖",
        revision="phase-distance",
        yaxis={"rangemode": "tozero"},
    )

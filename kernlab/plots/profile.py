"""The kernel along a line: as learned, before training, exactly; what changed; what some frequencies carry."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.profile import Part, Profile, ProfileChange
from kernlab.plots.theme import BLUE, GREEN, GREY, ORANGE, fade, figure

__all__ = ["plot_part", "plot_profile", "plot_profile_change"]

_DISTANCE = "τ (scaled unit)"


def plot_profile(view: Profile) -> go.Figure:
    """k now with a band of two standard errors either side, dotted as before training, grey the exact kernel."""
    band = np.concatenate([view.now + 2 * view.error, (view.now - 2 * view.error)[::-1]])
    traces = [
        go.Scatter(
            x=np.concatenate([view.tau, view.tau[::-1]]),
            y=band,
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=fade(BLUE, 0.2),
            name="± 2 standard errors",
            hoverinfo="skip",
        )
    ]
    if view.exact is not None:
        traces.append(_line(view.tau, view.exact, view.words, {"color": fade(GREY, 0.55), "width": 6}, "exact"))
    if view.before is not None:
        traces.append(
            _line(view.tau, view.before, "before training", {"color": ORANGE, "width": 2, "dash": "dot"}, "before")
        )
    traces.append(_line(view.tau, view.now, "now", {"color": BLUE, "width": 2.5}, "now"))
    return figure(
        traces,
        title="Kernel along a line",
        subtitle=f"{view.what}, {view.total} frequencies",
        x=_DISTANCE,
        y="k(x₀ + τu, x₀)",
        revision=f"profile:{view.what}",
    )


def plot_profile_change(view: ProfileChange, since: str) -> go.Figure:
    """The kernel now minus that of an earlier moment, which ``since`` names."""
    line = {"color": BLUE, "width": 2.5}
    trace = _line(view.tau, view.values, "now − then", line, "now − then")
    trace.update(fill="tozeroy", fillcolor=fade(BLUE, 0.15))
    return figure(
        [trace],
        title="Change of the kernel along a line",
        subtitle=f"{view.what}, since {since}",
        x=_DISTANCE,
        y="k now − then",
        revision=f"profile-change:{view.what}",
        yaxis={"zerolinewidth": 2},
    )


def plot_part(view: Part) -> go.Figure:
    """What the selected frequencies carry of the kernel, and what the rest does: together they are the whole."""
    traces = [
        _line(view.tau, view.whole, "whole kernel", {"color": GREY, "width": 2}, "whole"),
        _line(view.tau, view.rest, "the rest", {"color": BLUE, "width": 2, "dash": "dash"}, "rest"),
        _line(view.tau, view.part, "selected", {"color": GREEN, "width": 3}, "selected"),
    ]
    return figure(
        traces,
        title="What the selected frequencies carry",
        subtitle=f"{view.what}: {view.selected} of {view.total}, {view.share:.1%} of the weight",
        x=_DISTANCE,
        y="k(x₀ + τu, x₀)",
        revision=f"part:{view.what}",
    )


def _line(x: Any, y: Any, name: str, line: dict[str, Any], word: str) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y.astype(np.float32),
        mode="lines",
        name=name,
        line={**line, "simplify": False},
        hovertemplate=f"{word}: %{{y:.3~f}} at τ = %{{x:.3~g}}<extra></extra>",
    )

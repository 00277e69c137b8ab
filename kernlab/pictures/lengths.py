"""Lengths of the frequencies."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from kernlab.pictures.base import At, picture
from kernlab.pictures.density import Density, density_change, length_density, plot_density, plot_density_change
from kernlab.pictures.spectrum import Spectrum, frequencies_at, law_at, since, then_at


@picture("spectrum", alt="Lengths of the frequencies", arrays=("omega",), height=300)
def draw_lengths(at: At) -> go.Figure:
    """Density of ‖ω‖: now, before, and as drawn from; or what has changed."""
    now, before = frequencies_at(at)
    law = law_at(at)

    def seen(one: Spectrum, beside: Spectrum | None = None) -> Density:
        return length_density(one, before, law=partial(law.length, now.d) if law else None, beside=beside)

    if then := then_at(at):
        return plot_density_change(density_change(seen(now, then), seen(then, now)), since(at))
    return plot_density(seen(now))

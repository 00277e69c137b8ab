"""Pictures of the errors found in the papers: as printed in red and broken, as it is in blue and unbroken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from kernlab.analysis.paper_errors import (
    Against,
    CauchyKernels,
    Complexities,
    LearnedPhases,
    Phases,
    Scatters,
    Shrinkage,
    Signs,
    Spectra,
    Tails,
    Widths,
)
from kernlab.analysis.paper_frames import Products, Rates, Roots
from kernlab.compare.summary import OFF_SCALE
from kernlab.pictures.theme import BLUE, GREEN, GREY, ORANGE, VERMILLION, figure, method_style

__all__ = [
    "plot_against_constant",
    "plot_cauchy_kernels",
    "plot_complexities",
    "plot_learned_phases",
    "plot_phases",
    "plot_products",
    "plot_rates",
    "plot_roots",
    "plot_scatters",
    "plot_shrinkage",
    "plot_signs",
    "plot_spectra",
    "plot_tails",
    "plot_widths",
]

_PRINTED, _RIGHT = (VERMILLION, "dash"), (BLUE, "solid")
_TENS = {"type": "log", "dtick": 1, "exponentformat": "power"}


def plot_phases(view: Phases) -> go.Figure:
    """The entry k(x, x') against the number of features, for both ways to draw phases."""
    ends = view.counts[[0, -1]]
    x = "features D"
    return figure(
        [
            _line(view.counts, view.shared, "one phase, b' = b", *_RIGHT, f"{x} %{{x}}"),
            _line(view.counts, view.independent, "two phases, as printed", *_PRINTED, f"{x} %{{x}}"),
            _line(ends, np.full(2, view.exact), "exact kernel", GREY, "dot", "exact kernel"),
            _line(ends, np.full(2, view.stationary), "½ of the stationary kernel", ORANGE, "dot", "half of it"),
        ],
        title="One kernel entry as features are added",
        subtitle=f"exact {view.exact:.3f}; one phase {view.shared[-1]:.3f}, two {view.independent[-1]:.3f}",
        x=x,
        y="φ(x)·φ(x')",
        revision=f"phases:{view.counts[-1]}",
        xaxis=_TENS,
        yaxis={"range": [-0.1, 1.6]},
    )


def plot_learned_phases(view: LearnedPhases) -> go.Figure:
    """The distance of each form's features from the kernel of their frequencies, over the steps of training."""
    own = view.own
    lines = (
        (own["paired"], "pairs of cosine and sine", *_RIGHT),
        (own["shared"], "shared phases", *_PRINTED),
        (own["independent"], "independent phases, as printed", ORANGE, "dashdot"),
        (view.redrawn, "shared phases drawn anew", GREY, "dot"),
    )
    last = ", ".join(f"{form} {values[-1]:.3f}" for form, values in own.items())
    return figure(
        [_line(view.steps, values, name, colour, dash, "step %{x}") for values, name, colour, dash in lines],
        title="Distance from the frequencies' kernel",
        subtitle=f"after {view.steps[-1]} steps: {last}",
        x="steps of training",
        y="‖ΦΦᵀ − K‖ / ‖K‖",
        revision="learned-phases",
        yaxis={"rangemode": "tozero"},
    )


def plot_shrinkage(view: Shrinkage) -> go.Figure:
    """Singular values before and after the steps."""
    j = np.arange(1, len(view.before) + 1)
    series = (
        ("before", view.before, GREY, "circle-open"),
        ("held at zero, (σ − t)₊", view.clamped, BLUE, "circle"),
        ("σ − t alone, as released", view.free, VERMILLION, "x"),
    )
    return figure(
        [
            go.Scatter(
                x=j,
                y=values,
                mode="lines+markers",
                name=name,
                line={"color": colour, "width": 1.5, "dash": "dot"},
                marker={"color": colour, "symbol": symbol, "size": 10},
                hovertemplate=f"{name}: σ%{{x}} = %{{y:.4~g}}<extra></extra>",
            )
            for name, values, colour, symbol in series
        ],
        title="Singular values of W",
        subtitle=f"rank {view.ranks[0]} held at zero, {view.ranks[1]} not",
        x="index j",
        y="σ<sub>j</sub>",
        revision="shrinkage",
        yaxis={"range": [-0.05, 1.05 * view.before[0]]},
    )


def plot_widths(view: Widths) -> go.Figure:
    """Three kernels over the distance."""
    width, inverse, frequency = view.lengths
    series = (
        ("a width: exp(−Δ²/2σ²)", view.width, width, BLUE, "solid"),
        ("N(0, 1/σ), as printed", view.inverse, inverse, VERMILLION, "dash"),
        ("N(0, σ²), in the experiments", view.frequency, frequency, ORANGE, "dashdot"),
    )
    return figure(
        [
            _line(view.distance, values, name, colour, dash, f"length scale {length:.3g}; distance %{{x:.3~g}}")
            for name, values, length, colour, dash in series
        ],
        title="Three kernels of one σ",
        subtitle="length scales " + ", ".join(f"{length:.3g}" for length in view.lengths),
        x="distance Δ = ‖x − x'‖ (unit of the inputs)",
        y="k(x, x')",
        revision="widths",
        yaxis={"range": [0, 1.05]},
    )


def plot_complexities(view: Complexities) -> go.Figure:
    """The complexity and the bounds on it against the number of outputs."""
    traces = [
        _line(view.K, view.frobenius, "E‖Φᵀε‖<sub>F</sub>/n", ORANGE, "solid", "K = %{x}"),
        _line(view.K, view.paper, "paper: √(K‖Φ‖²<sub>F</sub>)/n", *_PRINTED, "K = %{x}"),
        _line(view.K, view.spectral, "E‖Φᵀε‖₂/n, the complexity", *_RIGHT, "K = %{x}"),
    ]
    traces[-1].update(error_y={"array": view.spectral_error, "thickness": 1, "width": 2})
    return figure(
        traces,
        title="Rademacher complexity at ‖W‖⁎ ≤ 1",
        subtitle=f"bound over complexity: {view.paper[-1] / view.spectral[-1]:.2f} at K = {view.K[-1]}",
        x="outputs K",
        y="complexity",
        revision="complexities",
        yaxis={"rangemode": "tozero"},
    )


def plot_spectra(view: Spectra) -> go.Figure:
    """The objective over λ with its minimum and both claims of where it is."""
    points = (
        ("printed λ*", view.printed, VERMILLION, "x", 13),
        ("corrected λ*", view.corrected, BLUE, "circle", 13),
        ("minimum, searched for", view.numeric, GREY, "circle-open", 20),
    )
    curve = _line(view.spectrum, view.objective, "gμ²/λ + bλ<sup>γ</sup>", GREEN, "solid", "λ = %{x:.4~g}")
    low = view.numeric[1]
    return figure(
        [
            curve,
            *(
                go.Scatter(
                    x=[at],
                    y=[value],
                    mode="markers",
                    name=name,
                    marker={"color": colour, "symbol": symbol, "size": size, "line": {"width": 2, "color": colour}},
                    hovertemplate=f"{name}: λ = %{{x:.5~g}}, value %{{y:.5~g}}<extra></extra>",
                )
                for name, (at, value), colour, symbol, size in points
            ),
        ],
        title="The inner problem over one λ",
        subtitle=f"printed λ*: × {view.printed[0] / view.corrected[0]:.3g}, "
        f"value + {max(0.0, 100 * (view.printed[1] / low - 1)):.2g} %",
        x="λ",
        y="gμ²/λ + bλ<sup>γ</sup>",
        revision="spectra",
        xaxis={"type": "log", "dtick": "D2"},
        yaxis={"range": [0.9 * low, 2.2 * low]},
    )


def plot_signs(view: Signs) -> go.Figure:
    """Where the descent ends against where it would without a penalty."""
    return figure(
        [
            _line(view.a, view.exact, "minimiser", GREY, "dot", "a = %{x:.3~g}"),
            _line(view.a, view.usual, "sign −1, 0, 1", *_RIGHT, "a = %{x:.3~g}"),
            _line(view.a, view.printed, "sign 0, 1, as printed", *_PRINTED, "a = %{x:.3~g}"),
        ],
        title="Coefficient with and without penalty",
        subtitle="printed sign: nothing is shrunk below 0",
        x="coefficient a without the penalty",
        y="coefficient μ with it",
        revision="signs",
    )


def plot_tails(view: Tails) -> go.Figure:
    """The tail of the eigenvalues and its bound against γ."""
    return figure(
        [
            _line(view.gamma, view.sum, "Σ<sub>i>t</sub> i<sup>−γ</sup>, exact", *_RIGHT, "γ = %{x:.4~g}"),
            _line(view.gamma, view.bound, "t<sup>1−γ</sup>/(γ−1), in the bound", *_PRINTED, "γ = %{x:.4~g}"),
        ],
        title="Tail sum of eigenvalues i<sup>−γ</sup>",
        subtitle="no end at γ = 1, as in the experiments",
        x="decay γ",
        y="sum of the tail",
        revision="tails",
        xaxis={"range": [0.95, 3]},
        yaxis=_TENS,
        shapes=[{"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1,
                 "line": {"color": GREY, "dash": "dot", "width": 2}}],
    )  # fmt: skip


def plot_roots(view: Roots) -> go.Figure:
    """√(ar + b) against r, with the root and what is printed in its place."""
    points = (
        ("printed: ½(a + √(a² + 4b²))", view.printed_root, VERMILLION, "x", 12),
        ("printed: a + b", view.printed, ORANGE, "diamond", 12),
        ("root: ½(a + √(a² + 4b))", view.root, BLUE, "circle", 12),
        ("found by iterating", view.searched, GREY, "circle-open", 20),
        ("a + √b", view.corrected, GREEN, "square-open", 14),
    )
    height = np.interp([each[1] for each in points], view.r, view.complexity)
    low, high = np.log10([view.complexity.min(), view.complexity.max()])
    return figure(
        [
            _line(view.r, view.complexity, "√(ar + b)", BLUE, "solid", "r = %{x:.3~g}"),
            _line(view.r, view.r, "r", GREY, "dot", "r = %{x:.3~g}"),
            *(
                go.Scatter(
                    x=[at],
                    y=[up],
                    mode="markers",
                    name=name,
                    marker={"color": colour, "symbol": symbol, "size": size, "line": {"width": 2, "color": colour}},
                    hovertemplate=f"{name}: %{{x:.4~g}}<extra></extra>",
                )
                for (name, at, colour, symbol, size), up in zip(points, height, strict=True)
            ),
        ],
        title="Where √(ar + b) meets r",
        subtitle=f"root {view.root:.3g}; printed bound on it {view.printed:.3g}",
        x="r",
        y="√(ar + b)",
        revision="roots",
        xaxis={"type": "log", "exponentformat": "power", "nticks": 6},
        yaxis={"type": "log", "exponentformat": "power", "nticks": 5, "range": [float(low) - 0.7, float(high) + 0.3]},
    )


def plot_rates(view: Rates) -> go.Figure:
    """r* and what is printed in its place over the number of rows."""
    m, root, printed = view.here
    power = f"{view.gamma / (view.gamma + 1):.2f}"
    marks, values = view.iterated
    return figure(
        [
            _line(view.m, view.held, f"root at t = {view.t}: to 1/√m", ORANGE, "dashdot", "m = %{x:.3~s}"),
            _line(view.m, view.root, f"r⁎, best t: m<sup>−{power}</sup>", *_RIGHT, "m = %{x:.3~s}"),
            _line(view.m, view.order, f"m<sup>−{power}</sup> itself", GREY, "dot", "m = %{x:.3~s}"),
            _line(view.m, view.printed, "a + b, as printed: 1/m", *_PRINTED, "m = %{x:.3~s}"),
            go.Scatter(
                x=marks,
                y=values,
                mode="markers",
                name="r⁎, found by iterating",
                marker={"color": BLUE, "symbol": "circle-open", "size": 12, "line": {"width": 2}},
                hovertemplate="iterated: %{y:.4~g}<extra>m = %{x:.3~s}</extra>",
            ),
        ],
        title="r⁎ and its printed bound",
        subtitle=f"m = {m:g}: r⁎ {root:.3g}, printed {printed:.3g}: × {printed / root:.2g}",
        x="rows m",
        y="r",
        revision="rates",
        xaxis={"type": "log", "exponentformat": "power", "nticks": 6},
        yaxis={"type": "log", "exponentformat": "power", "nticks": 6},
        shapes=[{"type": "line", "x0": m, "x1": m, "yref": "paper", "y0": 0, "y1": 1,
                 "line": {"color": GREY, "dash": "dash", "width": 2}}],
    )  # fmt: skip


def plot_products(view: Products) -> go.Figure:
    """Errors of sums and of products of functions of one joint each, over how far the joints turn."""
    additive, products = view.columns
    where = "turns up to %{x:.3~g}"
    return figure(
        [
            _line(view.reach, view.additive, f"additive, N = 30: {additive} columns", *_PRINTED, where),
            _line(view.reach, view.floor, "least of any sum, exact", GREY, "dot", where),
            _line(view.reach, view.multiplicative, f"products, N = {view.order}: {products} columns", *_RIGHT, where),
        ],
        title="Frames on a robot arm",
        subtitle=f"turns up to {view.reach[4]:g}: additive {view.additive[4]:.2g}, products "
        f"{view.multiplicative[4]:.1g}",
        x="largest turn of a joint (radians)",
        y="MSE / constant's MSE",
        revision="products",
        yaxis=_TENS,
    )


def plot_scatters(view: Scatters) -> go.Figure:
    """Each class's part in the trace of the scatter matrix."""
    names = [f"class {c + 1}<br>{size} rows" for c, size in enumerate(view.sizes)]
    series = (
        ("between-class scatter", view.between, GREY, ""),
        ("ΦᵀYYᵀΦ, unit columns", view.unit, BLUE, "/"),
        ("ΦᵀYYᵀΦ, plain columns", view.plain, VERMILLION, "x"),
    )
    return figure(
        [
            go.Bar(
                x=names,
                y=values,
                name=name,
                marker={"color": colour, "pattern": {"shape": shape}},
                hovertemplate=f"{name}: %{{y:.1%}}<extra>%{{x}}</extra>",
            )
            for name, values, colour, shape in series
        ],
        title="What each class counts for",
        subtitle=f"relative error: unit {view.difference[1]:.0e}, plain {view.difference[0]:.3g}",
        x="class",
        y="share of the trace",
        revision="scatters",
        yaxis={"tickformat": ".0%"},
        barmode="group",
    )


def plot_cauchy_kernels(view: CauchyKernels) -> go.Figure:
    """The Cauchy kernel along one input."""
    return figure(
        [
            _line(view.distance, view.printed, "as printed", *_PRINTED, "Δ = %{x:.3~g}"),
            _line(view.distance, view.drawn, "mean of 4000 cosines", GREEN, "solid", "Δ = %{x:.3~g}"),
            _line(view.distance, view.scaled, "scaled to k(x, x) = 1", BLUE, "dot", "Δ = %{x:.3~g}"),
        ],
        title="Cauchy kernel along one input",
        subtitle=f"k(x, x): printed {view.printed[0]:g}, random features 1",
        x="distance Δ₁ (unit of the inputs)",
        y="k(x, x')",
        revision=f"cauchy:{view.printed[0]:g}",
        yaxis={"rangemode": "tozero"},
    )


def plot_against_constant(view: Sequence[Against], title: str = "Printed error over constant's") -> go.Figure:
    """Every printed error as a share of what predicting the mean gives; beyond 1 it is marked."""
    datasets = list(dict.fromkeys(each.figure.dataset for each in view))
    methods = list(dict.fromkeys(each.figure.method for each in view))
    off = sum(each.ratio > 1 for each in view)
    traces: list[Any] = []
    for method in methods:
        style = method_style(method)
        outline = {"width": 2, "color": style.colour}
        mine = [each for each in view if each.figure.method == method]
        traces.append(
            go.Scatter(
                x=[each.ratio for each in mine],
                y=[each.figure.dataset for each in mine],
                customdata=[
                    f"printed {each.figure.mean:g}, constant {each.figure.constant:.4g}"
                    + (f"<br>{OFF_SCALE}" if each.ratio > 1 else "")
                    for each in mine
                ],
                mode="markers",
                name=method,
                marker={"color": style.colour, "symbol": style.symbol, "size": 11, "line": outline},
                hovertemplate=f"{method} on %{{y}}: %{{x:.3~g}} times the constant<br>%{{customdata}}<extra></extra>",
            )
        )
    line = {"type": "line", "x0": 1, "x1": 1, "yref": "paper", "y0": 0, "y1": 1}
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
    return figure(
        traces,
        title=title,
        subtitle=f"right of the line: worse ({off} of {len(view)})",
        x="printed error / error of the constant predictor",
        y="data set",
        revision=f"against:{'-'.join(datasets)}",
        xaxis={"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g}" for tick in ticks]},
        yaxis={"categoryorder": "array", "categoryarray": datasets[::-1], "tickvals": datasets},
        shapes=[{**line, "line": {"color": GREY, "dash": "dot", "width": 2}}],
    )


def _line(x: Any, y: Any, name: str, colour: str, dash: str, where: str) -> go.Scatter:
    """A curve; ``where`` says in the hover what the place is."""
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        line={"color": colour, "dash": dash, "width": 2.5},
        hovertemplate=f"{name}: %{{y:.4~g}}<extra>{where}</extra>",
    )

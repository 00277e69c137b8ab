"""Frames, their eigenvalues, and a proof with a mistake in it: the root of a quadratic equation.

    1  r is where √(ar + b) meets r
    2  so r² − ar − b = 0
    3  so r = ½(a + √(a² + 4b²))            as printed; the root has 4b
    4  so r ≤ a + b                         false where a + b < 1; r ≤ a + √b holds

a and b come from the eigenvalues λ_i = i^{−γ} of a frame and from the rows m: a = 8t/m, b = 8 Σ_{i>t} λ_i / m.

Source: FKS Theorem 3 and its proof.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from scipy.special import zeta

from kernlab.lessons.base import Asked, Computation, Guess, Slider, Vector, offer
from kernlab.lessons.panels import FOUND, curve, dots, stacked
from kernlab.papers.frames import Roots, roots
from kernlab.pictures.theme import BLUE, GREEN, GREY, VERMILLION, figure

_SCALE = 8.0  # 2B²L² for targets and outputs in an interval of length 1
_SHOWN = 30


class Proof(NamedTuple):
    """The proof for one frame and so many rows, each line evaluated."""

    eigenvalues: Vector  #: i^{−γ} [30]
    t: int  #: leading eigenvalues that are kept apart: of smallest root
    a: float
    b: float
    found: Roots  #: the curves, the root by iteration, and the printed ones
    lines: tuple[float, float, float, float]  #: relative error of each line at the root that the iteration finds
    wrong: str  #: the first line that fails: "one" … "four"; "none"
    ratio: float  #: the root over the printed bound a + b


def proof(rows: int = 10_000, decay: float = 2.0) -> Proof:
    """For eigenvalues that fall as i^{−decay}, and so many rows."""
    t = np.arange(1, 2001.0)
    tails = zeta(decay, t + 1)
    a, b = _SCALE * t / rows, _SCALE * tails / rows
    best = int(((a + np.sqrt(a**2 + 4 * b)) / 2).argmin())
    found = roots(float(a[best]), float(b[best]))
    here, at = found.searched, (float(a[best]), float(b[best]))
    lines = (
        abs(math.sqrt(at[0] * here + at[1]) - here) / here,
        abs(here**2 - at[0] * here - at[1]) / here**2,
        abs(found.printed_root - here) / here,
        max(0.0, here - found.printed) / here,
    )
    names = ("one", "two", "three", "four")
    wrong = next((name for name, error in zip(names, lines, strict=True) if error > 1e-6), "none")
    return Proof(np.arange(1, _SHOWN + 1.0) ** -decay, best + 1, *at, found, lines, wrong, here / found.printed)


def draw_proof(view: Proof, seen: bool, guess: Guess | None) -> go.Figure:
    """The eigenvalues; with the answer, where √(ar + b) meets r, and the printed root."""
    numbers = np.arange(1, _SHOWN + 1)
    kept = numbers <= view.t
    upper = [
        dots(numbers[kept], view.eigenvalues[kept], "counted one by one", BLUE, "circle", 9),
        dots(numbers[~kept], view.eigenvalues[~kept], "the rest, summed up", GREY, "circle-open", 9),
    ]
    title, x, y = "Eigenvalues of a frame", "number", "size"
    axis = {"type": "log", "dtick": 1, "exponentformat": "power"}
    if not seen:
        return figure(upper, title=title, x=x, y=y, revision="proof", yaxis=axis)
    r = view.found
    height = np.interp([r.searched, r.printed_root, r.printed], r.r, r.complexity)
    lower = [
        curve(r.r, r.complexity, "√(ar + b)", (BLUE, "solid")),
        curve(r.r, r.r, "r", (GREY, "dash")),
        dots([r.searched], height[:1], "where they meet", FOUND[0], "circle", 13),
        dots([r.printed_root], height[1:2], "line 3, as printed", VERMILLION, "x", 13),
        dots([r.printed], height[2:], "line 4, as printed", GREEN, "diamond-open", 15, marker={"line": {"width": 3}}),
    ]
    return stacked(
        upper, lower, title=title, heading=f"The proof's root: {view.ratio:.2g} times too small", x=x, y=y,
        lower_x="r", lower_y="", revision="proof", yaxis=axis, xaxis2=axis, yaxis2=axis,
    )  # fmt: skip


offer(Computation(
    "proof",
    "The falling eigenvalues of a frame, and the point where two curves meet beside the point that a proof prints",
    proof,
    draw_proof,
    (
        Slider("rows", "Rows", (4, 10, 30, 100, 1000, 10_000, 100_000, 1_000_000), 10_000),
        Slider("decay", "Decay of the eigenvalues", (1.5, 2.0, 3.0, 4.0), 2.0),
    ),
    {
        "a": lambda view: view.a,
        "b": lambda view: view.b,
        "root": lambda view: view.found.searched,
        "printed": lambda view: view.found.printed,
        "corrected": lambda view: view.found.corrected,
        "ratio": lambda view: view.ratio,
        "apart": lambda view: float(view.t),
        "third": lambda view: 100 * view.lines[2],
    },
    {"wrong": Asked("choice", lambda view: view.wrong)},
))  # fmt: skip

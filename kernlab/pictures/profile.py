"""The kernel that frequencies imply, along one line: k(x₀ + τu, x₀) as a function of τ.

    k(τ) = Σ_j q_j t_j(τ),    q_j = 1/D where features have no weights of their own

    stationary        t_j = cos(a_j τ)
    pairs             t_j = ¼[cos(a_j τ + c_j) + cos(a'_j τ − c_j) + cos a_j τ + cos a'_j τ]
    own phases        t_j = ¼[cos a_j τ + cos a'_j τ]          (independent phases: a stationary kernel)

with a = uᵀω, a' = uᵀω' and c = (ω − ω')ᵀx₀. Pairs of cosine and sine have exactly this kernel; features with random
phases have it on average over phases drawn anew. Once frequencies are learned jointly with their phases, a model with
phases predicts with another kernel (:mod:`kernlab.pictures.phases`).
Frequencies drawn independently from a density give its kernel up to the standard error √Σ q_j² (t_j − k)². As k is
a sum over frequencies, any subset of them carries a part of it, and the parts add up to the whole.

Source: Bochner's theorem; ASKL eq. 5–6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.feature_maps.law import FrequencyLaw
from kernlab.pictures.base import CHOICES, At, picture
from kernlab.pictures.directions import direction, unit
from kernlab.pictures.marks import line
from kernlab.pictures.spectrum import LOOK, Spectrum, chosen, frequencies_at, law_at, selected, since, then_at, where
from kernlab.pictures.theme import BLUE, GREEN, GREY, ORANGE, POWERS, fade, figure

#: Positions along the line; odd, so that τ = 0 is one of them.
POINTS = 129


class Profile(NamedTuple):
    """A kernel along a line."""

    what: str  # the direction
    tau: NDArray[np.float32]  # positions τ [T], units of the scaled inputs
    now: NDArray[np.float32]  # k(x₀ + τu, x₀) [T]
    error: NDArray[np.float32]  # its standard error over the drawing of frequencies [T]
    before: NDArray[np.float32] | None  # the same before training [T], or None
    exact: NDArray[np.float32] | None  # the assigned kernel in closed form [T], None where it is not known
    words: str  # the name of the exact kernel
    total: int  # frequencies the sum goes over


class ProfileChange(NamedTuple):
    """A kernel along a line now minus the same at an earlier moment."""

    what: str  # the direction
    tau: NDArray[np.float32]  # positions τ [T]
    values: NDArray[np.float32]  # now − then [T]


class Part(NamedTuple):
    """What some of the frequencies carry of a kernel along a line."""

    what: str  # the direction
    tau: NDArray[np.float32]  # positions τ [T]
    whole: NDArray[np.float64]  # k [T]
    part: NDArray[np.float64]  # the sum over the selected frequencies [T]
    rest: NDArray[np.float64]  # the sum over all others [T]; part + rest = whole
    selected: int  # selected, total: number of selected frequencies, and of all
    total: int
    share: float  # Σ q_j of the selected ones, in [0, 1]


def reach(direction: ArrayLike, spectrum: Spectrum) -> float:
    """How far along a line it is worth looking: four times 1/σ for Gaussian frequencies of scale σ.

    From the median of |uᵀω|, which heavy tails leave alone: 4 · 0.6745/median. Taken from the frequencies before
    training it stays put while time is scrubbed.
    """
    middle = float(np.median(np.abs(np.concatenate(spectrum.along(direction)))))
    return 4 * 0.6745 / middle if middle > 0 else 1.0


def profile(
    direction: ArrayLike, now: Spectrum, before: Spectrum | None = None, *, law: FrequencyLaw | None = None,
    origin: ArrayLike | None = None, crossed: bool = True, width: float = 0.0, what: str = "",
) -> Profile:  # fmt: skip
    """The kernel along a line, with the one before training and the exact one.

    Args:
        direction: u [d]; scaled to unit length.
        now, before: frequencies at the moment and before training.
        law: the density frequencies were drawn from, for the exact kernel.
        origin: x₀ [d] as a scaled input; None: the origin. Stationary kernels are the same everywhere.
        crossed: the two frequencies of a pair share a phase.
        width: τ runs from −width to width; 0: :func:`reach` of the earliest frequencies given.
        what: the direction, for the title.
    """
    u = unit(direction)
    tau = _positions(u, before or now, width)
    start = np.zeros(now.d) if origin is None else np.asarray(origin, np.float64)
    terms = _terms(u, now, tau, start, crossed)
    value = terms @ now.shares
    error = np.sqrt((terms - value[:, None]) ** 2 @ now.shares**2)
    earlier = None if before is None else _terms(u, before, tau, start, crossed) @ before.shares
    exact = None if law is None else law.kernel(start + tau[:, None] * u, start[None])[:, 0]
    single = np.float32
    return Profile(
        what, tau.astype(single), value.astype(single), error.astype(single),
        None if earlier is None else earlier.astype(single), None if exact is None else exact.astype(single),
        "" if law is None else law.words, now.size,
    )  # fmt: skip


def profile_change(now: Profile, then: Profile) -> ProfileChange:
    """The difference between two moments, along the same line over the same width."""
    return ProfileChange(now.what, now.tau, now.now - np.interp(now.tau, then.tau, then.now).astype(np.float32))


def part(
    direction: ArrayLike, now: Spectrum, selected: ArrayLike, *, origin: ArrayLike | None = None, crossed: bool = True,
    width: float = 0.0, what: str = "",
) -> Part:  # fmt: skip
    """What the selected frequencies carry of the kernel along a line; arguments as for :func:`profile`.

    Raises:
        OptionError: a selected frequency does not exist.
    """
    u, places = unit(direction), chosen(selected, now.size)
    tau = _positions(u, now, width)
    start = np.zeros(now.d) if origin is None else np.asarray(origin, np.float64)
    terms, shares = _terms(u, now, tau, start, crossed), now.shares
    mine = np.isin(np.arange(now.size), places)
    whole, part, rest = (terms[:, some] @ shares[some] for some in (mine | True, mine, ~mine))
    return Part(what, tau.astype(np.float32), whole, part, rest, len(places), now.size, float(shares[mine].sum()))


def _positions(u: NDArray[np.float64], spectrum: Spectrum, width: float) -> NDArray[np.float64]:
    half = np.linspace(0, width or reach(u, spectrum), POINTS // 2 + 1)
    return np.concatenate([-half[:0:-1], half])


def _terms(
    u: NDArray[np.float64], spectrum: Spectrum, tau: NDArray[np.float64], start: NDArray[np.float64], crossed: bool
) -> NDArray[np.float64]:
    """t_j(τ) [T D]."""
    projected = spectrum.along(u)
    plain = sum(_cosines(tau, each) for each in projected) / len(projected)
    if spectrum.omega_prime is None:
        return np.asarray(plain)
    if not crossed:
        return np.asarray(plain / 2)
    turned = start @ (spectrum.omega - spectrum.omega_prime)
    if not turned.any():  # at the origin the cross terms are the others
        return np.asarray(plain)
    first, second = (np.multiply.outer(tau, each) for each in projected)
    return np.asarray((np.cos(first + turned) + np.cos(second - turned)) / 4 + plain / 2)


def _cosines(tau: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """cos(a_j τ) [T D] on positions that mirror at 0: one half is computed."""
    half = np.cos(np.multiply.outer(tau[len(tau) // 2 :], values))
    return np.concatenate([half[:0:-1], half])


_AXES: dict[str, Any] = {"x": "τ (scaled unit)", "y": "k(x₀ + τu, x₀)"}


def plot_profile(view: Profile) -> go.Figure:
    """k now with a band of two standard errors either side, dotted as before training, grey the exact kernel."""
    band = go.Scatter(
        x=np.concatenate([view.tau, view.tau[::-1]]),
        y=np.concatenate([view.now + 2 * view.error, (view.now - 2 * view.error)[::-1]]),
        mode="lines", line={"width": 0}, fill="toself", fillcolor=fade(BLUE, 0.2), name="± 2 standard errors",
        hoverinfo="skip",
    )  # fmt: skip
    traces = [band]
    if view.exact is not None:
        traces.append(_curve(view.tau, view.exact, view.words, fade(GREY, 0.55), width=6, word="exact"))
    if view.before is not None:
        traces.append(_curve(view.tau, view.before, "before training", ORANGE, width=2, dash="dot", word="before"))
    traces.append(_curve(view.tau, view.now, "now", BLUE))
    return figure(
        traces, title="Kernel along a line", subtitle=f"{view.what}, {view.total} frequencies", **_AXES,
        revision=f"profile:{view.what}",
    )  # fmt: skip


def plot_profile_change(view: ProfileChange, since: str) -> go.Figure:
    """The kernel now minus that of an earlier moment, ``since``."""
    trace = _curve(view.tau, view.values, "now − then", BLUE)
    trace.update(fill="tozeroy", fillcolor=fade(BLUE, 0.15))
    return figure(
        [trace], title="Change of the kernel along a line", subtitle=f"{view.what}, since {since}",
        **_AXES | {"y": "k now − then"}, revision=f"profile-change:{view.what}", yaxis={"zerolinewidth": 2} | POWERS,
    )  # fmt: skip


def plot_part(view: Part) -> go.Figure:
    """What the selected frequencies carry of the kernel, and what the rest does: together they are the whole."""
    traces = [
        _curve(view.tau, view.whole, "whole kernel", GREY, width=2, word="whole"),
        _curve(view.tau, view.rest, "the rest", BLUE, width=2, dash="dash", word="rest"),
        _curve(view.tau, view.part, "selected", GREEN, width=3),
    ]
    return figure(
        traces, title="What the selected frequencies carry", **_AXES, revision=f"part:{view.what}",
        subtitle=f"{view.what}: {view.selected} of {view.total}, {view.share:.1%} of the weight",
    )  # fmt: skip


def _curve(x: Any, y: Any, name: str, colour: str, *, word: str = "", **look: Any) -> go.Scatter:
    words = f"{word or name}: %{{y:.3~f}} at τ = %{{x:.3~g}}"
    return line(x, y.astype(np.float32), name, colour, words, **look).update(line_simplify=False)


def starts(at: At) -> dict[str, Any]:
    """Where a kernel along a line can start: the origin, and a few rows of the data."""
    sample = at.sample
    found: dict[str, Any] = {"the origin": None}
    if sample is None or not len(sample.X):
        return found
    if sample.classes:
        begins = [0, *sample.borders[:-1].tolist()]
        return found | {f"a row of {name}": sample.X[row] for name, row in zip(sample.names, begins, strict=True)}
    rows = {"the lowest target": 0, "the middle target": len(sample.X) // 2, "the highest target": -1}
    return found | {f"the row of {name}": sample.X[row] for name, row in rows.items()}


CHOICES["start"] = lambda at: list(starts(at))


def _along(at: At, one: Spectrum, before: Spectrum | None, width: float) -> Profile:
    law = law_at(at)
    return profile(
        direction(at), one, before, law=law, origin=_start(at), crossed=law is None or law.crossed, width=width,
        what=where(at),
    )  # fmt: skip


def _start(at: At) -> Any:
    return starts(at).get(at.view["start"]) if "omega_prime" in at.arrays else None


def _beside(at: At) -> str:
    """The words to add where the features' kernel is not the kernel of their frequencies."""
    if at.method is None or getattr(at.method.feature_map, "paired", True):
        return ""
    return "; this run's features have random phases, and approximate it only until frequencies are learned"


def _about_profile(at: At) -> tuple[str, str]:
    if "omega_prime" in at.arrays:
        return (
            r"\begin{gathered}k(x,x_0)=\tfrac14\,\mathbb E\big[\cos(\omega^\top x-\omega'^\top x_0)\\"
            r"+\cos(\omega'^\top x-\omega^\top x_0)\\"
            r"+\cos\tau\omega^\top u+\cos\tau\omega'^\top u\big]\end{gathered}",
            "The kernel of these frequencies between x₀ and the points x = x₀ + τu on a line through it (ASKL eq. 5–6)"
            f"{_beside(at)}. The band is the error of an average over as many frequencies drawn independently.",
        )
    return (
        r"k(\tau u)=\mathbb E\cos(\tau\,\omega^\top u)",
        "Bochner's theorem: the average of cosines is the kernel of these frequencies along the line, wherever it "
        f"starts{_beside(at)}. The band is the error of an average over as many frequencies drawn independently.",
    )


@picture("inside.spectrum", alt="The kernel along a line, learned and exact", arrays=("omega",), height=340,
         uses=(*LOOK, "start"), note=_about_profile)  # fmt: skip
def draw_line_profile(at: At) -> go.Figure:
    """k(x₀ + τu, x₀): now with its error, before, and of the density that frequencies were drawn from."""
    now, before = frequencies_at(at)
    width = reach(direction(at), before)
    if then := then_at(at):
        change = profile_change(_along(at, now, None, width), _along(at, then, None, width))
        return plot_profile_change(change, since(at))
    return plot_profile(_along(at, now, before, width))


@picture("inside.spectrum", alt="What the selected frequencies carry of the kernel", arrays=("omega",), height=340,
         when=lambda at: bool(selected(at)), uses=(*LOOK, "start", "frequencies"))  # fmt: skip
def draw_carried_part(at: At) -> go.Figure:
    """The part of the kernel that the selected frequencies carry, and the rest."""
    now, before = frequencies_at(at)
    law, u = law_at(at), direction(at)
    return plot_part(part(
        u, now, selected(at), origin=_start(at), crossed=law is None or law.crossed, width=reach(u, before),
        what=where(at),
    ))  # fmt: skip

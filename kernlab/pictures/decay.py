"""How fast the eigenvalues of a kernel fall, which law they follow, and how many directions a ridge leaves free.

    λ_i = eigenvalues of K/n        power law  c·i^{−γ}        exponential law  c·e^{−βi}
    d(ρ) = tr K(K + nρI)⁻¹ = Σ_i λ_i/(λ_i + ρ)

As n grows, the eigenvalues of K/n come near to those of the kernel's integral operator. Both laws are straight
lines in ln λ, over ln i and over i; each is fitted by least squares there, and the one with the smaller root mean
square of ln λ − ln law is the better. Positions weigh 1/i, so that every doubling of i counts alike: else hundreds
of small eigenvalues outvote the large ones that matter.

The laws are fitted to the first half of a sample's eigenvalues at most, and to those above 1e-4 of the largest:
smaller ones depend on the few rows in the tails, and fall faster than the operator's (a Gaussian kernel, ℓ = 0.3, on
240 numbers of N(0, 1): β = 0.51 of all above rounding, 0.33 so, 0.30 known).

Source: Koltchinskii & Giné 2000 (K/n and the operator); Zhang 2005 (effective dimension).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from kernlab.pictures.base import At, once, picture
from kernlab.pictures.frame_spectrum import FrameEigenvalues, frame_eigenvalues
from kernlab.pictures.kernels import PAGE, earlier, grams_at, has_kernel, kernels_at
from kernlab.pictures.marks import DECADES, FROM_ZERO, LOG, dots, line
from kernlab.pictures.theme import BLUE, GREY, OLIVE, VERMILLION, figure, moment_style

Kind: TypeAlias = Literal["power", "exponential"]

FLOOR = 1e-12  # of the largest eigenvalue: a smaller one is rounding
FITTED = 1e-4  # of the largest: a smaller one depends on the sample more than on the kernel
FEWEST = 3  # eigenvalues that a law is fitted to: any two lie on one
GRID = 61  # ridges along the curve of the effective dimension


class DecayLaw(NamedTuple):
    """A law that eigenvalues follow."""

    kind: Kind  # "power", c·i^{−rate}, or "exponential", c·e^{−rate·i}
    constant: float  # c
    rate: float  # γ or β
    error: float  # root mean square of ln λ_i − ln law over the range that was fitted, positions weighing 1/i

    def at(self, place: ArrayLike) -> NDArray[np.float64]:
        """The law at positions i ≥ 1."""
        i = np.asarray(place, np.float64)
        falling = i**-self.rate if self.kind == "power" else np.exp(-self.rate * i)
        return np.asarray(self.constant * falling)


class Decay(NamedTuple):
    """Falling eigenvalues of K/n."""

    place: NDArray[np.int32]  # i = 1, 2 … [r]
    value: NDArray[np.float64]  # λ_i [r], those above the floor
    n: int  # rows of the sample
    fitted: int  # the laws were fitted to i = 1 … this
    best: DecayLaw | None  # the better law, None where there are too few eigenvalues
    other: DecayLaw | None  # the worse law
    trace: float  # Σ λ_i = mean of k(x, x)


class EigenvalueChange(NamedTuple):
    """λ_i at one moment over λ_i at another."""

    place: NDArray[np.int32]  # i, where both are above the floor [r]
    ratio: NDArray[np.float64]  # now over then [r]
    n: int  # rows of the sample


class EffectiveDimension(NamedTuple):
    """d(ρ) over a range of ridges."""

    ridge: NDArray[np.float64]  # ρ, log-spaced [g]
    value: NDArray[np.float64]  # d(ρ) [g]
    n: int  # rows of the sample, above which d cannot lie
    at: tuple[float, float] | None = None  # the ρ of the run and d(ρ); None where it has none


def eigenvalues(K: ArrayLike) -> NDArray[np.float64]:
    """Eigenvalues of K/n in falling order [n]; rounding below zero is cut."""
    matrix = np.asarray(K, np.float64)
    return np.asarray(np.linalg.eigvalsh(matrix)[::-1].clip(0) / max(1, len(matrix)))


def decay(values: ArrayLike) -> Decay:
    """The eigenvalues [n] of K/n, in falling order, and the laws that they follow."""
    falling = np.asarray(values, np.float64)
    n, count = len(falling), _above(falling, FLOOR)
    fitted = min(count, max(FEWEST, min(n // 2, _above(falling, FITTED))))
    best, other = fitted_laws(falling[:fitted]) or (None, None)
    place = np.arange(1, count + 1, dtype=np.int32)
    return Decay(place, falling[:count], n, fitted, best, other, float(falling.sum()))


def fitted_laws(values: ArrayLike) -> tuple[DecayLaw, DecayLaw] | None:
    """Both laws by least squares in ln λ with weights 1/i, the better one first.

    Args:
        values: λ_1 … λ_r > 0.

    Returns:
        None of fewer than three values.
    """
    logs = np.log(np.asarray(values, np.float64))
    if len(logs) < FEWEST:
        return None
    i = np.arange(1.0, len(logs) + 1)
    laws = _law("power", np.log(i), logs, 1 / i), _law("exponential", i, logs, 1 / i)
    return (laws[0], laws[1]) if laws[0].error <= laws[1].error else (laws[1], laws[0])


def eigenvalue_change(now: ArrayLike, then: ArrayLike) -> EigenvalueChange:
    """Ratio of the eigenvalues of two moments, largest over largest and so on.

    Args:
        now, then: eigenvalues of K/n, falling, of the same sample.
    """
    first, second = np.asarray(now, np.float64), np.asarray(then, np.float64)
    both = min(_above(first, FLOOR), _above(second, FLOOR))
    return EigenvalueChange(np.arange(1, both + 1, dtype=np.int32), first[:both] / second[:both], len(first))


def effective_dimension(
    values: ArrayLike, ridge: float | None = None, *, low: float = 1e-8, high: float = 1.0
) -> EffectiveDimension:
    """d(ρ) from ``low`` to ``high`` times the largest eigenvalue.

    Args:
        values: eigenvalues of K/n, in any order.
        ridge: the ρ of the run, against a mean of squares.
        low, high: range of ρ over the largest eigenvalue, > 0.
    """
    spectrum = np.asarray(values, np.float64)
    largest = float(spectrum.max(initial=0.0)) or 1.0
    grid = largest * np.geomspace(low, high, GRID)
    at = None if ridge is None else (ridge, float((spectrum / (spectrum + ridge)).sum()))
    return EffectiveDimension(grid, (spectrum / (spectrum + grid[:, None])).sum(1), len(spectrum), at)


def _above(falling: NDArray[np.float64], share: float) -> int:
    """How many are above a share of the largest."""
    return int((falling > share * falling[0]).sum()) if len(falling) else 0


def _law(kind: Kind, x: NDArray[np.floating], logs: NDArray[np.float64], weight: NDArray[np.float64]) -> DecayLaw:
    """The straight line of ln λ over x with the least weighted squares."""
    design, root = np.column_stack([np.ones_like(logs), x]), np.sqrt(weight)
    found, *_ = np.linalg.lstsq(design * root[:, None], logs * root, rcond=None)
    error = float(np.sqrt(np.average((logs - design @ found) ** 2, weights=weight)))
    return DecayLaw(kind, float(np.exp(found[0])), float(-found[1]), error)


def plot_decay(views: Mapping[str, Decay], *, operator: FrameEigenvalues | None = None) -> go.Figure:
    """Eigenvalues of K/n on logarithmic axes with the better law of the first kernel.

    Args:
        views: by name: "now", "before training", "then …", "exact"; the law is the first one's.
        operator: Aλ_i of a frame, drawn with them.
    """
    traces = []
    for name, view in views.items():
        style, hover = moment_style(name), f"{name}: λ%{{x}} = %{{y:.3~g}}"
        look: dict[str, Any] = {"size": 7, "symbol": style.symbol, "outline": {"width": 1.5}}
        traces.append(dots(view.place, view.value, name, style.colour, hover, **look))
    first = next(iter(views.values()))
    if first.best:
        place, words = first.place[: first.fitted], _formula(first.best)
        traces.append(line(place, first.best.at(place), words, VERMILLION, "law at %{x}: %{y:.3~g}", dash="dash"))
    if operator is not None:
        letter = "λ<sub>i</sub> of the frame" if operator.frame_constant is None else "Aλ<sub>i</sub> of the frame"
        hover = f"{letter} %{{x}}: %{{y:.3~g}}"
        traces.append(line(operator.place, operator.value, letter, OLIVE, hover, width=2, dash="longdash"))
    return figure(
        traces, title="Eigenvalues of K/n", subtitle=_fit(first), x="index i", y="λ<sub>i</sub>", revision="decay",
        xaxis=DECADES, yaxis=LOG,
    )  # fmt: skip


def plot_eigenvalue_change(view: EigenvalueChange, *, then: str) -> go.Figure:
    """λ_i now over λ_i at the moment ``then``, on logarithmic axes; the dotted line is no change."""
    trace = line(
        view.place, view.ratio, "ratio", BLUE, "λ%{x}: %{y:.3~g} times as large", width=1.5, mode="lines+markers",
        marker={"color": BLUE, "size": 6},
    )  # fmt: skip
    shown = figure(
        [trace], title="Change of the eigenvalues", subtitle=f"now over {then}, {view.n} rows", x="index i",
        y="ratio of λ<sub>i</sub>", revision="eigenvalue-change", xaxis=DECADES, yaxis=LOG,
    )  # fmt: skip
    return shown.add_hline(y=1, line={"color": GREY, "width": 1.5, "dash": "dot"})


def plot_effective_dimension(views: Mapping[str, EffectiveDimension]) -> go.Figure:
    """d(ρ) of several kernels, by name as in :func:`plot_decay`; a marker shows the ridge of the run."""
    traces = []
    for name, view in views.items():
        style, hover = moment_style(name), f"{name}: d = %{{y:.3~g}} at ρ = %{{x:.2~g}}"
        traces.append(line(view.ridge, view.value, name, style.colour, hover, dash=style.dash))
    first = next(iter(views.values()))
    if first.at:
        words, hover = f"this run's ridge: d = {first.at[1]:.3g}", "d = %{y:.3~g} at ρ = %{x:.2~g}"
        traces.append(dots([first.at[0]], [first.at[1]], words, VERMILLION, hover, size=12, symbol="diamond"))
    return figure(
        traces, title="Effective dimension", subtitle=f"directions that a ridge ρ leaves free, out of {first.n} rows",
        x="ridge ρ", y="d(ρ)", revision="effective-dimension", xaxis=LOG, yaxis=FROM_ZERO,
    )  # fmt: skip


def _formula(law: DecayLaw) -> str:
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


def _spectra(at: At) -> dict[str, NDArray[np.float64]]:
    """Eigenvalues of K/n for each of these kernels."""
    names = {name: which for name, (which, _) in kernels_at(at).items()}
    return {
        name: once(at, ("spectrum", names[name]), lambda K=K: eigenvalues(K))  # type: ignore[misc]
        for name, K in grams_at(at).items()
    }


def _about_decay(at: At) -> tuple[str, str]:
    words = (
        "Each eigenvalue is one direction in which the kernel lets functions vary. Where they fall fast there are few, "
        "and little is needed to learn along them. Eigenvalues of the sample come near to those of the kernel's "
        "integral operator as it grows."
    )
    if "spectrum" in at.arrays:
        words += " For a frame those are Aλ of its functions, or at most that (FKS Theorem 2)."
    return r"\lambda_i\left(\tfrac1nK\right)\approx c\,i^{-\gamma}\quad\text{or}\quad c\,e^{-\beta i}", words


@picture(PAGE, alt="Eigenvalues of the kernel matrix with the law they follow", when=has_kernel, uses=("output",),
         height=420, note=_about_decay)  # fmt: skip
def draw_eigenvalues(at: At) -> go.Figure:
    """Falling eigenvalues of K/n: now, before, exact, and the law of those now."""
    views = {name: decay(values) for name, values in _spectra(at).items()}
    operator = None
    if "spectrum" in at.arrays and (at.arrays["spectrum"] > 0).any():
        constant = at.moment.values.get("bound/frame_constant")
        operator = frame_eigenvalues(at.arrays["spectrum"], constant)
    return plot_decay(views, operator=operator)


def _compared(at: At) -> bool:
    return has_kernel(at) and any(name.startswith("then") for name in kernels_at(at))


@picture(PAGE, alt="Eigenvalues now over those at the other moment", when=_compared, uses=("output",))
def draw_eigenvalue_change(at: At) -> go.Figure:
    """How many times as large each eigenvalue has become."""
    spectra = _spectra(at)
    then = earlier(spectra)
    return plot_eigenvalue_change(eigenvalue_change(spectra["now"], spectra[then]), then=then)


def _about_dimension(at: At) -> tuple[str, str]:
    return (
        r"d(\rho)=\operatorname{tr}K(K+n\rho I)^{-1}=\sum_i\frac{\lambda_i}{\lambda_i+\rho}",
        "How many directions a ridge regression with this penalty still uses: as many parameters as it really has.",
    )


@picture(PAGE, alt="Effective dimension against the ridge", when=has_kernel, uses=("output",), note=_about_dimension)
def draw_effective_dimension(at: At) -> go.Figure:
    """d(ρ) over ridges, with that of the run where it has one."""
    ridge = _ridge(at)
    views = {name: effective_dimension(values, ridge) for name, values in _spectra(at).items()}
    return plot_effective_dimension(views)


def _ridge(at: At) -> float | None:
    """ρ of the run against a mean of squares; its ridge head counts the sum."""
    head = at.method.head if at.method else None
    if head is None or head.name not in ("ridge", "kernel_ridge"):
        return None
    chosen = at.moment.values.get("ridge", head.options()["ridge"])
    if chosen == "auto":
        return None
    penalty = float(chosen)
    return penalty if head.name == "kernel_ridge" else penalty / max(1, int(at.facts.get("n_train") or 1))

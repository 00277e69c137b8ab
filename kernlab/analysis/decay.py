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

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Decay",
    "EffectiveDimension",
    "EigenvalueChange",
    "Law",
    "decay",
    "effective_dimension",
    "eigenvalue_change",
    "eigenvalues",
    "fitted_laws",
]

Kind: TypeAlias = Literal["power", "exponential"]

FLOOR = 1e-12  # of the largest eigenvalue: what is smaller is rounding
FITTED = 1e-4  # of the largest: what is smaller says more about the sample than about the kernel
FEWEST = 3  # eigenvalues that a law is fitted to: two always lie on one
GRID = 61  # ridges along the curve of the effective dimension


class Law(NamedTuple):
    """A law that eigenvalues follow.

    Attributes:
        kind: "power", c·i^{−rate}, or "exponential", c·e^{−rate·i}.
        constant: c.
        rate: γ or β.
        error: root mean square of ln λ_i − ln law over the range that was fitted, positions weighing 1/i.
    """

    kind: Kind
    constant: float
    rate: float
    error: float

    def at(self, place: ArrayLike) -> NDArray[np.float64]:
        """The law at positions i ≥ 1."""
        i = np.asarray(place, np.float64)
        falling = i**-self.rate if self.kind == "power" else np.exp(-self.rate * i)
        return np.asarray(self.constant * falling)


class Decay(NamedTuple):
    """Falling eigenvalues of K/n.

    Attributes:
        place: i = 1, 2 … [r].
        value: λ_i [r], those above the floor.
        n: rows of the sample.
        fitted: the laws were fitted to i = 1 … this.
        best: the better law, None where there are too few eigenvalues.
        other: the one that fits less.
        trace: Σ λ_i = mean of k(x, x).
    """

    place: NDArray[np.int32]
    value: NDArray[np.float64]
    n: int
    fitted: int
    best: Law | None
    other: Law | None
    trace: float


class EigenvalueChange(NamedTuple):
    """λ_i at one moment over λ_i at another.

    Attributes:
        place: i, where both are above the floor [r].
        ratio: now over then [r].
        n: rows of the sample.
    """

    place: NDArray[np.int32]
    ratio: NDArray[np.float64]
    n: int


class EffectiveDimension(NamedTuple):
    """d(ρ) over a range of ridges.

    Attributes:
        ridge: ρ, log-spaced [g].
        value: d(ρ) [g].
        n: rows of the sample, above which d cannot lie.
        at: one ρ, and d there; None where none was asked for.
    """

    ridge: NDArray[np.float64]
    value: NDArray[np.float64]
    n: int
    at: tuple[float, float] | None = None


def eigenvalues(K: ArrayLike) -> NDArray[np.float64]:
    """Eigenvalues of K/n in falling order [n]; rounding below zero is cut."""
    matrix = np.asarray(K, np.float64)
    return np.asarray(np.linalg.eigvalsh(matrix)[::-1].clip(0) / max(1, len(matrix)))


def decay(values: ArrayLike) -> Decay:
    """Where eigenvalues of a sample stand and how they fall.

    Args:
        values: eigenvalues of K/n, falling, all n of them.
    """
    falling = np.asarray(values, np.float64)
    n, held = len(falling), _above(falling, FLOOR)
    fitted = min(held, max(FEWEST, min(n // 2, _above(falling, FITTED))))
    best, other = fitted_laws(falling[:fitted]) or (None, None)
    place = np.arange(1, held + 1, dtype=np.int32)
    return Decay(place, falling[:held], n, fitted, best, other, float(falling.sum()))


def fitted_laws(values: ArrayLike) -> tuple[Law, Law] | None:
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
    laws = _line("power", np.log(i), logs, 1 / i), _line("exponential", i, logs, 1 / i)
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
        ridge: one ρ to look at besides, against a mean of squares.
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


def _line(
    kind: Literal["power", "exponential"],
    x: NDArray[np.floating],
    logs: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> Law:
    design, root = np.column_stack([np.ones_like(logs), x]), np.sqrt(weight)
    found, *_ = np.linalg.lstsq(design * root[:, None], logs * root, rcond=None)
    error = float(np.sqrt(np.average((logs - design @ found) ** 2, weights=weight)))
    return Law(kind, float(np.exp(found[0])), float(-found[1]), error)

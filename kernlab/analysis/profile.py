"""The kernel that frequencies imply, along one line: k(x₀ + τu, x₀) as a function of τ.

    k(τ) = Σ_j q_j t_j(τ),    q_j = 1/D where features have no weights of their own

    stationary        t_j = cos(a_j τ)
    pairs             t_j = ¼[cos(a_j τ + c_j) + cos(a'_j τ − c_j) + cos a_j τ + cos a'_j τ]
    phases apart      t_j = ¼[cos a_j τ + cos a'_j τ]          (independent phases: a stationary kernel)

with a = uᵀω, a' = uᵀω' and c = (ω − ω')ᵀx₀. Pairs of cosine and sine give exactly this, features with random phases the
mean over phases drawn anew: once frequencies are learned beside their phases, a model with phases predicts with another
kernel (:mod:`kernlab.analysis.phase_distance`).
Frequencies drawn independently from a density give its kernel up to the standard error √Σ q_j² (t_j − k)². As k is
a sum over frequencies, some of them carry a part of it, and the parts add up to the whole.

Source: Bochner's theorem; ASKL eq. 5–6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kernlab.analysis.assigned import Assigned
from kernlab.analysis.density import unit
from kernlab.analysis.spectrum import Spectrum, chosen

__all__ = ["Part", "Profile", "ProfileChange", "change", "part", "profile", "reach"]

#: Positions along the line; odd, so that τ = 0 is one of them.
POINTS = 129


class Profile(NamedTuple):
    """A kernel along a line.

    Attributes:
        what: where one looks.
        tau: positions τ [T], units of the scaled inputs.
        now: k(x₀ + τu, x₀) [T].
        error: its standard error over the drawing of frequencies [T].
        before: the same before training [T], None where it was not asked for.
        exact: the assigned kernel in closed form [T], None where it is not known.
        words: the name of the exact kernel.
        total: frequencies the sum goes over.
    """

    what: str
    tau: NDArray[np.float32]
    now: NDArray[np.float32]
    error: NDArray[np.float32]
    before: NDArray[np.float32] | None
    exact: NDArray[np.float32] | None
    words: str
    total: int


class ProfileChange(NamedTuple):
    """A kernel along a line now minus the same at an earlier moment.

    Attributes:
        what: where one looks.
        tau: positions τ [T].
        values: now − then [T].
    """

    what: str
    tau: NDArray[np.float32]
    values: NDArray[np.float32]


class Part(NamedTuple):
    """What some of the frequencies carry of a kernel along a line.

    Attributes:
        what: where one looks.
        tau: positions τ [T].
        whole: k [T].
        part: the sum over the selected frequencies [T].
        rest: the sum over all others [T]; part + rest = whole.
        selected, total: how many were selected, out of how many.
        share: Σ q_j of the selected ones, in [0, 1].
    """

    what: str
    tau: NDArray[np.float32]
    whole: NDArray[np.float64]
    part: NDArray[np.float64]
    rest: NDArray[np.float64]
    selected: int
    total: int
    share: float


def reach(direction: ArrayLike, spectrum: Spectrum) -> float:
    """How far along a line it is worth looking: four times 1/σ for Gaussian frequencies of scale σ.

    From the median of |uᵀω|, which heavy tails leave alone: 4 · 0.6745/median. Taken from the frequencies before
    training it stays put while time is scrubbed.
    """
    middle = float(np.median(np.abs(np.concatenate(spectrum.along(direction)))))
    return 4 * 0.6745 / middle if middle > 0 else 1.0


def profile(
    direction: ArrayLike,
    now: Spectrum,
    before: Spectrum | None = None,
    *,
    law: Assigned | None = None,
    origin: ArrayLike | None = None,
    crossed: bool = True,
    width: float = 0.0,
    what: str = "",
) -> Profile:
    """The kernel along a line, with the one before training and the exact one.

    Args:
        direction: u [d]; scaled to unit length.
        now, before: frequencies at the moment and before training.
        law: the density frequencies were drawn from, for the exact kernel.
        origin: x₀ [d] as a scaled input; None: the origin. Stationary kernels are the same everywhere.
        crossed: the two frequencies of a pair share a phase.
        width: τ runs from −width to width; 0: :func:`reach` of the earliest frequencies given.
        what: where one looks, for the title.
    """
    line = unit(direction)
    tau = _positions(line, before or now, width)
    start = np.zeros(now.d) if origin is None else np.asarray(origin, np.float64)
    terms = _terms(line, now, tau, start, crossed)
    value = terms @ now.shares
    error = np.sqrt((terms - value[:, None]) ** 2 @ now.shares**2)
    earlier = None if before is None else _terms(line, before, tau, start, crossed) @ before.shares
    exact = None if law is None else law.kernel(start + tau[:, None] * line, start[None])[:, 0]
    return Profile(
        what,
        tau.astype(np.float32),
        value.astype(np.float32),
        error.astype(np.float32),
        None if earlier is None else earlier.astype(np.float32),
        None if exact is None else exact.astype(np.float32),
        "" if law is None else law.words,
        now.size,
    )


def change(now: Profile, then: Profile) -> ProfileChange:
    """What has changed between two moments, looked at along the same line over the same width."""
    return ProfileChange(now.what, now.tau, now.now - np.interp(now.tau, then.tau, then.now).astype(np.float32))


def part(
    direction: ArrayLike,
    now: Spectrum,
    selected: ArrayLike,
    *,
    origin: ArrayLike | None = None,
    crossed: bool = True,
    width: float = 0.0,
    what: str = "",
) -> Part:
    """What the selected frequencies carry of the kernel along a line; arguments as for :func:`profile`.

    Raises:
        OptionError: a selected frequency does not exist.
    """
    line, places = unit(direction), chosen(selected, now.size)
    tau = _positions(line, now, width)
    start = np.zeros(now.d) if origin is None else np.asarray(origin, np.float64)
    terms = _terms(line, now, tau, start, crossed)
    shares = now.shares
    mine = np.zeros(now.size, bool)
    mine[places] = True
    return Part(
        what,
        tau.astype(np.float32),
        terms @ shares,
        terms[:, mine] @ shares[mine],
        terms[:, ~mine] @ shares[~mine],
        len(places),
        now.size,
        float(shares[mine].sum()),
    )


def _positions(line: NDArray[np.float64], spectrum: Spectrum, width: float) -> NDArray[np.float64]:
    half = np.linspace(0, width or reach(line, spectrum), POINTS // 2 + 1)
    return np.concatenate([-half[:0:-1], half])


def _terms(
    line: NDArray[np.float64], spectrum: Spectrum, tau: NDArray[np.float64], start: NDArray[np.float64], crossed: bool
) -> NDArray[np.float64]:
    """t_j(τ) [T D]."""
    projected = spectrum.along(line)
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

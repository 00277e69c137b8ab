"""Risk of a frame kernel from its eigenvalues: a bound that falls as 1/n where they fall fast.

    λ_i(T_K) ≤ c i^{−γ}, γ > 1:   with probability 1 − δ, for all whole k ≥ 2 and t ≥ 1

    R(f) ≤ k/(k−1) R_emp(f) + 12ktBL²/n + 12kc t^{1−γ}BL²/((γ−1)n) + log(1/δ)(22M + 5Bk)/n

    |y| ≤ M,   |f| ≤ F,   B = (F + M)²,   L = 2(F + M)          (the paper writes D for F and d for L)

It bounds the risk itself, not its distance from the training risk. Beside it stands the bound of the order
1/√n that holds without looking at single eigenvalues, only at their sum,

    R(f) ≤ R_emp(f) + 2L √(Σ_i λ_i(T_K)/n) + B √(log(1/δ)/(2n)).

Both speak of functions of norm at most one in the kernel's space, as the inequality does that the paper's proof
takes its eigenvalues from. A found f = wᵀΨ has some other norm ‖f‖_K = ‖w‖, and λ → αλ, w → w/√α is the same f. So
the eigenvalues put in are those of ‖f‖²K, whose unit ball holds f whatever α is.

Eigenvalues are given as Aλ_i with the upper frame constant A, which bounds them one by one (see
:mod:`kernlab.feature_maps.frames`); that is enough here.

The first is of the order 1/n only for k that stays; the best k grows with n and leaves R_emp + 2√(R_emp s/n) + …,
see :meth:`FrameSetting.crossing`.

γ, here the exponent of the eigenvalues' decay, is read off the spectrum that was found. It is not the γ of the
solver's price λ^γ: FKS derives that price from this theorem, which asks for γ > 1, while all of its experiments
use γ = 1. And the theorem is about a kernel that is fixed beforehand; for one selected on the same rows, as here
and in the paper, it says what the size of the numbers is and not more.

Source: FKS Theorem 3; Bartlett, Bousquet & Mendelson 2005; Bartlett & Mendelson 2002 (1/√n).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from kernlab.bounds.base import BOUNDS, DELTA, Bound, Term

__all__ = ["FRAME", "Envelope", "FrameSetting", "frame_terms", "power_law_envelope"]

STEEPEST = 100.0  # largest exponent that is looked at: a spectrum of one value allows any

FRAME = Bound(
    "frame",
    "Risk from the kernel's eigenvalues",
    r"R(f)\le\tfrac k{k-1}R_{\mathrm{emp}}(f)+\tfrac{12ktBL^2}n+\tfrac{12kc\,t^{1-\gamma}BL^2}{(\gamma-1)n}"
    r"+\log\tfrac1\delta\,\tfrac{22M+5Bk}n",
    "FKS Theorem 3",
    (
        Term("empirical_risk", "Empirical risk", r"R_{\mathrm{emp}}(f)",
             "The mean squared error on training data.", "FKS eq. 2"),
        Term("zero_risk", "Risk of answering zero", r"\tfrac1n\sum_i\|y_i\|^2",
             "The error of f = 0, which needs no learning: a bound that is not below it says nothing.", "FKS eq. 2"),
        Term("risk_term", "Risk term", r"\tfrac k{k-1}R_{\mathrm{emp}}(f)",
             "The training error, enlarged a little: what the faster rate costs.", "FKS Theorem 3"),
        Term("complexity_size", "Leading eigenvalues", r"\tfrac{12ktBL^2}n",
             "What t directions of the kernel may do, however large their eigenvalues.", "FKS Theorem 3"),
        Term("complexity_decay", "Remaining eigenvalues", r"\tfrac{12kc\|f\|_K^2\,t^{1-\gamma}BL^2}{(\gamma-1)n}",
             "What all other directions may do together: little, where the eigenvalues fall fast.", "FKS Theorem 3"),
        Term("confidence", "Confidence term", r"\log\tfrac1\delta\,\tfrac{22M+5Bk}n",
             "The price of being sure with probability 1 − δ.", "FKS Theorem 3"),
        Term("total", "Total", r"\tfrac k{k-1}R_{\mathrm{emp}}+\tfrac{C_1}n",
             "The bound on the risk. It needs eigenvalues that fall faster than 1/i, while the published "
             "experiments set γ = 1 in the solver, where nothing enforces that.", "FKS Theorem 3"),
        Term("rademacher_total", "Rademacher bound", r"R_{\mathrm{emp}}+2L\|f\|_K\sqrt{\tfrac1n\sum_iA\lambda_i}"
             r"+B\sqrt{\tfrac{\log(1/\delta)}{2n}}",
             "The usual bound of the order 1/√n, from the sum of the eigenvalues alone.",
             "Bartlett & Mendelson 2002"),
        Term("test_risk", "Measured risk", r"\hat R_{\text{test}}(f)",
             "The mean squared error on held-out data: what the bound is about, measured.", "held-out data"),
        Term("gap", "Measured gap", r"\hat R_{\text{test}}-R_{\mathrm{emp}}",
             "Test error minus training error.", "held-out data"),
        Term("envelope_constant", "Envelope c", r"A\lambda_i\le c\,i^{-\gamma}",
             "Height of the power law above the sorted eigenvalues.", "FKS eq. 8"),
        Term("envelope_exponent", "Envelope γ", r"A\lambda_i\le c\,i^{-\gamma}",
             "How fast that power law falls; of all that lie above, the one with the smallest area.", "FKS eq. 8"),
        Term("eigenvalue_sum", "Sum of the eigenvalues", r"\textstyle\sum_iA\lambda_i",
             "All that the bound of the order 1/√n knows of the spectrum.", "Bartlett & Mendelson 2002"),
        Term("k", "Choice of k", r"k\ge2",
             "Weighs training error against complexity; chosen to make the bound small.", "FKS Theorem 3"),
        Term("t", "Choice of t", r"t\ge1",
             "Eigenvalues counted as leading; chosen to make the bound small.", "FKS Theorem 3"),
        Term("frame_constant", "Frame constant A", r"\lambda_i(T_K)\le A\lambda_i",
             "How large the eigenvalues are for given λ: the largest eigenvalue with all λ = 1.", "FKS Theorem 2"),
        Term("norm", "Norm of f", r"\|f\|_K=\|w\|_2",
             "How far the weights reach in the kernel's space; the bound is for functions of at most this norm.",
             "FKS section 4.2"),
        Term("target_bound", "Largest target M", r"\lvert y\rvert\le M",
             "Taken from the training data, in standardised units.", "FKS section 4"),
        Term("output_bound", "Largest output F", r"\lvert f\rvert\le F",
             "Taken from the training data, in standardised units.", "FKS section 4"),
    ),
    stack=("risk_term", "complexity_size", "complexity_decay", "confidence"),
    beside=("empirical_risk", "test_risk", "rademacher_total"),
    over_time=("total", "rademacher_total", "complexity_size", "complexity_decay", "confidence", "empirical_risk",
               "test_risk"),
    measured="test_risk",
    trivial="zero_risk",
)  # fmt: skip
BOUNDS.add(FRAME.name, FRAME)


class Envelope(NamedTuple):
    """A power law c·i^{−γ} on or above every eigenvalue."""

    constant: float
    exponent: float


def power_law_envelope(eigenvalues: ArrayLike) -> Envelope:
    """The tightest power law above the sorted eigenvalues: smallest area c/(γ−1) among all with γ > 1.

    .. math:: \\min_{\\gamma>1}\\ \\frac{c(\\gamma)}{\\gamma-1},\\qquad c(\\gamma)=\\max_i e_i\\,i^{\\gamma}

    The logarithm of the area is convex in γ: a maximum of lines, less log(γ−1). One eigenvalue alone lies below
    any power law; γ ends at 100.

    Args:
        eigenvalues: any order, ≥ 0; zeros are left out.

    Returns:
        c and γ; c = 0 where there is no eigenvalue above 0.
    """
    values = np.asarray(eigenvalues, np.float64)
    falling = np.sort(values[values > 0])[::-1]
    if not len(falling):
        return Envelope(0.0, STEEPEST)
    lines, places = np.log(falling), np.log(np.arange(1, len(falling) + 1))

    def log_area(log_excess: float) -> float:
        return float((lines + (1 + math.exp(log_excess)) * places).max() - log_excess)

    # In log(γ − 1), where an optimum close to 1 is found as well; still of one valley, as γ − 1 grows with it.
    found = minimize_scalar(
        log_area, bounds=(math.log(1e-6), math.log(STEEPEST - 1)), method="bounded", options={"xatol": 1e-10}
    )
    exponent = 1 + math.exp(float(found.x))
    return Envelope(float(np.exp((lines + exponent * places).max())), exponent)


class FrameSetting(NamedTuple):
    """All that the bound knows of a run, so that it can be asked for other n, δ, k and t.

    Attributes:
        empirical_risk: R_emp(f).
        height, exponent: of the power law c‖f‖²·i^{−γ} above the eigenvalues, γ > 1.
        spread: ‖f‖²Σ_i Aλ_i.
        target_bound: M ≥ |y|.
        output_bound: F ≥ |f|.
    """

    empirical_risk: float
    height: float
    exponent: float
    spread: float
    target_bound: float
    output_bound: float

    @property
    def B(self) -> float:
        """(F + M)², more than any squared error."""
        return (self.output_bound + self.target_bound) ** 2

    @property
    def L(self) -> float:
        """2(F + M), the squared error's slope."""
        return 2 * (self.output_bound + self.target_bound)

    def terms(self, n: int, k: int, t: int, delta: float = DELTA) -> dict[str, float]:
        """The stacked terms and their total, by key, for whole k ≥ 2 and t ≥ 1."""
        unit = 12 * k * self.B * self.L**2 / n
        terms = {
            "risk_term": k / (k - 1) * self.empirical_risk,
            "complexity_size": unit * t,
            "complexity_decay": unit * self._tail(t),
            "confidence": math.log(1 / delta) * (22 * self.target_bound + 5 * self.B * k) / n,
        }
        return {**terms, "total": sum(terms.values())}

    def rademacher_total(self, n: int, delta: float = DELTA) -> float:
        """R_emp + 2L √(‖f‖²Σ_i Aλ_i/n) + B √(log(1/δ)/(2n))."""
        return self.empirical_risk + self._root(delta) / math.sqrt(n)

    def best(self, n: int, delta: float = DELTA) -> tuple[int, int]:
        """The whole k and t that make the bound smallest."""
        # Without whole numbers the best t has c‖f‖²t^{−γ} = 1, and for it the best k has R_emp/(k−1)² = s/n.
        t = min(_neighbours(self.height ** (1 / self.exponent), 1), key=lambda t: t + self._tail(t))
        return self.best_k(n, t, delta), t

    def best_k(self, n: int, t: int, delta: float = DELTA) -> int:
        """The whole k that makes the bound smallest for that t."""
        slope = self.slope(t, delta) / n
        best = 1 + math.sqrt(self.empirical_risk / slope) if slope > 0 else 2.0
        return min(_neighbours(best, 2), key=lambda k: k / (k - 1) * self.empirical_risk + k * slope)

    def slope(self, t: int, delta: float = DELTA) -> float:
        """s, what C₁ grows by with every k."""
        return 12 * self.B * self.L**2 * (t + self._tail(t)) + 5 * self.B * math.log(1 / delta)

    def crossing(self, delta: float = DELTA) -> float | None:
        """The n from which on the bound with its best k is below the one of the order 1/√n.

        With C₁ = sk + u and k − 1 = √(R_emp n/s) the first exceeds R_emp by 2√(R_emp s/n) + (s + u)/n, the second by
        a/√n. So they cross at √n = (s + u)/(a − 2√(R_emp s)); where the best k is 2, at the smaller root of
        R_emp n − a√n + 2s + u = 0.

        Returns:
            None where they never do: 2√(R_emp s) ≥ a.
        """
        s, u = self.slope(self.best(1)[1], delta), 22 * self.target_bound * math.log(1 / delta)
        a, R = self._root(delta), self.empirical_risk
        if (inside := a**2 - 4 * R * (2 * s + u)) >= 0:
            root = 2 * (2 * s + u) / (a + math.sqrt(inside))  # the smaller root, also for R = 0
            if R * root**2 <= s:
                return root**2
        excess = a - 2 * math.sqrt(R * s)
        return ((s + u) / excess) ** 2 if excess > 0 else None

    def _tail(self, t: int) -> float:
        """c‖f‖²t^{1−γ}/(γ−1): the power law's area beyond t."""
        power: float = float(t) ** (1 - self.exponent)
        return self.height * power / (self.exponent - 1)

    def _root(self, delta: float) -> float:
        """a, what the bound of the order 1/√n adds to the risk, times √n."""
        return 2 * self.L * math.sqrt(self.spread) + self.B * math.sqrt(math.log(1 / delta) / 2)


def frame_terms(
    spectrum: ArrayLike,
    frame_constant: float,
    *,
    n: int,
    empirical_risk: float,
    zero_risk: float,
    target_bound: float,
    output_bound: float,
    gap: float,
    norm: float = 1.0,
    delta: float = DELTA,
) -> dict[str, float]:
    """Every term of the bound at one moment, by key, with the k and t that make it smallest.

    Args:
        spectrum: λ [D], ≥ 0, in any order.
        frame_constant: A > 0; Aλ_i are, or bound, the eigenvalues of the integral operator.
        n: training rows.
        empirical_risk: mean squared error on them.
        zero_risk: the same of f = 0.
        target_bound: M ≥ |y|.
        output_bound: F ≥ |f|; with several outputs both are of the norms ‖y‖ and ‖f‖.
        gap: test loss − training loss.
        norm: ‖f‖_K = ‖w‖; 1 is what the paper writes down.
        delta: the bound holds with probability 1 − δ.

    Source: FKS Theorem 3.
    """
    eigenvalues = frame_constant * np.asarray(spectrum, np.float64)
    law, trace = power_law_envelope(eigenvalues), float(eigenvalues.sum())
    setting = FrameSetting(
        empirical_risk, law.constant * norm**2, law.exponent, trace * norm**2, target_bound, output_bound
    )
    k, t = setting.best(n, delta)
    return {
        "empirical_risk": empirical_risk,
        "zero_risk": zero_risk,
        **setting.terms(n, k, t, delta),
        "rademacher_total": setting.rademacher_total(n, delta),
        "test_risk": empirical_risk + gap,
        "gap": gap,
        "envelope_constant": law.constant,
        "envelope_exponent": law.exponent,
        "eigenvalue_sum": trace,
        "k": float(k),
        "t": float(t),
        "frame_constant": float(frame_constant),
        "norm": float(norm),
        "target_bound": float(target_bound),
        "output_bound": float(output_bound),
    }


def _neighbours(value: float, least: int) -> tuple[int, int]:
    """The whole numbers on either side of ``value``, at least ``least``."""
    below = max(least, math.floor(value))
    return below, below + 1

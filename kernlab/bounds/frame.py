"""Risk of a frame kernel from its eigenvalues: between 1/√n and 1/n, the nearer to 1/n the faster they fall.

    with probability 1 − δ, for all whole k ≥ 2 and t ≥ 1

    R(f) ≤ k/(k−1) R_emp(f) + 6k r*/B + log(1/δ)(22M + 5Bk)/n

    r* = min_t ½(a + √(a² + 4b)),   a = 2tB²L²/n,   b = (2B²L²/n) Σ_{j>t} λ_j(T_K)
    |y| ≤ M,   |f| ≤ F,   B = (F + M)²,   L = 2(F + M)          (the paper writes D for F and d for L)

It bounds the risk itself, not its distance from the training risk. It is shown with the bound of the order
1/√n that needs only the sum of the eigenvalues,

    R(f) ≤ R_emp(f) + 2L √(Σ_i λ_i(T_K)/n) + B √(log(1/δ)/(2n)).

**As printed.** The proof needs the positive root of r² − ar − b = 0, which is ½(a + √(a² + 4b)). The paper writes
½(a + √(a² + 4b²)) ≤ a + b, and with λ_i ≤ c i^{−γ}, γ > 1, arrives at

    R(f) ≤ k/(k−1) R_emp(f) + 12ktBL²/n + 12kc t^{1−γ}BL²/((γ−1)n) + log(1/δ)(22M + 5Bk)/n,

a bound of the order 1/n. But a + b lies below the root wherever a + b < 1, for there r² − ar − b = b(a + b − 1) < 0
at r = a + b. As r* = a + b/r*, the printed bound is the right one with b in the place of b/r*. With the root the
order is 1/√n at a t that stays and n^{−γ/(γ+1)} at the best t for λ_i ~ i^{−γ}; it is 1/n for a kernel of finite
rank once t reaches the rank. :class:`FrameSetting` gives both, and the n from which on the printed value is too small.

A second gap of the proof stays open here: the theorem that it uses asks for the functions whose *loss* has a small
mean square, and the proof takes those with a small mean square themselves.

Both bounds speak of functions of norm at most one in the kernel's space, as the inequality does that the proof
takes its eigenvalues from. A found f = wᵀΨ has some other norm ‖f‖_K = ‖w‖, and λ → αλ, w → w/√α is the same f. So
the eigenvalues put in are those of ‖f‖²K, whose unit ball holds f whatever α is.

Eigenvalues are entered as Aλ_i with the upper frame constant A, which bounds them one by one (see
:mod:`kernlab.feature_maps.frames`); that is enough here. Their sums beyond t are exact; the printed bound has those
of a power law above them. Its γ is read off the spectrum that was found. It is not the γ of the solver's price λ^γ:
FKS derives that price from this theorem, which asks for γ > 1, while all of its experiments use γ = 1. And the
theorem is about a kernel that is fixed beforehand; for one selected on the same rows, as here and in the paper, it
shows the order of the numbers and no more.

Source: FKS Theorem 3 and eq. 9; Bartlett, Bousquet & Mendelson 2005, Theorem 3.3 and Corollary 6.7; Bartlett &
Mendelson 2002 (1/√n).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from kernlab.bounds.base import BOUNDS, DELTA, Bound, Term

__all__ = [
    "FRAME",
    "Envelope",
    "FrameSetting",
    "eigenvalue_tails",
    "fixed_point",
    "frame_terms",
    "power_law_envelope",
    "power_law_tails",
    "with_root",
]

_Numbers: TypeAlias = float | NDArray[np.floating]

STEEPEST = 100.0  # largest exponent of an envelope: a spectrum of one value allows any
MOST = 10_000  # largest t where the number of eigenvalues is not known

FRAME = Bound(
    "frame",
    "Risk from the kernel's eigenvalues",
    r"R(f)\le\tfrac k{k-1}R_{\mathrm{emp}}(f)+\tfrac{6k\,r^*}B+\log\tfrac1\delta\,\tfrac{22M+5Bk}n,\quad "
    r"r^*=\min_t\tfrac12\bigl(a_t+\sqrt{a_t^2+4b_t}\bigr)=a_t+\tfrac{b_t}{r^*}",
    "FKS Theorem 3, its root corrected",
    (
        Term("empirical_risk", "Empirical risk", r"R_{\mathrm{emp}}(f)",
             "The mean squared error on training data.", "FKS eq. 2"),
        Term("zero_risk", "Risk of answering zero", r"\tfrac1n\sum_i\|y_i\|^2",
             "The error of f = 0, which needs no learning: a bound that is not below it is vacuous.", "FKS eq. 2"),
        Term("risk_term", "Risk term", r"\tfrac k{k-1}R_{\mathrm{emp}}(f)",
             "The training error, enlarged a little: what the faster rate costs.", "FKS Theorem 3"),
        Term("complexity_size", "Leading eigenvalues", r"\tfrac{6k}B\,a_t=\tfrac{12ktBL^2}n",
             "What t directions of the kernel may do, however large their eigenvalues.", "FKS Theorem 3"),
        Term("complexity_decay", "Remaining eigenvalues",
             r"\tfrac{6k}B\,\tfrac{b_t}{r^*}=\tfrac{12kBL^2}n\cdot\tfrac1{r^*}\sum_{j>t}\|f\|_K^2A\lambda_j",
             "What all other directions may do together. The printed bound leaves the division by r⁎ out.",
             "FKS eq. 9, its root corrected"),
        Term("confidence", "Confidence term", r"\log\tfrac1\delta\,\tfrac{22M+5Bk}n",
             "The price of being sure with probability 1 − δ.", "FKS Theorem 3"),
        Term("total", "Total", r"\tfrac k{k-1}R_{\mathrm{emp}}+\tfrac{6k\,r^*}B+\log\tfrac1\delta\,\tfrac{22M+5Bk}n",
             "The bound on the risk, with the root that the proof needs.", "FKS eq. 9, its root corrected"),
        Term("printed_total", "As printed",
             r"\tfrac k{k-1}R_{\mathrm{emp}}+\tfrac{12kBL^2}n\Bigl(t+\tfrac{c\|f\|_K^2t^{1-\gamma}}{\gamma-1}\Bigr)"
             r"+\log\tfrac1\delta\,\tfrac{22M+5Bk}n",
             "The bound as the paper prints it, with its own best k and t. Its proof has a wrong root: where a + b is "
             "below 1, it is below what it must bound. It also needs γ > 1, while the published experiments set γ = 1 "
             "in the solver.", "FKS Theorem 3, as printed"),
        Term("rademacher_total", "Rademacher bound", r"R_{\mathrm{emp}}+2L\|f\|_K\sqrt{\tfrac1n\sum_iA\lambda_i}"
             r"+B\sqrt{\tfrac{\log(1/\delta)}{2n}}",
             "The usual bound of the order 1/√n, from the sum of the eigenvalues alone.",
             "Bartlett & Mendelson 2002"),
        Term("test_risk", "Measured risk", r"\hat R_{\text{test}}(f)",
             "The mean squared error on held-out data: what the bound is about, measured.", "held-out data"),
        Term("gap", "Measured gap", r"\hat R_{\text{test}}-R_{\mathrm{emp}}",
             "Test error minus training error.", "held-out data"),
        Term("fixed_point", "Fixed point r⁎", r"r^*=\tfrac12\bigl(a_t+\sqrt{a_t^2+4b_t}\bigr)",
             "The positive root of r² − ar − b = 0, where the local complexity of the class equals r.",
             "FKS eq. 9; Bartlett, Bousquet & Mendelson 2005"),
        Term("printed_fixed_point", "Fixed point as printed", r"\min_t(a_t+b_t)",
             "What the paper has in its place. Where a + b is below 1, the root of the same a and b is larger.",
             "FKS eq. 10, as printed"),
        Term("tail", "Tail of the eigenvalues", r"\textstyle\sum_{j>t}\|f\|_K^2A\lambda_j",
             "The sum of the eigenvalues after the t largest. Of a run that an older version stored, it is the area of "
             "the power law above them.", "FKS eq. 9"),
        Term("envelope_constant", "Envelope c", r"A\lambda_i\le c\,i^{-\gamma}",
             "Height of the power law above the sorted eigenvalues.", "FKS eq. 8"),
        Term("envelope_exponent", "Envelope γ", r"A\lambda_i\le c\,i^{-\gamma}",
             "How fast that power law falls; of all that lie above, the one with the smallest area.", "FKS eq. 8"),
        Term("eigenvalue_sum", "Sum of the eigenvalues", r"\textstyle\sum_iA\lambda_i",
             "All that the bound of the order 1/√n depends on of the spectrum.", "Bartlett & Mendelson 2002"),
        Term("k", "Choice of k", r"k\ge2",
             "Weighs training error against complexity; chosen to make the bound small.", "FKS Theorem 3"),
        Term("t", "Choice of t", r"t\ge1",
             "Eigenvalues counted as leading; chosen to make the bound small.", "FKS Theorem 3"),
        Term("printed_k", "Choice of k, as printed", r"k\ge2", "The k that makes the printed bound small.",
             "FKS Theorem 3, as printed"),
        Term("printed_t", "Choice of t, as printed", r"t\ge1", "The t that makes the printed bound small.",
             "FKS Theorem 3, as printed"),
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
    beside=("empirical_risk", "test_risk", "rademacher_total", "printed_total"),
    over_time=("total", "printed_total", "rademacher_total", "complexity_size", "complexity_decay", "confidence",
               "empirical_risk", "test_risk"),
    short={"rademacher_total": "Rademacher", "complexity_size": "leading λ", "complexity_decay": "remaining λ"},
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
    found = scipy.optimize.minimize_scalar(
        log_area, bounds=(math.log(1e-6), math.log(STEEPEST - 1)), method="bounded", options={"xatol": 1e-10}
    )
    exponent = 1 + math.exp(float(found.x))
    return Envelope(float(np.exp((lines + exponent * places).max())), exponent)


def eigenvalue_tails(eigenvalues: ArrayLike) -> NDArray[np.float64]:
    """Σ_{j>t} of the sorted eigenvalues, for t = 1 … rank: the last is 0.

    Args:
        eigenvalues: any order, ≥ 0; zeros are left out.
    """
    values = np.asarray(eigenvalues, np.float64)
    rising = np.sort(values[values > 0])
    return np.append(np.cumsum(rising)[:-1][::-1], 0.0)


def power_law_tails(constant: float, exponent: float) -> NDArray[np.float64]:
    """c t^{1−γ}/(γ−1), the area of the power law c·i^{−γ} beyond t, for t = 1 … 10 000 and γ > 1."""
    return np.asarray(constant * np.arange(1, MOST + 1.0) ** (1 - exponent) / (exponent - 1))


def fixed_point(a: _Numbers, b: _Numbers) -> NDArray[np.float64]:
    """The positive root of r² − ar − b = 0 for a, b ≥ 0: ½(a + √(a² + 4b)), between a and a + √b.

    It is where r ↦ √(ar + b) equals r. The paper has ½(a + √(a² + 4b²)) ≤ a + b in its place, which lies below the
    root wherever a + b < 1.

    Source: FKS, proof of Theorem 3, its root corrected.
    """
    return np.asarray((a + np.hypot(a, 2 * np.sqrt(b))) / 2)


class FrameSetting(NamedTuple):
    """What the bound needs of a run, so that it can be computed for other n, δ, k and t.

    Attributes:
        empirical_risk: R_emp(f).
        tails: ‖f‖²Σ_{j>t} Aλ_j for t = 1 … T, falling [T]; no larger t is considered.
        height, exponent: of the power law c‖f‖²·i^{−γ} above the eigenvalues, γ > 1; for the printed bound alone.
        spread: ‖f‖²Σ_i Aλ_i.
        target_bound: M ≥ |y|.
        output_bound: F ≥ |f|.
    """

    empirical_risk: float
    tails: NDArray[np.float64]
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

    @property
    def scale(self) -> float:
        """2B²L²: a is t times it, and b the tail times it, over n."""
        return 2 * self.B**2 * self.L**2

    def fixed_points(self, n: float) -> NDArray[np.float64]:
        """The root r for every t = 1 … T; r* is the smallest."""
        unit = self.scale / n
        return fixed_point(unit * np.arange(1.0, len(self.tails) + 1.0), unit * self.tails)

    def fixed_point(self, n: float, t: int) -> float:
        """The root r for one t."""
        return float(fixed_point(self.scale / n * t, self.scale / n * self._tail(t)))

    def terms(self, n: int, k: int, t: int, delta: float = DELTA, *, printed: bool = False) -> dict[str, float]:
        """The stacked terms and their total, by key, for whole k ≥ 2 and t ≥ 1; as printed, if asked for."""
        unit = 12 * k * self.B * self.L**2 / n
        terms = {
            "risk_term": k / (k - 1) * self.empirical_risk,
            "complexity_size": unit * t,
            "complexity_decay": unit * self._decay(float(n), t, printed=printed),
            "confidence": math.log(1 / delta) * (22 * self.target_bound + 5 * self.B * k) / n,
        }
        return {**terms, "total": sum(terms.values())}

    def rademacher_total(self, n: int, delta: float = DELTA) -> float:
        """R_emp + 2L √(‖f‖²Σ_i Aλ_i/n) + B √(log(1/δ)/(2n))."""
        root = 2 * self.L * math.sqrt(self.spread) + self.B * math.sqrt(math.log(1 / delta) / 2)
        return self.empirical_risk + root / math.sqrt(n)

    def best(self, n: int, delta: float = DELTA, *, printed: bool = False) -> tuple[int, int]:
        """The whole k and t that make the bound smallest."""
        t = self._printed_t if printed else 1 + int(self.fixed_points(float(n)).argmin())
        return self.best_k(n, t, delta, printed=printed), t

    def best_k(self, n: int, t: int, delta: float = DELTA, *, printed: bool = False) -> int:
        """The whole k that makes the bound smallest for that t."""
        decay = self._decay(float(n), t, printed=printed)
        slope = (12 * self.B * self.L**2 * (t + decay) + 5 * self.B * math.log(1 / delta)) / n  # what each k adds
        best = 1 + math.sqrt(self.empirical_risk / slope) if slope > 0 else 2.0
        return min(_neighbours(best, 2), key=lambda k: k / (k - 1) * self.empirical_risk + k * slope)

    def answers(self, n: int, delta: float = DELTA, *, k: int | None = None, t: int | None = None) -> dict[str, float]:
        """Every term that follows from n, δ, k and t, by key; what is printed has its own best k and t.

        Args:
            n: training rows.
            delta: δ.
            k, t: None: the best; k for the t that is passed.
        """
        t = self.best(n, delta)[1] if t is None else t
        k = self.best_k(n, t, delta) if k is None else k
        printed_k, printed_t = self.best(n, delta, printed=True)
        return {
            **self.terms(n, k, t, delta),
            "printed_total": self.terms(n, printed_k, printed_t, delta, printed=True)["total"],
            "rademacher_total": self.rademacher_total(n, delta),
            "fixed_point": self.fixed_point(float(n), t),
            "printed_fixed_point": self.scale / n * (printed_t + self._decay(1.0, printed_t, printed=True)),
            "tail": self._tail(t),
            "k": float(k),
            "t": float(t),
            "printed_k": float(printed_k),
            "printed_t": float(printed_t),
        }

    def overtaken(self, t: int | None = None) -> float | None:
        """The n from which on the printed min(a + b) lies below the root that it must bound.

        With C = 2B²L², s = n min(a + b)/C and u = nr, which solves u² = C(tu + nS) with the tail S and grows with n,
        the printed value is too small as soon as u ≥ Cs for every t, and that is n ≥ Cs(s − t)/S.

        Args:
            t: of the root; None: the best, which is r*.

        Returns:
            None where it never does: the kernel's rank is so small that r* itself is of the order 1/n.
        """
        s = self._printed_t + self._decay(1.0, self._printed_t, printed=True)
        short = [(s - at, self._tail(at)) for at in ([t] if t else range(1, len(self.tails) + 1)) if at < s]
        if any(tail == 0 for _, tail in short):
            return None
        return self.scale * s * max((by / tail for by, tail in short), default=0.0)

    def _tail(self, t: int) -> float:
        """The tail beyond t; beyond the last known t it is no larger."""
        return float(self.tails[min(t, len(self.tails)) - 1])

    def _decay(self, n: float, t: int, *, printed: bool) -> float:
        """What is added to t: S/r, as r = a + b/r = (2B²L²/n)(t + S/r); as printed the power law's S alone."""
        if printed:
            power: float = float(t) ** (1 - self.exponent)
            return self.height * power / (self.exponent - 1)
        root = self.fixed_point(n, t)
        return self._tail(t) / root if root > 0 else 0.0

    @property
    def _printed_t(self) -> int:
        """The t that makes t + c‖f‖²t^{1−γ}/(γ−1) smallest; without whole numbers it has c‖f‖²t^{−γ} = 1."""
        return min(
            _neighbours(self.height ** (1 / self.exponent), 1), key=lambda t: t + self._decay(1.0, t, printed=True)
        )


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
    """Every term of the bound at one moment, by key, with the k and t that make it smallest, and as printed.

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

    Source: FKS Theorem 3 and eq. 9, its root corrected.
    """
    eigenvalues = frame_constant * np.asarray(spectrum, np.float64)
    law, trace = power_law_envelope(eigenvalues), float(eigenvalues.sum())
    setting = FrameSetting(
        empirical_risk, eigenvalue_tails(eigenvalues * norm**2), law.constant * norm**2, law.exponent, trace * norm**2,
        target_bound, output_bound,
    )  # fmt: skip
    return {
        "empirical_risk": empirical_risk,
        "zero_risk": zero_risk,
        **setting.answers(n, delta),
        "test_risk": empirical_risk + gap,
        "gap": gap,
        "envelope_constant": law.constant,
        "envelope_exponent": law.exponent,
        "eigenvalue_sum": trace,
        "frame_constant": float(frame_constant),
        "norm": float(norm),
        "target_bound": float(target_bound),
        "output_bound": float(output_bound),
    }


def with_root(terms: Mapping[str, float], n: int, delta: float = DELTA) -> dict[str, float]:
    """Terms of an earlier version, whose ``total`` was the printed bound, with the names and values of today.

    That version stored no exact tail; the larger tail of the power law above the eigenvalues replaces it, and the term
    ``tail`` is left out.

    Args:
        terms: by key; those of this version, and incomplete ones, are returned unchanged.
        n: training rows.
        delta: δ of that run.
    """
    needs = {
        "empirical_risk", "envelope_constant", "envelope_exponent", "eigenvalue_sum", "norm", "target_bound",
        "output_bound",
    }  # fmt: skip
    if "printed_total" in terms or not needs <= terms.keys():
        return dict(terms)
    square, exponent = terms["norm"] ** 2, terms["envelope_exponent"]
    height = terms["envelope_constant"] * square
    setting = FrameSetting(
        terms["empirical_risk"], power_law_tails(height, exponent), height, exponent,
        terms["eigenvalue_sum"] * square, terms["target_bound"], terms["output_bound"],
    )  # fmt: skip
    return {**terms, **{key: value for key, value in setting.answers(n, delta).items() if key != "tail"}}


def _neighbours(value: float, least: int) -> tuple[int, int]:
    """The whole numbers on either side of ``value``, at least ``least``."""
    below = max(least, math.floor(value))
    return below, below + 1

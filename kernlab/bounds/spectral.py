"""Excess risk of spectral kernel learning, taken apart.

    R̂(H) ≤ (B/n) √(K ‖φ(X)‖_F²) ≤ B √(cK/n),     B = ‖W‖_*
    excess risk ≤ 4√2 · L · R̂(H) + O(√(log(1/δ)/n))       with probability 1 − δ

c is what ‖φ(x)‖² = k(x, x) never exceeds: 1 for pairs of cosine and sine, as in the paper; 2 for cosines with random
phases, whose ‖φ(x)‖² has that mean over phases that Ω does not depend on, and may exceed it once Ω is learned.

The paper leaves the constant of the last term inside O(·); here it is 1, and the total is "up to the constant". It
bounds the excess risk, so the empirical risk is shown next to it and not added.

Sharper than the paper: the dual norm of ‖·‖_* is the spectral norm, so the empirical Rademacher
complexity of {x ↦ Wᵀφ(x): ‖W‖_* ≤ B} is exactly (B/n) E_ε ‖Φᵀε‖₂ with ε an n × K matrix of random signs
(the paper bounds ‖·‖₂ by ‖·‖_F). It is estimated by drawing ε, with the standard error of that.

λ₁ and λ₂ do not appear in the bound; they act through B and ‖φ(X)‖_F², see :func:`guaranteed`. Nor does D: the
mean trace of D frequencies drawn independently is a mean of D independent numbers and scatters by their standard
deviation over √D.

Source: ASKL Theorem 3; Hölder's inequality for the trace norm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import torch

from kernlab.bounds.base import BOUNDS, DELTA, Bound, Estimate, Term
from kernlab.linalg import singular_values
from kernlab.typing import Float, Tensor

__all__ = [
    "SPECTRAL",
    "Guarantee",
    "guaranteed",
    "numerical_rank",
    "rademacher_bound",
    "rademacher_exact",
    "spectral_formula",
    "spectral_terms",
]

SPECTRAL = Bound(
    "spectral",
    "Excess risk of spectral kernel learning",
    r"\mathcal E(\hat f)-\mathcal E(f^*)\le 4\sqrt2\,L\,\hat{\mathcal R}(\mathcal H)+O(\sqrt{\log(1/\delta)/n})",
    "ASKL Theorem 3",
    (
        Term("empirical_risk", "Empirical risk", r"\tfrac1n\sum_i\ell(f(x_i),y_i)",
             "The mean loss on training data: what is minimised.", "ASKL eq. 4"),
        Term("zero_risk", "Risk of answering zero", r"\tfrac1n\sum_i\ell(0,y_i)",
             "The loss of W = 0, which needs no learning: a bound that is not below it rules nothing out.",
             "ASKL eq. 4"),
        Term("weight_norm", "Trace norm B", r"B=\|W\|_*",
             "The sum of the singular values of W: how much the weights may do.", "ASKL Theorem 3"),
        Term("weight_square", "Squared norm of W", r"\|W\|_F^2",
             "The sum of the squared singular values.", "ASKL Table 1"),
        Term("rank", "Rank of W", r"\operatorname{rank} W",
             "Directions of the features that the outputs really use.", "ASKL eq. 8"),
        Term("mean_trace", "Mean trace", r"\tfrac1n\|\varphi(X)\|_F^2",
             "The mean of ‖φ(x)‖². Pairs of cosine and sine: 1 for a stationary kernel, less where the two frequencies "
             "of a pair disagree. With random phases it has that mean over phases drawn anew, and may reach 2.",
             "ASKL eq. 19"),
        Term("trace_spread", "Spread of the trace", r"\operatorname{sd}_j\tfrac Dn\sum_i\varphi_j(x_i)^2",
             "How differently single frequencies add to the mean trace: over √D, how far the trace of D "
             "frequencies drawn independently scatters.", "Monte Carlo"),
        Term("lipschitz", "Lipschitz constant L", r"L",
             "How fast the loss can change with the outputs; for the squared loss it is measured on the data.",
             "ASKL Lemma 1"),
        Term("rademacher", "Rademacher bound", r"\tfrac Bn\sqrt{K\,\|\varphi(X)\|_F^2}",
             "The paper's bound on how well these functions can fit pure noise.", "ASKL Theorem 3"),
        Term("worst_case", "Worst case", r"B\sqrt{cK/n}",
             "The same bound if ‖φ(x)‖² were everywhere the most it can be: c = 1 for pairs of cosine and sine, 2 with "
             "random phases.", "ASKL Theorem 3"),
        Term("dual_norm", "Exact Rademacher", r"\tfrac Bn\,\mathbb E_\varepsilon\|\Phi^\top\varepsilon\|_2",
             "The complexity itself, from random signs: no inequality in between.", "dual norm of the trace norm"),
        Term("dual_norm_se", "Its standard error", r"\operatorname{se}",
             "How far the drawn signs can have misled the exact value.", "Monte Carlo"),
        Term("complexity", "Complexity term", r"4\sqrt2\,L\,\hat{\mathcal R}",
             "The Rademacher bound as it enters the excess risk.", "ASKL eq. 14–15"),
        Term("confidence", "Confidence term", r"\sqrt{\log(1/\delta)/n}",
             "The price of being sure with probability 1 − δ; falls with n only.", "ASKL Theorem 3"),
        Term("total", "Total", r"4\sqrt2\,L\,\hat{\mathcal R}+\sqrt{\log(1/\delta)/n}",
             "The bound on the excess risk, up to the constant that the paper leaves open.", "ASKL Theorem 3"),
        Term("gap", "Measured gap", r"\hat{\mathcal E}_{\text{test}}-\hat{\mathcal E}_{\text{train}}",
             "Test loss minus training loss: what the bound is about, measured.", "held-out data"),
    ),
    stack=("complexity", "confidence"),
    beside=("empirical_risk", "gap"),
    over_time=("total", "complexity_worst", "complexity", "complexity_exact", "confidence", "empirical_risk", "gap"),
    estimates=tuple(
        Estimate(title, key, of, "lipschitz", 4 * math.sqrt(2), "complexity", error)
        for title, key, of, error in (
            ("exact", "complexity_exact", "dual_norm", "dual_norm_se"),
            ("paper", "complexity", "rademacher", ""),
            ("worst case", "complexity_worst", "worst_case", ""),
        )
    ),
    trivial="zero_risk",
)  # fmt: skip
BOUNDS.add(SPECTRAL.name, SPECTRAL)


def rademacher_bound(weight_norm: float, mean_trace: float, K: int, n: int) -> float:
    """(B/n) √(K ‖φ(X)‖_F²) = B √(K·t/n) with t = ‖φ(X)‖_F²/n."""
    return weight_norm * math.sqrt(K * mean_trace / n)


def rademacher_exact(
    blocks: Iterable[Float[Tensor, "_ D"]], K: int, *, draws: int = 8, generator: torch.Generator
) -> tuple[float, float]:
    """Monte-Carlo estimate of (1/n) E_ε ‖Φᵀε‖₂ and its standard error; times B it is the complexity.

    Args:
        blocks: Φ in blocks of rows, read once.
        K: outputs.
        draws: how many sign matrices.
        generator: source of the signs (a CPU generator).
    """
    total: Tensor | float = 0.0
    n = 0
    for Phi in blocks:
        signs = torch.randint(0, 2, (len(Phi), draws * K), generator=generator, dtype=torch.int8)
        total = total + Phi.mT @ (2 * signs - 1).to(Phi.device, Phi.dtype)
        n += len(Phi)
    assert isinstance(total, torch.Tensor)
    norms = torch.linalg.matrix_norm(total.view(-1, draws, K).transpose(0, 1).double(), ord=2) / n
    return float(norms.mean()), float(norms.std() / math.sqrt(draws)) if draws > 1 else math.nan


def spectral_formula(
    *,
    weight_norm: float,
    mean_trace: float,
    lipschitz: float,
    K: int,
    n: int,
    delta: float = DELTA,
    largest_trace: float = 1.0,
) -> dict[str, float]:
    """What the bound makes of its ingredients: rademacher, worst_case, complexity, confidence and total, by key.

    ``largest_trace`` is what ‖φ(x)‖² never exceeds (:attr:`kernlab.feature_maps.FeatureMap.largest_trace`).
    """
    bound = rademacher_bound(weight_norm, mean_trace, K, n)
    complexity, confidence = 4 * math.sqrt(2) * lipschitz * bound, math.sqrt(math.log(1 / delta) / n)
    return {
        "rademacher": bound,
        "worst_case": rademacher_bound(weight_norm, largest_trace, K, n) if math.isfinite(largest_trace) else math.nan,
        "complexity": complexity,
        "confidence": confidence,
        "total": complexity + confidence,
    }


class Guarantee(NamedTuple):
    """Upper bounds for every minimiser of a penalised risk.

    Attributes:
        weight_norm: ‖W‖_* is at most this.
        product: ‖W‖_* √(‖φ(X)‖_F²/n) is at most this.
    """

    weight_norm: float
    product: float


def guaranteed(
    *,
    trace_norm: float,
    frobenius: float,
    feature_norm: float,
    empirical_risk: float,
    zero_risk: float,
    weight_norm: float,
    weight_square: float,
    mean_trace: float,
    rank: int,
    learned: bool = True,
    largest_trace: float = 1.0,
) -> Guarantee | None:
    """How large the bound's two ingredients can be at a minimiser, from what λ₁ and λ₂ cost.

    .. math:: J(W,\\Omega)=\\hat{\\mathcal E}+\\lambda_*\\|W\\|_*+\\lambda_F\\|W\\|_F^2+\\lambda_2t,
              \\qquad t=\\|\\varphi(X)\\|_F^2/n

    A minimiser is no worse than the model (W, Ω), and no worse than (0, Ω), so that its
    penalties cost at most C = λ₂t + min(ℓ(0), Ê + λ_*‖W‖_* + λ_F‖W‖_F²). Hence ‖W'‖_* ≤ C/λ_* and
    ‖W'‖_* ≤ √(r ‖W'‖_F²) ≤ √(rC/λ_F). What the trace takes, the weights cannot spend: ‖W'‖_*√t' is largest at
    t' = C/(3λ₂), or C/(2λ₂) with the Frobenius norm, if that is below the largest trace: 1 for pairs of cosine
    and sine, 2 with random phases. Where Ω is not learned t' = t, and λ₂ cancels.

    Args:
        trace_norm, frobenius, feature_norm: λ_*, λ_F, λ₂, 0 for a penalty that is not there. They may differ from
            those that the model was trained with.
        empirical_risk, zero_risk: Ê of the model and of W = 0; the loss is at least 0.
        weight_norm, weight_square, mean_trace: the model's ‖W‖_*, ‖W‖_F² and t.
        rank: r = min(D, K).
        learned: whether Ω is.
        largest_trace: what ‖φ(x)‖² never exceeds; infinite where nothing is known.

    Returns:
        None without a penalty on W: nothing is guaranteed. An infinite ``product`` where nothing keeps the trace down.

    Source: ASKL eq. 4 (what is minimised) and Theorem 3 (what it is put into).
    """
    budget = min(zero_risk, empirical_risk + trace_norm * weight_norm + frobenius * weight_square)
    fixed, most = math.sqrt(mean_trace), largest_trace
    budget += feature_norm * mean_trace if learned else 0.0
    found = []
    if trace_norm > 0:
        t = min(most, budget / (3 * feature_norm)) if feature_norm > 0 else most
        product = math.sqrt(t) * (budget - feature_norm * t) if learned else fixed * budget
        found.append((budget / trace_norm, product / trace_norm))
    if frobenius > 0:
        t = min(most, budget / (2 * feature_norm)) if feature_norm > 0 else most
        product = math.sqrt(t * (budget - feature_norm * t)) if learned else fixed * math.sqrt(budget)
        share = math.sqrt(rank / frobenius)
        found.append((share * math.sqrt(budget), share * product))
    if not found:
        return None
    return Guarantee(min(norm for norm, _ in found), min(product for _, product in found))


def numerical_rank(values: Float[Tensor, " r"], shape: tuple[int, int]) -> int:
    """Singular values above rounding: larger than max(shape) · eps · the largest."""
    if not len(values) or float(values.max()) == 0.0:
        return 0
    return int((values > values.max() * max(shape) * torch.finfo(values.dtype).eps).sum())


def spectral_terms(
    W: Float[Tensor, "D K"],
    Phi: Float[Tensor, "s D"],
    *,
    n: int,
    empirical_risk: float,
    zero_risk: float,
    lipschitz: float,
    gap: float,
    frequencies: int = 0,
    largest_trace: float = 1.0,
    delta: float = DELTA,
    draws: int = 8,
    generator: torch.Generator,
) -> dict[str, float]:
    """Every term of the bound at one moment, by key.

    Args:
        W: weights.
        Phi: features of s ≤ n training rows. With s < n the mean trace is the sample's, and the exact
            complexity is scaled by √(s/n): for growing n, Φᵀε is Gaussian with covariance nC, so that
            E‖Φᵀε‖₂/n falls as 1/√n with C = ΦᵀΦ/n read off the sample.
        n: training rows.
        empirical_risk: mean training loss.
        zero_risk: mean training loss of W = 0.
        lipschitz: the loss's constant L.
        gap: test loss − training loss.
        frequencies: of which the columns were made, the j-th of columns j, j + ``frequencies`` …; 0: each of its own.
        largest_trace: what ‖φ(x)‖² never exceeds.
        delta: the bound holds with probability 1 − δ.
        draws: sign matrices for the exact complexity.
        generator: source of the signs.

    Source: ASKL Theorem 3.
    """
    K = W.shape[1]
    values = singular_values(W)
    B = float(values.sum())
    columns = Phi.pow(2).sum(0, dtype=torch.float64 if Phi.device.type != "mps" else None) / len(Phi)
    single = columns.view(-1, frequencies).sum(0) if frequencies else columns
    mean_trace = float(columns.sum())
    exact, error = rademacher_exact([Phi], K, draws=draws, generator=generator)
    shrink = B * math.sqrt(len(Phi) / n)
    found = {
        "empirical_risk": empirical_risk,
        "zero_risk": zero_risk,
        "weight_norm": B,
        "weight_square": float(values.square().sum()),
        "rank": float(numerical_rank(values, (W.shape[0], K))),
        "mean_trace": mean_trace,
        "trace_spread": float(single.std(correction=0)) * len(single),
        "lipschitz": lipschitz,
        "dual_norm": shrink * exact,
        "dual_norm_se": shrink * error,
        "gap": gap,
        **spectral_formula(
            weight_norm=B,
            mean_trace=mean_trace,
            lipschitz=lipschitz,
            K=K,
            n=n,
            delta=delta,
            largest_trace=largest_trace,
        ),
    }
    return {term.key: found[term.key] for term in SPECTRAL.terms}

"""Excess risk of spectral kernel learning, taken apart.

    R̂(H) ≤ (B/n) √(K ‖φ(X)‖_F²) ≤ B √(K/n),     B = ‖W‖_*
    excess risk ≤ 4√2 · L · R̂(H) + c √(log(1/δ)/n)        with probability 1 − δ

The paper leaves c inside O(·); here c = 1, and the total is "up to the constant". It bounds the excess
risk, so the empirical risk stands beside it and is not added.

Sharper than the paper: the dual norm of ‖·‖_* is the spectral norm, so the empirical Rademacher
complexity of {x ↦ Wᵀφ(x): ‖W‖_* ≤ B} is exactly (B/n) E_ε ‖Φᵀε‖₂ with ε an n × K matrix of random signs
(the paper bounds ‖·‖₂ by ‖·‖_F). It is estimated by drawing ε, with the standard error of that.

Source: ASKL Theorem 3; Hölder's inequality for the trace norm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch

from kernlab.bounds.base import BOUNDS, Bound, Estimate, Term
from kernlab.linalg import singular_values
from kernlab.typing import Float, Tensor

__all__ = ["SPECTRAL", "numerical_rank", "rademacher_bound", "rademacher_exact", "spectral_terms"]

SPECTRAL = Bound(
    "spectral",
    "Excess risk of spectral kernel learning",
    r"\mathcal E(\hat f)-\mathcal E(f^*)\le 4\sqrt2\,L\,\hat{\mathcal R}(\mathcal H)+c\sqrt{\log(1/\delta)/n}",
    "ASKL Theorem 3",
    (
        Term("empirical_risk", "Empirical risk", r"\tfrac1n\sum_i\ell(f(x_i),y_i)",
             "The mean loss on training data: what is minimised.", "ASKL eq. 4"),
        Term("weight_norm", "Trace norm B", r"B=\|W\|_*",
             "The sum of the singular values of W: how much the weights may do.", "ASKL Theorem 3"),
        Term("rank", "Rank of W", r"\operatorname{rank} W",
             "Directions of the features that the outputs really use.", "ASKL eq. 8"),
        Term("mean_trace", "Mean trace", r"\tfrac1n\|\varphi(X)\|_F^2",
             "The mean of k(x, x): 1 for a stationary kernel, less where the two frequencies of a pair disagree.",
             "ASKL eq. 19"),
        Term("lipschitz", "Lipschitz constant L", r"L",
             "How fast the loss can change with the outputs; for the squared loss it is measured on the data.",
             "ASKL Lemma 1"),
        Term("rademacher", "Rademacher bound", r"\tfrac Bn\sqrt{K\,\|\varphi(X)\|_F^2}",
             "The paper's bound on how well these functions can fit pure noise.", "ASKL Theorem 3"),
        Term("worst_case", "Worst case", r"B\sqrt{K/n}",
             "The same bound if k(x, x) were 1 everywhere.", "ASKL Theorem 3"),
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
    lipschitz: float,
    gap: float,
    delta: float = 0.05,
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
        lipschitz: the loss's constant L.
        gap: test loss − training loss.
        delta: the bound holds with probability 1 − δ.
        draws: sign matrices for the exact complexity.
        generator: source of the signs.

    Source: ASKL Theorem 3.
    """
    K = W.shape[1]
    values = singular_values(W)
    B = float(values.sum())
    mean_trace = float(Phi.pow(2).sum(dtype=torch.float64 if Phi.device.type != "mps" else None)) / len(Phi)
    bound = rademacher_bound(B, mean_trace, K, n)
    exact, error = rademacher_exact([Phi], K, draws=draws, generator=generator)
    shrink = B * math.sqrt(len(Phi) / n)
    complexity = 4 * math.sqrt(2) * lipschitz * bound
    confidence = math.sqrt(math.log(1 / delta) / n)
    return {
        "empirical_risk": empirical_risk,
        "weight_norm": B,
        "rank": float(numerical_rank(values, (W.shape[0], K))),
        "mean_trace": mean_trace,
        "lipschitz": lipschitz,
        "rademacher": bound,
        "worst_case": B * math.sqrt(K / n),
        "dual_norm": shrink * exact,
        "dual_norm_se": shrink * error,
        "complexity": complexity,
        "confidence": confidence,
        "total": complexity + confidence,
        "gap": gap,
    }

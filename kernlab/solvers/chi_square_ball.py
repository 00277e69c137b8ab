"""Weights of random features by alignment with the targets, inside a χ² ball about the uniform weights.

    max over q   Σ_m q_m v_m,   v_m = Σ_k |Σ_i exp(iω_mᵀx_i) y_ik|²
                                with phases Σ_k (Σ_i √2 cos(ω_mᵀx_i + b_m) y_ik)²
    subject to   q ≥ 0,  Σ_m q_m = 1,  N_w Σ_m q_m² − 1 ≤ ρ

Σ_m q_m v_m is ⟨K_q, YYᵀ⟩ for the kernel with weights q: a linear function of q, so the problem is convex,
and at its solution q_m = (v_m − θ)₊ / Σ(v − θ)₊ for one threshold θ. What lies below θ is dropped.

The product is not divided by ‖K_q‖_F: it is not the cosine of kernel-target alignment, which may even fall with
many classes (digits: product × 3.9, alignment 0.55 → 0.46). Both are reported.

Source: LKRF eq. 8–14, for two classes with y = ±1. Several outputs: the label kernel ȲȲᵀ of centred one-hot
classes or centred targets, which is Cristianini et al.'s (2001) with the means off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from kernlab.errors import OptionError
from kernlab.heads.base import feature_blocks
from kernlab.linalg import alignment
from kernlab.options import component, option
from kernlab.solvers.base import SOLVERS, FullBatchSolver, Problem, parameters
from kernlab.typing import Float, Tensor

__all__ = ["ChiSquareBall", "chi_square", "chi_square_ball", "chi_square_ball_bisection", "relevance"]

RADII = (0.02, 0.005, 0.001)  # among which validation rows choose
UNCHOSEN = 0.005  # radius without validation rows
ROWS = 1000  # of the sample that alignments are measured on


@SOLVERS.register("chi_square_ball")
@component
class ChiSquareBall(FullBatchSolver):
    """Re-weights the candidate features of the map "weighted" and keeps those with a weight.

    A ball that contains a vertex of the simplex (one feature would get all weight), or in which q differs from
    uniform by less than the data's precision, is refused.
    """

    name = "chi_square_ball"
    title = "Alignment on a χ² ball"
    formula = r"\max_{q\in\Delta}\ q^\top v\quad\text{s.t.}\quad N_w\textstyle\sum_m q_m^2-1\le\rho"
    source = "LKRF eq. 8–14"
    learns = "q"
    objectives = ("alignment",)
    weighted = True
    version = 2
    defaults_of_version_1 = (
        ("radius", 0.005),
        ("validation", 0.0),
    )

    radius: float | Literal["auto"] = option(
        "auto",
        "Radius ρ of the χ² ball about uniform weights, as a share of the candidates N_w; auto: on validation rows "
        "(0.005 without them). A small ball keeps many features of nearly equal weight.",
        gt=0, lt=1, log=True,
    )  # fmt: skip
    algorithm: Literal["exact", "bisection"] = option(
        "exact", "Sort the candidates and find the threshold, or bisect on the dual variable as the paper does."
    )
    centred: bool = option(
        False,
        "Take the mean off y = ±1 too (two classes); further classes and real targets are always centred.",
        advanced=True,
    )
    resample: int = option(
        0,
        "Draw this many features, cosine and sine counting two, from the learned weights instead of keeping all that "
        "have one; 0: keep.",
        ge=0, le=200_000,
    )  # fmt: skip

    validation: float | Literal["auto"] = option(
        "auto",
        "Share of the training rows that do not train but choose the radius and the ridge penalty of the head; then "
        "everything is repeated on all rows. auto: a fifth, at most 2000 rows, where one of the two is auto, from "
        "100 rows on.",
        ge=0, le=0.5, advanced=True,
    )  # fmt: skip

    def resolve(self, K: int) -> ChiSquareBall:
        return self.replace(radius=UNCHOSEN) if self.radius == "auto" and not self.validation else self

    def candidates(self, problem: Problem) -> Sequence[ChiSquareBall]:
        """Wide balls, which keep few features, before narrow ones, which keep thousands."""
        return (self,) if self.radius != "auto" else tuple(self.replace(radius=radius) for radius in RADII)

    def steps(self, problem: Problem) -> int:
        return 1

    def start(self, problem: Problem) -> dict[str, Tensor]:
        """The candidates with uniform weights.

        Raises:
            OptionError: the ball is trivial.
        """
        state = super().start(problem)
        if self.radius == "auto":
            return state
        N = len(state["q"])
        if self.radius * N >= N - 1:
            raise OptionError(
                "radius must leave room for more than one feature: below 1 − 1/N_w",
                f"radius={self.radius:g} with {N} candidates",
                "lower radius (0.005 is usual) or raise n_features",
            )
        smallest = torch.finfo(problem.X.dtype).eps ** 2 / N  # q changes by √ρ of itself
        if self.radius <= smallest:
            raise OptionError(
                "radius must be large enough for the weights to leave uniform",
                f"radius={self.radius:g}",
                f"take one above {smallest:.1g} (0.005 is usual)",
            )
        return state

    def step(
        self, problem: Problem, state: Mapping[str, Tensor], number: int
    ) -> tuple[dict[str, Tensor], dict[str, float]]:
        """The kept features with their weights, largest weight first.

        State: ``omega`` [d 1 s], ``phase`` [1 s] unless paired, ``q`` [s]. Features drawn more than once are kept once,
        with their share of the draws as weight: the same kernel with fewer columns.

        Metrics: ``objective`` −⟨K_q, ȲȲᵀ⟩/(n‖ȲȲᵀ‖_F); ``gain``, how many times ⟨K, ȲȲᵀ⟩ has grown;
        ``alignment_before`` and ``alignment_after``, centred, on at most 1000 rows spread evenly; ``support``,
        ``chi_square`` and ``effective_size`` 1/Σq² of the weights that are kept.
        """
        assert self.radius != "auto"
        params = parameters(state)
        N, device, dtype = len(params["q"]), params["q"].device, params["q"].dtype
        targets = _targets(problem, self.centred)
        v = relevance(problem, params, targets)
        solve = chi_square_ball if self.algorithm == "exact" else chi_square_ball_bisection
        q = solve(v, self.radius * N)
        if self.resample:
            # Not the generator that drew the candidates: the same stream would tie the choice to their values.
            random = np.random.default_rng((problem.seed, self.resample))
            each = problem.representation.columns(params) // N
            draws = math.ceil(self.resample / each)
            q = random.multinomial(draws, q / q.sum()) / draws
        order = np.argsort(-q, kind="stable")[: int((q > 0).sum())]
        kept = torch.from_numpy(order).to(device)
        after: dict[str, Tensor] = {
            name: params[name][..., kept].contiguous() for name in ("omega", "phase") if name in params
        }
        after["q"] = torch.from_numpy(q[order]).to(device, dtype)
        rows = torch.linspace(0, len(problem.X) - 1, min(ROWS, len(problem.X)), device=problem.X.device).long()
        before_and_after = [
            alignment(problem.representation.apply(each, problem.X[rows]), problem.Y[rows]) for each in (params, after)
        ]
        size = len(problem.X) * float(torch.linalg.matrix_norm(targets.mT @ targets))
        mean = float(v.mean())
        metrics = {
            "objective": -float(q @ v) / size if size > 0 else 0.0,
            "gain": float(q @ v) / mean if mean > 0 else 1.0,
            "alignment_before": before_and_after[0],
            "alignment_after": before_and_after[1],
            "support": float(len(order)),
            "chi_square": chi_square(q),
            "effective_size": 1 / float(q @ q),
        }
        return after, metrics


def _targets(problem: Problem, centred: bool) -> Float[Tensor, "n K"]:
    """ȳ: −1 and 1 for two classes, else the centred one-hot or real targets; rows times the samples' weights."""
    w = torch.ones_like(problem.X[:, :1]) if problem.weight is None else problem.weight.to(problem.X)[:, None]
    signs = problem.task == "classification" and problem.K == 2
    Y = 2 * problem.Y[:, 1:] - 1 if signs else problem.Y
    if centred or not signs:
        Y = Y - (w * Y).sum(0) / w.sum()
    return w * Y


def relevance(problem: Problem, params: Mapping[str, Tensor], targets: Float[Tensor, "n K"]) -> NDArray[np.float64]:
    """v_m = ‖φ_m(X)ᵀȲ‖² of every candidate before its weight, [N_w]: of its cosine, or of cosine and sine.

    Φ comes in blocks of rows.
    """
    plain = {**params, "q": torch.ones_like(params["q"])}
    products = targets.new_zeros(targets.shape[1], problem.representation.columns(params))
    start = 0
    for Phi in feature_blocks(problem.representation, plain, problem.X):
        products.addmm_(targets[start : start + len(Phi)].mT, Phi)
        start += len(Phi)
    v: NDArray[np.float64] = products.cpu().double().square().sum(0).view(-1, len(params["q"])).sum(0).numpy()
    return v


def chi_square(q: ArrayLike) -> float:
    """D_χ²(q ‖ uniform) = N Σ q² − 1 of weights [N] on the simplex, written as N Σ (q − 1/N)²."""
    weights = np.asarray(q, np.float64)
    return float(len(weights) * np.square(weights - 1 / len(weights)).sum())


def chi_square_ball(v: ArrayLike, radius: float) -> NDArray[np.float64]:
    """The weights q that maximise qᵀv in a χ² ball about uniform, exactly, in at most O(N log N).

    .. math:: \\max_{q\\ge0,\\ \\mathbf 1^\\top q=1}\\ q^\\top v\\quad\\text{s.t.}\\quad N\\|q\\|^2-1\\le\\rho

    With the threshold θ at the (k+1)-th largest value the weights ∝ (v − θ)₊ have a χ² that falls as k grows:
    the support is the smallest k at which it is at most ρ. On it q = 1/k + s(v − mean v), with the s that
    makes the constraint active. Where the largest value is reached r times and the ball contains equal weights on
    those, N/r − 1 ≤ ρ, they are the answer: a vertex for r = 1, uniform for r = N.

    Args:
        v: values [N], finite, any sign.
        radius: ρ > 0.

    Returns:
        q [N], exactly 0 off the support.

    Raises:
        OptionError: ρ is not above 0, or v is not a list of finite numbers.

    Source: LKRF eq. 8 (its solution (12) with the dual variable eliminated).
    """
    v = _scaled(v, radius)
    if (vertex := _vertex(v, radius)) is not None:
        return vertex
    N = len(v)
    # χ² ≥ N/k − 1 on k features, and the support is seldom much larger than that: sort the top only.
    low = max(int(N / (1 + radius)), 1)
    high = min(2 * low, N)
    falling = _largest(v, high + 1)
    while high < N and _spread(falling, high, N) > radius:
        low, high = high, min(2 * high, N)
        falling = _largest(v, high + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _spread(falling, middle, N) > radius else (low, middle)
    top, k = falling[:high], high
    deviation = top - top.mean()
    slope = math.sqrt(max(0.0, radius - (N - k) / k) / N / float(deviation @ deviation))
    q: NDArray[np.float64] = np.maximum(1 / k + slope * (v - top.mean()), 0.0)
    q[v < top[-1]] = 0.0
    return q


def chi_square_ball_bisection(v: ArrayLike, radius: float, tol: float = 1e-12) -> NDArray[np.float64]:
    """The same weights by the paper's bisection on the dual variable λ of the constraint.

    For a given λ the maximiser is q = [v/(λN) + τ]₊, the projection of v/(λN) on the simplex, whose χ² falls
    as λ grows. The search runs over 1/λ.

    Args:
        v, radius: as for :func:`chi_square_ball`.
        tol: stop when χ² is within ``tol · ρ`` of ρ.

    Source: LKRF eq. 10–12; Duchi et al. 2008 (projection).
    """
    v = _scaled(v, radius)
    if (vertex := _vertex(v, radius)) is not None:
        return vertex
    N, falling, counts = len(v), np.sort(v)[::-1], np.arange(1, len(v) + 1)
    q: NDArray[np.float64] = np.full(N, 1 / N)
    low, high = 0.0, math.sqrt(radius) / N  # of 1/(λN)
    growing = True
    for _ in range(2000):
        scale = high if growing else (low + high) / 2
        sums = np.cumsum(scale * falling)
        k = int((scale * falling + (1 - sums) / counts > 0).sum())
        q = np.maximum(scale * v + (1 - sums[k - 1]) / k, 0.0)
        excess = chi_square(q) - radius
        if abs(excess) <= tol * radius:
            break
        if excess < 0:
            low, high = scale, 2 * high if growing else high
        else:
            high, growing = scale, False
        if not growing and high - low <= 2 * np.spacing(high):
            break
    return q


def _scaled(v: ArrayLike, radius: float) -> NDArray[np.float64]:
    """v moved and stretched to [−1, 0], which changes no solution."""
    values = np.asarray(v, np.float64)
    if not (math.isfinite(radius) and radius > 0):
        raise OptionError("the radius of the χ² ball must be above 0", radius)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise OptionError("the values to be weighted must be a list of finite numbers", f"shape {values.shape}")
    scaled = values - values.max()
    width = float(-scaled.min())
    if width > 0:
        scaled /= width
    scaled[scaled > -1e-100] = 0.0  # as good as tied: the squares of such gaps vanish
    return np.asarray(scaled)


def _spread(falling: NDArray[np.float64], k: int, N: int) -> float:
    """χ² of the weights whose threshold is the value that follows the k largest."""
    above = falling[:k] - falling[k]
    total = float(above.sum())
    return N * float(above @ above) / total**2 - 1 if total > 0 else math.inf


def _largest(v: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """The ``count`` largest values (all, if there are fewer), falling."""
    rest = max(0, len(v) - count)
    return np.sort(np.partition(v, rest)[rest:] if rest else v)[::-1]


def _vertex(v: NDArray[np.float64], radius: float) -> NDArray[np.float64] | None:
    """Equal weights on the largest values, if the ball contains them."""
    largest = v == v.max()
    r = int(largest.sum())
    return np.asarray(largest / r) if len(v) - r <= radius * r else None

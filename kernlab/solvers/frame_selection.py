"""Which functions of a frame a kernel is made of: its spectrum λ and the weights of the outputs at once.

    min over w, λ ≥ 0   (1/n)‖Ψw − Y‖² + g‖w‖² + b Σ_j λ_j^γ,     Ψ = Φ diag(λ)^½

With μ_j = √λ_j w_j the best λ for a given μ is known, and what remains is a convex problem in μ:

    min over μ   (1/n)‖Φμ − Y‖² + c Σ_j ‖μ_j‖^p,      p = 2γ/(γ+1) ∈ [1, 2)
    λ_j = (g‖μ_j‖²/(γb))^{1/(γ+1)},     c = (1 + 1/γ) g^{γ/(γ+1)} (γb)^{1/(γ+1)}

‖μ_j‖ is the norm over the outputs, so that several outputs, or one-hot classes, share one kernel; with one output it
is the paper's |μ_j|. The constants are those of the minimisation over λ; the paper's lack a factor γ in λ_j and are
right for γ = 1 only, where the problem is the lasso. Every output is of unit variance here (kernlab standardises
targets), so g means the same for all data, and useful values are smaller than on targets in [0, 1].

All algorithms work on ΦᵀΦ/n and ΦᵀY/n, gathered once from blocks of rows, and bound their distance from the optimum by
a duality gap.

Source: FKS eq. 12–13, Theorem 4, Algorithm 1.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
import torch
from scipy.sparse.linalg import eigsh

from kernlab.errors import CompositionError
from kernlab.heads.base import feature_blocks
from kernlab.linalg import cholesky, moments, wide
from kernlab.options import component, option
from kernlab.solvers.base import SOLVERS, FullBatchSolver, Problem, parameters
from kernlab.typing import Float, Tensor

__all__ = [
    "FrameSelection",
    "Means",
    "best_spectrum",
    "duality_gap",
    "lasso",
    "means",
    "penalty_constant",
    "penalty_exponent",
    "power_prox",
]

ITERATIONS = 20  # of FISTA in one step
NEAR = 0.9  # of the penalty: gradients from here on may soon give a function weight
ROUGH = 5e-2  # relative duality gap that suffices to compare two values of g
UNCHOSEN = 1e-5  # g without validation rows
PAPER_CHANGE = 0.01  # relative change at which the paper stops


def penalty_exponent(gamma: float) -> float:
    """p = 2γ/(γ+1) of the penalty on ‖μ_j‖: 1 for γ = 1, towards 2 as γ grows."""
    return 2 * gamma / (gamma + 1)


def penalty_constant(g: float, b: float, gamma: float) -> float:
    """c of min over λ of g μ²/λ + bλ^γ = c|μ|^p; 2√(gb) for γ = 1. Source: FKS Theorem 4, corrected for γ ≠ 1."""
    power = gamma / (gamma + 1)
    return float((1 + 1 / gamma) * g**power * (gamma * b) ** (1 - power))


def best_spectrum(mu: Float[Tensor, "D K"], g: float, b: float, gamma: float) -> Float[Tensor, " D"]:
    """λ_j = (g‖μ_j‖²/(γb))^{1/(γ+1)}, the minimiser of g‖μ_j‖²/λ + bλ^γ. Source: FKS Theorem 4, corrected."""
    # As a power of the norm: its square would underflow.
    scale: float = (g / (gamma * b)) ** (1 / (gamma + 1))
    powers: Tensor = mu.norm(dim=1) ** (2 / (gamma + 1))
    return scale * powers


def power_prox(V: Float[Tensor, "D K"], threshold: float, p: float) -> Float[Tensor, "D K"]:
    """Proximal map of ``threshold · Σ_j ‖·_j‖^p``, 1 ≤ p < 2: every row keeps its direction and is shortened.

    The new length r solves r + t p r^{p−1} = ‖v_j‖. In s = r^{p−1} the left side is convex and grows, so Newton's
    method from a point to the right falls to the root without passing it; a safeguard against rounding keeps
    every step inside [0, s]. For p = 1 it is the soft threshold.

    Args:
        V: rows.
        threshold: t ≥ 0.
        p: the exponent.
    """
    length = V.norm(dim=1)
    if p == 1:
        r = (length - threshold).clamp_min(0)
    elif threshold == 0:
        r = length
    else:
        power, slope = 1 / (p - 1), threshold * p
        s = torch.minimum(length / slope, length ** (p - 1))
        for _ in range(100):
            excess = s**power + slope * s - length
            after = (s - excess / (power * s ** (power - 1) + slope)).clamp_min(0).minimum(s)
            moved, s = s - after, after
            if bool((moved <= 4e-16 * s).all()):
                break
        r = s**power
    return V * torch.where(length > 0, r / length.where(length > 0, 1.0), 0.0)[:, None]


@dataclass(frozen=True, eq=False)
class Means:
    """What the objective depends on, in float64 on the CPU (weighted means where samples have weights).

    Attributes:
        gram: ΦᵀΦ/n, [D D].
        cross: ΦᵀY/n, [D K].
        square: ‖Y‖²/n.
    """

    gram: Tensor
    cross: Tensor
    square: float

    @cached_property
    def curvature(self) -> float:
        """The largest eigenvalue of ΦᵀΦ/n, from above: the upper frame constant on these rows."""
        if len(self.gram) <= 100:
            return 1.000001 * float(torch.linalg.eigvalsh(self.gram)[-1])
        start = np.ones(len(self.gram))
        largest = eigsh(self.gram.numpy(), k=1, which="LA", v0=start, tol=1e-6, return_eigenvectors=False)
        return 1.000001 * float(largest[0])

    def loss(self, mu: Float[Tensor, "D K"]) -> float:
        """(1/n)‖Φμ − Y‖²."""
        return max(0.0, self.square + float((mu * (self.gram @ mu - 2 * self.cross)).sum()))

    def gradient(self, mu: Float[Tensor, "D K"]) -> Float[Tensor, "D K"]:
        """Of the loss."""
        slope: Tensor = 2 * (self.gram @ mu - self.cross)
        return slope


def means(problem: Problem) -> Means:
    """The means over a problem's rows; Φ has all λ = 1 and comes in blocks of rows.

    Raises:
        DataError: bad sample weights.
    """
    params = problem.representation.init(problem.X, problem.generator())
    m = moments(feature_blocks(problem.representation, params, problem.X), problem.Y, sample_weight=problem.weight)
    total = float(len(problem.X) if problem.weight is None else wide(problem.weight).sum())
    squares = wide(problem.Y).square().sum(1)
    square = float(squares.mean() if problem.weight is None else wide(problem.weight) @ squares / total)
    # moments() takes means off, this objective has no bias.
    gram = m.gram / total + torch.outer(m.mean, m.mean)
    cross = m.cross / total + torch.outer(m.mean, m.target_mean)
    return Means(gram.cpu(), cross.cpu(), square)


#: Of the problems being solved: gathered once, forgotten with the problem.
_MEANS: WeakKeyDictionary[Problem, Means] = WeakKeyDictionary()


def means_of(problem: Problem) -> Means:
    if problem not in _MEANS:
        _MEANS[problem] = means(problem)
    return _MEANS[problem]


def duality_gap(of: Means, mu: Float[Tensor, "D K"], c: float, p: float) -> float:
    """How far the objective at μ is above its minimum, at most.

    .. math:: \\tfrac1n\\|R\\|^2+c\\sum_j\\|\\mu_j\\|^p-\\max_s\\Bigl[\\tfrac{2s}n\\langle R,Y\\rangle
              -\\tfrac{s^2}n\\|R\\|^2-\\sum_j f^*\\bigl(\\tfrac{2s}n\\|\\Phi_j^\\top R\\|\\bigr)\\Bigr]

    with the residual R = Y − Φμ, f(r) = c r^p, f*(u) = (p−1)c(u/(cp))^{p/(p−1)}, and for p = 1 f*(u) = 0 up to c and
    infinite beyond. Source: Fenchel duality.
    """
    loss, slope = of.loss(mu), of.gradient(mu).norm(dim=1)
    inner = of.square - float((mu * of.cross).sum())
    steepest = float(slope.max())
    if p == 1:
        best = inner / loss if loss > 0 else 1.0
        most = c / steepest if steepest > 0 else math.inf  # f* is infinite beyond, on either side
        s = torch.tensor([min(max(best, -most), most)]).double()
        conjugate = torch.zeros(1).double()
    else:
        lowest = min(1.0, 0.5 * c * p / steepest) if steepest > 0 else 1.0
        s = torch.from_numpy(np.geomspace(lowest, 1.0, 30))
        ratio = torch.outer(s, slope / (c * p))
        conjugate = (p - 1) * c * (ratio ** (p / (p - 1))).sum(1)
    dual = float((2 * s * inner - s.square() * loss - conjugate).max())
    return max(0.0, loss + c * float((mu.norm(dim=1) ** p).sum()) - dual)


@SOLVERS.register("frame_selection")
@component
class FrameSelection(FullBatchSolver):
    """Frame kernel selection: finds the ``spectrum`` of a frame and ``weight``.

    State: ``spectrum`` λ [D], ``weight`` μ/√λ [D K] (0 where λ is), ``solver/mu`` [D K] and, for the algorithms
    that take several steps, what they need to go on.

    Metrics: ``objective`` = ``loss`` (mean squared error on standardised targets) + ``penalty``; ``nonzero``
    columns; ``relative_change`` of μ in the step; ``duality_gap``, relative to the objective.
    """

    name = "frame_selection"
    title = "Frame kernel selection"
    formula = r"\min_\mu\ \tfrac1n\|\Phi\mu-Y\|^2+\sum_j c_j\|\mu_j\|_2^{2\gamma/(\gamma+1)}"
    source = "FKS eq. 12–13, Algorithm 1"
    learns = "spectrum"
    objectives = ("squared",)
    gives_weights = True
    weighted = True
    version = 2
    defaults_of_version_1 = (
        ("g", 1e-05),
        ("validation", 0.0),
    )

    algorithm: Literal["auto", "lasso", "fista", "subgradient"] = option(
        "auto",
        "Coordinate descent of the lasso (γ = 1), accelerated proximal gradient, or the paper's sub-gradient method; "
        "auto: the lasso for one output and γ = 1, else proximal gradient.",
    )
    g: float | Literal["auto"] = option(
        "auto", "Weight g of ‖f‖²_K, for targets of unit variance; auto: on validation rows (1e-5 without them).",
        gt=0, le=1e6, log=True,
    )  # fmt: skip
    validation: float | Literal["auto"] = option(
        "auto",
        "Share of the training rows that do not train but choose g; then everything is repeated on all rows. "
        "auto: a fifth, at most 2000 rows, where g is auto, from 100 rows on.",
        ge=0, le=0.5, advanced=True,
    )  # fmt: skip
    b: float = option(1.0, "Price b of λ^γ in the kernel; scales λ and multiplies g.", gt=0, le=1e6, log=True)
    gamma: float = option(1.0, "Exponent γ of the price: 1 selects, more than 1 only damps.", ge=1, le=100)
    max_iterations: int = option(
        30_000, "Sweeps or iterations at most.", ge=1, le=10_000_000, log=True, advanced=True
    )  # fmt: skip
    tolerance: float = option(
        1e-3,
        "Duality gap, relative to the objective, at which to stop (the sub-gradient method stops where μ changes by "
        "1 % or less, as in the paper).",
        gt=0, lt=1, log=True, advanced=True,
    )  # fmt: skip

    @property
    def _penalty(self) -> tuple[float, float]:
        """c and p."""
        assert self.g != "auto", "g is chosen before the first step"
        return penalty_constant(self.g, self.b, self.gamma), penalty_exponent(self.gamma)

    def resolve(self, K: int) -> FrameSelection:
        g = UNCHOSEN if self.g == "auto" and not self.validation else self.g
        return self.replace(algorithm=self._chosen(K), g=g)

    def candidates(self, problem: Problem) -> Sequence[FrameSelection]:
        """Values of g whose penalty constants are 10^{−½}, 10^{−1} … of that which leaves no function (γ = 1)."""
        if self.g != "auto":
            return (self,)
        largest = 2 * float(means_of(problem).cross.norm(dim=1).max()) or 1.0
        power = self.gamma / (self.gamma + 1)
        unit = penalty_constant(1.0, self.b, self.gamma)
        values = [(largest * 10 ** (-k / 2) / unit) ** (1 / power) for k in range(1, 10)]
        return tuple(self.replace(g=float(f"{min(max(g, 1e-12), 1e6):.3g}")) for g in values)

    def rough(self) -> FrameSelection:
        return self.replace(tolerance=max(self.tolerance, ROUGH))

    def warm(self, start: dict[str, Tensor], solution: Mapping[str, Tensor]) -> dict[str, Tensor]:
        mu = solution["solver/mu"]
        return start | {key: mu for key in ("solver/mu", "solver/ahead") if key in start}

    def _chosen(self, K: int) -> str:
        """The algorithm. Coordinate descent for several outputs takes minutes, and a step cannot be stopped."""
        if self.algorithm != "auto":
            return self.algorithm
        return "lasso" if K == 1 and self.gamma == 1 else "fista"

    def steps(self, problem: Problem) -> int:
        per_step = {"lasso": self.max_iterations, "fista": ITERATIONS, "subgradient": 1}[self._chosen(problem.K)]
        return math.ceil(self.max_iterations / per_step)

    def start(self, problem: Problem) -> dict[str, Tensor]:
        """All λ = 1 and no weights.

        Raises:
            CompositionError: the lasso with γ > 1.
            DataError: the frame does not take these inputs.
        """
        if self.algorithm == "lasso" and self.gamma > 1:
            raise CompositionError(
                "the lasso has the penalty ‖μ_j‖, which is that of γ = 1: above, the exponent 2γ/(γ+1) is more than 1",
                f"algorithm=lasso, gamma={self.gamma:g}",
                "set algorithm=fista, or gamma=1",
            )
        state = super().start(problem)
        mu = torch.zeros(len(state["spectrum"]), problem.K, dtype=torch.float64)
        state |= {"weight": mu.to(problem.X), "solver/mu": mu}
        if self._chosen(problem.K) == "fista":
            state |= {"solver/ahead": mu, "solver/momentum": torch.ones((), dtype=torch.float64)}
        return state | {"solver/rest": torch.ones((), dtype=torch.float64)}

    def done(self, state: Mapping[str, Tensor]) -> bool:
        """Whether what is left is small enough: the duality gap, or for the sub-gradient method the last change."""
        return float(state["solver/rest"]) <= (PAPER_CHANGE if self.algorithm == "subgradient" else self.tolerance)

    def step(
        self, problem: Problem, state: Mapping[str, Tensor], number: int
    ) -> tuple[dict[str, Tensor], dict[str, float]]:
        assert self.g != "auto"
        of, (c, p) = means_of(problem), self._penalty
        before = state["solver/mu"].cpu()
        own: dict[str, Tensor] = {}
        algorithm = self._chosen(problem.K)
        if algorithm == "lasso":
            mu = lasso(of, c, self.tolerance, self.max_iterations)
        elif algorithm == "fista":
            count = min(ITERATIONS, self.max_iterations - number * ITERATIONS)
            mu, ahead, momentum = _fista(
                of, c, p, before, state["solver/ahead"].cpu(), float(state["solver/momentum"]), count
            )
            own = {"solver/ahead": ahead, "solver/momentum": torch.tensor(momentum, dtype=torch.float64)}
        else:
            mu = _subgradient_step(of, c, p, before)
        loss, penalty = of.loss(mu), c * float((mu.norm(dim=1) ** p).sum())
        size = max(float(before.norm()), float(mu.norm()))
        change = float((mu - before).norm()) / size if size > 0 else 0.0
        gap = duality_gap(of, mu, c, p) / (loss + penalty) if loss + penalty > 0 else 0.0
        spectrum = best_spectrum(mu, self.g, self.b, self.gamma).to(problem.X)
        root = wide(spectrum).cpu().sqrt()[:, None]
        weight = torch.where(root > 0, mu / root.where(root > 0, 1.0), 0.0)
        return {
            **parameters(state),
            "spectrum": spectrum,
            "weight": weight.to(problem.X),
            "solver/mu": mu,
            "solver/rest": torch.tensor(change if self.algorithm == "subgradient" else gap, dtype=torch.float64),
            **own,
        }, {
            "objective": loss + penalty,
            "loss": loss,
            "penalty": penalty,
            "nonzero": float((spectrum > 0).sum()),
            "relative_change": change,
            "duality_gap": gap,
        }


def lasso(of: Means, c: float, tolerance: float, sweeps: int) -> Float[Tensor, "D K"]:
    """The minimum for γ = 1 by scikit-learn's coordinate descent.

    .. math:: \\min_\\mu\\ \\tfrac1n\\|\\Phi\\mu-Y\\|^2+c\\sum_j\\|\\mu_j\\|

    From ΦᵀΦ for one output and from its Cholesky factor for several. It stops where its gap is small against
    ‖Y‖²; here it goes on until the gap is small against the objective.

    Args:
        of: the means, which are all it needs of the data.
        c: weight of the penalty.
        tolerance: duality gap, relative to the objective, at which to stop.
        sweeps: passes over the coefficients, at most.
    """
    from sklearn.exceptions import ConvergenceWarning  # a third of a second that a page without frames does not wait
    from sklearn.linear_model import lasso_path

    D, K = of.cross.shape
    options: dict[str, Any] = {"alphas": [c / 2], "return_n_iter": True}
    if K == 1:
        # D rows take the place of the data, of which it only reads their number and ‖y‖².
        X = of.gram.numpy()
        y = np.full(D, math.sqrt(of.square))
        options |= {"precompute": D * X, "Xy": D * of.cross[:, 0].numpy(), "check_input": False}
    else:
        L, _ = cholesky(of.gram)
        X = np.asfortranarray(math.sqrt(D) * L.mT.numpy())
        y = np.asfortranarray(math.sqrt(D) * torch.linalg.solve_triangular(L, of.cross, upper=False).numpy())
    tol, found = tolerance, None
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is measured and reported instead
            _, path, _, used = lasso_path(X, y, **options, coef_init=found, max_iter=sweeps, tol=tol)
        found, sweeps, tol = path[..., 0], sweeps - int(np.max(used)), tol / 10
        mu = torch.from_numpy(np.ascontiguousarray(found.reshape(K, D).T))
        small = tolerance * (of.loss(mu) + c * float(mu.norm(dim=1).sum()))
        if sweeps <= 0 or tol < 1e-15 or duality_gap(of, mu, c, 1.0) <= small:
            return mu


def _fista(
    of: Means,
    c: float,
    p: float,
    mu: Float[Tensor, "D K"],
    ahead: Float[Tensor, "D K"],
    momentum: float,
    count: int,
) -> tuple[Float[Tensor, "D K"], Float[Tensor, "D K"], float]:
    """Accelerated proximal gradient; the momentum starts anew where it points uphill.

    For p = 1 the iterations change only the functions that have weight, or whose gradient is close to the penalty
    that keeps them out; which these are is decided anew whenever this is called.

    Source: Beck & Teboulle 2009; O'Donoghue & Candès 2015 (restart).
    """
    rate, active = 0.5 / of.curvature, torch.ones(len(mu), dtype=torch.bool)
    if p == 1:
        active = (mu != 0).any(1) | (ahead != 0).any(1) | (of.gradient(mu).norm(dim=1) >= NEAR * c)
    part = of if active.all() else Means(of.gram[active][:, active], of.cross[active], of.square)
    at, beyond = mu[active], ahead[active]
    for _ in range(count):
        after = power_prox(beyond - rate * part.gradient(beyond), rate * c, p)
        if float(((beyond - after) * (after - at)).sum()) > 0:
            momentum = 1.0
        next_momentum = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        beyond = after + (momentum - 1) / next_momentum * (after - at)
        at, momentum = after, next_momentum
    # What is not active has no weight.
    found, next_ahead = torch.zeros_like(mu), torch.zeros_like(ahead)
    found[active], next_ahead[active] = at, beyond
    return found, next_ahead, momentum


def _subgradient_step(of: Means, c: float, p: float, mu: Float[Tensor, "D K"]) -> Float[Tensor, "D K"]:
    """One step along a sub-gradient, to the minimum on that line (found by bisection of the slope).

    Where μ_j is 0 the penalty's part of it is 0: the sign of 0. At a kink the step may be of no length.

    Source: FKS Algorithm 1, with the usual sign in its ν.
    """

    def penalty_slope(at: Tensor) -> Tensor:
        length = at.norm(dim=1, keepdim=True)
        slope: Tensor = c * p * at * length.where(length > 0, 1.0) ** (p - 2)
        return slope

    gradient = of.gradient(mu)
    direction = gradient + penalty_slope(mu)
    curve = 2 * float((direction * (of.gram @ direction)).sum())
    start = float((direction * gradient).sum())

    def along(rate: float) -> float:
        return curve * rate - start - float((penalty_slope(mu - rate * direction) * direction).sum())

    low, high = 0.0, 0.5 / of.curvature
    while along(high) < 0:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if along(middle) < 0 else (low, middle)
    return mu - low * direction

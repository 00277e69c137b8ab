"""ℓ_p-norm multiple kernel learning: a support vector machine and the weights of its kernels together.

    min over θ ≥ 0, ‖θ‖_p ≤ 1 and f = Σ_m f_m, b of   ½ Σ_m ‖f_m‖²/θ_m + C Σ_i w_i ℓ(f(x_i) + b, y_i)

with ℓ the ε-insensitive loss of each target, or the hinge loss of each class against the rest. It is convex,
and solved by turns: the machine on K_θ = Σ_m θ_m K_m, whose part m has ‖f_m‖² = θ_m² q_m, q_m = αᵀK_mα; then

    θ_m = ‖f_m‖^{2/(p+1)} / (Σ_l ‖f_l‖^{2p/(p+1)})^{1/p}

the best weights for these parts, in closed form. No turn can raise the objective. Any coefficients α of the
machine give a lower bound, L(α) − ½‖q‖_{p*} with 1/p + 1/p* = 1 and L(α) = Σ_i (y_i α_i − ε|α_i|) or Σ_i |α_i|:
what the objective lies above it is the duality gap, and the solver stops when that is small.

LibSVM keeps its kernel in single precision, which can leave a larger gap than that whatever its own tolerance. It
finds, though, which coefficients lie between their bounds, 0 < |α_i| < C w_i, and for those the conditions of
optimality are linear; they are solved in double precision:

    Σ_j k(x_i, x_j) α_j + b = y_i − ε sgn α_i,    Σ_j α_j = 0

Source: FKS section 5 (compared with); Kloft et al. 2011, Theorem 1 and Algorithm 1; Vishwanathan et al. 2010.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from kernlab.feature_maps.base import KernelSum
from kernlab.heads.base import Fitting, all_classes
from kernlab.heads.dual import expansion, gram_matrix
from kernlab.heads.libsvm import one_for_each
from kernlab.linalg import as_numpy, wide
from kernlab.options import component, option
from kernlab.solvers.base import SOLVERS, FullBatchSolver, Problem
from kernlab.typing import Float, Tensor

__all__ = ["MultipleKernels", "best_weights", "part_norms", "sharpened"]

# Violations of the optimality conditions at which LibSVM stops, until the machine's own gap is below half of what is
# promised: the first is finer than LibSVM takes by itself, the last is all that single precision can resolve.
LIBSVM = (1e-4, 1e-6, 1e-8)


@SOLVERS.register("mkl")
@component
class MultipleKernels(FullBatchSolver):
    """ℓ_p-norm multiple kernel learning; one step is one turn."""

    name = "mkl"
    title = "Multiple kernel learning"
    formula = r"\min_{\|\theta\|_p\le1,f}\tfrac12\sum_m\|f_m\|^2/\theta_m+C\sum_i\ell(f(x_i),y_i)"
    source = "FKS section 5; Kloft et al. 2011"
    learns = "theta"
    gives_weights = True

    p: float = option(
        2.0, "Norm of the kernel weights: near 1 few kernels are kept, for large p all alike.", ge=1, le=100
    )
    C: float = option(1.0, "Weight of the errors, summed over samples, against the norm of f.", gt=0, log=True)
    epsilon: float = option(
        0.1, "Half-width ε of the tube, in standard deviations of the target (regression only).", ge=0
    )
    max_turns: int = option(100, "At most this many turns.", ge=1, le=100_000, advanced=True)
    tolerance: float = option(
        1e-3, "Duality gap, relative to the objective, at which it stops.", gt=0, lt=1, log=True, advanced=True
    )

    def steps(self, problem: Problem) -> int:
        return self.max_turns

    def start(self, problem: Problem) -> dict[str, Tensor]:
        """Equal weights of ℓ_p norm 1, and f = 0 on a support of one row."""
        theta = super().start(problem)["theta"]
        return {
            "theta": torch.full_like(theta, len(theta) ** (-1 / self.p)),
            "support": problem.X[:1],
            "dual": problem.X.new_zeros(1, problem.K),
            "bias": problem.X.new_zeros(problem.K),
            "solver/squares": torch.zeros_like(theta),
            "solver/gap": theta.new_tensor(math.inf),
        }

    def step(
        self, problem: Problem, state: Mapping[str, Tensor], number: int
    ) -> tuple[dict[str, Tensor], dict[str, float]]:
        """The weights that suit the last machine best, then the machine that suits them.

        The model is ``theta`` [M], ``support`` [s d], ``dual`` [s K] and ``bias`` [K]. Measured are the primal
        ``objective`` and its parts ``norm`` and ``loss``, the relative duality ``gap``, and the largest
        ``change`` of a weight.
        """
        from sklearn import svm

        kernel = problem.representation
        assert isinstance(kernel, KernelSum)
        theta = best_weights(state["theta"], state["solver/squares"], self.p)
        at = Fitting(
            kernel, {"theta": theta}, problem.X, problem.y, problem.K, problem.task, weight=problem.weight
        ).of_positive_weight()
        classes = at.classes() if at.task == "classification" else None
        Y = _signs(at.y, classes) if classes else wide(at.Y)
        epsilon = 0.0 if classes else self.epsilon
        settings = {"kernel": "precomputed", "C": self.C, "cache_size": 500}
        machine, more = (svm.SVC, {}) if classes else (svm.SVR, {"epsilon": epsilon})
        K, Y = gram_matrix(kernel, at.params, at.X).cpu(), Y.cpu()
        bound = torch.full_like(Y[:, 0], self.C) if at.weight is None else self.C * wide(at.weight).cpu()

        def judged(A: Tensor, b: Tensor) -> tuple[float, float, float]:
            """The loss, the linear part of the lower bound, and the machine's own relative gap."""
            KA = K @ A
            errors = 1 - Y * (KA + b) if classes else (Y - KA - b).abs() - epsilon
            loss = float(bound @ errors.clamp_min(0).sum(1))
            linear, square = float((Y * A).sum() - epsilon * A.abs().sum()), float((A * KA).sum())
            return loss, linear, (loss + square - linear) / max(loss + square / 2, 1e-300)

        for stop in LIBSVM:
            A, b = one_for_each(machine, settings | more | {"tol": stop}, as_numpy(K), Y, at.weight)
            if judged(A, b)[2] > self.tolerance / 2:
                A, b = min((A, b), sharpened(K, Y, A, b, bound, epsilon), key=lambda found: judged(*found)[2])
            loss, linear, own = judged(A, b)
            if own <= self.tolerance / 2:
                break

        squares = part_norms(kernel, at.X, A)
        norm = 0.5 * float(wide(theta).cpu() @ squares)
        below = linear - 0.5 * float(squares.norm(self.p / (self.p - 1) if self.p > 1 else math.inf))
        gap = (norm + loss - below) / max(norm + loss, 1e-300)

        if classes:
            A, b = all_classes(A, b, classes, at.K)
        model = {"theta": theta} | expansion(at.X, A, b)
        solver = {"solver/squares": squares.to(theta), "solver/gap": theta.new_tensor(gap)}
        change = float((theta - state["theta"]).abs().max())
        measured = {"objective": norm + loss, "norm": norm, "loss": loss, "gap": gap, "change": change}
        return model | solver, measured

    def done(self, state: Mapping[str, Tensor]) -> bool:
        return float(state["solver/gap"]) <= self.tolerance


def best_weights(theta: Float[Tensor, " M"], squares: Float[Tensor, " M"], p: float) -> Float[Tensor, " M"]:
    """θ of ℓ_p norm 1 that minimises Σ_m ‖f_m‖²/θ_m for ‖f_m‖² = θ_m² q_m; unchanged if all parts are 0.

    Source: Kloft et al. 2011, Proposition 1.
    """
    lengths = wide(theta) * wide(squares).clamp_min(0).sqrt()
    if not float(lengths.max()) > 0:
        return theta
    found = (lengths / lengths.max()) ** (2 / (p + 1))
    return found.div_(found.norm(p)).to(theta)


def sharpened(
    K: Float[Tensor, "n n"],
    Y: Float[Tensor, "n c"],
    A: Float[Tensor, "n c"],
    b: Float[Tensor, " c"],
    bound: Float[Tensor, " n"],
    epsilon: float,
) -> tuple[Float[Tensor, "n c"], Float[Tensor, " c"]]:
    """Coefficients and biases whose conditions of optimality hold in double precision, by one linear system a column.

    A column stays as it is where a coefficient would leave its bounds: then LibSVM has not found which are free.

    Args:
        K: Gram matrix in float64.
        Y: targets, or signs ±1 with ``epsilon`` 0.
        A, b: of LibSVM.
        bound: C w_i of every row.
        epsilon: half-width ε of the tube.
    """
    A, b = A.clone(), b.clone()
    for k, a in enumerate(A.mT):
        free = (a != 0) & (a.abs() < bound * (1 - 1e-9))
        if not free.any():
            continue
        left = torch.nn.functional.pad(K[free][:, free], (0, 1, 0, 1), value=1.0)
        left[-1, -1] = 0
        fixed = torch.where(free, 0.0, a)
        right = torch.cat([(Y[:, k] - epsilon * a.sign() - K @ fixed)[free], -fixed.sum()[None]])
        found = torch.linalg.lstsq(left, right[:, None], driver="gelsy").solution[:, 0]
        if bool(((found[:-1] * a[free].sign() >= 0) & (found[:-1].abs() <= bound[free])).all()):
            a[free], b[k] = found[:-1], found[-1]
    return A, b


def part_norms(kernel: KernelSum, X: Float[Tensor, "n d"], A: Float[Tensor, "n c"]) -> Float[Tensor, " M"]:
    """q_m = Σ_k α_kᵀ K_m α_k over the machines k, for every kernel of the dictionary."""
    used = (A != 0).any(1)
    total = torch.zeros(kernel.count, dtype=torch.float64)
    if not used.any():  # no target lies outside the tube
        return total
    X, A = X[used.to(X.device)], A[used]
    for rows, parts in kernel.blocks(X, X):
        total += torch.stack([(A[rows] * (part.cpu() @ A)).sum() for part in parts])
    return total


def _signs(y: Tensor, classes: list[int]) -> Float[Tensor, "n c"]:
    """1 for rows of a class and −1 for the rest, a column for each class; of two classes the second alone."""
    columns = torch.tensor(classes[1:] if len(classes) == 2 else classes, device=y.device)
    return wide(2.0 * (y[:, None] == columns) - 1.0)

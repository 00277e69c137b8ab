"""Errors found in the paper on frame kernels that are about its theory, each as numbers that show it.

    roots     FKS, proof of Theorem 3   the root of r² − ar − b = 0, as printed and as it is
    rates     FKS Theorem 3             1/m as printed, m^{−γ/(γ+1)} as the proof gives it, 1/√m where t stays
    products  FKS section 3.2           sums and products of functions of one input, on a robot arm

Everything is small enough to be computed while a slider moves.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import zeta
from sklearn.linear_model import RidgeCV

from kernlab.bounds.frame import fixed_point
from kernlab.feature_maps import FourierFrame

__all__ = ["Products", "Rates", "Roots", "products", "rates", "roots"]

Vector = NDArray[np.float64]

_POINTS = 160  # of a curve


class Roots(NamedTuple):
    """The equation r = √(ar + b), what solves it, and what the paper says does.

    Attributes:
        r: [p].
        complexity: √(ar + b) [p].
        searched: where iterating r ← √(ar + b) ends.
        root: ½(a + √(a² + 4b)).
        printed_root: ½(a + √(a² + 4b²)).
        printed: a + b, which the paper has as the bound on the root.
        corrected: a + √b, which does bound it.
    """

    r: Vector
    complexity: Vector
    searched: float
    root: float
    printed_root: float
    printed: float
    corrected: float


def roots(a: float = 1e-3, b: float = 1e-3) -> Roots:
    """The positive root of r² − ar − b = 0 by iteration and in closed form, beside the printed one.

    Args:
        a, b: > 0.

    Source: FKS, proof of Theorem 3.
    """
    printed_root = (a + math.hypot(a, 2 * b)) / 2
    values = float(fixed_point(a, b)), printed_root, a + b, a + math.sqrt(b)
    r = np.geomspace(min(values) / 10, max(values) * 10, _POINTS)
    searched = values[3]
    for _ in range(200):  # each step at least halves the distance: the slope is a/2√(ar + b), less than ½ at a root
        searched = math.sqrt(a * searched + b)
    return Roots(r, np.sqrt(a * r + b), searched, values[0], printed_root, a + b, values[3])


class Rates(NamedTuple):
    """The fixed point r* over the number of rows, and what the paper has in its place, for λ_i = c i^{−γ}.

    Attributes:
        m: rows [p].
        root: r*, the smallest root over t, with the exact tail [p].
        held: the root at the t that the printed bound chooses [p].
        printed: min over t of a + b with the printed tail [p].
        order: a power of m with the exponent −γ/(γ+1), through r* at the last m [p].
        iterated: (m, r) where r ← √((C/m) min_t(tr + Σ_{j>t} λ_j)) was iterated to the end, for some m.
        here: (m, root, printed) at the m that is set.
        t: the one that is held.
        gamma: γ.
    """

    m: Vector
    root: Vector
    held: Vector
    printed: Vector
    order: Vector
    iterated: tuple[Vector, Vector]
    here: tuple[float, float, float]
    t: int
    gamma: float


_MOST_T = 50_000
_SCALE = 8.0  # 2B²L² with M = F = ½: targets and outputs that are 1 wide


@lru_cache(4)
def _tails(gamma: float) -> Vector:
    return np.asarray(zeta(gamma, np.arange(2, _MOST_T + 2.0)))


def rates(gamma: float = 2.0, c: float = 1.0, m: int = 10_000) -> Rates:
    """r* at the best t, at a t that stays, and as printed, for m from 10 to 10⁹ rows and |y|, |f| ≤ ½.

    .. math:: \\psi(r)^2=\\frac{2B^2L^2}m\\min_t\\Big(tr+\\sum_{j>t}cj^{-\\gamma}\\Big),\\qquad r^*=\\psi(r^*)

    The tail is exact, by the zeta function of Hurwitz. The fixed point is found twice, by the root of the quadratic
    equation for every t and by iterating ψ.

    Args:
        gamma: γ > 1.
        c: height of the eigenvalues.
        m: rows that are marked.

    Source: FKS Theorem 3 and its proof; Bartlett, Bousquet & Mendelson 2005.
    """
    t, tails = np.arange(1, _MOST_T + 1.0), c * _tails(gamma)
    printed = t + c * t ** (1 - gamma) / (gamma - 1)
    held = int(printed.argmin())

    def root(rows: float) -> tuple[float, float]:
        unit = _SCALE / rows
        return float(fixed_point(unit * t, unit * tails).min()), float(fixed_point(unit * t[held], unit * tails[held]))

    places = np.geomspace(10, 1e9, 49)
    found = np.array([root(rows) for rows in places.tolist()])
    marks = places[::8]
    return Rates(
        places,
        found[:, 0],
        found[:, 1],
        _SCALE / places * float(printed[held]),
        found[-1, 0] * (places[-1] / places) ** (gamma / (gamma + 1)),
        (marks, np.array([_iterated(_SCALE / rows, t, tails) for rows in marks.tolist()])),
        (float(m), root(float(m))[0], _SCALE / m * float(printed[held])),
        held + 1,
        gamma,
    )


def _iterated(unit: float, t: Vector, tails: Vector) -> float:
    """r ← √(unit · min_t(tr + tail)) from above until it stands still."""
    r, before = 10 * float(fixed_point(unit * t[0], unit * tails[0])), math.inf
    while before - r > 1e-9 * r:
        before, r = r, math.sqrt(unit * float((t * r + tails).min()))
    return r


class Products(NamedTuple):
    """Squared test errors of two frames over the constant predictor's, as an arm's joints may turn further.

    Attributes:
        reach: largest turn of a joint, in radians [p].
        additive: of the frame whose functions have one input each [p].
        multiplicative: of products of one function per input [p].
        floor: the share of the variance that no sum of functions of one joint each explains [p].
        columns: of the two frames.
        order: N of the second; the first has 30, as in the paper.
    """

    reach: Vector
    additive: Vector
    multiplicative: Vector
    floor: Vector
    columns: tuple[int, int]
    order: int


_COLUMNS = 250


def products(joints: int = 3, noise: float = 0.0, seed: int = 0) -> Products:
    """Additive and multiplicative Fourier frames on the distance from the end of a robot arm to a point.

    A planar arm of ``joints`` links, 1 long in all, whose joints turn by θ_j, uniform in [−reach, reach]: its end is
    Σ_j (cos, sin)(θ_1 + … + θ_j)/joints, and the target, as in kin8nm, how far that is from (0.1, 0.1). Cosines of
    sums are products of cosines and sines of one joint each. Ridge regression on the frame's functions, its penalty
    by leaving one out, 500 training rows, 2000 test rows.

    The floor is exact up to quadrature: 1 − Σ_j Var E[y | θ_j] / Var y, by the decomposition of the variance.

    Args:
        joints: inputs d, from 2 to 4.
        noise: standard deviation of what is added to the training targets, in units of theirs.
        seed: of rows and noise.

    Source: FKS section 3.2, "in experiments these two have similar accuracy".
    """
    order = 1
    while (2 * order + 3) ** joints <= _COLUMNS:
        order += 1
    frames = FourierFrame(order=30), FourierFrame(order=order, omega_0=1.5, combine="multiplicative")
    rng = np.random.default_rng(seed)
    X, disturbed = rng.uniform(-1, 1, (2500, joints)), noise * rng.normal(size=500)
    reach = np.array([0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0])
    Y = np.stack([_distance(turn * X) for turn in reach], axis=1)  # a column for each reach
    train, test = Y[:500] + disturbed[:, None] * Y[:500].std(0), Y[500:]
    errors, columns = [], []
    for frame in frames:
        Phi = frame.frame(torch.from_numpy(X)).numpy()
        model = RidgeCV(alphas=np.logspace(-7, 2, 10), alpha_per_target=True).fit(Phi[:500], train)
        errors.append(np.square(model.predict(Phi[500:]) - test).mean(0) / test.var(0))
        columns.append(Phi.shape[1])
    floor = np.array([_floor(turn, joints) for turn in reach.tolist()])
    return Products(reach, errors[0], errors[1], floor, (columns[0], columns[1]), order)


def _distance(theta: Vector) -> Vector:
    """From the end of the arm with joint angles θ [… d] to (0.1, 0.1)."""
    turned = np.cumsum(theta, axis=-1)
    return np.asarray(np.hypot(np.cos(turned).mean(-1) - 0.1, np.sin(turned).mean(-1) - 0.1))


def _floor(reach: float, joints: int) -> float:
    """1 − Σ_j Var E[y | θ_j] / Var y on a grid of Gauss and Legendre's points."""
    points, weight = np.polynomial.legendre.leggauss({2: 60, 3: 24}.get(joints, 12))
    grid = np.stack(np.meshgrid(*[points] * joints, indexing="ij"), axis=-1)
    y = _distance(reach * grid)
    p = weight / 2

    def mean(values: Vector, axes: int) -> Vector:
        for _ in range(axes):
            values = values @ p
        return values

    centre = float(mean(y, joints))
    variance = float(mean((y - centre) ** 2, joints))
    alone = [float(np.square(mean(np.moveaxis(y, j, 0), joints - 1) - centre) @ p) for j in range(joints)]
    return max(0.0, 1 - sum(alone) / variance)

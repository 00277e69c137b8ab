"""Bayesian linear regression on fixed features: how sure a model is, and what it would predict without each row.

    y = Wᵀφ(x) + b + ε,   ε ~ N(0, σ²),   w ~ N(0, (σ²/ρ) I),   b flat (or absent)

    A = Φ̄ᵀΦ̄ + ρI = LLᵀ                                   Φ̄: centred where there is a bias
    mean       W = A⁻¹Φ̄ᵀȲ                                 the ridge regression of penalty ρ
    variance   σ²(‖L⁻¹φ̄(x)‖² + 1/n)                       of f(x); σ² more of an observation; 1/n where there is a bias
    evidence   log p = −½ [ν log 2πσ² + log |A| − D log ρ + R/σ²],   R = ‖Ȳ‖² − tr WᵀΦ̄ᵀȲ,   ν = n − 1, or n without bias
    left out   r_i/(1 − h_i),   h_i = ‖L⁻¹φ̄_i‖² + 1/n

With a bias the evidence is that of the residuals from the mean (n − 1 contrasts), which a flat prior leaves. The noise
is the one of the largest evidence, σ² = R/ν, for each output its own; ρ is given (by a head that has a penalty), or the
one of the largest evidence (type II maximum likelihood), found by a search along a line. The Gaussian process of the
kernel (σ²/ρ) φ(x)·φ(x') has this posterior exactly.

Source: Bishop 2006, section 3.3–3.5; Rasmussen & Williams 2006, section 2.1; Patterson & Thompson 1971 (residual
likelihood); Allen 1974 (leave-one-out).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import torch

from kernlab.linalg import Moments, cholesky, moments, row_space, wide
from kernlab.typing import Float, Tensor

__all__ = ["LeftOut", "LinearPosterior", "posterior"]

_SINGLE = 2e10  # multiplications for leverages from which on they are in the features' own precision
_LOW, _HIGH = -9.0, 4.0  # powers of ten of the penalties tried, beside the features' mean squared norm
_CLOSE = 0.05  # of a power of ten, to which the best is found
_TOGETHER = 8_000_000  # numbers that are multiplied at once: adding to D × D numbers takes long, too

Blocks = Callable[[], Iterable[Float[Tensor, "_ D"]]]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rows as the regression without each of them sees it.

    Attributes:
        residual: y_i − f_{−i}(x_i), [n K].
        leverage: h_i in [0, 1], [n].
    """

    residual: Tensor
    leverage: Tensor


@dataclass(frozen=True, eq=False)
class LinearPosterior:
    """The posterior of a linear regression on features.

    Attributes:
        weight: posterior mean W, [D K].
        bias: b, [K]; zeros where there is none.
        noise: σ² of each output, [K].
        log_evidence: log p(Y) of each output, [K], in nats.
        penalty: ρ, the ratio of noise to prior variance of a weight.
        rows: n.
        centre: mean of the features, [D]; zeros without a bias.
        factor: L, [D D], or [r r] of the features' parts along ``basis``.
        constant: 1/n where there is a bias, else 0.
        basis: orthonormal directions [D r] of the rows of the fit, where these are fewer than the features; None: all.
    """

    weight: Tensor
    bias: Tensor
    noise: Tensor
    log_evidence: Tensor
    penalty: float
    rows: int
    centre: Tensor
    factor: Tensor
    constant: float
    basis: Tensor | None = None

    def spread(self, Phi: Float[Tensor, "m D"]) -> Float[Tensor, " m"]:
        """Variance of f(x) in units of the noise: times ``noise`` it is Var f(x)."""
        centred = Phi - self.centre.to(Phi)
        parts = centred if self.basis is None else centred @ self.basis.to(Phi)
        turned = torch.linalg.solve_triangular(self.factor.to(Phi), parts.mT, upper=False)
        found: Tensor = turned.square_().sum(0).double() + self.constant
        if self.basis is not None:  # what no row of the fit has a part of is as uncertain as before
            beyond = centred.square().sum(1) - parts.square().sum(1)
            # Rows of the fit have nothing beyond but rounding, which a small penalty would make large.
            beyond = torch.where(beyond > 1e-10 * centred.square().sum(1), beyond, 0.0)
            found = found + beyond.double() / self.penalty
        return found

    def predict(self, Phi: Float[Tensor, "m D"]) -> tuple[Float[Tensor, "m K"], Float[Tensor, "m K"]]:
        """Mean and variance of f(x); an observation has ``noise`` more of it."""
        Phi = wide(Phi)
        return Phi @ self.weight + self.bias, self.spread(Phi)[:, None] * self.noise

    def left_out(self, blocks: Iterable[Float[Tensor, "_ D"]], Y: Float[Tensor, "n K"]) -> LeftOut:
        """Residuals that the rows of the fit would have if each had been left out; no regression is fitted again.

        Where that takes more than 2·10¹⁰ multiplications, leverages have the features' own precision.

        Args:
            blocks: features of the same rows, in blocks.
            Y: their targets.
        """
        targets = wide(Y)
        residual, leverage, start = torch.empty_like(targets), targets.new_empty(len(targets)), 0
        single = self.basis is None and len(Y) * len(self.factor) ** 2 > _SINGLE
        for block in blocks:
            rows, precise = slice(start, start + len(block)), block if single else wide(block)
            leverage[rows] = self.spread(precise).clamp_max(1 - torch.finfo(precise.dtype).eps)
            residual[rows] = targets[rows] - wide(block) @ self.weight - self.bias
            start += len(block)
        return LeftOut(residual / (1 - leverage)[:, None], leverage)


def posterior(
    blocks: Blocks, Y: Float[Tensor, "n K"], *, penalty: float | None = None, bias: bool = True
) -> LinearPosterior:
    """Bayesian linear regression on features, O(nD²) and O(D³) for each penalty that is tried; n for D where D > n.

    Args:
        blocks: yields Φ in blocks of rows, n rows together.
        Y: targets; of classes a column of 0 and 1 each.
        penalty: ρ > 0; None: the one of the largest evidence of all outputs together.
        bias: whether a constant is added, about which nothing is known before.

    Raises:
        DataError: a Gram matrix that stays singular.

    Example:
        >>> Phi = torch.randn(50, 3, dtype=torch.float64)
        >>> found = posterior(lambda: [Phi], Phi @ torch.ones(3, 1, dtype=torch.float64))
        >>> mean, variance = found.predict(Phi[:5])
    """
    basis, centre, columns = None, None, next(iter(blocks())).shape[1]
    if columns > len(Y):
        Phi = torch.cat([wide(block) for block in blocks()])
        centre = Phi.mean(0) * bias
        basis = row_space(Phi - centre)
        m = moments([(Phi - centre) @ basis], Y, centred=bias)
    else:
        m = moments(_joined(blocks()), Y, centred=bias)
    squares, degrees = (wide(Y) - m.target_mean).square().sum(0), len(Y) - bias
    if penalty is None:
        penalty = _best(m, squares, degrees)
    L, W, noise, evidence = _fit(m, squares, degrees, penalty)
    weight = W if basis is None else basis @ W
    centre = m.mean if centre is None else centre
    b = m.target_mean - centre @ weight
    return LinearPosterior(weight, b, noise, evidence, penalty, len(Y), centre, L, bias / len(Y), basis)


def _joined(blocks: Iterable[Float[Tensor, "_ D"]]) -> Iterator[Float[Tensor, "_ D"]]:
    """The same rows in fewer blocks."""
    held: list[Tensor] = []
    for block in blocks:
        held.append(block)
        if sum(each.numel() for each in held) >= _TOGETHER:
            yield torch.cat(held)
            held = []
    if held:
        yield torch.cat(held)


def _fit(m: Moments, squares: Tensor, degrees: int, penalty: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """L, W, σ² and the evidence at a penalty."""
    A = m.gram.clone()
    A.diagonal().add_(penalty)
    L, _ = cholesky(A)
    W = torch.cholesky_solve(m.cross, L)
    left = squares - (W * m.cross).sum(0)
    # Of targets that the features give exactly, rounding decides what is left.
    noise = torch.maximum(left, 1e-14 * squares).clamp_min(torch.finfo(left.dtype).tiny) / max(1, degrees)
    volume = 2 * L.diagonal().log().sum() - len(L) * math.log(penalty)
    return L, W, noise, -0.5 * (degrees * (noise.log() + math.log(2 * math.pi) + 1) + volume)


def _best(m: Moments, squares: Tensor, degrees: int) -> float:
    """The penalty of the largest evidence, by Brent's method on its logarithm."""
    from scipy.optimize import minimize_scalar

    unit = float(m.gram.diagonal().sum()) / max(1, degrees) or 1.0

    def loss(power: float) -> float:
        return -float(_fit(m, squares, degrees, unit * 10.0**power)[3].sum())

    found = minimize_scalar(loss, bounds=(_LOW, _HIGH), method="bounded", options={"xatol": _CLOSE})
    return float(unit * 10.0 ** float(found.x))

"""Ridge regression at many penalties from one orthogonal reduction, without eigenvectors.

    A = QBQᵀ                  B block tridiagonal of blocks b × b, Q a product of Householder reflections
    (A + ρI)⁻¹R = Q(B + ρI)⁻¹QᵀR,   tr (A + ρI)⁻¹ = tr (B + ρI)⁻¹

The reduction takes 4n³/3 operations, nearly all in products of matrices; what follows takes O(nb²) for each ρ and
O(n²) for each column of R and each ρ. An eigendecomposition, which answers the same, takes about twenty times as long
at n = 4000, most of it in products of a matrix and a vector.

Source: Bischof, Lang & Sun 2000 (reduction to a band); Schreiber & Van Loan 1989 (I − VTVᵀ); Meurant 1992 (inverses of
block tridiagonal matrices).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from scipy.sparse.linalg import LinearOperator, eigsh

from kernlab import devices
from kernlab.linalg import grid
from kernlab.typing import Float, Tensor

__all__ = ["Reduced", "Solved", "reduce"]

_WIDTH = 64  # b
_CLOSE = 1e-4  # to which the two ends of the spectrum are found, relative


class Solved(NamedTuple):
    """What becomes of a system at each shift.

    Attributes:
        shifts: ρ as they were used, raised to the smallest one that rounding allows, [p].
        X: (A + ρI)⁻¹R, [p n K].
        traces: tr (A + ρI)⁻¹, [p].
        conditions: (s_1 + ρ)/(s_n + ρ), s_1 and s_n the largest and the smallest eigenvalue of A, [p].
    """

    shifts: Tensor
    X: Tensor
    traces: Tensor
    conditions: Tensor


class Reduced:
    """A = QBQᵀ, made by :func:`reduce`."""

    def __init__(self, diagonal: list[Tensor], below: list[Tensor], reflections: list[tuple[Tensor, Tensor]]) -> None:
        self._diagonal, self._below, self._reflections = diagonal, below, reflections
        self.size = sum(map(len, diagonal))

    def solve(self, R: Float[Tensor, "n K"], shifts: Float[Tensor, " p"], close: float = _CLOSE) -> Solved:
        """Solutions at every shift ρ ≥ 0; those at which rounding would decide are raised to n·eps of the largest
        eigenvalue, and further until every pivot is positive.

        Args:
            close: to which both ends of the spectrum are found, for the condition numbers; the last digits of a
                singular A take ten times as long as the first.
        """
        largest = self._end(self._times, close)
        floor = self.size * torch.finfo(R.dtype).eps * max(largest, torch.finfo(R.dtype).tiny)
        turned = self._turned(R, back=True)
        with devices.one_thread():  # to distribute blocks of this size takes longer than it saves
            while (factors := self._factors(used := shifts.to(R).clamp_min(floor))) is None:
                floor *= 10
            least = int(used.argmin())
            first = [(L[least : least + 1], G[least : least + 1]) for L, G in factors]
            inverse = self._end(lambda v: self._substituted(v[:, None], first)[0, :, 0], close)
            smallest = 1 / inverse - float(used[least])
            X, traces = self._substituted(turned, factors), self._traces(factors)
        conditions = (largest + used) / (max(smallest, 0.0) + used)
        return Solved(used, self._turned(X), traces, conditions)

    def _factors(self, shifts: Tensor) -> list[tuple[Tensor, Tensor]] | None:
        """B + ρI = LLᵀ by blocks: L_i on the diagonal and G_i = C_iL_i⁻ᵀ below, [p b b] each; None where a pivot is not
        positive. No inverse is formed: one of a small pivot would be too large for its differences to mean anything."""
        found: list[tuple[Tensor, Tensor]] = []
        for block, C in zip(self._diagonal, [*self._below, None], strict=True):
            pivot = block + shifts[:, None, None] * torch.eye(len(block), dtype=block.dtype)
            if found:
                G = found[-1][1]
                pivot = pivot - G @ G.mT
            L, info = torch.linalg.cholesky_ex(pivot)
            if bool(info.any()):
                return None
            found.append((L, L[:, :0] if C is None else _over(L, C.mT.expand(len(L), *C.mT.shape)).mT))
        return found

    def _substituted(self, R: Tensor, factors: list[tuple[Tensor, Tensor]]) -> Tensor:
        """(B + ρI)⁻¹R, [p n K]."""
        parts, p = torch.split(R, [len(block) for block in self._diagonal]), len(factors[0][0])
        forward: list[Tensor] = []
        for place, (L, _) in enumerate(factors):
            rest = parts[place].expand(p, *parts[place].shape)
            forward.append(_over(L, rest - factors[place - 1][1] @ forward[-1] if place else rest))
        found: list[Tensor] = []
        for (L, G), part in zip(reversed(factors), reversed(forward), strict=True):
            found.append(_over(L, part - G.mT @ found[-1] if found else part, turned=True))
        return torch.cat(found[::-1], 1)

    def _traces(self, factors: list[tuple[Tensor, Tensor]]) -> Tensor:
        """Of the inverses, from their blocks on the diagonal: X_i = L_i⁻ᵀ(I + G_iᵀX_{i+1}G_i)L_i⁻¹."""
        total, X = torch.zeros(len(factors[0][0]), dtype=torch.float64), None
        for L, G in reversed(factors):
            inner = torch.eye(L.shape[1], dtype=L.dtype).expand_as(L)
            if X is not None:
                inner = inner + G.mT @ X @ G
            X = _over(L, _over(L, inner, turned=True).mT, turned=True)
            total += X.diagonal(dim1=1, dim2=2).sum(1)
        return total

    def _turned(self, R: Tensor, *, back: bool = False) -> Tensor:
        """QR, or QᵀR where ``back``, of [… n K]."""
        turned = R.movedim(-2, 0)
        found = turned.reshape(self.size, -1).clone()  # all columns side by side: a product for each is slower
        for V, T in self._reflections if back else reversed(self._reflections):
            rows = found[self.size - len(V) :]
            rows -= V @ ((T.mT if back else T) @ (V.mT @ rows))
        return found.reshape(turned.shape).movedim(0, -2)

    def _times(self, v: Tensor) -> Tensor:
        """Bv."""
        parts = torch.split(v, [len(block) for block in self._diagonal])
        found = [block @ part for block, part in zip(self._diagonal, parts, strict=True)]
        for place, C in enumerate(self._below):
            found[place + 1] = found[place + 1] + C @ parts[place]
            found[place] = found[place] + C.mT @ parts[place + 1]
        return torch.cat(found)

    def _end(self, times: Callable[[torch.Tensor], torch.Tensor], close: float) -> float:
        """The largest eigenvalue of an operator, by Lanczos."""
        n = self.size

        def matvec(v: np.ndarray) -> np.ndarray:
            return times(torch.from_numpy(np.ravel(v))).numpy()

        if n < 4:  # too small for Lanczos
            return float(np.linalg.eigvalsh(np.stack([matvec(row) for row in np.eye(n)]))[-1])
        start = np.random.default_rng(0).standard_normal(n)
        if not matvec(start).any():
            return 0.0
        operator = LinearOperator((n, n), matvec=matvec, dtype=np.float64)
        found = eigsh(operator, 1, which="LA", v0=start, tol=close, return_eigenvectors=False)
        return float(found[0])


def _over(L: Tensor, R: Tensor, *, turned: bool = False) -> Tensor:
    """L⁻¹R, or L⁻ᵀR where ``turned``."""
    found: Tensor = torch.linalg.solve_triangular(L.mT if turned else L, R, upper=turned)
    return found


def reduce(A: Float[Tensor, "n n"], width: int = _WIDTH) -> Reduced:
    """A = QBQᵀ; A itself is overwritten.

    Args:
        A: symmetric, positive semi-definite up to rounding, in float64; the blocks above its diagonal
            (:func:`kernlab.linalg.grid`) are not read.
        width: b.
    """
    n, diagonal, below, reflections = len(A), [], [], []
    for start in range(0, n, width):
        end = min(n, start + width)
        low = A[start:end, start:end].tril()
        diagonal.append(low + low.tril(-1).mT)
        if end == n:
            break
        QR, tau = torch.geqrf(A[end:, start:end])
        count = len(tau)
        below.append(QR[: min(width, n - end)].triu())
        V = QR[:, :count].tril(-1)
        V.diagonal().fill_(1)
        # Of a reflection that changes nothing τ is 0.
        inverse = (V.mT @ V).triu(1) + torch.diag(torch.where(tau == 0, 1e200, 1 / tau))
        T = torch.linalg.solve_triangular(inverse, torch.eye(count, dtype=A.dtype), upper=True)
        # Of the rest only the blocks on and below the diagonal are kept up to date.
        P = torch.cat([V.new_zeros(end, count), V @ T])
        Y = torch.zeros_like(P)
        for left, right in grid(n, end):
            Y[left:].addmm_(A[left:, left:right], P[left:right])
            Y[left:right].addmm_(A[right:, left:right].mT, P[right:])
        Y = Y[end:]
        W = Y - V @ ((T.mT @ (V.mT @ Y)) / 2)
        VW, WV = torch.cat([V, W], 1), torch.cat([W, V], 1)
        for left, right in grid(n, end):
            A[left:, left:right].addmm_(VW[left - end :], WV[left - end : right - end].mT, alpha=-1)
        reflections.append((V, T))
    return Reduced(diagonal, below, reflections)

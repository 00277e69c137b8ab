"""Small dense linear algebra that several methods share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from kernlab.errors import DataError
from kernlab.typing import Float, Params, Tensor

__all__ = [
    "Moments",
    "RidgeFit",
    "RidgePath",
    "add_gram",
    "alignment",
    "as_numpy",
    "cholesky",
    "eigh",
    "gram",
    "grid",
    "inverse_sqrt",
    "median_distance",
    "mirrored",
    "moments",
    "nuclear_norm",
    "real_targets",
    "ridge",
    "row_space",
    "singular_value_threshold",
    "singular_values",
    "wide",
    "wide_parameters",
]

GRAM_BLOCK = 512  # columns


def _gram_eigh(Q: Float[Tensor, "D K"]) -> tuple[Float[Tensor, " K"], Float[Tensor, "K K"]]:
    """Singular values (ascending) and right singular vectors of a tall Q from its K × K Gram matrix.

    Forming the Gram matrix squares the condition number, so it is formed in float64: then singular
    values are right to about 1e-8 of the largest, below the resolution of the float32 they came from.
    """
    if Q.device.type == "mps":  # no float64 there
        s, V = _gram_eigh(Q.cpu())
        return s.to("mps", Q.dtype), V.to("mps", Q.dtype)
    wide = Q.double()
    squares, V = torch.linalg.eigh(wide.mT @ wide)
    return squares.clamp_min(0).sqrt(), V


def singular_value_threshold(Q: Float[Tensor, "D K"], threshold: float | Tensor) -> Float[Tensor, "D K"]:
    """Proximal map of ``threshold · ‖·‖_*``: shrink every singular value by ``threshold``, at most to zero.

    .. math:: W^+ = U \\operatorname{diag}((\\sigma_j - t)_+) V^\\top, \\quad Q = U \\operatorname{diag}(\\sigma)V^\\top

    The D × K matrix is never factored: with QᵀQ = V diag(σ²) Vᵀ,  W⁺ = Q V diag((σ−t)₊/σ) Vᵀ in
    O(DK²). A float64 Q has no wider type to form its Gram matrix in and takes a thin SVD instead.

    Args:
        Q: the matrix after a gradient step, any shape and rank.
        threshold: t ≥ 0, in the unit of the singular values.

    Source: ASKL eq. 7–8; Cai, Candès & Shen 2010, Theorem 2.1.
    """
    if Q.dtype == torch.float64:
        U, s, Vh = torch.linalg.svd(Q, full_matrices=False)
        shrunk: Tensor = (U * (s - threshold).clamp_min(0)) @ Vh
        return shrunk
    if Q.shape[-2] < Q.shape[-1]:
        return singular_value_threshold(Q.mT, threshold).mT
    s, V = _gram_eigh(Q)
    keep = (1 - threshold / s.clamp_min(torch.finfo(s.dtype).tiny)).clamp_min(0)
    shrink = ((V * keep) @ V.mT).to(Q.dtype)  # symmetric
    return (shrink @ Q.mT).mT


def singular_values(W: Float[Tensor, "D K"]) -> Float[Tensor, " r"]:
    """Singular values in descending order, min(D, K) of them, by the smaller Gram matrix."""
    if W.dtype == torch.float64:
        exact: Tensor = torch.linalg.svdvals(W)
        return exact
    s, _ = _gram_eigh(W if W.shape[-2] >= W.shape[-1] else W.mT)
    return s.flip(-1).to(W.dtype)


def nuclear_norm(W: Float[Tensor, "D K"]) -> Float[Tensor, ""]:
    """Trace norm ‖W‖_*: the sum of the singular values."""
    return singular_values(W).sum()


def median_distance(X: Float[Tensor, "n d"], p: float = 2.0, rows: int = 1000) -> float:
    """Median ℓ_p distance between two different rows of the first ``rows`` rows; 1 if they all coincide."""
    distances = torch.pdist(X[:rows].float().cpu(), p=p)
    positive = distances[distances > 0]
    return float(positive.median()) if len(positive) else 1.0


def wide(A: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """A in float64, on the CPU where its own device has no such type (MPS)."""
    return (A.cpu() if A.device.type == "mps" else A).double()


def wide_parameters(params: Params) -> dict[str, Tensor]:
    """The parameters with their real numbers in float64, as :func:`wide` makes them."""
    return {name: wide(value) if value.is_floating_point() else value for name, value in params.items()}


def as_numpy(A: Float[Tensor, "*shape"]) -> NDArray[np.float64]:
    """A as float64 in NumPy."""
    return np.asarray(wide(A).cpu().numpy())


def gram(A: Float[Tensor, "m D"]) -> Float[Tensor, "D D"]:
    """AᵀA; with many columns only the blocks on and below the diagonal are multiplied."""
    D = A.shape[1]
    return mirrored(add_gram(A.new_zeros(D, D), A)) if D > GRAM_BLOCK else A.mT @ A


def add_gram(total: Float[Tensor, "D D"], A: Float[Tensor, "m D"]) -> Float[Tensor, "D D"]:
    """Add AᵀA to the blocks of ``total`` on and below its diagonal, in half the multiplications; :func:`mirrored` fills
    the others."""
    for left, right in grid(len(total)):
        total[left:, left:right].addmm_(A[:, left:].mT, A[:, left:right])
    return total


def mirrored(total: Float[Tensor, "D D"]) -> Float[Tensor, "D D"]:
    """Copy the blocks below the diagonal to those above it."""
    for left, right in grid(len(total)):
        total[left:right, right:] = total[right:, left:right].mT
    return total


def grid(end: int, start: int = 0) -> list[tuple[int, int]]:
    """Where blocks of ``GRAM_BLOCK`` columns begin and end, from ``start`` on, which may lie within the first."""
    edges = [start, *range((start // GRAM_BLOCK + 1) * GRAM_BLOCK, end, GRAM_BLOCK), end]
    return list(pairwise(edges)) if start < end else []


def eigh(A: Float[Tensor, "n n"]) -> tuple[Float[Tensor, " n"], Float[Tensor, "n n"]]:
    """Eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns.

    Divide and conquer, which is fast, gives up on some matrices with many equal eigenvalues; QR iteration is slower and
    does not.

    Raises:
        LinAlgError: A has NaN or infinity.
    """
    try:
        values, vectors = torch.linalg.eigh(A)
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]
        if not torch.isfinite(A).all():
            raise
        from scipy.linalg import eigh as iterated

        values, vectors = (torch.from_numpy(each).to(A) for each in iterated(as_numpy(A), driver="ev"))
    return values, vectors


def row_space(A: Float[Tensor, "n D"]) -> Float[Tensor, "D r"]:
    """Orthonormal columns that every row of A is a combination of, for D > n, up to rounding."""
    s, U = eigh(A @ A.mT)
    kept = s > len(s) * torch.finfo(s.dtype).eps * s[-1].clamp_min(torch.finfo(s.dtype).tiny)
    found: Tensor = (A.mT @ U[:, kept]) / s[kept].sqrt()
    return found


def cholesky(A: Float[Tensor, "D D"]) -> tuple[Float[Tensor, "D D"], float]:
    """Lower L with LLᵀ = A + jitter·I, and the jitter: 0 for a matrix that is safely positive definite.

    Rounding can leave a semidefinite A slightly indefinite. Then jitter is tried in steps of ten from
    ``eps`` to at most ``√eps`` of the mean diagonal (2e-16 … 1.5e-8 in float64).

    Raises:
        DataError: even the largest jitter does not make it positive definite, or it is not finite.
    """
    size = float(A.diagonal().mean())
    if not bool(A.isfinite().all()):
        raise DataError(
            "the Gram matrix must be finite",
            f"a mean diagonal of {size:g}",
            "scale the inputs, or learn with a smaller learning_rate",
        )
    eps = torch.finfo(A.dtype).eps
    relative = 0.0
    while relative <= eps**0.5:
        jitter = relative * size
        shifted = A + jitter * torch.eye(len(A), dtype=A.dtype, device=A.device) if jitter else A
        L, info = torch.linalg.cholesky_ex(shifted)
        if not int(info):
            return L, jitter
        relative = 10 * relative or eps
    raise DataError(
        "the Gram matrix must be positive definite up to rounding",
        f"one that stays singular with {eps**0.5:.1e} of its mean diagonal, {size:.3g}, added",
        "take a larger ridge penalty, or fewer features",
    )


def inverse_sqrt(B: Float[Tensor, "*b J J"], shift: float | Tensor = 0.0) -> Float[Tensor, "*b J J"]:
    """Symmetric (B + εI)^{−1/2} of a positive semidefinite B, with a gradient that takes equal eigenvalues.

    With B + εI = U diag(a²) Uᵀ the derivative in a direction E is (Daleckii & Krein 1965)

    .. math:: U\\Bigl(F\\circ U^\\top EU\\Bigr)U^\\top,\\qquad F_{ij}=\\frac{-1}{a_ia_j(a_i+a_j)}

    without the differences of eigenvalues that the derivative of eigenvectors divides by.

    Args:
        B: symmetric; eigenvalues that rounding has made negative count as 0.
        shift: ε > 0, or 0 where B is safely positive definite.
    """
    root: Tensor = _InverseSqrt.apply(B, shift)[0]  # type: ignore[no-untyped-call]
    return root


class _InverseSqrt(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(B: Tensor, shift: float | Tensor) -> tuple[Tensor, Tensor, Tensor]:
        squares, U = torch.linalg.eigh(B)
        a = (squares.clamp_min(0) + shift).sqrt()
        return (U / a[..., None, :]) @ U.mT, a, U

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        _, a, U = output
        ctx.mark_non_differentiable(a, U)
        ctx.save_for_backward(a, U)

    @staticmethod
    def backward(ctx: Any, C: Tensor, *_: Tensor) -> tuple[Tensor, None]:
        a, U = ctx.saved_tensors
        left, right = a[..., :, None], a[..., None, :]
        inner = (U.mT @ (C + C.mT) @ U) / (-2 * left * right * (left + right))
        return U @ inner @ U.mT, None


class RidgeFit(NamedTuple):
    """A fitted ridge regression f(x) = Wᵀφ(x) + b.

    Attributes:
        weight: W, [D K].
        bias: b, [K].
        jitter: what the diagonal of the Gram matrix needed on top of the penalty; 0 if nothing.
    """

    weight: Tensor
    bias: Tensor
    jitter: float


class Moments(NamedTuple):
    """Second moments of features and targets about their weighted means, in float64.

    Attributes:
        gram: Σ_i w_i φ̄_i φ̄_iᵀ, [D D].
        cross: Σ_i w_i φ̄_i ȳ_iᵀ, [D K].
        mean: mean of the features, [D].
        target_mean: mean of the targets, [K].
    """

    gram: Tensor
    cross: Tensor
    mean: Tensor
    target_mean: Tensor


def moments(
    blocks: Iterable[Float[Tensor, "_ D"]],
    Y: Float[Tensor, "n K"],
    *,
    sample_weight: Float[Tensor, " n"] | None = None,
    centred: bool = True,
) -> Moments:
    """Centred moments of features that come in blocks of rows, read once: n × D never has to fit in memory.

    Args:
        blocks: Φ in blocks of rows, n rows together.
        Y: targets.
        sample_weight: w_i ≥ 0; None: all 1.
        centred: take the means off; otherwise they count as 0.

    Raises:
        DataError: a weight is negative or not finite, or all are zero.
    """
    targets = wide(Y)
    root = None if sample_weight is None else checked_weight(sample_weight).to(targets.device).sqrt()[:, None]
    total = len(Y) if root is None else float(root.pow(2).sum())
    target_mean = (targets if root is None else targets * root**2).sum(0) / total * centred
    targets = targets - target_mean
    gram = cross = first = shift = targets.new_empty(0)
    start = 0
    for block in blocks:
        Phi, rows = wide(block), slice(start, start + len(block))
        if not start:
            # Centred once more at the end; taking a mean off first keeps that from cancelling digits.
            shift = Phi.mean(0) * centred
            D = Phi.shape[1]
            gram, cross, first = Phi.new_zeros(D, D), Phi.new_zeros(D, Y.shape[1]), Phi.new_zeros(D)
        Phi, T = Phi - shift, targets[rows]
        if root is not None:
            Phi, T = Phi * root[rows], T * root[rows]
        add_gram(gram, Phi)
        cross.addmm_(Phi.mT, T)
        first += Phi.sum(0) if root is None else (Phi.mT @ root[rows])[:, 0]
        start += len(block)
    if start != len(Y):
        raise ValueError(f"{start} rows of features for {len(Y)} rows of targets")
    mean = first / total * centred
    return Moments(mirrored(gram).addr_(mean, mean, alpha=-total), cross, mean + shift, target_mean)


def ridge(
    blocks: Iterable[Float[Tensor, "_ D"]],
    Y: Float[Tensor, "n K"],
    penalty: float,
    *,
    sample_weight: Float[Tensor, " n"] | None = None,
) -> RidgeFit:
    """Ridge regression in closed form, by centring and Cholesky.

    .. math:: \\min_{W,b}\\ \\sum_i w_i\\|W^\\top\\varphi_i+b-y_i\\|^2+\\rho\\|W\\|_F^2,
              \\quad W=(\\bar\\Phi^\\top\\bar\\Phi+\\rho I)^{-1}\\bar\\Phi^\\top\\bar Y

    Sums over samples, so ρ weighs less as n grows; the bias is not penalised. O(nD² + D³) time and
    O(D²) memory, in float64 inside; with more features than rows the n × n system is solved instead,
    W = Φ̄ᵀ(Φ̄Φ̄ᵀ + ρI)⁻¹Ȳ, in O(n²D + n³) time and O(nD) memory.

    Args:
        blocks: Φ in blocks of rows, n rows together, read once.
        Y: targets.
        penalty: ρ ≥ 0.
        sample_weight: w_i ≥ 0; None: all 1.

    Returns:
        Weights and bias in Y's dtype and on its device, and the jitter.

    Raises:
        DataError: bad weights, or a Gram matrix that stays singular.

    Source: DI eq. 4–5.
    """
    blocks = iter(blocks)
    head = next(blocks, None)
    if head is not None and head.shape[1] > len(Y):
        return _ridge_of_rows(torch.cat([wide(block) for block in chain([head], blocks)]), Y, penalty, sample_weight)
    m = moments(chain([] if head is None else [head], blocks), Y, sample_weight=sample_weight)
    m.gram.diagonal().add_(penalty)
    L, jitter = cholesky(m.gram)
    return _fitted(m, torch.cholesky_solve(m.cross, L), jitter, Y)


def _ridge_of_rows(
    Phi: Float[Tensor, "n D"], Y: Float[Tensor, "n K"], penalty: float, sample_weight: Float[Tensor, " n"] | None
) -> RidgeFit:
    """The same from the n × n system, for more features than rows."""
    centred, targets, m = _centred_rows(Phi, Y, sample_weight)
    K = centred @ centred.mT
    K.diagonal().add_(penalty)
    L, jitter = cholesky(K)
    return _fitted(m, centred.mT @ torch.cholesky_solve(targets, L), jitter, Y)


def _centred_rows(
    Phi: Float[Tensor, "n D"], Y: Float[Tensor, "n K"], sample_weight: Float[Tensor, " n"] | None
) -> tuple[Float[Tensor, "n D"], Float[Tensor, "n K"], Moments]:
    """√w_i φ̄_i and √w_i ȳ_i, and the moments without the D × D matrix."""
    w = Phi.new_ones(len(Phi)) if sample_weight is None else checked_weight(sample_weight).to(Phi.device)
    Y, total, root = wide(Y), w.sum(), w.sqrt()[:, None]
    mean, target_mean = w @ Phi / total, w @ Y / total
    centred, targets = root * (Phi - mean), root * (Y - target_mean)
    return centred, targets, Moments(Phi.new_empty(0, 0), centred.mT @ targets, mean, target_mean)


def checked_weight(weight: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    """Sample weights in float64.

    Raises:
        DataError: a weight is negative or not finite, or all are zero.
    """
    w = wide(weight)
    if not (bool(w.isfinite().all()) and float(w.min()) >= 0 and float(w.sum()) > 0):
        raise DataError("sample weights must be at least 0 and finite, and not all of them 0")
    return w


class RidgePath:
    r"""Ridge regression for every penalty from one eigendecomposition Φ̄ᵀΦ̄ = V diag(s) Vᵀ.

    .. math:: W_\rho=V\operatorname{diag}\bigl((s+\rho)^{-1}\bigr)V^\top\bar\Phi^\top\bar Y,\qquad
              h_i=\tfrac1N+\bar\varphi_i^\top V\operatorname{diag}\bigl((s+\rho)^{-1}\bigr)V^\top\bar\varphi_i

    A row of leverage h_i that has residual r_i has the residual r_i/(1 − h_i) where the regression, bias included, is
    fitted without it. A row of weight w is w equal rows, of which one is left out, N = Σ w_i. O(nD² + D³) time, or
    O(n²D + n³) with more features than rows.

    Args:
        blocks: yields Φ in blocks of rows, n rows together; called once for the fit and once for each leave-one-out.
        Y: targets, [n K].
        sample_weight: w_i ≥ 0; None: all 1.

    Attributes:
        penalties: a path that suits these features: 10⁻⁶ … 10⁴ times their mean squared norm, in half decades.

    Raises:
        DataError: bad weights.

    Source: DI eq. 4–5; Allen 1974 (leave-one-out); Golub, Heath & Wahba 1979.
    """

    def __init__(
        self,
        blocks: Callable[[], Iterable[Float[Tensor, "_ D"]]],
        Y: Float[Tensor, "n K"],
        *,
        sample_weight: Float[Tensor, " n"] | None = None,
    ) -> None:
        self._blocks, self._Y, self._weight = blocks, Y, sample_weight
        first = next(iter(blocks()))
        if first.shape[1] > len(Y):
            m, s, self._V = _turned_rows(torch.cat([wide(block) for block in blocks()]), Y, sample_weight)
        else:
            m = moments(blocks(), Y, sample_weight=sample_weight)
            s, self._V = eigh(m.gram)
        self._moments, self._s = m, s.clamp_min(0)
        self._turned = self._V.mT @ m.cross
        eps = torch.finfo(s.dtype)
        self._floor = max(len(s) * eps.eps * float(self._s[-1:].sum()), eps.tiny)
        self._total = len(Y) if sample_weight is None else float(wide(sample_weight).sum())
        size = float(self._s.sum()) / self._total
        self.penalties = tuple((size or 1.0) * 10.0 ** (k / 2) for k in range(-12, 9))

    def _lifted(self, penalty: float) -> tuple[Float[Tensor, " D"], float]:
        """s + ρ, and by how much the diagonal was raised where that would vanish within rounding."""
        jitter = max(0.0, self._floor - float(self._s[:1].sum()) - penalty)
        return self._s + (penalty + jitter), jitter

    def fit(self, penalty: float) -> RidgeFit:
        """The same as :func:`ridge` with this penalty."""
        lifted, jitter = self._lifted(penalty)
        return _fitted(self._moments, self._V @ (self._turned / lifted[:, None]), jitter, self._Y)

    def leave_one_out(self, penalties: Sequence[float]) -> Float[Tensor, " p"]:
        """For each penalty Σ_i w_i ‖r_i/(1 − h_i)‖²/N: the mean squared error on rows that were left out."""
        m = self._moments
        targets = wide(self._Y) - m.target_mean
        w = None if self._weight is None else wide(self._weight).to(targets.device)
        errors, start = targets.new_zeros(len(penalties)), 0
        for block in self._blocks():
            turned = (wide(block) - m.mean) @ self._V
            rows = slice(start, start + len(block))
            for place, penalty in enumerate(penalties):
                lifted, _ = self._lifted(penalty)
                residual = targets[rows] - turned @ (self._turned / lifted[:, None])
                kept = (1 - 1 / self._total - turned.square() @ (1 / lifted)).clamp_min(torch.finfo(lifted.dtype).eps)
                squares = (residual / kept[:, None]).square().sum(1)
                errors[place] += (squares if w is None else squares * w[rows]).sum()
            start += len(block)
        return errors / self._total

    def best(self) -> float:
        """The penalty of the path with the smallest leave-one-out error; of equals the largest."""
        errors: list[float] = self.leave_one_out(self.penalties).tolist()
        best: float = self.penalties[max(range(len(errors)), key=lambda k: (-errors[k], k))]
        return best


def _turned_rows(
    Phi: Float[Tensor, "n D"], Y: Float[Tensor, "n K"], sample_weight: Float[Tensor, " n"] | None
) -> tuple[Moments, Float[Tensor, " r"], Float[Tensor, "D r"]]:
    """Moments without the D × D matrix, and its eigenvalues and vectors from the n × n one, for D > n.

    The directions that are left out of V are orthogonal to every row.
    """
    centred, _, m = _centred_rows(Phi, Y, sample_weight)
    s, U = eigh(centred @ centred.mT)
    kept = s > len(s) * torch.finfo(s.dtype).eps * s[-1].clamp_min(torch.finfo(s.dtype).tiny)
    return m, s[kept], (centred.mT @ U[:, kept]) / s[kept].sqrt()


def _fitted(m: Moments, W: Float[Tensor, "D K"], jitter: float, like: Tensor) -> RidgeFit:
    return RidgeFit(W.to(like.device, like.dtype), (m.target_mean - m.mean @ W).to(like.device, like.dtype), jitter)


def alignment(Phi: Float[Tensor, "n D"], Y: Float[Tensor, "n K"], *, centred: bool = True) -> float:
    """Kernel-target alignment of ΦΦᵀ with YYᵀ: the cosine of the angle between the two matrices, in [0, 1].

    .. math:: A=\\frac{\\langle\\Phi\\Phi^\\top,YY^\\top\\rangle_F}{\\|\\Phi\\Phi^\\top\\|_F\\|YY^\\top\\|_F}
              =\\frac{\\|\\Phi^\\top Y\\|_F^2}{\\|\\Phi^\\top\\Phi\\|_F\\|Y^\\top Y\\|_F}

    No n × n matrix is formed where n > D. 0 where one of the two matrices vanishes.

    Args:
        Phi, Y: features and real targets (one-hot for classes) of the same rows.
        centred: take the means off the columns of both first, as CΦΦᵀC and CYYᵀC.

    Source: Cristianini et al. 2001; Cortes, Mohri & Rostamizadeh 2012 (centred); LKRF eq. 5.
    """
    if centred:
        Phi, Y = Phi - Phi.mean(0), Y - Y.mean(0)
    size = _gram_norm(Phi) * _gram_norm(Y)
    return float((Phi.mT @ Y).square().sum()) / size if size > 0 else 0.0


def real_targets(y: Tensor, K: int, dtype: torch.dtype) -> Float[Tensor, "n K"]:
    """Targets as numbers: one-hot [n K] for class codes [n], real targets as they are."""
    return y if y.is_floating_point() else torch.nn.functional.one_hot(y, K).to(dtype)


def _gram_norm(A: Float[Tensor, "n D"]) -> float:
    """‖AAᵀ‖_F = ‖AᵀA‖_F, by the smaller of the two."""
    return float(torch.linalg.matrix_norm(A.mT @ A if len(A) >= A.shape[1] else A @ A.mT))

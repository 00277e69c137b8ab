"""Small dense linear algebra that several methods share."""

from __future__ import annotations

import torch

from kernlab.typing import Float, Tensor

__all__ = ["median_distance", "nuclear_norm", "singular_value_threshold", "singular_values"]


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

"""Singular value thresholding by the Gram matrix against a full SVD: any shape, rank and conditioning."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from kernlab.linalg import median_distance, nuclear_norm, singular_value_threshold, singular_values

#: largest error in units of the largest singular value
RESOLUTION = {torch.float32: 2e-6, torch.float64: 1e-13}


def matrix(rows: int, columns: int, spectrum: np.ndarray, seed: int) -> np.ndarray:
    """A matrix with those singular values and random directions."""
    rng = np.random.default_rng(seed)
    r = len(spectrum)
    U, _ = np.linalg.qr(rng.normal(size=(rows, r)))
    V, _ = np.linalg.qr(rng.normal(size=(columns, r)))
    return (U * spectrum) @ V.T


@st.composite
def matrices(draw):
    """Well- and ill-conditioned, rank-deficient, zero, tall and wide, tiny and huge."""
    rows, columns = draw(st.integers(1, 40)), draw(st.integers(1, 12))
    full = min(rows, columns)
    rank = draw(st.integers(0, full))
    condition = draw(st.sampled_from([1.0, 1e2, 1e6, 1e12]))
    size = draw(st.sampled_from([1e-8, 1.0, 1e6]))
    spectrum = size * np.geomspace(1.0, 1.0 / condition, rank) if rank else np.zeros(0)
    return matrix(rows, columns, np.pad(spectrum, (0, full - rank)), draw(st.integers(0, 2**31)))


def by_full_svd(Q: np.ndarray, threshold: float) -> np.ndarray:
    U, s, Vt = np.linalg.svd(Q.astype(np.float64), full_matrices=False)
    return (U * np.maximum(s - threshold, 0)) @ Vt


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(Q=matrices(), share=st.sampled_from([0.0, 1e-9, 1e-4, 0.3, 0.999, 1.0, 2.0]))
@settings(max_examples=120)
@example(Q=np.zeros((5, 3)), share=0.5)
@example(Q=np.zeros((5, 3)), share=0.0)
@example(Q=np.diag([1.0, 1e-20, 0.0]), share=0.0)
@example(Q=matrix(30, 5, np.geomspace(1, 1e-12, 5), seed=0), share=1e-9)  # past what a Gram matrix resolves
def test_the_threshold_equals_a_clamped_full_svd(dtype, Q, share):
    Q = torch.tensor(Q, dtype=dtype)
    largest = float(np.linalg.norm(Q.double().numpy(), 2))
    threshold = share * (largest or 1.0)
    W = singular_value_threshold(Q, threshold)
    assert W.dtype == dtype
    assert W.isfinite().all()
    expected = by_full_svd(Q.numpy(), threshold)
    np.testing.assert_allclose(W, expected, rtol=0, atol=RESOLUTION[dtype] * largest)
    flipped = singular_value_threshold(Q.mT.contiguous(), torch.tensor(threshold, dtype=dtype)).mT
    np.testing.assert_allclose(flipped, expected, rtol=0, atol=RESOLUTION[dtype] * largest)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@given(Q=matrices())
@settings(max_examples=60)
def test_singular_values_and_their_sum(dtype, Q):
    Q = torch.tensor(Q, dtype=dtype)
    expected = np.linalg.svd(Q.double().numpy(), compute_uv=False)
    s = singular_values(Q)
    assert s.shape == (min(Q.shape),)
    assert (s.diff() <= 0).all()
    # formed in float64, the Gram matrix loses nothing that float32 could show
    resolution = 2e-7 if dtype == torch.float32 else 1e-13
    np.testing.assert_allclose(s, expected, rtol=0, atol=resolution * expected[0])
    assert float(nuclear_norm(Q)) == pytest.approx(expected.sum(), rel=1e-5)


@given(Q=matrices())
@settings(max_examples=30)
def test_a_threshold_above_every_singular_value_leaves_exactly_nothing(Q):
    Q = torch.tensor(Q, dtype=torch.float32)
    above = 1.001 * float(np.linalg.norm(Q.double().numpy(), 2)) + 1e-30
    assert (singular_value_threshold(Q, above) == 0).all()


def test_the_rank_falls_to_the_values_above_the_threshold():
    Q = torch.tensor(matrix(50, 6, np.array([5, 4, 3, 2, 1, 0.5]), seed=0), dtype=torch.float32)
    s = singular_values(singular_value_threshold(Q, 2.5))
    np.testing.assert_allclose(s, [2.5, 1.5, 0.5, 0, 0, 0], atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 30, 5), (4, 5, 30)])
def test_stacked_matrices_are_treated_one_by_one(shape):
    Q = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    together = torch.func.vmap(lambda q: singular_value_threshold(q, 0.7))(Q)
    one_by_one = torch.stack([singular_value_threshold(q, 0.7) for q in Q])
    torch.testing.assert_close(together, one_by_one, rtol=0, atol=1e-5)


@given(st.integers(2, 40), st.integers(1, 5), st.sampled_from([1.0, 2.0]), st.integers(0, 1000))
@settings(max_examples=30)
def test_the_median_distance(n, d, p, seed):
    X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    distances = np.sort(pdist(X, "minkowski", p=p))
    lower = distances[(len(distances) - 1) // 2]  # of two middle values the smaller
    assert median_distance(torch.from_numpy(X), p) == pytest.approx(lower, rel=1e-4)


def test_the_median_distance_looks_at_the_first_rows_and_skips_duplicates():
    X = torch.zeros(2000, 1)
    X[:3, 0] = torch.tensor([0.0, 0.0, 3.0])
    X[1000:] = 77.0
    assert median_distance(X, rows=3) == 3.0
    assert median_distance(X, rows=1000) == 3.0
    assert median_distance(X) == 3.0  # of a thousand rows, if nothing else is set
    assert median_distance(X, rows=1001) == 74.0
    assert median_distance(torch.zeros(4, 2)) == 1.0

import numpy as np
import pytest

from kernlab.pictures.weights import diagonal, singular_values


def test_singular_values_fall_and_the_rank_counts_those_above_rounding():
    found = singular_values([0.0, 3.0, 1.0, 1e-7], rows=1000)
    assert found.values.tolist() == pytest.approx([3, 1, 1e-7, 0])
    assert found.rank == 2
    assert found.trace_norm == pytest.approx(4)
    assert singular_values([0.0, 0.0]).rank == 0


def test_the_rank_is_that_of_the_matrix():
    rng = np.random.default_rng(0)
    W = (rng.normal(size=(500, 4)) @ rng.normal(size=(4, 12))).astype(np.float32)
    assert singular_values(np.linalg.svd(W, compute_uv=False), rows=500).rank == 4


def test_histogram_of_the_diagonal():
    found = diagonal([0.5, 0.5, 0.9, 0.1], bins=4)
    assert found.left == pytest.approx([0.1, 0.3, 0.5, 0.7])
    assert found.width == pytest.approx(0.2)
    assert found.share.sum() == pytest.approx(1)
    assert found.mean == pytest.approx(0.5)
    assert found.n == 4


def test_a_stationary_kernel_has_one_bar():
    found = diagonal(np.ones(30))
    assert (found.mean, found.deviation) == (1, 0)
    assert found.share.max() == 1
    assert found.width * len(found.left) == pytest.approx(0.1)
    assert diagonal(np.full(30, 1e-3)).width * 40 == pytest.approx(1e-4)
    assert diagonal(np.zeros(30)).share.max() == 1

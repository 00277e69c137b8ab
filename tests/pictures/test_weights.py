"""Singular values of W, its rank and effective rank, and the diagonal of the kernel."""

import numpy as np
import pytest
from drawn import keeps_promises
from scipy.stats import entropy

from kernlab.pictures.weights import (
    diagonal,
    effective_rank,
    plot_diagonal,
    plot_effective_rank,
    plot_singular_values,
    singular_values,
)


def test_singular_values_fall_and_the_rank_counts_those_above_rounding():
    found = singular_values([0.0, 3.0, 1.0, 1e-7], rows=1000)
    assert found.values.tolist() == pytest.approx([3, 1, 1e-7, 0])
    assert found.rank == 2
    assert found.trace_norm == pytest.approx(4)
    assert singular_values([0.0, 0.0]).rank == 0
    figure = plot_singular_values(found, {"before training": singular_values([1.0, 1, 1])})
    keeps_promises(figure)
    before, counted, zero = figure.data
    assert (list(counted.x), list(zero.x)) == ([1, 2], [3, 4])
    assert [*counted.y, *zero.y] == found.values.tolist()
    assert (before.name, list(before.y)) == ("before training: rank 3", [1, 1, 1])


def test_the_rank_is_that_of_the_matrix():
    rng = np.random.default_rng(0)
    W = (rng.normal(size=(500, 4)) @ rng.normal(size=(4, 12))).astype(np.float32)
    assert singular_values(np.linalg.svd(W, compute_uv=False), rows=500).rank == 4


def test_the_effective_rank_is_the_exponential_of_scipys_entropy():
    values = np.random.default_rng(0).gamma(1.0, size=12)
    found = effective_rank(values)
    assert found.rank == pytest.approx(np.exp(entropy(values / values.sum())))
    assert (found.share[0], found.share[-1]) == (0, pytest.approx(1))
    assert (np.diff(found.share, 2) <= 1e-12).all()  # the largest come first


def test_equal_values_count_fully_and_tiny_ones_hardly():
    assert effective_rank(np.full(7, 0.3)).rank == pytest.approx(7)
    assert effective_rank([5.0, 1e-9, 1e-9]).rank == pytest.approx(1, abs=1e-6)
    assert effective_rank([0.0, 0.0]).rank == 0
    figure = plot_effective_rank(effective_rank([2.0, 2.0, 0.0]))
    assert "effective rank 2.00 of 3" in figure.layout.title.subtitle.text


def test_histogram_of_the_diagonal():
    found = diagonal([0.5, 0.5, 0.9, 0.1], bins=4)
    assert found.left == pytest.approx([0.1, 0.3, 0.5, 0.7])
    assert found.width == pytest.approx(0.2)
    assert found.share.sum() == pytest.approx(1)
    assert (found.mean, found.n) == (pytest.approx(0.5), 4)
    figure = plot_diagonal(found, marked={"row 3": 0.7})
    keeps_promises(figure)
    np.testing.assert_array_equal((figure.data[0].x, figure.data[0].y), (found.left, found.share))
    assert (figure.data[1].x, figure.data[1].text) == ((0.7,), ("row 3",))
    assert figure.layout.shapes[0].x0 == found.mean
    assert figure.layout.title.subtitle.text == "k(x, x) = 0.500 ± 0.283 over 4 points"
    small = plot_diagonal(diagonal([0.001, 0.002])).layout.title.subtitle.text
    assert small == "k(x, x) = 0.0015 ± 0.0005 over 2 points"


def test_a_stationary_kernel_has_one_bar():
    found = diagonal(np.ones(30))
    assert (found.mean, found.deviation) == (1, 0)
    assert found.share.max() == 1
    assert found.width * len(found.left) == pytest.approx(0.1)
    small = diagonal(np.full(30, 1e-3))
    assert small.width * len(small.left) == pytest.approx(1e-4)
    assert diagonal(1 + 1e-7 * np.random.default_rng(0).normal(size=30)).share.max() == 1  # but for rounding
    assert diagonal(np.zeros(30)).share.max() == 1

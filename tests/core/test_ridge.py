"""Ridge regression against its own definition, and what happens where the Gram matrix is singular."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as SklearnRidge

from kernlab.errors import DataError
from kernlab.linalg import RidgePath, cholesky, moments, ridge


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@settings(max_examples=25)
@given(
    n=st.integers(2, 30),
    D=st.integers(1, 8),
    K=st.integers(1, 3),
    block=st.integers(1, 30),
    penalty=st.sampled_from([1e-3, 1.0, 50.0]),
    weighted=st.booleans(),
)
def test_ridge_equals_scikit_learn(n, D, K, block, penalty, weighted):
    Phi, Y = normal(n, D) + 3, normal(n, K, seed=1)
    weight = normal(n, seed=2).abs() if weighted else None
    found = ridge(Phi.split(block), Y, penalty, sample_weight=weight)
    oracle = SklearnRidge(alpha=penalty).fit(Phi.numpy(), Y.numpy(), None if weight is None else weight.numpy())
    np.testing.assert_allclose(found.weight.T, np.atleast_2d(oracle.coef_), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(found.bias, oracle.intercept_, rtol=1e-7, atol=1e-9)
    assert found.jitter == 0


def test_a_whole_number_as_weight_is_a_repeated_row():
    Phi, Y = normal(6, 3), normal(6, 2, seed=1)
    times = torch.tensor([1, 2, 0, 3, 1, 1])
    weighted = ridge([Phi], Y, 0.3, sample_weight=times.double())
    repeated = ridge([Phi.repeat_interleave(times, 0)], Y.repeat_interleave(times, 0), 0.3)
    torch.testing.assert_close(weighted.weight, repeated.weight)
    torch.testing.assert_close(weighted.bias, repeated.bias)


def test_a_path_equals_one_fit_after_another():
    Phi, Y = normal(20, 6), normal(20, 2, seed=1)
    penalties = [1e-6, 0.1, 10.0]
    path = RidgePath(lambda: torch.split(Phi, 7), Y)
    for penalty in penalties:
        found = path.fit(penalty)
        one = ridge([Phi], Y, penalty)
        torch.testing.assert_close(found.weight, one.weight, rtol=1e-9, atol=1e-12)
        torch.testing.assert_close(found.bias, one.bias, rtol=1e-9, atol=1e-12)
        assert found.jitter == 0


@pytest.mark.parametrize("shape", [(25, 6), (12, 30)])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_equals_fits_without_each_row(shape, weighted):
    """Against scikit-learn, fitted anew without one copy of each row."""
    Phi, Y = normal(*shape), normal(shape[0], 2, seed=1)
    w = torch.from_numpy(np.random.default_rng(2).integers(1, 4, shape[0])).double() if weighted else None
    path = RidgePath(lambda: torch.split(Phi, 7), Y, sample_weight=w)
    penalties = [1e-2, 1.0, 30.0]
    counts = np.ones(shape[0]) if w is None else w.numpy()
    expected = []
    for penalty in penalties:
        errors = []
        for i in range(shape[0]):
            rest = counts - (np.arange(shape[0]) == i)
            oracle = SklearnRidge(alpha=penalty).fit(Phi.numpy(), Y.numpy(), rest)
            errors.append(np.square(oracle.predict(Phi[i : i + 1].numpy()) - Y[i].numpy()).sum())
        expected.append((counts * errors).sum() / counts.sum())
    np.testing.assert_allclose(path.leave_one_out(penalties), expected, rtol=1e-6)


def test_the_best_penalty_grows_with_the_noise():
    Phi, W = normal(200, 20), normal(20, 1, seed=1)
    found = [RidgePath(lambda: [Phi], Phi @ W + noise * normal(200, 1, seed=2)).best() for noise in (0.01, 1.0, 30.0)]
    assert found == sorted(found)
    assert found[0] < found[2]
    path = RidgePath(lambda: [Phi], 0 * Phi[:, :1])
    size = float((Phi - Phi.mean(0)).square().sum()) / 200
    np.testing.assert_allclose(path.penalties, size * 10.0 ** np.arange(-6, 4.1, 0.5), rtol=1e-9)
    assert path.best() == path.penalties[-1]  # of equal errors the largest


def test_a_large_mean_costs_no_digits():
    Phi, Y = normal(40, 4), normal(40, 1, seed=1)
    near, far = ridge([Phi], Y, 0.1), ridge(torch.split(Phi + 1e6, 7), Y, 0.1)
    torch.testing.assert_close(far.weight, near.weight, rtol=1e-8, atol=1e-10)


def test_single_precision_is_solved_in_double():
    Phi, Y = normal(50, 5), normal(50, 2, seed=1)
    narrow = ridge([Phi.float()], Y.float(), 1e-3)
    assert narrow.weight.dtype == narrow.bias.dtype == torch.float32
    torch.testing.assert_close(narrow.weight.double(), ridge([Phi], Y, 1e-3).weight, rtol=1e-5, atol=1e-6)


def test_equal_columns_are_solved_with_a_reported_jitter():
    Phi = normal(30, 1).repeat(1, 3)
    Y = 2 * Phi[:, :1] + 1
    for found in (ridge([Phi], Y, 0.0), RidgePath(lambda: [Phi], Y).fit(0.0)):
        assert 0 < found.jitter <= 1.5e-8 * 30 * 2
        torch.testing.assert_close(Phi @ found.weight + found.bias, Y, rtol=1e-6, atol=1e-6)


def test_a_path_raises_its_smallest_eigenvalue_to_what_rounding_leaves_and_no_further():
    """Φ̄ᵀΦ̄ = diag(s₁, 1): what s₁ and the penalty lack of 2·eps is added, and reported."""
    eps = torch.finfo(torch.float64).eps
    for smallest, penalty in ((0.0, 0.5), (0.75, 0.5), (0.75, 0.0), (1.0, 1.5), (3.0, 0.0)):
        rows = torch.tensor([[(smallest * eps / 2) ** 0.5, 0.0], [0.0, 0.5**0.5]], dtype=torch.float64)
        found = RidgePath(lambda rows=rows: [torch.cat([rows, -rows])], normal(4, 1)).fit(penalty * eps)
        assert found.jitter / eps == pytest.approx(max(0.0, 2 - smallest - penalty), abs=1e-6)


def test_a_matrix_past_repair_is_refused():
    for below in (-0.5, -1e-6):  # further than rounding goes
        with pytest.raises(DataError, match="positive definite"):
            cholesky(torch.diag(torch.tensor([1.0, below], dtype=torch.float64)))
    with pytest.raises(DataError, match="positive definite"):
        ridge([torch.ones(4, 2)], torch.ones(4, 1), 0.0)
    for number in (torch.nan, torch.inf):
        with pytest.raises(DataError, match="finite"):
            cholesky(torch.full((2, 2), number))


def test_the_factor_is_of_the_matrix_it_was_asked_for():
    A = normal(8, 5).mT @ normal(8, 5)
    L, jitter = cholesky(A)
    assert jitter == 0
    torch.testing.assert_close(L @ L.mT, A)
    singular = torch.ones(4, 4, dtype=torch.float64)
    L, jitter = cholesky(singular)
    assert 0 < jitter <= 1.5e-8
    torch.testing.assert_close(L @ L.mT, singular + jitter * torch.eye(4))
    eps = torch.finfo(torch.float64).eps
    for below, steps in ((0.5, 0), (5, 1), (50, 2), (5e6, 7)):  # the first of eps, 10·eps … 10⁷·eps that is enough
        jitter = cholesky(torch.diag(torch.tensor([2.0 + below * eps, -below * eps], dtype=torch.float64)))[1]
        assert jitter / eps == pytest.approx(10.0**steps, rel=1e-9)


@pytest.mark.parametrize("bad", [[-1.0, 1, 1], [0.0, 0, 0], [float("nan"), 1, 1]])
def test_bad_weights_are_refused(bad):
    with pytest.raises(DataError, match="sample weights"):
        moments([normal(3, 2)], normal(3, 1), sample_weight=torch.tensor(bad))


@pytest.mark.parametrize("weighted", [False, True])
def test_more_features_than_rows_give_what_scikit_learn_gives(weighted):
    random = np.random.default_rng(5)
    Phi, Y, w = random.normal(size=(12, 40)), random.normal(size=(12, 3)), random.uniform(0.1, 2, 12)
    blocks = [torch.from_numpy(Phi[:5]), torch.from_numpy(Phi[5:])]
    found = ridge(blocks, torch.from_numpy(Y), 0.3, sample_weight=torch.from_numpy(w) if weighted else None)
    oracle = SklearnRidge(alpha=0.3, solver="svd").fit(Phi, Y, sample_weight=w if weighted else None)
    np.testing.assert_allclose(found.weight.numpy(), oracle.coef_.T, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found.bias.numpy(), oracle.intercept_, rtol=1e-9, atol=1e-11)

"""Ridge regression at many penalties from one reduction, against plain solutions and eigenvalues in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab.heads.shifted import reduce

SHIFTS = (1e-6, 1e-3, 1.0, 100.0)


def some(n, rank, seed=0):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(n, rank))
    return factor @ factor.T, rng.normal(size=(n, 3))


@pytest.mark.parametrize(
    ("n", "rank"), [(1, 2), (3, 3), (5, 9), (63, 90), (64, 90), (65, 40), (200, 300), (333, 90), (1100, 1300)]
)
@pytest.mark.parametrize("width", [7, 64])
def test_solutions_traces_and_conditions_are_those_of_the_matrix_itself(n, rank, width):
    A, R = some(n, rank)
    found = reduce(torch.from_numpy(A.copy()), width).solve(
        torch.from_numpy(R), torch.tensor(SHIFTS, dtype=torch.float64)
    )
    s = np.linalg.eigvalsh(A).clip(0)
    for k, shift in enumerate(SHIFTS):
        assert float(found.shifts[k]) == shift
        X = np.linalg.solve(A + shift * np.eye(n), R)
        np.testing.assert_allclose(found.X[k], X, atol=1e-5 * np.abs(X).max())
        assert float(found.traces[k]) == pytest.approx((1 / (s + shift)).sum(), rel=1e-5)
        assert float(found.conditions[k]) == pytest.approx((s[-1] + shift) / (s[0] + shift), rel=1e-3)


def test_a_shift_that_rounding_would_swallow_is_raised_until_it_counts():
    A, R = some(150, 20)
    found = reduce(torch.from_numpy(A.copy())).solve(torch.from_numpy(R), torch.tensor([0.0]).double())
    shift = float(found.shifts[0])
    assert 0 < shift < 1e-9 * np.linalg.norm(A, 2)
    assert bool(found.X.isfinite().all())
    inside = A @ R  # what A can reach, it does
    back = reduce(torch.from_numpy(A.copy())).solve(torch.from_numpy(inside), torch.tensor([0.0]).double())
    np.testing.assert_allclose(A @ back.X[0].numpy(), inside, rtol=1e-5, atol=1e-5)
    # The rank: to rounding, which is n times smaller than the shift, and n zeros of it; with more of a shift exactly.
    assert round(150 - shift * float(found.traces[0])) == 20
    more = reduce(torch.from_numpy(A.copy())).solve(torch.from_numpy(R), torch.tensor([1e6 * shift]).double())
    assert 150 - float(more.shifts[0]) * float(more.traces[0]) == pytest.approx(20, abs=1e-5)


def test_a_first_entry_of_zero_is_reflected_too():
    """LAPACK's τ is exactly 1 where the first entry of what is reflected is 0."""
    A, R = some(30, 40)
    A[1, 0] = A[0, 1] = 0
    A += 100 * np.eye(30)
    _, tau = torch.geqrf(torch.from_numpy(A[1:, :1]))
    assert float(tau[0]) == 1
    found = reduce(torch.from_numpy(A.copy()), 1).solve(torch.from_numpy(R), torch.tensor([1.0]).double())
    np.testing.assert_allclose(found.X[0], np.linalg.solve(A + np.eye(30), R), atol=1e-8)


def test_matrices_without_anything_to_reduce():
    for A in (torch.zeros(70, 70).double(), torch.eye(70).double(), torch.diag(torch.arange(70).double())):
        R = torch.ones(70, 1).double()
        found = reduce(A.clone(), 16).solve(R, torch.tensor([1.0]).double())
        torch.testing.assert_close(found.X[0], R / (A.diagonal()[:, None] + 1))

"""Kernel-target alignment against explicit n × n matrices, its gradient, and the terms that are shown of it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.bounds import ALIGNMENT, BOUNDS, alignment_terms
from kernlab.linalg import alignment
from kernlab.objectives import Alignment


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def explicit(Phi: torch.Tensor, Y: torch.Tensor, centred: bool) -> float:
    """The definition, with n × n matrices."""
    n = len(Phi)
    K, L = (Phi @ Phi.T).numpy(), (Y @ Y.T).numpy()
    if centred:
        C = np.eye(n) - np.ones((n, n)) / n
        K, L = C @ K @ C, C @ L @ C
    return float((K * L).sum() / (np.linalg.norm(K) * np.linalg.norm(L)))


@given(n=st.integers(3, 12), D=st.integers(1, 15), K=st.integers(1, 4), centred=st.booleans(), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_alignment_is_the_cosine_between_the_two_matrices(n, D, K, centred, seed):
    Phi, Y = 1 + normal(n, D, seed=seed), normal(n, K, seed=seed + 100) - 0.5
    found = alignment(Phi, Y, centred=centred)
    assert found == pytest.approx(explicit(Phi, Y, centred), rel=1e-10)
    assert 0 <= found <= 1 + 1e-12
    assert alignment(3 * Phi, -7 * Y, centred=centred) == pytest.approx(found, rel=1e-12)


def test_targets_are_aligned_with_themselves_and_a_matrix_that_vanishes_with_nothing():
    Y = normal(9, 3)
    assert alignment(Y, Y) == pytest.approx(1)
    assert alignment(5 + 2 * Y, Y) == pytest.approx(1)
    assert alignment(5 + 2 * Y, Y, centred=False) < 0.9
    assert alignment(torch.ones(5, 2), normal(5, 1).float()) == 0
    assert alignment(normal(5, 2), torch.ones(5, 1, dtype=torch.float64)) == 0


@pytest.mark.parametrize(("m", "D", "K"), [(12, 5, 3), (6, 9, 1)])
def test_the_objective_is_the_negative_alignment_with_its_gradient(m, D, K):
    Phi, Y = 0.3 + normal(m, D), normal(m, K, seed=1)
    value, C, kept = Alignment().value_and_grad(Phi, Y, {})
    assert float(value) == pytest.approx(-explicit(Phi, Y, True), rel=1e-12)
    assert kept == {}
    leaf = Phi.clone().requires_grad_()
    centred, T = leaf - leaf.mean(0), Y - Y.mean(0)
    K_, L = centred @ centred.T, T @ T.T
    (-(K_ * L).sum() / (K_.norm() * L.norm())).backward()
    torch.testing.assert_close(C, leaf.grad, rtol=1e-10, atol=1e-13)


def test_steps_against_the_gradient_raise_the_alignment():
    Phi, Y = normal(20, 6), torch.nn.functional.one_hot(torch.arange(20) % 3).double()
    start = alignment(Phi, Y)
    for _ in range(200):
        Phi = Phi - 50 * Alignment().value_and_grad(Phi, Y, {})[1]
    assert start < 0.3
    assert alignment(Phi, Y) > 0.95


def test_a_batch_without_variety_stands_still():
    for Phi, Y in ((torch.ones(4, 3), normal(4, 1).float()), (normal(4, 3).float(), torch.ones(4, 2))):
        value, C, _ = Alignment().value_and_grad(Phi, Y, {})
        assert float(value) == 0
        torch.testing.assert_close(C, torch.zeros_like(C))


def test_the_terms_by_hand():
    q = torch.tensor([0.5, 0.25, 0.25, 0.0])
    Phi, Y = normal(8, 4).float(), normal(8, 2, seed=1).float()
    terms = alignment_terms(Phi, Y, q, candidates=10, alignment_before=0.1, gap=0.2)
    assert list(terms) == [term.key for term in ALIGNMENT.terms]
    assert terms["chi_square"] == pytest.approx(10 * 0.375 - 1)
    assert terms["effective_size"] == pytest.approx(8 / 3)
    assert terms["support"] == 3
    assert terms["alignment"] == pytest.approx(explicit(Phi, Y, True), rel=1e-5)
    assert terms["alignment_uncentred"] == pytest.approx(explicit(Phi, Y, False), rel=1e-5)
    assert (terms["alignment_before"], terms["gap"]) == (0.1, 0.2)
    assert BOUNDS["alignment"] is ALIGNMENT


def test_a_batch_may_have_fewer_rows_than_features():
    """Alignment fits no regression, so that nothing stands against few rows."""
    Alignment().check_batch(5, 60)

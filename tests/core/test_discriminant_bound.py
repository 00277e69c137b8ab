"""Both sides of the identity, and the targets' spread above them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from kernlab.bounds import BOUNDS, discriminant_terms


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(2, 40),
    D=st.integers(1, 10),
    rho=st.sampled_from([1e-4, 0.1, 10.0]),
    scale=st.sampled_from([0.1, 1.0, 10.0]),
)
def test_both_sides_agree_and_are_scikit_learns(n, D, rho, scale):
    Phi, Y = scale * normal(n, D) + 1, normal(n, 3, seed=1) - 2
    found = discriminant_terms(Phi, Y, rho, gap=0.0)
    assert abs(found["identity_gap"]) <= 1e-8 * found["target_norm"]
    assert found["identity_gap"] == found["ridge_error"] - found["predicted_error"]
    fitted = Ridge(alpha=rho, solver="svd").fit(Phi.numpy(), Y.numpy())
    error = ((fitted.predict(Phi.numpy()) - Y.numpy()) ** 2).sum() + rho * (fitted.coef_**2).sum()
    assert found["ridge_error"] == pytest.approx(error / n, rel=1e-8, abs=1e-8 * found["target_norm"])
    assert 0 <= found["discriminant_information"] <= found["target_norm"] * (1 + 1e-9)


def test_features_that_say_nothing_and_everything():
    Y = torch.eye(4, dtype=torch.float64).repeat(5, 1)
    nothing = discriminant_terms(torch.ones(20, 2), Y, 1e-4, gap=0.25)
    assert nothing["discriminant_information"] == pytest.approx(0, abs=1e-12)
    assert nothing["predicted_error"] == pytest.approx(0.75)  # 1 − Σ p_c² for four equal classes
    assert nothing["gap"] == 0.25
    everything = discriminant_terms(1e3 * Y, Y, 1e-4, gap=0.0)
    assert everything["predicted_error"] == pytest.approx(0, abs=1e-9)


def test_the_terms_are_those_that_are_described():
    described = [term.key for term in BOUNDS["discriminant"].terms]
    found = discriminant_terms(normal(9, 2), normal(9, 1), 0.1, gap=0.0)
    assert list(found) == described
    bound = BOUNDS["discriminant"]
    assert sum(found[key] for key in bound.stack) == pytest.approx(found[bound.total])

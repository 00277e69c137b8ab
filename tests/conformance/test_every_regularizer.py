"""What must hold for a penalty of any name: its gradient is right, or its proximal map is optimal."""

from __future__ import annotations

import pytest
import torch
from variants import variants

from kernlab.regularizers import REGULARIZERS

LAMBDA = 0.3
PENALTIES = variants(REGULARIZERS, weight=LAMBDA)
HOOKS = {
    "weight gradient": "weight_gradient",
    "feature gradient": "feature_gradient",
    "map gradient": "map_gradient",
    "proximal step": "prox",
}


def acting(how: str):
    return [p for p in PENALTIES if p.values[0].acts == how]


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def slope(value, at: torch.Tensor, direction: torch.Tensor, h: float = 1e-6) -> float:
    return float(value(at + h * direction) - value(at - h * direction)) / (2 * h)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_penalty_is_a_number_of_at_least_zero_and_zero_at_zero(penalty):
    W, Phi = normal(7, 3), normal(5, 7, seed=1)
    theta = {"omega": normal(2, 1, 3, seed=2), "phase": normal(1, 3, seed=3)}
    assert float(penalty.value_at(W, Phi, theta)) > 0
    assert float(penalty.value_at(0 * W, 0 * Phi, {name: 0 * value for name, value in theta.items()})) == 0


@pytest.mark.parametrize("penalty", PENALTIES)
def test_exactly_the_hook_it_names_exists(penalty):
    W, Phi = normal(7, 3), normal(5, 7, seed=1)
    arguments = {"weight_gradient": (W,), "feature_gradient": (Phi,), "map_gradient": ({"W": W},), "prox": (W, 0.1)}
    for hook, given in arguments.items():
        if hook == HOOKS[penalty.acts]:
            found = getattr(penalty, hook)(*given)
            assert (found["W"] if hook == "map_gradient" else found).shape == W.shape or hook == "feature_gradient"
        else:
            with pytest.raises(NotImplementedError):
                getattr(penalty, hook)(*given)


@pytest.mark.parametrize("penalty", acting("weight gradient"))
def test_the_gradient_on_the_weights(penalty):
    W, Phi = normal(7, 3), normal(5, 7, seed=1)
    G = penalty.weight_gradient(W)
    leaf = W.clone().requires_grad_()
    (LAMBDA * penalty.value_at(leaf, Phi, {})).backward()
    torch.testing.assert_close(G, leaf.grad, rtol=1e-12, atol=1e-14)
    direction = normal(7, 3, seed=2)
    expected = LAMBDA * slope(lambda V: penalty.value_at(V, Phi, {}), W, direction)
    assert float((G * direction).sum()) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("penalty", acting("feature gradient"))
def test_the_gradient_on_the_features(penalty):
    W, Phi = normal(7, 3), normal(5, 7, seed=1)
    G = penalty.feature_gradient(Phi)
    leaf = Phi.clone().requires_grad_()
    (LAMBDA * penalty.value_at(W, leaf, {})).backward()
    torch.testing.assert_close(G, leaf.grad, rtol=1e-12, atol=1e-14)
    direction = normal(5, 7, seed=2)
    expected = LAMBDA * slope(lambda V: penalty.value_at(W, V, {}), Phi, direction)
    assert float((G * direction).sum()) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("penalty", acting("map gradient"))
def test_the_gradient_on_the_parameters_of_the_map(penalty):
    theta = {"omega": normal(2, 1, 3, seed=2), "phase": normal(1, 3, seed=3)}
    G = penalty.map_gradient(theta)
    leaves = {name: value.clone().requires_grad_() for name, value in theta.items()}
    (LAMBDA * penalty.value_at(normal(3, 1), normal(5, 3), leaves)).backward()
    assert set(G) == set(theta)
    for name, leaf in leaves.items():
        torch.testing.assert_close(G[name], leaf.grad, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5), (6, 1)])
@pytest.mark.parametrize("penalty", acting("proximal step"))
def test_nothing_near_or_far_beats_the_proximal_map(penalty, shape):
    rate, Phi = 0.8, normal(2, shape[0], seed=1)
    W = normal(*shape)
    V = penalty.prox(W, rate)

    def objective(U: torch.Tensor) -> float:
        return float(0.5 * (U - W).pow(2).sum() + rate * LAMBDA * penalty.value_at(U, Phi, {}))

    best = objective(V)
    for seed in range(30):
        for size in (1e-4, 1e-2, 1.0):
            assert objective(V + size * normal(*shape, seed=10 + seed)) >= best
    assert objective(W) >= best
    assert objective(0 * W) >= best


@pytest.mark.parametrize("penalty", acting("proximal step"))
def test_a_proximal_map_never_drives_two_points_apart(penalty):
    for seed in range(20):
        A, B = normal(8, 3, seed=seed), normal(8, 3, seed=seed + 100)
        assert (penalty.prox(A, 1.0) - penalty.prox(B, 1.0)).norm() <= (A - B).norm() * (1 + 1e-12)


@pytest.mark.parametrize("penalty", acting("proximal step"))
def test_a_step_of_no_size_changes_nothing(penalty):
    W = normal(8, 3)
    torch.testing.assert_close(penalty.prox(W, 0.0), W, rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(penalty.replace(weight=0.0).prox(W, 1.0), W, rtol=1e-12, atol=1e-13)

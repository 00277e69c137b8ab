"""The closed-form gradients of ASKL, written out in NumPy from METHODS 4.1 and nothing else.

c = 1/√(2D),  G = ∂ℓ/∂F / m,  A = c (GWᵀ + 2(λ₂/m) Φ),  ∇_W = ΦᵀG

with phases   z = XΩ + b   Φ = c (cos z + cos z')                        ∇_Ω = −Xᵀ(sin z ∘ A)
pairs         z = XΩ       Φ = c [cos z + cos z' ; sin z + sin z']       ∇_Ω = Xᵀ(cos z ∘ A_sin − sin z ∘ A_cos)
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab.methods import METHODS
from kernlab.solvers.proximal_gradient import risk_gradients

M, D_IN, D, K, LAMBDA = 10, 4, 8, 3, 0.3


@pytest.fixture(params=["paired", "shared"])
def problem(request):
    random = torch.Generator().manual_seed(0)
    options = {"n_features": D, "frequency_scale": 0.7, "feature_norm": LAMBDA, "phase": request.param}
    spec = METHODS["ASKL"].with_options(options)
    X = torch.randn(M, D_IN, generator=random, dtype=torch.float64)
    params = spec.feature_map.init(X, random)
    params["weight"] = torch.randn(D, K, generator=random, dtype=torch.float64)
    return spec, params, X, torch.randint(K, (M,), generator=random)


def in_numpy(params, X, outer):
    """Gradients of METHODS 4.1, with the loss's own gradient from ``outer``."""
    X, W = X.numpy(), params["weight"].numpy()
    omega, omega_prime = (params["omega"][:, p].numpy() for p in range(2))
    b = params["phase"][0].numpy() if "phase" in params else 0.0
    c = 1 / np.sqrt(2 * D)
    both = X @ omega + b, X @ omega_prime + b
    Phi = c * sum(np.cos(z) for z in both)
    if "phase" not in params:
        Phi = np.hstack([Phi, c * sum(np.sin(z) for z in both)])
    G = outer(Phi @ W) / M
    A = c * (G @ W.T + 2 * LAMBDA / M * Phi)
    if "phase" in params:
        return Phi.T @ G, np.stack([-X.T @ (np.sin(z) * A) for z in both], axis=1)
    A_cos, A_sin = A[:, : D // 2], A[:, D // 2 :]
    return Phi.T @ G, np.stack([X.T @ (np.cos(z) * A_sin - np.sin(z) * A_cos) for z in both], axis=1)


def hinge_slope(y):
    def slope(F):
        G = np.zeros_like(F)
        for i, c in enumerate(y):
            strongest = max((k for k in range(K) if k != c), key=lambda k: F[i, k])
            if F[i, c] - F[i, strongest] < 1:
                G[i, strongest], G[i, c] = 1, -1
        return G

    return slope


@pytest.mark.parametrize("objective", ["hinge", "squared"])
def test_gradients_are_those_of_the_paper(problem, objective):
    spec, params, X, y = problem
    spec = spec.with_options({"objective": objective})
    outer = hinge_slope(y.numpy()) if objective == "hinge" else lambda F: 2 * (F - np.eye(K)[y.numpy()])
    on_weight, on_omega = in_numpy(params, X, outer)
    _, _, gradient = risk_gradients(spec.feature_map, True, spec.objective, spec.regularizers)(params, X, y)
    np.testing.assert_allclose(gradient["weight"], on_weight, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(gradient["omega"], on_omega, rtol=1e-11, atol=1e-13)


def test_an_assigned_map_gets_no_gradient(problem):
    spec, params, X, y = problem
    spec = spec.with_options({"objective": "hinge"})
    _, _, gradient = risk_gradients(spec.feature_map, False, spec.objective, ())(params, X, y)
    assert set(gradient) == {"weight"}


def test_a_penalty_of_no_weight_costs_nothing_and_is_not_reported(problem):
    spec, params, X, y = problem
    loss = spec.with_options({"objective": "hinge"}).objective
    silent = [r.replace(weight=0.0) for r in spec.regularizers]
    _, penalties, with_them = risk_gradients(spec.feature_map, True, loss, silent)(params, X, y)
    _, _, without = risk_gradients(spec.feature_map, True, loss, ())(params, X, y)
    assert penalties == {}
    assert all(torch.equal(with_them[name], without[name]) for name in without)

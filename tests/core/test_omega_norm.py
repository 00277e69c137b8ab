"""The squared norm of Ω: the gradient of the whole objective, in both kinds of step, and what it does to a training."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab.feature_maps import NonStationary, Nystroem, Stationary
from kernlab.objectives import Alignment, Squared
from kernlab.regularizers import FeatureNorm, Frobenius, OmegaNorm
from kernlab.solvers.proximal_gradient import map_step, risk_gradients
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

random = torch.Generator().manual_seed(0)
X = torch.randn(20, 3, generator=random, dtype=torch.float64)
Y = torch.randn(20, 2, generator=random, dtype=torch.float64)
PENALTIES = (OmegaNorm(weight=0.3), Frobenius(weight=0.1), FeatureNorm(weight=0.2))


@pytest.mark.parametrize(
    "map",
    [NonStationary(n_features=6, frequency_scale=0.7), Stationary(n_features=6, phase="shared", learn_phase=True,
     frequency_scale=0.7), Nystroem(n_features=5, frequency_scale=0.7)],
    ids=lambda map: map.name,
)  # fmt: skip
def test_the_gradient_is_that_of_the_whole_objective(map):
    params = map.init(X, random)
    params["weight"] = torch.randn(map.width, 2, generator=random, dtype=torch.float64)
    value, penalties, gradient = risk_gradients(map, True, Squared(), PENALTIES)(params, X, Y)
    leaves = {name: value.clone().requires_grad_() for name, value in params.items()}
    Phi, W = map.apply(leaves, X), leaves["weight"]
    squares = sum(leaves[name].square().sum() for name in map.trainable)
    risk = (Phi @ W - Y).square().sum() / len(X)
    (risk + 0.3 * squares + 0.1 * W.square().sum() + 0.2 * Phi.square().sum() / len(X)).backward()
    assert float(value) == pytest.approx(float(risk.detach()))
    assert float(penalties["omega_norm"]) == pytest.approx(float(squares.detach()))
    for name in ("weight", *map.trainable):
        torch.testing.assert_close(gradient[name], leaves[name].grad)


def test_a_map_that_is_learned_by_itself_is_penalised_too():
    map = Stationary(n_features=6, frequency_scale=0.7)
    params = map.init(X, random)
    before = params["omega"].clone()
    optimizer = torch.optim.SGD([params["omega"]], lr=1.0)
    _, found = map_step(map, Alignment(), PENALTIES[:1], params, optimizer, 2)(X, Y, 0.01)
    assert float(found["omega_norm"]) == pytest.approx(float(before.square().sum()))
    leaf = before.clone().requires_grad_()
    Phi = map.apply({**params, "omega": leaf}, X)
    (Alignment().value_and_grad(Phi, Y, {})[0] + 0.3 * leaf.square().sum()).backward()
    torch.testing.assert_close(params["omega"], before - 0.01 * leaf.grad, rtol=1e-8, atol=1e-10)


def test_frequencies_shrink_as_its_weight_grows():
    lengths = []
    for weight in (0.0, 1e-3, 1.0):
        run = RunSpec.of("NSKL", "moons", n_samples=120, n_features=20, epochs=20, omega_norm=weight)
        lengths.append(float(np.square(fit(run).model.params["omega"]).sum()))
    assert lengths[2] < 0.7 * lengths[0]
    assert lengths[2] < lengths[1] < lengths[0]

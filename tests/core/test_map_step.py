"""One step that learns the map alone goes down the gradient of the objective and its penalties together."""

from __future__ import annotations

import pytest
import torch

from kernlab.feature_maps import Nystroem, Stationary
from kernlab.linalg import real_targets
from kernlab.objectives import Discriminant
from kernlab.regularizers import FeatureNorm, Frobenius
from kernlab.solvers.proximal_gradient import map_step

RANDOM = torch.Generator().manual_seed(0)
X = torch.randn(40, 3, generator=RANDOM, dtype=torch.float64)
y = (X[:, 0] + X[:, 1] ** 2 > 0.7).long()
MAPS = {
    "omega": Stationary(n_features=8, frequency_scale=1.0),
    "landmarks": Nystroem(n_features=8, frequency_scale=1.0),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("weight", [0.0, 3.0])
def test_a_step_goes_down_the_gradient_of_objective_and_feature_norm(name, weight):
    feature_map, objective, penalty = MAPS[name], Discriminant(rho=0.1), FeatureNorm(weight=weight)
    start = feature_map.init(X, torch.Generator().manual_seed(1))

    def total(values: torch.Tensor) -> float:
        Phi = feature_map.apply({**start, name: values}, X)
        return float(objective.value_and_grad(Phi, real_targets(y, 2, X.dtype), {})[0]) + weight * float(
            Phi.square().sum() / len(X)
        )

    params = {key: value.clone() for key, value in start.items()}
    rate = 0.5
    step = map_step(
        feature_map, objective, (penalty, Frobenius(weight=9.0)), params, torch.optim.SGD([params[name]], lr=1.0), 2
    )
    value, penalties = step(X, y, rate)
    taken = (start[name] - params[name]) / rate

    numeric, h = torch.zeros_like(taken), 1e-5
    for i in range(taken.numel()):
        ahead, behind = start[name].clone(), start[name].clone()
        ahead.view(-1)[i] += h
        behind.view(-1)[i] -= h
        numeric.view(-1)[i] = (total(ahead) - total(behind)) / (2 * h)
    torch.testing.assert_close(taken, numeric, rtol=1e-5, atol=1e-7)
    assert set(penalties) == ({"feature_norm"} if weight else set())
    of_features = feature_map.apply(start, X).square().sum() / len(X)
    assert float(value) + weight * float(of_features) == pytest.approx(total(start[name]))
    if weight:
        assert float(penalties["feature_norm"]) == pytest.approx(float(of_features))
        assert float((weight * of_features) / abs(value)) > 0.1  # the penalty has a part in the step

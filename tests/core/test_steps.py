"""One step of a solver: with the map and its weights, with the map alone, or with nothing to learn."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab.feature_maps import NonStationary, Nystroem, Stationary
from kernlab.linalg import real_targets
from kernlab.objectives import Alignment, Discriminant, RidgeLoss, Squared
from kernlab.regularizers import FeatureNorm, Frobenius, OmegaNorm
from kernlab.solvers import Assigned, Problem
from kernlab.solvers.proximal_gradient import adam, map_step, risk_gradients
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

RANDOM = torch.Generator().manual_seed(0)
X = torch.randn(40, 3, generator=RANDOM, dtype=torch.float64)
TARGETS = torch.randn(40, 2, generator=RANDOM, dtype=torch.float64)
y = (X[:, 0] + X[:, 1] ** 2 > 0.7).long()
PENALTIES = (OmegaNorm(weight=0.3), Frobenius(weight=0.1), FeatureNorm(weight=0.2))
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


@pytest.mark.parametrize(
    "map",
    [NonStationary(n_features=6, frequency_scale=0.7), Stationary(n_features=6, phase="shared", learn_phase=True,
     frequency_scale=0.7), Nystroem(n_features=5, frequency_scale=0.7)],
    ids=lambda map: map.name,
)  # fmt: skip
def test_the_gradient_is_that_of_the_whole_objective(map):
    params = map.init(X, RANDOM)
    params["weight"] = torch.randn(map.width, 2, generator=RANDOM, dtype=torch.float64)
    value, penalties, gradient = risk_gradients(map, True, Squared(), PENALTIES)(params, X, TARGETS)
    leaves = {name: value.clone().requires_grad_() for name, value in params.items()}
    Phi, W = map.apply(leaves, X), leaves["weight"]
    squares = sum(leaves[name].square().sum() for name in map.trainable)
    risk = (Phi @ W - TARGETS).square().sum() / len(X)
    (risk + 0.3 * squares + 0.1 * W.square().sum() + 0.2 * Phi.square().sum() / len(X)).backward()
    assert float(value) == pytest.approx(float(risk.detach()))
    assert float(penalties["omega_norm"]) == pytest.approx(float(squares.detach()))
    for name in ("weight", *map.trainable):
        torch.testing.assert_close(gradient[name], leaves[name].grad)


def test_a_map_that_is_learned_by_itself_is_penalised_too():
    map = Stationary(n_features=6, frequency_scale=0.7)
    params = map.init(X, RANDOM)
    before = params["omega"].clone()
    optimizer = torch.optim.SGD([params["omega"]], lr=1.0)
    _, found = map_step(map, Alignment(), PENALTIES[:1], params, optimizer, 2)(X, TARGETS, 0.01)
    assert float(found["omega_norm"]) == pytest.approx(float(before.square().sum()))
    leaf = before.clone().requires_grad_()
    Phi = map.apply({**params, "omega": leaf}, X)
    (Alignment().value_and_grad(Phi, TARGETS, {})[0] + 0.3 * leaf.square().sum()).backward()
    torch.testing.assert_close(params["omega"], before - 0.01 * leaf.grad, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("rate", [0.1, torch.tensor(0.1)])
def test_adam_in_plain_operations_is_torchs(rate):
    leaf = torch.randn(5, 3, generator=RANDOM, dtype=torch.float64)
    ours, moments = leaf.clone(), [torch.zeros_like(leaf), torch.zeros_like(leaf)]
    optimizer = torch.optim.Adam([leaf], lr=0.1, betas=(0.8, 0.95), eps=0.01)
    for t in range(1, 6):
        leaf.grad = torch.randn(5, 3, generator=RANDOM, dtype=torch.float64)
        optimizer.step()
        ours -= adam(leaf.grad, moments, rate, t, optimizer.param_groups[0])
        torch.testing.assert_close(ours, leaf, rtol=1e-6, atol=0)


def test_frequencies_shrink_as_its_weight_grows():
    lengths = []
    for weight in (0.0, 1e-3, 1.0):
        run = RunSpec.of("NSKL", "moons", n_samples=120, n_features=20, epochs=20, omega_norm=weight)
        lengths.append(float(np.square(np.asarray(fit(run).model.params["omega"])).sum()))
    assert lengths[2] < 0.7 * lengths[0]
    assert lengths[2] < lengths[1] < lengths[0]


def test_one_step_changes_nothing():
    feature_map = Stationary(n_features=5, frequency_scale=1.0)
    problem = Problem(feature_map, None, X, X[:, :1], 1, "regression", seed=3)
    solver = Assigned()
    start = solver.start(problem)
    drawn = feature_map.init(X, torch.Generator().manual_seed(3))
    after, measured = solver.step(problem, start, 0)
    assert solver.steps(problem) == 1
    assert measured == {}
    assert solver.weighted  # however often a sample counts
    assert set(after) == set(drawn)
    assert all(torch.equal(after[name], drawn[name]) for name in drawn)


def test_the_ridge_weights_of_a_batch_are_those_of_the_next_step():
    """Before the first batch they are zero and the map stays as it is; then the step has the weights of that batch."""
    map, objective = Stationary(n_features=6, frequency_scale=0.7), RidgeLoss(rho=0.1)
    params = map.init(X, torch.Generator().manual_seed(0))
    params |= objective.start(6, 2, X)
    drawn = params["omega"].clone()
    step = map_step(map, objective, (), params, torch.optim.SGD([params["omega"]], lr=1.0), 2)
    step(X[:20], TARGETS[:20], 0.01)
    assert torch.equal(params["omega"], drawn)
    fitted = objective.value_and_grad(map.apply(params, X[:20]), TARGETS[:20], params)[2]
    assert fitted.keys() == {"ls_weight", "ls_bias"}
    assert all(torch.equal(params[name], value) for name, value in fitted.items())
    value, _ = step(X[20:], TARGETS[20:], 0.01)
    residual = map.apply({**params, "omega": drawn}, X[20:]) @ fitted["ls_weight"] + fitted["ls_bias"] - TARGETS[20:]
    assert float(value) == pytest.approx(float(residual.square().sum()) / 20)
    assert not torch.equal(params["omega"], drawn)

"""What must hold for every named method: its closed-form gradient is that of the objective it states."""

from __future__ import annotations

import json

import pytest
import torch

from kernlab.errors import CompositionError
from kernlab.methods import METHODS, MethodSpec
from kernlab.objectives import OBJECTIVES, Loss
from kernlab.options import options_of
from kernlab.solvers import ProximalGradient
from kernlab.solvers.proximal_gradient import proximal_step, risk_gradients

M, D_IN, K = 12, 3, 3
LOSSES = {name: cls for name, cls in OBJECTIVES.items() if issubclass(cls, Loss)}
#: Map and weights are learned together from mini-batches.
JOINT = [n for n, spec in METHODS.items() if isinstance(spec.solver, ProximalGradient) and spec.head.name == "joint"]
CASES = [
    pytest.param(name, loss, task, id=f"{name}-{loss}-{task}")
    for name in JOINT
    for loss, cls in LOSSES.items()
    for task in cls.tasks
]


def heavy(name: str, **options) -> MethodSpec:
    """The method with few features, and penalties large enough that a wrong one shows."""
    spec = METHODS[name]
    weights = {r.name: 0.2 + 0.1 * i for i, r in enumerate(spec.regularizers)}
    small = {"n_features": 5, "frequency_scale": 0.8} if "n_features" in spec.schema() else {}
    return spec.with_options({**small, **weights, **options})


def problem(spec: MethodSpec, task: str):
    random = torch.Generator().manual_seed(0)
    X = torch.randn(M, D_IN, generator=random, dtype=torch.float64)
    params = spec.feature_map.init(X, random)
    params["weight"] = torch.randn(spec.feature_map.width, K, generator=random, dtype=torch.float64)
    if task == "classification":
        return params, X, torch.randint(K, (M,), generator=random)
    return params, X, torch.randn(M, K, generator=random, dtype=torch.float64)


@pytest.mark.parametrize(("name", "loss", "task"), CASES)
def test_gradients_equal_automatic_differentiation_of_the_whole_objective(name, loss, task):
    spec = heavy(name, objective=loss)
    params, X, y = problem(spec, task)
    free = ["weight", *(spec.feature_map.trainable if spec.learned else ())]
    leaves = {key: params[key].clone().requires_grad_() for key in free}
    Phi = spec.feature_map.apply({**params, **leaves}, X)
    risk = spec.objective.value(Phi @ leaves["weight"], y)
    smooth = [r for r in spec.regularizers if r.acts != "proximal step"]
    (risk + sum(r.weight * r.value_at(leaves["weight"], Phi, leaves) for r in smooth)).backward()

    value, penalties, gradient = risk_gradients(spec.feature_map, spec.learned, spec.objective, spec.regularizers)(
        params, X, y
    )
    assert float(value) == pytest.approx(float(risk.detach()), rel=1e-12)
    assert {k: float(v) for k, v in penalties.items()} == pytest.approx(
        {r.name: float(r.value_at(params["weight"], Phi, params).detach()) for r in smooth}, rel=1e-12
    )
    assert set(gradient) == set(free)
    for key in free:
        torch.testing.assert_close(gradient[key], leaves[key].grad, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", JOINT)
def test_the_gradient_function_serves_stacked_models(name):
    spec = heavy(name, objective="squared")
    step = risk_gradients(spec.feature_map, spec.learned, spec.objective, spec.regularizers)
    one, X, y = problem(spec, "regression")
    other = {key: value + 0.1 for key, value in one.items()}
    stacked = {key: torch.stack([one[key], other[key]]) for key in one}
    _, _, together = torch.func.vmap(step, in_dims=(0, None, None))(stacked, X, y)
    for r, params in enumerate((one, other)):
        for key, value in step(params, X, y)[2].items():
            torch.testing.assert_close(together[key][r], value, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", JOINT)
def test_the_proximal_step_stays_in_the_tensor_that_the_optimizer_holds(name):
    spec = heavy(name)
    W = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    before, place = W.clone(), W.data_ptr()
    proximal_step(W, spec.regularizers, 0.5)
    expected = before
    for r in spec.regularizers:
        if r.acts == "proximal step":
            expected = r.prox(expected, 0.5)
    assert W.data_ptr() == place
    assert torch.equal(W, expected)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_survives_json(name):
    for spec in (METHODS[name], heavy(name) if name in JOINT else METHODS[name].with_options({"head": "ridge"})):
        assert MethodSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec


@pytest.mark.parametrize("name", METHODS)
def test_the_schema_names_every_option_once_with_its_value(name):
    spec = METHODS[name]
    assert list(spec.schema()) == list(spec.options())
    for part in spec.parts:
        assert {key: spec.options()[key] for key in options_of(type(part))} == part.options()
    assert all(option.help for option in spec.schema().values())


@pytest.mark.parametrize("name", METHODS)
def test_setting_every_option_to_its_value_changes_nothing(name):
    spec = METHODS[name]
    assert spec.with_options(spec.options()) == spec
    assert spec.changed_options() == {}


@pytest.mark.parametrize("name", JOINT)
def test_a_method_serves_both_tasks_by_its_own_choice_of_loss(name):
    METHODS[name].check("classification")
    METHODS[name].check("regression")
    for loss, cls in LOSSES.items():
        if "regression" not in cls.tasks:
            with pytest.raises(CompositionError, match="objective is for classification"):
                METHODS[name].with_options({"objective": loss}).check("regression")


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_where_it_comes_from(name):
    assert METHODS[name].name == name
    assert METHODS[name].title
    assert METHODS[name].source

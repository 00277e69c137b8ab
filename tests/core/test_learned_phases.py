"""Phases that are learned too: their gradient, and that shared ones stay shared."""

from __future__ import annotations

import pytest
import torch

from kernlab.feature_maps import FeatureMap, NonStationary, Stationary

X = torch.randn(9, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
LEARNED = [
    Stationary(n_features=6, frequency_scale=0.7, learn_phase=True, phase="shared"),
    NonStationary(n_features=6, frequency_scale=0.7, learn_phase=True, phase="shared"),
    NonStationary(n_features=6, frequency_scale=0.7, learn_phase=True, phase="independent"),
]


def start(feature_map: FeatureMap) -> dict[str, torch.Tensor]:
    return feature_map.init(X, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("feature_map", LEARNED)
def test_gradients_are_those_of_automatic_differentiation(feature_map):
    params = start(feature_map)
    cotangent = torch.randn(9, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    gradient = feature_map.pullback(params, X)[1](cotangent)
    leaves = {name: params[name].clone().requires_grad_() for name in ("omega", "phase")}
    feature_map.apply(leaves, X).backward(cotangent)
    assert set(gradient) == set(feature_map.trainable) == set(leaves)
    for name, leaf in leaves.items():
        torch.testing.assert_close(gradient[name], leaf.grad, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("feature_map", LEARNED)
def test_learning_them_does_not_change_where_they_start(feature_map):
    fixed = feature_map.replace(learn_phase=False)
    torch.testing.assert_close(feature_map.apply(start(feature_map), X), fixed.apply(start(fixed), X), rtol=0, atol=0)


def test_shared_phases_are_one_row_and_so_stay_shared():
    shared, independent = (start(feature_map)["phase"] for feature_map in LEARNED[1:])
    assert shared.shape == (1, 6)
    assert independent.shape == (2, 6)


@pytest.mark.parametrize("feature_map", LEARNED)
def test_stacked_models_have_the_gradients_of_each(feature_map):
    models = [feature_map.init(X, torch.Generator().manual_seed(seed)) for seed in range(3)]
    stacked = {name: torch.stack([m[name] for m in models]) for name in models[0]}
    found = torch.func.vmap(lambda params: feature_map.pullback(params, X)[1](torch.ones_like(X[:, :1]).expand(-1, 6)))
    gradient = found(stacked)["phase"]
    for r, params in enumerate(models):
        alone = feature_map.pullback(params, X)[1](torch.ones(9, 6, dtype=X.dtype))["phase"]
        torch.testing.assert_close(gradient[r], alone, rtol=0, atol=1e-12)


def test_the_paired_form_has_no_phases_to_learn():
    for feature_map in (Stationary(phase="paired", learn_phase=True), NonStationary(phase="paired", learn_phase=True)):
        assert feature_map.trainable == ("omega",)
        assert set(
            feature_map.replace(n_features=6).pullback(start(feature_map.replace(n_features=6)), X)[1](
                torch.ones(9, 6, dtype=X.dtype)
            )
        ) == {"omega"}

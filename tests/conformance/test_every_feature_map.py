"""What must hold for a feature map of any name: written against the contract, not against a formula."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from variants import variants

from kernlab.feature_maps import FEATURE_MAPS
from kernlab.feature_maps.deep import Deep
from kernlab.methods import REPRESENTATIONS

MAPS = variants(FEATURE_MAPS, frequency_scale=0.7, max_width=10_000, j_min=0, j_max=1)
N, D_IN = 9, 3


def points(n: int = N, seed: int = 1) -> torch.Tensor:
    # Inside [-1, 1], where every map takes them.
    return torch.randn(n, D_IN, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).tanh()


def start(feature_map, X, seed: int = 0):
    return feature_map.init(X, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("feature_map", MAPS)
def test_a_seed_fixes_the_parameters(feature_map):
    X = points()
    random = torch.Generator().manual_seed(0)
    untouched = random.get_state()
    first, again, other = feature_map.init(X, random), start(feature_map, X), start(feature_map, X, seed=1)
    draws = not torch.equal(random.get_state(), untouched)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first) == draws


@pytest.mark.parametrize("feature_map", MAPS)
def test_features_have_the_promised_width_in_both_precisions(feature_map):
    both = []
    for X in (points(), points().float()):
        both.append(params := start(feature_map, X))
        Phi = feature_map.apply(params, X)
        assert Phi.shape == (N, feature_map.columns(params))
        assert {Phi.dtype, *(value.dtype for value in params.values())} == {X.dtype}
        assert Phi.isfinite().all()
        assert set(feature_map.trainable) <= set(params)
        assert feature_map.draws in (0, Phi.shape[1], Phi.shape[1] / 2)  # each a column, or cosine and sine
        assert feature_map.independent_draws in (0, feature_map.draws)
    assert all(torch.equal(value.float(), both[1][name]) for name, value in both[0].items())


@pytest.mark.parametrize("feature_map", MAPS)
def test_each_row_depends_on_its_sample_alone(feature_map):
    X = points()
    params = start(feature_map, X)
    one_by_one = torch.cat([feature_map.apply(params, row[None]) for row in X])
    torch.testing.assert_close(feature_map.apply(params, X), one_by_one, rtol=0, atol=1e-13)


@pytest.mark.parametrize("feature_map", [each for each in MAPS if each.values[0].projects])
def test_inputs_that_enter_through_products_may_be_sparse(feature_map):
    X = points() * (points(seed=5) > 0)
    params = start(feature_map, X)
    torch.testing.assert_close(feature_map.apply(params, X.to_sparse()), feature_map.apply(params, X))


@pytest.mark.parametrize("feature_map", MAPS)
def test_the_pullback_equals_automatic_differentiation(feature_map):
    X = points()
    params = start(feature_map, X)
    cotangent = torch.randn(
        N, feature_map.columns(params), generator=torch.Generator().manual_seed(2), dtype=torch.float64
    )
    Phi, pullback = feature_map.pullback(params, X)
    torch.testing.assert_close(Phi, feature_map.apply(params, X), rtol=0, atol=1e-14)
    gradient = pullback(cotangent)
    leaves = {name: params[name].clone().requires_grad_() for name in feature_map.trainable}
    if leaves:  # a map that a solver of its own learns gives no gradient
        feature_map.apply({**params, **leaves}, X).backward(cotangent)
    assert set(gradient) == set(leaves)
    for name, leaf in leaves.items():
        torch.testing.assert_close(gradient[name], leaf.grad, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("feature_map", MAPS)
def test_the_pullback_equals_finite_differences(feature_map):
    X = points()
    params = start(feature_map, X)
    random = torch.Generator().manual_seed(3)
    for name in feature_map.trainable:  # off the start: a landmark at a row of X sits in the Laplacian kernel's kink
        params[name] = params[name] + 0.05 * torch.randn(params[name].shape, generator=random, dtype=torch.float64)
    cotangent = torch.randn(N, feature_map.columns(params), generator=random, dtype=torch.float64)
    gradient = feature_map.pullback(params, X)[1](cotangent)
    for name in feature_map.trainable:
        direction = torch.randn(params[name].shape, generator=random, dtype=torch.float64)

        def along(step: float, name=name, direction=direction) -> float:
            moved = {**params, name: params[name] + step * direction}
            return float((feature_map.apply(moved, X) * cotangent).sum())

        h = 1e-5
        slope = (along(h) - along(-h)) / (2 * h)
        assert float((gradient[name] * direction).sum()) == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("feature_map", MAPS)
def test_stacked_parameters_equal_one_model_after_another(feature_map):
    X = points()
    models = [start(feature_map, X, seed) for seed in range(3)]
    cotangent = torch.ones(N, feature_map.columns(models[0]), dtype=torch.float64)
    stacked = {name: torch.stack([m[name] for m in models]) for name in models[0]}

    def both(params):
        Phi, pullback = feature_map.pullback(params, X)
        return Phi, pullback(cotangent)

    Phi, gradient = torch.func.vmap(both)(stacked)
    for r, params in enumerate(models):
        one_Phi, one_gradient = both(params)
        torch.testing.assert_close(Phi[r], one_Phi, rtol=0, atol=1e-13)
        for name in feature_map.trainable:
            torch.testing.assert_close(gradient[name][r], one_gradient[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_resolving_leaves_nothing_automatic(name):
    X = points(50).float()
    resolved = REPRESENTATIONS[name]().resolve(X)
    assert "auto" not in resolved.options().values()
    assert resolved.resolve(2 * X) == resolved


@pytest.mark.parametrize("feature_map", MAPS)
def test_the_pictures_get_frequencies_in_columns(feature_map):
    X = points()
    found = feature_map.frequencies(start(feature_map, X))
    for name, values in found.items():
        assert values.ndim == 2
        assert values.shape[1] == found["omega"].shape[1]
        assert name == "phase" or values.shape[0] == D_IN


@pytest.mark.parametrize("feature_map", MAPS)
def test_what_a_snapshot_keeps_gives_the_map_back(feature_map):
    X = points()
    params = start(feature_map, X)
    kept = {**feature_map.frequencies(params), **feature_map.pictured(params)}
    if isinstance(feature_map, Deep):
        assert feature_map.restored(kept) is None  # its inner layers are not kept
        return
    again, found = feature_map.resolve(X).restored(kept)
    torch.testing.assert_close(again.apply(found, X), feature_map.apply(params, X))
    assert again.columns(found) == feature_map.columns(params)
    for name in kept:
        assert feature_map.restored({key: value for key, value in kept.items() if key != name}) is None
    assert feature_map.restored({}) is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")
@pytest.mark.parametrize("feature_map", MAPS)
def test_a_gpu_computes_the_same_features(feature_map):
    X = points()
    here, there = start(feature_map, X), start(feature_map, X.cuda())
    assert all(torch.equal(here[name], there[name].cpu()) for name in here)
    np.testing.assert_allclose(feature_map.apply(there, X.cuda()).cpu(), feature_map.apply(here, X), atol=1e-12)

"""What ‖φ(x)‖² never exceeds, and what λ₁ and λ₂ guarantee from it: a search for the worst Ω and b finds no more."""

from __future__ import annotations

import math

import pytest
import torch

from kernlab.bounds.spectral import guaranteed
from kernlab.feature_maps import Deep, FeatureMap, NonStationary, Stationary, Weighted
from kernlab.solvers import parameters

X = torch.randn(12, 3, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
MAPS = [
    cls(n_features=20, frequency_scale=0.1, phase=phase)
    for cls in (Stationary, NonStationary, Weighted)
    for phase in ("paired", "shared", "independent")
] + [
    Deep(n_features=10, hidden=6, frequency_scale=1.0, hidden_scale=1.0, phase=phase) for phase in ("paired", "shared")
]


def worst(feature_map: FeatureMap, value, *, restarts: int = 4, steps: int = 300) -> float:
    """The largest ``value(mean trace)`` that gradient ascent on every parameter finds; q stays on the simplex."""
    found = -math.inf
    for seed in range(restarts):
        params = feature_map.init(X, torch.Generator().manual_seed(seed))
        free = {name: each.clone().requires_grad_() for name, each in parameters(params).items()}
        optimizer = torch.optim.Adam(free.values(), lr=0.05, maximize=True)
        for _ in range(steps):
            here = {**free, "q": free["q"].softmax(0)} if "q" in free else free
            reached = value(feature_map.apply(here, X).square().sum() / len(X))
            found = max(found, float(reached.detach()))
            optimizer.zero_grad()
            reached.backward()
            optimizer.step()
    return found


@pytest.mark.parametrize("feature_map", MAPS, ids=lambda m: f"{m.name} {m.phase}")
def test_no_parameters_have_a_larger_trace_and_some_come_near(feature_map):
    found = worst(feature_map, lambda trace: trace)
    assert feature_map.largest_trace == (1.0 if feature_map.phase == "paired" else 2.0)
    assert 0.97 * feature_map.largest_trace < found <= feature_map.largest_trace * (1 + 1e-12)


@pytest.mark.parametrize("phase", ["paired", "shared"])
@pytest.mark.parametrize(("trace_norm", "feature_norm"), [(0.1, 0.0), (0.1, 1e-3), (0.1, 0.4)])
def test_a_search_for_the_worst_frequencies_and_phases_stays_below_the_guarantee(phase, trace_norm, feature_norm):
    """Over all (W, Ω, b) whose penalties fit the budget, ‖W‖_*√t is at most the guarantee, and nearly reaches it."""
    feature_map = NonStationary(n_features=20, frequency_scale=0.1, phase=phase)
    params = feature_map.init(X, torch.Generator().manual_seed(0))
    mean_trace = float(feature_map.apply(params, X).square().sum()) / len(X)
    promise = guaranteed(
        trace_norm=trace_norm, frobenius=0.0, feature_norm=feature_norm, empirical_risk=0.9, zero_risk=1.0,
        weight_norm=3.0, weight_square=4.0, mean_trace=mean_trace, rank=2, largest_trace=feature_map.largest_trace,
    )  # fmt: skip
    budget = min(1.0, 0.9 + 3.0 * trace_norm) + feature_norm * mean_trace
    # With this Ω and b the weights may spend what the trace leaves.
    found = worst(feature_map, lambda t: t.sqrt() * (budget - feature_norm * t).clamp_min(0) / trace_norm)
    assert 0.97 * promise.product < found <= promise.product * (1 + 1e-12)

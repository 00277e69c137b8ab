"""The bound's terms: the exact complexity against all sign matrices, and every inequality the theory states."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from kernlab.bounds import SPECTRAL, spectral_terms
from kernlab.bounds.spectral import guaranteed, numerical_rank, rademacher_exact, spectral_formula
from kernlab.feature_maps import Deep, FeatureMap, NonStationary, Stationary, Weighted
from kernlab.solvers import parameters


def features(n: int, D: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(n, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def over_all_signs(Phi: np.ndarray, K: int) -> float:
    """(1/n) E_ε ‖Φᵀε‖₂, one term for each of the 2^{nK} sign matrices."""
    n = len(Phi)
    norms = [np.linalg.norm(Phi.T @ np.reshape(signs, (n, K)), 2) for signs in itertools.product((-1, 1), repeat=n * K)]
    return float(np.mean(norms)) / n


def exactly(Phi, K, *, draws, seed=0):
    return rademacher_exact([Phi], K, draws=draws, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("n", "K"), [(1, 1), (1, 3), (3, 1), (5, 2), (3, 3)])
def test_the_monte_carlo_estimate_meets_the_mean_over_all_sign_matrices(n, K):
    Phi = features(n, 4)
    estimate, error = exactly(Phi, K, draws=4000)
    assert estimate == pytest.approx(over_all_signs(Phi.numpy(), K), abs=4 * error + 1e-12)
    assert error < 0.02 * estimate


def test_the_standard_error_says_how_far_estimates_scatter():
    Phi = features(30, 6)
    runs = [exactly(Phi, 2, draws=16, seed=seed) for seed in range(200)]
    scatter = np.std([estimate for estimate, _ in runs])
    assert np.mean([error for _, error in runs]) == pytest.approx(scatter, rel=0.15)


def test_blocks_of_rows_give_what_one_matrix_gives():
    Phi = features(50, 5)
    whole = exactly(Phi, 3, draws=8)
    blocks = rademacher_exact(list(Phi.split(7)), 3, draws=8, generator=torch.Generator().manual_seed(0))
    assert blocks == pytest.approx(whole, rel=1e-12)
    assert math.isnan(exactly(Phi, 2, draws=1)[1])  # one draw has no standard error


def test_it_is_the_supremum_over_weights_of_that_trace_norm():
    """sup_{‖W‖_* ≤ B} (1/n) Σ_i ε_i·Wᵀφ(x_i) = (B/n) ‖Φᵀε‖₂: reached by one rank-one W, beaten by none."""
    rng, B = np.random.default_rng(0), 1.7
    Phi, signs = rng.normal(size=(8, 5)), rng.choice([-1.0, 1.0], size=(8, 3))
    S = Phi.T @ signs
    supremum = B * np.linalg.norm(S, 2) / 8
    U, _, Vt = np.linalg.svd(S)
    assert np.sum(signs * (Phi @ (B * np.outer(U[:, 0], Vt[0])))) / 8 == pytest.approx(supremum)
    for _ in range(300):
        W = rng.normal(size=(5, 3))
        W *= B / np.linalg.norm(W, "nuc")
        assert np.sum(signs * (Phi @ W)) / 8 <= supremum


def terms(feature_map, X, K: int = 4, n: int | None = None, **changes):
    params = feature_map.init(X, torch.Generator().manual_seed(0))
    Phi = feature_map.apply(params, X)
    W = torch.randn(feature_map.width, K, generator=torch.Generator().manual_seed(1), dtype=X.dtype)
    values = {
        "n": n or len(X),
        "empirical_risk": 0.3,
        "zero_risk": 1.0,
        "lipschitz": math.sqrt(2),
        "gap": 0.1,
        "draws": 64,
        **changes,
    }
    return spectral_terms(W, Phi, generator=torch.Generator().manual_seed(2), **values), W, Phi, params


PAIRED = [Stationary(n_features=40, phase="paired"), NonStationary(n_features=40, phase="paired")]


@pytest.mark.parametrize("feature_map", PAIRED, ids=lambda m: m.name)
@pytest.mark.parametrize("scale", [0.05, 0.5, 5.0])
def test_the_exact_complexity_stays_below_the_papers_bound_below_the_worst_case(feature_map, scale):
    t, *_ = terms(feature_map.replace(frequency_scale=scale), features(60, 3))
    assert t["dual_norm"] <= t["rademacher"] + 4 * t["dual_norm_se"]
    assert t["rademacher"] <= t["worst_case"] * (1 + 1e-12)
    assert t["dual_norm"] < 0.9 * t["rademacher"]  # the spectral norm is what makes it sharper
    if feature_map.pairs == 1:
        assert t["mean_trace"] == pytest.approx(1.0, abs=1e-12)
        assert t["rademacher"] == pytest.approx(t["worst_case"], rel=1e-12)


@pytest.mark.parametrize(("phase", "D", "apart"), [("paired", 40, 1e-13), ("shared", 20_000, 0.01)])
def test_the_mean_trace_says_how_far_the_two_frequencies_disagree(phase, D, apart):
    """(1/n) ‖ψ(X)‖_F² = (1/n) Σ_i (1/D) Σ_j ½ [cos((ω_j−ω'_j)ᵀx_i) + 1]: exactly of pairs, else in expectation.

    ASKL eq. 19.
    """
    X = features(60, 3)
    t, _, _, params = terms(NonStationary(n_features=D, frequency_scale=1.0, phase=phase), X, K=1, draws=2)
    difference = params["omega"][:, 0] - params["omega"][:, 1]
    expected = np.mean(0.5 * (np.cos(X.numpy() @ difference.numpy()) + 1))
    assert t["mean_trace"] == pytest.approx(expected, abs=apart)


def test_each_term_is_its_formula():
    X = features(50, 3)
    t, W, Phi, _ = terms(NonStationary(n_features=30, frequency_scale=1.0, phase="shared"), X, K=4, n=50, delta=0.01)
    B, trace = np.linalg.norm(W.numpy(), "nuc"), float(Phi.pow(2).sum())
    assert t["weight_norm"] == pytest.approx(B)
    assert t["rank"] == 4
    assert t["rademacher"] == pytest.approx(B / 50 * math.sqrt(4 * trace))
    assert t["worst_case"] == pytest.approx(B * math.sqrt(4 / 50))
    assert t["complexity"] == pytest.approx(4 * math.sqrt(2) * math.sqrt(2) * t["rademacher"])
    assert t["confidence"] == pytest.approx(math.sqrt(math.log(100) / 50))
    assert t["total"] == pytest.approx(t["complexity"] + t["confidence"])
    assert (t["empirical_risk"], t["zero_risk"], t["gap"]) == (0.3, 1.0, 0.1)
    assert t["weight_square"] == pytest.approx(np.square(W.numpy()).sum())
    single = 30 * np.square(Phi.numpy()).mean(0)  # what a frequency would make of the trace, were all like it
    assert t["trace_spread"] == pytest.approx(single.std())
    assert single.mean() == pytest.approx(t["mean_trace"])
    assert t["dual_norm"] == pytest.approx(B * exactly(Phi, 4, draws=64, seed=2)[0])


def test_the_trace_is_summed_in_double_precision():
    t, _, Phi, _ = terms(PAIRED[1].replace(frequency_scale=1.0), features(200, 3).float())
    squares = np.square(Phi.numpy()).astype(np.float64)
    assert t["mean_trace"] == pytest.approx(squares.sum() / 200, rel=1e-13)


def test_every_term_that_is_computed_is_described_and_the_other_way_round():
    t, *_ = terms(PAIRED[0].replace(frequency_scale=1.0), features(10, 2))
    assert list(t) == [term.key for term in SPECTRAL.terms]
    assert all(term.sentence and term.formula and term.source for term in SPECTRAL.terms)


@given(st.integers(10, 10_000), st.floats(0.001, 0.5), st.floats(1.01, 3))
@settings(max_examples=25)
def test_more_samples_or_less_certainty_never_loosen_the_bound(n, delta, factor):
    W, Phi = features(6, 2, seed=1), features(5, 6)

    def at(n: int, delta: float):
        return spectral_terms(
            W, Phi, n=n, empirical_risk=0.0, zero_risk=1.0, lipschitz=1.0, gap=0.0, delta=delta, draws=2,
            generator=torch.Generator(),
        )  # fmt: skip

    base, more, surer = at(n, delta), at(math.ceil(n * factor), delta), at(n, delta / factor)
    for key in ("rademacher", "worst_case", "dual_norm", "complexity", "confidence", "total"):
        assert more[key] < base[key]
    assert surer["confidence"] > base["confidence"]
    assert surer["complexity"] == base["complexity"]


def test_a_sample_of_rows_stands_for_all_of_them():
    """The claim behind the live estimate: scaled by √(s/n), s rows of real data give the value of all n."""
    X = torch.from_numpy(load_digits().data / 8.0 - 1.0)
    m = NonStationary(n_features=200, frequency_scale=0.05)
    Phi = m.apply(m.init(X, torch.Generator().manual_seed(0)), X)
    order = torch.randperm(len(X), generator=torch.Generator().manual_seed(0))
    everything, _ = exactly(Phi, 10, draws=200)
    for s in (200, 450, 900):
        sample, _ = exactly(Phi[order[:s]], 10, draws=200, seed=1)
        assert sample * math.sqrt(s / len(X)) == pytest.approx(everything, rel=0.05)


@pytest.mark.parametrize(("values", "rank"), [([3, 2, 1], 3), ([3, 1e-9, 0], 1), ([0, 0], 0), ([1e-30, 1e-30], 2)])
def test_the_numerical_rank_counts_what_stands_above_rounding(values, rank):
    assert numerical_rank(torch.tensor(values, dtype=torch.float32), (100, len(values))) == rank
    at_the_limit = torch.tensor([1.0, 128 * torch.finfo().eps])
    assert numerical_rank(at_the_limit, (128, 2)) == 1
    assert numerical_rank(1.001 * at_the_limit - torch.tensor([0.001, 0.0]), (128, 2)) == 2


# -- what ‖φ(x)‖² never exceeds, and what λ₁ and λ₂ guarantee from it ---------------------------------------------

POINTS = torch.randn(12, 3, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
LEARNED = [
    cls(n_features=20, frequency_scale=0.1, phase=phase)
    for cls in (Stationary, NonStationary, Weighted)
    for phase in ("paired", "shared", "independent")
] + [
    Deep(n_features=10, hidden=6, frequency_scale=1.0, hidden_scale=1.0, phase=phase) for phase in ("paired", "shared")
]


def worst(feature_map: FeatureMap, value, *, restarts: int = 3, steps: int = 200) -> float:
    """The largest ``value(mean trace)`` that gradient ascent on every parameter finds; q stays on the simplex."""
    found = -math.inf
    for seed in range(restarts):
        params = feature_map.init(POINTS, torch.Generator().manual_seed(seed))
        free = {name: each.clone().requires_grad_() for name, each in parameters(params).items()}
        optimizer = torch.optim.Adam(free.values(), lr=0.1, maximize=True)
        for _ in range(steps):
            here = {**free, "q": free["q"].softmax(0)} if "q" in free else free
            reached = value(feature_map.apply(here, POINTS).square().sum() / len(POINTS))
            found = max(found, float(reached.detach()))
            optimizer.zero_grad()
            reached.backward()
            optimizer.step()
    return found


@pytest.mark.parametrize("feature_map", LEARNED, ids=lambda m: f"{m.name} {m.phase}")
def test_no_parameters_have_a_larger_trace_and_some_come_near(feature_map):
    found = worst(feature_map, lambda trace: trace)
    assert feature_map.largest_trace == (1.0 if feature_map.phase == "paired" else 2.0)
    assert 0.95 * feature_map.largest_trace < found <= feature_map.largest_trace * (1 + 1e-12)


@pytest.mark.parametrize("phase", ["paired", "shared"])
@pytest.mark.parametrize(("trace_norm", "feature_norm"), [(0.1, 0.0), (0.1, 1e-3), (0.1, 0.4)])
def test_a_search_for_the_worst_frequencies_and_phases_stays_below_the_guarantee(phase, trace_norm, feature_norm):
    """Over all (W, Ω, b) whose penalties fit the budget, ‖W‖_*√t is at most the guarantee, and nearly reaches it."""
    feature_map = NonStationary(n_features=20, frequency_scale=0.1, phase=phase)
    params = feature_map.init(POINTS, torch.Generator().manual_seed(0))
    mean_trace = float(feature_map.apply(params, POINTS).square().sum()) / len(POINTS)
    promise = guaranteed(
        trace_norm=trace_norm, frobenius=0.0, feature_norm=feature_norm, empirical_risk=0.9, zero_risk=1.0,
        weight_norm=3.0, weight_square=4.0, mean_trace=mean_trace, rank=2, largest_trace=feature_map.largest_trace,
    )  # fmt: skip
    budget = min(1.0, 0.9 + 3.0 * trace_norm) + feature_norm * mean_trace
    # With this Ω and b the weights may spend what the trace leaves.
    found = worst(feature_map, lambda t: t.sqrt() * (budget - feature_norm * t).clamp_min(0) / trace_norm)
    assert 0.97 * promise.product < found <= promise.product * (1 + 1e-12)


@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("feature_norm", [0.0, 1e-3, 0.4, 5.0])
@pytest.mark.parametrize(("trace_norm", "frobenius"), [(0.1, 0.0), (0.0, 0.05), (0.1, 0.05), (0.02, 0.5)])
def test_the_guarantee_is_the_largest_product_that_the_penalties_can_pay_for(
    trace_norm, frobenius, feature_norm, learned
):
    """Each penalty alone, at every trace; the smaller of the two where there are two."""
    rank, mean_trace, most = 3, 0.7, 2.0
    promise = guaranteed(
        trace_norm=trace_norm, frobenius=frobenius, feature_norm=feature_norm, empirical_risk=0.5, zero_risk=1.0,
        weight_norm=3.0, weight_square=4.0, mean_trace=mean_trace, rank=rank, learned=learned, largest_trace=most,
    )  # fmt: skip
    budget = min(1.0, 0.5 + 3.0 * trace_norm + 4.0 * frobenius)
    traces = np.linspace(0, most, 200_001) if learned else np.array([mean_trace])
    left = budget + feature_norm * (mean_trace - traces)  # for the weights: what there is less what the trace takes
    ways = [(left / trace_norm)] if trace_norm else []
    ways += [np.sqrt(rank * left.clip(0) / frobenius)] if frobenius else []
    assert promise.product == pytest.approx(min((way * np.sqrt(traces)).max() for way in ways), rel=1e-6)
    assert promise.weight_norm == pytest.approx(min(way[0] for way in ways))


def test_without_a_largest_trace_there_is_no_worst_case():
    known = {"weight_norm": 2.0, "mean_trace": 0.25, "lipschitz": 1.0, "K": 4, "n": 100}
    assert spectral_formula(**known, largest_trace=2.0)["worst_case"] == pytest.approx(2.0 * math.sqrt(4 * 2.0 / 100))
    assert math.isnan(spectral_formula(**known, largest_trace=math.inf)["worst_case"])

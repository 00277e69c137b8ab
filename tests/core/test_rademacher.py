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
from kernlab.bounds.spectral import numerical_rank, rademacher_bound, rademacher_exact
from kernlab.feature_maps import NonStationary, Stationary


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


def test_one_draw_has_no_standard_error():
    assert math.isnan(exactly(features(5, 3), 2, draws=1)[1])


def test_blocks_of_rows_give_what_one_matrix_gives():
    Phi = features(50, 5)
    whole = exactly(Phi, 3, draws=8)
    blocks = rademacher_exact(list(Phi.split(7)), 3, draws=8, generator=torch.Generator().manual_seed(0))
    assert blocks == pytest.approx(whole, rel=1e-12)


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


def test_the_mean_trace_is_one_for_a_stationary_kernel():
    t, *_ = terms(PAIRED[0].replace(frequency_scale=1.0), features(60, 3))
    assert t["mean_trace"] == pytest.approx(1.0, abs=1e-12)
    assert t["rademacher"] == pytest.approx(t["worst_case"], rel=1e-12)


def test_the_mean_trace_says_how_far_the_two_frequencies_disagree():
    """(1/n) ‖ψ(X)‖_F² = (1/n) Σ_i (1/D) Σ_j ½ [cos((ω_j−ω'_j)ᵀx_i) + 1], exactly. ASKL eq. 19."""
    X = features(60, 3)
    t, _, _, params = terms(PAIRED[1].replace(frequency_scale=1.0), X)
    difference = params["omega"][:, 0] - params["omega"][:, 1]
    expected = np.mean(0.5 * (np.cos(X.numpy() @ difference.numpy()) + 1))
    assert t["mean_trace"] == pytest.approx(expected, abs=1e-13)


def test_the_mean_trace_of_shared_phases_has_that_value_in_expectation():
    X = features(40, 3)
    m = NonStationary(n_features=20_000, frequency_scale=1.0, phase="shared")
    t, _, _, params = terms(m, X, K=1, draws=2)
    difference = params["omega"][:, 0] - params["omega"][:, 1]
    expected = np.mean(0.5 * (np.cos(X.numpy() @ difference.numpy()) + 1))
    assert t["mean_trace"] == pytest.approx(expected, abs=0.01)


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


def test_every_term_that_is_computed_is_described_and_the_other_way_round():
    t, *_ = terms(PAIRED[0].replace(frequency_scale=1.0), features(10, 2))
    assert list(t) == [term.key for term in SPECTRAL.terms]
    assert all(term.sentence and term.formula and term.source for term in SPECTRAL.terms)


@given(st.integers(10, 10_000), st.floats(0.001, 0.5), st.floats(1.01, 3))
@settings(deadline=None, max_examples=25)
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


def test_the_bound_grows_with_each_of_its_parts():
    assert rademacher_bound(2.0, 0.25, 4, 100) == pytest.approx(2 / 100 * math.sqrt(4 * 0.25 * 100))


@pytest.mark.parametrize(("values", "rank"), [([3, 2, 1], 3), ([3, 1e-9, 0], 1), ([0, 0], 0), ([1e-30, 1e-30], 2)])
def test_the_numerical_rank_counts_what_stands_above_rounding(values, rank):
    assert numerical_rank(torch.tensor(values, dtype=torch.float32), (100, len(values))) == rank

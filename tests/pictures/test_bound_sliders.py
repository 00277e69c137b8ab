"""Sliders: unchanged they give what was measured, changed what the formula says, and guarantees that runs keep."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.linear_model import Ridge

from kernlab.bounds import (
    ALIGNMENT,
    DISCRIMINANT,
    FRAME,
    SPECTRAL,
    alignment_terms,
    discriminant_terms,
    frame_terms,
    guaranteed,
    spectral_terms,
)
from kernlab.data import DataSpec, make_dataset, prepare
from kernlab.feature_maps import NonStationary
from kernlab.linalg import singular_value_threshold
from kernlab.pictures.bound_sliders import Given, bars_if, ridge_spectrum, sliders, what_if
from kernlab.solvers.chi_square_ball import chi_square, chi_square_ball
from kernlab.spec import RunSpec
from kernlab.training.events import Finished
from kernlab.training.trainer import train

n, K, D = 400, 3, 30


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def spectral(n: int = n, delta: float = 0.05, **changes) -> Given:
    values = spectral_terms(
        normal(D, K), 0.2 * normal(50, D, seed=1), n=n, empirical_risk=0.3, zero_risk=1.0, lipschitz=math.sqrt(2),
        gap=0.1, frequencies=D, delta=delta, generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    known = {"penalties": {"trace_norm": 1e-3, "feature_norm": 1e-2}, "learned": True, "frequencies": D, **changes}
    return Given(SPECTRAL, values, n, K, D, **known)


def frame(n: int = n, delta: float = 0.05, risk: float = 0.2) -> Given:
    spectrum = np.arange(1, 61.0) ** -1.7
    values = frame_terms(
        spectrum, 0.5, n=n, empirical_risk=risk, zero_risk=1.0, target_bound=2.0, output_bound=1.5, gap=0.05, norm=3.0,
        delta=delta,
    )  # fmt: skip
    return Given(FRAME, values, n, 1, 60, spectrum=spectrum)


def alignment(share: float = 0.02, N: int = 500, seed: int = 0) -> tuple[Given, np.ndarray]:
    v = np.random.default_rng(seed).exponential(size=N)
    q = chi_square_ball(v, share * N)
    kept = np.sort(q[q > 0])[::-1].copy()
    values = alignment_terms(
        normal(8, len(kept)), normal(8, 2), torch.from_numpy(kept), candidates=N, alignment_before=0.1, gap=0.0
    )
    return Given(ALIGNMENT, values, n, 2, len(kept), candidates=N, q=kept, gain=float(q @ v) / v.mean()), v


def discriminant() -> tuple[Given, np.ndarray, np.ndarray]:
    Phi, Y, rho = normal(40, 60) + 1, normal(40, 2, seed=1), 0.3
    values = discriminant_terms(Phi, Y, rho, gap=0.0)
    found = Given(DISCRIMINANT, values, n, 2, 60, ridge=ridge_spectrum(Phi, Y), rho=rho)
    return found, Phi.numpy(), Y.numpy()


ALL = {"spectral": spectral(), "frame": frame(), "alignment": alignment()[0], "discriminant": discriminant()[0]}


@pytest.mark.parametrize("kind", ALL)
def test_untouched_sliders_give_what_was_measured(kind):
    at = ALL[kind]
    resting = {each.key: each.value for each in sliders(at)}
    assert resting
    for changes in ({}, resting):
        answer = what_if(at, changes)
        for key in answer.keys() & at.values.keys():
            assert answer[key] == pytest.approx(at.values[key], rel=1e-9, abs=1e-12), key
    assert at.values.keys() <= what_if(at).keys()


@pytest.mark.parametrize("kind", ALL)
def test_every_slider_rests_inside_its_range_and_names_how_it_acts(kind):
    for each in sliders(ALL[kind]):
        assert 0 < each.low <= each.value <= each.high
        assert each.sentence
        assert each.kind in ("formula", "scaling", "guarantee")


@pytest.mark.parametrize("make", [spectral, frame])
@given(later=st.integers(50, 10**8), delta=st.floats(1e-6, 0.4))
@settings(max_examples=25)
def test_the_sliders_n_and_delta_are_the_formula_itself(make, later, delta):
    answer, fresh = what_if(make(), {"n": later, "delta": delta}), make(later, delta).values
    for key in fresh:
        assert answer[key] == pytest.approx(fresh[key], rel=1e-9), key


def test_the_exact_complexity_and_its_error_fall_as_the_root_of_n():
    answer = what_if(spectral(), {"n": 100 * n})
    for key in ("dual_norm", "dual_norm_se", "rademacher", "worst_case", "confidence", "total"):
        assert answer[key] == pytest.approx(ALL["spectral"].values[key] / 10), key


def test_more_outputs_widen_the_bound_and_leave_no_exact_value():
    answer = what_if(spectral(), {"K": 4 * K})
    assert answer["rademacher"] == pytest.approx(2 * ALL["spectral"].values["rademacher"])
    assert answer["worst_case"] == pytest.approx(2 * ALL["spectral"].values["worst_case"])
    assert "dual_norm" not in answer
    assert "exact" not in [bar.name for bar in bars_if(spectral(), {"K": 4 * K}).bars]


def test_more_frequencies_only_make_the_trace_certain():
    at = spectral()
    few, many = what_if(at, {"D": 100}), what_if(at, {"D": 10_000})
    assert few["rademacher"] == many["rademacher"] == at.values["rademacher"]
    assert few["rademacher_se"] / many["rademacher_se"] == pytest.approx(10, rel=0.05)


def test_the_scatter_over_drawn_frequencies_is_what_the_spread_says():
    X = normal(200, 3)

    def trace(D: int, seed: int) -> dict[str, float]:
        m = NonStationary(n_features=2 * D, frequency_scale=1.0)
        Phi = m.apply(m.init(X, torch.Generator().manual_seed(seed)), X)
        return spectral_terms(
            normal(2 * D, 1), Phi, n=200, empirical_risk=0.0, zero_risk=1.0, lipschitz=1.0, gap=0.0, frequencies=D,
            draws=2, generator=torch.Generator().manual_seed(0),
        )  # fmt: skip

    found = [trace(100, seed) for seed in range(300)]
    scatter = np.std([each["mean_trace"] for each in found])
    assert np.mean([each["trace_spread"] for each in found]) / 10 == pytest.approx(scatter, rel=0.15)


# -- what λ₁ and λ₂ guarantee ----------------------------------------------------------------------------------


@given(
    trace=st.sampled_from([0.0, 1e-4, 0.1, 2.0]), frobenius=st.sampled_from([0.0, 1e-4, 0.1, 2.0]),
    feature=st.sampled_from([0.0, 1e-3, 0.5, 20.0]), risk=st.floats(0, 1), t=st.floats(0.05, 1),
    norm=st.just(0.0) | st.floats(1e-3, 50), learned=st.booleans(),
)  # fmt: skip
@settings(max_examples=80)
def test_the_guarantee_is_the_largest_that_the_budget_allows(trace, frobenius, feature, risk, t, norm, learned):
    """Every (B', t') that costs no more than the budget, on a grid: none beyond the guarantee, one close to it."""
    rank, square = 4, norm**2 / 3
    found = guaranteed(
        trace_norm=trace, frobenius=frobenius, feature_norm=feature, empirical_risk=risk, zero_risk=1.0,
        weight_norm=norm, weight_square=square, mean_trace=t, rank=rank, learned=learned,
    )  # fmt: skip
    if not trace and not frobenius:
        assert found is None
        return
    spent = min(1.0, risk + trace * norm + frobenius * square)  # without what the features cost at t
    traces = np.linspace(1e-6, 1, 4001) if learned else np.array([t])
    left = np.maximum(spent + feature * (t - traces), 0.0)
    linear = left / trace if trace else np.full_like(left, np.inf)
    curved = np.sqrt(rank * left / frobenius) if frobenius else np.full_like(left, np.inf)
    best = np.minimum(linear, curved) * np.sqrt(traces)
    assert found.product >= best.max() * (1 - 1e-9)
    if not (trace and frobenius):
        assert found.product == pytest.approx(best.max(), rel=1e-3)
    assert found.weight_norm >= np.minimum(linear, curved).max() * (1 - 1e-9)


def fitted(Phi, y, strength: float, steps: int = 500) -> tuple[np.ndarray, float]:
    """Trace-norm penalised cross-entropy by proximal gradient in NumPy, to the end: W and its risk."""
    W, Y = np.zeros((Phi.shape[1], K)), np.eye(K)[y]
    rate = 1 / (0.5 * np.linalg.norm(Phi, 2) ** 2 / len(Phi))
    for _ in range(steps):
        gradient = Phi.T @ (softmax(Phi @ W, axis=1) - Y) / len(Phi)
        W = singular_value_threshold(torch.from_numpy(W - rate * gradient), strength * rate).numpy()
    risk = -np.log(softmax(Phi @ W, axis=1)[np.arange(len(y)), y]).mean()
    return W, float(risk)


def test_runs_with_other_penalties_keep_what_one_run_guarantees():
    """Each fitted model promises the trace norm of the others."""
    X, y = normal(120, 2), np.arange(120) % K
    X = X + torch.from_numpy(np.eye(K)[y][:, :2])
    m = NonStationary(n_features=D, frequency_scale=1.0)
    Phi = m.apply(m.init(X, torch.Generator().manual_seed(0)), X)
    strengths = [3e-3, 3e-2, 0.1]
    found = {strength: fitted(Phi.numpy(), y, strength) for strength in strengths}
    norms = {strength: np.linalg.norm(W, "nuc") for strength, (W, _) in found.items()}
    assert norms[3e-3] > 3 * norms[3e-2] > 0
    for run, other in itertools.product(strengths, repeat=2):
        W, risk = found[run]
        values = spectral_terms(
            torch.from_numpy(W), Phi, n=120, empirical_risk=risk, zero_risk=math.log(K), lipschitz=2**0.5, gap=0.0,
            frequencies=D, generator=torch.Generator().manual_seed(0),
        )  # fmt: skip
        at = Given(SPECTRAL, values, 120, K, D, {"trace_norm": run}, frequencies=D)
        answer = what_if(at, {"trace_norm": other})
        assert norms[other] <= answer["guaranteed_norm"] * (1 + 1e-3)
        assert answer["guaranteed_norm"] <= math.log(K) / other * (1 + 1e-9)
        measured = norms[other] * math.sqrt(values["mean_trace"] * K / 120)
        assert measured <= answer["guaranteed"] * (1 + 1e-3)


def test_trained_runs_keep_what_another_guarantees():
    """The same with everything learned, by the trainer itself."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % K
    data = prepare(
        make_dataset("clouds", rng.normal(size=(240, 2)) + 2 * np.eye(K)[y][:, :2], y, "classification"), DataSpec(), 0
    )
    found = {}
    for strength in (1e-3, 1e-2):
        weights = {"trace_norm": strength, "feature_norm": 1e-2}
        run = RunSpec.of("ASKL", "clouds", n_features=40, batch_size=32, epochs=20, objective="hinge", **weights)
        (end,) = (event for event in train(run, data=data) if isinstance(event, Finished))
        v = end.summary["bound"]
        found[strength] = Given(SPECTRAL, v, 192, K, 40, weights, learned=True, frequencies=40)
        assert v["zero_risk"] == pytest.approx(1)  # the hinge of a margin of zero
        assert v["empirical_risk"] < 0.6
    for one, other in itertools.product(found, repeat=2):
        v, answer = found[other].values, what_if(found[one], {"trace_norm": other})
        assert v["weight_norm"] <= answer["guaranteed_norm"]
        assert v["rademacher"] <= answer["guaranteed"]
    assert found[1e-3].values["weight_norm"] > found[1e-2].values["weight_norm"]


def test_without_a_penalty_on_the_weights_nothing_is_guaranteed():
    at = spectral(penalties={"feature_norm": 1e-2})
    assert "guaranteed" not in what_if(at)
    assert not {"trace_norm", "feature_norm"} & {each.key for each in sliders(at)}
    assert "any minimiser" not in [bar.name for bar in bars_if(at).bars]


def test_the_guarantee_is_a_bar_beside_the_other_three():
    bars = {bar.name: bar for bar in bars_if(spectral(), {"D": 25}).bars}
    assert list(bars)[-4:] == ["exact", "paper", "worst case", "any minimiser"]
    assert bars["any minimiser"].total > bars["paper"].total
    assert bars["paper"].error > 0
    stronger = {bar.name: bar for bar in bars_if(spectral(), {"trace_norm": 1.0}).bars}
    assert stronger["any minimiser"].total < bars["any minimiser"].total
    assert stronger["paper"].total == bars["paper"].total


# -- frames ----------------------------------------------------------------------------------------------------


@given(rows=st.integers(20, 10**7), k=st.integers(2, 500), t=st.integers(1, 60), delta=st.floats(1e-4, 0.4))
@settings(max_examples=40)
def test_k_and_t_are_the_formulas_and_untouched_the_best(rows, k, t, delta):
    at = frame()
    set_to = what_if(at, {"n": rows, "k": k, "t": t, "delta": delta})
    B, L, doubt = 3.5**2, 7.0, math.log(1 / delta)
    tail = (9 * 0.5 * np.arange(1, 61.0) ** -1.7)[t:].sum()
    root = np.roots([1, -2 * t * B**2 * L**2 / rows, -2 * tail * B**2 * L**2 / rows]).real.max()
    rest = doubt * (22 * 2.0 + 5 * B * k) / rows
    assert set_to["total"] == pytest.approx(k / (k - 1) * 0.2 + 6 * k * root / B + rest, rel=1e-6)
    assert (set_to["k"], set_to["t"]) == (k, t)
    assert set_to["printed_total"] == what_if(at, {"n": rows, "delta": delta})["printed_total"]
    for changes in ({}, {"t": t}, {"k": k}):  # what is not set is chosen well
        assert what_if(at, {"n": rows, "delta": delta, **changes})["total"] <= set_to["total"] * (1 + 1e-12)


def test_a_run_of_an_older_version_has_the_tail_of_the_power_law():
    new, old = frame(), frame()._replace(spectrum=None)
    for rows in (100, 10_000, 10**8):
        exact, area = (what_if(at, {"n": rows}) for at in (new, old))
        assert exact["total"] <= area["total"]
        assert exact["printed_total"] == area["printed_total"]


# -- alignment, ridge ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.1, 0.5, 0.99, 1.5, 4.0, 20.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_another_ball_has_the_named_divergence_and_size(factor, seed):
    at, v = alignment(seed=seed)
    share = 0.02 * factor
    answer, q = what_if(at, {"radius": share}), chi_square_ball(v, share * 500)
    assert answer["chi_square"] == pytest.approx(chi_square(q), rel=1e-6)
    assert answer["effective_size"] == pytest.approx(1 / (q @ q), rel=1e-6)
    gain = q @ v / v.mean()
    assert answer["gain_least"] <= gain * (1 + 1e-9)
    assert gain <= answer["gain_most"] * (1 + 1e-9)
    chord = 1 + math.sqrt(factor) * (at.gain - 1)
    assert (answer["gain_least"], answer["gain_most"]) == pytest.approx(sorted((chord, at.gain)))
    support = np.count_nonzero(q)
    if factor > 1:
        assert answer["support"] == support
    else:
        assert 1 <= answer["support"] <= support


def test_a_run_whose_features_were_drawn_again_has_no_ball_to_move():
    assert sliders(ALL["alignment"]._replace(candidates=0)) == ()


@pytest.mark.parametrize("rho", [1e-6, 1e-2, 0.3, 10.0, 1e4])
def test_the_ridge_error_at_another_penalty_is_scikit_learns(rho):
    at, Phi, Y = discriminant()
    answer = what_if(at, {"rho": rho})
    fit = Ridge(alpha=rho, solver="svd").fit(Phi, Y)
    error = ((fit.predict(Phi) - Y) ** 2).sum() + rho * (fit.coef_**2).sum()
    assert answer["predicted_error"] == pytest.approx(error / 40, rel=1e-7, abs=1e-9)
    hat = Phi - Phi.mean(0)
    freedom = np.trace(hat @ np.linalg.solve(hat.T @ hat + rho * np.eye(60), hat.T))
    assert answer["degrees_of_freedom"] == pytest.approx(freedom, rel=1e-6)


def test_a_run_with_unknown_terms_has_no_sliders():
    for kind, at in ALL.items():
        assert sliders(at._replace(values={"gap": 0.1})) == (), kind
        assert what_if(at._replace(values={"gap": 0.1}), {"n": 9}) == {"gap": 0.1}

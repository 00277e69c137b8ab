"""The posterior of linear regression on features against Gaussian processes of the same kernel, and what left-out rows
would say against regressions that are fitted without them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.linalg import null_space
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, WhiteKernel
from sklearn.linear_model import Ridge

from kernlab.heads.posterior import posterior
from kernlab.linalg import moments


def some(n=40, D=7, K=1, seed=0):
    rng = np.random.default_rng(seed)
    Phi = rng.normal(size=(n, D)) + 0.5
    return Phi, Phi @ rng.normal(size=(D, K)) + 0.3 * rng.normal(size=(n, K)) + 2


def fitted(Phi, Y, **options):
    rows, targets = torch.from_numpy(Phi), torch.from_numpy(Y)
    return posterior(lambda: torch.split(rows, 9), targets, **options)


@pytest.mark.parametrize("shape", [(40, 7), (15, 30)])
@pytest.mark.parametrize("penalty", [1e-3, 0.5, 20.0])
def test_without_a_bias_it_is_the_gaussian_process_of_the_kernel_of_its_features(shape, penalty):
    """Mean, deviation and evidence of scikit-learn's, whose kernel is (σ²/ρ) φ·φ' with the same noise."""
    Phi, Y = some(*shape)
    found = fitted(Phi, Y, penalty=penalty, bias=False)
    noise = float(found.noise[0])
    kernel = ConstantKernel(noise / penalty, "fixed") * DotProduct(0.0, "fixed")
    machine = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None).fit(Phi, Y[:, 0])
    new = np.random.default_rng(1).normal(size=(11, Phi.shape[1]))
    mean, deviation = machine.predict(new, return_std=True)
    ours, variance = found.predict(torch.from_numpy(new))
    np.testing.assert_allclose(ours[:, 0], mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(variance[:, 0].sqrt(), deviation, rtol=1e-6)
    assert float(found.log_evidence[0]) == pytest.approx(machine.log_marginal_likelihood_value_, rel=1e-8)
    # The noise of the largest evidence: no other one has a larger one.
    for factor in (0.9, 1.1):
        other = ConstantKernel(factor * noise / penalty, "fixed") * DotProduct(0.0, "fixed")
        less = GaussianProcessRegressor(other, alpha=factor * noise, optimizer=None).fit(Phi, Y[:, 0])
        assert less.log_marginal_likelihood_value_ < float(found.log_evidence[0])


def test_the_penalty_it_finds_has_the_largest_evidence():
    """Where scikit-learn's optimizer arrives, which climbs the same evidence by its gradient."""
    Phi, Y = some(60, 5)
    found = fitted(Phi, Y, bias=False)
    kernel = ConstantKernel(1.0, (1e-8, 1e8)) * DotProduct(0.0, "fixed") + WhiteKernel(0.1, (1e-8, 1e8))
    machine = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=3, random_state=0).fit(Phi, Y[:, 0])
    assert float(found.log_evidence[0]) == pytest.approx(machine.log_marginal_likelihood_value_, abs=1e-3)


@pytest.mark.parametrize("shape", [(30, 6), (12, 20)])
def test_with_a_bias_its_evidence_is_that_of_the_contrasts_and_its_mean_is_ridge_regression(shape):
    Phi, Y = some(*shape, K=2)
    found, rho = fitted(Phi, Y, penalty=0.7), 0.7
    n = len(Phi)
    Q = null_space(np.ones((1, n)))  # contrasts: rows that do not see the bias
    for k, noise in enumerate(found.noise.tolist()):
        covariance = Q.T @ (noise * np.eye(n) + noise / rho * Phi @ Phi.T) @ Q
        expected = multivariate_normal(np.zeros(n - 1), covariance).logpdf(Q.T @ Y[:, k])
        assert float(found.log_evidence[k]) == pytest.approx(expected, rel=1e-8)
    oracle = Ridge(alpha=rho).fit(Phi, Y)
    np.testing.assert_allclose(found.predict(torch.from_numpy(Phi))[0], oracle.predict(Phi), rtol=1e-8, atol=1e-8)
    # The deviation is that of a process with a constant of a very large variance.
    noise = float(found.noise[0])
    kernel = ConstantKernel(noise / rho, "fixed") * DotProduct(0.0, "fixed") + ConstantKernel(1e6, "fixed")
    machine = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None).fit(Phi, Y[:, 0])
    _, deviation = machine.predict(Phi[:5] + 1, return_std=True)
    np.testing.assert_allclose(found.predict(torch.from_numpy(Phi[:5] + 1))[1][:, 0].sqrt(), deviation, rtol=1e-3)


@pytest.mark.parametrize("shape", [(25, 6), (12, 30)])
@pytest.mark.parametrize("bias", [True, False])
def test_left_out_rows_have_the_residuals_of_regressions_fitted_without_them(shape, bias):
    Phi, Y = some(*shape, K=2)
    found = fitted(Phi, Y, penalty=0.4, bias=bias)
    out = found.left_out(torch.from_numpy(Phi).split(5), torch.from_numpy(Y))
    for i in range(len(Phi)):
        rest = np.arange(len(Phi)) != i
        oracle = Ridge(alpha=0.4, fit_intercept=bias).fit(Phi[rest], Y[rest])
        np.testing.assert_allclose(out.residual[i], Y[i] - oracle.predict(Phi[i : i + 1])[0], rtol=1e-7, atol=1e-8)
    assert (out.leverage >= 0).all()
    assert (out.leverage <= 1).all()


def test_two_deviations_cover_95_percent_of_draws_from_the_prior():
    """Functions and noise drawn from the prior; everything is found from the rows alone."""
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(60):
        Phi = rng.normal(size=(150, 12)) / np.sqrt(12)
        w, noise = rng.normal(size=(12, 1)), 0.2
        Y = Phi @ w + noise * rng.normal(size=(150, 1))
        found = fitted(Phi, Y, bias=False)
        new = rng.normal(size=(100, 12)) / np.sqrt(12)
        mean, variance = found.predict(torch.from_numpy(new))
        observed = new @ w + noise * rng.normal(size=(100, 1))
        for truth, var in ((new @ w, variance), (observed, variance + found.noise)):
            inside.append(np.abs(truth - mean.numpy()) <= 1.96 * var.sqrt().numpy())
    for shares in (inside[::2], inside[1::2]):
        assert np.mean(shares) == pytest.approx(0.95, abs=0.02)


def test_targets_that_the_features_give_exactly_leave_no_noise():
    Phi = np.random.default_rng(0).normal(size=(20, 3))
    found = fitted(Phi, Phi @ np.ones((3, 1)))
    assert np.isfinite(float(found.log_evidence[0]))
    assert float(found.noise[0]) < 1e-8


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_another_unit_of_the_features_changes_the_penalty_alone(unit):
    Phi, Y = some()
    plain, scaled = fitted(Phi, Y), fitted(unit * Phi, Y)
    assert scaled.penalty == pytest.approx(unit**2 * plain.penalty, rel=1e-6)
    np.testing.assert_allclose(unit * scaled.weight, plain.weight, rtol=1e-6)
    np.testing.assert_allclose(scaled.log_evidence, plain.log_evidence, rtol=1e-9)


def test_features_without_any_value_leave_the_mean_of_the_targets():
    Y = np.array([[1.0], [2.0], [6.0]])
    mean, _ = fitted(np.zeros((3, 2)), Y).predict(torch.ones(2, 2).double())
    np.testing.assert_allclose(mean, [[3.0], [3.0]])


def test_one_row_is_its_own_mean():
    Phi, Y = some(1, 1)
    found = fitted(Phi, Y)
    mean, variance = found.predict(torch.from_numpy(Phi))
    np.testing.assert_allclose(mean, Y)
    assert bool(variance.isfinite().all())


def test_leverages_in_single_precision_are_those_in_double(monkeypatch):
    Phi, Y = some(80, 20)
    found = fitted(Phi, Y, penalty=0.1)
    rows, targets = torch.from_numpy(Phi), torch.from_numpy(Y)
    exact = found.left_out([rows], targets)
    monkeypatch.setattr("kernlab.heads.posterior._SINGLE", 0)
    rough = found.left_out([rows.float()], targets)
    assert not torch.equal(rough.leverage, exact.leverage)
    torch.testing.assert_close(rough.leverage, exact.leverage, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(rough.residual, exact.residual, rtol=1e-3, atol=1e-5)


def test_moments_of_wide_features_are_whole_and_those_without_centring_are_plain():
    Phi, Y = some(30, 1100)
    rows, targets = torch.from_numpy(Phi), torch.from_numpy(Y)
    found = moments(rows.split(7), targets)
    middle = Phi - Phi.mean(0)
    np.testing.assert_allclose(found.gram, middle.T @ middle, atol=1e-9)
    assert found.gram.is_contiguous()
    plain = moments(rows.split(7), targets, centred=False)
    np.testing.assert_allclose(plain.gram, Phi.T @ Phi, atol=1e-9)
    np.testing.assert_allclose(plain.cross, Phi.T @ Y, atol=1e-9)
    assert not plain.mean.any()

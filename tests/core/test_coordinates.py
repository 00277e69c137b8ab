"""An exact kernel as features: Gaussian process regression against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from kernlab.feature_maps import EXACT_KERNELS
from kernlab.heads.coordinates import coordinates
from kernlab.heads.posterior import posterior


def some(n=60, m=25, seed=0):
    rng = np.random.default_rng(seed)
    X, Z = rng.uniform(-2, 2, (n, 2)), rng.uniform(-4, 4, (m, 2))
    return X, np.sin(2 * X[:, :1]) + 0.2 * rng.normal(size=(n, 1)), Z


def exact(X):
    kernel = EXACT_KERNELS["exact"].build().resolve(torch.from_numpy(X))
    return kernel, kernel.init(torch.from_numpy(X), torch.Generator().manual_seed(0))


def test_their_products_with_the_rows_are_the_kernel():
    X, _, Z = some()
    kernel, params = exact(X)
    features = coordinates(kernel, params, torch.from_numpy(X))
    Phi, new = features(torch.from_numpy(X)), features(torch.from_numpy(Z))
    K = kernel.gram(params, torch.from_numpy(X), torch.from_numpy(X))
    torch.testing.assert_close(Phi @ Phi.mT, K, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(new @ Phi.mT, kernel.gram(params, torch.from_numpy(Z), torch.from_numpy(X)),
                               rtol=1e-6, atol=1e-6)  # fmt: skip
    torch.testing.assert_close(new.square().sum(1), torch.ones(len(Z), dtype=torch.float64))


@pytest.mark.parametrize("penalty", [1e-3, 0.1])
def test_regression_on_them_is_gaussian_process_regression(penalty):
    X, Y, Z = some()
    kernel, params = exact(X)
    features = coordinates(kernel, params, torch.from_numpy(X))
    found = posterior(lambda: [features(torch.from_numpy(X))], torch.from_numpy(Y), penalty=penalty, bias=False)
    mean, variance = found.predict(features(torch.from_numpy(Z)))
    # k(x, z) = exp(−‖x − z‖²/2l²): l from the kernel's own value at distance 1.
    at_one = float(kernel.gram(params, torch.zeros(1, 2).double(), torch.tensor([[1.0, 0.0]]).double()))
    noise = float(found.noise[0])
    prior = ConstantKernel(noise / penalty, "fixed") * RBF(np.sqrt(-0.5 / np.log(at_one)), "fixed")
    machine = GaussianProcessRegressor(prior, alpha=noise, optimizer=None).fit(X, Y[:, 0])
    expected, deviation = machine.predict(Z, return_std=True)
    np.testing.assert_allclose(mean[:, 0], expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(variance[:, 0].sqrt(), deviation, rtol=1e-4)
    assert float(found.log_evidence[0]) == pytest.approx(machine.log_marginal_likelihood_value_, rel=1e-4)

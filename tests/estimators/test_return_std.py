"""``predict(X, return_std=True)`` against scikit-learn's Gaussian process on the estimator's own features."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct

from kernlab.estimators import KernelRegressor


def rows(n=300, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return X, 10 * np.sin(2 * X[:, 0]) + X[:, 1] + 10 * noise * rng.normal(size=n)


def features(estimator, X):
    model = estimator.model_
    params = {name: value.double() for name, value in model.params.items()}
    inputs = torch.from_numpy(model.inputs.transform(X, dtype=np.float64))
    return model.method.feature_map.apply(params, inputs).numpy()


def test_it_is_the_deviation_of_a_gaussian_process():
    X, y = rows()
    one = KernelRegressor("ASKL", n_features=40, epochs=5, random_state=0).fit(X, y)
    mean, deviation = one.predict(X[:20], return_std=True)
    np.testing.assert_array_equal(mean, one.predict(X[:20]))
    found, scale = one._posterior, float(one.model_.targets.scale[0])
    noise = float(found.noise[0])
    kernel = ConstantKernel(noise / found.penalty, "fixed") * DotProduct(0.0, "fixed")
    machine = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None)
    machine.fit(features(one, X), one.model_.targets.transform(y[:, None], dtype=np.float64)[:, 0])
    _, oracle = machine.predict(features(one, X[:20]), return_std=True)
    np.testing.assert_allclose(deviation, scale * np.sqrt(oracle**2 + noise), rtol=1e-5)


def test_of_a_ridge_head_the_prediction_is_the_mean_of_the_posterior():
    X, y = rows()
    one = KernelRegressor("RF", n_features=60, random_state=0).fit(X, np.stack([y, -y], 1))
    mean, deviation = one.predict(X[:9], return_std=True)
    assert mean.shape == deviation.shape == (9, 2)
    ours = one._posterior.predict(torch.from_numpy(features(one, X[:9])))[0].numpy()
    np.testing.assert_allclose(one.model_.targets.inverse(ours), mean, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("method", ["KRR", "eSVR-rbf", "MKL"])
def test_of_an_exact_kernel_it_is_the_deviation_of_its_gaussian_process(method):
    X, y = rows(150)
    one = KernelRegressor(method, random_state=0).fit(X, y)
    _, deviation = one.predict(X[:30] + 0.3, return_std=True)
    model, found = one.model_, one._posterior
    if method == "KRR":
        assert found.penalty == pytest.approx(150 * float(model.params["penalty"]))
    kernel = model.method.feature_map
    params = {name: value.double() for name, value in model.params.items()}

    def k(A, B):
        return kernel.gram(
            params, *(torch.from_numpy(model.inputs.transform(each, dtype=np.float64)) for each in (A, B))
        )

    # The textbook's formula, with the constant as one more kernel of a very large variance.
    noise, n = float(found.noise[0]), len(X)
    prior = noise / found.penalty
    C = prior * k(X, X).numpy() + 1e6 + noise * np.eye(n)
    c = prior * k(X[:30] + 0.3, X).numpy() + 1e6
    own = prior * k(X[:30] + 0.3, X[:30] + 0.3).numpy().diagonal() + 1e6
    variance = own - np.einsum("ij,ij->i", c, np.linalg.solve(C, c.T).T)
    np.testing.assert_allclose(deviation, float(model.targets.scale[0]) * np.sqrt(variance + noise), rtol=1e-3)
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_allclose(again.predict(X[:30] + 0.3, return_std=True)[1], deviation)


def test_two_deviations_hold_95_percent_of_new_rows():
    X, y = rows(600)
    one = KernelRegressor("RF", n_features=100, random_state=0).fit(X[:400], y[:400])
    mean, deviation = one.predict(X[400:], return_std=True)
    assert np.mean(np.abs(y[400:] - mean) <= 1.96 * deviation) == pytest.approx(0.95, abs=0.04)
    assert np.median(deviation) == pytest.approx(3, rel=0.15)  # the noise, in the unit of the targets


def test_it_goes_through_pickle_and_clones_and_says_what_it_needs(tmp_path):
    X, y = rows(80)
    one = KernelRegressor("RF", n_features=20, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_allclose(again.predict(X, return_std=True)[1], one.predict(X, return_std=True)[1])
    assert not hasattr(clone(one), "_rows")
    one.save(tmp_path / "one.safetensors")
    with pytest.raises(ValueError, match="rows of fit"):
        KernelRegressor.load(tmp_path / "one.safetensors").predict(X, return_std=True)
    with pytest.raises(ValueError, match="rows of fit"):
        KernelRegressor("RF", n_features=20).fit(X, y, np.ones(80)).predict(X, return_std=True)
    by_passes = KernelRegressor("ASKL", n_features=20, epochs=2, early_stopping=False).fit(X, y).partial_fit(X, y)
    with pytest.raises(ValueError, match="rows of fit"):
        by_passes.predict(X, return_std=True)

"""Eigenvalues and their laws, on spectra that are known."""

import numpy as np
import pytest
import torch
from drawn import keeps_promises
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from kernlab.kernels import gaussian
from kernlab.pictures.decay import (
    decay,
    effective_dimension,
    eigenvalue_change,
    eigenvalues,
    fitted_laws,
    plot_decay,
    plot_effective_dimension,
    plot_eigenvalue_change,
)
from kernlab.pictures.frame_spectrum import frame_eigenvalues

i = np.arange(1, 61)


def matrix(spectrum, seed=0):
    """K with n times these eigenvalues."""
    n = len(spectrum)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))
    return n * (Q * spectrum) @ Q.T


@settings(max_examples=20)
@given(st.floats(0.3, 4), st.floats(0.01, 50), st.integers(0, 1000))
def test_a_power_law_is_found(rate, constant, seed):
    found = decay(eigenvalues(matrix(constant * i**-rate, seed)))
    assert found.best.kind == "power"
    assert found.best.rate == pytest.approx(rate, rel=1e-5)
    assert found.best.constant == pytest.approx(constant, rel=1e-5)
    assert found.best.error < 1e-5 < found.other.error
    assert found.trace == pytest.approx((constant * i**-rate).sum())
    np.testing.assert_allclose(found.best.at(i), constant * i**-rate, rtol=1e-4)


@settings(max_examples=20)
@given(st.floats(0.02, 0.6), st.floats(0.01, 50), st.integers(0, 1000))
def test_an_exponential_law_is_found(rate, constant, seed):
    found = decay(eigenvalues(matrix(constant * np.exp(-rate * i), seed)))
    assert found.best.kind == "exponential"
    assert found.best.rate == pytest.approx(rate, rel=1e-3)
    assert found.best.constant == pytest.approx(constant, rel=1e-2)


def test_the_error_is_that_of_the_logarithms():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=60) * 0.1
    best, other = fitted_laws(3 * i**-1.5 * np.exp(noise))
    slope, height = np.polyfit(np.log(i), np.log(3) - 1.5 * np.log(i) + noise, 1, w=i**-0.5)
    assert (best.rate, best.constant) == (pytest.approx(-slope), pytest.approx(np.exp(height)))
    residual = np.log(3) - 1.5 * np.log(i) + noise - np.log(best.at(i))
    assert best.error == pytest.approx(np.sqrt((residual**2 / i).sum() / (1 / i).sum()))
    assert other.error > best.error


def test_rounding_is_neither_shown_nor_fitted():
    rng = np.random.default_rng(1)
    Phi = rng.normal(size=(80, 7))
    found = decay(eigenvalues(Phi @ Phi.T))
    assert found.place.tolist() == list(range(1, 8))
    assert (found.fitted, found.n) == (7, 80)
    np.testing.assert_allclose(found.value, np.linalg.svd(Phi, compute_uv=False) ** 2 / 80, rtol=1e-9)
    for few in (np.zeros(5), np.array([1.0, 0.5, 0, 0])):
        assert decay(few).best is None
    assert fitted_laws([1.0, 0.5]) is None


def test_the_later_half_is_not_fitted():
    found = decay(np.where(i <= 30, i**-2.0, 3e-4))
    assert (found.fitted, len(found.place)) == (30, 60)
    assert found.best.rate == pytest.approx(2)
    assert decay(np.where(i <= 20, i**-2.0, 1e-9)).fitted == 20


def gauss_hermite(lengthscale, count):
    """Operator eigenvalues of a Gaussian kernel under N(0, 1): √(2a/A) (b/A)^{i−1} (Zhu et al. 1998)."""
    a, b = 0.25, 1 / (2 * lengthscale**2)
    A = a + b + np.sqrt(a**2 + 2 * a * b)
    return np.sqrt(2 * a / A) * (b / A) ** np.arange(count), -np.log(b / A)


@pytest.mark.parametrize("lengthscale", [0.3, 0.8])
def test_a_gaussian_kernel_on_gaussian_inputs_has_known_eigenvalues(lengthscale):
    exact, rate = gauss_hermite(lengthscale, 8)
    x = torch.as_tensor(norm.ppf((np.arange(600) + 0.5) / 600))[:, None]
    np.testing.assert_allclose(eigenvalues(gaussian(x, x, lengthscale).numpy())[:6], exact[:6], rtol=0.05)
    x = torch.as_tensor(np.random.default_rng(0).normal(size=(240, 1)))
    found = decay(eigenvalues(gaussian(x, x, lengthscale).numpy()))
    assert found.best.kind == "exponential"
    assert found.best.rate == pytest.approx(rate, rel=0.25)


def test_effective_dimension_is_the_trace():
    K = matrix(i**-1.5)
    found = effective_dimension(eigenvalues(K))
    for ridge, value in zip(found.ridge[::20], found.value[::20], strict=True):
        assert value == pytest.approx(np.trace(K @ np.linalg.inv(K + 60 * ridge * np.eye(60))))
    assert (np.diff(found.value) < 0).all()
    assert (found.n, found.at) == (60, None)
    at = effective_dimension(eigenvalues(K), 0.01).at
    assert at == (0.01, pytest.approx(np.trace(K @ np.linalg.inv(K + 0.6 * np.eye(60)))))
    assert effective_dimension(np.zeros(4)).value.max() == 0


def test_change_of_the_eigenvalues():
    found = eigenvalue_change([4.0, 2.0, 1.0, 0.0], [1.0, 1.0, 2.0, 1.0])
    assert found.place.tolist() == [1, 2, 3]
    assert found.ratio.tolist() == [4, 2, 0.5]
    keeps_promises(plot_eigenvalue_change(found, then="epoch 3"))


SPECTRUM = eigenvalues(matrix(i**-1.5))


def test_the_law_is_written_and_drawn():
    view = decay(SPECTRUM)
    figure = plot_decay({"now": view, "before training": decay(SPECTRUM / 2)}, operator=frame_eigenvalues([3, 2], 0.5))
    keeps_promises(figure)
    now, before, law, operator = figure.data
    assert (now.name, before.name) == ("now", "before training")
    np.testing.assert_allclose(law.y, view.best.at(np.arange(1, view.fitted + 1)))
    assert f"{view.best.rate:.3g}" in law.name
    assert f"1 … {view.fitted} of 60" in figure.layout.title.subtitle.text
    assert operator.y.tolist() == [1.5, 1.0]
    assert len(plot_decay({"now": decay(np.ones(2))}).data) == 1  # too few for a law


def test_the_ridge_of_the_run_is_marked():
    figure = plot_effective_dimension({"now": effective_dimension(SPECTRUM, 1e-3)})
    keeps_promises(figure)
    marker = figure.data[-1]
    assert (marker.x[0], marker.y[0]) == (1e-3, pytest.approx((SPECTRUM / (SPECTRUM + 1e-3)).sum()))

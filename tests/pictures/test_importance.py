"""Importance is the curvature of the kernel: tested on finite differences of the features' own kernel."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.errors import OptionError
from kernlab.feature_maps import FEATURE_MAPS
from kernlab.pictures.importance import curvature, importance, importance_picture
from kernlab.pictures.spectrum import Spectrum

rng = np.random.default_rng(5)


def bent(kernel, d, step=1e-3):
    """−∂²k(τe_j, 0)/∂τ² at 0 for every input, by central differences; k takes rows and the origin."""
    ends = step * np.eye(d)
    return -(kernel(ends) - 2 * kernel(np.zeros((1, d))) + kernel(-ends)) / step**2


@settings(max_examples=15)
@given(st.integers(1, 5), st.integers(1, 40), st.booleans(), st.integers(0, 99))
def test_importance_is_the_curvature_of_the_features_kernel(d, count, pairs, seed):
    """The paired forms have no phase noise: their kernel is exactly the average over the frequencies."""
    name, form = ("nonstationary", {"phase": "paired"}) if pairs else ("stationary", {"phase": "paired"})
    features = FEATURE_MAPS[name](n_features=2 * count, frequency_scale=1.0, **form)
    omega = np.random.default_rng(seed).normal(size=(d, 2 if pairs else 1, count)) * 2

    def kernel(X):
        phi = [features.apply({"omega": torch.tensor(omega)}, torch.tensor(each)) for each in (X, np.zeros((1, d)))]
        return (phi[0] @ phi[1].mT).numpy()[:, 0]

    spectrum = Spectrum(omega[:, 0], omega[:, 1] if pairs else None)
    assert curvature(spectrum) == pytest.approx(bent(kernel, d), rel=1e-3, abs=1e-4)


def test_weights_count():
    omega = rng.normal(size=(3, 50))
    q = rng.random(50)
    weighted = Spectrum(omega, weights=q)
    assert curvature(weighted) == pytest.approx((q / q.sum()) @ omega.T**2)
    assert bent(lambda X: np.cos(X @ omega) @ q / q.sum(), 3) == pytest.approx(curvature(weighted), rel=1e-4)


def test_weighted_by_the_outputs_it_is_the_squared_slope_of_the_function():
    """E_b |∂f/∂x_j|² of f = √(2/D) Σ w_m cos(ω_mᵀx + b_m), over many draws of the phases."""
    d, D = 3, 8
    omega, w, x = rng.normal(size=(d, D)), rng.normal(size=D), rng.normal(size=d)
    b = rng.uniform(0, 2 * np.pi, (60_000, D))
    slope = -np.sqrt(2 / D) * (np.sin(x @ omega + b) * w) @ omega.T
    expected = (slope**2).mean(axis=0)
    found = curvature(Spectrum(omega), w**2) * (w**2).sum() / D
    assert found == pytest.approx(expected, rel=0.04)


def test_the_most_important_inputs_come_first_with_their_past():
    scale = np.array([1.0, 4.0, 0.0, 2.0])[:, None]
    start = np.ones((4, 6))
    found = importance(Spectrum(scale * start), Spectrum(start), ["a", "b", "c"], count=3)
    assert found.names == ("b", "x4", "a")
    assert found.places.tolist() == [1, 3, 0]
    assert found.now == pytest.approx(np.array([16, 4, 1]) / 21)
    assert found.before == pytest.approx([0.25] * 3)
    assert (found.shown, found.total) == (pytest.approx(1), 4)


def test_frequencies_that_are_all_zero_leave_no_input_out():
    zero = Spectrum(np.zeros((4, 3)))
    assert importance(zero, zero).now == pytest.approx([0.25] * 4)


def test_importance_of_pixels_is_one_on_average():
    found = importance_picture(Spectrum(rng.normal(size=(6, 30))), (2, 3))
    assert found.values.shape == (2, 3)
    assert found.values.mean() == pytest.approx(1)
    other = Spectrum(rng.normal(size=(6, 9)))
    change = importance_picture(Spectrum(np.eye(6)), (2, 3), other)
    assert change.values == pytest.approx(1 - importance_picture(other, (2, 3)).values, abs=1e-6)
    assert change.change
    assert not found.change
    with pytest.raises(OptionError, match="6 inputs"):
        importance_picture(Spectrum(np.ones((6, 2))), (2, 2))

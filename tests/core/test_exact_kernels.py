"""Exact kernels against scikit-learn, their limits, and the integral that defines the non-stationary one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from closed_forms import gaussian_pair
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import RBF, Matern
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel

from kernlab.errors import UnknownNameError
from kernlab.feature_maps.densities import DENSITIES
from kernlab.kernels import KERNELS, gaussian, matern, polynomial

X = np.random.default_rng(0).normal(size=(30, 3))
Z = np.random.default_rng(1).normal(size=(31, 3))
TX, TZ = torch.from_numpy(X), torch.from_numpy(Z)


def test_each_density_has_its_kernel_and_an_unknown_one_offers_the_nearest():
    assert set(DENSITIES) == set(KERNELS)
    with pytest.raises(UnknownNameError, match="Did you mean gaussian"):
        KERNELS["gausian"]


@pytest.mark.parametrize("nu", [None, 0.5, 1.5, 2.5])
def test_gaussian_and_elementary_matern_kernels_can_be_differentiated_also_where_points_meet(nu):
    """As landmarks need it, by finite differences."""
    kernel = gaussian if nu is None else lambda A, B, scale: matern(A, B, scale, nu)
    support = torch.cat([TX[:2], TZ[:3]]).requires_grad_()  # two of them lie on inputs
    weights = torch.from_numpy(np.random.default_rng(3).normal(size=(30, 5)))
    (gradient,) = torch.autograd.grad((weights * kernel(TX, support, 0.8)).sum(), support)
    assert gradient.isfinite().all()
    if nu != 0.5:  # which has a kink there
        direction = torch.from_numpy(np.random.default_rng(4).normal(size=(5, 3)))
        h = 1e-5
        up, down = (kernel(TX, support.detach() + step * direction, 0.8) for step in (h, -h))
        slope = float((weights * (up - down)).sum()) / (2 * h)
        assert float((gradient * direction).sum()) == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize("degree", [1, 3, 10])
def test_polynomial(degree):
    expected = polynomial_kernel(X, Z, degree=degree, gamma=1, coef0=0.5)
    np.testing.assert_allclose(polynomial(TX, TZ, degree, 0.5), expected, rtol=1e-10)
    own = [np.array([polynomial_kernel(x[None], degree=degree, gamma=1, coef0=0.5)[0, 0] for x in A]) for A in (X, Z)]
    cosine = expected / np.sqrt(own[0][:, None] * own[1][None, :])
    np.testing.assert_allclose(polynomial(TX, TZ, degree, 0.5, normalized=True), cosine, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(polynomial(TX, TX, degree, 0.5, normalized=True).diagonal(), 1.0, rtol=1e-12)


ORACLES = {
    "gaussian": lambda nu: RBF(0.8)(X, Z),
    "laplacian": lambda nu: laplacian_kernel(X, Z, gamma=1 / 0.8),
    "cauchy": lambda nu: (1 / (1 + (X[:, None] - Z[None]) ** 2 / 0.8**2)).prod(2),
    "matern": lambda nu: Matern(0.8, nu=nu)(X, Z),
}


@pytest.mark.parametrize(
    ("name", "nu"),
    [("gaussian", 1.0), ("laplacian", 1.0), ("cauchy", 1.0)]
    + [("matern", nu) for nu in (0.3, 0.5, 1.5, 2.5, 4.2, 12.0)],
)
def test_kernels_are_those_of_scikit_learn(name, nu):
    np.testing.assert_allclose(KERNELS[name](TX, TZ, 0.8, nu), ORACLES[name](nu), rtol=1e-8, atol=1e-12)


def test_matern_kernels_of_the_ends_are_elementary():
    np.testing.assert_allclose(matern(TX, TZ, 2.0, 0.5), np.exp(-cdist(X, Z) / 2.0), rtol=1e-10)
    np.testing.assert_allclose(matern(TX, TZ, 1.0, 50.0), RBF(1.0)(X, Z), atol=0.006)  # nearly Gaussian


@pytest.mark.parametrize("nu", [0.5, 2.5, 24.0, 50.0])
@pytest.mark.parametrize("name", KERNELS)
def test_a_point_is_like_itself_and_like_its_neighbour(name, nu):
    """Also far from the origin in single precision, where ‖x‖² + ‖z‖² − 2x·z loses its digits."""
    far = (TX * 10 + 100).float()
    K = KERNELS[name](far, far, 1.0, nu)
    np.testing.assert_allclose(K.diagonal(), 1.0, atol=1e-6)
    near = KERNELS[name](TX, TX + 1e-7, 1.0, nu)
    np.testing.assert_allclose(near.diagonal(), 1.0, atol=1e-6)


@given(st.sampled_from(sorted(KERNELS)), st.floats(0.05, 20), st.floats(0.3, 50))
@settings(max_examples=40)
def test_kernels_are_symmetric_positive_and_at_most_one(name, lengthscale, nu):
    K = KERNELS[name](TX, TX, lengthscale, nu).numpy()
    np.testing.assert_allclose(K, K.T, atol=1e-12)
    assert (K >= 0).all()
    assert K.max() <= 1 + 1e-12
    assert np.linalg.eigvalsh(K).min() > -1e-8


def test_the_non_stationary_kernel_is_the_integral_over_both_frequencies():
    """ASKL eq. 5, averaged over 4·10⁵ independent pairs (ω, ω')."""
    sigma, rng = 0.6, np.random.default_rng(2)
    w, v = sigma * rng.normal(size=(2, 400_000, 3))
    for x, z in zip(X[:5], Z[:5], strict=True):
        terms = np.cos(w @ x - v @ z) + np.cos(v @ x - w @ z) + np.cos(w @ (x - z)) + np.cos(v @ (x - z))
        exact = float(gaussian_pair(torch.from_numpy(x[None]), torch.from_numpy(z[None]), sigma))
        assert terms.mean() / 4 == pytest.approx(exact, abs=5 * terms.std() / 4 / np.sqrt(len(terms)))


def test_the_non_stationary_kernel_is_one_at_the_origin_and_a_half_far_away():
    points = torch.tensor([[0.0, 0.0], [50.0, 0.0]], dtype=torch.float64)
    np.testing.assert_allclose(gaussian_pair(points, points, 1.0).diagonal(), [1.0, 0.5])
    assert np.linalg.eigvalsh(gaussian_pair(TX, TX, 1.0)).min() > -1e-10

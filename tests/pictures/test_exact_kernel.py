"""What "exact" means for each map, against averages over very many features and sums written out."""

import numpy as np
import pytest
import torch
from closed_forms import gaussian_pair
from drawn import whole_kernel

from kernlab.feature_maps import NonStationary, Nystroem, Stationary, Weighted
from kernlab.feature_maps.frames import FourierFrame
from kernlab.kernels import gaussian
from kernlab.methods import method
from kernlab.pictures.exact_kernel import exact_of

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3)).astype(np.float32) * 0.7


def moment(map, name="ASKL", seed=0, **params):
    inputs = torch.as_tensor(X)
    found = map.init(inputs, torch.Generator().manual_seed(seed)) | params
    spec = method(name)
    return spec, whole_kernel(spec.__class__(feature_map=map, learned=spec.learned), found)


@pytest.mark.parametrize("density", ["gaussian", "laplacian", "cauchy", "matern"])
@pytest.mark.parametrize("kind", [Stationary, NonStationary])
def test_features_average_to_the_assigned_kernel(kind, density):
    map = kind(n_features=60_000, frequency_scale=0.8, density=density, nu=1.5)
    spec, at = moment(map)
    exact = exact_of(spec, at, learned=False)
    assert not exact.same
    assert np.abs(at.gram(X) - exact.gram(X, X)).max() < 0.03


def test_independent_pairs_of_a_gaussian_density_have_the_closed_form():
    exact = NonStationary(frequency_scale=1.3).law().exact
    Z = torch.as_tensor(X).double()
    np.testing.assert_allclose(exact.gram(X, X[:7]), gaussian_pair(Z, Z[:7], 1.3), atol=1e-12)


def test_independent_phases_leave_half_of_a_stationary_kernel():
    map = NonStationary(n_features=40_000, frequency_scale=1.0, phase="independent")
    spec, at = moment(map)
    for learned in (False, True):
        exact = exact_of(spec, at, learned=learned)
        assert np.abs(at.gram(X) - exact.gram(X, X)).max() < 0.03
        assert exact.gram(X, X).diagonal() == pytest.approx(0.5)


def test_learned_pairs_are_averaged_as_yaglom_says():
    map = NonStationary(n_features=40, frequency_scale=1.0)
    spec, at = moment(map)
    first, second = at.params["omega"].double().numpy().transpose(1, 0, 2)
    x, z = X[3].astype(float), X[8].astype(float)
    a, b, c, e = first.T @ x, second.T @ x, first.T @ z, second.T @ z
    expected = 0.25 * np.mean(np.cos(a - e) + np.cos(b - c) + np.cos(a - c) + np.cos(b - e))
    assert exact_of(spec, at).gram(X, X)[3, 8] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "map", [NonStationary(n_features=50, phase="paired"), Stationary(n_features=50, phase="paired")]
)
def test_the_paired_form_is_its_own_exact_kernel(map):
    spec, at = moment(map.replace(frequency_scale=1.0))
    exact = exact_of(spec, at)
    assert exact.same
    np.testing.assert_allclose(at.gram(X), exact.gram(X, X), atol=1e-12)


def test_weights_count_in_the_average():
    q = rng.dirichlet(np.full(20, 0.3))
    map = Weighted(n_features=40, frequency_scale=1.0)
    spec, at = moment(map, "LKRF", q=torch.as_tensor(q))
    omega = at.params["omega"][:, 0].double().numpy()
    expected = q @ np.cos(omega.T @ (X[0] - X[1]).astype(float))
    assert exact_of(spec, at).gram(X, X)[0, 1] == pytest.approx(expected, abs=1e-6)


def test_landmarks_stand_for_their_kernel_and_frames_for_themselves():
    spec, at = moment(Nystroem(n_features=10, frequency_scale=0.7), "NysDI")
    exact = exact_of(spec, at)
    Z = torch.as_tensor(X).double()
    np.testing.assert_allclose(exact.gram(X, X), gaussian(Z, Z, 1 / 0.7), atol=1e-12)
    assert "Gaussian kernel" in exact.words
    rows = np.clip(X, -1, 1)
    map, spec = FourierFrame(order=3), method("FKS-Fourier")
    at = whole_kernel(spec, map.init(torch.as_tensor(rows), torch.Generator()))._replace(representation=map)
    exact = exact_of(spec, at)
    assert exact.same
    np.testing.assert_allclose(exact.gram(rows, rows), at.gram(rows))


def test_an_exact_kernel_has_no_error():
    spec = method("KRR")
    at = whole_kernel(spec, {})
    at = at._replace(representation=spec.feature_map.replace(frequency_scale=1.0))
    assert exact_of(spec, at).same
    Z = torch.as_tensor(X).double()
    np.testing.assert_allclose(exact_of(spec, at).gram(X, X), gaussian(Z, Z), atol=1e-12)

"""Features average to the kernel: for every density, form and way of drawing, within the standard error."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from closed_forms import gaussian_pair
from scipy import stats
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from kernlab.errors import OptionError
from kernlab.feature_maps import Exact, NonStationary, Nystroem, Stationary
from kernlab.feature_maps.densities import DENSITIES
from kernlab.feature_maps.trigonometry import cos
from kernlab.kernels import KERNELS, gaussian
from kernlab.methods import method

SIGMA, NU, D = 0.6, 1.5, 8000
X = torch.from_numpy(np.random.default_rng(0).normal(size=(12, 3)))
WAYS = [
    (density, sampling)
    for density in DENSITIES
    for sampling in ("iid", "orthogonal", "sobol")
    if sampling != "orthogonal" or density in ("gaussian", "matern")
]


def features(feature_map, seed: int = 0, X: torch.Tensor = X) -> np.ndarray:
    params = feature_map.init(X, torch.Generator().manual_seed(seed))
    return feature_map.apply(params, X).numpy()


def by_frequency(feature_map, Phi: np.ndarray) -> np.ndarray:
    """What each frequency adds to the kernel, D × n × n: its mean is the estimate, its spread the error."""
    draws = feature_map.draws
    halves = Phi.reshape(len(Phi), -1, draws)  # [cos; sin] in the paired form
    return draws * np.einsum("ahf,bhf->fab", halves, halves)


def assert_is_mean(terms: np.ndarray, exact: np.ndarray) -> None:
    """Within 5 standard errors everywhere; the largest of 78 differing entries stays below 4.5 in 999 of 1000."""
    error = terms.std(axis=0) / np.sqrt(len(terms))
    assert (np.abs(terms.mean(axis=0) - exact) <= 5 * error + 1e-6).all()


@pytest.mark.parametrize("form", ["shared", "paired"])
@pytest.mark.parametrize(("density", "sampling"), WAYS)
def test_stationary_features_average_to_the_kernel_of_their_density(density, sampling, form):
    m = Stationary(n_features=D, frequency_scale=SIGMA, density=density, nu=NU, sampling=sampling, phase=form)
    exact = KERNELS[density](X, X, 1 / SIGMA, NU).numpy()
    assert_is_mean(by_frequency(m, features(m)), exact)


@pytest.mark.parametrize("sampling", ["iid", "orthogonal", "sobol"])
@pytest.mark.parametrize("phase", ["shared", "paired"])
def test_non_stationary_features_average_to_yagloms_kernel(phase, sampling):
    m = NonStationary(n_features=D, frequency_scale=SIGMA, phase=phase, sampling=sampling)
    assert_is_mean(by_frequency(m, features(m)), gaussian_pair(X, X, SIGMA).numpy())


@pytest.mark.parametrize("sampling", ["iid", "orthogonal", "sobol"])
def test_independent_phases_average_to_half_a_stationary_kernel(sampling):
    m = NonStationary(n_features=D, frequency_scale=SIGMA, phase="independent", sampling=sampling)
    assert_is_mean(by_frequency(m, features(m)), 0.5 * gaussian(X, X, 1 / SIGMA).numpy())


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.95, 1.0])
@pytest.mark.parametrize("phase", ["shared", "independent", "paired"])
def test_correlated_frequencies(phase, rho):
    """The check that METHODS 9.1 rests on: with corr(ω, ω') = ρ the three forms and their closed forms.

    Shared phases and pairs give ½ exp(−σ²‖x−z‖²/2) + ½ exp(−σ²(‖x‖²+‖z‖²−2ρ x·z)/2), whose diagonal is 1 for
    ρ = 1; independent phases give ½ exp(−σ²‖x−z‖²/2) at any ρ: they cannot see the correlation.
    """
    m = NonStationary(n_features=D, frequency_scale=SIGMA, phase=phase)
    params = m.init(X, torch.Generator().manual_seed(3))
    omega, other = params["omega"].unbind(1)
    params["omega"] = torch.stack([omega, rho * omega + np.sqrt(1 - rho**2) * other], dim=1)
    squares, inner = (X**2).sum(1).numpy(), (X @ X.T).numpy()
    same = np.exp(-(SIGMA**2) * (squares[:, None] + squares[None] - 2 * inner) / 2)
    cross = np.exp(-(SIGMA**2) * (squares[:, None] + squares[None] - 2 * rho * inner) / 2)
    exact = 0.5 * same if phase == "independent" else 0.5 * same + 0.5 * cross
    assert_is_mean(by_frequency(m, m.apply(params, X).numpy()), exact)


def four_cosines(params, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    w, v = params["omega"].unbind(1)
    w, v = w.numpy().T, v.numpy().T
    return 0.25 * (np.cos(w @ x - v @ z) + np.cos(v @ x - w @ z) + np.cos(w @ (x - z)) + np.cos(v @ (x - z)))


@pytest.mark.parametrize("cls", [Stationary, NonStationary])
def test_the_paired_form_is_exactly_the_monte_carlo_average(cls):
    m = cls(n_features=50, frequency_scale=SIGMA, phase="paired")
    params = m.init(X, torch.Generator().manual_seed(0))
    Phi, points = m.apply(params, X).numpy(), X.numpy()
    if cls is Stationary:
        expected = np.cos((points[:, None] - points[None]) @ params["omega"][:, 0].numpy()).mean(axis=-1)
    else:
        expected = [[four_cosines(params, x, z).mean() for z in points] for x in points]
    np.testing.assert_allclose(Phi @ Phi.T, expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("phase", ["shared", "paired"])
def test_equal_frequencies_give_back_the_stationary_features(phase):
    pair, single = (cls(n_features=20, frequency_scale=SIGMA, phase=phase) for cls in (NonStationary, Stationary))
    params = single.init(X, torch.Generator().manual_seed(0))
    doubled = {name: torch.cat([value, value], dim=-2) for name, value in params.items()}
    torch.testing.assert_close(pair.apply(doubled, X), single.apply(params, X), rtol=0, atol=1e-14)


def test_shared_phases_are_shared_and_independent_ones_are_not():
    for phase, equal in (("shared", True), ("independent", False)):
        params = NonStationary(n_features=20, phase=phase).init(X, torch.Generator().manual_seed(0))
        b, other = params["phase"]
        assert torch.equal(b, other) is equal
        assert ((params["phase"] >= 0) & (params["phase"] < 2 * np.pi + 1e-6)).all()
    assert "phase" not in NonStationary(n_features=20, phase="paired").init(X, torch.Generator())


def test_phases_are_uniform():
    for phase in ("shared", "independent"):
        params = NonStationary(n_features=4000, phase=phase).init(X, torch.Generator().manual_seed(0))
        for b in params["phase"]:
            assert stats.kstest(b.numpy(), stats.uniform(0, 2 * np.pi).cdf).pvalue > 1e-3


def error(feature_map, exact: np.ndarray, seeds: int = 12) -> float:
    """Root mean squared error over all pairs of points and several draws."""
    draws = (features(feature_map, seed) for seed in range(seeds))
    return float(np.sqrt(np.mean([np.square(Phi @ Phi.T - exact).mean() for Phi in draws])))


@pytest.mark.parametrize(
    ("feature_map", "exact"),
    [
        (Stationary(frequency_scale=SIGMA, phase="shared"), gaussian(X, X, 1 / SIGMA)),
        (Stationary(frequency_scale=SIGMA, phase="paired"), gaussian(X, X, 1 / SIGMA)),
        (NonStationary(frequency_scale=SIGMA, phase="shared"), gaussian_pair(X, X, SIGMA)),
        (NonStationary(frequency_scale=SIGMA, phase="paired"), gaussian_pair(X, X, SIGMA)),
    ],
)
def test_the_error_falls_as_one_over_the_root_of_the_number_of_features(feature_map, exact):
    few, many = (error(feature_map.replace(n_features=D), exact.numpy()) for D in (128, 2048))
    assert few / many == pytest.approx(4.0, rel=0.3)  # √(2048/128)


@pytest.mark.parametrize("feature_map", [Stationary(phase="paired"), NonStationary(phase="paired")])
def test_sobol_points_fall_faster_and_orthogonal_ones_start_lower(feature_map):
    m = feature_map.replace(frequency_scale=SIGMA)
    exact = (gaussian(X, X, 1 / SIGMA) if m.pairs == 1 else gaussian_pair(X, X, SIGMA)).numpy()
    plain, sobol, orthogonal = (
        m.replace(sampling=sampling, n_features=126) for sampling in ("iid", "sobol", "orthogonal")
    )
    assert error(orthogonal, exact) < error(plain, exact)
    assert error(sobol, exact) / error(sobol.replace(n_features=2048), exact) > 6


def test_the_paired_form_has_less_noise_than_random_phases_in_as_many_columns():
    """Sutherland & Schneider 2015: of a Gaussian kernel wherever it is not near 0; here points lie close together."""
    points = 0.5 * X
    exact = gaussian(points, points, 1 / SIGMA).numpy()
    m = Stationary(n_features=200, frequency_scale=SIGMA)
    assert m.width == m.replace(phase="shared").width == 200

    def noise(m) -> float:
        return float(np.mean([np.square(features(m, s, points) @ features(m, s, points).T - exact) for s in range(12)]))

    assert noise(m) < 0.8 * noise(m.replace(phase="shared"))


@pytest.mark.parametrize("cls", [Stationary, NonStationary, Nystroem, Exact])
def test_gamma_is_that_of_the_kernel_it_stands_beside(cls):
    """scikit-learn's rbf_kernel and laplacian_kernel; a kernel without such a form refuses, whatever comes first."""
    word = "density" if cls in (Stationary, NonStationary) else "kernel"
    for kernel, peer in (("gaussian", rbf_kernel), ("laplacian", laplacian_kernel)):
        expected = peer(X.numpy(), gamma=0.18)
        for values in ({"gamma": 0.18, word: kernel}, {word: kernel, "gamma": "0.18"}):
            scale = cls.build(**values).frequency_scale
            np.testing.assert_allclose(KERNELS[kernel](X, X, 1 / scale), expected, rtol=1e-6)
    for kernel in ("cauchy", "matern", *(["polynomial"] if word == "kernel" else [])):
        with pytest.raises(OptionError, match=f"{kernel} kernel"):
            cls.build(**{"gamma": 0.18, word: kernel})
        assert cls.build(**{"lengthscale": 4.0, word: kernel}).frequency_scale == 0.25
    with pytest.raises(OptionError, match=f"{word} must be one of"):
        cls.build(**{"gamma": 0.18, word: "no such"})


def test_a_method_converts_gamma_for_the_kernel_that_it_has_or_is_given():
    assert method("RF", density="laplacian", gamma=0.5).feature_map.frequency_scale == 0.5
    assert method("RF", density="laplacian").with_options({"gamma": 0.5}).feature_map.frequency_scale == 0.5
    assert method("Nys", gamma=0.5, kernel="laplacian").feature_map.frequency_scale == 0.5
    assert method("RF", gamma=0.5).feature_map.frequency_scale == 1.0
    with pytest.raises(OptionError, match="matern kernel"):
        method("RF", density="matern").with_options({"gamma": 0.5})


@pytest.mark.parametrize(
    "values",
    [
        {"gamma": 1.0, "frequency_scale": 1.0},
        {"gamma": 1.0, "lengthscale": 1.0},
        {"gamma": 0.0},
        {"lengthscale": -1.0},
        {"gamma": "wide"},
        {"lengthscale": float("inf")},
    ],
)
def test_two_words_for_one_scale_or_a_scale_of_nothing_are_refused(values):
    with pytest.raises(OptionError):
        Stationary.build(**values)


@pytest.mark.parametrize(("density", "p"), [("gaussian", 2), ("laplacian", 1)])
def test_the_automatic_scale_is_one_over_the_median_distance(density, p):
    points = np.random.default_rng(1).normal(size=(101, 4)).astype(np.float32)
    scale = NonStationary(density=density).resolve(torch.from_numpy(points)).frequency_scale
    distances = pdist(points, "minkowski", p=p)
    assert scale == pytest.approx(1 / np.median(distances), rel=2e-3)


def test_the_automatic_scale_is_finer_along_one_or_two_inputs():
    """Rows lie densely there, so that a function can vary faster than their distance says."""
    points = np.random.default_rng(1).normal(size=(101, 3)).astype(np.float32)
    finer = []
    for d in (1, 2, 3):
        scale = Stationary().resolve(torch.from_numpy(points[:, :d].copy())).frequency_scale
        finer.append(scale * float(np.median(pdist(points[:, :d]))))
    assert finer[0] > finer[1] > finer[2] == pytest.approx(1.0, rel=2e-3)


def test_the_automatic_scale_of_points_that_all_coincide_is_one():
    assert [Stationary().resolve(torch.ones(n, 3)).frequency_scale for n in (1, 5)] == [1.0, 1.0]


def test_cosines_are_torchs_where_the_numbers_are_not_in_memory():
    with torch.no_grad():
        for numbers in (torch.empty(2, device="meta"), torch.full((2,), torch.inf), X):
            torch.testing.assert_close(cos(numbers), torch.cos(numbers), rtol=1e-6, atol=0, equal_nan=True)
        rows = X.float()
        torch.testing.assert_close(torch.vmap(cos)(rows), torch.cos(rows))
        torch.testing.assert_close(torch.func.vmap(lambda row: cos(2 * row))(rows), torch.cos(2 * rows))


def test_the_plain_form_has_pairs_of_cosine_and_sine_unless_independent_phases_have_a_kernel_of_their_own():
    for phase, plain in (("shared", "paired"), ("paired", "paired"), ("independent", "independent")):
        assert NonStationary(phase=phase, density="laplacian").plain().replace(n_features=2000) == NonStationary(
            phase=plain, density="laplacian"
        )
    assert Stationary(phase="independent").plain().phase == "paired"


def test_a_larger_scale_stretches_the_same_frequencies():
    narrow, wide = (
        NonStationary(n_features=9, frequency_scale=s).init(X, torch.Generator().manual_seed(0))["omega"]
        for s in (0.5, 1.5)
    )
    torch.testing.assert_close(3 * narrow, wide, rtol=1e-6, atol=0)


def test_the_pictures_get_omega_and_omega_prime():
    m = NonStationary(n_features=9, frequency_scale=1.0)
    params = m.init(X, torch.Generator().manual_seed(0))
    shown = m.frequencies(params)
    assert torch.equal(shown["omega"], params["omega"][:, 0])
    assert torch.equal(shown["omega_prime"], params["omega"][:, 1])
    single = Stationary(n_features=9, frequency_scale=1.0, phase="shared")
    found = single.frequencies(single.init(X, torch.Generator()))
    assert {name: value.shape[1] for name, value in found.items()} == {"omega": 9, "phase": 9}
    paired = single.replace(phase="paired")
    assert set(paired.frequencies(paired.init(X, torch.Generator()))) == {"omega"}


# -- learned phases ---------------------------------------------------------------------------------------------

LEARNED = [
    Stationary(n_features=6, frequency_scale=0.7, learn_phase=True, phase="shared"),
    NonStationary(n_features=6, frequency_scale=0.7, learn_phase=True, phase="shared"),
    NonStationary(n_features=6, frequency_scale=0.7, learn_phase=True, phase="independent"),
]


def start(feature_map) -> dict[str, torch.Tensor]:
    return feature_map.init(X, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("feature_map", LEARNED)
def test_gradients_are_those_of_automatic_differentiation(feature_map):
    params = start(feature_map)
    cotangent = torch.randn(len(X), 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    gradient = feature_map.pullback(params, X)[1](cotangent)
    leaves = {name: params[name].clone().requires_grad_() for name in ("omega", "phase")}
    feature_map.apply(leaves, X).backward(cotangent)
    assert set(gradient) == set(feature_map.trainable) == set(leaves)
    for name, leaf in leaves.items():
        torch.testing.assert_close(gradient[name], leaf.grad, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("feature_map", LEARNED)
def test_learning_them_does_not_change_where_they_start(feature_map):
    fixed = feature_map.replace(learn_phase=False)
    torch.testing.assert_close(feature_map.apply(start(feature_map), X), fixed.apply(start(fixed), X), rtol=0, atol=0)


def test_shared_phases_are_one_row_and_so_stay_shared():
    shared, independent = (start(feature_map)["phase"] for feature_map in LEARNED[1:])
    assert shared.shape == (1, 6)
    assert independent.shape == (2, 6)


@pytest.mark.parametrize("feature_map", LEARNED)
def test_stacked_models_have_the_gradients_of_each(feature_map):
    models = [feature_map.init(X, torch.Generator().manual_seed(seed)) for seed in range(3)]
    stacked = {name: torch.stack([m[name] for m in models]) for name in models[0]}
    found = torch.func.vmap(lambda params: feature_map.pullback(params, X)[1](torch.ones_like(X[:, :1]).expand(-1, 6)))
    gradient = found(stacked)["phase"]
    for r, params in enumerate(models):
        alone = feature_map.pullback(params, X)[1](torch.ones(len(X), 6, dtype=X.dtype))["phase"]
        torch.testing.assert_close(gradient[r], alone, rtol=0, atol=1e-12)


def test_the_paired_form_has_no_phases_to_learn():
    for feature_map in (Stationary(phase="paired", learn_phase=True), NonStationary(phase="paired", learn_phase=True)):
        assert feature_map.trainable == ("omega",)
        small = feature_map.replace(n_features=6)
        assert set(small.pullback(start(small), X)[1](torch.ones(len(X), 6, dtype=X.dtype))) == {"omega"}

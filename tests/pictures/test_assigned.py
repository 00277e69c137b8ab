"""Closed forms of assigned frequencies against draws, against numerical Fourier transforms, and against each other."""

import numpy as np
import pytest
import torch
from closed_forms import gaussian_pair
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from kernlab.feature_maps import FEATURE_MAPS
from kernlab.feature_maps.densities import DENSITIES, draw
from kernlab.feature_maps.law import FrequencyLaw
from kernlab.pictures.density import direction_density, length_density
from kernlab.pictures.directions import coordinate

rng = np.random.default_rng(3)


def drawn(density, d=3, count=20_000, scale=1.7, pairs=1, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return draw(d, count, pairs=pairs, density=density, scale=scale, nu=2.0, generator=generator).numpy()


@pytest.mark.parametrize("density", DENSITIES)
def test_the_density_along_a_line_is_that_of_what_is_drawn(density):
    """Kolmogorov and Smirnov's distance between drawn projections and the density's integral."""
    law = FrequencyLaw(density, 1.7, nu=2.0)
    grid = 5 * np.sinh(np.linspace(-7, 7, 8001))  # fine in the middle, far out for the tails
    for direction in (coordinate(3, 1), np.array([2.0, -1.0, 0.5])):
        sample = direction / np.linalg.norm(direction) @ drawn(density)[:, 0].astype(float)
        mass = integrate.cumulative_simpson(law.along(direction, grid), x=grid, initial=0)
        distance = stats.kstest(sample, lambda t, mass=mass: np.interp(t, grid, mass)).statistic
        assert distance < 0.013  # 1.8/√20000


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5).filter(lambda u: np.linalg.norm(u) > 0.1), st.floats(0.1, 9))
def test_a_sum_of_laplace_variables_has_the_product_as_its_fourier_transform(u, sigma):
    line = np.array(u) / np.linalg.norm(u)
    grid = np.linspace(-38 * sigma, 38 * sigma, 40_001)
    density = FrequencyLaw("cauchy", sigma).along(u, grid)
    for t in (0.0, 0.4 / sigma, 1.5 / sigma):
        expected = np.prod(1 / (1 + (sigma * line * t) ** 2))
        assert integrate.trapezoid(density * np.cos(grid * t), grid) == pytest.approx(expected, abs=2e-3)


def test_laplace_along_a_coordinate_and_many_inputs_are_gaussian():
    grid = np.linspace(-8, 8, 301)
    one = FrequencyLaw("cauchy", 2.0).along(coordinate(5, 2), grid)
    assert np.abs(one - stats.laplace.pdf(grid, scale=2)).max() < 1e-3 * one.max()
    many = FrequencyLaw("cauchy", 1.0).along(np.ones(784), grid)  # the central limit
    assert np.abs(many - stats.norm.pdf(grid, scale=np.sqrt(2))).max() < 2e-3


@pytest.mark.parametrize(("density", "d"), [("gaussian", 4), ("matern", 4), ("laplacian", 1), ("cauchy", 1)])
def test_the_density_of_the_length(density, d):
    law = FrequencyLaw(density, 1.7, nu=2.0)
    sample = np.linalg.norm(drawn(density, d)[:, 0].astype(float), axis=0)
    grid = np.linspace(0, 200, 100_001)
    mass = integrate.cumulative_simpson(law.length(d, grid), x=grid, initial=0)
    assert stats.kstest(sample, lambda t: np.interp(t, grid, mass)).statistic < 0.016
    assert law.length(3, grid) is None or density in ("gaussian", "matern")


def test_the_pair_of_gaussians_is_the_closed_form():
    X, Z = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    both = FrequencyLaw("gaussian", 0.8, pairs=2)
    expected = gaussian_pair(torch.tensor(X), torch.tensor(Z), 0.8).numpy()
    np.testing.assert_allclose(both.kernel(X, Z), expected, atol=1e-12)
    apart = both._replace(crossed=False)
    np.testing.assert_allclose(apart.kernel(X, Z), 0.5 * FrequencyLaw("gaussian", 0.8).kernel(X, Z), atol=1e-12)


@pytest.mark.parametrize("density", DENSITIES)
def test_the_kernel_of_pairs_is_the_average_over_drawn_pairs(density):
    omega, other = np.moveaxis(drawn(density, pairs=2, count=40_000).astype(float), 1, 0)
    X, Z = 0.4 * rng.normal(size=(4, 3)), 0.4 * rng.normal(size=(4, 3))
    a, b = X @ omega, Z @ omega
    c, e = X @ other, Z @ other
    average = (np.cos(a - e) + np.cos(c - b) + np.cos(a - b) + np.cos(c - e)).mean(axis=1) / 4
    exact = np.diagonal(FrequencyLaw(density, 1.7, nu=2.0, pairs=2).kernel(X, Z))
    np.testing.assert_allclose(average, exact, atol=0.015)


@pytest.mark.parametrize("density", DENSITIES)
def test_the_law_of_a_map_is_read_off_its_options(density):
    build = FEATURE_MAPS["stationary"]
    law = build(density=density, frequency_scale=0.3, nu=1.5).law()
    assert law == FrequencyLaw(density, 0.3, 1.5, 1, True)
    assert build(density=density).law() is None  # the scale is not known yet
    pair = FEATURE_MAPS["nonstationary"]
    assert pair(frequency_scale=2.0, phase="independent").law() == FrequencyLaw("gaussian", 2.0, 2.5, 2, False)
    assert pair(frequency_scale=2.0, phase="paired").law().crossed
    assert FEATURE_MAPS["deep"](frequency_scale=2.0).law().pairs == 2
    assert FEATURE_MAPS["nystroem"]().law() is None


def test_the_law_is_drawn_beneath_the_estimates():
    omega = rng.normal(size=(3, 20_000))
    law = FrequencyLaw("gaussian", 1.0)
    found = direction_density([1, 1, 0], omega, omega, law=lambda grid: law.along([1, 1, 0], grid))
    assert np.abs(found.law - found.curves[1].values).max() < 0.03
    long = length_density(omega, omega, law=lambda grid: law.length(3, grid))
    assert np.abs(long.law - long.curves[1].values).max() < 0.03
    assert length_density(omega, omega, law=lambda grid: None).law is None

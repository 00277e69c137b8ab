"""Densities of frequencies against SciPy's, closed forms of assigned frequencies against draws, and their figures."""

from functools import partial

import numpy as np
import pytest
import torch
from closed_forms import gaussian_pair
from drawn import same
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from kernlab.errors import OptionError
from kernlab.feature_maps import FEATURE_MAPS
from kernlab.feature_maps.densities import DENSITIES, draw
from kernlab.feature_maps.law import FrequencyLaw
from kernlab.pictures.density import (
    density_change,
    direction_density,
    kde,
    length_density,
    plot_density,
    plot_density_change,
    window,
)
from kernlab.pictures.directions import coordinate
from kernlab.pictures.spectrum import Spectrum

rng = np.random.default_rng(0)


def area(grid, values):
    return float(np.sum((values[1:] + values[:-1]) / 2 * np.diff(grid)))


def test_the_estimate_is_the_sum_of_gaussians_it_claims_to_be():
    sample = rng.normal(size=300)
    grid = np.linspace(-5, 5, 2001)
    density, h = kde(sample, grid)
    direct = stats.norm.pdf((grid[:, None] - sample) / h).mean(axis=1) / h
    assert np.abs(density - direct).max() < 1e-3 * direct.max()


def test_the_bandwidth_is_silvermans():
    sample = rng.normal(size=1000) * 2
    iqr = np.subtract(*np.quantile(sample, (0.75, 0.25)))
    assert kde(sample, np.linspace(-9, 9, 500))[1] == pytest.approx(0.9 * min(sample.std(), iqr / 1.34) * 1000**-0.2)


def test_equal_values_stay_a_spike_of_area_one():
    grid = np.linspace(-1, 1, 201)
    density, h = kde(np.full(10, 0.25), grid)
    assert h == pytest.approx(0.01)
    assert area(grid, density) == pytest.approx(1, abs=0.002)
    assert grid[density.argmax()] == pytest.approx(0.25, abs=0.011)


def test_mass_outside_the_window_is_missing_from_it_and_does_not_wrap_round():
    grid = np.linspace(0, 1, 200)
    near, far = 0.97 + 0.01 * rng.normal(size=800), np.full(200, 7.0)
    density, h = kde(np.concatenate([near, far]), grid)
    assert h < 0.01
    assert density[:150].max() < 1e-3 * density.max()
    assert area(grid, density) == pytest.approx(0.8, abs=0.02)


def test_weights_are_repeated_values():
    sample, counts = rng.normal(size=200), rng.integers(0, 4, 200)
    grid = np.linspace(-5, 5, 1001)
    weighted, h = kde(sample, grid, 7.0 * counts)
    direct = (stats.norm.pdf((grid[:, None] - sample) / h) / h) @ (counts / counts.sum())
    assert np.abs(weighted - direct).max() < 2e-3 * direct.max()
    equal, plain = kde(sample, grid, np.full(200, 0.1)), kde(sample, grid)
    assert equal[1] == pytest.approx(plain[1], rel=0.02)
    assert np.abs(equal[0] - plain[0]).max() < 0.01


def test_the_bandwidth_of_weighted_values_knows_how_many_they_are_worth():
    sample, q = rng.normal(size=20_000), np.zeros(20_000)
    q[:500] = 1.0
    grid = np.linspace(-5, 5, 500)
    assert kde(sample, grid, q)[1] == pytest.approx(kde(sample[:500], grid)[1], rel=0.02)


def test_the_window_holds_all_but_the_tails_and_has_width():
    low, high = window(stats.cauchy.rvs(size=20_000, random_state=1))
    assert 100 < high - low < 400  # quantiles at ±63.7
    assert np.diff(window(np.zeros(5)))[0] > 0


def test_direction_density_of_an_assigned_spectrum():
    sigma = np.array([0.5, 1.0, 2.0])[:, None]
    omega = sigma * rng.normal(size=(3, 20_000))
    before = rng.normal(size=(3, 20_000))
    found = direction_density(5 * coordinate(3, 2), Spectrum(omega), Spectrum(before), what="here")
    now, assigned = found.curves
    assert (now.name, now.when, assigned.when, found.what) == ("ω", "now", "assigned", "here")
    assert np.abs(now.values - stats.norm.pdf(found.grid, scale=2)).max() < 0.015
    assert np.abs(assigned.values - stats.norm.pdf(found.grid)).max() < 0.03
    assert now.outside < 0.01


def test_only_the_frequencies_of_now_are_weighted():
    """Weights exp(−3ω²/2) turn a standard Gaussian into one of half its scale."""
    omega = rng.normal(size=(1, 40_000))
    q = np.exp(-1.5 * omega[0] ** 2)
    both = Spectrum(omega, weights=q), Spectrum(omega, weights=q[::-1])
    for found, law in ((direction_density([1.0], *both), stats.norm), (length_density(*both), stats.halfnorm)):
        now, assigned = found.curves
        assert np.abs(now.values - law.pdf(found.grid, scale=0.5)).max() < 0.06
        assert np.abs(assigned.values - law.pdf(found.grid)).max() < 0.03


def test_length_of_gaussian_frequencies_is_chi():
    omega = rng.normal(size=(1, 30_000))  # d = 1: half of a Gaussian's mass would leak below 0
    found = length_density(Spectrum(omega), Spectrum(omega))
    assert found.grid[0] == 0
    assert np.abs(found.curves[0].values - stats.chi.pdf(found.grid, 1)).max() < 0.03
    wide = rng.normal(size=(9, 30_000))
    found = length_density(Spectrum(wide), Spectrum(wide))
    assert np.abs(found.curves[0].values - stats.chi.pdf(found.grid, 9)).max() < 0.02


def test_what_has_changed_is_the_difference_of_the_densities():
    start, later = rng.normal(size=(1, 20_000)), 3 + rng.normal(size=(1, 20_000))
    now, then = (direction_density([1.0], Spectrum(each), Spectrum(start)) for each in (later, start))
    found = density_change(now, then)
    expected = stats.norm.pdf(found.grid, 3) - stats.norm.pdf(found.grid)
    assert np.abs(found.values[0] - expected).max() < 0.02
    # Half of ∫|now − then| of two Gaussians three deviations apart is 2Φ(3/2) − 1.
    assert found.moved[0] == pytest.approx(2 * stats.norm.cdf(1.5) - 1, abs=0.01)
    assert (found.names, found.what) == (("ω",), "")
    same = density_change(now, now)
    assert not same.values[0].any()
    assert same.moved == (0.0,)


@pytest.mark.parametrize("seen", [partial(direction_density, [1.0]), length_density], ids=["direction", "length"])
def test_a_change_has_no_edge_where_the_frequencies_reach_further_than_before(seen):
    start = Spectrum(np.random.default_rng(3).normal(size=(1, 6)))
    later = Spectrum(1.001 * start.omega)
    found = density_change(seen(later, start, beside=start), seen(start, start, beside=later))
    # So few frequencies have densities that are not 0 at the edges of the grid, and the two differ little everywhere.
    assert np.abs(found.values[0][[0, -1]]).max() < 0.05 * seen(later, start).curves[0].values[[0, -1]].max()


def test_a_direction_without_length_is_a_sentence():
    with pytest.raises(OptionError, match="direction must have a length"):
        direction_density([0, 0], Spectrum(np.ones((2, 5))), Spectrum(np.ones((2, 5))))


# -- what was drawn, in closed form ---------------------------------------------------------------------------------


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


@settings(max_examples=15)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5).filter(lambda u: np.linalg.norm(u) > 0.1), st.floats(0.1, 9))
def test_a_sum_of_laplace_variables_has_the_product_as_its_fourier_transform(u, sigma):
    line = np.array(u) / np.linalg.norm(u)
    grid = np.linspace(-38 * sigma, 38 * sigma, 40_001)
    density = FrequencyLaw("cauchy", sigma).along(u, grid)
    assert density.min() >= 0
    for t in (0.0, 0.4 / sigma, 1.5 / sigma):
        expected = np.prod(1 / (1 + (sigma * line * t) ** 2))
        assert integrate.trapezoid(density * np.cos(grid * t), grid) == pytest.approx(expected, abs=2e-3)


def test_laplace_along_a_coordinate_and_many_inputs_are_gaussian():
    grid = np.linspace(-8, 8, 301)
    one = FrequencyLaw("cauchy", 2.0).along(coordinate(5, 2), grid)
    assert np.abs(one - stats.laplace.pdf(grid, scale=2)).max() < 1e-3 * one.max()
    two = FrequencyLaw("cauchy", np.sqrt(2)).along([1.0, -1.0, 0.0], grid)  # a Laplace variable less another
    np.testing.assert_allclose(two, (1 + np.abs(grid)) * np.exp(-np.abs(grid)) / 4, atol=1e-7)
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


# -- figures --------------------------------------------------------------------------------------------------------


def test_the_figure_has_both_frequencies_now_and_assigned_over_the_law():
    four, law = rng.normal(size=(4, 2, 60)), FrequencyLaw("gaussian", 1.0, pairs=2)
    now, before = Spectrum(*four[:2]), Spectrum(*four[2:])
    found = direction_density([1, 0], now, before, what="height", law=lambda grid: law.along([1, 0], grid))
    figure = plot_density(found)
    exact, *estimates = figure.data
    same(exact, x=found.grid, y=found.law)
    assert exact.y == pytest.approx(law.along([1, 0], found.grid), rel=1e-4)
    assert length_density(now, before, law=lambda grid: None).law is None
    assert (exact.name, exact.fill) == ("assigned, exact", "tozeroy")
    assert [trace.name for trace in estimates] == ["ω now", "ω' now", "ω assigned", "ω' assigned"]
    for trace, curve, omega in zip(estimates, found.curves, four, strict=True):
        same(trace, x=found.grid, y=curve.values)
        same(trace, y=kde(omega[0], np.linspace(*window(*four[:, 0]), len(found.grid)))[0].astype(np.float32))
        assert (trace.fill == "tozeroy") == (curve.when == "now")
    assert "height" in figure.layout.title.subtitle.text
    assert "rad" in figure.layout.xaxis.title.text
    assert "assigned, exact" not in [trace.name for trace in plot_density(found._replace(law=None)).data]
    assert figure.layout.uirevision != plot_density(found._replace(what="width")).layout.uirevision


def test_the_figure_of_a_change_names_the_share_that_has_moved():
    one, other = (Spectrum(*rng.normal(size=(2, 2, 60))) for _ in range(2))
    now, then = (direction_density([1, 0], each, other, what="here") for each in (one, other))
    found = density_change(now, then)
    figure = plot_density_change(found, "step 3")
    for trace, values in zip(figure.data, found.values, strict=True):
        same(trace, x=found.grid, y=values)
    first, second = found.moved
    assert figure.layout.title.subtitle.text == f"here, since step 3: {first:.0%} of ω, {second:.0%} of ω' elsewhere"

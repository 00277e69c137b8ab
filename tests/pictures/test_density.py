import numpy as np
import pytest
from scipy import stats

from kernlab.errors import OptionError
from kernlab.pictures.density import density_change, direction_density, kde, length_density, window
from kernlab.pictures.directions import coordinate, principal_directions

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


def test_a_gaussian_sample_gives_the_gaussian():
    grid = np.linspace(-4, 4, 400)
    density, _ = kde(rng.normal(size=40_000), grid)
    assert np.abs(density - stats.norm.pdf(grid)).max() < 0.015


def test_mass_outside_the_window_is_missing_from_it_and_does_not_wrap_round():
    grid = np.linspace(0, 1, 200)
    near, far = 0.97 + 0.01 * rng.normal(size=800), np.full(200, 7.0)
    density, h = kde(np.concatenate([near, far]), grid)
    assert h < 0.01
    assert density[:150].max() < 1e-3 * density.max()
    assert area(grid, density) == pytest.approx(0.8, abs=0.02)


def test_equal_values_stay_a_spike_of_area_one():
    grid = np.linspace(-1, 1, 201)
    density, h = kde(np.full(10, 0.25), grid)
    assert h == pytest.approx(0.01)
    assert area(grid, density) == pytest.approx(1, abs=0.002)
    assert grid[density.argmax()] == pytest.approx(0.25, abs=0.011)


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
    found = direction_density(5 * coordinate(3, 2), omega, before, what="here")
    now, assigned = found.curves
    assert (now.name, now.when, assigned.when, found.what) == ("ω", "now", "assigned", "here")
    assert np.abs(now.values - stats.norm.pdf(found.grid, scale=2)).max() < 0.015
    assert np.abs(assigned.values - stats.norm.pdf(found.grid)).max() < 0.03
    assert now.outside < 0.01


def test_only_the_frequencies_of_now_are_weighted():
    """Weights exp(−3ω²/2) turn a standard Gaussian into one of half its scale."""
    omega = rng.normal(size=(1, 40_000))
    q = np.exp(-1.5 * omega[0] ** 2)
    for found, law in (
        (direction_density([1.0], omega, omega, weights=q), stats.norm),
        (length_density(omega, omega, weights=q), stats.halfnorm),
    ):
        now, assigned = found.curves
        assert np.abs(now.values - law.pdf(found.grid, scale=0.5)).max() < 0.06
        assert np.abs(assigned.values - law.pdf(found.grid)).max() < 0.03


def test_both_frequencies_of_a_nonstationary_map_are_there():
    four = [rng.normal(size=(2, 50)) for _ in range(4)]
    found = direction_density([1, 1], *four)
    assert [(c.name, c.when) for c in found.curves] == [
        ("ω", "now"),
        ("ω'", "now"),
        ("ω", "assigned"),
        ("ω'", "assigned"),
    ]
    # omega and initial come first in the arguments, omega' and its initial after
    alone = direction_density([1, 1], four[2], four[3])
    low, high = found.grid[0], found.grid[-1]
    assert low <= alone.grid[0] + 1
    assert high >= alone.grid[-1] - 1


def test_length_of_gaussian_frequencies_is_chi():
    omega = rng.normal(size=(1, 30_000))  # d = 1: half of a Gaussian's mass would leak below 0
    found = length_density(omega, omega)
    assert found.grid[0] == 0
    assert np.abs(found.curves[0].values - stats.chi.pdf(found.grid, 1)).max() < 0.03
    wide = rng.normal(size=(9, 30_000))
    found = length_density(wide, wide)
    assert np.abs(found.curves[0].values - stats.chi.pdf(found.grid, 9)).max() < 0.02


def test_what_has_changed_is_the_difference_of_the_densities():
    start, later = rng.normal(size=(1, 20_000)), 3 + rng.normal(size=(1, 20_000))
    now, then = (direction_density([1.0], each, start) for each in (later, start))
    found = density_change(now, then)
    expected = stats.norm.pdf(found.grid, 3) - stats.norm.pdf(found.grid)
    assert np.abs(found.values[0] - expected).max() < 0.02
    # Half of ∫|now − then| of two Gaussians three deviations apart is 2Φ(3/2) − 1.
    assert found.moved[0] == pytest.approx(2 * stats.norm.cdf(1.5) - 1, abs=0.01)
    assert (found.names, found.what) == (("ω",), "")
    same = density_change(now, now)
    assert not same.values[0].any()
    assert same.moved == (0.0,)


@pytest.mark.parametrize("d", [4, 300])
def test_principal_directions_of_anisotropic_frequencies(d):
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    lengths = np.ones(d)
    lengths[:3] = 12, 8, 5
    omega = rotation @ (lengths[:, None] * rng.normal(size=(d, 3000)))
    found = principal_directions(omega, 3)
    assert found.T @ found == pytest.approx(np.eye(3), abs=1e-5)
    assert np.abs((found * rotation[:, :3]).sum(axis=0)) == pytest.approx(np.ones(3), abs=0.03)
    assert (found[np.abs(found).argmax(axis=0), range(3)] > 0).all()


def test_many_inputs_give_the_eigenvectors_of_the_second_moment():
    omega = np.linspace(3, 1, 250)[:, None] * rng.normal(size=(250, 600))
    omega[:2] *= 4
    values, vectors = np.linalg.eigh(omega @ omega.T)
    found = principal_directions(omega, 1)[:, 0]
    assert found @ omega @ omega.T @ found == pytest.approx(values[-1], rel=1e-3)
    assert abs(found @ vectors[:, -1]) > 0.98


def test_fewer_inputs_than_directions():
    assert principal_directions(rng.normal(size=(2, 9)), 3).shape == (2, 2)


def test_mistakes_are_sentences():
    with pytest.raises(OptionError, match="from 0 to 2"):
        coordinate(3, 3)
    with pytest.raises(OptionError, match="direction must have a length"):
        direction_density([0, 0], np.ones((2, 5)), np.ones((2, 5)))

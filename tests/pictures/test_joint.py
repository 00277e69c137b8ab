"""The joint density of pairs and ν against closed forms, and their figures."""

import numpy as np
import pytest
import torch
from drawn import same
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from kernlab.errors import OptionError
from kernlab.feature_maps import FEATURE_MAPS
from kernlab.pictures.directions import coordinate
from kernlab.pictures.joint import (
    joint_change,
    joint_density,
    kde2,
    mass_levels,
    plot_joint,
    plot_joint_change,
    plot_joint_surface,
)
from kernlab.pictures.selection import cloud
from kernlab.pictures.spectrum import Spectrum, nonstationarity
from kernlab.pictures.theme import GREEN

rng = np.random.default_rng(1)
wide = rng.normal(size=(6, 20_000))
other = rng.normal(size=(6, 20_000))


def test_nonstationarity_of_known_densities():
    assert nonstationarity(wide, wide) == 0
    assert nonstationarity(wide, other) == pytest.approx(0.5, abs=0.01)
    assert nonstationarity(wide, -wide) == pytest.approx(1)
    assert nonstationarity(np.zeros((2, 3)), np.zeros((2, 3))) == 0
    far = np.float32(1e25) * wide.astype(np.float32)  # training that ran away: squares do not fit into float32
    assert nonstationarity(far, -far) == pytest.approx(1)


@settings(max_examples=20)
@given(st.floats(-1, 1))
def test_nonstationarity_of_correlated_gaussians_is_half_of_one_minus_rho(rho):
    partner = rho * wide + np.sqrt(1 - rho**2) * other
    assert nonstationarity(wide, partner) == pytest.approx((1 - rho) / 2, abs=0.01)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=1, max_size=20))
def test_nonstationarity_is_a_share(pairs):
    first, second = np.array(pairs).T
    assert 0 <= nonstationarity(first, second) <= 1 + 1e-12


@settings(max_examples=25)
@given(st.integers(1, 5), st.integers(1, 30), st.floats(1e-3, 1e3), st.integers(0, 999))
def test_nonstationarity_ignores_rotation_and_scale(d, count, scale, seed):
    draws = np.random.default_rng(seed)
    first, second = draws.standard_cauchy((2, d, count))
    rotation = np.linalg.qr(draws.normal(size=(d, d)))[0]
    found = nonstationarity(first, second)
    assert nonstationarity(scale * rotation @ first, scale * rotation @ second) == pytest.approx(found, abs=1e-9)
    assert nonstationarity(second, first) == pytest.approx(found, abs=1e-12)
    assert nonstationarity(first, -second) == pytest.approx(1 - found, abs=1e-9)
    # Of all inputs it is the mean of each one's own, weighted by their mean squares.
    squares = (first**2 + second**2).sum(axis=1)
    each = [nonstationarity(a, b) for a, b in zip(first, second, strict=True)]
    assert squares @ each / squares.sum() == pytest.approx(found, abs=1e-9)


def test_nonstationarity_of_independent_draws_is_one_half_even_without_moments():
    draws = np.random.default_rng(2).standard_cauchy((2, 4000, 3, 10))
    found = [nonstationarity(first, second) for first, second in zip(*draws, strict=True)]
    assert np.mean(found) == pytest.approx(0.5, abs=4 * np.std(found) / np.sqrt(4000))
    assert 0.01 < np.std(found) < 0.2
    one = np.random.default_rng(3).standard_cauchy((2, 200_000))
    assert nonstationarity(*one) == pytest.approx(0.5, abs=0.01)


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(1, 50), st.integers(0, 999))
def test_nonstationarity_is_the_fall_of_the_kernels_diagonal(d, count, seed):
    """2ν = −Δk(x, x) at the origin over the mean square of all frequencies; k(x, x) is that of paired features."""
    draws = np.random.default_rng(seed)
    omega = draws.normal(size=(d, 2, count))
    features = FEATURE_MAPS["nonstationary"](n_features=2 * count, frequency_scale=1.0, phase="paired")

    def diagonal(X):
        return features.apply({"omega": torch.tensor(omega)}, torch.tensor(X)).pow(2).sum(1).numpy()

    step = 1e-3
    ends = step * np.eye(d)
    laplacian = (diagonal(ends) + diagonal(-ends) - 2 * diagonal(np.zeros((1, d)))).sum() / step**2
    mean_square = (omega**2).sum() / (2 * count)
    assert nonstationarity(omega[:, 0], omega[:, 1]) == pytest.approx(-laplacian / (2 * mean_square), abs=1e-4)


def test_what_has_changed_is_the_difference_of_the_densities():
    now = joint_density(coordinate(6, 1), wide, wide, wide, other)
    then = joint_density(coordinate(6, 1), 2 * wide, other, 2 * wide, other)  # on a wider grid
    found = joint_change(now, then)
    normal = stats.multivariate_normal([0, 0], np.diag([4.0, 1.0]))
    expected = now.now - normal.pdf(np.stack(np.meshgrid(now.grid, now.grid), -1))
    assert np.abs(found.values - expected).max() < 0.02
    assert (found.along, found.along_then) == (now.along, then.along)
    assert found.limit == pytest.approx(np.abs(found.values).max())
    assert not joint_change(now, now).values.any()


def test_a_change_is_seen_on_one_grid():
    u, start, later = coordinate(6, 1), (wide, other), (1.5 * wide, other)
    now = joint_density(u, *later, *start, beside=start)
    then = joint_density(u, *start, *start, beside=later)
    np.testing.assert_array_equal(now.grid, then.grid)
    np.testing.assert_array_equal(joint_change(now, then).values, now.now - then.now)


def test_density_of_a_correlated_gaussian_rows_are_omega_prime():
    cov = np.array([[1.0, 0.6], [0.6, 2.0]])
    first, second = rng.multivariate_normal([0, 0.5], cov, 60_000).T
    grid = np.linspace(-6, 6, 64)
    found = kde2(first, second, grid)
    true = stats.multivariate_normal([0, 0.5], cov).pdf(np.stack(np.meshgrid(grid, grid), -1))
    assert np.abs(found - true).max() < 0.08 * true.max()
    assert found.sum() * (grid[1] - grid[0]) ** 2 == pytest.approx(1, abs=0.01)


def test_stationary_mass_stays_on_the_diagonal():
    sample = rng.normal(size=2000)
    found = kde2(sample, sample, np.linspace(-4, 4, 64))
    rows, columns = np.indices(found.shape)
    assert found[np.abs(rows - columns) > 4].sum() < 0.01 * found.sum()


def test_one_pair_and_none():
    grid = np.linspace(-1, 1, 64)
    assert kde2([0.5], [-0.5], grid).sum() * (grid[1] - grid[0]) ** 2 == pytest.approx(1, abs=0.02)
    assert not kde2([9.0], [9.0], grid).any()


def test_levels_hold_their_share_of_the_mass():
    density = np.array([[4.0, 3.0], [2.0, 1.0]])
    assert mass_levels(density) == (2.0, 3.0)  # 4+3+2 = 90 %; 4 alone is only 40 %
    gauss = stats.multivariate_normal([0, 0]).pdf(np.stack(np.meshgrid(*[np.linspace(-5, 5, 200)] * 2), -1))
    assert mass_levels(gauss)[1] == pytest.approx(0.5 / (2 * np.pi), rel=0.01)  # half lies within r² = 2 log 2


def test_joint_density_names_the_numbers():
    partner = 0.8 * wide + 0.6 * other
    partner[0] = wide[0]
    found = joint_density(3 * coordinate(6, 0), wide, partner, wide, other, what="x₁")
    assert found.along == 0
    assert found.total == pytest.approx(0.1 * 5 / 6, abs=0.01)
    assert found.now.shape == found.assigned.shape == (64, 64)
    assert found.levels[0] < found.levels[1]


def test_a_direction_without_length_is_a_sentence():
    with pytest.raises(OptionError, match="length above 0"):
        joint_density(np.zeros(6), wide, other, wide, other)


LINE = coordinate(6, 0)
NOW, THEN = Spectrum(wide[:, :2000], other[:, :2000]), Spectrum(other[:, :2000], wide[:, :2000])
JOINT, START = (joint_density(LINE, *each.both, *THEN.both, what="here") for each in (NOW, THEN))


def test_the_figure_has_the_density_the_assigned_levels_and_the_diagonal():
    now, outer, inner, diagonal = plot_joint(JOINT).data
    same(now, x=JOINT.grid, y=JOINT.grid, z=JOINT.now)
    same(outer, z=JOINT.assigned)
    assert (outer.contours.value, inner.contours.value) == JOINT.levels
    same(diagonal, x=diagonal.y)
    assert f"ν = {JOINT.along:.2f}" in plot_joint(JOINT).layout.title.subtitle.text
    assert plot_joint(JOINT).layout.uirevision != plot_joint(JOINT._replace(what="elsewhere")).layout.uirevision


def test_pairs_over_the_joint_density_carry_their_numbers():
    drawn = cloud(LINE, NOW, [3, 77, 1999])
    figure = plot_joint(JOINT, drawn)
    traces = {trace.name: trace for trace in figure.data}
    marked = np.isin(drawn.places, [3, 77, 1999])
    same(traces["pairs"], x=drawn.x[~marked], y=drawn.y[~marked], customdata=drawn.places[~marked])
    same(traces["selected"], customdata=[3, 77, 1999])
    assert traces["selected"].marker.color == GREEN
    assert f"{len(drawn.x)} of 2000 pairs drawn" in figure.layout.title.subtitle.text
    assert (figure.layout.dragmode, figure.layout.selections) == ("select", ())
    unmarked = plot_joint(JOINT, cloud(LINE, NOW))
    assert "selected" not in [trace.name for trace in unmarked.data]
    low, high = float(JOINT.grid[0]), float(JOINT.grid[-1])
    assert unmarked.layout.xaxis.range == (low, high)  # points far out do not shrink the density


def test_the_surface_is_the_density_with_a_line_over_the_diagonal():
    surface, line = plot_joint_surface(JOINT).data
    same(surface, x=JOINT.grid, y=JOINT.grid, z=JOINT.now)
    same(line, x=JOINT.grid, y=JOINT.grid, z=np.diagonal(JOINT.now))


def test_the_figure_of_a_change_is_centred_on_zero():
    figure = plot_joint_change(joint_change(JOINT, START), "step 3")
    same(figure.data[0], z=joint_change(JOINT, START).values)
    assert figure.data[0].zmin == -figure.data[0].zmax
    assert f"since step 3: ν {START.along:.3f} → {JOINT.along:.3f}" in figure.layout.title.subtitle.text

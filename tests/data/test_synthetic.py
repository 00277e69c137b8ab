"""Generators follow their formula where the noise is 0, and their seed always."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.data import SOURCES, fingerprint, known, load
from kernlab.data.synthetic import gaussian_kernel, gibbs_kernel
from kernlab.errors import OptionError, UnknownNameError
from kernlab.options import options_of

GENERATED = [name for name, source in SOURCES.items() if source.group == "generated"]


@pytest.mark.parametrize("name", GENERATED)
def test_same_seed_same_numbers(name):
    first, again, other = (load(name, n_samples=60, data_seed=seed) for seed in (5, 5, 6))
    assert fingerprint(first) == fingerprint(again) != fingerprint(other)
    assert first.n == 60
    assert first.n_outputs == (len(np.unique(first.y)) if first.task == "classification" else first.y.shape[1])


@pytest.mark.parametrize("name", GENERATED)
def test_noise_moves_the_same_points_by_its_size(name):
    clean, noisy = load(name, n_samples=4000, noise=0), load(name, n_samples=4000, noise=0.3)
    if clean.task == "classification":
        np.testing.assert_array_equal(clean.y, noisy.y)
        moved = noisy.X - clean.X
    else:
        np.testing.assert_array_equal(clean.X, noisy.X)
        moved = noisy.y - clean.y
    assert moved.std() == pytest.approx(0.3, rel=0.05)
    assert abs(moved.mean()) < 0.02


@pytest.mark.parametrize("name", GENERATED)
def test_lists_show_the_shape_without_loading(name):
    entry, data = next(each for each in known() if each.name == name), load(name)
    classes = data.n_outputs if data.task == "classification" else None
    assert entry[1:7] == (data.task, "generated", data.n, data.d, classes, data.description)


def test_moons_lie_on_their_half_circles():
    data = load("moons", noise=0)
    x, y = data.X.T.astype(float)
    radius = np.where(data.y == 0, np.hypot(x, y), np.hypot(x - 1, y - 0.5))
    np.testing.assert_allclose(radius, 1, atol=1e-6)
    assert np.all(np.where(data.y == 0, y > -1e-6, y < 0.5 + 1e-6))


def test_circles_have_their_radii():
    data = load("circles", noise=0, factor=0.3)
    np.testing.assert_allclose(np.linalg.norm(data.X, axis=1), np.where(data.y == 0, 1, 0.3), atol=1e-6)


@given(arms=st.integers(2, 6), turns=st.floats(0.5, 3))
@settings(max_examples=20)
def test_spirals_follow_their_formula(arms, turns):
    data = load("spirals", noise=0, arms=arms, turns=turns, n_samples=200)
    x, y = data.X.T.astype(float)
    expected = 2 * np.pi * (turns * np.hypot(x, y) + data.y / arms)
    far = np.hypot(x, y) > 0.05  # the angle of a point at the centre is rounding
    np.testing.assert_allclose(np.cos(np.arctan2(y, x) - expected)[far], 1, atol=1e-6)
    assert data.n_outputs == arms


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_xor_is_the_sign_of_the_product(seed):
    data = load("xor", noise=0, data_seed=seed, n_samples=300)
    np.testing.assert_array_equal(data.y, data.X.astype(float).prod(axis=1) > 0)


@given(cells=st.integers(2, 12), seed=st.integers(0, 1000))
@settings(max_examples=30)
def test_checkerboard_colours_by_parity(cells, seed):
    data = load("checkerboard", noise=0, cells=cells, data_seed=seed, n_samples=500)
    row, column = np.floor(cells * (data.X.T.astype(float) + 1) / 2)
    np.testing.assert_array_equal(data.y, (row + column) % 2)
    assert 0 <= row.min() <= row.max() <= cells - 1 or cells == 1


@given(dimension=st.integers(1, 50), seed=st.integers(0, 1000))
@settings(max_examples=30)
def test_shell_is_the_sign_of_norm_minus_root_d(dimension, seed):
    data = load("shell", noise=0, dimension=dimension, data_seed=seed, n_samples=400)
    side = np.sign(np.linalg.norm(data.X.astype(float), axis=1) - np.sqrt(dimension))
    np.testing.assert_array_equal(2 * data.y - 1, side)
    assert data.d == dimension


@given(dimension=st.integers(1, 40), relevant=st.floats(0.05, 1), faint=st.floats(0, 2), seed=st.integers(0, 1000))
@settings(max_examples=30)
def test_halfspace_is_the_side_of_its_plane(dimension, relevant, faint, seed):
    options = {"dimension": dimension, "relevant": relevant, "faint": faint, "data_seed": seed, "n_samples": 300}
    data = load("halfspace", noise=0, **options)
    w = SOURCES["halfspace"].build(**options).normal(np.random.default_rng(seed))
    np.testing.assert_array_equal(data.y, (data.X.astype(float) * w).sum(axis=1) > 0)
    assert (w[: int(np.ceil(round(relevant * dimension, 9)))] == 1).all()
    assert np.abs(w).sum() <= dimension * (1 + 5 * faint)


def test_few_inputs_of_the_halfspace_decide():
    data = load("halfspace", n_samples=5000, dimension=100, faint=0.05)
    pull = np.abs(np.corrcoef(data.X.T, data.y)[-1, :-1])
    assert pull[:10].min() > 3 * pull[10:].max()


def test_blobs_spread_around_their_centres():
    data = load("blobs", n_samples=9000, noise=0.5, centers=3, dimension=4)
    centres = load("blobs", n_samples=9000, noise=0, centers=3, dimension=4).X[:3]
    for k in range(3):
        cloud = data.X[data.y == k]
        np.testing.assert_allclose(cloud.mean(axis=0), centres[k], atol=0.05)
        np.testing.assert_allclose(np.cov(cloud.T), 0.25 * np.eye(4), atol=0.03)


def test_one_dimensional_functions():
    def curve(name, **options):
        data = load(name, noise=0, **options)
        assert data.X.min() >= 0
        assert data.X.max() <= 1
        return data.X.astype(float), data.y

    x, y = curve("chirp", start_frequency=2, end_frequency=7)
    np.testing.assert_allclose(y, np.sin(2 * np.pi * (2 * x + 2.5 * x**2)), atol=1e-12)
    x, y = curve("step", location=0.25)
    np.testing.assert_array_equal(y, np.sign(x - 0.25))
    x, y = curve("sines", terms=2)
    np.testing.assert_allclose(y, np.sin(2 * np.pi * x) + np.sin(8 * np.pi * x) / 2, atol=1e-12)
    x, y = curve("lissajous", horizontal=1, vertical=4)
    np.testing.assert_allclose(y, np.hstack([np.sin(2 * np.pi * x), np.cos(8 * np.pi * x)]), atol=1e-12)


def test_chirp_frequency_grows():
    data = load("chirp", noise=0, n_samples=20_000)
    order = np.argsort(data.X[:, 0])
    x, up = data.X[order, 0], data.y[order, 0] > 0
    crossings = x[1:][up[1:] != up[:-1]]
    assert (crossings > 0.5).sum() > 2 * (crossings < 0.5).sum()


@pytest.mark.parametrize(
    ("name", "options", "kernel"),
    [
        ("gp_stationary", {"lengthscale": 0.2}, lambda a, b: gaussian_kernel(a, b, 0.2)),
        (
            "gp_nonstationary",
            {"lengthscale_left": 0.5, "lengthscale_right": 0.05},
            lambda a, b: gibbs_kernel(a, b, 0.5, 0.05),
        ),
    ],
)
def test_draws_have_the_kernel_as_covariance(name, options, kernel, monkeypatch):
    """Mean of f(x) f(x') over draws is k(x, x'): 400 draws leave an error of about √(2/400) = 0.07."""
    points = np.array([0.1, 0.3, 0.5, 0.9, 0.95])
    source, cholesky, factors = SOURCES[name].build(n_samples=1000, **options), np.linalg.cholesky, []

    def factor(matrix):  # of all draws: their kernel is the same
        if not factors:
            factors.append(cholesky(matrix))
        return factors[0]

    monkeypatch.setattr(np.linalg, "cholesky", factor)
    values = []
    for seed in range(400):
        X, y = source.draw(np.random.default_rng(seed))
        values.append(y[np.abs(X - points).argmin(axis=0), 0])
    values = np.array(values)
    np.testing.assert_allclose(values.mean(axis=0), 0, atol=0.2)
    np.testing.assert_allclose(values.T @ values / 400, kernel(points, points), atol=0.22)


def test_kernels_match_their_formulas():
    a, b = np.array([0.0, 1.0]), np.array([0.5])
    np.testing.assert_allclose(gaussian_kernel(a, b, 0.5), np.exp([[-0.5], [-0.5]]))
    # ℓ(0) = 1, ℓ(½) = ½, ℓ(1) = ¼
    expected = [[np.sqrt(1 / 1.25) * np.exp(-0.25 / 1.25)], [np.sqrt(0.25 / 0.3125) * np.exp(-0.25 / 0.3125)]]
    np.testing.assert_allclose(gibbs_kernel(a, b, 1.0, 0.25), expected)
    # Equal length-scales at both ends: Gibbs's kernel is the Gaussian one.
    np.testing.assert_allclose(gibbs_kernel(a, b, 0.3, 0.3), gaussian_kernel(a, b, 0.3))


def test_more_rows_show_the_same_function():
    few, many = (load("gp_nonstationary", noise=0, n_samples=n) for n in (100, 5000))
    order = np.argsort(many.X[:, 0])
    np.testing.assert_allclose(np.interp(few.X[:, 0], many.X[order, 0], many.y[order, 0]), few.y[:, 0], atol=2e-2)


@pytest.mark.parametrize("name", GENERATED)
def test_options_explain_themselves(name):
    assert all(each.help.endswith(".") for each in options_of(SOURCES[name]).values())
    assert SOURCES[name].formula
    assert SOURCES[name].title


def test_bad_options():
    with pytest.raises(UnknownNameError, match=r"option of moons.*Did you mean noise\?"):
        load("moons", nose=1)
    with pytest.raises(OptionError, match="n_samples must be a whole number from 20"):
        load("moons", n_samples=3)
    with pytest.raises(OptionError, match="noise"):
        load("moons", noise=float("nan"))
    with pytest.raises(OptionError, match="flat"):
        load("chirp", start_frequency=0, end_frequency=0)

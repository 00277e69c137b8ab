"""The kernel around a point, in the plane of the sample, and the figures of both."""

import numpy as np
import pytest
from drawn import keeps_promises

from kernlab.pictures.kernel_around import kernel_profile, kernel_surface, plot_kernel_profile, plot_kernel_surface
from kernlab.pictures.sample_plane import plot_sample, sample_plane, sample_view

rng = np.random.default_rng(0)


def bump(A, B):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(2) / 2)


@pytest.mark.parametrize("d", [3, 9])
def test_the_plane_is_that_of_the_principal_components(d):
    X = rng.normal(size=(50, d)) * np.arange(d, 0, -1)
    plane = sample_plane(X)
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))
    assert plane.share == pytest.approx(values[-2:].sum() / values.sum())
    assert abs(plane.directions @ vectors[:, ::-1][:, :2]) == pytest.approx(np.eye(2), abs=1e-9)
    np.testing.assert_allclose(plane.place(X), plane.coordinates)
    np.testing.assert_allclose(plane.coordinates.mean(0), 0, atol=1e-12)


def test_few_inputs_keep_their_units():
    X = rng.normal(size=(20, 2))
    plane = sample_plane(X, ["height"], center=[10.0, 20.0], scale=[2.0, 5.0])
    assert plane.axes == ("height", "input 2")
    np.testing.assert_allclose(plane.coordinates, X * [2, 5] + [10, 20])
    np.testing.assert_allclose(plane.moved(X[3], [[12.0, 30.0]]), [[1.0, 2.0]])


@pytest.mark.parametrize("d", [1, 2, 5])
def test_moved_points_have_the_wanted_coordinates(d):
    X = rng.normal(size=(20, d))
    plane = sample_plane(X, center=np.ones(d), scale=np.full(d, 3.0))
    to = rng.normal(size=(7, min(d, 2)))
    moved = plane.moved(X[4], to)
    np.testing.assert_allclose(plane.place(moved), to, atol=1e-12)
    # Coordinates beyond the plane are those of x₀.
    rest = np.eye(d) - plane.directions.T @ plane.directions
    np.testing.assert_allclose((moved - X[4]) @ rest, 0, atol=1e-12)


def test_a_single_row_still_has_a_plane():
    plane = sample_plane([[1.0, 2.0, 3.0]])
    assert plane.directions @ plane.directions.T == pytest.approx(np.eye(2), abs=1e-9)
    low, high = plane.span(0)
    assert low < high


def test_a_gaussian_profile_is_a_bell_around_its_point():
    X = rng.normal(size=(30, 1))
    plane = sample_plane(X, ["x"], center=[5.0], scale=[2.0])
    view = kernel_profile({"now": bump, "twice": lambda A, B: 2 * bump(A, B)}, X, 7, plane)
    assert view.at == pytest.approx(5 + 2 * X[7, 0])
    np.testing.assert_allclose(view.values[0], np.exp(-(((view.x - view.at) / 2) ** 2) / 2), rtol=1e-5)
    np.testing.assert_allclose(view.values[1], 2 * view.values[0], rtol=1e-6)
    assert view.own == pytest.approx((1, 2))
    assert not view.relative
    assert (view.axis, view.names, view.row) == ("x", ("now", "twice"), 7)


def test_kernels_of_very_different_size_are_compared_in_shape():
    X = rng.normal(size=(30, 1))
    view = kernel_profile({"now": bump, "large": lambda A, B: 3000 * bump(A, B)}, X, 7, sample_plane(X))
    assert view.relative
    assert view.own == pytest.approx((1, 3000))
    np.testing.assert_allclose(view.values[1], view.values[0], rtol=1e-6)
    assert view.values.max() == pytest.approx(1, abs=1e-3)
    assert "divided by k(x₀, x₀) = 1 now, 3\u202f000 large" in plot_kernel_profile(view).layout.title.subtitle.text


@pytest.mark.parametrize("d", [2, 6])
def test_a_gaussian_surface_depends_on_the_distance_in_the_plane(d):
    X = rng.normal(size=(30, d))
    plane = sample_plane(X)
    view = kernel_surface("now", bump, X, 4, plane, np.arange(30) % 2, ("a", "b"))
    u, v = np.meshgrid(view.x - view.at[0], view.y - view.at[1])
    np.testing.assert_allclose(view.values, np.exp(-(u**2 + v**2) / 2), rtol=1e-4, atol=1e-7)
    assert view.own == pytest.approx(1)
    assert view.at == pytest.approx(tuple(plane.coordinates[4]))
    assert view.points.shape == (30, 2)
    assert view.codes.tolist() == [0, 1] * 15


def test_the_sample_as_points():
    X = rng.normal(size=(20, 1))
    y = rng.normal(size=20)
    view = sample_view(sample_plane(X, ["x"]), y, np.ones(20), [3, 50], target="height")
    assert view.selected == (3,)
    assert view.axes == ("x", "height")
    np.testing.assert_allclose(view.y, y, rtol=1e-6)
    plane = sample_plane(rng.normal(size=(20, 4)))
    view = sample_view(plane, np.arange(20) % 2, np.ones(20), classes=("a", "b"))
    np.testing.assert_allclose(np.column_stack([view.x, view.y]), plane.coordinates, rtol=1e-5)


CODES = np.repeat([0, 1, 2], [100, 30, 110])
X = rng.normal(size=(240, 5))
PLANE = sample_plane(X)


def wave(A, B):
    return np.cos((A[:, None] - B[None]).sum(2))


def test_below_zero_a_surface_is_warm():
    figures = [
        plot_kernel_surface(kernel_surface("now", bump, X, 3, PLANE, CODES, ("a", "b", "c"))),
        plot_kernel_surface(kernel_surface("now", wave, X, 3, PLANE)),
    ]
    for figure in figures:
        keeps_promises(figure)
    plain, signed = (figure.data[0] for figure in figures)
    assert plain.zmin == 0
    assert signed.zmin == -signed.zmax
    clouds = [trace for trace in figures[0].data if trace.name in "abc"]
    assert sorted(place for cloud in clouds for place in cloud.customdata) == list(range(240))
    curves = plot_kernel_profile(kernel_profile({"now": bump, "exact": wave}, X, 3, PLANE))
    keeps_promises(curves)
    assert [trace.name for trace in curves.data] == ["now", "exact"]
    assert curves.layout.shapes[0].x0 == pytest.approx(PLANE.coordinates[3, 0])


def test_points_of_the_sample_carry_their_row_and_the_selected_ones_a_ring():
    diagonal = rng.random(240)
    figure = plot_sample(sample_view(PLANE, CODES, diagonal, [5, 7], classes=("a", "b", "c")))
    keeps_promises(figure)
    clouds = [trace for trace in figure.data if trace.name in "abc"]
    assert sorted(place for cloud in clouds for place in cloud.customdata) == list(range(240))
    assert clouds[0].text[5] == f"{diagonal[5]:.4g}"
    ring = figure.data[-1]
    assert ring.name == "selected"
    np.testing.assert_allclose(ring.x, PLANE.coordinates[[5, 7], 0], rtol=1e-6)
    targets = plot_sample(sample_view(sample_plane(X[:, :1]), X[:, 0], diagonal))
    keeps_promises(targets)
    assert targets.data[-1].name == "sample"

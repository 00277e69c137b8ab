"""Random functions, class balance and the data: what is drawn before anything is trained."""

import numpy as np
import pytest
from drawn import keeps_promises
from sklearn.metrics.pairwise import rbf_kernel

from kernlab.pictures.balance import class_balance, plot_balance, target_distribution
from kernlab.pictures.draws import draws, plot_draws, symmetric_root
from kernlab.pictures.examples import plot_examples
from kernlab.pictures.mosaic import mosaic
from kernlab.pictures.sample_plane import sample_plane

rng = np.random.default_rng(0)


def test_the_root_of_a_matrix_is_symmetric_and_its_square_the_matrix():
    A = rng.normal(size=(30, 12))
    K = A @ A.T  # of rank 12: some eigenvalues are rounded below 0
    R = symmetric_root(K)
    np.testing.assert_allclose(R, R.T, atol=1e-10)
    np.testing.assert_allclose(R @ R, K, atol=1e-9)
    assert np.linalg.eigvalsh(R).min() > -1e-9


@pytest.mark.parametrize("d", [1, 2, 5])
def test_random_functions_have_the_kernel_as_their_covariance(d):
    X = rng.normal(size=(40, d))
    plane = sample_plane(X)
    view = draws(lambda A, B: rbf_kernel(A, B, gamma=0.7), X, plane, count=20_000)
    points = plane.moved(X.mean(0), view.x[:, None])
    expected = rbf_kernel(points, points, gamma=0.7)
    # Of 20 000 functions a covariance of at most 1 has a standard error of at most √2/√20 000 = 0.01.
    assert np.abs(np.cov(view.values.T) - expected).max() < 0.05
    assert view.bound == pytest.approx(2.0)
    keeps_promises(plot_draws(draws(rbf_kernel, X, plane)))


def test_functions_move_continuously_with_the_kernel():
    X = rng.normal(size=(20, 2))
    plane = sample_plane(X)
    first, second = (draws(lambda A, B, g=g: rbf_kernel(A, B, gamma=g), X, plane).values for g in (0.5, 0.5005))
    assert 0 < np.abs(first - second).max() < 0.02


def test_classes_are_counted_and_a_target_is_distributed():
    view = class_balance([30, 10], ["no", "yes"])
    assert view.largest == 0.75
    assert plot_balance(view).data[0].y.tolist() == [30, 10]
    assert "75%" in plot_balance(view).layout.title.subtitle.text
    long = plot_balance(class_balance([3, 1, 1], ["very damp grey soil", "very damp green soil", "soil"]))
    assert len(set(long.data[0].x)) == 3  # two names that are cut alike have a bar each
    assert list(long.layout.xaxis.ticktext) == ["very damp g…", "very damp g…", "soil"]
    target = target_distribution(np.arange(48.0), "height")
    assert target.counts.tolist() == [2] * 24
    assert plot_balance(target).layout.xaxis.title.text == "height"


def test_pictures_stand_in_their_order():
    pictures = np.stack([np.full(6, number) for number in range(4)], axis=1)
    drawn = plot_examples(mosaic(pictures, (2, 3), range(4), count=4))
    assert drawn.data[0].z[0, [0, 4]].tolist() == [0, 1]
    assert drawn.data[0].z[3, [0, 4]].tolist() == [2, 3]

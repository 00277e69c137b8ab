"""The four pictures that explain: their numbers are those of the kernel, its frequencies and its bound."""

import numpy as np
from scipy.stats import gaussian_kde

from kernlab.pictures.explained import SIDE, similarity, waves
from kernlab.pictures.sample_plane import sample_plane


def gaussian(X, Z):
    return 3 * np.exp(-((X[:, None] - Z[None]) ** 2).sum(-1))


def test_similarity_is_the_kernel_around_the_middle_of_the_sample():
    X = np.random.default_rng(0).uniform(-1, 1, (40, 2))
    plane = sample_plane(X)
    found = similarity(gaussian, X, plane)
    middle = X[np.argmin(((X - X.mean(0)) ** 2).sum(1))]
    np.testing.assert_allclose(found.at, middle, atol=1e-6)
    for i, j in ((0, 0), (3, 20), (SIDE - 1, 7)):
        expected = np.exp(-((found.x[j] - middle[0]) ** 2) - (found.y[i] - middle[1]) ** 2)
        np.testing.assert_allclose(found.values[i, j], expected, rtol=1e-4)
    assert found.points.shape == X.shape


def test_waves_are_a_density_without_signs():
    generator = np.random.default_rng(1)
    before, now = generator.normal(0, 1, 4000), generator.normal(3, 0.5, 4000)
    found = waves(now, before)
    assert found.x[0] == 0
    for values, sample in ((found.before, before), (found.now, now)):
        assert abs(np.trapezoid(values, found.x) - 1) < 0.03
        smooth = gaussian_kde(np.concatenate([sample, -sample]))
        np.testing.assert_allclose(values, 2 * smooth(found.x), atol=0.12 * values.max())
    assert found.x[found.now.argmax()] > 2.5 > 0.5 > found.x[found.before.argmax()]

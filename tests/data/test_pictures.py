"""Pictures are told from the numbers: smooth random pictures are found, look-alikes are not."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from kernlab.data.pictures import picture_shape

RNG = np.random.default_rng(0)


def smooth(n, side):
    """Random pictures with soft edges, darkest value 0 everywhere."""
    return np.maximum(gaussian_filter(RNG.standard_normal((n, side, side)), (0, 1, 1)), 0).reshape(n, -1)


@pytest.mark.parametrize("side", [8, 11, 16, 28])
def test_smooth_pictures_are_found(side):
    assert picture_shape(smooth(300, side).astype(np.float32)) == (side, side)


def series(n, d):
    phase = RNG.uniform(0, 2 * np.pi, (n, 1))
    return np.sin(3 * 2 * np.pi * np.arange(d) / d + phase) + 0.1 * RNG.standard_normal((n, d))


@pytest.mark.parametrize(
    "table",
    [
        RNG.standard_normal((300, 64)),
        RNG.integers(0, 2, (300, 256)),
        series(300, 256),
        RNG.standard_normal((300, 256)).cumsum(axis=1),
        smooth(300, 8)[:, RNG.permutation(64)],
        smooth(300, 8) * np.logspace(0, 3, 64) + np.arange(64),
        smooth(300, 8)[:, :63],
        smooth(300, 7),
        RNG.standard_normal((300, 1)) + 0.1 * RNG.standard_normal((300, 64)),
    ],
    ids=["noise", "bits", "wave", "walk", "shuffled", "units", "63", "7x7", "one-factor"],
)
def test_other_tables_are_not(table):
    assert picture_shape(table.astype(np.float32)) is None

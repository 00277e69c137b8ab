import numpy as np
import pytest

from kernlab.pictures.reweighting import feature_weights, weight_mass


def test_weights_fall_and_zeros_are_left_out():
    found = feature_weights([0.25, 0.0, 0.5, 0.25, 0.0], 8)
    assert found.rank.tolist() == [1, 2, 3]
    assert found.q.tolist() == [0.5, 0.25, 0.25]
    assert (found.support, found.candidates, found.uniform) == (3, 8, 0.125)
    assert found.effective == pytest.approx(1 / 0.375)


def test_uniform_weights_lie_on_the_uniform_line_and_are_thinned():
    found = feature_weights(np.full(20_000, 1 / 20_000, np.float32), 20_000)
    assert found.support == 20_000
    assert found.q == pytest.approx(np.full(len(found.q), found.uniform), rel=1e-6)
    assert (found.rank[0], found.rank[-1]) == (1, 20_000)
    assert len(found.rank) <= 1000
    assert found.effective == pytest.approx(20_000)


def test_the_mass_of_the_heaviest():
    found = weight_mass([0.1, 0.2, 0.6, 0.1, 0.0], 10)
    assert found.rank.tolist() == [0, 1, 2, 3, 4]
    assert found.mass == pytest.approx([0, 0.6, 0.8, 0.9, 1.0])
    assert found.marks == ((0.5, 1), (0.9, 3), (0.99, 4))
    assert (found.support, found.candidates) == (4, 10)


def test_the_marks_of_a_thinned_curve_are_exact():
    found = weight_mass(np.full(5000, 1 / 5000, np.float32), 5000)
    assert len(found.rank) <= 1000
    assert found.marks == ((0.5, 2500), (0.9, 4500), (0.99, 4950))
    assert found.mass[-1] == pytest.approx(1)


def test_one_feature_carries_all():
    assert feature_weights([1.0], 3).effective == 1
    assert weight_mass([1.0], 3).marks == ((0.5, 1), (0.9, 1), (0.99, 1))

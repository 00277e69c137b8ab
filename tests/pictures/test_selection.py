import numpy as np
import pytest

from kernlab.errors import OptionError
from kernlab.pictures.selection import CLOUD, cloud, selection
from kernlab.pictures.spectrum import Spectrum

rng = np.random.default_rng(7)


def test_a_cloud_keeps_the_selected_ones():
    omega, other = rng.normal(size=(2, 3, 9000))
    found = cloud([0, 0, 2.0], Spectrum(omega, other), [17, 4, 8123], what="here")
    assert CLOUD <= len(found.places) <= CLOUD + 3
    assert found.places[found.marked].tolist() == [4, 17, 8123]
    assert found.x == pytest.approx(omega[2, found.places], abs=1e-6)
    assert found.y == pytest.approx(other[2, found.places], abs=1e-6)
    assert (found.pairs, found.total, found.what) == (True, 9000, "here")


def test_single_frequencies_are_drawn_against_their_length():
    omega = rng.normal(size=(4, 30))
    found = cloud(np.ones(4), Spectrum(omega))
    assert found.x == pytest.approx(omega.sum(axis=0) / 2)
    assert found.y == pytest.approx(np.linalg.norm(omega, axis=0))
    assert not found.pairs
    assert not len(found.marked)


def test_a_selection_of_pairs():
    omega = np.array([[3.0, 0, 1], [0, 0, 0]])
    other = np.array([[0.0, 0, 1], [4, 0, 0]])
    found = selection([1, 0], Spectrum(omega, other), [0, 2], Spectrum(omega, other + np.array([[0], [2]])))
    assert found.places.tolist() == [0, 2]
    assert found.along.tolist() == [3, 1]
    assert found.along_prime.tolist() == [0, 1]
    assert found.length == pytest.approx([5, np.sqrt(2)])
    assert found.apart.tolist() == [5, 0]
    assert found.moved == pytest.approx([2, 2])
    assert found.share == pytest.approx([1 / 3] * 2)
    assert found.nonstationarity == pytest.approx(25 / (2 * 27))
    assert selection([1, 0], Spectrum(omega, other), [2, 0]).length == pytest.approx([np.sqrt(2), 5])


def test_a_selection_of_weighted_frequencies_of_which_others_were_dropped():
    q = np.array([0.1, 0.9])
    found = selection([1.0], Spectrum(np.array([[1.0, -2]]), weights=q), [1], Spectrum(np.ones((1, 5))))
    assert found.share == pytest.approx([0.9])
    assert (found.moved, found.apart, found.along_prime, found.nonstationarity) == (None,) * 4
    with pytest.raises(OptionError, match="from 0 to 1"):
        selection([1.0], Spectrum(np.ones((1, 2))), [2])
    assert not len(selection([1.0], Spectrum(np.ones((1, 2))), []).places)

import numpy as np
import pytest

from kernlab.errors import OptionError
from kernlab.pictures.spectrum import Spectrum, chosen, distances, lengths, ranked, spectrum_at

rng = np.random.default_rng(4)


def test_a_snapshot_may_keep_more_weights_than_frequencies():
    arrays = {"omega": rng.normal(size=(2, 4)), "q": np.array([1, 1, 2, 4, 8.0]), "omega_initial": np.zeros((2, 5))}
    found = spectrum_at(arrays)
    assert (found.d, found.size) == (2, 4)
    assert found.shares == pytest.approx([0.125, 0.125, 0.25, 0.5])
    assert spectrum_at(arrays, initial=True).shares == pytest.approx([0.2] * 5)
    assert spectrum_at({"landmarks": np.ones((3, 2))}) is None


def test_pairs_have_one_length_and_move_together():
    omega, other = rng.normal(size=(2, 3, 6))
    pairs = Spectrum(omega, other)
    assert lengths(pairs) == pytest.approx(np.linalg.norm(np.vstack([omega, other]), axis=0))
    moved = distances(pairs, Spectrum(omega + 3, other - 4))
    assert moved == pytest.approx(np.full(6, np.sqrt(3 * 9 + 3 * 16)))
    assert distances(pairs, Spectrum(omega)) is None
    assert distances(pairs, Spectrum(omega[:, :4], other[:, :4])) is None


def test_some_of_the_frequencies():
    spectrum = Spectrum(np.arange(8.0).reshape(2, 4), np.zeros((2, 4)), np.array([1, 2, 3, 4.0]))
    found = spectrum.taken([3, 1])
    assert found.omega.tolist() == [[3, 1], [7, 5]]
    assert found.weights.tolist() == [4, 2]
    assert spectrum.along([0, 5.0])[0].tolist() == [4, 5, 6, 7]


def test_selected_places():
    assert chosen([3, 1, 3], 4).tolist() == [1, 3]
    assert not len(chosen([], 4))
    for wrong in ([4], [-1, 2]):
        with pytest.raises(OptionError, match="from 0 to 3"):
            chosen(wrong, 4)


def test_orders():
    start = Spectrum(np.array([[1.0, 2, 3, 4]]))
    now = Spectrum(np.array([[1.0, 7, 3, 5]]), weights=np.array([2.0, 1, 4, 3]))
    for order, places in (
        ("longest", [1, 3, 2, 0]),
        ("most moved", [1, 3, 0, 2]),
        ("heaviest", [2, 3, 0, 1]),
        ("first", [0, 1, 2, 3]),
    ):
        found, said = ranked(now, start, order)
        assert (found.tolist(), said) == (places, order)
    assert ranked(now, start, "longest", [0, 3])[0].tolist() == [3, 0, 1, 2]
    for order in ("most moved", "heaviest"):  # nothing is known of that
        found, said = ranked(start, None, order)
        assert (found.tolist(), said) == ([3, 2, 1, 0], "longest")

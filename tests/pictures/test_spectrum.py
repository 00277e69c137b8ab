"""Frequencies of a moment and the directions along which they are projected."""

import numpy as np
import pytest

from kernlab.errors import OptionError, UnknownNameError
from kernlab.pictures.directions import between_classes, coordinate, principal_directions, read_direction
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
        found, used = ranked(now, start, order)
        assert (found.tolist(), used) == (places, order)
    assert ranked(now, start, "longest", [0, 3])[0].tolist() == [3, 0, 1, 2]
    for order in ("most moved", "heaviest"):  # without an earlier moment, or weights
        found, used = ranked(start, None, order)
        assert (found.tolist(), used) == ([3, 2, 1, 0], "longest")


def test_between_classes_is_the_unit_difference_of_means():
    X = np.array([[0.0, 0], [0, 2], [3, 5], [9, 9]])
    assert between_classes(X, [0, 0, 1, 2], 0, 1) == pytest.approx([3 / 5, 4 / 5])
    with pytest.raises(OptionError, match="must have points"):
        between_classes(X, [0, 0, 1, 2], 0, 7)
    with pytest.raises(OptionError, match="differ in their means"):
        between_classes(X, [0, 0, 1, 2], 1, 1)


def test_a_direction_in_words():
    names = ["alcohol", "malic acid", "ash 2"]
    found = read_direction("alcohol 3, malic acid: −4", names)
    assert found == pytest.approx([0.6, -0.8, 0])
    assert read_direction("ash 2", names) == pytest.approx([0, 0, 1])  # a name that ends in a number
    assert read_direction("ash 2 -5", names) == pytest.approx([0, 0, -1])


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("alcool 2", UnknownNameError, "Did you mean alcohol"),
        ("alcohol x", UnknownNameError, "name of an input"),
        ("", OptionError, "weight other than 0"),
        ("alcohol 1, alcohol -1", OptionError, "weight other than 0"),
        ("alcohol nan", OptionError, "weight other than 0"),
    ],
)
def test_mistakes_in_a_direction_are_sentences(text, error, words):
    with pytest.raises(error, match=words):
        read_direction(text, ["alcohol", "ash"])


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
    assert principal_directions(rng.normal(size=(2, 9)), 3).shape == (2, 2)  # fewer inputs than directions


def test_a_coordinate_that_does_not_exist_is_a_sentence():
    assert coordinate(3, 1).tolist() == [0, 1, 0]
    with pytest.raises(OptionError, match="from 0 to 2"):
        coordinate(3, 3)

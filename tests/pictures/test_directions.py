import numpy as np
import pytest

from kernlab.errors import OptionError, UnknownNameError
from kernlab.pictures.directions import between_classes, read_direction


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

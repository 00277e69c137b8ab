"""What a table must be to become a Dataset, and what it is only warned about."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter

from kernlab.data import encode, make_dataset
from kernlab.data.table import picture_shape
from kernlab.errors import DataError

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])


def broken(row, column, value):
    copy = X.copy()
    copy[row, column] = value
    return copy


def test_types_and_default_names():
    made = make_dataset("t", X, Y, "classification")
    assert (made.X.dtype, made.y.dtype) == (np.float32, np.int64)
    assert made.X.flags.c_contiguous
    assert (made.n, made.d, made.n_outputs) == (6, 2, 2)
    assert (made.feature_names, made.target_names) == (("x1", "x2"), ("0", "1"))
    assert made.warnings == ("2 classes are smaller than 5 rows: 0, 1.",)
    several = make_dataset("t", X, np.stack([Y, Y + 0.5], 1), "regression")
    assert several.y.dtype == np.float64
    assert several.y.shape == (6, 2)
    assert several.target_names == ("target_0", "target_1")


def test_a_float32_table_is_not_copied():
    given_table = X.astype(np.float32)
    assert make_dataset("t", given_table, Y, "classification").X is given_table


@pytest.mark.parametrize(
    ("inputs", "targets", "task", "words"),
    [
        (broken(1, 0, np.nan), Y, "classification", "column 'a': 1 missing"),
        (broken(1, 1, np.inf), Y, "classification", "column 'b': 1 infinite.*Remove those rows or fill in"),
        (broken(1, 1, 1e39), Y, "regression", "column 'b': 1 infinite"),
        (X, [1, 2, np.nan, 4, np.inf, 6], "regression", "every target.*1 missing .NaN. and 1 infinite"),
        (X, np.zeros(6, int), "classification", "at least two classes.*only class '0'"),
        (X, np.ones(6), "regression", "must vary.*constant: target"),
        (X[:1], Y[:1], "classification", "at least two rows.*1 row"),
        (X[:0], Y[:0], "classification", "at least two rows.*0 rows"),
        (np.ones((6, 2)), Y, "classification", "at least one feature that varies"),
        (X[:, :0], Y, "classification", "at least one feature column"),
        (X, Y[:4], "classification", "6 rows with 4 targets"),
    ],
)
def test_what_cannot_be_used(inputs, targets, task, words):
    with pytest.raises(DataError, match=words):
        make_dataset("t", inputs, targets, task, ["a", "b"][: inputs.shape[1]])


def test_constant_columns_and_copies_are_reported():
    inputs = np.stack([np.arange(30.0), np.full(30, 7.0)], axis=1)
    inputs[3] = inputs[1]
    made = make_dataset("t", inputs, np.arange(30) % 2, "classification", ["a", "b"])
    assert made.warnings == (
        "1 feature column is constant and can be dropped: b.",
        "1 row is an exact copy of another one; a random split puts copies on both sides.",
    )


def test_copies_need_the_same_target():
    inputs = np.array([[0.0], [-0.0], [1.0], [2.0]])
    assert not make_dataset("t", inputs, [0.0, 1, 2, 3], "regression").warnings
    assert "1 row is an exact copy" in make_dataset("t", inputs, [5.0, 5, 2, 3], "regression").warnings[0]


@settings(max_examples=50)
@given(st.integers(1, 5), st.integers(0, 10_000))
def test_copies_are_counted_as_numpy_counts_them(d, seed):
    rng = np.random.default_rng(seed)
    inputs, targets = rng.integers(-1, 2, (60, d)).astype(np.float32), rng.integers(0, 3, 60)
    inputs[0], inputs[1], targets[0], targets[1] = 0, 1, 0, 1
    rows = np.column_stack([inputs, targets])
    copies = len(rows) - len(np.unique(rows, axis=0))
    found = [w for w in make_dataset("t", inputs, targets, "classification").warnings if "copy of" in w]
    assert [int(w.split()[0]) for w in found] == [copies] * (copies > 0)


@pytest.mark.parametrize("spacing", [1, 100])  # 32-bit numbers near 1.7e9 are 128 apart
def test_a_column_that_32_bits_blur_is_reported(spacing):
    stamps = np.stack([1.7e9 + spacing * np.arange(40), np.arange(40)], axis=1)
    made = make_dataset("t", stamps, np.arange(40) % 2, "classification", ["time", "x"])
    assert [("32 bits" in w, "can be dropped" in w) for w in made.warnings if "time" in w] == [(True, False)]


def test_encode_sorts_and_names():
    codes, labels = encode(np.array(["b", "a", "b"]))
    assert (codes.tolist(), labels) == ([1, 0, 1], ("a", "b"))
    codes, labels = encode(np.array([7.0, -1.0, 7.0]))
    assert (codes.tolist(), labels) == ([1, 0, 1], ("-1", "7"))


# -- pictures are recognised by the numbers, and tables that resemble them are not

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

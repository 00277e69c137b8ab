"""Scaling: the formulas of the Scaler's table, the round trip, and what must not be divided by."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from kernlab.data import Scaler
from kernlab.data.normal_scores import KNOTS, NormalScores
from kernlab.errors import DataError

KINDS = ("standardize", "[0,1]", "[-1,1]", "none", "normal-scores")


def test_each_kind_follows_its_formula():
    X = np.array([[0.0, 10.0], [2.0, 20.0], [4.0, 60.0]])
    z = (X - [2, 30]) / [np.sqrt(8 / 3), np.sqrt(1400 / 3)]
    np.testing.assert_allclose(Scaler.fit("standardize", X).transform(X), z, rtol=1e-6)
    np.testing.assert_allclose(Scaler.fit("[0,1]", X).transform(X), [[0, 0], [0.5, 0.2], [1, 1]], rtol=1e-6)
    np.testing.assert_allclose(Scaler.fit("[-1,1]", X).transform(X), [[-1, -1], [0, -0.6], [1, 1]], rtol=1e-6)
    np.testing.assert_array_equal(Scaler.fit("none", X).transform(X), X)


def test_a_common_range_keeps_the_contrast_between_columns():
    X = np.array([[0.0, 4.0], [2.0, 16.0]])
    Z = Scaler.fit("[-1,1]", X, common=True).transform(X)
    np.testing.assert_allclose(Z, [[-1, -0.5], [-0.75, 1]])


@settings(max_examples=60)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 10_000),
    shift=st.floats(-1e3, 1e3),
    spread=st.floats(1e-2, 1e3),
)
def test_inverse_undoes_transform(kind, seed, shift, spread):
    X = shift + spread * np.random.default_rng(seed).standard_normal((20, 3))
    scaler = Scaler.fit(kind, X)
    resolution = np.abs(X - scaler.center).max() * 1e-6
    np.testing.assert_allclose(scaler.inverse(scaler.transform(X)), X, rtol=0, atol=resolution)


@pytest.mark.parametrize("kind", KINDS)
def test_a_constant_column_keeps_scale_one(kind):
    # 0.1 is not a binary fraction: its measured deviation is rounding error and must not become a divisor.
    X = np.stack([np.full(1000, 0.1), np.arange(1000.0)], axis=1)
    scaler = Scaler.fit(kind, X)
    assert scaler.scale[0] == 1.0
    expected = np.float32(0.1) if kind == "none" else 0.0
    np.testing.assert_array_equal(scaler.transform(X)[:, [0, -2] if kind == "normal-scores" else [0]], expected)


def test_chosen_rows_only_and_many_chunks(monkeypatch):
    monkeypatch.setattr("kernlab.data.base._CHUNK", 7)
    X = np.random.default_rng(0).standard_normal((50, 3)).astype(np.float32)
    rows = np.arange(0, 50, 3)
    scaler = Scaler.fit("standardize", X, rows)
    part = X[rows].astype(float)
    np.testing.assert_allclose(scaler.center, part.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(scaler.scale, part.std(axis=0), rtol=1e-12)
    np.testing.assert_allclose(scaler.transform(X, rows), (part - scaler.center) / scaler.scale, rtol=1e-6, atol=1e-7)


def test_a_large_offset_costs_no_digits():
    X = (1e8 + np.arange(0, 4096, 16)).astype(np.float32)[:, None]  # representable exactly in 32 bits
    Z = Scaler.fit("standardize", X).transform(X)
    np.testing.assert_allclose(Z.std(), 1, rtol=1e-6)
    np.testing.assert_allclose(np.diff(Z[:, 0]), np.diff(Z[:, 0]).mean(), rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_round_trip(kind):
    scaler = Scaler.fit(kind, np.random.default_rng(1).standard_normal((9, 4)))
    arrays = scaler.to_arrays()
    assert all(value.dtype.kind in "if" for value in arrays.values())
    again = Scaler.from_arrays(arrays)
    assert again.kind == kind
    np.testing.assert_array_equal(again.transform(np.eye(4)), scaler.transform(np.eye(4)))
    np.testing.assert_array_equal(again.center, scaler.center)
    np.testing.assert_array_equal(again.scale, scaler.scale)


def test_what_float32_cannot_hold_is_refused():
    scaler = Scaler.fit("standardize", np.array([[0.0], [1e-30]]))
    with pytest.raises(DataError, match="32-bit"):
        scaler.transform(np.array([[1e30]]))


# -- normal scores ------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=60), st.integers(0, 9))
def test_normal_scores_are_standardised_with_ties_in_the_middle(first, seed):
    X = np.stack([first, np.random.default_rng(seed).standard_cauchy(len(first))], axis=1)
    scores = norm.ppf((rankdata(X, axis=0) - 0.5) / len(X))
    spread = scores.std(axis=0)
    spread[spread < 1e-12] = 1  # a constant column: nothing to divide by
    Z = Scaler.fit("normal-scores", X).transform(X, dtype=np.float64)
    np.testing.assert_allclose(Z[:, 2:], (scores - scores.mean(axis=0)) / spread, atol=1e-9)
    np.testing.assert_array_equal(Z[:, :2], Scaler.fit("standardize", X).transform(X, dtype=np.float64))


def test_normal_scores_do_not_feel_the_unit_and_end_where_the_training_rows_end():
    x = np.random.default_rng(0).standard_normal(5000)[:, None]
    plain, wild = NormalScores.fit(x), NormalScores.fit(np.exp(5 * x))
    assert len(plain.values) <= KNOTS < len(x)
    np.testing.assert_allclose(plain.transform(x), wild.transform(np.exp(5 * x)), atol=0.02)
    beyond = plain.transform(np.array([[x.min() - 9], [x.max() + 9]]))
    np.testing.assert_array_equal(beyond, plain.transform(np.array([[x.min()], [x.max()]])))
    between = plain.transform(np.linspace(-3, 3, 1001)[:, None])
    assert (np.diff(between[:, 0]) >= 0).all()
    np.testing.assert_allclose(between[250:750, 0], np.linspace(-3, 3, 1001)[250:750], atol=0.1)


def test_a_weight_counts_as_that_many_copies_of_a_row():
    rng = np.random.default_rng(3)
    X, weight = rng.integers(0, 9, (40, 3)).astype(float), rng.integers(1, 5, 40)
    weighted = Scaler.fit("normal-scores", X, weight=weight.astype(float))
    copied = Scaler.fit("normal-scores", np.repeat(X, weight, axis=0)[::-1])
    np.testing.assert_allclose(weighted.transform(X), copied.transform(X), atol=1e-6)


def test_names_tell_which_columns_are_normal_scores():
    X = np.arange(6.0).reshape(3, 2)
    assert Scaler.fit("normal-scores", X).names(("a", "b")) == ("a", "b", "normal score of a", "normal score of b")
    assert Scaler.fit("standardize", X).names(["a", "b"]) == ("a", "b")

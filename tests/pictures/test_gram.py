import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.pictures.gram import Groups, gram_difference, gram_rows, gram_view

GROUPS = Groups((2, 3, 6), ("a", "b", "c"))


def test_classes_have_a_place_and_rows_a_class():
    assert GROUPS.middles == (0.5, 2.0, 4.0)
    assert [GROUPS.name(row) for row in range(6)] == ["a", "a", "b", "c", "c", "c"]
    assert Groups().name(3) == ""


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_means_within_and_between_classes(seed, sizes):
    ends = tuple(np.cumsum(sizes).tolist())
    K = np.random.default_rng(seed).normal(size=(ends[-1], ends[-1]))
    codes = np.repeat(range(len(sizes)), sizes)
    within = [K[i, j] for i in range(len(K)) for j in range(len(K)) if codes[i] == codes[j] and i != j]
    between = [K[i, j] for i in range(len(K)) for j in range(len(K)) if codes[i] != codes[j]]
    view = gram_view(K, Groups(ends, tuple("abcd"[: len(sizes)])))
    assert view.within == (pytest.approx(np.mean(within)) if within else None)
    assert view.between == (pytest.approx(np.mean(between)) if between else None)
    assert view.limits == (K.min(), K.max())


def test_real_targets_have_no_classes():
    view = gram_view(np.eye(3))
    assert (view.within, view.between) == (None, None)


def test_difference_of_two():
    rng = np.random.default_rng(0)
    K, other = rng.normal(size=(2, 5, 5))
    view = gram_difference(K, other)
    np.testing.assert_allclose(view.values, K - other, rtol=1e-6)
    assert view.mean == pytest.approx(np.mean(np.abs(K - other)))
    assert view.largest == pytest.approx(np.abs(K - other).max())
    assert view.relative == pytest.approx(np.sqrt(((K - other) ** 2).sum() / (other**2).sum()))
    assert gram_difference(K, K).relative == 0


def test_rows_carry_their_own_value():
    K = np.arange(36.0).reshape(6, 6)
    view = gram_rows(K, [4, 0, 99], GROUPS)
    assert [(row.row, row.name, row.own) for row in view.rows] == [(4, "c", 28.0), (0, "a", 0.0)]
    assert view.rows[0].values.tolist() == K[4].tolist()
    assert (view.wanted, view.n) == (2, 6)
    many = gram_rows(K, [0, 1] * 10)
    assert (len(many.rows), many.wanted) == (6, 20)

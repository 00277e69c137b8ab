"""Gram matrices with their classes, differences and rows: the numbers, and the pictures that hold them."""

import numpy as np
import pytest
from drawn import keeps_promises
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.pictures.gram import (
    Groups,
    gram_difference,
    gram_rows,
    gram_view,
    plot_difference,
    plot_gram,
    plot_gram_rows,
)

GROUPS = Groups((2, 3, 6), ("a", "b", "c"))


def test_classes_have_a_place_and_rows_a_class():
    assert GROUPS.middles == (0.5, 2.0, 4.0)
    assert [GROUPS.name(row) for row in range(6)] == ["a", "a", "b", "c", "c", "c"]
    assert Groups().name(3) == ""


@settings(max_examples=20)
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


rng = np.random.default_rng(0)
Phi = rng.normal(size=(240, 30))
K, OTHER = Phi @ Phi.T, Phi[:, :20] @ Phi[:, :20].T
CLASSES = Groups((100, 130, 240), ("a", "b", "c"))


def test_a_matrix_is_drawn_with_its_classes():
    figure = plot_gram(gram_view(K, CLASSES), what="features")
    keeps_promises(figure, 400_000)  # 240 rows are 230 kB of numbers; no other picture comes near it
    np.testing.assert_allclose(figure.data[0].z, K, rtol=1e-6)
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "c"]
    assert list(figure.layout.xaxis.tickvals) == [49.5, 114.5, 184.5]
    lines = {(line.x0, line.x1, line.y0, line.y1) for line in figure.layout.shapes}
    assert lines == {(e, e, -0.5, 239.5) for e in (99.5, 129.5)} | {(-0.5, 239.5, e, e) for e in (99.5, 129.5)}
    assert "within a class" in figure.layout.title.subtitle.text
    assert not plot_gram(gram_view(K), what="exact").layout.shapes


def test_long_names_of_classes_leave_the_matrix_its_room():
    names = ("soil with vegetation stubble", "very damp grey soil", "cotton crop", "damp grey soil")
    figure = plot_gram(gram_view(K, Groups((60, 120, 180, 240), names)), what="features")
    assert list(figure.layout.yaxis.ticktext) == ["soil with v…", "very damp g…", "cotton crop", "damp grey s…"]
    assert not any(figure.layout.xaxis.ticktext)  # they would stand slanted below one another
    assert len(figure.layout.xaxis.tickvals) == 4


def test_a_difference_is_white_at_zero():
    cells = plot_difference(gram_difference(K, OTHER, CLASSES), what="features − exact").data[0]
    assert cells.zmin == -cells.zmax
    assert cells.zmax == pytest.approx(np.abs(K - OTHER).max())
    assert plot_difference(gram_difference(K, K), what="features − exact").data[0].zmax > 0


def test_rows_are_curves_with_a_marker_at_their_own_place():
    figure = plot_gram_rows(gram_rows(K, [3, 120], CLASSES))
    keeps_promises(figure)
    first, own, *_ = figure.data
    np.testing.assert_allclose(first.y, K[3], rtol=1e-6)
    assert (own.x[0], own.y[0]) == (3, pytest.approx(K[3, 3]))
    assert f"row 3 (a): k(x, x) = {K[3, 3]:.3g}" == first.name
    assert {(line.x0, line.x1) for line in figure.layout.shapes} == {(99.5, 99.5), (129.5, 129.5)}
    assert "6 of 30" in plot_gram_rows(gram_rows(K, range(30))).layout.title.subtitle.text

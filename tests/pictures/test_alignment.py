from itertools import permutations

import numpy as np
import pytest
import torch
from drawn import keeps_promises
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab import linalg
from kernlab.pictures.alignment import (
    alignment,
    alignment_history,
    alignments,
    plot_alignment_history,
    plot_alignments,
    target_matrix,
)


def cosine(A, B):
    return np.trace(A @ B.T) / np.sqrt(np.trace(A @ A.T) * np.trace(B @ B.T))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(3, 20), st.integers(1, 6))
def test_alignment_is_a_cosine(seed, n, D):
    rng = np.random.default_rng(seed)
    Phi, Y = rng.normal(size=(n, D)) + 1, rng.normal(size=(n, 2))
    K, L, C = Phi @ Phi.T, Y @ Y.T, np.eye(n) - 1 / n
    found = alignment(K, Y)
    assert found.plain == pytest.approx(cosine(K, L))
    assert found.centred == pytest.approx(cosine(C @ K @ C, C @ L @ C))
    assert found.centred == pytest.approx(linalg.alignment(torch.as_tensor(Phi), torch.as_tensor(Y)))


def test_chance_is_the_mean_over_all_orders():
    rng = np.random.default_rng(0)
    Phi, Y = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    shuffled = [alignment(Phi @ Phi.T, Y[list(order)]).centred for order in permutations(range(5))]
    assert alignment(Phi @ Phi.T, Y).chance == pytest.approx(np.mean(shuffled))


def test_the_targets_own_kernel_is_aligned():
    Y = target_matrix(["b", "a", "b", "c"], True)
    assert Y.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert alignment(Y @ Y.T, Y)[:2] == (pytest.approx(1), pytest.approx(1))


def test_a_constant_kernel_knows_nothing():
    Y = target_matrix([0, 0, 1, 1], True)
    found = alignment(np.full((4, 4), 0.3), Y)
    assert (found.centred, found.chance) == (0, 0)
    assert found.plain == pytest.approx(np.sqrt(0.5))
    assert alignment(np.zeros((4, 4)), Y) == (0, 0, 0)


def test_real_targets_stay_numbers():
    assert target_matrix([1.5, 2.0], False).tolist() == [[1.5], [2.0]]


def test_several_kernels_and_several_moments():
    rng = np.random.default_rng(0)
    grams = {name: each @ each.T for name, each in zip("ab", rng.normal(size=(2, 6, 4)), strict=True)}
    Y = rng.normal(size=(6, 1))
    bars = alignments(grams, Y)
    assert (bars.names, bars.n) == (("a", "b"), 6)
    assert bars.values[1] == alignment(grams["b"], Y)
    history = alignment_history([0, 2], bars.values, 6)
    assert history.centred.tolist() == [value.centred for value in bars.values]
    assert history.plain.tolist() == [value.plain for value in bars.values]
    assert history.chance.tolist() == [value.chance for value in bars.values]
    assert (history.epoch.tolist(), history.n) == ([0, 2], 6)
    assert len(alignment_history([], [], 6).centred) == 0
    centred, plain, chance = plot_alignments(bars).data
    assert [trace.y for trace in (centred, plain, chance)] == [*zip(*bars.values, strict=True)]
    assert [trace.y.tolist() for trace in plot_alignment_history(history).data] == np.transpose(bars.values).tolist()
    for figure in (plot_alignments(bars), plot_alignment_history(history)):
        keeps_promises(figure)

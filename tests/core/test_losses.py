"""Each loss and its gradient, as its formula reads, row by row in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kernlab.objectives import OBJECTIVES, CrossEntropy, Hinge, Squared

score = st.floats(-30, 30, allow_subnormal=False)
shapes = st.tuples(st.integers(1, 6), st.integers(2, 5))


@st.composite
def scored(draw):
    m, K = draw(shapes)
    return draw(arrays(np.float64, (m, K), elements=score)), np.array(
        draw(st.lists(st.integers(0, K - 1), min_size=m, max_size=m))
    )


def check(loss, F, y, value, G) -> None:
    got, gradient = loss.value_and_grad(torch.from_numpy(F), torch.from_numpy(y))
    assert float(got) == pytest.approx(value, rel=1e-10, abs=1e-12)
    np.testing.assert_allclose(gradient, G, rtol=1e-9, atol=1e-12)


@given(scored())
@settings(max_examples=60)
def test_hinge(case):
    F, y = case
    G, total = np.zeros_like(F), 0.0
    for i, (f, c) in enumerate(zip(F, y, strict=True)):
        others = f.copy()
        others[c] = -np.inf
        strongest = int(np.argmax(others))
        short = 1 - (f[c] - f[strongest])
        assume(abs(short) > 1e-9)  # at the corner rounding decides
        if short > 0:
            total += short
            G[i, strongest], G[i, c] = 1, -1
    check(Hinge(), F, y, total / len(F), G / len(F))


@given(scored())
@settings(max_examples=60)
def test_cross_entropy(case):
    F, y = case
    P = np.exp(F - F.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    rows = np.arange(len(F))
    logs = F - F.max(axis=1, keepdims=True)
    value = (np.log(np.exp(logs).sum(axis=1)) - logs[rows, y]).mean()
    P[rows, y] -= 1
    check(CrossEntropy(), F, y, value, P / len(F))


@given(scored())
@settings(max_examples=60)
def test_squared_on_classes_is_squared_on_one_hot_targets(case):
    F, y = case
    Y = np.eye(F.shape[1])[y]
    value, G = ((F - Y) ** 2).sum(axis=1).mean(), 2 * (F - Y) / len(F)
    check(Squared(), F, y, value, G)
    check(Squared(), F, Y, value, G)


def test_scores_of_hundreds_do_not_overflow():
    F = torch.tensor([[900.0, -900.0], [-900.0, 900.0]])
    y = torch.tensor([0, 0])
    value, G = CrossEntropy().value_and_grad(F, y)
    assert float(value) == pytest.approx(900.0)
    np.testing.assert_allclose(G, [[0, 0], [-0.5, 0.5]])


def test_untrained_outputs_have_the_known_loss():
    """f = 0: hinge 1, cross-entropy log K, squared ‖y‖² = 1 for classes."""
    F, y = torch.zeros(7, 5), torch.arange(7) % 5
    expected = {"hinge": 1.0, "cross_entropy": np.log(5), "squared": 1.0}
    found = {name: float(OBJECTIVES[name]().value(F, y)) for name in expected}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_the_lipschitz_constants_are_attained():
    y = torch.tensor([0])
    hinge = Hinge().value_and_grad(torch.zeros(1, 2), y)[1]
    assert float(hinge.norm()) == pytest.approx(Hinge().lipschitz(torch.zeros(1, 2), y))
    surely_wrong = torch.tensor([[-40.0, 40.0]])
    entropy = CrossEntropy().value_and_grad(surely_wrong, y)[1]
    assert float(entropy.norm()) == pytest.approx(CrossEntropy().lipschitz(surely_wrong, y))
    F, Y = torch.tensor([[3.0, 4.0], [0.0, 1.0]]), torch.zeros(2, 2)
    assert Squared().lipschitz(F, Y) == pytest.approx(10.0)

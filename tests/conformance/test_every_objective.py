"""What must hold for a loss of any name."""

from __future__ import annotations

import pytest
import torch
from variants import variants

from kernlab.objectives import OBJECTIVES, Loss

LOSSES = variants({name: cls for name, cls in OBJECTIVES.items() if issubclass(cls, Loss)})
M, K = 11, 4
TASKS = [
    pytest.param(p.values[0], task, id=f"{p.id}-{task}") for p in LOSSES for task in p.values[0].tasks
]  # fmt: skip


def outputs_and_targets(task: str, seed: int = 0):
    random = torch.Generator().manual_seed(seed)
    F = torch.randn(M, K, generator=random, dtype=torch.float64)
    if task == "classification":
        return F, torch.randint(K, (M,), generator=random)
    return F, torch.randn(M, K, generator=random, dtype=torch.float64)


@pytest.mark.parametrize(("loss", "task"), TASKS)
def test_the_gradient_equals_automatic_differentiation(loss, task):
    F, y = outputs_and_targets(task)
    F.requires_grad_()
    value, G = loss.value_and_grad(F, y)
    (expected,) = torch.autograd.grad(value, F)
    torch.testing.assert_close(G.detach(), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("loss", "task"), TASKS)
def test_the_gradient_equals_finite_differences(loss, task):
    F, y = outputs_and_targets(task, seed=1)
    _, G = loss.value_and_grad(F, y)
    h = 1e-6
    for i in range(M):
        for k in range(K):
            E = torch.zeros_like(F)
            E[i, k] = h
            slope = float(loss.value(F + E, y) - loss.value(F - E, y)) / (2 * h)
            assert float(G[i, k]) == pytest.approx(slope, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize(("loss", "task"), TASKS)
def test_the_value_is_a_mean_over_samples(loss, task):
    F, y = outputs_and_targets(task)
    each = [float(loss.value(F[i : i + 1], y[i : i + 1])) for i in range(M)]
    assert float(loss.value(F, y)) == pytest.approx(sum(each) / M, rel=1e-12)
    assert min(each) >= 0


@pytest.mark.parametrize(("loss", "task"), TASKS)
def test_no_gradient_is_longer_than_the_lipschitz_constant(loss, task):
    for seed in range(20):
        F, y = outputs_and_targets(task, seed)
        _, G = loss.value_and_grad(3 * F, y)
        longest = float((M * G).norm(dim=1).max())
        assert longest <= loss.lipschitz(3 * F, y) * (1 + 1e-12)


@pytest.mark.parametrize(("loss", "task"), TASKS)
def test_single_precision_agrees(loss, task):
    F, y = outputs_and_targets(task)
    narrow = y.float() if y.is_floating_point() else y
    value, G = loss.value_and_grad(F.float(), narrow)
    wide, wide_G = loss.value_and_grad(F, y)
    assert value.dtype == G.dtype == torch.float32
    assert float(value) == pytest.approx(float(wide), rel=1e-5)
    torch.testing.assert_close(G.double(), wide_G, rtol=1e-4, atol=1e-6)

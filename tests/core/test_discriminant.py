"""Discriminant Information is the ridge error; its gradients, its twin on kernel evaluations, and the baseline LS."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge as SklearnRidge

from kernlab.bench import BENCHMARKS
from kernlab.bounds import BOUNDS, discriminant_terms
from kernlab.errors import DataError, OptionError
from kernlab.feature_maps import Nystroem
from kernlab.linalg import RidgePath, gram, ridge
from kernlab.objectives import OBJECTIVES, Discriminant, RidgeLoss
from kernlab.objectives.discriminant import (
    discriminant_information,
    kernel_discriminant_information,
    unit_columns,
)

M, D, K = 20, 5, 3


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def classes(m: int = M, seed: int = 5) -> torch.Tensor:
    return torch.eye(K, dtype=torch.float64)[torch.randint(K, (m,), generator=torch.Generator().manual_seed(seed))]


def plain(Phi: torch.Tensor, Y: torch.Tensor, rho: float) -> torch.Tensor:
    """DI as the paper writes it: centring matrix, inverse, trace."""
    C = torch.eye(len(Phi), dtype=Phi.dtype) - 1 / len(Phi)
    S = Phi.mT @ C @ Phi
    SB = Phi.mT @ C @ Y @ Y.mT @ C @ Phi
    return torch.trace(torch.linalg.inv(S + rho * torch.eye(Phi.shape[1], dtype=Phi.dtype)) @ SB)


@settings(max_examples=25)
@given(
    m=st.integers(2, 40),
    D=st.integers(1, 12),
    rho=st.sampled_from([1e-4, 1e-2, 1.0, 100.0]),
    scale=st.sampled_from([0.1, 1.0, 10.0]),
    shift=st.sampled_from([0.0, 5.0]),
)
def test_the_identity_with_the_ridge_error(m, D, rho, scale, shift):
    Phi, Y = scale * normal(m, D) + shift, normal(m, K, seed=1) + shift
    found = discriminant_information(Phi, Y, rho)
    fitted = SklearnRidge(alpha=rho, solver="svd").fit(Phi.numpy(), Y.numpy())
    error = ((fitted.predict(Phi.numpy()) - Y.numpy()) ** 2).sum() + rho * (fitted.coef_**2).sum()
    assert float(found.total - found.value) == pytest.approx(error, rel=1e-8, abs=1e-8 * float(found.total))
    assert 0 <= float(found.value) <= float(found.total) * (1 + 1e-12)


def test_it_is_the_trace_that_the_paper_writes():
    Phi, Y = normal(M, D) + 2, classes()
    found = discriminant_information(Phi, Y, 0.1)
    torch.testing.assert_close(found.value, plain(Phi, Y, 0.1))
    assert found.jitter == 0


@pytest.mark.parametrize(
    "objective", [Discriminant(rho=1e-4), Discriminant(rho=0.5), Discriminant(rho=1e-4, normalize_targets=True)]
)
@pytest.mark.parametrize("Y", [classes(), normal(M, K, seed=3)], ids=["classes", "targets"])
def test_the_gradient_is_that_of_the_plain_formula(objective, Y):
    Phi = (normal(M, D) + 1).requires_grad_()
    T = unit_columns(Y) if objective.normalize_targets else Y
    expected = (((T - T.mean(0)) ** 2).sum() - plain(Phi, T, objective.rho)) / M
    expected.backward()
    value, C, kept = objective.value_and_grad(Phi.detach(), Y, {})
    assert float(value) == pytest.approx(float(expected.detach()), rel=1e-10)
    torch.testing.assert_close(C, Phi.grad, rtol=1e-9, atol=1e-12)
    assert not kept


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "matern", "cauchy", "polynomial"])
def test_kernel_evaluations_tell_the_same_as_nystroem_features(kernel):
    nystroem = Nystroem(n_features=D, kernel=kernel, frequency_scale=0.9)
    X, Y = normal(M, 3, seed=7), classes()
    params = nystroem.init(X, torch.Generator().manual_seed(0))
    objective = Discriminant(rho=0.01)
    Phi, pullback = nystroem.pullback(params, X)
    value, C, _ = objective.value_and_grad(Phi, Y, params)
    G, B, back = nystroem.kernel_pullback(params, X)
    kernel_value, dG, dB = objective.kernel_value_and_grad(G, B, Y)
    assert float(kernel_value) == pytest.approx(float(value), rel=1e-7)
    torch.testing.assert_close(back(dG, dB)["landmarks"], pullback(C)["landmarks"], rtol=1e-5, atol=1e-9)


def test_gradients_on_kernel_evaluations():
    G, Y = normal(M, D).requires_grad_(), normal(M, K, seed=1)
    root = normal(D, D, seed=2)
    B = (root @ root.mT).requires_grad_()
    Gc = G - G.mean(0)
    P = Gc.mT @ Y
    DI = torch.trace(torch.linalg.inv(Gc.mT @ Gc + 0.2 * B) @ P @ P.mT)
    (((Y - Y.mean(0)) ** 2).sum() - DI).div(M).backward()
    value, dG, dB = Discriminant(rho=0.2).kernel_value_and_grad(G.detach(), B.detach(), Y)
    assert float(value) > 0
    torch.testing.assert_close(dG, G.grad, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(dB, B.grad, rtol=1e-9, atol=1e-12)


def test_equal_landmarks_are_solved_with_a_reported_jitter():
    nystroem = Nystroem(n_features=3, frequency_scale=0.5)
    X, Y = normal(M, 2), classes()
    two = {"landmarks": X[:2]}
    three = {"landmarks": X[[0, 1, 1]]}
    (G2, B2, _), (G3, B3, back) = (nystroem.kernel_pullback(p, X) for p in (two, three))
    once, twice = (kernel_discriminant_information(G, B, Y, 1e-4) for G, B in ((G2, B2), (G3, B3)))
    assert once.jitter == 0
    assert twice.jitter <= 1.5e-8 * M
    assert float(twice.value) == pytest.approx(float(once.value), rel=1e-6)
    _, dG, dB = Discriminant(rho=1e-4).kernel_value_and_grad(G3, B3, Y)
    assert back(dG, dB)["landmarks"].isfinite().all()


@pytest.mark.parametrize("objective", [Discriminant(), Discriminant(normalize_targets=True), RidgeLoss()])
def test_an_automatic_penalty_is_that_of_the_smallest_leave_one_out_error_to_three_digits(objective):
    Phi, Y = normal(M, D), classes()
    targets = unit_columns(Y) if objective.options().get("normalize_targets") else Y
    best = RidgePath(lambda: [Phi], targets).best()
    assert objective.resolve(Phi, Y).rho == float(f"{best:.3g}") != float(f"{best:.2g}")
    assert objective.replace(rho=0.2).resolve(Phi, Y).rho == 0.2


def test_between_class_scatter():
    Phi, Y = normal(M, D), classes()
    T = unit_columns(Y)
    centred = Phi - Phi.mean(0)
    labels = Y.argmax(1)
    scatter = torch.zeros(D, D, dtype=torch.float64)
    for c in range(K):
        apart = Phi[labels == c].mean(0) - Phi.mean(0)
        scatter += (labels == c).sum() * torch.outer(apart, apart)
    torch.testing.assert_close(centred.mT @ T @ T.mT @ centred, scatter)
    absent = Y * torch.tensor([1.0, 1.0, 0.0])
    assert unit_columns(absent).isfinite().all()


@pytest.mark.parametrize("objective", [Discriminant(rho=1e-4), RidgeLoss(rho=1e-4)])
@pytest.mark.parametrize("m", [D - 1, D])
def test_a_batch_without_more_rows_than_features_is_refused(objective, m):
    params = objective.start(D, K, normal(1))
    with pytest.raises(DataError, match="more rows than there are features"):
        objective.value_and_grad(normal(m, D), normal(m, K), params)


@pytest.mark.parametrize("name", ["discriminant", "ridge_loss"])
@pytest.mark.parametrize("rho", [0, -1])
def test_a_penalty_of_zero_is_refused(name, rho):
    with pytest.raises(OptionError, match="rho must be a number above 0"):
        OBJECTIVES[name].build(rho=rho)


@pytest.mark.parametrize("objective", [Discriminant(rho=1e-4), RidgeLoss(rho=1e-4)])
def test_single_precision_agrees(objective):
    Phi, Y = normal(M, D), classes()
    params = {name: normal(*value.shape) for name, value in objective.start(D, K, Phi).items()}
    narrow = {name: value.float() for name, value in params.items()}
    value, C, kept = objective.value_and_grad(Phi.float(), Y.float(), narrow)
    wide_value, wide_C, _ = objective.value_and_grad(Phi, Y, params)
    assert value.dtype == C.dtype == torch.float32
    assert {each.dtype for each in kept.values()} <= {torch.float32}
    assert float(value) == pytest.approx(float(wide_value), rel=1e-4)
    torch.testing.assert_close(C.double(), wide_C, rtol=1e-3, atol=1e-5)


def test_the_alternating_loss_is_the_squared_error_with_the_weights_it_was_given():
    objective = RidgeLoss(rho=0.3)
    Phi, Y = normal(M, D).requires_grad_(), normal(M, K, seed=1)
    W, b = normal(D, K, seed=2), normal(K, seed=3)
    expected = (Phi @ W + b - Y).pow(2).sum(1).mean()
    expected.backward()
    value, C, kept = objective.value_and_grad(Phi.detach(), Y, {"ls_weight": W, "ls_bias": b})
    assert float(value) == pytest.approx(float(expected.detach()), rel=1e-12)
    torch.testing.assert_close(C, Phi.grad)
    oracle = SklearnRidge(alpha=0.3).fit(Phi.detach().numpy(), Y.numpy())
    np.testing.assert_allclose(kept["ls_weight"].T, oracle.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(kept["ls_bias"], oracle.intercept_, rtol=1e-8, atol=1e-10)


def test_it_begins_with_nothing_and_no_gradient():
    objective = RidgeLoss(rho=1e-4)
    start = objective.start(D, K, normal(1))
    value, C, _ = objective.value_and_grad(normal(M, D), classes(), start)
    assert float(value) == 1  # the mean of ‖y‖² for one-hot rows
    assert not C.any()


def test_with_weights_of_the_same_batch_it_would_be_discriminant_information():
    """The envelope theorem: why the weights are those of the batch before."""
    Phi, Y = normal(M, D), classes()
    same = ridge([Phi], Y, 0.1)
    _, alternating, _ = RidgeLoss(rho=0.1).value_and_grad(Phi, Y, {"ls_weight": same.weight, "ls_bias": same.bias})
    _, discriminant, _ = Discriminant(rho=0.1).value_and_grad(Phi, Y, {})
    torch.testing.assert_close(alternating, discriminant, rtol=1e-10, atol=1e-13)
    other = ridge([normal(M, D, seed=9)], classes(seed=6), 0.1)
    _, lagging, _ = RidgeLoss(rho=0.1).value_and_grad(Phi, Y, {"ls_weight": other.weight, "ls_bias": other.bias})
    assert (lagging - discriminant).norm() > 0.1 * discriminant.norm()


@pytest.mark.parametrize("columns", [7, 512, 1100])
def test_a_gram_matrix_by_blocks(columns):
    A = normal(9, columns)
    torch.testing.assert_close(gram(A), A.mT @ A, rtol=1e-12, atol=1e-13)


# -- the terms that are shown of it ------------------------------------------------------------------------------


@settings(max_examples=25)
@given(
    n=st.integers(2, 40),
    D=st.integers(1, 10),
    rho=st.sampled_from([1e-4, 0.1, 10.0]),
    scale=st.sampled_from([0.1, 1.0, 10.0]),
)
def test_both_sides_agree_and_are_scikit_learns(n, D, rho, scale):
    Phi, Y = scale * normal(n, D) + 1, normal(n, 3, seed=1) - 2
    found = discriminant_terms(Phi, Y, rho, gap=0.0)
    assert abs(found["identity_gap"]) <= 1e-8 * found["target_norm"]
    assert found["identity_gap"] == found["ridge_error"] - found["predicted_error"]
    fitted = SklearnRidge(alpha=rho, solver="svd").fit(Phi.numpy(), Y.numpy())
    error = ((fitted.predict(Phi.numpy()) - Y.numpy()) ** 2).sum() + rho * (fitted.coef_**2).sum()
    assert found["ridge_error"] == pytest.approx(error / n, rel=1e-8, abs=1e-8 * found["target_norm"])
    assert 0 <= found["discriminant_information"] <= found["target_norm"] * (1 + 1e-9)


def test_features_that_say_nothing_and_everything():
    Y = torch.eye(4, dtype=torch.float64).repeat(5, 1)
    nothing = discriminant_terms(torch.ones(20, 2), Y, 1e-4, gap=0.25)
    assert nothing["discriminant_information"] == pytest.approx(0, abs=1e-12)
    assert nothing["predicted_error"] == pytest.approx(0.75)  # 1 − Σ p_c² for four equal classes
    assert nothing["gap"] == 0.25
    everything = discriminant_terms(1e3 * Y, Y, 1e-4, gap=0.0)
    assert everything["predicted_error"] == pytest.approx(0, abs=1e-9)


def test_the_terms_are_those_that_are_described():
    described = [term.key for term in BOUNDS["discriminant"].terms]
    found = discriminant_terms(normal(9, 2), normal(9, 1), 0.1, gap=0.0)
    assert list(found) == described
    bound = BOUNDS["discriminant"]
    assert sum(found[key] for key in bound.stack) == pytest.approx(found[bound.total])


def test_the_benchmark_compares_two_ways_to_one_gradient():
    figures = BENCHMARKS["nysdi-gradient"](m=120, J=40, d=5, K=3, rho=1.0, rounds=3)
    assert figures["relative_difference_value"] < 1e-12
    assert figures["relative_difference_gradient"] < 1e-7
    assert min(figures["times_faster"], figures["share_of_floor"]) > 0

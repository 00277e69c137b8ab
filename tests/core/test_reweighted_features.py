"""Re-weighted features: the kernel they stand for, and what one step of the χ²-ball solver leaves."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from kernlab.errors import OptionError
from kernlab.feature_maps import Stationary, Weighted
from kernlab.linalg import alignment
from kernlab.solvers import ChiSquareBall, Problem, parameters
from kernlab.solvers.chi_square_ball import chi_square_ball, relevance

N, D_IN, CANDIDATES = 200, 3, 400
RADIUS = 0.05


def problem(task: str = "classification", K: int = 2, dtype=torch.float64, seed: int = 0, weight=None, **options):
    random = torch.Generator().manual_seed(7)
    X = torch.randn(N, D_IN, generator=random, dtype=torch.float64)
    f = torch.sin(4 * X[:, 0])
    if task == "regression":
        y: torch.Tensor = torch.stack([f + 3, f * X[:, 1]], 1)[:, :K].to(dtype)
    else:
        y = torch.bucketize(f, torch.linspace(-1, 1, K + 1, dtype=torch.float64)[1:-1])
    map_ = Weighted(**{"n_features": CANDIDATES, "frequency_scale": 1.5, "phase": "shared", **options})
    return Problem(map_, None, X.to(dtype), y, K, task, seed, weight)


def solved(at: Problem, **options):
    solver = ChiSquareBall(**{"radius": RADIUS, **options})
    start = solver.start(at)
    assert solver.steps(at) == 1
    state, metrics = solver.step(at, start, 0)
    return parameters(start), state, metrics


def candidates(at: Problem, params) -> np.ndarray:
    """√2 cos(ωᵀx + b) of every candidate, in NumPy."""
    omega, phase = params["omega"][:, 0].double().numpy(), params["phase"][0].double().numpy()
    return math.sqrt(2) * np.cos(at.X.double().numpy() @ omega + phase)


def labels(at: Problem) -> np.ndarray:
    """What v is computed with: ±1, or centred columns."""
    if at.task == "classification" and at.K == 2:
        return np.where(at.y.numpy() == 1, 1.0, -1.0)[:, None]
    Y = at.Y.double().numpy()
    return Y - Y.mean(axis=0)


def test_uniform_weights_are_the_stationary_map():
    X = torch.randn(20, D_IN, dtype=torch.float64)
    weighted, stationary = (cls(n_features=50, frequency_scale=0.7) for cls in (Weighted, Stationary))
    params, same = (each.init(X, torch.Generator().manual_seed(3)) for each in (weighted, stationary))
    torch.testing.assert_close(weighted.apply(params, X), stationary.apply(same, X), rtol=0, atol=1e-13)
    assert torch.equal(weighted.frequencies(params)["omega"], stationary.frequencies(same)["omega"])


def test_pairs_are_exactly_the_weighted_sum_of_cosines():
    X = torch.randn(4, D_IN, dtype=torch.float64)
    map_ = Weighted(n_features=12, frequency_scale=0.7)
    params = map_.init(X, torch.Generator().manual_seed(0))
    q = torch.tensor([0.4, 0.3, 0.2, 0.1, 0.0, 0.0], dtype=torch.float64)
    assert params["q"].shape == q.shape
    Phi, z = map_.apply({**params, "q": q}, X), X @ params["omega"][:, 0]
    torch.testing.assert_close(Phi @ Phi.T, (torch.cos(z[:, None] - z[None]) * q).sum(-1), rtol=1e-12, atol=1e-12)
    assert map_.columns({**params, "q": q[:4]}) == 8


@pytest.mark.parametrize(("task", "K"), [("classification", 2), ("classification", 3), ("regression", 2)])
def test_the_values_of_pairs_are_the_power_of_the_targets_at_each_frequency(task, K):
    """v_m = Σ_k |Σ_i exp(iω_mᵀx_i) ȳ_ik|², by complex numbers in NumPy."""
    at = problem(task, K, phase="paired")
    start, state, metrics = solved(at)
    assert len(start["q"]) == CANDIDATES // 2
    waves = np.exp(1j * at.X.numpy() @ start["omega"][:, 0].numpy())
    v = (np.abs(waves.T @ labels(at)) ** 2).sum(axis=1)
    np.testing.assert_allclose(relevance(at, start, torch.from_numpy(labels(at))), v, rtol=1e-10)
    q = chi_square_ball(v, RADIUS * CANDIDATES / 2)
    kept = np.argsort(-q)[: (q > 0).sum()]
    np.testing.assert_allclose(state["q"], q[kept], rtol=1e-7)
    np.testing.assert_array_equal(state["omega"], start["omega"][..., kept])
    assert set(state) == {"omega", "q"}
    assert metrics["support"] == len(kept)
    assert metrics["alignment_after"] == pytest.approx(alignment(at.representation.apply(state, at.X), at.Y))
    many = solved(at, resample=61)[1]["q"] * 31  # 31 draws of pairs have at least 61 columns
    torch.testing.assert_close(many, many.round())


def test_the_kernel_is_the_weighted_sum_of_cosines():
    """Over random phases: Σ q_m cos ω_mᵀ(x − x') is what 2 Σ q_m cos(…+b) cos(…+b) averages to."""
    X = torch.randn(4, D_IN, dtype=torch.float64)
    map_ = Weighted(n_features=6, frequency_scale=0.7, phase="shared")
    params = map_.init(X, torch.Generator().manual_seed(0))
    q = torch.tensor([0.4, 0.3, 0.2, 0.1, 0.0, 0.0], dtype=torch.float64)
    turns = torch.arange(8, dtype=torch.float64) * (2 * math.pi / 8)  # eight equal turns average a product exactly
    K = torch.stack(
        [(Phi := map_.apply({**params, "q": q, "phase": params["phase"] + t}, X)) @ Phi.T for t in turns]
    ).mean(0)
    z = X @ params["omega"][:, 0]
    torch.testing.assert_close(K, (torch.cos(z[:, None] - z[None]) * q).sum(-1), rtol=1e-12, atol=1e-12)
    assert map_.columns({**params, "q": q[:4]}) == 4


@pytest.mark.parametrize(("task", "K"), [("classification", 2), ("classification", 3), ("regression", 2)])
def test_the_values_are_what_the_formula_says(task, K):
    at = problem(task, K)
    start, state, metrics = solved(at)
    Phi, Y = candidates(at, start), labels(at)
    v = ((Phi.T @ Y) ** 2).sum(axis=1)
    q = chi_square_ball(v, RADIUS * CANDIDATES)
    kept = np.argsort(-q)[: (q > 0).sum()]
    np.testing.assert_allclose(state["q"], q[kept], rtol=1e-7)
    np.testing.assert_array_equal(state["omega"], start["omega"][..., kept])
    np.testing.assert_array_equal(state["phase"], start["phase"][:, kept])
    assert set(state) == {"omega", "phase", "q"}
    assert metrics["chi_square"] == pytest.approx(RADIUS * CANDIDATES, rel=1e-6)
    assert metrics["support"] == len(kept) < CANDIDATES
    assert metrics["effective_size"] == pytest.approx(1 / (q**2).sum())
    assert metrics["gain"] == pytest.approx(q @ v / v.mean())
    assert metrics["gain"] > 2
    K_q, L = (Phi * q) @ Phi.T, Y @ Y.T
    assert metrics["objective"] == pytest.approx(-(K_q * L).sum() / (N * np.linalg.norm(L)))


def test_alignment_rises_and_is_that_of_the_two_kernels():
    at = problem(K=3)
    start, state, metrics = solved(at)
    before, after = (at.representation.apply(p, at.X) for p in (start, parameters(state)))
    assert metrics["alignment_before"] == pytest.approx(alignment(before, at.Y))
    assert metrics["alignment_after"] == pytest.approx(alignment(after, at.Y))
    assert metrics["alignment_after"] > 1.5 * metrics["alignment_before"]


def test_blocks_of_rows_change_nothing(monkeypatch):
    at = problem(K=3)
    params = ChiSquareBall().start(at)
    whole = relevance(at, params, at.Y)
    monkeypatch.setattr("kernlab.heads.base.BLOCK", 7 * CANDIDATES)
    np.testing.assert_allclose(relevance(at, params, at.Y), whole, rtol=1e-12)


def test_both_algorithms_leave_the_same_model():
    exact, bisection = (solved(problem(), algorithm=name)[1] for name in ("exact", "bisection"))
    for name in ("omega", "phase", "q"):
        torch.testing.assert_close(exact[name], bisection[name], rtol=0, atol=1e-8)


def test_a_seed_fixes_everything_and_single_precision_agrees():
    first, again, other = (solved(problem(seed=seed), resample=30)[1] for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["omega"], other["omega"])
    wide, narrow = solved(problem())[2], solved(problem(dtype=torch.float32))[2]
    assert {k: round(v, 4) for k, v in narrow.items()} == pytest.approx(wide, rel=1e-3, abs=1e-4)


def test_resampled_features_stand_once_with_their_share_of_the_draws():
    at = problem()
    _, kept, _ = solved(at)
    _, state, metrics = solved(at, resample=60)
    counts = state["q"] * 60
    assert float(state["q"].sum()) == pytest.approx(1)
    torch.testing.assert_close(counts, counts.round())
    assert len(counts) == metrics["support"] <= 60
    assert metrics["chi_square"] == pytest.approx(CANDIDATES * float((state["q"] ** 2).sum()) - 1)
    columns = {tuple(column) for column in kept["omega"][:, 0].T.tolist()}
    assert {tuple(column) for column in state["omega"][:, 0].T.tolist()} <= columns
    # The draws follow q: many of them give q back.
    _, many, _ = solved(at, resample=200_000)
    np.testing.assert_allclose(many["q"].sort().values[-20:], kept["q"].sort().values[-20:], rtol=0.1)


def test_whole_weights_are_repeated_rows():
    weight = torch.randint(0, 3, (N,), generator=torch.Generator().manual_seed(0)).double()
    for K in (2, 3):
        at = problem(K=K)
        repeated = at.y.repeat_interleave(weight.long()), at.X.repeat_interleave(weight.long(), 0)
        twice = Problem(at.representation, None, repeated[1], repeated[0], K, at.task)
        weighted = solved(problem(K=K, weight=weight / weight.mean()))[1]
        expected = solved(twice)[1]
        for name in ("omega", "phase", "q"):
            torch.testing.assert_close(weighted[name], expected[name])


def test_signs_of_two_classes_can_be_centred():
    at = problem(K=2)
    y = (torch.arange(N) % 5 == 0).long()
    at = Problem(at.representation, None, at.X, y, 2, at.task)
    start, plain, _ = solved(at)
    _, centred, _ = solved(at, centred=True)
    Phi = candidates(at, start)
    signs = 2 * y.numpy() - 1.0
    for state, Y in ((plain, signs), (centred, signs + 0.6)):
        q = chi_square_ball((Phi.T @ Y) ** 2, RADIUS * CANDIDATES)
        np.testing.assert_allclose(state["q"], np.sort(q[q > 0])[::-1], rtol=1e-7)


def test_a_trivial_ball_is_refused_with_the_reason():
    with pytest.raises(OptionError, match=r"room for more than one feature.*0\.999"):
        ChiSquareBall(radius=0.999).start(problem())
    with pytest.raises(OptionError, match="leave uniform"):
        ChiSquareBall(radius=1e-40).start(problem())
    for radius in (0.0, -1.0):
        with pytest.raises(OptionError, match="radius must be a number above 0"):
            ChiSquareBall.build(radius=radius)
    # Just inside both limits there is an answer.
    assert solved(problem(), radius=0.99)[2]["support"] >= 2
    assert solved(problem(), radius=1e-12)[2]["support"] == CANDIDATES

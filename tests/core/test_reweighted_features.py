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
    """√2 cos(ωᵀx + b) of every candidate, or exp(iωᵀx) of pairs, in NumPy."""
    z = at.X.double().numpy() @ params["omega"][:, 0].double().numpy()
    if "phase" not in params:
        return np.exp(1j * z)
    return math.sqrt(2) * np.cos(z + params["phase"][0].double().numpy())


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


@pytest.mark.parametrize("phase", ["paired", "shared"])
def test_the_kernel_is_the_weighted_sum_of_cosines(phase):
    """Exactly of pairs; over random phases 2 Σ q_m cos(…+b) cos(…+b) averages to Σ q_m cos ω_mᵀ(x − x')."""
    X = torch.randn(4, D_IN, dtype=torch.float64)
    map_ = Weighted(n_features=12 if phase == "paired" else 6, frequency_scale=0.7, phase=phase)
    params = map_.init(X, torch.Generator().manual_seed(0))
    params["q"] = torch.tensor([0.4, 0.3, 0.2, 0.1, 0.0, 0.0], dtype=torch.float64)
    turns = torch.arange(8, dtype=torch.float64) * (2 * math.pi / 8)  # eight equal turns average a product exactly
    turned = [params] if phase == "paired" else [{**params, "phase": params["phase"] + turn} for turn in turns]
    K = torch.stack([(Phi := map_.apply(each, X)) @ Phi.T for each in turned]).mean(0)
    z = X @ params["omega"][:, 0]
    torch.testing.assert_close(K, (torch.cos(z[:, None] - z[None]) * params["q"]).sum(-1), rtol=1e-12, atol=1e-12)
    assert map_.columns({**params, "q": params["q"][:4]}) == (8 if phase == "paired" else 4)


@pytest.mark.parametrize("phase", ["paired", "shared"])
@pytest.mark.parametrize(("task", "K"), [("classification", 2), ("classification", 3), ("regression", 2)])
def test_the_values_are_what_the_formula_says(task, K, phase):
    """v_m = Σ_k (Σ_i √2 cos(ω_mᵀx_i + b_m) ȳ_ik)², of pairs Σ_k |Σ_i exp(iω_mᵀx_i) ȳ_ik|²."""
    at = problem(task, K, phase=phase)
    start, state, metrics = solved(at)
    Phi, Y, count = candidates(at, start), labels(at), CANDIDATES // (2 if phase == "paired" else 1)
    assert len(start["q"]) == count
    v = (np.abs(Phi.T @ Y) ** 2).sum(axis=1)
    np.testing.assert_allclose(relevance(at, start, torch.from_numpy(Y)), v, rtol=1e-10)
    q = chi_square_ball(v, RADIUS * count)
    kept = np.argsort(-q)[: (q > 0).sum()]
    np.testing.assert_allclose(state["q"], q[kept], rtol=1e-7)
    assert set(state) == set(start)
    for name in set(start) - {"q"}:
        np.testing.assert_array_equal(state[name], start[name][..., kept])
    assert metrics["chi_square"] == pytest.approx(RADIUS * count, rel=1e-6)
    assert metrics["support"] == len(kept) < count
    assert metrics["effective_size"] == pytest.approx(1 / (q**2).sum())
    assert metrics["gain"] == pytest.approx(q @ v / v.mean())
    assert metrics["gain"] > 2
    K_q, L = ((Phi * q) @ Phi.conj().T).real, Y @ Y.T
    assert metrics["objective"] == pytest.approx(-(K_q * L).sum() / (N * np.linalg.norm(L)))
    assert metrics["alignment_after"] == pytest.approx(alignment(at.representation.apply(state, at.X), at.Y))


def test_alignment_rises_and_is_that_of_the_two_kernels():
    at = problem(K=3)
    start, state, metrics = solved(at)
    before, after = (at.representation.apply(p, at.X) for p in (start, parameters(state)))
    assert metrics["alignment_before"] == pytest.approx(alignment(before, at.Y))
    assert metrics["alignment_after"] == pytest.approx(alignment(after, at.Y))
    assert metrics["alignment_after"] > 1.5 * metrics["alignment_before"]


def test_alignments_of_many_rows_are_measured_on_a_thousand_spread_evenly():
    X = torch.randn(1203, D_IN, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    at = Problem(problem().representation, None, X, (X[:, 0] > 0).long(), 2, "classification")
    start, state, metrics = solved(at)
    rows = np.floor(np.linspace(0, 1202, 1000)).astype(int)
    for name, params in (("before", start), ("after", state)):
        Phi = at.representation.apply(params, X[rows])
        assert metrics[f"alignment_{name}"] == pytest.approx(alignment(Phi, at.Y[rows]), rel=1e-9)


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
    pairs = solved(problem(phase="paired"), resample=61)[1]["q"] * 31  # 31 draws of pairs have at least 61 columns
    torch.testing.assert_close(pairs, pairs.round())
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
    for radius in (1e-40, torch.finfo(torch.float64).eps ** 2 / CANDIDATES):
        with pytest.raises(OptionError, match="leave uniform"):
            ChiSquareBall(radius=radius).start(problem())
    with pytest.raises(OptionError, match="room for more than one feature"):
        ChiSquareBall(radius=1 - 1 / CANDIDATES).start(problem())  # the ball touches the vertices
    for radius in (0.0, -1.0):
        with pytest.raises(OptionError, match="radius must be a number above 0"):
            ChiSquareBall.build(radius=radius)
    # Just inside both limits there is an answer.
    assert solved(problem(), radius=0.99)[2]["support"] >= 2
    assert solved(problem(), radius=1e-12)[2]["support"] == CANDIDATES


def test_targets_of_nothing_leave_the_weights_uniform():
    at = problem("regression")
    at = Problem(at.representation, None, at.X, torch.zeros_like(at.X[:, :1]), 1, "regression")
    _, state, metrics = solved(at)
    assert (metrics["objective"], metrics["gain"], metrics["support"]) == (0, 1, CANDIDATES)
    assert float(state["q"].std()) == 0


def test_the_draws_of_resampled_features_follow_the_seed():
    at, solver = problem(), ChiSquareBall(radius=RADIUS, resample=30)
    start = solver.start(at)
    first, again, other = (solver.step(problem(seed=seed), start, 0)[0]["omega"] for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert first.shape != other.shape or not torch.equal(first, other)


def test_the_radius_is_chosen_where_rows_are_held_back():
    for radius, validation, chosen in ((0.1, 0.0, 0.1), ("auto", 0.0, 0.005), ("auto", 0.2, "auto"), (0.1, 0.2, 0.1)):
        assert ChiSquareBall(radius=radius, validation=validation).resolve(2).radius == chosen
    assert ChiSquareBall(radius=0.1).candidates(problem()) == (ChiSquareBall(radius=0.1),)
    radii = [each.radius for each in ChiSquareBall().candidates(problem())]
    assert radii == sorted(radii, reverse=True)

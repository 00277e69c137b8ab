"""Frame kernel selection: its constants against minimisation over λ, its solvers against each other and SciPy."""

from __future__ import annotations

import gc
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar
from sklearn.linear_model import Lasso, MultiTaskLasso

from kernlab.errors import CompositionError, OptionError
from kernlab.feature_maps import FourierFrame, WaveletFrame
from kernlab.solvers import FrameSelection, Problem, frame_selection, parameters
from kernlab.solvers.frame_selection import (
    _subgradient_step,
    best_spectrum,
    duality_gap,
    means,
    penalty_constant,
    penalty_exponent,
    power_prox,
)

GAMMAS = [1.0, 1.5, 2.0, 3.0]
FRAME = FourierFrame(order=6)


def problem(K: int = 1, n: int = 150, d: int = 2, task: str = "regression", frame=FRAME, seed: int = 0) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    signal = np.sin(4 * X[:, :1]) + np.abs(X[:, 1:2]) * np.arange(1, K + 1)
    Y = signal + 0.3 * rng.normal(size=(n, K))
    if task == "classification":
        codes = torch.from_numpy((signal[:, 0] > 0.5).astype(np.int64) + (signal[:, 0] > 1))
        return Problem(frame, None, torch.from_numpy(X), codes, 3, "classification")
    Y = (Y - Y.mean(0)) / Y.std(0)
    return Problem(frame, None, torch.from_numpy(X), torch.from_numpy(Y), K, "regression")


def solve(solver: FrameSelection, given: Problem):
    """The last state, and the metrics of all steps."""
    state, seen = solver.start(given), []
    for number in range(solver.steps(given)):
        state, metrics = solver.step(given, state, number)
        seen.append(metrics)
        if solver.done(state):
            break
    return state, seen


def features(given: Problem) -> np.ndarray:
    return given.representation.frame(given.X).numpy()


def objective(Phi, Y, mu, c, p, weight=None) -> float:
    squares = ((Phi @ mu - Y) ** 2).sum(1)
    return float(np.average(squares, weights=weight) + c * (np.linalg.norm(mu, axis=1) ** p).sum())


# -- the constants -----------------------------------------------------------------------------------------------


@given(
    gamma=st.sampled_from(GAMMAS),
    g=st.floats(1e-3, 10),
    b=st.floats(0.05, 20),
    length=st.floats(0.01, 10),
)
@settings(max_examples=40)
def test_the_constants_are_those_of_the_minimum_over_the_spectrum(gamma, g, b, length):
    def price(log_spectrum: float) -> float:
        spectrum = math.exp(log_spectrum)
        return g * length**2 / spectrum + b * spectrum**gamma

    found = minimize_scalar(price, bounds=(-20, 20), method="bounded", options={"xatol": 1e-10})
    mu = torch.tensor([[length]], dtype=torch.float64)
    assert float(best_spectrum(mu, g, b, gamma)) == pytest.approx(math.exp(found.x), rel=1e-5)
    assert penalty_constant(g, b, gamma) * length ** penalty_exponent(gamma) == pytest.approx(found.fun, rel=1e-9)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_papers_constants_are_right_for_gamma_one_only(gamma):
    g, b, length = 0.3, 2.0, 1.7
    printed = 2 * (g * b ** (1 / gamma)) ** (gamma / (gamma + 1))
    printed_spectrum = (g * length**2 / b) ** (1 / (gamma + 1))
    spectrum = float(best_spectrum(torch.tensor([[length]], dtype=torch.float64), g, b, gamma))
    same = math.isclose(printed, penalty_constant(g, b, gamma), rel_tol=1e-12)
    assert same == math.isclose(printed_spectrum, spectrum, rel_tol=1e-12) == (gamma == 1)


def test_several_outputs_share_the_spectrum_of_their_common_norm():
    mu = torch.tensor([[3.0, 4.0], [0.0, 0.0]], dtype=torch.float64)
    both = best_spectrum(mu, 0.1, 1.0, 2.0)
    assert float(both[0]) == float(best_spectrum(torch.tensor([[5.0]], dtype=torch.float64), 0.1, 1.0, 2.0))
    assert float(both[1]) == 0


# -- the proximal map --------------------------------------------------------------------------------------------


@given(
    p=st.one_of(st.just(1.0), st.floats(1.01, 1.99)),
    threshold=st.floats(1e-6, 1e3),
    length=st.floats(1e-8, 1e3),
)
@settings(max_examples=80)
@example(p=1.5, threshold=1.0, length=2.0)
def test_the_proximal_map_solves_its_equation(p, threshold, length):
    V = torch.tensor([[0.6, -0.8]], dtype=torch.float64) * length
    r = float(power_prox(V, threshold, p)[0, 0]) / 0.6  # a norm would square it, and underflow
    if p == 1:
        assert r == pytest.approx(max(0, length - threshold), abs=1e-12 * length)
    elif r > 1e-250:  # below, the new length is 0 in floating point
        assert r + threshold * p * r ** (p - 1) == pytest.approx(length, rel=1e-9)


def test_the_proximal_map_keeps_directions_and_zeros():
    V = torch.tensor([[3.0, 4.0], [0.0, 0.0]], dtype=torch.float64)
    out = power_prox(V, 0.5, 1.5)
    assert (out[1] == 0).all()
    assert float(out[0, 0] / out[0, 1]) == pytest.approx(0.75)
    torch.testing.assert_close(power_prox(V, 0.0, 1.5), V)


# -- the solvers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_the_means_are_those_of_the_whole_matrix(weighted):
    given = problem(K=2)
    if weighted:
        given = replace(given, weight=torch.arange(150).remainder(4).double())
    Phi, Y = features(given), given.Y.numpy()
    w = np.ones(150) if given.weight is None else given.weight.numpy()
    of = means(given)
    np.testing.assert_allclose(of.gram, (Phi * w[:, None]).T @ Phi / w.sum(), atol=1e-13)
    np.testing.assert_allclose(of.cross, (Phi * w[:, None]).T @ Y / w.sum(), atol=1e-13)
    assert of.square == pytest.approx(np.average((Y**2).sum(1), weights=w))
    for each in (of, means(problem(frame=FourierFrame(order=30)))):  # a small matrix and a large one
        largest = float(np.linalg.eigvalsh(each.gram.numpy())[-1])
        assert largest <= each.curvature <= (1 + 1e-5) * largest
    mu = torch.randn(Phi.shape[1], 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert of.loss(mu) == pytest.approx(objective(Phi, Y, mu.numpy(), 0, 1, w))


@pytest.mark.parametrize("frame", [FourierFrame(order=30), WaveletFrame()])
@pytest.mark.parametrize("g", [1e-2, 1e-4])
def test_lasso_reaches_the_objective_of_scikit_learn_run_to_convergence(frame, g):
    given = problem(frame=frame)
    Phi, y, c = features(given), given.Y.numpy(), penalty_constant(g, 1.0, 1.0)
    reference = Lasso(alpha=c / 2, fit_intercept=False, tol=1e-10, max_iter=200_000).fit(Phi, y[:, 0])
    best = objective(Phi, y, reference.coef_[:, None], c, 1)
    state, (seen,) = solve(FrameSelection(g=g, tolerance=1e-4), given)
    assert seen["objective"] == pytest.approx(best, rel=1e-4)
    assert objective(Phi, y, state["solver/mu"].numpy(), c, 1) == pytest.approx(seen["objective"], rel=1e-9)
    assert 0 <= seen["duality_gap"] <= 1e-4


def test_several_outputs_reach_the_objective_of_the_multi_task_lasso():
    given, g = problem(K=3), 1e-3
    Phi, Y, c = features(given), given.Y.numpy(), penalty_constant(g, 1.0, 1.0)
    reference = MultiTaskLasso(alpha=c / 2, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(Phi, Y)
    best = objective(Phi, Y, reference.coef_.T, c, 1)
    for algorithm in ("lasso", "fista"):
        state, seen = solve(FrameSelection(g=g, algorithm=algorithm, tolerance=1e-4), given)
        assert seen[-1]["objective"] == pytest.approx(best, rel=2e-4)
        rows = state["solver/mu"] != 0
        assert (rows.any(1) == rows.all(1)).all()  # one kernel for all outputs
        assert 0 < int(rows.any(1).sum()) < len(rows)


@pytest.mark.parametrize("gamma", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("K", [1, 2])
def test_the_optimality_conditions_hold(gamma, K):
    given = problem(K=K)
    solver = FrameSelection(algorithm="fista", g=3e-3, gamma=gamma, tolerance=1e-10)
    state, _ = solve(solver, given)
    mu, c, p = state["solver/mu"], penalty_constant(3e-3, 1.0, gamma), penalty_exponent(gamma)
    gradient, length = means(given).gradient(mu), mu.norm(dim=1, keepdim=True)
    used = length[:, 0] > 1e-9
    force = c * p * mu * length.where(length > 0, 1.0) ** (p - 2)
    assert used.any()
    np.testing.assert_allclose(gradient[used], -force[used], atol=3e-5)
    assert float(gradient[~used].norm(dim=1).max() if (~used).any() else 0) <= c + 3e-5


@pytest.mark.parametrize("gamma", [1.5, 2.0])
def test_a_quasi_newton_method_finds_the_same_minimum(gamma):
    given = problem(frame=FourierFrame(order=3))
    Phi, y = features(given), given.Y.numpy()
    c, p = penalty_constant(0.01, 1.0, gamma), penalty_exponent(gamma)

    def value(mu: np.ndarray) -> tuple[float, np.ndarray]:
        residual = Phi @ mu - y[:, 0]
        slope = 2 * Phi.T @ residual / len(y) + c * p * np.sign(mu) * np.abs(mu) ** (p - 1)
        return float(residual @ residual / len(y) + c * (np.abs(mu) ** p).sum()), slope

    found = minimize(value, np.full(Phi.shape[1], 0.1), jac=True, method="L-BFGS-B", options={"maxiter": 5000})
    _, seen = solve(FrameSelection(algorithm="fista", g=0.01, gamma=gamma, tolerance=1e-8), given)
    assert seen[-1]["objective"] == pytest.approx(found.fun, rel=1e-5)
    assert seen[-1]["objective"] <= found.fun * (1 + 1e-7)


@pytest.mark.parametrize("gamma", [1.0, 2.0])
def test_the_joint_problem_in_weights_and_spectrum_has_the_same_value(gamma):
    # FKS eq. 12 at the state that is left behind: (1/n)‖Ψw − y‖² + g‖w‖² + bΣλ^γ.
    given, g, b = problem(K=2), 1e-3, 3.0
    state, seen = solve(FrameSelection(algorithm="fista", g=g, b=b, gamma=gamma), given)
    F = given.representation.apply(state, given.X) @ state["weight"]
    joint = (F - given.Y).square().sum(1).mean() + g * state["weight"].square().sum()
    joint = joint + b * state["spectrum"].pow(gamma).sum()
    assert float(joint) == pytest.approx(seen[-1]["objective"], rel=1e-6)


@given(gamma=st.sampled_from(GAMMAS), seed=st.integers(0, 50), size=st.floats(0, 2))
@settings(max_examples=25)
def test_the_duality_gap_is_never_smaller_than_the_distance_to_the_optimum(gamma, seed, size):
    given, c, p = problem(n=60), penalty_constant(1e-2, 1.0, gamma), penalty_exponent(gamma)
    of, D = means(given), 25
    mu = size * torch.randn(D, 1, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    _, seen = solve(FrameSelection(algorithm="fista", g=1e-2, gamma=gamma, tolerance=1e-8), given)
    here = of.loss(mu) + c * float((mu.norm(dim=1) ** p).sum())
    assert duality_gap(of, mu, c, p) >= here - seen[-1]["objective"]


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("size", [0.0, 0.01, 0.3, 1.01, -2.0])
def test_the_duality_gap_is_that_of_the_best_multiple_of_the_residual(gamma, size):
    """Fenchel's dual objective written out on the rows, at multiples of the least squares solution."""
    given, p = problem(K=2, n=60, frame=FourierFrame(order=2)), penalty_exponent(gamma)
    c = penalty_constant(1e-2, 1.0, gamma)
    Phi, Y = features(given), given.Y.numpy()
    mu = size * np.linalg.lstsq(Phi, Y, rcond=None)[0]
    R = Y - Phi @ mu
    slope = 2 / 60 * np.linalg.norm(Phi.T @ R, axis=1)

    def dual(s: float) -> float:
        r = (s * slope / (c * p)) ** (1 / (p - 1)) if p > 1 else 0 * slope  # where s·u·r − c·r^p is largest
        return float((2 * s * (R * Y).sum() - s**2 * (R**2).sum()) / 60 - (s * slope * r - c * r**p).sum() * (p > 1))

    largest = max(dual(s) for s in np.linspace(0, c / slope.max() if p == 1 else 1, 2001).tolist())
    found = duality_gap(means(given), torch.from_numpy(mu), c, p)
    assert found == pytest.approx(objective(Phi, Y, mu, c, p) - largest, rel=1e-4 if p == 1 else 2e-3)


@pytest.mark.parametrize("size", [1.001, 1.1, 3.0])
def test_the_duality_gap_is_no_smaller_than_the_distance_where_a_function_overshoots_its_target(size):
    """Then <R, Y> is negative, and the best multiple of the residual is as far below 0 as the penalty allows."""
    X = torch.linspace(-1, 1, 50, dtype=torch.float64)[:, None]
    given, c = Problem(FourierFrame(order=3), None, X, torch.sin(2 * X), 1, "regression"), 0.02
    of, one = means(given), torch.eye(7, dtype=torch.float64)[:, 5:6]
    along = [of.loss(m * one) + c * m for m in np.linspace(0.9, 1.0, 101).tolist()]
    here = of.loss(size * one) + c * size
    assert duality_gap(of, size * one, c, 1.0) >= here - min(along) > 0


@pytest.mark.parametrize("gamma", [1.0, 2.0])
def test_sub_gradients_come_within_a_few_percent_where_functions_are_nearly_orthogonal(gamma):
    given = problem(n=400, frame=FourierFrame(order=6, omega_0=3.0))
    options = {"g": 1e-4, "gamma": gamma}
    best = solve(FrameSelection(algorithm="fista", **options), given)[1][-1]["objective"]
    _, seen = solve(FrameSelection(algorithm="subgradient", **options), given)
    values = [metrics["objective"] for metrics in seen]
    assert values == sorted(values, reverse=True)
    assert best <= values[-1] * (1 + 1e-4)
    assert values[-1] <= 1.05 * best
    changes = [metrics["relative_change"] for metrics in seen]
    assert changes[-1] <= 0.01 < min(changes[:-1])  # the paper's rule


@pytest.mark.parametrize("gamma", [1.0, 3.0])
def test_a_sub_gradient_step_ends_at_the_minimum_on_its_line(gamma):
    """Brent's method finds no lower value on it."""
    given = problem(K=2)
    of, p, c = means(given), penalty_exponent(gamma), penalty_constant(0.01, 1.0, gamma)
    mu = torch.randn(len(of.gram), 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def value(at) -> float:
        return of.loss(at) + c * float((at.norm(dim=1) ** p).sum())

    found = _subgradient_step(of, c, p, mu)
    line = found - mu
    best = minimize_scalar(lambda rate: value(mu + rate * line), bracket=(0, 1, 2), tol=1e-12)
    assert best.x == pytest.approx(1, abs=1e-5)
    assert value(found) < value(mu)


def test_classes_share_one_kernel_and_are_separated():
    given = problem(task="classification", n=300)
    state, (seen,) = solve(FrameSelection(g=1e-4, algorithm="lasso"), given)
    F = given.representation.apply(state, given.X) @ state["weight"]
    assert F.shape == (300, 3)
    largest = float(torch.bincount(given.y).max()) / 300
    assert float((F.argmax(1) == given.y).double().mean()) > largest + 0.2
    assert seen["loss"] == pytest.approx(float((F - given.Y).square().sum(1).mean()), rel=1e-9)


@pytest.mark.parametrize("algorithm", ["lasso", "fista", "subgradient"])
def test_a_weight_of_two_is_a_row_twice(algorithm):
    given, solver = problem(), FrameSelection(g=1e-3, algorithm=algorithm, tolerance=1e-7)
    twice = torch.cat([given.X, given.X[:40]]), torch.cat([given.y, given.y[:40]])
    weight = torch.ones(150, dtype=torch.float64).index_fill(0, torch.arange(40), 2.0)
    copied, as_copies = solve(solver, replace(given, X=twice[0], y=twice[1]))
    weighted, as_weights = solve(solver, replace(given, weight=weight))
    if algorithm == "subgradient":  # later, rounding decides on which side of a kink it goes on
        assert as_weights[0] == pytest.approx(as_copies[0], rel=1e-9)
        return
    assert as_weights[-1]["objective"] == pytest.approx(as_copies[-1]["objective"], rel=1e-6)
    Phi = features(given)
    np.testing.assert_allclose(Phi @ weighted["solver/mu"].numpy(), Phi @ copied["solver/mu"].numpy(), atol=1e-3)


def test_the_state_holds_the_model_in_its_own_precision():
    given = problem(n=60)
    narrow = replace(given, X=given.X.float(), y=given.y.float())
    state, (seen,) = solve(FrameSelection(g=1e-3), narrow)
    assert set(parameters(state)) == {"spectrum", "weight"}
    assert state["spectrum"].dtype == state["weight"].dtype == torch.float32
    F = narrow.representation.apply(state, narrow.X) @ state["weight"]
    assert float((F - narrow.Y).square().mean()) == pytest.approx(seen["loss"], rel=1e-4)
    unused = state["spectrum"] == 0
    assert 0 < int(unused.sum()) < len(unused)
    assert (state["weight"][unused] == 0).all()
    assert seen["nonzero"] == int((~unused).sum())
    assert seen["objective"] == pytest.approx(seen["loss"] + seen["penalty"])


@pytest.mark.parametrize("algorithm", ["fista", "subgradient"])
def test_a_run_taken_up_again_is_the_run(algorithm):
    given, solver = problem(), FrameSelection(algorithm=algorithm, g=1e-3)
    state = solver.start(given)
    for number in range(4):
        state, _ = solver.step(given, state, number)
        if number == 1:
            kept = {name: value.clone() for name, value in state.items()}
    anew = replace(given)  # nothing but the state is left
    for number in (2, 3):
        kept, _ = solver.step(anew, kept, number)
    assert all(torch.equal(kept[name], state[name]) for name in state)


def test_what_was_gathered_of_a_problem_goes_with_it():
    given = problem(n=30)
    solve(FrameSelection(g=1e-3), given)
    assert given in frame_selection._MEANS
    before = len(frame_selection._MEANS)
    del given
    gc.collect()
    assert len(frame_selection._MEANS) < before


def test_the_last_step_of_fista_ends_with_the_iterations():
    given = problem(n=30)
    short = FrameSelection(g=1e-5, algorithm="fista", max_iterations=25, tolerance=1e-12)
    assert short.steps(given) == 2
    state, seen = solve(short, given)
    c, nothing = penalty_constant(1e-5, 1.0, 1.0), torch.zeros(25, 1, dtype=torch.float64)
    first = frame_selection._fista(means(given), c, 1.0, nothing, nothing, 1.0, 20)
    assert len(seen) == 2
    assert torch.equal(state["solver/mu"], frame_selection._fista(means(given), c, 1.0, *first, 5)[0])


def test_fista_is_the_iteration_of_beck_and_teboulle_with_a_restart():
    """Written out in NumPy; the momentum starts anew where it points uphill (O'Donoghue & Candès 2015, eq. 13)."""
    of, c, p = means(problem(n=40)), 1e-9, 1.5
    A, b = of.gram.numpy(), of.cross.numpy()
    x = y = np.zeros_like(b)
    t, restarts = 1.0, 0
    for _ in range(300):
        after = power_prox(torch.from_numpy(y - (A @ y - b) / of.curvature), 0.5 * c / of.curvature, p).numpy()
        if np.vdot(y - after, after - x) > 0:
            t, restarts = 1.0, restarts + 1
        next_t = (1 + np.sqrt(1 + 4 * t**2)) / 2
        x, y, t = after, after + (t - 1) / next_t * (after - x), next_t
    nothing = torch.zeros_like(of.cross)
    mu, ahead, momentum = frame_selection._fista(of, c, p, nothing, nothing, 1.0, 300)
    assert restarts > 0
    assert momentum == pytest.approx(t)
    np.testing.assert_allclose(mu, x, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ahead, y, rtol=1e-6, atol=1e-9)


def test_fista_keeps_what_has_weight_or_momentum():
    of, mu = means(problem(n=40)), torch.zeros(25, 1, dtype=torch.float64)
    mu[3] = 0.1
    for at, ahead in ((mu, 0 * mu), (0 * mu, mu)):
        found = frame_selection._fista(of, 1e9, 1.0, at, ahead, 1.0, 0)
        assert torch.equal(found[0], at)
        assert torch.equal(found[1], ahead)


def test_the_lasso_ends_where_no_precision_is_left(monkeypatch):
    """A gap of 3e-14 of the objective that is never reached is asked for twice, ten times finer, and no more."""
    calls = []

    def stuck(X, y, *, tol, **options):
        calls.append(tol)
        return None, np.zeros((25, 1)), None, [1]

    monkeypatch.setattr("sklearn.linear_model.lasso_path", stuck)
    monkeypatch.setattr(frame_selection, "duality_gap", lambda *given: math.inf)
    frame_selection.lasso(means(problem(n=40)), 1e-3, 3e-14, 100)
    assert calls == pytest.approx([3e-14, 3e-15], abs=0)


def test_a_solver_is_done_from_its_tolerance_on():
    for solver, enough in ((FrameSelection(tolerance=0.3), 0.3), (FrameSelection(algorithm="subgradient"), 0.01)):
        for rest in (0.5 * enough, enough, 1.01 * enough):
            assert solver.done({"solver/rest": torch.tensor(rest, dtype=torch.float64)}) == (rest <= enough)


def test_candidates_are_judged_by_rough_solutions_and_g_is_chosen_where_rows_are_held_back():
    assert [FrameSelection(tolerance=each).rough().tolerance for each in (1e-3, 0.05, 0.2)] == [0.05, 0.05, 0.2]
    for g, validation, chosen in ((0.1, 0.0, 0.1), ("auto", 0.0, 1e-5), ("auto", 0.2, "auto"), (0.1, 0.2, 0.1)):
        assert FrameSelection(g=g, validation=validation).resolve(1).g == chosen


def test_too_few_sweeps_show_in_the_gap():
    _, (seen,) = solve(FrameSelection(g=1e-6, max_iterations=2), problem(frame=FourierFrame(order=30)))
    assert seen["duality_gap"] > FrameSelection().tolerance


def test_targets_of_nothing_need_nothing():
    given = replace(problem(), y=torch.zeros(150, 1, dtype=torch.float64))
    for algorithm in ("lasso", "fista", "subgradient"):
        state, seen = solve(FrameSelection(g=1e-5, algorithm=algorithm), given)
        assert (seen[-1]["objective"], seen[-1]["nonzero"], len(seen)) == (0, 0, 1)
        assert (state["weight"] == 0).all()
    assert len({each.g for each in FrameSelection(g="auto").candidates(given)}) == 9


def test_the_automatic_algorithm_is_the_lasso_for_one_output_and_gamma_one_alone():
    assert FrameSelection(g=1e-4).resolve(1).algorithm == "lasso"
    assert FrameSelection(g=1e-4, gamma=1.5).resolve(1).algorithm == "fista"
    assert FrameSelection(g=1e-4).resolve(3).algorithm == "fista"
    with pytest.raises(CompositionError, match="Set algorithm=fista, or gamma=1") as refused:
        FrameSelection(gamma=2.0, algorithm="lasso").start(problem())
    assert "exponent 2γ/(γ+1) is more than 1" in str(refused.value)


@pytest.mark.parametrize("bad", [{"gamma": 0.5}, {"g": 0.0}, {"g": -1.0}, {"b": 0.0}, {"tolerance": 0.0}])
def test_options_out_of_range_are_refused(bad):
    with pytest.raises(OptionError, match=next(iter(bad))):
        FrameSelection.build(**bad)


# -- choosing g --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", GAMMAS)
def test_candidates_step_down_from_the_penalty_that_leaves_no_function(gamma):
    given = problem(K=2)
    Phi, Y = features(given), given.Y.numpy()
    largest = 2 * np.linalg.norm(Phi.T @ Y / len(Y), axis=1).max()
    found = FrameSelection(gamma=gamma, b=0.7, algorithm="fista").candidates(given)
    constants = [penalty_constant(each.g, each.b, gamma) for each in found]
    np.testing.assert_allclose(constants, largest * 10 ** (-np.arange(1, 10) / 2), rtol=5e-3)
    assert FrameSelection(g=0.1).candidates(given) == (FrameSelection(g=0.1),)


@pytest.mark.parametrize("K", [2, 3])
def test_a_warm_start_ends_at_the_minimum_of_a_cold_one(K):
    """Iterations on the active functions alone, from the solution of a stronger penalty, against scikit-learn's."""
    given = problem(K=K)
    strong, weak = (FrameSelection(g=g, tolerance=1e-9, algorithm="fista") for g in (1e-2, 1e-4))
    before, _ = solve(strong, given)
    assert 0 < int((before["solver/mu"] != 0).any(1).sum()) < len(before["solver/mu"])
    state = weak.warm(weak.start(given), before)
    for number in range(weak.steps(given)):
        state, _ = weak.step(given, state, number)
        if weak.done(state):
            break
    Phi, Y, c = features(given), given.Y.numpy(), penalty_constant(1e-4, 1.0, 1.0)
    lasso = MultiTaskLasso(alpha=c / 2, fit_intercept=False, tol=1e-12, max_iter=200_000).fit(Phi, Y)
    ours, theirs = (objective(Phi, Y, mu, c, 1.0) for mu in (state["solver/mu"].numpy(), lasso.coef_.T))
    assert ours == pytest.approx(theirs, rel=1e-7)

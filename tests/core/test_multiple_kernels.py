"""Multiple kernel learning: the objective falls, the gap proves the end, and another solver finds the same."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVR

from kernlab.errors import DataError
from kernlab.feature_maps import Dictionary
from kernlab.heads import Expansion
from kernlab.heads.libsvm import one_for_each
from kernlab.kernels import gaussian
from kernlab.solvers import MultipleKernels, Problem, parameters
from kernlab.solvers.mkl import best_weights, part_norms, sharpened

DICTIONARY = Dictionary()


def problem(task: str = "regression", n: int = 90, K: int = 1, weight: torch.Tensor | None = None) -> Problem:
    random = torch.Generator().manual_seed(0)
    X = 2 * torch.rand(n, 3, generator=random, dtype=torch.float64) - 1
    smooth = torch.stack([torch.sin(4 * X[:, 0] + k) + X[:, 1] * X[:, 2] for k in range(max(K, 2))], dim=1)
    y = smooth.argmax(1) if task == "classification" else smooth[:, :K] + 0.1 * torch.randn(n, K, generator=random)
    return Problem(DICTIONARY, None, X, y, K, task, weight=weight)


def run(solver: MultipleKernels, of: Problem) -> tuple[dict[str, torch.Tensor], list[dict[str, float]]]:
    state, seen = solver.start(of), []
    for number in range(solver.steps(of)):
        state, metrics = solver.step(of, state, number)
        seen.append(metrics)
        if solver.done(state):
            break
    return state, seen


def alone(m: int) -> dict[str, torch.Tensor]:
    return {"theta": torch.eye(23, dtype=torch.float64)[m]}


def each_kernel(X: torch.Tensor, Z: torch.Tensor) -> np.ndarray:
    """K_1 … K_23 as one array."""
    return torch.cat([torch.stack(list(parts)) for _, parts in DICTIONARY.blocks(X, Z)], dim=1).numpy()


def outputs(state, X: torch.Tensor) -> torch.Tensor:
    params = parameters(state)
    return Expansion().scores(params, DICTIONARY.apply(params, X))


# -- the dictionary -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", range(23))
def test_every_kernel_of_the_dictionary_has_unit_slope_at_the_origin(m):
    h = 1e-3
    points = torch.tensor([[h, 0.0], [-h, 0.0]], dtype=torch.float64)
    K = DICTIONARY.gram(alone(m), points, points)
    assert float(K[0, 0] - K[0, 1] - K[1, 0] + K[1, 1]) / (4 * h * h) == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize("m", [0, 6, 12])
def test_its_gaussians_differ_from_plain_ones_by_what_a_bias_takes_up(m):
    """Between coefficients that sum to zero both are the same kernel."""
    X = problem().X
    gamma = DICTIONARY.gammas[m]
    centre = torch.eye(len(X), dtype=X.dtype) - 1 / len(X)
    plain = gaussian(X, X, (2 * gamma) ** -0.5) / (2 * gamma)
    ours = DICTIONARY.gram(alone(m), X, X)
    torch.testing.assert_close(centre @ ours @ centre, centre @ plain @ centre, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("degree", [1, 4, 10])
def test_its_polynomials_are_powers_of_a_cosine(degree):
    X = problem().X.numpy()
    lifted = np.hstack([X, np.ones((len(X), 1))])
    lifted /= np.linalg.norm(lifted, axis=1, keepdims=True)
    ours = DICTIONARY.gram(alone(12 + degree), torch.from_numpy(X), torch.from_numpy(X))
    np.testing.assert_allclose(ours, (lifted @ lifted.T) ** degree / degree, rtol=1e-9, atol=1e-12)


def test_blocks_of_rows_make_the_same_matrix(monkeypatch):
    X, params = problem().X, {"theta": torch.rand(23, dtype=torch.float64)}
    whole = DICTIONARY.gram(params, X, X)
    monkeypatch.setattr("kernlab.feature_maps.exact.PRODUCT", 10 * len(X))
    monkeypatch.setattr("kernlab.feature_maps.exact.CACHED", 7 * len(X))  # 7 rows of 10, then the other 3
    torch.testing.assert_close(DICTIONARY.gram(params, X, X), whole, rtol=1e-12, atol=1e-12)


# -- the weights ----------------------------------------------------------------------------------------------


@given(st.floats(1, 20), st.integers(0, 1000))
@settings(max_examples=30)
def test_no_other_weights_suit_the_parts_better(p, seed):
    random = np.random.default_rng(seed)
    theta, squares = torch.from_numpy(random.uniform(0.1, 1, 6)), torch.from_numpy(random.uniform(0.01, 5, 6))
    lengths = (theta.square() * squares).numpy()
    best = best_weights(theta, squares, p).numpy()
    assert np.linalg.norm(best, p) == pytest.approx(1, rel=1e-9)
    for _ in range(50):
        other = np.abs(best + 0.2 * random.normal(size=6) * best)
        other /= np.linalg.norm(other, p)
        assert (lengths / other).sum() >= (lengths / best).sum() * (1 - 1e-12)


def test_the_norms_of_the_parts():
    of = problem(n=30)
    A = torch.randn(30, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    A[5] = 0
    found = part_norms(DICTIONARY, of.X, A)
    for m in range(23):
        K = DICTIONARY.gram(alone(m), of.X, of.X)
        assert float(found[m]) == pytest.approx(float((A * (K @ A)).sum()), rel=1e-9)


# -- the whole ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [1.0, 2.0, 6.0])
@pytest.mark.parametrize(
    ("task", "K"), [("regression", 1), ("regression", 2), ("classification", 2), ("classification", 3)]
)
def test_the_objective_falls_until_the_gap_is_closed(task, K, p):
    solver = MultipleKernels(p=p, tolerance=1e-3)
    state, seen = run(solver, problem(task, K=K))
    objective = np.array([each["objective"] for each in seen])
    assert (np.diff(objective) <= 1e-4 * objective[:-1]).all()
    assert len(seen) > 1
    assert objective[-1] < objective[0]
    assert seen[-1]["gap"] <= 1e-3
    assert min(each["gap"] for each in seen) > -1e-9
    assert float(state["theta"].norm(p)) == pytest.approx(1, rel=1e-6)
    assert float(state["theta"].min()) >= 0
    assert outputs(state, problem(task, K=K).X).shape == (90, K)


def test_a_general_optimiser_finds_the_same_weights():
    """SciPy minimises J(θ) = ½ Σ θ_m q_m + C Σ |r|_ε on the ℓ₂ sphere, by its gradient −½ q; no turns are taken."""
    of = problem(n=60)
    Ks = each_kernel(of.X, of.X)
    y = of.y[:, 0].numpy()

    def machine(theta):
        K = np.tensordot(theta, Ks, 1)
        found = SVR(kernel="precomputed", C=1.0, epsilon=0.1, tol=1e-7).fit(K, y)
        alpha = np.zeros(len(y))
        alpha[found.support_] = found.dual_coef_[0]
        q = np.einsum("i,mij,j->m", alpha, Ks, alpha)
        return y @ alpha - 0.1 * np.abs(alpha).sum() - 0.5 * theta @ q, -0.5 * q

    start = np.full(23, 23**-0.5)
    sphere = {"type": "ineq", "fun": lambda t: 1 - t @ t, "jac": lambda t: -2 * t}
    found = minimize(
        machine, start, jac=True, bounds=[(0, 1)] * 23, constraints=[sphere], method="SLSQP", options={"ftol": 1e-9}
    )
    state, seen = run(MultipleKernels(p=2.0, tolerance=1e-5), of)
    assert seen[-1]["objective"] == pytest.approx(found.fun, rel=1e-4)
    np.testing.assert_allclose(state["theta"], found.x, atol=0.02)


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize(("C", "epsilon", "tolerance"), [(1.0, 0.1, 1e-7), (100.0, 0.01, 1e-3), (1e4, 0.01, 1e-6)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_promised_gap_is_reached_whatever_libsvm_leaves_open(task, C, epsilon, tolerance, weighted):
    """The gap is computed once more from the model alone; LibSVM's own precision leaves up to 0.2 of it here."""
    of = problem(task, K=2 if task == "classification" else 1)
    weight = torch.rand(90, generator=torch.Generator().manual_seed(2), dtype=torch.float64) + 0.1
    of = dataclasses.replace(of, weight=weight if weighted else None)
    state, seen = run(MultipleKernels(C=C, epsilon=epsilon, tolerance=tolerance), of)
    assert len(seen) < 30
    Ks = each_kernel(of.X, of.X)
    row = {tuple(x): i for i, x in enumerate(of.X.tolist())}
    a = np.zeros(90)
    a[[row[tuple(x)] for x in state["support"].tolist()]] = state["dual"][:, -1]
    theta, w = state["theta"].numpy(), weight.numpy() if weighted else np.ones(90)
    assert np.abs(a).max() <= C * w.max() * (1 + 1e-12)
    assert abs(a.sum()) < 1e-8 * np.abs(a).sum()
    f = np.tensordot(theta, Ks, 1) @ a + float(state["bias"][-1])
    q = np.einsum("i,mij,j->m", a, Ks, a)
    if task == "classification":
        y = 2.0 * of.y.numpy() - 1
        loss, linear = np.maximum(1 - y * f, 0), y @ a
    else:
        y = of.y[:, 0].numpy()
        loss, linear = np.maximum(np.abs(y - f) - epsilon, 0), y @ a - epsilon * np.abs(a).sum()
    primal = 0.5 * theta @ q + C * w @ loss
    gap = (primal - linear + 0.5 * np.linalg.norm(q)) / primal
    assert gap == pytest.approx(seen[-1]["gap"], rel=1e-3, abs=1e-12)
    assert -1e-9 < gap <= tolerance


def test_a_machine_whose_free_coefficients_are_not_known_is_left_alone():
    of = problem(n=20)
    K = DICTIONARY.gram(alone(3), of.X, of.X)
    A = torch.zeros(20, 1, dtype=torch.float64)
    A[:2, 0] = torch.tensor([0.5, -0.5])
    b, bound = torch.zeros(1, dtype=torch.float64), torch.full((20,), 1.0, dtype=torch.float64)
    Y = torch.zeros(20, 1, dtype=torch.float64)
    Y[:2, 0] = torch.tensor([-9.0, 9.0])  # both coefficients would have to change their sign
    found, bias = sharpened(K, Y, A, b, bound, 0.1)
    assert torch.equal(found, A)
    assert torch.equal(bias, b)
    Y[:2, 0] = torch.tensor([99.0, -99.0])  # and here to leave their bounds
    assert torch.equal(sharpened(K, Y, A, b, bound, 0.1)[0], A)
    nothing = torch.zeros_like(A)
    assert torch.equal(sharpened(K, Y, nothing, b, bound, 0.1)[0], nothing)


@pytest.mark.parametrize("m", [9, 11])
def test_sharpened_coefficients_meet_their_conditions_beside_those_that_stay_at_their_bounds(m):
    of = problem()
    K, Y, bound = DICTIONARY.gram(alone(m), of.X, of.X), of.y, torch.full((90,), 0.5, dtype=torch.float64)
    settings = {"kernel": "precomputed", "C": 0.5, "epsilon": 0.1, "tol": 1e-3}
    A, b = one_for_each(SVR, settings, K.numpy(), Y, None)
    found, bias = sharpened(K, Y, A, b, bound, 0.1)
    free = ((A != 0) & (A.abs() < 0.5))[:, 0]
    assert free.any()
    assert (A[~free] != 0).any()
    assert torch.equal(found[~free], A[~free])
    torch.testing.assert_close((K @ found + bias)[free], (Y - 0.1 * A.sign())[free], rtol=0, atol=1e-9)
    assert float(found.sum()) == pytest.approx(0, abs=1e-9)
    assert float((K @ A + b - Y + 0.1 * A.sign())[free].abs().max()) > 1e-6  # as LibSVM leaves them


def test_the_outputs_are_those_of_the_machine_on_the_learned_kernel():
    of = problem()
    state, _ = run(MultipleKernels(C=3.0, epsilon=0.05), of)
    K = DICTIONARY.gram(state, of.X, of.X).numpy()
    peer = SVR(kernel="precomputed", C=3.0, epsilon=0.05, tol=1e-6).fit(K, of.y[:, 0].numpy())
    np.testing.assert_allclose(outputs(state, of.X)[:, 0], peer.predict(K), atol=2e-3)


def test_a_weight_of_two_is_a_row_twice():
    of = problem()
    times = torch.randint(0, 3, (90,), generator=torch.Generator().manual_seed(1))
    rows = torch.arange(90).repeat_interleave(times)
    twice = Problem(DICTIONARY, None, of.X[rows], of.y[rows], 1, "regression")
    solver = MultipleKernels(tolerance=1e-4)
    weighted, repeated = run(solver, problem(weight=times.double()))[0], run(solver, twice)[0]
    torch.testing.assert_close(weighted["theta"], repeated["theta"], atol=5e-3, rtol=0)
    torch.testing.assert_close(outputs(weighted, of.X), outputs(repeated, of.X), atol=5e-3, rtol=0)


def test_each_state_is_a_model_and_a_run_taken_up_again_ends_the_same():
    of, solver = problem(), MultipleKernels(p=1.2)
    first = solver.start(of)
    assert not solver.done(first)
    assert torch.equal(outputs(first, of.X), torch.zeros(90, 1, dtype=torch.float64))
    torch.testing.assert_close(first["theta"], torch.full((23,), 23 ** (-1 / 1.2), dtype=torch.float64))
    once, measured = solver.step(of, first, 0)
    assert measured["change"] == float((once["theta"] - first["theta"]).abs().max())
    for gap in (9e-4, 1e-3, 1.1e-3):
        assert solver.done({"solver/gap": torch.tensor(gap, dtype=torch.float64)}) == (gap <= solver.tolerance)
    saved = {name: value.clone() for name, value in once.items()}
    then, again = solver.step(of, once, 1)[0], MultipleKernels(p=1.2).step(of, saved, 1)[0]
    assert all(torch.equal(then[name], again[name]) for name in then)
    assert set(first) == set(then)


def test_targets_inside_the_tube_of_a_constant_leave_nothing_to_learn():
    given = dataclasses.replace(problem(), y=torch.full((90, 1), 3.0, dtype=torch.float64))
    state, seen = run(MultipleKernels(), given)
    assert (seen[-1]["objective"], seen[-1]["gap"]) == (0.0, 0.0)
    torch.testing.assert_close(outputs(state, given.X), given.y, atol=0.1, rtol=0)


def test_a_single_class_is_refused():
    of = problem("classification", K=2)
    alike = Problem(DICTIONARY, None, of.X, torch.zeros_like(of.y), 2, "classification")
    with pytest.raises(DataError, match="at least two classes"):
        MultipleKernels().step(alike, MultipleKernels().start(alike), 0)


@pytest.mark.skipif("KERNLAB_DATA" not in os.environ, reason="KERNLAB_DATA names no folder of data sets")
@pytest.mark.parametrize("name", ["mg", "space_ga"])
def test_no_kernel_of_the_dictionary_does_better_alone(name):
    """FKS's protocol: inputs in [−1, 1], 500 rows of one half to learn from, one C and ε for all."""
    import pandas as pd

    files = [Path(folder) / f"{name}.parquet" for folder in os.environ["KERNLAB_DATA"].split(os.pathsep)]
    table = pd.read_parquet(next(file for file in files if file.exists())).to_numpy(np.float64)
    table = table[np.random.default_rng(0).permutation(len(table))]
    half = len(table) // 2
    train, test = table[:half][:500], table[half:]
    low, high = train[:, :-1].min(0), train[:, :-1].max(0)
    X, Z = (torch.from_numpy(2 * (part[:, :-1] - low) / (high - low) - 1) for part in (train, test))
    mean, deviation = train[:, -1].mean(), train[:, -1].std()
    y, z = (train[:, -1] - mean) / deviation, (test[:, -1] - mean) / deviation
    solver = MultipleKernels()
    of = Problem(DICTIONARY, None, X, torch.from_numpy(y)[:, None], 1, "regression")
    state, _ = run(solver, of)
    learned = float((outputs(state, Z)[:, 0] - torch.from_numpy(z)).square().mean())
    for K, K_test in zip(each_kernel(X, X), each_kernel(Z, X), strict=True):
        peer = SVR(kernel="precomputed", C=solver.C, epsilon=solver.epsilon).fit(K, y)
        assert learned <= ((peer.predict(K_test) - z) ** 2).mean()

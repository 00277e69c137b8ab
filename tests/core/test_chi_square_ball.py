"""The linear problem on a χ² ball: against a general solver, all supports, the KKT conditions and the bisection."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from kernlab.bench.base import in_turns, ratio
from kernlab.errors import OptionError
from kernlab.solvers.chi_square_ball import chi_square, chi_square_ball, chi_square_ball_bisection

values = arrays(np.float64, st.integers(2, 9), elements=st.floats(-50, 50, allow_subnormal=False))
ties = arrays(np.float64, st.integers(2, 9), elements=st.integers(0, 3).map(float))
steps = arrays(np.float64, st.integers(2, 9), elements=st.integers(-3200, 3200).map(lambda i: i / 64))
radii = st.floats(1e-3, 12)


def best_over_supports(v: np.ndarray, radius: float) -> float:
    """The largest qᵀv, support by support: on each the maximiser of a linear function on a sphere is closed form."""
    N, found = len(v), -np.inf
    for size in range(1, N + 1):
        room = (1 + radius) / N - 1 / size
        if room < -1e-12:
            continue
        for support in itertools.combinations(range(N), size):
            part = v[list(support)]
            deviation = part - part.mean()
            length = np.linalg.norm(deviation)
            q = 1 / size + deviation * (np.sqrt(max(room, 0)) / length if length > 1e-9 else 0)
            if q.min() >= -1e-12:
                found = max(found, float(q @ part))
    return max(found, v.max() if radius >= N - 1 else found)


def on_the_simplex(q: np.ndarray) -> None:
    assert q.min() >= 0
    assert q.sum() == pytest.approx(1, abs=1e-12)


@given(st.one_of(values, ties), radii)
@settings(max_examples=150)
def test_no_support_is_better(v, radius):
    q = chi_square_ball(v, radius)
    on_the_simplex(q)
    assert chi_square(q) <= radius * (1 + 1e-9)
    best = best_over_supports(v, radius)
    assert float(q @ v) == pytest.approx(best, rel=1e-9, abs=1e-7)
    np.testing.assert_allclose(chi_square_ball_bisection(v, radius), q, atol=1e-8)


@pytest.mark.parametrize("radius", [0.01, 0.3, 1.5, 6.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_general_solver_finds_the_same(radius, seed):
    N = 12
    v = np.random.default_rng(seed).chisquare(1, N)
    found = minimize(
        lambda q: -q @ v,
        np.full(N, 1 / N),
        jac=lambda q: -v,
        bounds=[(0, 1)] * N,
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1, "jac": lambda q: np.ones(N)},
            {"type": "ineq", "fun": lambda q: radius + 1 - N * q @ q, "jac": lambda q: -2 * N * q},
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    q = chi_square_ball(v, radius)
    assert q @ v == pytest.approx(-found.fun, rel=1e-6)
    np.testing.assert_allclose(q, found.x, atol=1e-4)


@pytest.mark.parametrize("radius", [1e-4, 0.01, 1.0, 40.0, 400.0])
@pytest.mark.parametrize("law", ["chisquare", "pareto", "uniform", "normal"])
def test_the_conditions_of_kuhn_and_tucker_hold(law, radius):
    """v = 2Nλq + ν − μ with λ ≥ 0, μ ≥ 0 and μq = 0: one line through the support, and no value above it off it."""
    random = np.random.default_rng(0)
    draws = {"chisquare": random.chisquare(1, 500), "pareto": random.pareto(1.5, 500),
             "uniform": random.random(500), "normal": random.standard_normal(500)}  # fmt: skip
    v = draws[law]
    q = chi_square_ball(v, radius)
    on_the_simplex(q)
    assert chi_square(q) == pytest.approx(radius, rel=1e-9)
    support = q > 0
    slope, threshold = np.polyfit(q[support], v[support], 1)
    assert slope > 0
    np.testing.assert_allclose(threshold + slope * q[support], v[support], rtol=1e-7, atol=1e-8 * np.ptp(v))
    assert v[~support].max(initial=-np.inf) <= threshold + 1e-8 * np.ptp(v)


@pytest.mark.parametrize("share", [1e-6, 0.0005, 0.005, 0.1, 0.9])
def test_the_bisection_agrees_at_the_papers_size(share):
    v = np.random.default_rng(1).chisquare(1, 20_000)
    exact, bisection = (solve(v, share * 20_000) for solve in (chi_square_ball, chi_square_ball_bisection))
    assert np.abs(exact - bisection).max() < 1e-8
    for q in (exact, bisection):
        on_the_simplex(q)
        assert chi_square(q) == pytest.approx(share * 20_000, rel=1e-6)


def test_the_exact_solution_is_at_least_five_times_faster():
    v = np.random.default_rng(2).chisquare(1, 20_000)
    seconds = in_turns(
        {"exact": lambda: chi_square_ball(v, 100.0), "paper": lambda: chi_square_ball_bisection(v, 100.0)}
    )
    assert ratio(seconds["paper"], seconds["exact"]) > 5


@given(steps, radii, st.floats(0.1, 1e6), st.floats(-1e3, 1e3))
@settings(max_examples=100)
def test_scale_and_shift_of_the_values_change_nothing(v, radius, scale, shift):
    np.testing.assert_allclose(chi_square_ball(scale * v + shift, radius), chi_square_ball(v, radius), atol=1e-4)


@pytest.mark.parametrize("gap", [1e-12, 1e-24, 1e-90, 1e-228])
def test_values_that_are_almost_tied(gap):
    v = np.array([-1.0, gap, 0.0, 0.0])
    for solve in (chi_square_ball, chi_square_ball_bisection):
        q = solve(v, 1.0)
        on_the_simplex(q)
        assert chi_square(q) <= 1 + 1e-9
        assert q @ v >= -1e-12


@pytest.mark.parametrize("solve", [chi_square_ball, chi_square_ball_bisection])
def test_equal_values_share_the_weight(solve):
    np.testing.assert_array_equal(solve(np.full(8, 3.0), 2.0), np.full(8, 1 / 8))
    np.testing.assert_array_equal(solve(np.zeros(8), 100.0), np.full(8, 1 / 8))
    # Two largest: their equal share has χ² = 4/2 − 1 = 1; a smaller ball gives the others some.
    np.testing.assert_allclose(solve([5.0, 1.0, 5.0, 0.0], 3.0), [0.5, 0, 0.5, 0])
    np.testing.assert_allclose(solve([5.0, 1.0, 5.0, 0.0], 1.0), [0.5, 0, 0.5, 0])
    inside = solve([5.0, 1.0, 5.0, 0.0], 0.5)
    assert inside[0] == pytest.approx(inside[2])
    assert chi_square(inside) == pytest.approx(0.5)


@pytest.mark.parametrize("solve", [chi_square_ball, chi_square_ball_bisection])
def test_a_ball_that_holds_a_vertex_gives_it(solve):
    np.testing.assert_array_equal(solve([1.0, 7.0, 2.0], 2.0), [0, 1, 0])
    assert solve([1.0, 7.0, 2.0], 1.9)[1] < 1
    np.testing.assert_allclose(solve([2.0, 1.0], 0.25), [0.75, 0.25])  # (½ + t, ½ − t) has χ² = 4t²


@pytest.mark.parametrize("solve", [chi_square_ball, chi_square_ball_bisection])
@pytest.mark.parametrize(("v", "radius"), [([1, 2], 0.0), ([1, 2], -1.0), ([1, 2], np.nan), ([1, np.inf], 1.0),
                                           ([], 1.0), ([[1.0, 2.0]], 1.0)])  # fmt: skip
def test_bad_input_is_refused(solve, v, radius):
    with pytest.raises(OptionError, match="must be"):
        solve(v, radius)

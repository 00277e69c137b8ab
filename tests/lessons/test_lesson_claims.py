"""What each lesson claims is true: its numbers against something computed independently."""

import math

import numpy as np
import pytest
import torch
from scipy import integrate, optimize, stats
from sklearn.datasets import load_digits
from sklearn.linear_model import Ridge

from kernlab.bounds import spectral_formula
from kernlab.lessons import descent, shelf
from kernlab.lessons.base import POINTS

LESSONS = shelf().lessons


def numbers(key, **values):
    lesson = LESSONS[key]
    return lesson.computation.at(**{**lesson.values, **values})


def answer(key):
    return LESSONS[key].asked.answer(numbers(key))


def test_a_tenth_of_the_error_takes_a_hundred_times_the_waves():
    view = numbers("random-features")
    # Var cos ωΔ = ½(1 + k(2Δ)) − k(Δ)² for one wave, over the distances that are looked at; the rest is 1/s.
    delta = np.linspace(0, 4, 9)
    k = lambda d: np.exp(-(d**2) / 2)  # noqa: E731
    one = math.sqrt(np.mean((1 + k(2 * delta)) / 2 - k(delta) ** 2))
    assert view.start == pytest.approx(one / math.sqrt(10), rel=0.1)
    assert view.needed == pytest.approx(1000, rel=0.2)
    np.testing.assert_allclose(view.kernel, k(view.distance), atol=1e-12)
    # The average that is drawn is one of real waves: between −1 and 1, and 1 at distance 0.
    assert view.average[0] == pytest.approx(1)
    assert numbers("random-features", waves=2000).error < 0.03 < numbers("random-features", waves=1).error


def test_half_the_width_is_twice_the_frequencies():
    view = numbers("density")
    frequency = LESSONS["density"].asked.sheet.grid
    np.testing.assert_allclose(answer("density"), stats.norm.pdf(frequency, scale=2), rtol=1e-12)
    assert view.peak == pytest.approx(0.5)
    # The density is the kernel's: its cosine transform gives the kernel back.
    for delta in (0.0, 0.4, 1.3):
        back = integrate.quad(lambda w: stats.norm.pdf(w, scale=2) * math.cos(w * delta), -40, 40, limit=200)[0]  # noqa: B023
        assert np.interp(delta, view.distance, view.kernel) == pytest.approx(back, abs=1e-3)
    assert view.half == pytest.approx(2 * stats.norm.ppf(0.75), rel=1e-3)
    assert view.fast == pytest.approx(200 * stats.norm.sf(2.5), abs=0.05)
    assert numbers("density", kernel="laplacian").fast == pytest.approx(200 * stats.cauchy.sf(2.5), abs=0.3)
    # The waves that were drawn follow it.
    assert stats.kstest(view.drawn, stats.norm(scale=2).cdf).pvalue > 0.01


def test_off_the_diagonal_a_point_far_out_resembles_itself_by_one_half():
    view = numbers("diagonal")
    np.testing.assert_allclose(view.own, (1 + np.exp(-(view.place**2) / 2)) / 2, atol=0.04)
    on = numbers("diagonal", off=0.0)
    np.testing.assert_allclose(on.own, 1)
    # On the diagonal the kernel is one function of the distance.
    for shift in range(POINTS):
        assert np.ptp(np.diagonal(on.kernel, shift)) < 1e-9
    assert on.here == pytest.approx(on.there)
    # k(x, z) of the pairs themselves, written out.
    x, z = view.place[7], view.place[30]
    w, v = view.first, view.second
    written = np.cos(w * x - v * z) + np.cos(v * x - w * z) + np.cos(w * (x - z)) + np.cos(v * (x - z))
    assert view.kernel[7, 30] == pytest.approx(float(written.mean()) / 4)
    assert view.here - view.there > 0.05
    assert view.far == pytest.approx((1 + math.exp(-2)) / 2, abs=0.04)


def test_the_best_spread_lies_between_the_waves_of_the_target_and_learning_finds_them():
    view = numbers("bandwidth")
    assert view.best == 3
    by_spread = dict(zip(view.spreads, view.errors / view.errors.min(), strict=True))
    # By how much it wins: over the frequencies of the target themselves, and over spreads far off.
    assert 2.5 < by_spread[1] < 3
    assert 1 < by_spread[4] < 1.1
    assert 1.5 < by_spread[10] < 2.5
    assert view.errors[0] > 2 * view.errors.min()
    assert view.errors[-1] > 4 * view.errors.min()
    assert view.error > 2 * view.error_learned
    # Most learned frequencies are near 1 or 4, of those as drawn few: none is near 4.
    near = np.abs(view.after[:, None] - [1, 4]).min(1) < 0.5
    assert near.sum() >= 8
    assert (np.abs(view.before - 4) < 0.5).sum() == 0 < (np.abs(view.after - 4) < 0.5).sum()
    # The prediction of the waves as drawn is ridge regression on them, with some penalty: fitted anew by scikit-learn.
    omega = 2 * np.pi * view.before  # signs and order do not matter to the span of cosines and sines

    def columns(x):
        return np.concatenate([np.cos(np.outer(x, omega)), np.sin(np.outer(x, omega))], axis=1) / math.sqrt(len(omega))

    fits = [
        Ridge(alpha=alpha, solver="svd").fit(columns(view.x), view.y).predict(columns(view.line))
        for alpha in np.geomspace(1e-7, 1e4, 221)
    ]
    assert min(np.abs(fit - view.assigned).max() for fit in fits) < 0.02
    np.testing.assert_allclose(view.truth, np.sin(2 * np.pi * view.line) + 0.5 * np.sin(8 * np.pi * view.line))


def test_the_trace_norm_lowers_the_rank_and_squares_do_not():
    view = numbers("rank")
    np.testing.assert_allclose(view.after, np.maximum(view.before - view.strength, 0), atol=1e-9)
    assert view.rank == (view.before > 0.2).sum() == 7
    squares = numbers("rank", penalty="squares")
    np.testing.assert_allclose(squares.after, view.before / 1.4, atol=1e-9)
    assert squares.rank == 9 == (view.before > 1e-6).sum()
    assert 5 < view.accuracy_before - view.accuracy < 10
    # Ten centred indicators have rank nine, and the singular values are those of class means of white components.
    _, y = load_digits(return_X_y=True)
    assert np.linalg.matrix_rank(np.eye(10)[y] - np.eye(10)[y].mean(0)) == 9


def test_the_bound_is_vacuous_below_the_rows_that_are_claimed():
    view = numbers("bound")
    assert view.total > 100 * view.gap > 0

    def bound(n):
        view_of = {"weight_norm": view.norm, "mean_trace": 1.0, "K": 2, "n": n}
        lipschitz = view.complexity / (4 * math.sqrt(2) * view.norm * math.sqrt(2 / view.n))
        return 4 * math.sqrt(2) * lipschitz * view_of["weight_norm"] * math.sqrt(2 / n) + math.sqrt(math.log(20) / n)

    assert bound(view.n) == pytest.approx(view.total, rel=1e-9)
    assert view.needed == pytest.approx(optimize.brentq(lambda n: bound(n) - view.zero, 10, 1e9), rel=1e-6)
    assert view.confidence == pytest.approx(math.sqrt(math.log(20) / 200))
    assert spectral_formula(weight_norm=1.0, mean_trace=1.0, lipschitz=1.0, K=1, n=1)["complexity"] == pytest.approx(
        4 * 2**0.5
    )
    strong = numbers("bound", penalty=10.0)
    assert strong.total < 1 < numbers("bound", rows=25).total
    assert strong.loss > 5 * view.loss


def test_six_landmarks_that_walked_are_worth_about_three_times_as_many_random_ones():
    view = numbers("landmarks")
    assert view.after > 90 > 75 > view.before
    assert 2.5 * 6 < view.needed < 4 * 6

    def explained(Z):
        """DI by its definition: the share of the targets that ridge regression on k(X, Z)k(Z, Z)^−½ explains."""
        k = lambda a, b: np.exp(-(1.5**2) * np.square(a[:, None] - b[None]).sum(-1) / 2)  # noqa: E731
        values, turn = np.linalg.eigh(k(Z, Z))
        Phi = k(view.X, Z) @ turn @ np.diag(values**-0.5) @ turn.T
        Phi = Phi - Phi.mean(0)
        Y = np.eye(2)[view.y] - np.eye(2)[view.y].mean(0)
        V = np.linalg.solve(Phi.T @ Phi + 0.1 * np.eye(len(Z)), Phi.T @ Y)
        return 100 * float((Phi.T @ Y * V).sum() / np.square(Y).sum())

    assert view.after == pytest.approx(explained(view.paths[-1]), rel=1e-4)
    assert view.before == pytest.approx(explained(view.paths[0]), rel=1e-4)
    assert numbers("landmarks", landmarks=2).after < 70


def test_chosen_waves_are_slow_and_err_less_than_half_as_often():
    view = numbers("shell")
    assert view.chosen < view.drawn / 2 < view.constant / 2
    assert view.length_kept < 0.65 * view.length_all
    assert view.length_all == pytest.approx(stats.chi(10).mean(), rel=0.02)
    # The weights are on the simplex, in the ball, and its constraint holds with equality.
    N = len(view.weights)
    assert view.weights.sum() == pytest.approx(1)
    assert N * np.square(view.weights).sum() - 1 == pytest.approx(0.01 * N, rel=1e-6)
    assert view.kept == (view.weights > 0).sum()
    assert numbers("shell", inputs=20).chosen > 40
    assert numbers("shell", inputs=2).drawn < 5


def test_line_three_of_the_proof_is_the_wrong_one():
    view = numbers("proof")
    assert answer("proof") == "three"
    found = optimize.brentq(lambda r: r - math.sqrt(view.a * r + view.b), 1e-9, 10)
    assert view.found.searched == pytest.approx(found, rel=1e-6)
    assert found == pytest.approx((view.a + math.sqrt(view.a**2 + 4 * view.b)) / 2)
    assert view.ratio == pytest.approx(found / (view.a + view.b), rel=1e-6)
    assert 2 < view.ratio < 2.2
    assert found <= view.a + math.sqrt(view.b)
    # a and b from the eigenvalues, at the t of smallest root.
    tail = lambda t: math.pi**2 / 6 - (1 / np.arange(1, t + 1) ** 2).sum()  # noqa: E731
    assert view.a == pytest.approx(8 * view.t / 1e4)
    assert view.b == pytest.approx(8 * tail(view.t) / 1e4)
    # Line 4 holds by luck exactly where a + b is at least 1.
    few = numbers("proof", rows=4)
    assert few.a + few.b > 1
    assert few.ratio < 1


def test_the_usual_test_is_fooled_far_too_often_and_the_corrected_one_is_not():
    view = numbers("difference")
    assert 30 < view.alarms < 55
    assert view.alarms_corrected <= 6
    assert abs(view.mean) < 0.5  # the methods are equal
    # p by SciPy's own paired test, for the comparison that is shown.
    assert view.first == pytest.approx(stats.ttest_1samp(view.differences, 0).pvalue)
    assert numbers("difference", splits=50).alarms > view.alarms > numbers("difference", splits=3).alarms
    assert numbers("difference", gap=1.0).alarms_corrected > 80


def test_numbers_are_the_same_each_time():
    for lesson in LESSONS.values():
        first = lesson.computation.numbers(**lesson.values)
        again = lesson.computation.numbers(**lesson.values)
        for one, other in zip(first, again, strict=True):
            if isinstance(one, np.ndarray | float | torch.Tensor):
                np.testing.assert_array_equal(one, other)


def test_the_error_is_largest_at_as_many_features_as_rows_and_falls_a_second_time():
    view = numbers("descent")
    assert answer("descent") == view.peak == 100
    assert view.height > 50 * view.few
    assert view.many < 0.8 * view.few
    assert view.norm.max() > 50 * view.norm[-1]
    assert view.train[view.sizes > 100].max() < 1e-12
    # Other solvers find the same: the smallest weights of an exact fit, and the ridge regression of scikit-learn.
    Phi, y, Psi, truth = descent._features(100, 0.1)
    for size in (30, 200, 400):
        A, B = Phi[:, :size] / math.sqrt(size), Psi[:, :size] / math.sqrt(size)
        least = np.linalg.lstsq(A, y, rcond=None)[0]
        at = list(view.sizes).index(size)
        assert view.test[at] == pytest.approx(np.mean((B @ least - truth) ** 2), rel=1e-6)
        ridge = Ridge(alpha=1e-3 * 100, fit_intercept=False, solver="svd").fit(A, y)
        other = numbers("descent", penalty=1e-3)
        assert other.test[at] == pytest.approx(np.mean((ridge.predict(B) - truth) ** 2), rel=1e-6)
    assert numbers("descent", rows=40).peak == pytest.approx(40, abs=2)
    assert numbers("descent", noise=0.0).height > 50
    assert numbers("descent", penalty=1e-3).hump < 2

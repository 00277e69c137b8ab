"""Tests on the same splits, against SciPy, the formula of the corrected test, and cases without noise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from kernlab.compare.significance import Standing, better, explanation, standings, t_test
from kernlab.errors import OptionError

rng = np.random.default_rng(0)
numbers = st.floats(-100, 100, allow_nan=False).map(lambda v: round(v, 3))
pairs = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=40)


def t_tail(t, df):
    """P(|T| > t) by integrating Student's density, which shares nothing with the code tested."""
    scale = math.gamma((df + 1) / 2) / (math.sqrt(df * math.pi) * math.gamma(df / 2))
    inside, _ = integrate.quad(lambda u: scale * (1 + u * u / df) ** (-(df + 1) / 2), 0, t, epsabs=1e-12)
    return 1 - 2 * inside


@settings(max_examples=60)
@given(pairs)
def test_the_paired_test_is_scipys(drawn):
    x, y = np.array(drawn).T
    spread = np.std(x - y)
    if spread < 1e-6:  # SciPy divides by zero there
        return
    expected = stats.ttest_rel(x, y).pvalue
    assert t_test(x, y) == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert t_test(y, x) == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_a_failed_split_leaves_its_pair_out():
    x, y = rng.normal(size=12), rng.normal(size=12) + 0.5
    with_gaps = x.copy()
    with_gaps[[2, 7]] = np.nan
    kept = np.isfinite(with_gaps)
    assert t_test(with_gaps, y) == pytest.approx(stats.ttest_rel(x[kept], y[kept]).pvalue)


def test_the_corrected_test_by_hand():
    # d = 1, 2, 3, 2 with mean 2 and s² = 2/3; n_test/n_train = 1/4: t = 2 / √(2/3 · (1/4 + 1/4)) = 2√3, 3 degrees.
    x, y = [11.0, 12.0, 13.0, 12.0], [10.0, 10.0, 10.0, 10.0]
    assert t_test(x, y, 0.25) == pytest.approx(t_tail(2 * math.sqrt(3), 3), abs=1e-10)
    assert t_test(x, y) == pytest.approx(t_tail(2 * math.sqrt(6), 3), abs=1e-10)


@settings(max_examples=40)
@given(pairs, st.floats(0.01, 2))
def test_the_correction_never_finds_more(drawn, ratio):
    x, y = np.array(drawn).T
    assert t_test(x, y, ratio) >= t_test(x, y)


def test_the_plain_test_finds_too_much_on_overlapping_splits_and_the_corrected_does_not():
    # Two methods without any difference. Overlap makes what J splits say of it nearly the same: d_j = c + e_j.
    J, ratio, turns = 10, 0.25, 400
    correlation = ratio / (1 + ratio)  # Nadeau and Bengio's: n_test / (n_train + n_test)
    draws = np.random.default_rng(1)
    shared = np.sqrt(correlation) * draws.normal(size=(turns, 1))
    d = shared + np.sqrt(1 - correlation) * draws.normal(size=(turns, J))
    plain = np.mean([t_test(row, np.zeros(J)) < 0.05 for row in d])
    corrected = np.mean([t_test(row, np.zeros(J), ratio) < 0.05 for row in d])
    assert plain > 0.15
    assert 0.01 < corrected < 0.09


@pytest.mark.parametrize(("y", "p"), [([1.0, 2.0, 3.0], 1.0), ([0.5, 1.5, 2.5], 0.0)])
def test_differences_without_spread_decide_alone(y, p):
    assert t_test([1.0, 2.0, 3.0], y) == p
    assert t_test([1.0, 2.0, 3.0], y, 0.25) == p


def test_equal_differences_decide_alone_though_their_mean_is_rounded():
    assert np.var([0.1] * 3, ddof=1) > 0
    assert t_test([0.1] * 3, [0.0] * 3) == 0.0


def test_a_variance_of_one_is_nothing_special():
    assert t_test([0.0, 1.0, 2.0], [0.0] * 3) == pytest.approx(t_tail(math.sqrt(3), 2))


@pytest.mark.parametrize("x", [[], [1.0], [1.0, np.nan], [np.nan, np.nan]])
def test_fewer_than_two_pairs_are_no_test(x):
    assert t_test(x, np.zeros(len(x))) is None


def test_standings_of_three_methods():
    base = rng.normal(90, 1, 20)
    noise = rng.normal(0, 0.3, 20)
    values = {"close": base + 2 - 0.01 + noise - noise.mean(), "good": base + 2, "bad": base - 3 + noise}
    found = standings(values, ratio=0.25)
    close, good, bad = found.values()
    assert (good.best, good.not_worse, good.p, good.p_corrected) == (True, False, None, None)
    assert (close.best, close.not_worse, bad.best, bad.not_worse) == (False, True, False, False)
    assert close.p == pytest.approx(stats.ttest_rel(values["close"], values["good"]).pvalue)
    assert bad.p == pytest.approx(stats.ttest_rel(values["bad"], values["good"]).pvalue)
    assert bad.p < 0.05
    assert close.p_corrected > close.p
    assert (bad.mean, bad.std) == (pytest.approx(values["bad"].mean()), pytest.approx(values["bad"].std(ddof=1)))


def test_less_is_better_for_errors():
    values = {"a": [3.0, 3.1, 2.9], "b": [1.0, 1.1, 0.95]}
    assert standings(values, direction="less")["b"].best
    assert standings(values, direction="more")["a"].best


def test_the_corrected_test_decides_where_it_is_asked_for():
    d = np.array([0.3, 0.9, 0.1, 0.8, 0.6, -0.3, 0.5, 0.4])
    values = {"a": d, "b": np.zeros(8)}
    found = standings(values, ratio=0.5)["b"]
    assert found.p < 0.05 < found.p_corrected
    assert not found.not_worse
    assert standings(values, ratio=0.5, test="corrected")["b"].not_worse


def test_equal_means_are_all_best():
    found = standings({"a": [1.0, 2.0], "b": [2.0, 1.0], "c": [0.0, 0.0]})
    assert [each.best for each in found.values()] == [True, True, False]


def test_a_mean_over_the_easy_splits_alone_is_not_the_best():
    found = standings({"steady": [90.0, 91.0, 60.0], "fragile": [92.0, 93.0, np.nan]})
    assert found["steady"].best
    assert (found["fragile"].n, found["fragile"].mean) == (2, 92.5)
    assert not found["fragile"].best
    assert found["fragile"].p == 0.0  # always two points apart


@pytest.mark.parametrize("direction", ["more", "less"])
@pytest.mark.parametrize("test", ["paired", "corrected"])
def test_better_where_it_finished_is_not_called_worse(direction, test):
    """One split failed: the method is not the best, but it is significantly better, not worse, where it finished."""
    sign = 1 if direction == "more" else -1
    steady = rng.normal(90, 1, 12)
    ahead, behind = (steady + sign * by + rng.normal(0, 0.1, 12) for by in (2, -2))
    alike = steady + np.tile([0.1, -0.1], 6)
    for each in (ahead, behind, alike):
        each[3] = np.nan
    values = {"behind": behind, "steady": steady, "ahead": ahead, "alike": alike}
    found = standings(values, direction=direction, test=test, ratio=0.25)
    verdicts = {name: (each.best, each.better, each.not_worse, each.failed) for name, each in found.items()}
    assert verdicts == {
        "behind": (False, False, False, 1),
        "steady": (True, False, False, 0),
        "ahead": (False, True, True, 1),
        "alike": (False, False, True, 1),
    }
    assert max(found[name].p for name in ("ahead", "behind")) < 1e-6


def test_only_the_test_asked_for_decides_what_is_better():
    d = np.array([0.3, 0.9, 0.1, 0.8, 0.6, -0.3, 0.5, 0.4, np.nan])
    values = {"a": d, "b": np.zeros(9)}
    plain, corrected = (standings(values, ratio=0.5, test=test)["a"] for test in ("paired", "corrected"))
    assert (plain.better, plain.not_worse) == (True, True)
    assert (corrected.better, corrected.not_worse) == (False, True)


NOWHERE = Standing(
    n=0, mean=None, std=None, p=None, p_corrected=None, best=False, not_worse=False, better=False, failed=2
)


def test_where_all_failed_nothing_stands():
    found = standings({"a": [np.nan, np.nan], "b": [np.nan, np.nan]})
    assert all(each == NOWHERE for each in found.values())
    assert standings({}) == {}


def test_one_method_that_failed_everywhere_leaves_the_others_alone():
    found = standings({"a": [1.0, 2.0], "dead": [np.nan, np.nan]})
    assert found["a"].best
    assert found["dead"] == NOWHERE


def test_one_repeat_has_a_best_but_no_test():
    found = standings({"a": [1.0], "b": [0.5]})
    assert (found["a"].best, found["a"].std) == (True, None)
    assert (found["b"].p, found["b"].not_worse) == (None, False)


@settings(max_examples=60)
@given(st.lists(st.lists(numbers, min_size=5, max_size=5), min_size=1, max_size=6), st.sampled_from(["more", "less"]))
def test_some_method_is_best_and_only_others_are_compared_with_it(rows, direction):
    found = standings({str(i): row for i, row in enumerate(rows)}, direction=direction).values()
    best = [each for each in found if each.best]
    assert best
    assert not any(each.best and each.not_worse for each in found)
    sign = 1 if direction == "more" else -1
    assert all(sign * best[0].mean >= sign * each.mean for each in found)
    assert all((each.p is None) == each.best for each in found)


def test_bad_input():
    with pytest.raises(OptionError, match="between 0 and 1"):
        standings({"a": [1.0]}, level=1.0)
    with pytest.raises(OptionError, match="same splits"):
        standings({"a": [1.0], "b": [1.0, 2.0]})
    with pytest.raises(OptionError, match="ratio"):
        standings({"a": [1.0]}, test="corrected")
    for ratio in (-1.0, np.inf, np.nan):
        with pytest.raises(OptionError, match="at least 0"):
            t_test([1.0, 2.0], [1.0, 3.0], ratio)
    with pytest.raises(OptionError, match="accuracy"):
        better("speed")


def test_direction_of_metrics():
    assert (better("accuracy"), better("rmse"), better("mse")) == ("more", "less", "less")


def test_the_explanation_names_the_test_the_level_and_the_reason():
    paired = explanation("paired", 0.05, [30])
    assert paired.startswith("Two-sided paired t-test")
    assert "5 %" in paired
    assert "share training rows" in paired
    assert explanation("corrected", 0.01, [30]).startswith("Two-sided corrected resampled t-test")
    assert explanation("paired", 0.05, [1]).startswith("No test")
    assert explanation("paired", 0.05, []).startswith("No test")
    assert "fewer than two" in explanation("paired", 0.05, [1, 30])
    assert "source" in explanation("paired", 0.05, [5], same_rows=True)

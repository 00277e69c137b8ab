"""Bounds over n against their formulas point by point, where they cross against a search, and when they say nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.analysis.bound_rates import against_n, verdict, weight_guarantee
from kernlab.analysis.bound_sliders import Given, what_if
from kernlab.bounds import ALIGNMENT, FRAME, SPECTRAL, FrameSetting

SPECTRAL_VALUES = {
    "empirical_risk": 0.3, "zero_risk": 1.0, "weight_norm": 8.0, "weight_square": 20.0, "mean_trace": 0.8,
    "trace_spread": 0.3, "lipschitz": math.sqrt(2), "dual_norm": 0.2, "dual_norm_se": 0.01, "rademacher": 0.0,
    "worst_case": 0.0, "complexity": 0.0, "confidence": 0.0, "total": 0.0, "gap": 0.05,
}  # fmt: skip


def spectral(n: int = 1000, **changes) -> Given:
    at = Given(SPECTRAL, SPECTRAL_VALUES | changes, n, 4, 200, {"trace_norm": 1e-3}, frequencies=200)
    return at._replace(values=what_if(at))


def frame(risk: float, *, n: int = 1000, zero_risk: float = 1.0, norm: float = 2.0) -> Given:
    values = {
        "empirical_risk": risk, "zero_risk": zero_risk, "envelope_constant": 0.7, "envelope_exponent": 1.8,
        "eigenvalue_sum": 1.1, "norm": norm, "target_bound": 2.0, "output_bound": 1.5, "gap": 0.02,
    }  # fmt: skip
    at = Given(FRAME, values, n, 1, 100)
    return at._replace(values=what_if(at))


def slope(n, y) -> float:
    return float(np.polyfit(np.log(n), np.log(y), 1)[0])


def test_the_three_readings_fall_as_the_root_of_n_and_are_the_formula():
    at = spectral()
    view = against_n(at)
    assert [rate.key for rate in view.rates] == ["exact", "paper", "worst case", "any minimiser"]
    for rate in view.rates:
        assert rate.slope == -0.5 == pytest.approx(slope(view.n, rate.y))
    factor, n = 4 * math.sqrt(2) * math.sqrt(2), view.n
    confidence = np.sqrt(math.log(20) / n)
    np.testing.assert_allclose(view.rates[1].y, factor * 8 * np.sqrt(4 * 0.8 / n) + confidence)
    np.testing.assert_allclose(view.rates[2].y, factor * 8 * np.sqrt(4 / n) + confidence)
    np.testing.assert_allclose(view.rates[0].y, factor * 0.2 * np.sqrt(1000 / n) + confidence)
    assert (view.here, view.measured_at, view.measured, view.trivial) == (1000, 1000, (0.05, "measured gap"), 1.0)


def test_moving_n_moves_the_mark_and_no_line():
    at = spectral()
    near, far = against_n(at), against_n(at, {"n": 50_000})
    assert (near.here, far.here, far.measured_at) == (1000, 50_000, 1000)
    for one, other in zip(near.rates, far.rates, strict=True):
        np.testing.assert_allclose(np.interp(5000, near.n, one.y), np.interp(5000, far.n, other.y), rtol=0.02)


def test_the_grid_reaches_where_the_bound_begins_to_say_something():
    at = spectral()
    found = verdict(at)
    assert found.vacuous
    assert against_n(at).n[-1] > found.needed
    assert (
        what_if(at, {"n": math.ceil(found.needed) + 1})["total"] < 1 < what_if(at, {"n": found.needed * 0.99})["total"]
    )
    assert "Vacuous" in found.sentence


def test_a_bound_below_the_risk_of_answering_zero_says_something():
    found = verdict(spectral(n=10**8))
    assert not found.vacuous
    assert found.sentence.startswith("It says something")
    assert verdict(spectral(), {"n": 10**8}).total == pytest.approx(found.total)


def test_nothing_is_said_of_runs_that_never_measured_it():
    old = {key: value for key, value in SPECTRAL_VALUES.items() if key != "zero_risk"}
    assert verdict(spectral()._replace(values=old)) is None
    assert verdict(Given(ALIGNMENT, {"chi_square": 1.0, "support": 5.0}, 10, 1, 5)) is None
    assert against_n(Given(ALIGNMENT, {"chi_square": 1.0, "support": 5.0}, 10, 1, 5)) is None
    assert against_n(Given(SPECTRAL, {"gap": 1.0}, 10, 1, 5)) is None


# -- frames ----------------------------------------------------------------------------------------------------


@given(
    risk=st.floats(0, 1),
    height=st.floats(0, 5),
    exponent=st.floats(1.05, 4),
    ratio=st.floats(0.5, 3),
    M=st.floats(0.5, 4),
    F=st.floats(0, 4),
    delta=st.floats(1e-3, 0.4),
)
@settings(deadline=None, max_examples=200)
def test_the_crossing_is_where_the_bounds_of_both_orders_meet(risk, height, exponent, ratio, M, F, delta):
    """With k of any size ≥ 2; whole ones only come later, by little. The spectrum makes a = ratio · 2√(Rs)."""
    setting = FrameSetting(risk, height, exponent, 0.0, M, F)
    t = setting.best(10, delta)[1]
    beyond = ratio * 2 * math.sqrt(risk * setting.slope(t, delta)) - setting.B * math.sqrt(math.log(1 / delta) / 2)
    setting = setting._replace(spread=(max(0.0, beyond) / (2 * setting.L)) ** 2)
    t = setting.best(10, delta)[1]
    s, u = setting.slope(t, delta), 22 * M * math.log(1 / delta)

    def ahead(n: float) -> float:
        """How far the fast bound lies below the slow one."""
        excess = max(1.0, math.sqrt(risk * n / s))
        fast = risk / excess + (s * (excess + 1) + u) / n
        slow = 2 * setting.L * math.sqrt(setting.spread / n) + setting.B * math.sqrt(math.log(1 / delta) / (2 * n))
        return slow - fast

    found = setting.crossing(delta)
    if found is None:
        assert all(ahead(n) <= 0 for n in np.geomspace(1, 1e16, 60))
    else:
        assert ahead(found * 0.999) < 0 < ahead(found * 1.001)
        n = max(2, int(found * 1.5))
        if found < 1e12:
            whole = setting.terms(n, *setting.best(n, delta), delta)["total"]
            assert whole <= setting.rademacher_total(n, delta) * 1.2


def test_with_no_training_error_the_fast_bound_wins_and_with_some_it_may_never():
    easy, hard = against_n(frame(0.0)), against_n(frame(0.3))
    assert [words for _, _, words in easy.crossings] == ["C₁/n below 1/√n", "the whole bound below 1/√n"]
    assert len(hard.crossings) == 1
    assert "never" in hard.note
    assert "never" not in easy.note
    best, slow = easy.rates[2], easy.rates[3]
    crossing = easy.crossings[1][0]
    assert ((best.y < slow.y) == (easy.n > crossing)).all()
    assert (hard.rates[2].y > hard.rates[3].y).all()


def test_the_orders_are_those_that_are_claimed():
    view = against_n(frame(0.2))
    lines = {rate.key: rate for rate in view.rates}
    assert lines["size"].slope == -1 == pytest.approx(slope(view.n, lines["size"].y))
    assert lines["rademacher"].slope == -0.5 == pytest.approx(slope(view.n, lines["rademacher"].y))
    late = view.n > 1e6
    assert slope(view.n[late], lines["best"].y[late]) == pytest.approx(-0.5, abs=0.05)  # what k/(k − 1) costs
    no_risk = {rate.key: rate for rate in against_n(frame(0.0)).rates}
    assert slope(view.n, no_risk["best"].y) == pytest.approx(-1, abs=0.02)
    assert (lines["best"].y <= lines["fixed"].y * (1 + 1e-9)).all()
    np.testing.assert_allclose(
        lines["fixed"].y - lines["size"].y, lines["fixed"].y[-1] - lines["size"].y[-1], rtol=1e-6
    )
    n, height, _ = view.crossings[0]
    assert np.interp(math.log(n), np.log(view.n), np.log(lines["size"].y)) == pytest.approx(math.log(height), abs=1e-6)


def test_a_frame_bound_says_from_where_on_it_says_something():
    found = verdict(frame(0.2))
    assert found.vacuous
    before, after = (int(found.needed * factor) for factor in (0.98, 1.02))
    assert what_if(frame(0.2), {"n": after})["total"] < 1 < what_if(frame(0.2), {"n": before})["total"]
    assert "Vacuous" in found.sentence
    never = verdict(frame(1.5))
    assert never.vacuous
    assert never.needed is None
    assert "No number of rows" in never.sentence
    assert not verdict(frame(0.2), {"n": after}).vacuous


# -- over λ₁ ---------------------------------------------------------------------------------------------------


def test_the_guarantee_over_strengths_is_the_sliders_and_lies_above_the_run():
    at = spectral()
    view = weight_guarantee(at, {"trace_norm": 0.05})
    assert (view.here, view.measured, view.chosen) == (1e-3, 8.0, 0.05)
    assert (np.diff(view.most) < 0).all()
    for place in (0, 40, 80):
        answer = what_if(at, {"trace_norm": float(view.strength[place])})
        assert view.most[place] == pytest.approx(answer["guaranteed_norm"])
    assert view.guaranteed == pytest.approx(min(1.0, 0.3 + 0.05 * 8) / 0.05)
    assert np.interp(1e-3, view.strength, view.most) > view.measured


def test_without_a_penalty_there_is_no_line():
    assert weight_guarantee(spectral()._replace(penalties={})) is None
    assert weight_guarantee(frame(0.1)) is None

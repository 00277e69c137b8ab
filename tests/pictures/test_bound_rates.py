"""Bounds over n against their formulas point by point, where they cross against a search, and when they are vacuous."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kernlab.bounds import ALIGNMENT, FRAME, SPECTRAL
from kernlab.pictures.bound_rates import against_n, verdict, weight_guarantee
from kernlab.pictures.bound_sliders import Given, frame_setting, what_if

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
        "eigenvalue_sum": 1.1, "norm": norm, "frame_constant": 0.5, "target_bound": 2.0, "output_bound": 1.5,
        "gap": 0.02,
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


def test_the_grid_reaches_where_the_bound_is_no_longer_vacuous():
    at = spectral()
    found = verdict(at)
    assert found.vacuous
    assert against_n(at).n[-1] > found.needed
    assert (
        what_if(at, {"n": math.ceil(found.needed) + 1})["total"] < 1 < what_if(at, {"n": found.needed * 0.99})["total"]
    )
    assert "Vacuous" in found.sentence


def test_a_bound_below_the_risk_of_answering_zero_is_not_vacuous():
    found = verdict(spectral(n=10**8))
    assert not found.vacuous
    assert found.sentence.startswith("Not vacuous")
    assert verdict(spectral(), {"n": 10**8}).total == pytest.approx(found.total)


def test_runs_that_never_measured_it_have_no_verdict():
    old = {key: value for key, value in SPECTRAL_VALUES.items() if key != "zero_risk"}
    assert verdict(spectral()._replace(values=old)) is None
    assert verdict(Given(ALIGNMENT, {"chi_square": 1.0, "support": 5.0}, 10, 1, 5)) is None
    assert against_n(Given(ALIGNMENT, {"chi_square": 1.0, "support": 5.0}, 10, 1, 5)) is None
    assert against_n(Given(SPECTRAL, {"gap": 1.0}, 10, 1, 5)) is None


# -- frames ----------------------------------------------------------------------------------------------------


def test_the_lines_of_a_frame_are_the_formulas_and_cross_where_they_are_marked():
    at = frame(0.2)._replace(spectrum=np.arange(1, 101.0) ** -1.8)
    view, setting = against_n(at), frame_setting(at)
    lines = {rate.key: rate for rate in view.rates}
    assert list(lines) == ["rademacher", "size", "printed", "order", "best"]
    scale = 6 * what_if(at)["k"] / setting.B
    t = np.arange(1, 101)
    tails = np.array([(4 * 0.5 * np.arange(1, 101.0) ** -1.8)[i:].sum() for i in t])
    for place in (0, 40, 120):
        n = float(view.n[place])
        roots = [
            np.roots([1, -setting.scale * i / n, -setting.scale * S / n]).max() for i, S in zip(t, tails, strict=True)
        ]
        assert lines["size"].y[place] == pytest.approx(scale * min(roots), rel=1e-6)
        law = t + setting.height * t ** (1 - setting.exponent) / (setting.exponent - 1)
        assert lines["printed"].y[place] == pytest.approx(scale * setting.scale / n * law.min())
        assert lines["rademacher"].y[place] == pytest.approx(setting.rademacher_total(int(n)) - 0.2)
        whole = what_if(at, {"n": n})["total"]
        assert lines["best"].y[place] == pytest.approx(whole - 0.2)
    (crossing, height, words) = view.crossings[0]
    assert "below the root" in words
    assert ((lines["printed"].y < lines["size"].y) == (view.n > crossing)).all()
    assert np.interp(math.log(crossing), np.log(view.n), np.log(lines["printed"].y)) == pytest.approx(math.log(height))


def test_the_orders_are_those_that_are_claimed():
    view = against_n(frame(0.2))  # γ = 1.8, and no more is known of the eigenvalues
    lines, late = {rate.key: rate for rate in view.rates}, (view.n > 1e5) & (view.n < 1e9)
    assert lines["rademacher"].slope == -0.5 == pytest.approx(slope(view.n, lines["rademacher"].y))
    assert lines["printed"].slope == -1 == pytest.approx(slope(view.n, lines["printed"].y))
    assert lines["order"].slope == pytest.approx(-1.8 / 2.8) == pytest.approx(slope(view.n, lines["order"].y))
    assert slope(view.n[late], lines["size"].y[late]) == pytest.approx(-1.8 / 2.8, abs=0.05)
    fixed_view = against_n(frame(0.2), {"t": 3, "n": 10**12})
    fixed = {rate.key: rate for rate in fixed_view.rates}
    assert "t = 3" in fixed["size"].words
    assert slope(fixed_view.n[-8:], fixed["size"].y[-8:]) == pytest.approx(-0.5, abs=0.05)


def test_the_note_names_whether_the_printed_value_is_too_small_here():
    at = frame(0.2)
    (crossing, _, _), note = against_n(at).crossings[0], against_n(at).note
    assert "from n =" in note
    assert "Here it is above" in note
    later = against_n(at, {"n": crossing * 10}).note
    assert "It does" in later
    one = at._replace(spectrum=[1.0])
    one = one._replace(values=what_if(one))
    assert "rank is so small" in against_n(one).note
    assert against_n(one).crossings == ()


@pytest.mark.parametrize("risk", [0.0, 0.01, 0.3])
def test_the_note_names_where_the_whole_bound_is_below_the_classical_one(risk):
    at = frame(risk)
    view = against_n(at)
    lines = {rate.key: rate.y for rate in view.rates}
    lower = lines["best"] < lines["rademacher"]
    assert ("At no n" in view.note) == (not lower.any())
    places = np.flatnonzero(lower)
    assert len(places) in (0, places[-1] - places[0] + 1 if len(places) else 0)  # one stretch
    assert ("on." in view.note.rsplit("√n", 1)[-1]) == bool(len(places) and places[0] > 0 and lower[-1])


def test_a_frame_bound_is_vacuous_up_to_the_named_n():
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

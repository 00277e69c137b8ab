import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.errors import OptionError
from kernlab.pictures.curves import curves, last, smooth
from kernlab.pictures.thinning import spread, thin


def history(**metrics):
    return {name: (np.arange(len(v)) * 10, np.arange(len(v)) / 2, np.array(v, float)) for name, v in metrics.items()}


def test_smoothing_on_a_literal():
    # s = 0.5, 1.75, 2.875 before the division by 1 - 0.5^t = 0.5, 0.75, 0.875
    assert smooth([1, 3, 4], 0.5) == pytest.approx([1, 1.75 / 0.75, 2.875 / 0.875])


def test_no_smoothing_changes_nothing():
    assert smooth([1.0, -3.0, 4.0], 0).tolist() == [1, -3, 4]


@settings(deadline=None, max_examples=40)
@given(
    st.floats(-1e3, 1e3),
    st.floats(0, 0.999),
    st.integers(1, 60),
)
def test_smoothing_keeps_a_constant_from_the_first_value_on(level, weight, n):
    assert smooth(np.full(n, level), weight) == pytest.approx(np.full(n, level), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("weight", [-0.1, 1, float("nan")])
def test_smoothing_outside_its_range_is_a_sentence(weight):
    with pytest.raises(OptionError, match="smoothing must be"):
        smooth([1.0], weight)


def test_curves_hold_the_wanted_metrics_in_order():
    found = curves(history(loss=[3, 2], objective=[5, 4], other=[0, 0]), ["objective", "loss", "absent"])
    assert [curve.name for curve in found.curves] == ["objective", "loss"]
    assert found.curves[0].x.tolist() == [0, 0.5]
    assert found.curves[0].y.tolist() == [5, 4]
    assert len(found.curves[0].raw_x) == 0
    assert curves(history(loss=[3, 2]), ["loss"], axis="step").curves[0].x.tolist() == [0, 10]


def test_smoothed_curves_keep_the_raw_values_beside():
    (curve,) = curves(history(loss=[1, 3, 4]), ["loss"], smoothing=0.5).curves
    assert curve.raw_y.tolist() == [1, 3, 4]
    assert curve.y[1] == pytest.approx(1.75 / 0.75)


def test_values_that_are_not_finite_are_left_out_and_counted():
    (curve,) = curves(history(loss=[1, np.nan, 2, np.inf]), ["loss"], smoothing=0.5).curves
    assert (curve.total, curve.dropped, curve.raw_y.tolist()) == (2, 2, [1, 2])
    assert curves(history(loss=[np.nan]), ["loss"]).curves == ()


def test_the_constant_predictor_is_its_newest_value():
    assert curves(history(constant=[9, 10]), []).constant == 10
    assert last(history(constant=[9, np.nan]), "constant") == 9
    assert last({}, "constant") is None


def test_thinning_keeps_ends_and_spikes():
    x, y = np.arange(50_000.0), np.sin(np.arange(50_000.0) / 3000)
    y[31_234], y[4_321] = 40, -30
    kept = thin(x, y, 500)
    assert len(kept) <= 500
    assert {0, 31_234, 4_321, 49_999} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()


def test_a_long_curve_says_that_it_was_thinned():
    (curve,) = curves(history(loss=np.random.default_rng(0).random(30_000)), ["loss"]).curves
    assert curve.thinned
    assert curve.total == 30_000
    assert 500 < len(curve.x) <= 1000


def test_many_curves_share_the_points():
    many = {f"m{i}": v for i, v in enumerate(history(a=np.arange(9000.0)).values() for _ in range(12))}
    many = {name: next(iter(v)) for name, v in many.items()}
    found = curves(many, list(many))
    assert sum(len(curve.x) for curve in found.curves) <= 4000


@given(st.integers(0, 3000), st.integers(1, 500))
@settings(deadline=None, max_examples=40)
def test_spread_rows_are_distinct_and_within(n, limit):
    kept = spread(n, limit)
    assert len(kept) == min(n, limit)
    assert len(set(kept.tolist())) == len(kept)
    assert all(0 <= i < n for i in kept)

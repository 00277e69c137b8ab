"""The frame bound: its root against numpy.roots, its k and t against all, its envelope against a grid, as printed."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.bounds import BOUNDS, FRAME, FrameSetting, frame_terms
from kernlab.bounds.frame import (
    eigenvalue_tails,
    fixed_point,
    power_law_envelope,
    power_law_tails,
    with_root,
)

spectra = st.lists(st.one_of(st.just(0.0), st.floats(1e-8, 1e3)), min_size=1, max_size=60)


def printed(values, A, n, risk, M, F, delta, norm, c, gamma, k, t) -> float:
    """FKS Theorem 3, as one line."""
    B, L = (F + M) ** 2, 2 * (F + M)
    C1 = 12 * k * t * B * L**2 + 12 * k * c * norm**2 * t ** (1 - gamma) * B * L**2 / (gamma - 1)
    return k / (k - 1) * risk + (C1 + math.log(1 / delta) * (22 * M + 5 * B * k)) / n


@given(spectra)
@settings(max_examples=60)
def test_the_envelope_lies_above_and_touches(values):
    law = power_law_envelope(values)
    falling = np.sort([value for value in values if value > 0])[::-1]
    assert law.exponent > 1
    if not len(falling):
        assert law.constant == 0
        return
    heights = law.constant * np.arange(1, len(falling) + 1.0) ** -law.exponent
    assert (heights >= falling * (1 - 1e-9)).all()
    assert (heights / falling).min() == pytest.approx(1)


@given(spectra)
@settings(max_examples=40)
def test_no_power_law_above_the_spectrum_has_a_smaller_area(values):
    falling = np.sort([value for value in values if value > 0])[::-1]
    law = power_law_envelope(values)
    for exponent in 1 + np.geomspace(1e-4, 98, 200):
        constant = (falling * np.arange(1, len(falling) + 1.0) ** exponent).max(initial=0)
        assert law.constant / (law.exponent - 1) <= constant / (exponent - 1) * (1 + 1e-6)


def test_power_laws_by_hand():
    assert tuple(power_law_envelope(3 * np.arange(1, 300.0) ** -2.5)) == pytest.approx((3, 2.5), rel=1e-6)
    assert tuple(power_law_envelope([0.7])) == pytest.approx((0.7, 100), rel=1e-6)  # which lies below any of them
    np.testing.assert_allclose(power_law_tails(3.0, 2.5), 2 * np.arange(1, 10_001) ** -1.5)  # of 3·x^−2.5 beyond t


def corrected(eigenvalues, n, risk, M, F, delta, k, t) -> float:
    """FKS eq. 9 with the root by NumPy, the tail by a sum."""
    B, L = (F + M) ** 2, 2 * (F + M)
    falling = np.sort(np.asarray(eigenvalues))[::-1]
    a, b = 2 * t * B**2 * L**2 / n, 2 * B**2 * L**2 / n * falling[t:].sum()
    root = np.roots([1, -a, -b]).real.max()
    return k / (k - 1) * risk + 6 * k * root / B + math.log(1 / delta) * (22 * M + 5 * B * k) / n


# -- the root --------------------------------------------------------------------------------------------------


def test_the_bound_is_never_below_the_root_and_the_printed_one_is_where_a_plus_b_is_below_one():
    rng = np.random.default_rng(0)
    a, b = 10 ** rng.uniform(-6, 2, (2, 10_000))
    found = fixed_point(a, b)
    roots = np.array([np.roots([1, -x, -y]).max() for x, y in zip(a, b, strict=True)])
    np.testing.assert_allclose(found, roots, rtol=1e-9)
    assert (found <= a + np.sqrt(b)).all()
    assert [float(fixed_point(*each)) for each in ((0.0, 0.0), (0.0, 4.0), (3.0, 0.0))] == [0, 2, 3]
    below = a + b < roots * (1 - 1e-9)
    assert (below == (a + b < 1 - 1e-9)).mean() > 0.999
    assert (below[a + b < 0.99]).all()
    assert not below[a + b > 1.01].any()
    printed = (a + np.sqrt(a**2 + 4 * b**2)) / 2
    assert (printed[b < 0.99] < roots[b < 0.99]).all()


@given(spectra)
@settings(max_examples=60)
def test_tails_are_sums_of_what_is_left(values):
    falling = np.sort([value for value in values if value > 0])[::-1]
    tails = eigenvalue_tails(values)
    assert len(tails) == max(1, len(falling))
    assert tails[-1] == 0
    for t, tail in enumerate(tails, 1):
        assert tail == pytest.approx(falling[t:].sum(), rel=1e-9)
    law = power_law_envelope(values)
    areas = power_law_tails(*law)[: len(tails)]
    assert (areas >= tails * (1 - 1e-9)).all()


@given(
    values=spectra,
    n=st.integers(10, 10**9),
    risk=st.floats(0, 2),
    M=st.floats(0.5, 5),
    F=st.floats(0, 5),
    norm=st.floats(0.1, 10),
    delta=st.floats(0.001, 0.5),
)
@settings(max_examples=60)
def test_terms_are_the_formula_and_k_and_t_the_best_of_all_also_as_printed(values, n, risk, M, F, norm, delta):
    known = {"n": n, "empirical_risk": risk, "target_bound": M, "output_bound": F, "delta": delta}
    found = frame_terms(values, 0.5, zero_risk=1.0, gap=0.1, norm=norm, **known)
    eigenvalues = 0.5 * norm**2 * np.array(values)
    setting = eigenvalues, n, risk, M, F, delta
    k, t = int(found["k"]), int(found["t"])
    assert found["total"] == pytest.approx(corrected(*setting, k, t), rel=1e-6)
    assert found["total"] == pytest.approx(sum(found[key] for key in FRAME.stack), rel=1e-12)
    assert found["fixed_point"] * 6 * k / (F + M) ** 2 == pytest.approx(
        found["complexity_size"] + found["complexity_decay"], rel=1e-9
    )
    assert found["tail"] == pytest.approx(np.sort(eigenvalues)[::-1][t:].sum(), rel=1e-9)
    B, L = (F + M) ** 2, 2 * (F + M)
    classical = risk + 2 * L * math.sqrt(eigenvalues.sum() / n) + B * math.sqrt(math.log(1 / delta) / (2 * n))
    assert found["rademacher_total"] == pytest.approx(classical, rel=1e-9)
    for other in itertools.product({2, 3, 5, 20, 100, 1000, k - 1, k + 1} - {0, 1}, range(1, len(values) + 1)):
        assert found["total"] <= corrected(*setting, *other) * (1 + 1e-6)

    # The printed bound has its own best k and t.
    law = power_law_envelope(0.5 * np.array(values))
    assert (found["envelope_constant"], found["envelope_exponent"]) == law
    setting = values, 0.5, n, risk, M, F, delta, norm, *law
    k, t = int(found["printed_k"]), int(found["printed_t"])
    assert found["printed_total"] == pytest.approx(printed(*setting, k, t), rel=1e-9)
    ks = {2, 3, 5, 20, 100, 1000, k - 1, k + 1} - {0, 1}
    ts = {1, 2, 3, 10, 50, 500, t - 1, t + 1} - {0}
    for other in itertools.product(ks, ts):
        assert found["printed_total"] <= printed(*setting, *other) * (1 + 1e-9)


@given(
    values=st.lists(st.floats(1e-6, 10), min_size=1, max_size=40),
    M=st.floats(0.2, 3),
    held=st.one_of(st.none(), st.integers(1, 60)),
)
@settings(max_examples=100)
def test_the_printed_value_falls_below_the_root_where_the_page_states_it(values, M, held):
    law = power_law_envelope(values)
    setting = FrameSetting(0.1, eigenvalue_tails(values), *law, sum(values), M, 0.0)

    def too_small(n: float) -> bool:
        t = np.arange(1, 200)
        printed_value = setting.scale / n * (t + law.constant * t ** (1 - law.exponent) / (law.exponent - 1)).min()
        root = setting.fixed_points(n).min() if held is None else setting.fixed_point(n, held)
        return printed_value < root * (1 - 1e-9)

    found = setting.overtaken(held)
    if found is None:
        assert not any(too_small(n) for n in np.geomspace(1e-3, 1e18, 50).tolist())
    else:
        assert too_small(found * 1.01 + 1e-9)
        assert found == 0 or not too_small(found * 0.99)


def test_the_orders_are_those_of_the_right_root():
    """1/√n for a t that stays, n^{−γ/(γ+1)} for the best, 1/n as printed and for a kernel of finite rank."""
    gamma, n = 2.0, np.geomspace(1e4, 1e8, 9)
    values = np.arange(1, 200_001.0) ** -gamma
    setting = FrameSetting(0.0, eigenvalue_tails(values), 1.0, gamma, values.sum(), 0.5, 0.5)

    def order(heights) -> float:
        return float(np.polyfit(np.log(n), np.log(heights), 1)[0])

    assert order([setting.fixed_points(float(m)).min() for m in n]) == pytest.approx(-gamma / (gamma + 1), abs=0.02)
    assert order([setting.fixed_point(float(m), 2) for m in n]) == pytest.approx(-0.5, abs=0.02)
    assert order([setting.answers(int(m))["printed_fixed_point"] for m in n]) == pytest.approx(-1, rel=1e-4)
    few = setting._replace(tails=eigenvalue_tails(values[:3]))
    late = [few.fixed_points(float(m)).min() for m in n * 1e6]
    assert order(late) == pytest.approx(-1, rel=1e-4)


def test_with_no_training_error_the_classical_bound_is_the_formula_and_the_printed_one_falls_as_one_over_n():
    spectrum = np.arange(1, 100.0) ** -2

    def excess(n: int) -> dict[str, float]:
        # M = F = ½: B = 1 and L = 2. With k fixed by the risk 0 the whole printed bound is C₁/n.
        return frame_terms(
            spectrum, 0.5, n=n, empirical_risk=0.0, zero_risk=1.0, target_bound=0.5, output_bound=0.5, gap=0.0
        )

    now, later = excess(1000), excess(100_000)
    assert now["printed_total"] / later["printed_total"] == pytest.approx(100)
    assert now["rademacher_total"] / later["rademacher_total"] == pytest.approx(10)
    assert 10 < now["total"] / later["total"] < 100
    assert later["printed_total"] < 0.5 * later["total"]
    root = 4 * math.sqrt(0.5 * spectrum.sum() / 1000) + math.sqrt(math.log(20) / 2000)
    assert now["rademacher_total"] == pytest.approx(root)


def test_terms_that_an_older_version_stored_are_read_with_the_root():
    known = {"n": 800, "empirical_risk": 0.2, "zero_risk": 1.0, "target_bound": 2.0, "output_bound": 1.5, "gap": 0.05}
    now = frame_terms(np.arange(1, 61.0) ** -1.7, 0.5, norm=3.0, **known)
    assert with_root(now, 800) == now
    new = {"printed_total", "printed_k", "printed_t", "fixed_point", "printed_fixed_point", "tail"}
    old = {key: value for key, value in now.items() if key not in new}
    old |= {"total": now["printed_total"], "k": now["printed_k"], "t": now["printed_t"]}
    read = with_root(old, 800)
    assert read.keys() == now.keys() - {"tail"}
    for key in ("printed_total", "printed_k", "printed_t", "rademacher_total", "test_risk"):
        assert read[key] == pytest.approx(now[key]), key
    assert now["total"] <= read["total"] <= 1.5 * now["total"]  # the tail of the power law is larger
    assert with_root({"gap": 1.0, "total": 3.0}, 800) == {"gap": 1.0, "total": 3.0}


def test_scaling_the_spectrum_and_the_norm_against_each_other_changes_nothing():
    spectrum = np.random.default_rng(0).exponential(size=30)
    options = {"n": 500, "empirical_risk": 0.2, "zero_risk": 1.0, "target_bound": 2.0, "output_bound": 1.5, "gap": 0.05}
    one = frame_terms(spectrum, 0.5, norm=2.0, **options)
    other = frame_terms(spectrum / 4, 0.5, norm=4.0, **options)
    assert one["total"] == pytest.approx(other["total"])
    assert one["rademacher_total"] == pytest.approx(other["rademacher_total"])
    assert one["envelope_exponent"] == pytest.approx(other["envelope_exponent"])


def test_every_term_has_its_words_and_its_value():
    assert BOUNDS["frame"] is FRAME
    found = frame_terms(
        [0.3, 0.0], 0.5, n=100, empirical_risk=0.2, zero_risk=1.0, target_bound=2.0, output_bound=1.0, gap=0.1
    )
    assert [term.key for term in FRAME.terms] == sorted(found, key=[term.key for term in FRAME.terms].index)
    assert set(found) == {term.key for term in FRAME.terms}
    assert {*FRAME.stack, *FRAME.beside, *FRAME.over_time, FRAME.measured, FRAME.total} <= set(found)
    assert found["test_risk"] == pytest.approx(0.3)
    assert all(type(value) is float and math.isfinite(value) for value in found.values())
    nothing = {"empirical_risk": 0.0, "zero_risk": 0.0, "target_bound": 0.0, "output_bound": 0.0, "gap": 0.0}
    assert frame_terms([0.3], 0.5, n=100, **nothing)["total"] == 0  # targets that are all 0

"""The frame bound: its envelope against a grid, its terms against the printed formula, its k and t against all."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.bounds import BOUNDS, FRAME, frame_terms
from kernlab.bounds.frame import power_law_envelope

spectra = st.lists(st.one_of(st.just(0.0), st.floats(1e-8, 1e3)), min_size=1, max_size=60)


def printed(values, A, n, risk, M, F, delta, norm, c, gamma, k, t) -> float:
    """FKS Theorem 3, as one line."""
    B, L = (F + M) ** 2, 2 * (F + M)
    C1 = 12 * k * t * B * L**2 + 12 * k * c * norm**2 * t ** (1 - gamma) * B * L**2 / (gamma - 1)
    return k / (k - 1) * risk + (C1 + math.log(1 / delta) * (22 * M + 5 * B * k)) / n


@given(spectra)
@settings(deadline=None, max_examples=60)
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
@settings(deadline=None, max_examples=40)
def test_no_power_law_above_the_spectrum_has_a_smaller_area(values):
    falling = np.sort([value for value in values if value > 0])[::-1]
    law = power_law_envelope(values)
    for exponent in 1 + np.geomspace(1e-4, 98, 200):
        constant = (falling * np.arange(1, len(falling) + 1.0) ** exponent).max(initial=0)
        assert law.constant / (law.exponent - 1) <= constant / (exponent - 1) * (1 + 1e-6)


def test_a_power_law_is_its_own_envelope():
    law = power_law_envelope(np.random.default_rng(0).permutation(3 * np.arange(1, 300.0) ** -2.5))
    assert tuple(law) == pytest.approx((3, 2.5), rel=1e-6)


@given(
    values=spectra,
    n=st.integers(10, 10**7),
    risk=st.floats(0, 2),
    M=st.floats(0.5, 5),
    F=st.floats(0, 5),
    norm=st.floats(0.1, 10),
    delta=st.floats(0.001, 0.5),
)
@settings(deadline=None, max_examples=60)
def test_terms_are_the_printed_ones_and_k_and_t_the_best(values, n, risk, M, F, norm, delta):
    found = frame_terms(
        values,
        0.5,
        n=n,
        empirical_risk=risk,
        zero_risk=1.0,
        target_bound=M,
        output_bound=F,
        gap=0.1,
        norm=norm,
        delta=delta,
    )
    law = power_law_envelope(0.5 * np.array(values))
    assert (found["envelope_constant"], found["envelope_exponent"]) == law
    setting = values, 0.5, n, risk, M, F, delta, norm, *law
    k, t = int(found["k"]), int(found["t"])
    assert found["total"] == pytest.approx(printed(*setting, k, t), rel=1e-9)
    assert found["total"] == pytest.approx(sum(found[key] for key in FRAME.stack), rel=1e-12)
    ks = {2, 3, 5, 20, 100, 1000, k - 1, k + 1} - {0, 1}
    ts = {1, 2, 3, 10, 50, 500, t - 1, t + 1} - {0}
    for other in itertools.product(ks, ts):
        assert found["total"] <= printed(*setting, *other) * (1 + 1e-9)


def test_the_total_falls_as_one_over_n_and_the_classical_one_as_its_root():
    spectrum = np.arange(1, 100.0) ** -2

    def excess(n: int) -> tuple[float, float]:
        # M = F = ½: B = 1 and L = 2. With k fixed by the risk 0 the whole bound is C₁/n.
        found = frame_terms(
            spectrum, 0.5, n=n, empirical_risk=0.0, zero_risk=1.0, target_bound=0.5, output_bound=0.5, gap=0.0
        )
        return found["total"], found["rademacher_total"]

    (fast, slow), (fast_later, slow_later) = excess(1000), excess(100_000)
    assert fast / fast_later == pytest.approx(100)
    assert slow / slow_later == pytest.approx(10)
    root = 4 * math.sqrt(0.5 * spectrum.sum() / 1000) + math.sqrt(math.log(20) / 2000)
    assert slow == pytest.approx(root)


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

"""The benchmark compares two ways to one gradient; here it is small, and only that they agree is looked at."""

from __future__ import annotations

from kernlab.bench import BENCHMARKS


def test_both_gradients_agree():
    figures = BENCHMARKS["nysdi-gradient"](m=120, J=40, d=5, K=3, rounds=3)
    assert figures["relative_difference_value"] < 1e-9
    assert figures["relative_difference_gradient"] < 1e-6
    assert figures["times_faster"] > 0
    assert figures["share_of_floor"] > 0

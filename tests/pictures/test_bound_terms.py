import math

import numpy as np
import pytest

from kernlab.bounds import BOUNDS, Bound, Term
from kernlab.pictures.bound_terms import bound_history, bound_now, newest

FACTOR = 4 * math.sqrt(2) * 3.0
VALUES = {
    "empirical_risk": 0.5,
    "weight_norm": 7.0,
    "lipschitz": 3.0,
    "rademacher": 0.02,
    "dual_norm": 0.01,
    "dual_norm_se": 0.001,
    "worst_case": 0.04,
    "confidence": 0.05,
    "complexity": FACTOR * 0.02,
    "total": FACTOR * 0.02 + 0.05,
    "gap": 0.03,
}


#: a + b = whole, and the "measured" value to compare with it.
PLAIN = Bound(
    "plain", "Some bound", "", "", tuple(
        Term(key, title, "", "", "")
        for key, title in (("a", "First"), ("b", "Rademacher part"), ("whole", "The sum"), ("seen", "Measured"))
    ),
    stack=("a", "b"), beside=("seen",), over_time=("whole", "a", "seen"), total="whole", measured="seen", unit="metres",
)  # fmt: skip


def history(**series):
    return {f"bound/{k}": (np.arange(len(v)), np.arange(len(v)) / 2, np.array(v, float)) for k, v in series.items()}


def test_bars_are_complexity_and_confidence_with_three_estimates():
    bars = {bar.name: bar for bar in bound_now(VALUES).bars}
    assert list(bars) == ["empirical risk", "measured gap", "exact", "paper", "worst case"]
    assert bars["paper"].total == pytest.approx(VALUES["total"])
    assert dict(bars["exact"].parts) == pytest.approx({"complexity": FACTOR * 0.01, "confidence": 0.05})
    assert bars["exact"].error == pytest.approx(FACTOR * 0.001)
    assert bars["exact"].end == pytest.approx(FACTOR * 0.011 + 0.05)
    assert bars["worst case"].total == pytest.approx(FACTOR * 0.04 + 0.05)
    assert bars["measured gap"].parts == (("gap", 0.03),)


def test_what_is_not_known_is_not_drawn():
    assert bound_now({}).bars == ()
    assert [bar.name for bar in bound_now({"gap": 0.1}).bars] == ["measured gap"]


def test_terms_over_training_stand_on_the_scale_of_the_loss():
    found = bound_history(
        history(lipschitz=[1, 2], dual_norm=[0.1, 0.2], worst_case=[1, 1], total=[9, 8], rank=[3, 3], gap=[-0.1, 0.2])
    )
    terms = {curve.name: curve.y for curve in found.terms.curves}
    assert list(terms) == ["total", "complexity_worst", "complexity_exact"]
    assert terms["complexity_exact"] == pytest.approx([4 * math.sqrt(2) * 0.1, 4 * math.sqrt(2) * 0.4])
    assert terms["complexity_worst"] == pytest.approx([4 * math.sqrt(2), 8 * math.sqrt(2)])
    assert found.gap.y == pytest.approx([-0.1, 0.2])
    assert found.hidden == 1


def test_without_a_lipschitz_constant_nothing_is_scaled():
    found = bound_history(history(dual_norm=[0.1], total=[1.0]))
    assert [curve.name for curve in found.terms.curves] == ["total"]
    assert found.gap is None


def test_newest_values_skip_what_is_not_finite():
    assert newest(history(gap=[1, 2, np.nan], rank=[np.nan]) | {"loss": ([0], [0], [9])}) == {"gap": 2}


def test_any_bound_says_what_is_stacked_and_what_stands_beside():
    found = bound_now({"a": 1.0, "b": 2.0, "whole": 3.0, "seen": 0.5, "other": 9.0}, PLAIN)
    assert [(bar.name, bar.parts, bar.total) for bar in found.bars] == [
        ("measured", (("seen", 0.5),), 0.5),
        ("the sum", (("a", 1.0), ("b", 2.0)), 3.0),
    ]
    assert (found.stacked, found.unit) == (("a", "b"), "metres")
    assert found.words["b"] == "Rademacher part"
    assert [bar.name for bar in bound_now({"a": 1.0, "seen": 0.5}, PLAIN).bars] == ["measured"]


def test_any_bound_says_what_is_drawn_over_training():
    found = bound_history(history(a=[1, 2], b=[0, 0], whole=[1, 2], seen=[-1, 3]), PLAIN)
    assert [curve.name for curve in found.terms.curves] == ["whole", "a"]
    assert found.gap.y == pytest.approx([-1, 3])
    assert (found.hidden, found.unit) == (1, "metres")


@pytest.mark.parametrize("name", BOUNDS)
def test_every_bound_shows_only_terms_that_it_has(name):
    bound = BOUNDS[name]
    keys = {term.key for term in bound.terms}
    made = {each.key for each in bound.estimates}
    assert bound.over_time or bound.beside
    assert {*bound.stack, *bound.beside} <= keys
    assert set(bound.over_time) <= keys | made
    assert {key for each in bound.estimates for key in (each.of, each.factor, each.replaces)} <= keys
    assert not bound.stack or bound.total in keys
    assert bound_now(dict.fromkeys(keys, 1.0), bound).bars

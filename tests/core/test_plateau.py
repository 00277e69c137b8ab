"""How a learning rate falls: by schedule, or where learning stands still, by hand, epoch by epoch."""

from __future__ import annotations

import pytest

from kernlab.solvers import ProximalGradient
from kernlab.solvers.plateau import Plateau


def after(means, *, patience=2, tolerance=0.0, start=None) -> list[Plateau]:
    states, state = [], start or Plateau()
    for mean in means:
        state = state.after(mean, patience=patience, tolerance=tolerance)
        states.append(state)
    return states


def test_the_rate_falls_with_the_last_epoch_of_patience_and_not_before():
    states = after([1.0, 1.0, 1.0, 1.0], patience=3)
    assert [state.waited for state in states] == [0, 1, 2, 0]
    assert [state.falls for state in states] == [0, 0, 0, 1]
    assert [state.factor for state in states] == [1.0, 1.0, 1.0, 0.1]
    assert not any(state.over for state in states)


def test_with_a_patience_of_one_every_epoch_without_gain_lets_it_fall():
    states = after([3.0, 2.0, 2.0, 1.0, 1.0, 1.0], patience=1)
    assert [state.falls for state in states] == [0, 0, 1, 1, 2, 2]
    assert [state.over for state in states] == [False] * 5 + [True]


def test_a_fall_that_brings_nothing_ends_training():
    """What the rate before had gained does not count for the present one."""
    states = after([3.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    assert [state.falls for state in states] == [0, 0, 0, 1, 1, 1]
    assert [state.gained for state in states] == [True, True, True, False, False, False]
    assert [state.over for state in states] == [False] * 5 + [True]


def test_a_fall_that_brings_a_gain_is_followed_by_another():
    states = after([3.0, 3.0, 3.0, 2.0, 2.0, 2.0])
    assert [state.falls for state in states] == [0, 0, 1, 1, 1, 2]
    assert [state.best for state in states] == [3.0, 3.0, 3.0, 2.0, 2.0, 2.0]
    assert states[-1].factor == pytest.approx(0.01)
    assert not states[-1].over


@pytest.mark.parametrize(("best", "enough", "too_little"), [(10.0, 8.9, 9.0), (-10.0, -11.1, -11.0), (0.0, -1e-9, 0.0)])
def test_a_gain_counts_from_the_tolerance_on_relative_to_the_best(best, enough, too_little):
    (first,) = after([best], tolerance=0.1)
    assert after([enough], tolerance=0.1, start=first)[0] == Plateau(best=enough, gained=True)
    assert after([too_little], tolerance=0.1, start=first)[0] == Plateau(best=best, waited=1, gained=True)


def test_a_gain_starts_the_waiting_anew():
    states = after([3.0, 3.0, 2.0, 2.0, 2.0])
    assert [state.waited for state in states] == [0, 1, 0, 1, 0]
    assert [state.falls for state in states] == [0, 0, 0, 0, 1]


def test_the_schedules_by_hand():
    times = (0.0, 0.25, 0.49, 0.5, 0.74, 0.75, 1.0)
    expected = {
        "cosine": [1, 0.5 + 0.5**1.5, 0.5157, 0.5, 0.1577, 0.5 - 0.5**1.5, 0],
        "step": [1, 1, 1, 0.1, 0.1, 0.01, 0.01],
        "constant": [1] * 7,
        "plateau": [1] * 7,
    }
    for schedule, rates in expected.items():
        assert [ProximalGradient(schedule=schedule).rate(at) for at in times] == pytest.approx(rates, abs=1e-4)

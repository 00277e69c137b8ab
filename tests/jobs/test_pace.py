"""The time that a training still takes is estimated from its last seconds."""

import pytest

from kernlab.jobs.trainings import Pace, Rhythm


def remaining(pace, total, step, seconds):
    since = pace.since
    return (total - step) * (seconds - since[1]) / (step - since[0])


def test_slow_first_steps_do_not_count():
    pace, steps, seconds = Pace(), 0, 0.0
    for _ in range(4):  # code is loaded
        pace.note(steps, seconds)
        steps, seconds = steps + 1, seconds + 0.15
    for _ in range(200):  # then a hundred steps a second
        pace.note(steps, seconds)
        steps, seconds = steps + 1, seconds + 0.01
    true = (1000 - steps) * 0.01
    whole = (1000 - steps) * seconds / steps
    found = remaining(pace, 1000, steps, seconds)
    assert whole > 1.25 * true
    assert found == pytest.approx(true, rel=0.25)


def test_a_change_of_pace_is_followed():
    pace, seconds = Pace(), 0.0
    for step in range(2000):
        pace.note(step, seconds)
        seconds += 0.01 if step < 1000 else 0.02
    assert remaining(pace, 3000, 2000, seconds) == pytest.approx(20, rel=0.05)


def test_before_the_first_step_there_is_none():
    assert Pace().since is None


def test_points_and_snapshots_are_due_as_far_apart_as_they_were():
    """A point every 8 steps and a snapshot every 20, ten steps a second."""
    rhythm = Rhythm()
    assert rhythm.due((0, 0.0), 1.0) is None
    for step in range(1, 41):
        for kind, every in (("Step", 8), ("Snapshot", 20)):
            if step % every == 0:
                rhythm.note(kind, step, step / 10)
        if step >= 20:
            coming = min(8 * (step // 8 + 1), 20 * (step // 20 + 1))
            assert rhythm.due((0, 0.0), step / 10) == pytest.approx((coming - step) / 10)
    assert rhythm.due((0, 0.0), 5.0) == pytest.approx(-0.2)  # it is late
    assert rhythm.due((40, 4.0), 5.0) is None  # no steps, no pace

"""The time that a training still takes is estimated from the last part of it."""

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


def test_a_busy_minute_of_a_long_run_says_little_about_the_rest():
    pace, step, seconds = Pace(), 0, 0.0
    while step < 20_000:  # 20 minutes; now and then the machine does something else for six seconds
        pace.note(step, seconds)
        step, seconds = step + 1, seconds + (6.0 if step % 1000 == 0 else 0.054)
    true = (1_000_000 - step) * 0.06
    assert remaining(pace, 1_000_000, step, seconds) == pytest.approx(true, rel=0.05)
    assert len(pace._notes) < 30


def test_before_the_first_step_there_is_none():
    assert Pace().since is None


@pytest.mark.parametrize("second", [10, 1000])  # steps
def test_what_comes_within_a_moment_is_due_at_once(second):
    """A point every 8 steps and a snapshot every 20, which has a point of its own."""
    rhythm = Rhythm()
    assert rhythm.due((0, 0.0), 1.0) is None
    for step in range(1, 401):
        shot, point = step % 20 == 0, step % 8 == 0
        if point or shot:
            rhythm.note("Step", step, step / second)
        if shot:
            rhythm.note("Snapshot", step, step / second)
        if step >= 40 and (point or shot):
            coming = [each for each in range(step + 1, step + 500) if each % 20 == 0 or each % 8 == 0]
            together = [each for each in coming if each - coming[0] <= Rhythm.TOGETHER * second]
            assert rhythm.due((0, 0.0), step / second) == pytest.approx((together[-1] - step) / second)


def test_an_event_may_be_late():
    rhythm = Rhythm()
    for step in (8, 16):
        rhythm.note("Step", step, step / 10)
    assert rhythm.due((0, 0.0), 2.0) == pytest.approx(0.4)
    assert rhythm.due((0, 0.0), 3.0) == pytest.approx(-0.6)
    assert rhythm.due((16, 1.6), 3.0) is None  # no steps, no pace

"""Trainings in step: the one that is furthest behind works, and each has the numbers of the run alone."""

import statistics
import threading
import time

import numpy as np
import pytest
from waiting import PATIENCE, until

from kernlab import devices
from kernlab.jobs import Jobs
from kernlab.jobs.groups import QUANTUM, Group
from kernlab.spec import RunSpec

SMALL = {"n_samples": 200, "batch_size": 20, "validation": 0, "compile": "off"}


def spec(method="ASKL", epochs=4000, **options):
    return RunSpec.of(method, "moons", epochs=epochs, **{**SMALL, "n_features": 20, **options})


@pytest.fixture
def jobs(tmp_path):
    made = Jobs(tmp_path)
    yield made
    made.shutdown(PATIENCE)


def together(trainings, *specs, equal="epochs"):
    group = trainings.group(equal=equal)
    return [trainings.submit(each, group=group) for each in specs]


def epochs(trainings, ids):
    return [trainings.snapshot(id).epoch for id in ids]


def test_the_job_that_is_furthest_behind_works(monkeypatch):
    group, worked = Group(threading.Condition()), []

    def work(id, speed):
        done = 0.0
        assert group.take(id, done, lambda: False)
        until(lambda: group._waits.keys() >= {"slow", "fast"} or len(worked) > 200)
        while done < 300:
            worked.append(id)
            done += speed
            if group.over:
                group.give_way(id, done, lambda: False)
        group.leave(id)

    monkeypatch.setattr("kernlab.jobs.groups.QUANTUM", 0.0)
    threads = [threading.Thread(target=work, args=each) for each in (("slow", 1), ("fast", 3))]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
    first = worked[:240]
    assert 2.5 < first.count("slow") / first.count("fast") < 3.5


def test_two_methods_train_in_step_though_one_is_slower(jobs):
    trainings = jobs.trainings
    ids = together(trainings, spec(n_features=400), spec("SK"))
    until(lambda: min(epochs(trainings, ids)) > 20)
    apart = []
    for _ in range(20):
        slow, fast = epochs(trainings, ids)
        apart.append(abs(slow - fast) / max(slow, fast))
        time.sleep(0.02)
    assert statistics.median(apart) < 0.5  # alone the small one would be many times as far
    states = [trainings.snapshot(id) for id in ids]
    assert [state.status for state in states] == ["running", "running"]
    assert states[0].in_step == (states[1].name,)
    assert states[0].beside == ()
    seconds = [state.elapsed for state in states]
    assert seconds[0] > 1.5 * seconds[1]  # each counts the time of its own turns alone


def test_equal_seconds_give_the_faster_method_more_epochs(jobs):
    trainings = jobs.trainings
    ids = together(trainings, spec(n_features=400), spec("SK"), equal="seconds")
    until(lambda: min(epochs(trainings, ids)) > 0)  # seconds begin with the data, epochs with the first step
    begun = [trainings.snapshot(id) for id in ids]

    def gained(what):
        return [
            getattr(trainings.snapshot(id), what) - getattr(each, what) for id, each in zip(ids, begun, strict=True)
        ]

    until(lambda: min(gained("elapsed")) > 1)
    first, second = gained("elapsed")
    assert abs(first - second) < 0.5 * max(first, second)
    slow, fast = gained("epoch")
    assert fast > 1.5 * slow


def test_each_has_the_numbers_of_the_run_alone(jobs):
    trainings, store = jobs.trainings, jobs.trainings.store
    specs = [spec(epochs=40), spec(epochs=25, seed=1), spec("SK", epochs=40), spec("ASKL", epochs=6, validation=0.2)]
    alone = []
    for each in specs:
        alone.append(trainings.submit(each))
        trainings.wait(alone[-1], PATIENCE)
    ids = together(trainings, *specs)
    for one, other in zip(alone, ids, strict=True):
        assert trainings.wait(other, PATIENCE).status == "finished"
        mine, theirs = store.metrics(one).curves, store.metrics(other).curves
        assert mine.keys() == theirs.keys()
        for name, curve in mine.items():
            np.testing.assert_array_equal(curve.steps, theirs[name].steps)
            np.testing.assert_array_equal(curve.values, theirs[name].values, err_msg=name)


def test_a_paused_run_lets_the_others_go_on_and_catches_up(jobs):
    trainings = jobs.trainings
    first, second = ids = together(trainings, spec(), spec("SK"))
    until(lambda: min(epochs(trainings, ids)) > 3)
    trainings.pause(first)
    until(lambda: trainings.snapshot(first).status == "paused")
    held = trainings.snapshot(first).epoch
    until(lambda: trainings.snapshot(second).epoch > held + 100)
    assert trainings.snapshot(first).epoch == held
    ahead = trainings.snapshot(second).epoch
    trainings.resume(first)
    until(lambda: trainings.snapshot(first).epoch > ahead)
    first_now, second_now = epochs(trainings, ids)
    assert abs(first_now - second_now) < 0.3 * first_now
    trainings.cancel(second)
    assert trainings.wait(second, PATIENCE).status == "stopped"
    before = trainings.snapshot(first).epoch
    until(lambda: trainings.snapshot(first).epoch > before + 20)
    trainings.cancel(first)
    trainings.wait(first, PATIENCE)
    group = trainings.group(ids)
    for each in ids:
        trainings.resume_run(each, group=group)
    until(lambda: min(epochs(trainings, ids)) > before + 20)


def test_a_group_has_one_place_in_its_line(jobs):
    trainings = jobs.trainings
    ids = together(trainings, spec(), spec("SK"))
    until(lambda: min(epochs(trainings, ids)) > 1)
    other = trainings.submit(spec(epochs=2))
    until(lambda: trainings.snapshot(other).position == 1)
    trainings.pause(ids[0])
    until(lambda: trainings.snapshot(ids[0]).status == "paused")
    assert trainings.snapshot(other).position == 1  # the second run of the group goes on
    trainings.pause(ids[1])
    assert trainings.wait(other, PATIENCE).status == "finished"
    for each in ids:
        trainings.resume(each)
    until(lambda: [trainings.snapshot(each).status for each in ids] == ["running"] * 2)


def test_a_run_joins_one_that_is_under_way_and_catches_up(jobs):
    trainings = jobs.trainings
    first = trainings.submit(spec())
    until(lambda: trainings.snapshot(first).epoch > 60)
    second = trainings.submit(spec("SK"), group=trainings.group([first]))
    begun = trainings.snapshot(first).epoch
    until(lambda: trainings.snapshot(second).epoch > begun + 30)

    def abreast():  # the epoch of a run is that of its last event, which may be some epochs ago
        one, other = epochs(trainings, [first, second])
        return abs(one - other) < 0.3 * min(one, other)

    until(abreast)


def test_one_step_and_one_epoch_of_each(jobs):
    trainings = jobs.trainings
    group = trainings.group()
    ids = [trainings.submit(each, group=group, paused=True) for each in (spec(), spec("SK"))]
    until(lambda: [trainings.snapshot(each).status for each in ids] == ["paused"] * 2)
    for each in ids:
        trainings.step(each, "epoch")
    until(lambda: epochs(trainings, ids) == [1.0, 1.0])
    until(lambda: [trainings.snapshot(each).status for each in ids] == ["paused"] * 2)


def test_a_group_leaves_one_core_free_for_itself_not_one_for_each(jobs, monkeypatch):
    monkeypatch.setattr(devices, "cores", lambda: 4)
    trainings = jobs.trainings
    ids = together(trainings, spec(), spec("SK"), spec("NSK"))
    until(lambda: min(epochs(trainings, ids)) > 1)
    alone = jobs._queue.jobs()[0]
    assert jobs._queue.beside(alone) == []
    stranger = trainings.submit(spec(), group=trainings.group())
    until(lambda: trainings.snapshot(stranger).status == "queued")
    groups = {job.group for job in jobs._queue.beside(jobs._queue.get(stranger))}
    assert len(groups) == 1


def test_a_turn_is_longer_than_a_step_and_shorter_than_the_eye_sees():
    assert 0.01 <= QUANTUM <= 0.1

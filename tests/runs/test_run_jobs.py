"""Jobs in the background: one at a time a device, in order, steered from anywhere."""

from __future__ import annotations

import logging
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_training as fake
import numpy as np
import pytest
from waiting import PATIENCE, until

from kernlab.errors import DataError, DeviceError, StoreError, UnknownNameError
from kernlab.jobs import manager
from kernlab.jobs.queue import Job
from kernlab.jobs.trainings import RunState, Trainings
from kernlab.runs import tensors
from kernlab.runs.store import Store
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Evaluated, Event, Kept

ENDLESS = 10**6


def becomes(jobs: Trainings, run_id: str, status: str) -> RunState:
    until(lambda: jobs.snapshot(run_id).status == status)
    return jobs.snapshot(run_id)


def objective(store: Store, run_id: str) -> list[float]:
    return store.metrics(run_id).curves["objective"].values.tolist()


def test_a_job_trains_to_its_end_in_the_background(jobs: Trainings, store: Store) -> None:
    run_id = jobs.submit(fake.spec(20, delay=0.005), name="Mine")
    assert jobs.snapshot(run_id).status in ("queued", "running")  # submit did not wait for it
    state = jobs.wait(run_id, PATIENCE)
    assert (state.status, state.name, state.step, state.total_steps, state.epoch) == ("finished", "Mine", 20, 20, 4.0)
    assert (state.position, state.remaining, state.error, state.mine) == (None, None, "", False)
    assert 0.1 <= state.elapsed < 5
    assert objective(store, run_id) == fake.expected(20)
    assert jobs.queue() == []
    until(lambda: not jobs.jobs.jobs())  # nothing of it is kept in memory


def test_a_run_begins_when_what_shows_it_lets_it_or_after_a_while(jobs: Trainings) -> None:
    waits = jobs.submit(fake.spec(3), after=2 * PATIENCE)
    assert becomes(jobs, waits, "running").total_steps is None  # it has its turn and has read nothing yet
    jobs.begin("nobody")
    jobs.begin(waits)
    assert jobs.wait(waits, PATIENCE).status == "finished"
    assert jobs.wait(jobs.submit(fake.spec(3), after=0.01), PATIENCE).status == "finished"


def test_progress_is_shown_while_it_runs(jobs: Trainings) -> None:
    run_id = jobs.submit(fake.spec(200, delay=0.01))
    until(lambda: jobs.snapshot(run_id).step >= 20)
    state = jobs.snapshot(run_id)
    assert (state.status, state.position, state.total_steps, state.mine) == ("running", 0, 200, True)
    left = 200 - state.step  # each step sleeps 10 ms, and the clock begins before the first
    assert 0.0099 * left <= state.remaining
    assert state.epoch == pytest.approx(state.step / fake.PER_EPOCH)


def test_epochs_are_those_of_the_step_where_points_of_the_curves_lie_far_apart(store: Store) -> None:
    def seldom(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
        begun = fake.started(spec)
        yield replace(begun, facts={**begun.facts, "n_held": 5})
        yield Evaluated(0, 0.0, {"test_metric": 1.0})
        for step in (12, 20):
            yield Checkpoint(step, {"weight": np.float64(1)}, {})
            control.wait()
            control.spent("batch")
        kept = {"epoch": 2, "of": 4, "stopped": 4, "rows": 5, "penalty": None, "learned": True}
        yield Kept(20, 4.0, {"kept": kept, "total_steps": 36, "total_epochs": 6.0})
        yield Checkpoint(28, {"weight": np.float64(1)}, {})
        control.wait()
        yield Cancelled(28)

    jobs = Trainings(store, seldom, device_key=str)
    run_id = jobs.submit(fake.spec(40), paused=True)
    for step, epoch in ((12, 2.4), (20, 4.0), (28, 5.0)):  # an epoch on all rows has 8 steps
        until(lambda step=step: jobs.snapshot(run_id).step == step)
        assert jobs.snapshot(run_id).epoch == pytest.approx(epoch)
        jobs.step(run_id)
    jobs.shutdown()


def test_a_device_serves_one_job_at_a_time_in_the_order_of_asking(jobs: Trainings, store: Store) -> None:
    overlap, at_work, begun = [], set(), []

    def watched(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
        me = spec["fake"]["me"]
        begun.append(me)
        for event in fake.train(spec, control=control, resume=resume):
            at_work.add(me)
            overlap.append(len(at_work))
            time.sleep(0.001)
            at_work.discard(me)
            yield event

    mine = Trainings(store, watched, device_key=str)
    runs = [mine.submit(fake.spec(15, me=i)) for i in range(4)]
    queue = mine.queue()
    assert [state.id for state in queue] == runs[-len(queue) :]
    assert [state.position for state in queue if state.status == "queued"] == list(range(4))[-len(queue) :][1:]
    assert all(mine.wait(run_id, PATIENCE).status == "finished" for run_id in runs)
    assert begun == [0, 1, 2, 3]
    assert max(overlap) == 1


def test_a_job_whose_thread_begins_late_keeps_its_place(jobs: Trainings, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, run = threading.Event(), Job._run

    def late(job: Job) -> None:
        if job.id == jobs.queue()[0].id:
            assert go_on.wait(PATIENCE)
        run(job)

    monkeypatch.setattr(Job, "_run", late)
    first, second = (jobs.submit(fake.spec(15)) for _ in range(2))
    assert [jobs.snapshot(run_id).position for run_id in (first, second)] == [0, 1]
    go_on.set()
    assert [jobs.wait(run_id, PATIENCE).status for run_id in (first, second)] == ["finished", "finished"]


def test_two_devices_work_side_by_side(jobs: Trainings) -> None:
    first, second = (
        jobs.submit(fake.spec(ENDLESS, delay=0.001)),
        jobs.submit(fake.spec(ENDLESS, device="cuda", delay=0.001)),
    )
    until(lambda: jobs.snapshot(first).step > 3 and jobs.snapshot(second).step > 3)
    assert {jobs.snapshot(first).position, jobs.snapshot(second).position} == {0}


def test_a_paused_job_gives_its_device_away_and_queues_again(jobs: Trainings, store: Store) -> None:
    first = jobs.submit(fake.spec(40, delay=0.002))
    until(lambda: jobs.snapshot(first).step >= 3)
    second = jobs.submit(fake.spec(ENDLESS, delay=0.002))
    assert jobs.snapshot(second).position == 1
    jobs.pause(first)
    becomes(jobs, second, "running")
    waiting = becomes(jobs, first, "paused")
    assert waiting.position is None
    assert [state.status for state in jobs.queue()] == ["running", "paused"]
    assert store.get(first).status == "paused"
    time.sleep(0.05)
    after = jobs.snapshot(first)
    assert (after.step, after.elapsed) == (waiting.step, waiting.elapsed)  # it does not train, its clock stands

    jobs.resume(first)
    assert becomes(jobs, first, "queued").position == 1
    jobs.pause(first)  # and changes its mind while in the queue
    becomes(jobs, first, "paused")
    time.sleep(0.05)
    assert jobs.snapshot(first).step == waiting.step
    jobs.resume(first)
    becomes(jobs, first, "queued")
    jobs.cancel(second)
    assert jobs.wait(second, PATIENCE).status == "stopped"
    assert jobs.wait(first, PATIENCE).status == "finished"
    assert objective(store, first) == fake.expected(40)


def test_single_steps_are_single(jobs: Trainings, store: Store) -> None:
    run_id = jobs.submit(fake.spec(20), paused=True)
    assert becomes(jobs, run_id, "paused").step == 0
    assert store.static(run_id).keys() == {"view_points"}  # it is set up
    jobs.step(run_id)
    until(lambda: jobs.snapshot(run_id).step == 1 and jobs.snapshot(run_id).status == "paused")
    assert objective(store, run_id) == fake.expected(1)  # stored without waiting for more
    jobs.step(run_id, "epoch")
    until(lambda: jobs.snapshot(run_id).step == 5 and jobs.snapshot(run_id).status == "paused")
    time.sleep(0.05)
    assert jobs.snapshot(run_id).step == 5
    jobs.resume(run_id)
    assert jobs.wait(run_id, PATIENCE).status == "finished"


def test_a_single_step_waits_for_the_device(jobs: Trainings) -> None:
    waiting, busy = jobs.submit(fake.spec(20), paused=True), None
    becomes(jobs, waiting, "paused")
    busy = jobs.submit(fake.spec(ENDLESS, delay=0.001))
    becomes(jobs, busy, "running")
    jobs.step(waiting)
    becomes(jobs, waiting, "queued")
    assert jobs.snapshot(waiting).step == 0
    jobs.cancel(busy)
    until(lambda: jobs.snapshot(waiting).step == 1 and jobs.snapshot(waiting).status == "paused")


def test_a_paused_job_writes_a_checkpoint_while_another_trains(jobs: Trainings, store: Store) -> None:
    waiting = jobs.submit(fake.spec(20), paused=True)
    becomes(jobs, waiting, "paused")
    busy = jobs.submit(fake.spec(ENDLESS, delay=0.001))
    becomes(jobs, busy, "running")
    jobs.checkpoint(waiting)
    until(lambda: store.checkpoint(waiting) is not None)
    assert jobs.snapshot(waiting).status == "paused"
    jobs.cancel(waiting)
    assert jobs.wait(waiting, PATIENCE).status == "stopped"
    assert jobs.snapshot(busy).status == "running"


def test_a_job_that_goes_on_during_such_a_checkpoint_still_waits_for_its_turn(store: Store) -> None:
    def hasty(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
        for event in fake.train(spec, control=control, resume=resume):
            yield event
            if type(event).__name__ == "Checkpoint" and spec["fake"].get("hasty"):
                control.resume()

    jobs = Trainings(store, hasty, device_key=str)
    waiting = jobs.submit(fake.spec(20, hasty=True), paused=True)
    becomes(jobs, waiting, "paused")
    busy = jobs.submit(fake.spec(ENDLESS, delay=0.001))
    becomes(jobs, busy, "running")
    jobs.checkpoint(waiting)
    assert becomes(jobs, waiting, "queued").step == 0
    time.sleep(0.05)
    assert jobs.snapshot(waiting).step == 0
    jobs.cancel(busy)
    assert jobs.wait(waiting, PATIENCE).status == "finished"


def test_a_queued_job_can_be_cancelled_and_started_later(jobs: Trainings, store: Store) -> None:
    busy = jobs.submit(fake.spec(ENDLESS, delay=0.001))
    queued, last = jobs.submit(fake.spec(10)), jobs.submit(fake.spec(10))
    assert jobs.snapshot(last).position == 2
    jobs.cancel(queued)
    assert jobs.wait(queued, PATIENCE).status == "stopped"
    assert jobs.snapshot(last).position == 1
    assert store.metrics(queued).curves == {}
    jobs.cancel(busy)
    assert jobs.wait(last, PATIENCE).status == "finished"
    jobs.resume_run(queued)
    assert jobs.wait(queued, PATIENCE).status == "finished"
    assert objective(store, queued) == fake.expected(10)


def test_a_stopped_run_goes_on_as_if_nothing_had_been(jobs: Trainings, store: Store) -> None:
    run_id = jobs.submit(fake.spec(60, delay=0.002))
    until(lambda: jobs.snapshot(run_id).step >= 12)
    jobs.cancel(run_id)
    stopped = jobs.wait(run_id, PATIENCE)
    assert stopped.status == "stopped"
    jobs.resume_run(run_id)
    done = jobs.wait(run_id, PATIENCE)
    assert (done.status, done.step) == ("finished", 60)
    assert done.elapsed > stopped.elapsed
    assert objective(store, run_id) == fake.expected(60)
    assert store.metrics(run_id).curves["objective"].steps.tolist() == list(range(1, 61))
    with pytest.raises(StoreError, match="must not have finished"):
        jobs.resume_run(run_id)


def test_a_failed_run_goes_on_from_its_checkpoint(jobs: Trainings, store: Store) -> None:
    run_id = jobs.submit(fake.spec(20, crash_at=13))
    assert jobs.wait(run_id, PATIENCE).status == "failed"

    def mended(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
        assert resume is not None
        assert resume.step == 10
        return fake.train({**spec, "fake": {"steps": 20, "delay": 0}}, control=control, resume=resume)

    again = Trainings(store, mended, device_key=str)
    again.resume_run(run_id)
    assert again.wait(run_id, PATIENCE).status == "finished"
    assert (store.get(run_id).error, objective(store, run_id)) == ("", fake.expected(20))


def test_an_unexpected_error_is_a_sentence_for_the_user_and_a_traceback_for_the_log(
    jobs: Trainings, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "kernlab.jobs.trainings"):
        run_id = jobs.submit(fake.spec(20, crash_at=7))
        state = jobs.wait(run_id, PATIENCE)
    assert (state.status, state.step) == ("failed", 6)
    assert "the sky fell" in state.error
    assert "Traceback" not in state.error
    assert caplog.records[0].exc_info
    assert objective(store, run_id) == fake.expected(6)
    assert jobs.wait(jobs.submit(fake.spec(5)), PATIENCE).status == "finished"  # the device is free again


def test_the_ends_a_training_can_have(store: Store) -> None:
    def stops_short(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
        yield fake.started(spec)

    def exits(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
        yield fake.started(spec)
        raise SystemExit

    ends = [
        (stops_short, "failed", "without a final event"),
        (exits, "failed", "SystemExit"),
        (fake.train, "failed", "smaller learning rate"),
    ]
    for train, status, words in ends:
        jobs = Trainings(store, train, device_key=str)
        state = jobs.wait(jobs.submit(fake.spec(5, diverge_at=3)), PATIENCE)
        assert state.status == status
        assert words.lower() in state.error.lower()


def test_a_run_that_cannot_start_leaves_nothing_but_its_reason(store: Store) -> None:
    def refuses(spec: Mapping[str, Any], *, control: Control, resume: Checkpoint | None) -> Iterator[Event]:
        raise DataError("the data must have two classes", 1, "choose another target")
        yield

    jobs = Trainings(store, refuses, device_key=str)
    run_id = jobs.submit(fake.spec(5))
    with pytest.raises(DataError, match=r"two classes.*another target"):
        jobs.wait(run_id, PATIENCE)
    until(lambda: not store.folder(run_id).path.exists())
    assert store.list() == []
    with pytest.raises(DataError, match="two classes"):
        jobs.snapshot(run_id)


def test_a_run_refused_while_its_state_is_read_gives_the_reason(
    jobs: Trainings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused_meanwhile(run_id: str) -> Any:
        jobs.refused[run_id] = DataError("the data must have two classes")
        raise UnknownNameError("a run must be one that the store has", run_id)

    run_id = store.create(fake.spec(5))  # in the list, and gone when the queue looks at it
    monkeypatch.setattr(store, "get", refused_meanwhile)
    assert jobs.queue() == []
    jobs.refused.clear()
    with pytest.raises(DataError, match="two classes"):
        jobs.snapshot(run_id)


def test_a_full_disk_ends_the_job_with_a_sentence_and_keeps_the_rest(
    jobs: Trainings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = jobs.submit(fake.spec(20, delay=0.002), paused=True)
    becomes(jobs, run_id, "paused")
    jobs.step(run_id, "epoch")
    until(lambda: jobs.snapshot(run_id).step == 5 and jobs.snapshot(run_id).status == "paused")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tensors.os, "fsync", full)
    jobs.resume(run_id)
    state = jobs.wait(run_id, PATIENCE)
    assert state.status == "failed"
    assert "Free some space" in state.error
    monkeypatch.undo()
    assert objective(store, run_id)[:5] == fake.expected(5)
    checkpoint = store.checkpoint(run_id)
    assert checkpoint is not None
    assert checkpoint.step == 5
    jobs.resume_run(run_id)
    assert jobs.wait(run_id, PATIENCE).status == "finished"
    assert objective(store, run_id) == fake.expected(20)


def test_a_dead_database_ends_the_job_and_the_reason_is_still_shown(
    jobs: Trainings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = jobs.submit(fake.spec(ENDLESS, delay=0.001))
    until(lambda: "objective" in store.metrics(run_id).curves)
    writing = store.writing

    def dead() -> Any:
        raise StoreError("the run store must be writable", "", "free some space")

    monkeypatch.setattr(store, "writing", dead)
    until(lambda: not jobs.jobs.jobs())
    monkeypatch.setattr(store, "writing", writing)
    state = jobs.snapshot(run_id)
    assert (state.status, state.error) == ("interrupted", "the run store must be writable. Free some space.")
    assert len(store.metrics(run_id).curves["objective"].steps) > 0


def test_steering_a_run_that_is_not_under_way_says_what_to_do(jobs: Trainings, store: Store) -> None:
    with pytest.raises(UnknownNameError):
        jobs.pause("nothing")
    with pytest.raises(UnknownNameError):
        jobs.snapshot("nothing")
    done = jobs.submit(fake.spec(5))
    jobs.wait(done, PATIENCE)
    with pytest.raises(StoreError, match=r"is finished\. Start it anew"):
        jobs.step(done)
    stopped = jobs.submit(fake.spec(5), paused=True)
    jobs.cancel(stopped)
    jobs.wait(stopped, PATIENCE)
    with pytest.raises(StoreError, match=r"is stopped\. Resume it"):
        jobs.resume(stopped)


def test_a_missing_device_leaves_the_store_untouched(store: Store) -> None:
    with pytest.raises(DeviceError, match="cuda:77"):
        Trainings(store, fake.train).submit(fake.spec(device="cuda:77"))
    assert store.list() == []
    jobs = Trainings(store, fake.train)
    assert jobs.wait(jobs.submit(fake.spec(3, device="auto")), PATIENCE).status == "finished"


def test_a_second_manager_sees_the_run_and_leaves_it_alone(jobs: Trainings, store: Store) -> None:
    run_id = jobs.submit(fake.spec(ENDLESS, delay=0.001))
    until(lambda: jobs.snapshot(run_id).step > 3)
    with Store(store.root) as same_folder:
        other = Trainings(same_folder, fake.train, device_key=str)
        state = other.snapshot(run_id)
        assert (state.status, state.mine) == ("running", False)
        assert [each.id for each in other.queue()] == [run_id]
        with pytest.raises(StoreError, match="steer it there"):
            other.cancel(run_id)
        with pytest.raises(StoreError, match="another process works on it"):
            other.resume_run(run_id)
        assert other.wait(run_id, 0.1).status == "running"
        jobs.cancel(run_id)
        assert other.wait(run_id, PATIENCE).status == "stopped"
        other.resume_run(run_id, paused=True)  # now it is free for anybody
        assert becomes(other, run_id, "paused").mine
        other.shutdown()


def test_shutdown_leaves_every_run_interrupted_with_a_checkpoint(store: Store) -> None:
    jobs = Trainings(store, fake.train, device_key=str)
    running, queued = jobs.submit(fake.spec(ENDLESS, delay=0.001)), jobs.submit(fake.spec(5))
    paused = jobs.submit(fake.spec(5, device="cuda"), paused=True)
    becomes(jobs, paused, "paused")
    until(lambda: jobs.snapshot(running).step > 3)
    jobs.shutdown()
    assert [store.get(run_id).status for run_id in (running, queued, paused)] == ["interrupted"] * 3
    checkpoint = store.checkpoint(running)
    assert checkpoint is not None
    assert checkpoint.step == store.get(running).step
    assert not [each for each in threading.enumerate() if each.name.startswith("training-")]


SERVER = """
    import sys, time
    sys.path.insert(0, sys.argv[2])
    import fake_training as fake
    from kernlab import jobs
    from kernlab.jobs import trainings

    trainings._train, trainings._device_key = fake.train, str
    made = jobs.manager().trainings
    assert made is jobs.manager(sys.argv[1]).trainings
    run_id = made.submit(fake.spec(10**6, delay=0.001))
    while made.snapshot(run_id).step < 20:
        time.sleep(0.01)
    assert "streamlit" not in sys.modules
    print(run_id)
"""


def test_a_process_that_ends_checkpoints_its_runs_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNLAB_HOME", str(store.root))
    command = [sys.executable, "-c", textwrap.dedent(SERVER), str(store.root), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    run = store.get(done.stdout.strip())
    checkpoint = store.checkpoint(run.id)
    assert checkpoint is not None
    assert (run.status, run.step) == ("interrupted", checkpoint.step)
    assert checkpoint.step >= 20
    assert objective(store, run.id) == pytest.approx(fake.expected(run.step), abs=0)
    np.testing.assert_array_equal(checkpoint.arrays["weight"], fake.expected(run.step)[-1])


def test_there_is_one_manager_a_folder_and_a_reload_finds_it_again(tmp_path: Path) -> None:
    import importlib

    from kernlab import jobs as module

    first = manager(tmp_path)
    assert manager(tmp_path / "." / "x" / "..") is first
    assert manager(tmp_path / "other") is not first
    importlib.reload(module)
    assert module.manager(tmp_path) is first

"""Trainings, comparisons and reproductions in one queue: listed, shared, paused, stopped and ended alike."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from kernlab import devices, processes
from kernlab.compare import Comparison
from kernlab.compare.base import Record
from kernlab.data import DataSpec
from kernlab.errors import StoreError, UnknownNameError
from kernlab.files import Claim, replacing
from kernlab.jobs import Jobs, manager
from kernlab.jobs.reproductions import Asked
from kernlab.spec import RunSpec

LONG = RunSpec.of("ASKL", "moons", n_features=20, epochs=100_000)
ASKED = Asked("lkrf-examples", repeats=50)


def small(repeats=2):
    return Comparison(("constant",), (DataSpec.build(dataset="moons"),), repeats)


def until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


@pytest.fixture
def jobs(tmp_path):
    made = Jobs(tmp_path)
    yield made
    made.shutdown(30)


class Gate:
    """A backend that computes a cell when it is let through."""

    def __init__(self):
        self.open, self.begun = threading.Semaphore(0), 0

    def __call__(self, cells, datasets):
        for cell in cells:
            self.begun += 1
            self.open.acquire()
            yield Record(cell.key, cell.to_dict(), "done", seconds=1.0, test=1.0)


def test_all_kinds_are_listed_together_and_each_is_paused_and_stopped(jobs):
    gate = Gate()
    run = jobs.trainings.submit(LONG)
    comparison = jobs.comparisons.start(small(), backend=gate)
    until(lambda: gate.begun == 1 and jobs.trainings.snapshot(run).step > 2)
    assert {state.id: (state.kind, state.status) for state in jobs.states()} == {
        run: ("training", "running"),
        comparison: ("comparison", "running"),
    }
    assert jobs.comparisons.snapshot(comparison).beside == ("the training ASKL on moons",)
    assert jobs.trainings.snapshot(run).beside == ("the comparison constant on moons",)

    for id in (run, comparison):
        jobs.steer(id, "pause")
    assert jobs.comparisons.snapshot(comparison).status == "stopping"  # its cell is finished first
    gate.open.release()
    until(lambda: [state.status for state in jobs.states()] == ["paused", "paused"])
    assert len(jobs.comparisons.snapshot(comparison).records) == 1
    jobs.steer(comparison, "resume")
    until(lambda: gate.begun == 2)
    gate.open.release()
    assert jobs.comparisons.wait(comparison, 60).status == "finished"

    jobs.steer(run, "cancel")
    assert jobs.trainings.wait(run, 60).status == "stopped"
    assert jobs.states() == []
    with pytest.raises(UnknownNameError):
        jobs.steer(run, "pause")


def test_a_comparison_leaves_a_core_to_each_other_job(jobs, monkeypatch):
    monkeypatch.setattr(devices, "cores", lambda: 4)
    gate = Gate()
    comparison = jobs.comparisons.start(small(), backend=gate)
    until(lambda: gate.begun == 1)
    (job,) = jobs._queue.jobs("comparison")
    assert job._at_once() == 4
    run = jobs.trainings.submit(LONG)
    until(lambda: jobs.trainings.snapshot(run).status == "running")
    assert job._at_once() == 3
    jobs.trainings.pause(run)
    until(lambda: jobs.trainings.snapshot(run).status == "paused")
    assert job._at_once() == 4
    monkeypatch.setattr(devices, "cores", lambda: 1)
    jobs.trainings.resume(run)
    until(lambda: jobs.trainings.snapshot(run).status == "running")
    assert job._at_once() == 1  # one is always left to itself
    gate.open.release(2)
    assert jobs.comparisons.wait(comparison, 60).status == "finished"


def test_a_second_comparison_waits_and_comes_in_while_the_first_is_paused(jobs):
    first, second = Gate(), Gate()
    one = jobs.comparisons.start(small(2), backend=first)
    two = jobs.comparisons.start(small(3), backend=second)
    until(lambda: first.begun == 1)
    assert (jobs.comparisons.snapshot(two).status, jobs.comparisons.snapshot(two).position) == ("queued", 1)
    jobs.comparisons.pause(one)
    first.open.release()
    until(lambda: second.begun == 1)
    jobs.comparisons.resume(one)
    until(lambda: jobs.comparisons.snapshot(one).status == "queued")
    second.open.release(3)
    first.open.release(3)
    assert jobs.comparisons.wait(two, 60).status == "finished"
    assert jobs.comparisons.wait(one, 60).status == "finished"


def test_a_shutdown_leaves_all_three_interrupted_and_each_goes_on(tmp_path):
    jobs, gate = Jobs(tmp_path), Gate()
    run = jobs.trainings.submit(LONG)
    comparison = jobs.comparisons.start(small(), backend=gate)
    jobs.reproductions.start(ASKED)
    until(lambda: gate.begun == 1 and jobs.trainings.snapshot(run).step > 2)
    assert sorted(state.kind for state in jobs.states()) == ["comparison", "reproduction", "training"]
    with pytest.raises(StoreError, match="cannot be paused"):
        jobs.steer(ASKED.key, "pause")
    threading.Timer(0.5, gate.open.release).start()  # the cell under way is finished, and no other is begun
    jobs.shutdown(60)
    assert jobs.states() == []
    again = Jobs(tmp_path)  # the next process
    assert again.trainings.snapshot(run).status == "interrupted"
    assert again.comparisons.snapshot(comparison).status == "interrupted"
    assert again.reproductions.snapshot(ASKED.key).status == "interrupted"
    assert len(again.comparisons.snapshot(comparison).records) == 1
    again.trainings.resume_run(run)
    again.comparisons.start(small(), backend="here")
    assert again.comparisons.wait(comparison, 60).status == "finished"
    again.shutdown(60)


OTHER = """
    import sys, time
    from kernlab.compare import Comparison
    from kernlab.data import DataSpec
    from kernlab.jobs import manager
    from kernlab.jobs.reproductions import Asked
    from kernlab.spec import RunSpec

    def endless(cells, datasets):
        for cell in cells:
            time.sleep(600)
            yield None

    jobs = manager()
    run = jobs.trainings.submit(RunSpec.of("ASKL", "moons", n_features=20, epochs=100_000))
    jobs.comparisons.start(Comparison(("constant",), (DataSpec.build(dataset="moons"),), 2), backend=endless)
    jobs.reproductions.start(Asked("lkrf-examples", repeats=50))
    while jobs.trainings.snapshot(run).step < 3 or len(jobs.states()) < 3:
        time.sleep(0.05)
    print(jobs._queue.get(Asked("lkrf-examples", repeats=50).key)._process.pid, flush=True)
    time.sleep(600)
"""


def test_another_process_sees_all_three_leaves_them_alone_and_takes_them_over_when_it_is_killed(tmp_path):
    env = {**os.environ, "KERNLAB_HOME": str(tmp_path)}
    command = [sys.executable, "-c", textwrap.dedent(OTHER)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as other:
        child = int(other.stdout.readline())
        jobs = Jobs(tmp_path)
        states = {state.kind: state for state in jobs.states()}
        assert {(kind, state.status, state.mine) for kind, state in states.items()} == {
            ("training", "running", False), ("comparison", "running", False), ("reproduction", "running", False),
        }  # fmt: skip
        for state in states.values():
            with pytest.raises(UnknownNameError, match="under way here"):
                jobs.steer(state.id, "cancel")
        with pytest.raises(StoreError, match="another process works on it"):
            jobs.comparisons.start(small())
        with pytest.raises(StoreError, match="another process works on it"):
            jobs.reproductions.start(ASKED)
        with pytest.raises(StoreError, match="must have ended"):
            jobs.trainings.resume_run(states["training"].id)
        with pytest.raises(StoreError, match="steer it there"):
            jobs.comparisons.cancel(states["comparison"].id)
        other.send_signal(signal.SIGKILL)
    assert jobs.states() == []
    assert jobs.trainings.snapshot(states["training"].id).status == "interrupted"
    assert jobs.comparisons.snapshot(states["comparison"].id).status == "interrupted"
    assert jobs.reproductions.snapshot(ASKED.key).status == "interrupted"

    def gone():
        try:
            return os.waitpid(child, os.WNOHANG) and False
        except ChildProcessError:  # it is not ours; signal 0 asks whether there is one
            try:
                os.kill(child, 0)
            except ProcessLookupError:
                return True
            with open(f"/proc/{child}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] == "Z"

    until(gone, 30)  # the reproduction's own process ended with the process that started it
    jobs.comparisons.start(small(), backend="here")
    assert jobs.comparisons.wait(states["comparison"].id, 60).status == "finished"
    jobs.shutdown(30)


def test_a_process_ends_with_its_input():
    process = processes.started("timeit", "-n", "1", "-r", "1", "import time; time.sleep(600)")
    time.sleep(0.2)
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(30) == 1
    process.stderr.close()


def test_a_claim_is_of_one_and_a_killed_one_is_seen(tmp_path):
    path = tmp_path / "x.lock"
    assert Claim.state(path) == ""
    first = Claim.take(path)
    assert Claim.take(path) is None
    assert Claim.state(path) == "held"
    first.release(interrupted=True)
    assert Claim.state(path) == "abandoned"
    Claim.take(path).release()
    assert Claim.state(path) == ""


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.json"
    with replacing(path) as file:
        file.write(json.dumps([1]).encode())
    file = replacing(path)
    file.__enter__().write(b"half")
    assert not file.__exit__(RuntimeError, RuntimeError(), None)
    assert json.loads(path.read_text()) == [1]
    assert [each.name for each in tmp_path.iterdir()] == ["x.json"]


def test_there_is_one_manager_a_folder(tmp_path):
    assert manager(tmp_path) is manager(tmp_path / "x" / "..")
    assert manager(tmp_path) is not manager(tmp_path / "other")

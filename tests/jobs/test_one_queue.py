"""Trainings, comparisons and reproductions in one queue: listed, paused, stopped, resumed and interrupted alike."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
from waiting import PATIENCE, until

from kernlab import devices, processes
from kernlab.compare import Comparison
from kernlab.compare.base import Record
from kernlab.data import DataSpec
from kernlab.errors import DeviceError, StoreError, UnknownNameError
from kernlab.files import Claim, replacing
from kernlab.jobs import Jobs, manager
from kernlab.jobs.queue import Kind
from kernlab.jobs.reproductions import Request
from kernlab.spec import RunSpec

LONG = RunSpec.of("ASKL", "moons", n_features=20, epochs=100_000)
REQUEST = Request("lkrf-examples", repeats=50)


def small(repeats=2):
    return Comparison(("constant",), (DataSpec.build(dataset="moons"),), repeats)


@pytest.fixture
def jobs(tmp_path):
    made = Jobs(tmp_path)
    yield made
    open_gates()
    made.shutdown(PATIENCE)


GATES = []


class Gate:
    """A backend that computes a cell each time it is opened."""

    def __init__(self):
        self.open, self.begun = threading.Semaphore(0), 0
        GATES.append(self)

    def __call__(self, cells, datasets):
        for cell in cells:
            self.begun += 1
            self.open.acquire()
            yield Record(cell.key, cell.to_dict(), "done", seconds=1.0, test=1.0)


def open_gates():
    for gate in GATES:
        gate.open.release(100)


def test_all_kinds_are_listed_together_and_each_is_paused_and_stopped(jobs):
    gate = Gate()
    run = jobs.trainings.submit(LONG)
    comparison = jobs.comparisons.start(small(), backend=gate)
    until(lambda: gate.begun == 1 and jobs.trainings.snapshot(run).step > 2)
    assert {state.id: (state.kind, state.status) for state in jobs.states()} == {
        run: ("training", "running"),
        comparison: ("comparison", "running"),
    }
    assert jobs.comparisons.snapshot(comparison).beside == (f"the training {LONG.title}",)
    assert jobs.trainings.snapshot(run).beside == ("the comparison constant on moons",)

    for id in (run, comparison):
        jobs.steer(id, "pause")
    assert jobs.comparisons.snapshot(comparison).status == "pausing"  # its cell is finished first
    jobs.steer(comparison, "resume")  # one may think better of it
    assert jobs.comparisons.snapshot(comparison).status == "running"
    jobs.steer(comparison, "pause")
    gate.open.release()
    until(lambda: [state.status for state in jobs.states()] == ["paused", "paused"])
    assert len(jobs.comparisons.snapshot(comparison).records) == 1
    jobs.steer(comparison, "resume")
    until(lambda: gate.begun == 2)
    gate.open.release()
    assert jobs.comparisons.wait(comparison, PATIENCE).status == "finished"

    jobs.steer(run, "cancel")
    assert jobs.trainings.wait(run, PATIENCE).status == "stopped"
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
    assert job._at_once() == 1  # the comparison always has one itself
    gate.open.release(2)
    assert jobs.comparisons.wait(comparison, PATIENCE).status == "finished"


def test_a_second_comparison_waits_and_works_while_the_first_is_paused(jobs):
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
    assert jobs.comparisons.wait(two, PATIENCE).status == "finished"
    assert jobs.comparisons.wait(one, PATIENCE).status == "finished"


class Begun(NamedTuple):
    """How a job of each kind is begun, under which id, and how it is begun again."""

    kinds: Callable[[Jobs], Kind]
    begin: Callable[[Jobs], str]
    again: Callable[[Jobs, str], object]


ENDLESS = {
    "training": Begun(
        lambda jobs: jobs.trainings,
        lambda jobs: jobs.trainings.submit(LONG),
        lambda jobs, id: jobs.trainings.resume_run(id),
    ),
    "comparison": Begun(
        lambda jobs: jobs.comparisons,
        lambda jobs: jobs.comparisons.start(small(), backend=Gate()),
        lambda jobs, id: jobs.comparisons.start(small(), backend=Gate()),
    ),
    "reproduction": Begun(
        lambda jobs: jobs.reproductions,
        lambda jobs: jobs.reproductions.start(REQUEST) or REQUEST.key,
        lambda jobs, id: jobs.reproductions.start(REQUEST),
    ),
}
each_kind = pytest.mark.parametrize("kind", ENDLESS)


@each_kind
def test_a_job_that_is_begun_again_while_it_works_is_still_one_job(jobs, kind):
    job = ENDLESS[kind]
    id = job.begin(jobs)
    job.again(jobs, id)
    until(lambda: [(state.id, state.status) for state in jobs.states()] == [(id, "running")])
    if jobs.states()[0].pausable:
        jobs.steer(id, "pause")
        job.again(jobs, id)
        assert not jobs._queue.get(id).asked_to_pause
    else:
        with pytest.raises(StoreError, match="cannot be paused"):
            jobs.steer(id, "pause")


@each_kind
def test_a_job_for_which_the_system_has_no_thread_has_failed_and_leaves_its_line(jobs, kind, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    job = ENDLESS[kind]
    with monkeypatch.context() as refusing:
        refusing.setattr(threading.Thread, "start", refuse)
        id = job.begin(jobs)
    assert not jobs._queue.jobs()
    if kind == "training":
        with pytest.raises(DeviceError, match=r"must have a thread left .* Given: can't start new thread"):
            jobs.trainings.snapshot(id)
    else:
        state = job.kinds(jobs).snapshot(id)
        assert state.status == "failed"
        assert "must have a thread left" in state.error
    id = job.begin(jobs)  # the next one has the line for itself
    until(lambda: [(state.id, state.status) for state in jobs.states() if state.live] == [(id, "running")])


def test_a_shutdown_leaves_all_three_interrupted_and_each_goes_on(tmp_path):
    jobs, gate = Jobs(tmp_path), Gate()
    run = jobs.trainings.submit(LONG)
    comparison = jobs.comparisons.start(small(), backend=gate)
    jobs.reproductions.start(REQUEST)
    until(lambda: gate.begun == 1 and jobs.trainings.snapshot(run).step > 2)
    assert sorted(state.kind for state in jobs.states()) == sorted(ENDLESS)
    ending = threading.Thread(target=jobs.shutdown, args=(PATIENCE,))
    ending.start()
    until(lambda: jobs._queue.get(comparison).cancelled)
    gate.open.release()  # the cell under way is finished, and no other is begun
    ending.join()
    assert jobs.states() == []
    assert len(Jobs(tmp_path).comparisons.snapshot(comparison).records) == 1
    assert_each_goes_on(tmp_path, {"training": run, "comparison": comparison, "reproduction": REQUEST.key})


def assert_each_goes_on(folder, ids):
    """Another process finds the jobs interrupted and can begin each again."""
    jobs = Jobs(folder)
    for kind, id in ids.items():
        assert ENDLESS[kind].kinds(jobs).snapshot(id).status == "interrupted"
        ENDLESS[kind].again(jobs, id)
    until(lambda: {state.kind: state.status for state in jobs.states()} == dict.fromkeys(ENDLESS, "running"))
    open_gates()
    jobs.shutdown(PATIENCE)


OTHER = """
    import sys, time
    sys.path[:0] = sys.argv[1:]
    from test_one_queue import REQUEST, ENDLESS, Gate
    from kernlab.jobs import manager

    jobs = manager()
    for job in ENDLESS.values():
        job.begin(jobs)
    while [state.status for state in jobs.states()] != ["running"] * 3 or not jobs._queue.get(REQUEST.key)._process:
        time.sleep(0.05)
    print(jobs._queue.get(REQUEST.key)._process.pid, flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Another process that works on a job of each kind: the process, that of its reproduction, and the folder."""
    folder = tmp_path_factory.mktemp("shared")
    command = [sys.executable, "-c", textwrap.dedent(OTHER), *map(str, Path(__file__).parents[:2])]
    env = {**os.environ, "KERNLAB_HOME": str(folder)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        yield process, psutil.Process(int(process.stdout.readline())), folder
        process.kill()


@each_kind
def test_a_job_of_another_process_is_watched_here_and_neither_steered_nor_begun_again(other, kind):
    jobs = Jobs(other[2])
    (state,) = [state for state in jobs.states() if state.kind == kind]
    assert (state.status, state.mine) == ("running", False)
    with pytest.raises(UnknownNameError, match="under way here"):
        jobs.steer(state.id, "cancel")
    with pytest.raises(StoreError, match="Another process works on it: steer it there"):
        ENDLESS[kind].kinds(jobs).cancel(state.id)
    refusal = f"a {kind} must not be begun while another process works on it.*Watch it here and steer it there"
    with pytest.raises(StoreError, match=refusal):
        ENDLESS[kind].again(jobs, state.id)
    assert [each.status for each in jobs.states()] == ["running"] * 3


def test_jobs_of_a_killed_process_are_interrupted_and_each_goes_on(other):
    process, child, folder = other
    ids = {state.kind: state.id for state in Jobs(folder).states()}
    process.send_signal(signal.SIGKILL)
    process.wait()
    # The reproduction's own process ends with the process that started it.
    until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
    assert Jobs(folder).states() == []
    assert_each_goes_on(folder, ids)


def test_a_process_ends_with_its_input():
    process = processes.started("timeit", "-n", "1", "-r", "1", "import time; time.sleep(600)")
    time.sleep(0.2)
    assert process.poll() is None
    process.stdin.close()
    assert process.wait(PATIENCE) == 1
    process.stderr.close()


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system has no priorities of that kind")
def test_a_process_has_a_lower_priority_before_its_module_is_loaded():
    says, own = "import os; os._exit(os.getpriority(os.PRIO_PROCESS, 0))", os.getpriority(os.PRIO_PROCESS, 0)
    process = processes.started("timeit", "-n", "1", "-r", "1", says)
    assert process.wait(PATIENCE) == min(own + 3, 19)
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


def test_a_folder_has_its_manager_under_all_its_names(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "link").symlink_to("a")
    for place, other in (("a", "b"), ("b", "a")):  # the same relative name is another folder elsewhere
        monkeypatch.chdir(tmp_path / place)
        assert manager(Path("x")) is manager(tmp_path / place / "x") is not manager(tmp_path / other / "x")
    assert manager(tmp_path / "link") is manager(tmp_path / "a")
    assert manager(tmp_path / "link") is manager(tmp_path / "link")
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "a"))
    assert manager() is manager(tmp_path / "link")
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "b"))
    assert manager() is manager(tmp_path / "b")

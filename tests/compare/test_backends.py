"""The same records wherever they are computed, also when workers are killed on the way."""

from __future__ import annotations

import itertools
import logging
import os
import signal
import time
from collections.abc import Iterator

import psutil
import pytest
from distributed import Client, LocalCluster
from joblib.externals.loky.process_executor import BrokenProcessPool
from small_comparison import computed, done, numbers, small

from kernlab.compare import backends, cluster
from kernlab.compare.backends import Local, backend
from kernlab.compare.cells import run_cell
from kernlab.compare.records import RecordStore
from kernlab.compare.run import compare, plan
from kernlab.errors import DeviceError

#: Long enough that a worker is at work when it is killed.
LONGER = {"methods": ("ASKL", "svm-rbf"), "repeats": 3, "options": {"n_features": 100, "epochs": 60}}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What one process computes, one cell after the other."""
    return numbers(done(small(**LONGER), RecordStore(tmp_path_factory.mktemp("here"))))


@pytest.fixture(scope="module")
def dask() -> Iterator[LocalCluster]:
    """A real cluster of two worker processes."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as found:
        yield found


def killed(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def test_processes_compute_the_same_and_one_that_dies_is_replaced(store, expected):
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    events = []
    for event in compare(small(**LONGER), backend="local", workers=2, store=store):
        events.append(event)
        if len(computed(events)) == 1 and computed(events)[-1] is event:
            workers = [child for child in psutil.Process().children() if child.pid not in before]
            killed(next(w.pid for w in workers if "LokyProcess" in " ".join(w.cmdline())))
    assert numbers(events[-1].records) == expected
    assert len(computed(events)) == len(expected)


def test_a_cell_that_takes_its_process_with_it_fails_and_the_rest_goes_on(monkeypatch):
    """Every process that meets the first cell dies; the second one is under way beside it each time."""
    made = plan(small(("SK",), 4))
    deadly = made.cells[0]
    together = []

    def parallel(workers, tasks):
        held = list(itertools.islice(tasks, workers))
        while held:
            cells = [arguments[0] for _, arguments, _ in held]
            together.append([cell.seed for cell in cells])
            if deadly in cells:
                raise BrokenProcessPool
            function, arguments, _ = held.pop()
            yield function(*arguments)
            held += itertools.islice(tasks, 1)

    monkeypatch.setattr(backends, "_parallel", parallel)
    monkeypatch.setattr(backends, "compute", lambda cell, data: run_cell(cell, dataset=data))
    found = list(Local(2)(iter(made.cells), made.datasets))
    by_seed = {record.cell["seed"]: record for record in found}
    assert [by_seed[seed].status for seed in range(4)] == ["failed", "done", "done", "done"]
    assert len(found) == 4
    assert "Every process that computed it died" in by_seed[0].message
    assert together[:4] == [[0, 1], [0, 1], [0], [1]]  # twice together, then each by itself


def test_a_cluster_computes_the_same_and_loses_nothing_when_a_worker_dies(store, expected, dask):
    events = []
    for event in compare(small(**LONGER), backend="dask", address=dask.scheduler_address, store=store):
        events.append(event)
        if len(computed(events)) == 1 and computed(events)[-1] is event:
            kept = event.record
            with Client(dask.scheduler_address, set_as_default=False) as client:
                busy = [address for address, tasks in client.processing().items() if tasks]
                killed(client.run(os.getpid)[busy[0]])
    assert numbers(events[-1].records) == expected
    assert len(computed(events)) == len(expected)
    assert store.get(kept.key) == kept


def test_a_cluster_is_sent_each_data_set_once(dask, store, monkeypatch):
    sent = []
    original = cluster._Data.__init__

    def count(self, ticket, dataset):
        sent.append(dataset.name)
        original(self, ticket, dataset)

    monkeypatch.setattr(cluster._Data, "__init__", count)
    assert len(done(small(repeats=4), store, backend="dask", address=dask.scheduler_address)) == 8
    assert sent == ["iris"]
    with Client(dask.scheduler_address, set_as_default=False) as client:
        assert list(client.run(lambda: len(cluster._held)).values()) == [0, 0]  # and it is cleared away


def test_a_cluster_stops_between_cells(dask, store):
    events = []
    asked = compare(
        small(repeats=10),
        backend="dask",
        address=dask.scheduler_address,
        store=store,
        stop=lambda: len(computed(events)) >= 2,
    )
    for event in asked:
        events.append(event)  # noqa: PERF402  (the stop above looks at it)
    assert not events[-1].complete
    assert 2 <= len(events[-1].records) <= 4


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "foo://nowhere", "nowhere"])
def test_a_cluster_that_does_not_answer_is_told_within_ten_seconds(store, address):
    done(small(repeats=1), store)
    began = time.monotonic()
    with pytest.raises(DeviceError, match=r"a Dask scheduler must answer at .* dask scheduler"):
        next(compare(small(), backend="dask", address=address, store=store))
    assert time.monotonic() - began < 10
    assert len(computed(compare(small(), backend="here", store=store))) == 4  # nothing is lost


def test_a_cluster_without_workers_is_told():
    with (
        LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=logging.CRITICAL) as empty,
        pytest.raises(DeviceError, match="must have a worker"),
    ):
        backend("dask", address=empty.scheduler_address)


def test_a_scheduler_that_goes_away_is_told_and_what_is_finished_is_kept(store):
    events = []
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as short:
        asked = compare(small(repeats=5), backend="dask", address=short.scheduler_address, store=store)
        events += [next(asked), next(asked)]
    with pytest.raises(DeviceError, match=r"it has gone|must have the same kernlab"):
        list(asked)
    assert store.get(events[1].record.key) == events[1].record

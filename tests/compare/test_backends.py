"""The same records wherever they are computed, also when workers are killed on the way."""

from __future__ import annotations

import itertools
import logging
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from distributed import Client, LocalCluster, config
from joblib.externals.loky import get_reusable_executor, reusable_executor
from joblib.externals.loky.backend.context import get_start_method, set_start_method
from joblib.externals.loky.process_executor import BrokenProcessPool
from small_comparison import computed, done, numbers, small
from waiting import PATIENCE

from kernlab import devices
from kernlab.compare import Cell, backends, cells, cluster
from kernlab.compare.backends import Here, Local, SideBySide, backend
from kernlab.compare.cells import run_cell
from kernlab.compare.records import RecordStore
from kernlab.compare.run import compare, plan
from kernlab.data import DataSpec, fingerprint, load
from kernlab.errors import DeviceError
from kernlab.training import replicates

#: Long enough that a worker is at work when it is killed.
LONGER = {"methods": ("ASKL", "svm-rbf"), "repeats": 3, "options": {"n_features": 100, "epochs": 60}}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What one process computes, one cell after the other."""
    return numbers(done(small(**LONGER), RecordStore(tmp_path_factory.mktemp("here"))))


@pytest.fixture(scope="module")
def dask(processes) -> Iterator[LocalCluster]:
    """A real cluster of two worker processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(config["distributed"]["worker"], "multiprocessing-method", processes.get_start_method())
        with LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=logging.CRITICAL
        ) as found:
            yield found


@pytest.fixture
def loky(processes) -> Iterator[None]:
    """Workers of joblib as such processes too."""
    before = get_start_method()
    get_reusable_executor().shutdown(wait=True)  # workers of earlier tests are no news
    set_start_method(processes.get_start_method(), force=True)
    yield
    get_reusable_executor().shutdown(wait=True)
    set_start_method(before, force=True)


def killed(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def test_processes_compute_the_same_and_one_that_dies_is_replaced(store, expected, loky):
    events = []
    for event in compare(small(**LONGER), backend="local", workers=2, store=store):
        events.append(event)
        if len(computed(events)) == 1 and computed(events)[-1] is event:
            workers = list(reusable_executor._executor._processes)
            assert len(workers) == 2
            killed(workers[0])
    assert numbers(events[-1].records) == expected
    assert len(computed(events)) == len(expected)


def test_a_cell_that_takes_its_process_with_it_fails_and_the_rest_goes_on(monkeypatch):
    """Every process that meets the first cell dies; the second one is under way beside it each time."""
    made = plan(small(("SK",), 4))
    deadly = made.cells[0]
    together = []

    def parallel(workers, tasks, at_once=2):
        queued = list(itertools.islice(tasks, at_once))
        while queued:
            cells = [arguments[0] for _, arguments, _ in queued]
            together.append([cell.seed for cell in cells])
            if deadly in cells:
                raise BrokenProcessPool
            function, arguments, _ = queued.pop()
            yield function(*arguments)
            queued += itertools.islice(tasks, 1)

    monkeypatch.setattr(backends, "_parallel", parallel)
    monkeypatch.setattr(backends, "compute", lambda cell, data: run_cell(cell, dataset=data))
    found = list(Local(2)(iter(made.cells), made.datasets))
    by_seed = {record.cell["seed"]: record for record in found}
    assert [by_seed[seed].status for seed in range(4)] == ["failed", "done", "done", "done"]
    assert len(found) == 4
    assert "Every process that computed it died" in by_seed[0].message
    assert together[:4] == [[0, 1], [0, 1], [0], [1]]  # twice together, then each by itself


def test_as_many_cells_are_computed_at_a_time_as_is_allowed_before_each(monkeypatch):
    made = plan(small(("constant",), repeats=12, options={}))
    finished, rounds = [], []

    def parallel(workers, tasks, at_once):
        assert workers == 3
        rounds.append(at_once)
        queued = list(itertools.islice(tasks, at_once))
        while queued:
            assert len(queued) <= at_once
            function, arguments, _ = queued.pop(0)
            finished.append(arguments[0].seed)
            yield function(*arguments)
            queued += itertools.islice(tasks, 1)

    monkeypatch.setattr(backends, "_parallel", parallel)
    monkeypatch.setattr(backends, "compute", lambda cell, data: run_cell(cell, dataset=data))
    found = list(Local(3, lambda: 5 if len(finished) < 4 else 1 if len(finished) < 8 else 2)(
        iter(made.cells), made.datasets))  # fmt: skip
    assert sorted(record.cell["seed"] for record in found) == list(range(12))
    assert rounds == [3, 1, 2]  # what was under way is finished first


# -- side by side -------------------------------------------------------------------------------------------------


@pytest.fixture
def stacks(monkeypatch) -> list[int]:
    """How many trainings there are in each stack that is made."""
    sizes: list[int] = []

    class Counted(replicates.Stack):
        def __init__(self, states, device):
            sizes.append(len(states))
            super().__init__(states, device)

    monkeypatch.setattr(replicates, "Stack", Counted)
    return sizes


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every number and word in it, with the way to it."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, key))
    else:
        yield path, value


@pytest.mark.parametrize(
    ("dataset", "methods", "sizes"),
    [
        ("diabetes", ("ASKL", "KRR", "SK", "svm-rbf"), [3, 3]),
        ("iris", ("RF-CE", "LKRF", "ASKL", "constant"), [3, 3]),
    ],
)
def test_trainings_side_by_side_make_the_records_of_one_by_one(store, tmp_path, stacks, dataset, methods, sizes):
    asked = small(methods, datasets=(DataSpec.build(dataset=dataset),), options={"n_features": 20, "epochs": 3})
    expected = numbers(done(asked, RecordStore(tmp_path / "one by one")))
    assert stacks == []
    for one, other in zip(expected, numbers(done(asked, store, backend=SideBySide())), strict=True):
        assert one.status == "done"
        for (path, a), (there, b) in zip(leaves(one.to_dict()), leaves(other.to_dict()), strict=True):
            assert path == there
            assert b == (pytest.approx(a, rel=1e-4) if isinstance(a, float) else a), path
    assert stacks == sizes


def test_one_of_several_side_by_side_fails_by_itself(stacks):
    data = load("diabetes")
    shared = {"n_features": 20, "epochs": 6, "optimizer": "sgd", "learning_rate": 0.01}
    own = [{}, {"learning_rate": 100.0}, {"batch_size": 5000}, {"n_features": -1}, {"feature_map": "nystroem"}, {}]
    asked = [
        Cell("ASKL", DataSpec.build(dataset="diabetes"), fingerprint(data), seed, shared | options)
        for seed, options in enumerate(own)
    ]
    found = sorted(SideBySide()(iter(asked), {asked[0].fingerprint: data}), key=lambda record: record.cell["seed"])
    messages = ["", "must stay finite", "at least one mini-batch", "n_features must be", "", ""]
    assert [record.key for record in found] == [cell.key for cell in asked]
    assert [record.status for record in found] == ["failed" if words else "done" for words in messages]
    assert all(words in record.message for words, record in zip(messages, found, strict=True))
    assert stacks == [3]
    assert found[0].test == pytest.approx(run_cell(asked[0], dataset=data).test, rel=1e-4)


def test_side_by_side_no_more_are_taken_than_there_is_room_for(store, stacks, monkeypatch):
    monkeypatch.setattr(backends, "DRAWN", 3)  # SK 0, ASKL 0, SK 1 | ASKL 1, SK 2, ASKL 2
    done(small(), store, backend=SideBySide())
    assert stacks == [2, 1, 2, 1]
    stacks.clear()
    monkeypatch.setattr(cells, "free_memory", lambda device: 0)
    done(small(seed=3), store, backend=SideBySide())
    assert stacks == [1] * 6


def test_side_by_side_stops_between_two_computations(store, stacks):
    asked, events = small(("SK", "constant", "ASKL"), 2), []

    def stop() -> bool:
        return len(computed(events)) >= 1

    for event in compare(asked, backend=SideBySide(stop), store=store, stop=stop):
        events.append(event)  # noqa: PERF402  (the stop above looks at it)
    assert [event.cell.method for event in computed(events)] == ["SK", "SK"]
    assert not events[-1].complete
    assert len(computed(compare(asked, backend="here", store=store))) == 4  # what was drawn is free again


def test_cells_are_computed_side_by_side_on_cuda_alone(monkeypatch):
    kinds = {}
    for kind in ("cpu", "cuda", "mps"):
        monkeypatch.setattr(devices, "resolve", lambda device: torch.device(device))
        kinds[kind] = {name: type(backend(name, device=kind)) for name in ("local", "here")}
    assert kinds == {
        "cpu": {"local": Local, "here": Here},
        "cuda": {"local": SideBySide, "here": Here},
        "mps": {"local": Here, "here": Here},
    }


# -- on a cluster -------------------------------------------------------------------------------------------------


def test_a_cluster_computes_the_same_and_loses_nothing_when_a_worker_dies(store, expected, dask):
    events, kept = [], None
    for event in compare(small(**LONGER), backend="dask", address=dask.scheduler_address, store=store):
        events.append(event)
        if kept is None and computed([event]):
            with Client(dask.scheduler_address, set_as_default=False) as client:
                if busy := [address for address, tasks in client.processing().items() if tasks]:
                    kept = event.record
                    killed(client.run(os.getpid)[busy[0]])
    assert kept, "no worker was at work whenever a cell was finished"
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
        client.wait_for_workers(2, timeout=PATIENCE)  # another test may have killed one
        assert list(client.run(lambda: len(cluster._datasets)).values()) == [0, 0]  # and it is cleared away


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
def test_a_cluster_that_does_not_answer_is_reported_in_time(store, address, monkeypatch):
    done(small(repeats=1), store)
    began = time.monotonic()
    monkeypatch.setattr(cluster, "ANSWER", 1.0)
    with pytest.raises(DeviceError, match=r"a Dask scheduler must answer at .* dask scheduler"):
        next(compare(small(), backend="dask", address=address, store=store))
    assert time.monotonic() - began < 25  # Dask's own patience is 30 s, also where nobody answers
    assert len(computed(compare(small(), backend="here", store=store))) == 4  # nothing is lost


def test_a_cluster_without_workers_is_reported():
    with (
        LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=logging.CRITICAL) as empty,
        pytest.raises(DeviceError, match="must have a worker"),
    ):
        backend("dask", address=empty.scheduler_address)


def test_a_scheduler_that_goes_away_is_reported_and_what_is_finished_is_kept(store):
    events = []
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as short:
        asked = compare(small(repeats=5), backend="dask", address=short.scheduler_address, store=store)
        events += [next(asked), next(asked)]
    with pytest.raises(DeviceError, match=r"it has ended|must have the same kernlab"):
        list(asked)
    assert store.get(events[1].record.key) == events[1].record

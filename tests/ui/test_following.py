"""A page that follows a run takes little from its training, and still sees all that is new."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.testclient import TestClient
from waiting import PATIENCE, until

from kernlab.jobs import manager
from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.ui import films, following, watch
from kernlab.ui.news import marks

SPEC = RunSpec.of("ASKL", "moons", n_features=16, epochs=3, validation=0, device="cpu", compile="off")
LONG = RunSpec.of("ASKL", "moons", n_features=16, epochs=100_000, validation=0, device="cpu", compile="off")


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))
    yield manager().trainings
    manager().shutdown()


@pytest.fixture
def run(jobs):
    run_id = jobs.submit(SPEC)
    assert jobs.wait(run_id).status == "finished"
    return run_id


def test_a_run_that_nobody_asks_for_any_more_leaves_the_memory(run, jobs, monkeypatch):
    other = jobs.submit(SPEC)
    assert jobs.wait(other).status == "finished"
    monkeypatch.setattr(following, "_FRESH", 0.0)
    following.look(run), following.look(other), following.look(other)
    assert {run, other} <= {*following._looks}
    monkeypatch.setattr(following, "_IDLE", 1e-6)
    following.look(other)
    assert [*following._looks] == [other]


def refuse(*_):
    pytest.fail("the disk, or another thread, was asked")


def test_news_of_runs_that_train_here_need_neither_the_disk_nor_another_thread(jobs, monkeypatch):
    group = jobs.group()
    runs = [jobs.submit(LONG, group=group) for _ in range(2)]
    client = TestClient(Starlette(routes=films.routes("")))

    def points():
        _, *lines = client.get("/news/runs", params={"ask": [f"{run}?" for run in runs]}).text.split("\n")
        return [json.loads(line)["metrics"] for line in lines]

    until(lambda: all(following.look(run).watch.in_memory for run in runs))
    monkeypatch.setattr(watch, "_NOTED", PATIENCE)
    for name in ("_FRESH", "_SOON"):
        monkeypatch.setattr(following, name, 0.0)
    before = points()
    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "to_thread", refuse)
        patch.setattr(watch.Watch, "notes", property(refuse))
        patch.setattr(Store, "progress", refuse)
        patch.setattr(Store, "get", refuse)
        until(lambda: all(new > old for new, old in zip(points(), before, strict=True)))
    for run in runs:
        jobs.cancel(run)
    for run in runs:
        jobs.wait(run)
        assert not following.look(run).watch.in_memory
    assert points() == [jobs.store.metrics(run).cursor for run in runs]


def test_the_server_does_not_wait_for_a_look_that_another_thread_takes(run):
    question = following.Question(run, QueryParams(""))
    following.look(run)
    with following._looking, ThreadPoolExecutor(1) as pool:
        assert pool.submit(following._answers, [question], False).result(PATIENCE) is None
    (answer,) = following._answers([question], True)
    assert answer.status == 200


def test_a_note_is_marked_at_once_where_it_is_pinned_here_and_soon_where_elsewhere(jobs, run, monkeypatch):
    def words():
        return [mark["words"] for mark in marks(watched)]

    watched = watch.Watch(jobs, run)
    watched.refresh()
    monkeypatch.setattr(watch, "_NOTED", PATIENCE)
    assert words() == []
    with Store(jobs.store.root) as other:
        other.pin(run, 0, 0.0, "elsewhere")
        assert words() == []
        monkeypatch.setattr(watch, "_NOTED", 0.0)
        time.sleep(0.01)
        assert words() == ["“elsewhere”"]
        monkeypatch.setattr(watch, "_NOTED", PATIENCE)
        jobs.store.pin(run, 0, 0.0, "here")
        assert words() == ["“here”"]
        jobs.store.pin(run, 0, 0.0, "")
        assert words() == []

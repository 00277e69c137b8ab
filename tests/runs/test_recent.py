"""What a writer remembers of its last commits is what the store says."""

from __future__ import annotations

import random

import fake_training as fake
import numpy as np
import pytest
from waiting import until

from kernlab.jobs.trainings import Trainings
from kernlab.runs import recent
from kernlab.runs.store import Metrics, Snapshots, Store
from kernlab.runs.writer import Writer
from kernlab.training.control import Control
from kernlab.training.events import Changed, Checkpoint, Evaluated, Snapshot, Step


def same(left: tuple[Metrics, Snapshots], right: tuple[Metrics, Snapshots]) -> None:
    assert left[0].curves.keys() == right[0].curves.keys()
    for name, curve in left[0].curves.items():
        for mine, stored in zip(curve, right[0].curves[name], strict=True):
            assert mine.dtype == stored.dtype
            np.testing.assert_array_equal(mine, stored)
    assert left[0].cursor == right[0].cursor
    np.testing.assert_array_equal(left[1], right[1])


def remembered(writer: Writer, after: int) -> tuple[Metrics, Snapshots] | None:
    assert writer.recent
    return writer.recent.since(after)


@pytest.mark.parametrize("seed", range(5))
def test_readers_get_from_memory_what_the_store_has(store: Store, seed: int) -> None:
    """Runs of one store write in turns, with values that are no numbers, and their readers come at any time."""
    rng, runs = random.Random(seed), [store.create(fake.spec()) for _ in range(2)]
    writers, asked = [store.writer(run_id) for run_id in runs], 0
    for writer in writers:
        writer.write(fake.started(fake.spec()))
    bookmarks: list[dict[int, None]] = [{store.metrics(run_id).cursor: None} for run_id in runs]
    for step in range(1, 60):
        place = rng.randrange(2)
        writer, run_id = writers[place], runs[place]
        kind = rng.choice(["step", "step", "snapshot", "evaluated", "checkpoint", "changed"])
        values = {name: rng.choice([rng.random(), float("nan")]) for name in rng.sample(["a", "b", "c"], 2)}
        if kind == "snapshot":
            writer.write(Snapshot(step, step / 5, {}))
        elif kind == "checkpoint":
            writer.write(Checkpoint(step, {}, {}))
        elif kind == "changed":
            writer.write(Changed(step, step / 5, {"rho": rng.random()}, [[step, "rho", 1.0]]))
        else:
            writer.write((Evaluated if kind == "evaluated" else Step)(step, step / 5, values))
        if rng.random() < 0.5:
            writer.flush()
            for after in rng.sample([*bookmarks[place]], min(3, len(bookmarks[place]))):
                asked += 1
                found, stored = remembered(writer, after), store.progress(run_id, after)
                assert found
                same(found, stored)
            bookmarks[place][store.metrics(run_id).cursor] = None
    assert asked > 20
    for writer in writers:
        writer.close()


def test_a_bookmark_that_is_too_old_or_of_nobody_is_left_to_the_store(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "_COMMITS", 3)
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        assert writer.recent is None
        writer.write(fake.started(fake.spec()))
        marks = []
        for step in range(1, 7):
            writer.write(Step(step, step / 5, {"loss": 1.0}))
            writer.flush()
            marks.append(store.metrics(run_id).cursor)
        found = [remembered(writer, mark) for mark in marks]
        assert [mark and mark[0].cursor for mark in found] == [None, None, *[marks[-1]] * 4]
        assert [len(mark[0].curves.get("loss", ([],))[0]) for mark in found if mark] == [3, 2, 1, 0]
        assert remembered(writer, marks[-1] + 1) is None


def test_a_run_that_goes_on_remembers_what_follows_its_checkpoint(store: Store) -> None:
    asked = fake.spec(20)
    run_id = store.create(asked)
    with store.writer(run_id) as writer:
        for event in fake.train(asked, control=Control(), resume=None):
            if getattr(event, "step", 0) == 8:  # it dies three steps after the checkpoint at 5
                break
            writer.write(event)
    before, checkpoint = store.metrics(run_id).cursor, store.checkpoint(run_id)
    with store.writer(run_id) as writer:
        going_on = fake.train(asked, control=Control(), resume=checkpoint)
        writer.write(next(going_on))
        assert remembered(writer, before) is None  # some of what that reader has was taken back
        start = store.metrics(run_id).cursor
        for event in going_on:
            writer.write(event)
            if event.step < 20:
                writer.flush()
                found = remembered(writer, start)
                assert found
                same(found, store.progress(run_id, start))


def test_a_page_that_follows_a_run_of_this_process_does_not_ask_the_database(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Trainings(store, fake.train)
    run_id = jobs.submit(fake.spec(4000, delay=0.002))
    until(lambda: jobs.snapshot(run_id).step > 3)
    metrics, _ = jobs.progress(run_id)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Store, "progress", lambda *_: pytest.fail("the store was asked"))
            until(lambda: jobs.progress(run_id, metrics.cursor)[0].curves)
    finally:
        jobs.cancel(run_id)
        jobs.wait(run_id)
    same(jobs.progress(run_id, metrics.cursor), store.progress(run_id, metrics.cursor))

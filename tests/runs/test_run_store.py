"""What is written is what is read, whatever happens to the writer."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fake_training as fake
import numpy as np
import pytest
import sqlalchemy as sa
from fake_training import record, trained
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_np
from waiting import until

from kernlab.errors import StoreError, UnknownNameError
from kernlab.runs.store import Store
from kernlab.training.control import Control
from kernlab.training.events import (
    Cancelled,
    Checkpoint,
    Evaluated,
    Failed,
    Finished,
    Snapshot,
    Started,
    Step,
)

DTYPES = st.sampled_from([np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8, np.bool_])
ARRAYS = DTYPES.flatmap(lambda kind: st_np.arrays(kind, st_np.array_shapes(min_dims=0, max_dims=3, min_side=0)))
LIGHT = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def same(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert left.keys() == right.keys()
    for name, array in left.items():
        assert array.dtype == right[name].dtype
        np.testing.assert_array_equal(array, right[name])


# -- round trips


def test_a_finished_run_gives_back_everything_that_was_stored(store: Store) -> None:
    run_id = trained(store, steps=12)
    run = store.get(run_id)
    assert (run.status, run.step, run.epoch, run.total_steps) == ("finished", 12, 2.4, 12)
    assert (run.method, run.dataset, run.seed, run.device) == ("ASKL", "digits", 7, "cpu")
    assert (run.name, run.fingerprint, run.error) == ("ASKL on digits", "f00d", "")
    assert run.spec == fake.spec(12)
    assert run.resolved == {**fake.spec(12), "resolved": True}
    assert run.facts["classes"] == ["a", "b"]
    assert run.summary == {"test_metric": fake.expected(12)[-1]}
    assert set(run.versions) == {"python", "torch", "numpy", "kernlab"}

    curves = store.metrics(run_id).curves
    assert curves["objective"].steps.tolist() == list(range(1, 13))
    assert curves["objective"].epochs.tolist() == [step / 5 for step in range(1, 13)]
    assert curves["objective"].values.tolist() == fake.expected(12)
    assert curves["test_metric"].steps.tolist() == [0, 5, 10]
    assert store.snapshots(run_id).steps.tolist() == [5, 10]
    assert store.snapshots(run_id).epochs.tolist() == [1.0, 2.0]
    np.testing.assert_array_equal(store.snapshot(run_id, 10)["omega"], fake.frequencies(10))
    assert store.snapshot(run_id, 10, names=["weight"]).keys() == {"weight"}
    same(store.static(run_id), {"view_points": np.arange(6.0).reshape(3, 2)})
    checkpoint = store.checkpoint(run_id)
    assert checkpoint is not None
    assert (checkpoint.step, checkpoint.state) == (10, {"epoch": 2})
    arrays, meta = store.model(run_id)
    assert float(arrays["weight"]) == fake.expected(12)[-1]
    assert meta == {"classes": ["a", "b"]}


@LIGHT
@given(arrays=st.dictionaries(st.text("abc/_", min_size=1), ARRAYS, max_size=3), state=st.integers(0, 2**200))
def test_arrays_of_any_kind_and_shape_come_back_bit_for_bit(store: Store, arrays: dict[str, Any], state: int) -> None:
    run_id = record(store, fake.started(fake.spec()), Checkpoint(3, arrays, {"generator": state}), Cancelled(3))
    found = store.checkpoint(run_id)
    assert found is not None
    assert found.state == {"generator": state}
    same(dict(found.arrays), arrays)


def test_arrays_that_lie_otherwise_in_memory_come_back_in_their_shape(store: Store) -> None:
    table = np.arange(12.0).reshape(3, 4)
    arrays = {"columns first": np.asfortranarray(table), "turned": table.T, "every other": table[:, ::2]}
    run_id = record(store, fake.started(fake.spec()), Snapshot(1, 0.2, arrays))
    same(store.snapshot(run_id, 1), arrays)


@LIGHT
@given(values=st.lists(st.floats(), min_size=1, max_size=5))
def test_metric_values_come_back_exactly_also_those_that_are_no_numbers(store: Store, values: list[float]) -> None:
    steps = [Evaluated(step, step / 3, {"m": value}) for step, value in enumerate(values)]
    curve = store.metrics(record(store, fake.started(fake.spec()), *steps)).curves["m"]
    np.testing.assert_array_equal(curve.values, values)
    assert curve.epochs.tolist() == [step / 3 for step in range(len(values))]


def test_a_failed_run_keeps_its_sentence_and_a_cancelled_one_its_checkpoint(store: Store) -> None:
    started = fake.started(fake.spec())
    failed = record(store, started, Step(1, 0.2, {"loss": float("nan")}), Failed(1, "Try less."))
    assert (store.get(failed).status, store.get(failed).error) == ("failed", "Try less.")
    stopped = record(store, started, Checkpoint(4, {"w": np.ones(2)}, {}), Cancelled(4))
    assert (store.get(stopped).status, store.get(stopped).resumable, store.get(stopped).step) == ("stopped", True, 4)


def test_events_of_classes_loaded_twice_are_stored(store: Store) -> None:
    twin = type("Step", (), {"step": 3, "epoch": 0.5, "metrics": {"loss": 2.0}})()
    run_id = record(store, fake.started(fake.spec()), twin)
    assert store.metrics(run_id).curves["loss"].values.tolist() == [2.0]


# -- reading while it is written


def test_a_reader_gets_only_what_is_new(store: Store) -> None:
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        writer.write(Step(1, 0.1, {"loss": 1.0}))
        writer.flush()
        first = store.metrics(run_id)
        assert first.whole
        writer.write(Step(2, 0.2, {"loss": 2.0, "objective": 3.0}))
        writer.flush()
        second = store.metrics(run_id, first.cursor)
        assert not second.whole
        assert {name: curve.values.tolist() for name, curve in second.curves.items()} == {
            "loss": [2.0],
            "objective": [3.0],
        }
        third = store.metrics(run_id, second.cursor)
        assert (third.curves, third.cursor, third.whole) == ({}, second.cursor, False)


def test_metrics_reach_readers_although_the_training_sends_no_more_events(store: Store) -> None:
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        writer.write(Step(1, 0.1, {"loss": 1.0}))
        until(lambda: store.metrics(run_id).curves)
        assert store.metrics(run_id).curves["loss"].values.tolist() == [1.0]


def test_curves_are_stored_at_least_as_far_as_files(store: Store) -> None:
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        for step in range(1, 20, 2):
            writer.write(Step(step, step / 5, {"loss": 1.0}))
            writer.write(Snapshot(step, step / 5, {}))
            assert store.metrics(run_id).curves["loss"].steps[-1] == step
            writer.write(Step(step + 1, step / 5, {"loss": 1.0}))
            writer.write(Checkpoint(step + 1, {}, {}))
            assert store.metrics(run_id).curves["loss"].steps[-1] == step + 1


def test_metrics_and_snapshots_are_read_at_one_moment(store: Store) -> None:
    """What was measured at a snapshot is stored with it, also where that happens while somebody reads."""
    run_id, steps = store.create(fake.spec()), itertools.count(1)
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))

        def measure(*_: object) -> None:
            step = next(steps)
            writer.write(Evaluated(step, step / 10, {"test_metric": 1.0}))
            writer.write(Snapshot(step, step / 10, {}))

        measure()
        with Store(store.root) as reader:
            sa.event.listen(reader._engine, "after_cursor_execute", measure)
            cursor = 0
            for _ in range(3):
                new, snapshots = reader.progress(run_id, cursor)
                assert new.curves["test_metric"].steps[-1] == snapshots.steps[-1] < next(steps) - 3
                cursor = new.cursor


def test_points_are_stored_as_they_come_and_every_commit_has_a_number(store: Store) -> None:
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        assert writer.soonest < 0
        writer.write(Step(1, 0.1, {"loss": 1.0}))
        numbers = [writer.commits]
        for step in (2, 3):
            writer.write(Step(step, step / 10, {"loss": 1.0}))
            assert writer.soonest <= 0.1
            until(lambda step=step: store.metrics(run_id).curves["loss"].steps[-1] == step)  # type: ignore[misc]
            until(lambda: writer.commits != numbers[-1])
            numbers.append(writer.commits)
        assert numbers == sorted(set(numbers))
        until(lambda: not writer.waiting)
        writer.write(Step(4, 0.4, {}))  # without metrics there is nothing to store
        assert not writer.waiting
        writer.write(Step(5, 0.5, {"loss": 2.0}))
    assert store.metrics(run_id).curves["loss"].steps.tolist() == [1, 2, 3, 5]
    until(lambda: all(thread.name != f"commit-{run_id}" for thread in threading.enumerate()))  # its thread ends


def test_a_resumed_run_removes_later_points_and_its_readers_start_again(store: Store) -> None:
    asked = fake.spec(20)
    run_id = store.create(asked)
    with store.writer(run_id) as writer:
        for event in fake.train(asked, control=Control(), resume=None):
            if getattr(event, "step", 0) == 8:  # it dies three steps after the checkpoint at 5
                break
            writer.write(event)
        writer.write(Snapshot(7, 1.4, {"omega": fake.frequencies(7)}))
    before = store.metrics(run_id)
    assert before.curves["objective"].steps[-1] == 7

    checkpoint = store.checkpoint(run_id)
    with store.writer(run_id) as writer:
        going_on = fake.train(asked, control=Control(), resume=checkpoint)
        writer.write(next(going_on))
        assert store.snapshots(run_id).steps.tolist() == [5]
        assert not store.folder(run_id).snapshot(7).exists()
        rest = store.metrics(run_id, before.cursor)
        assert rest.whole
        assert rest.curves["objective"].steps.tolist() == [1, 2, 3, 4, 5]
        for event in going_on:
            writer.write(event)
    more = store.metrics(run_id, rest.cursor)
    curve = store.metrics(run_id).curves["objective"]
    assert (rest.curves["objective"].steps.tolist() + more.curves["objective"].steps.tolist()) == list(range(1, 21))
    assert curve.steps.tolist() == list(range(1, 21))
    assert curve.values.tolist() == fake.expected(20)
    assert store.metrics(run_id).curves["test_metric"].steps.tolist() == [0, 5, 10, 15, 20]  # 5 was measured twice
    assert store.get(run_id).status == "finished"


# -- dying


WORKER = """
    import itertools, sys
    import numpy as np
    from kernlab.runs.store import Store
    from kernlab.training.events import *
    sys.path.insert(0, sys.argv[2])
    import fake_training as fake

    store = Store(sys.argv[1])
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        for step in itertools.count(1):
            writer.write(Step(step, step / 5, {"loss": step / 7}))
            if step % 50 == 0:
                writer.write(Snapshot(step, step / 5, {"omega": fake.frequencies(step)}))
                writer.write(Checkpoint(step, {"weight": np.full(50_000, step / 7)}, {"step": step}))
            if step == 200:
                print(run_id, flush=True)
"""


def start_worker(home: Path) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-c", textwrap.dedent(WORKER), str(home), str(Path(__file__).parent)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, process.stdout.readline().strip()


def test_a_killed_process_leaves_every_stored_step_readable_and_its_run_interrupted(store: Store) -> None:
    process, run_id = start_worker(store.root)
    assert store.get(run_id).status == "running"  # seen from this process while that one works
    with pytest.raises(StoreError, match="must have ended"):
        store.writer(run_id)
    with pytest.raises(StoreError, match="Stop it first"):
        store.delete(run_id)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    with Store(store.root) as fresh:
        run = fresh.get(run_id)
        assert (run.status, run.resumable) == ("interrupted", True)
        assert [each.id for each in fresh.list(status="interrupted")] == [run_id]
        curve = fresh.metrics(run_id).curves["loss"]
        assert len(curve.steps) >= 200
        assert curve.steps.tolist() == list(range(1, len(curve.steps) + 1))
        assert curve.values.tolist() == [step / 7 for step in curve.steps]
        for step in fresh.snapshots(run_id).steps:
            np.testing.assert_array_equal(fresh.snapshot(run_id, step)["omega"], fake.frequencies(step))
        checkpoint = fresh.checkpoint(run_id)
        assert checkpoint is not None
        assert 200 <= checkpoint.step <= len(curve.steps)
        np.testing.assert_array_equal(checkpoint.arrays["weight"], np.full(50_000, checkpoint.step / 7))
        with fresh.writer(run_id) as writer:  # and it can go on
            writer.write(Started({}, {"start_step": checkpoint.step}))
            writer.write(Step(checkpoint.step + 1, 0.0, {"loss": -1.0}))
        values = fresh.metrics(run_id).curves["loss"].values
        assert (len(values), values[-1]) == (checkpoint.step + 1, -1.0)


def test_two_processes_write_to_one_store_at_once(store: Store) -> None:
    workers = [start_worker(store.root) for _ in range(2)]
    mine = trained(store)
    assert {run.status for run in store.list()} == {"running", "finished"}
    for process, _ in workers:
        process.kill()
        process.wait()
    assert sorted(run.status for run in store.list()) == ["finished", "interrupted", "interrupted"]
    for _, run_id in workers:
        assert store.metrics(run_id).curves["loss"].values[:200].tolist() == [step / 7 for step in range(1, 201)]
    assert store.metrics(mine).curves["objective"].values.tolist() == fake.expected(12)


def test_changes_that_read_before_they_write_wait_for_each_other(store: Store) -> None:
    run_id = trained(store)
    together, trouble = threading.Barrier(2), []

    def count() -> None:
        together.wait()
        try:
            for _ in range(5):
                with store.writing() as connection:
                    note = connection.exec_driver_sql("SELECT note FROM runs").scalar_one()
                    time.sleep(0.005)
                    connection.exec_driver_sql("UPDATE runs SET note = ?", (f"{int(note or 0) + 1}",))
        except StoreError as error:
            trouble.append(error)

    threads = [threading.Thread(target=count) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert trouble == []
    assert store.get(run_id).note == "10"


def test_a_run_that_ends_while_it_is_read_is_not_taken_for_dead(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from kernlab.runs import layout

    run_id = store.create(fake.spec())
    writer = store.writer(run_id)
    writer.write(fake.started(fake.spec()))

    def ends_now(folder: layout.Folder) -> bool:
        if not writer.ended:
            writer.write(Finished(1, {}, {}, {}))
        return True

    monkeypatch.setattr(layout.Folder, "abandoned", ends_now)
    assert store.get(run_id).status == "finished"


def test_a_run_that_is_purged_while_it_is_read_is_no_longer_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that cannot start is purged while it is queued: what was read of it just before is no damaged run."""
    from kernlab.runs import layout

    abandoned = layout.Folder.abandoned

    def purged_now(folder: layout.Folder) -> bool:
        if folder.path.exists():
            monkeypatch.undo()
            store.purge(folder.path.name)
        return abandoned(folder)

    asks: list[Callable[[], object]] = [store.list, lambda: store.list(status=["queued", "interrupted", "damaged"])]
    for ask in asks:
        run_id = store.create(fake.spec())
        monkeypatch.setattr(layout.Folder, "abandoned", purged_now)
        assert ask() == []
        assert not store.folder(run_id).path.exists()
    run_id = store.create(fake.spec())
    monkeypatch.setattr(layout.Folder, "abandoned", purged_now)
    with pytest.raises(UnknownNameError):
        store.get(run_id)


# -- what the user changes


def test_runs_are_found_by_what_the_user_remembers(store: Store) -> None:
    first, second = trained(store), store.create(fake.spec(), "50%_off")
    store.rename(first, "  Morning  ")
    store.annotate(first, "Ω learned fast")
    store.star(first)
    assert (store.get(first).name, store.get(first).note, store.get(first).starred) == (
        "Morning",
        "Ω learned fast",
        True,
    )
    assert [run.id for run in store.list()] == [second, first]
    assert [run.id for run in store.list(limit=1)] == [second]
    for filters in ({"text": "morn"}, {"text": "LEARNED"}, {"starred": True}, {"status": ["finished", "failed"]}):
        assert [run.id for run in store.list(**filters)] == [first], filters
    for filters in ({"text": "%_"}, {"starred": False}, {"status": "queued"}):
        assert [run.id for run in store.list(**filters)] == [second], filters
    assert len(store.list(method="ASKL", dataset="digits")) == 2
    assert store.list(method="SK") == store.list(dataset="iris") == store.list(text="no such") == []
    store.star(first, False)
    assert not store.get(first).starred
    with pytest.raises(StoreError, match="must not be empty"):
        store.rename(first, " ")


def test_deleting_can_be_undone_until_it_is_purged(store: Store) -> None:
    run_id = trained(store)
    store.delete(run_id)
    assert store.list() == []
    assert [run.id for run in store.list(deleted=True)] == [run_id]
    with pytest.raises(StoreError, match="Restore it first"):
        store.writer(run_id)
    store.restore(run_id)
    assert [run.id for run in store.list()] == [run_id]
    assert len(store.metrics(run_id).curves["objective"].steps) == 12

    store.purge(run_id)
    assert not store.folder(run_id).path.exists()
    with pytest.raises(UnknownNameError):
        store.metrics(run_id)
    assert store.list() == store.list(deleted=True) == []


def test_bookmarks_are_never_used_again_after_a_purge(store: Store) -> None:
    first = trained(store)
    cursor = store.metrics(first).cursor
    store.purge(first)
    second = trained(store)
    assert store.metrics(second, cursor).curves["objective"].steps.tolist() == list(range(1, 13))


# -- mistakes and troubles


def test_an_unknown_run_is_answered_with_the_nearest(store: Store) -> None:
    run_id = trained(store)
    typo = run_id[:-1] + "?"
    asks = [store.get, store.metrics, store.snapshots, store.static, store.checkpoint, store.model, store.delete]
    asks += [store.writer, store.purge, store.restore, store.star, lambda name: store.snapshot(name, 5)]
    for ask in asks:
        with pytest.raises(UnknownNameError, match=run_id):
            ask(typo)
    with pytest.raises(UnknownNameError, match="must be one that the store has"):
        store.static("../../etc")


def test_what_a_run_does_not_have_is_refused(store: Store) -> None:
    run_id = record(store, fake.started(fake.spec()), Snapshot(5, 1.0, {"omega": fake.frequencies(5)}))
    assert store.checkpoint(run_id) is None
    with pytest.raises(StoreError, match=r"Given: 6\. The nearest are: 5\."):
        store.snapshot(run_id, 6)
    with pytest.raises(StoreError, match="omega"):
        store.snapshot(run_id, 5, names=["phase"])
    with pytest.raises(StoreError, match="must have finished"):
        store.model(run_id)
    with pytest.raises(StoreError, match="must not have finished"):
        store.writer(trained(store))


@pytest.mark.parametrize("damage", [lambda blob: blob[:-3], lambda blob: b"", lambda blob: b"\xff" * len(blob)])
def test_a_damaged_file_is_named_and_the_rest_stays_readable(store: Store, damage: Any) -> None:
    run_id = trained(store)
    file = store.folder(run_id).checkpoint
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(StoreError, match=r"checkpoint\.safetensors must be a whole"):
        store.checkpoint(run_id)
    assert store.get(run_id).status == "finished"
    assert store.model(run_id)[1] == {"classes": ["a", "b"]}


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(
        StoreError, match=f"{tmp_path / 'file' / 'home'} must be .* point KERNLAB_HOME at another folder"
    ):
        Store(tmp_path / "file" / "home")


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_one_sentence_and_takes_nothing_back(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = store.create(fake.spec())

    def train_on_a_disk_that_fills_up() -> None:
        with store.writer(run_id) as writer:
            writer.write(fake.started(fake.spec()))
            writer.write(Step(1, 0.2, {"loss": 1.0}))
            writer.write(Checkpoint(1, {"w": np.ones(3)}, {}))
            monkeypatch.setattr(os, "fsync", full_disk)
            writer.write(Checkpoint(2, {"w": np.zeros(3)}, {}))

    with pytest.raises(StoreError, match="Free some space"):
        train_on_a_disk_that_fills_up()
    monkeypatch.undo()
    run = store.get(run_id)
    assert run.status == "failed"
    assert "Free some space" in run.error
    checkpoint = store.checkpoint(run_id)
    assert checkpoint is not None
    assert checkpoint.step == 1
    assert [file.name for file in store.folder(run_id).path.iterdir() if file.suffix == ".part"] == []
    assert store.metrics(run_id).curves["loss"].values.tolist() == [1.0]


def test_a_read_only_database_is_one_sentence(store: Store) -> None:
    run_id = trained(store)
    with store.reading() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")  # of the only connection
    with pytest.raises(StoreError, match="Make the folder writable"):
        store.star(run_id)
    assert len(store.metrics(run_id).curves["objective"].steps) == 12

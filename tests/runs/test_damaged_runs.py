"""A damaged run is listed as such and does not affect the others; a check finds the damage and mends what it can."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import fake_training as fake
import numpy as np
import pytest
from fake_training import sql, trained
from test_run_archive import about, repack

from kernlab.errors import StoreError
from kernlab.runs import tensors
from kernlab.runs.check import check
from kernlab.runs.store import Store
from kernlab.training.events import Checkpoint, Snapshot


def damage(store: Store, run_id: str, **columns: Any) -> None:
    """Put values into a run's row."""
    for name, value in columns.items():
        place = "CAST(:value AS TEXT)" if isinstance(value, bytes) else ":value"
        sql(store.root, f"UPDATE runs SET {name} = {place} WHERE id = :run_id", value=value, run_id=run_id)


def forget_copies(store: Store) -> None:
    """Remove the copy of each record in its run's folder, which earlier versions did not write."""
    for file in store.root.rglob("record.json"):
        file.unlink()


def old(path: Path) -> None:
    """Date a file or folder back to 2001."""
    os.utime(path, (1e9, 1e9))


ROWS: dict[str, dict[str, Any]] = {
    "half of the JSON": {"facts": '{"d": 3, "K'},
    "no JSON": {"summary": "finished"},
    "another kind of JSON": {"facts": "[1, 2]"},
    "JSON null": {"spec": "null"},
    "an empty spec": {"spec": "{}"},
    "deep JSON": {"facts": "[" * 100_000},
    "no UTF-8": {"name": b"\xff\xfe\x00ASKL"},
    "no UTF-8 in JSON": {"spec": b'{"method": {"name": "\xff"}, "data": {}}'},
    "a list as the method": {"spec": '{"method": [1], "data": {}}'},
    "a word as a number": {"created": "yesterday"},
    "a moment that no date shows": {"created": 1e300},
    "a negative step": {"step": -3},
    "an unknown status": {"status": "excellent"},
    "text as a flag": {"deleted": "perhaps"},
    "a word as d": {"facts": json.dumps(dict(fake.started(fake.spec()).facts) | {"d": "many"})},
    "a word as a result": {"summary": '{"test_metric": "good"}'},
}


@pytest.mark.parametrize("columns", ROWS.values(), ids=ROWS.keys())
def test_a_damaged_row_is_listed_and_mended_from_its_copy_and_the_others_go_on(
    store: Store, columns: dict[str, Any]
) -> None:
    other, bad = trained(store), trained(store)
    before = store.get(bad)
    damage(store, bad, **columns)
    runs = {run.id: run for run in store.list()}
    assert list(runs) == [bad, other]
    assert {run_id: run.status for run_id, run in runs.items()} == {other: "finished", bad: "damaged"}
    assert next(iter(columns)) in runs[bad].damage[0]
    assert [run.id for run in store.list(status="damaged")] == [bad]
    assert bad not in [run.id for run in store.list(status="finished")]
    if "name" not in columns:
        assert runs[bad].name == "ASKL on digits"  # what can be saved is
    assert len(store.metrics(bad).curves["objective"].steps) == 12
    for ask in (store.writer, lambda run_id: store.export(run_id, store.root / "x.zip")):
        with pytest.raises(StoreError, match=r"is damaged.*check --repair"):
            ask(bad)
    store.export(other, store.root / "other.zip")
    store.import_(store.root / "other.zip")

    found = check(store.root)
    assert [(each.run, each.what, each.mended) for each in found.troubles] == [(bad, "record", False)]
    assert not found.whole
    assert store.get(bad).status == "damaged"  # a check alone changes nothing
    assert check(store.root, repair=True).whole
    assert {**vars(store.get(bad)), "updated": 0} == {**vars(before), "updated": 0}
    assert check(store.root).troubles == []

    damage(store, bad, **columns)
    store.delete(bad)
    store.purge(bad)
    assert trained(store) in [run.id for run in store.list()]


def test_what_was_replaced_is_kept(store: Store) -> None:
    run_id = trained(store)
    damage(store, run_id, note="mine", facts="{")
    report = check(store.root, repair=True)
    assert report.aside
    (line,) = (report.aside / "runs.jsonl").read_text().splitlines()
    assert (json.loads(line)["facts"], json.loads(line)["note"]) == ("{", "mine")


@pytest.mark.parametrize("columns", ROWS.values(), ids=ROWS.keys())
def test_without_a_copy_a_repair_saves_what_the_other_columns_say(store: Store, columns: dict[str, Any]) -> None:
    run_id = trained(store)
    forget_copies(store)
    damage(store, run_id, **columns)
    assert check(store.root, repair=True).whole
    run = store.get(run_id)
    assert run.spec["method"]["name"] == "ASKL"
    assert len(store.metrics(run_id).curves["objective"].steps) == 12
    lost = {"facts", "summary", "status"} & set(columns)
    assert run.status == ("interrupted" if lost else "finished")
    if lost:  # and can be made anew
        fake.resumed(store, run_id)
        assert store.get(run_id).summary == {"test_metric": fake.expected(12)[-1]}
        assert check(store.root).whole


def test_what_cannot_be_mended_is_reported_and_stays_as_it_is(store: Store) -> None:
    run_id = trained(store)
    forget_copies(store)
    damage(store, run_id, spec="{", resolved="{", summary="{}")
    report = check(store.root, repair=True)
    assert [(each.what, each.repair, each.mended) for each in report.troubles] == [("record", "", False)]
    assert not report.whole
    assert report.aside is None
    assert len(store.metrics(run_id).curves["objective"].steps) == 12


# -- checkpoints


METAS: dict[str, Any] = {
    "none": {},
    "no state": {"step": 5},
    "a word as the step": {"step": "five", "state": {}},
    "a list as the state": {"step": 5, "state": []},
    "a step before the start": {"step": -5, "state": {}},
    "no object": [5],
}


@pytest.mark.parametrize("meta", METAS.values(), ids=METAS.keys())
def test_a_checkpoint_without_its_step_or_state_is_refused(store: Store, meta: Any) -> None:
    run_id = fake.record(store, fake.started(fake.spec(12)), Checkpoint(5, {"weight": np.float64(1)}, {}))
    tensors.save(store.folder(run_id).checkpoint, {"weight": np.float64(1)}, meta)
    with pytest.raises(StoreError, match="check --repair"):
        store.checkpoint(run_id)
    (trouble,) = check(store.root, repair=True).troubles
    assert (trouble.what, trouble.mended) == ("checkpoint", True)
    assert store.checkpoint(run_id) is None  # it goes on from its start


# -- archives


FACTS: dict[str, Any] = {
    "d": "many", "K": [2], "classes": {"a": 1}, "feature_names": 7, "image_shape": "8x8", "total_steps": None,
    "steps_per_epoch": 0, "task": "dancing", "metric": 3, "view": "circle", "view_grid": [1], "constant": "none",
    "warnings": "none", "n_train": 2.5,
}  # fmt: skip
TOGETHER: dict[str, Any] = {"classes": ["a", "b", "c"], "image_shape": [5, 5], "view_grid": None}
SUMMARY: dict[str, Any] = {"test_metric": "good", "metric": 1, "heads": [1], "bound": {"total": "x"}, "objective": {}}


@pytest.mark.parametrize(("column", "name", "value"), [
    *(("facts", name, value) for name, value in (*FACTS.items(), *TOGETHER.items())),
    *(("summary", name, value) for name, value in SUMMARY.items()),
    ("spec", "method", "ASKL"), ("spec", "data", []), ("resolved", "method", {"solver": 1}), ("versions", "torch", 2),
])  # fmt: skip
def test_an_archive_of_wrong_types_is_refused(store: Store, exported: Path, column: str, name: str, value: Any) -> None:
    def change(members: dict[str, bytes]) -> None:
        record = json.loads(members["run.json"])["run"][column]
        about(members, **{column: record | {name: value}})

    with pytest.raises(StoreError, match=rf"a run as kernlab exports it\. Given: {column}"):
        store.import_(repack(exported, change))
    assert store.list() == []


def test_an_archive_whose_checkpoint_says_nothing_is_refused(store: Store, exported: Path) -> None:
    bad = repack(exported, lambda members: members.update({"checkpoint.safetensors": tensors.dump({})}))
    with pytest.raises(StoreError, match=r"Given: checkpoint\.step: Field required"):
        store.import_(bad)


def test_an_import_that_the_disk_breaks_off_leaves_nothing(
    store: Store, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = Path.replace, []

    def fails(self: Path, target: Path) -> Path:
        calls.append(self)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(StoreError, match="Free some space"):
        store.import_(exported)
    monkeypatch.undo()
    assert len(store.list()) == len([*(store.root / "runs").iterdir()]) == 0


# -- files and folders


def test_truncated_files_are_set_aside_and_the_run_can_make_them_anew(store: Store) -> None:
    run_id = trained(store)
    folder = store.folder(run_id)
    for file in (folder.static, folder.model, folder.snapshot(5)):
        file.write_bytes(file.read_bytes()[:-1])
    folder.snapshot(10).unlink()
    tensors.save(folder.snapshot(7), {"omega": fake.frequencies(7)}, {"epoch": 1.4})
    (folder.path / "model.safetensors.part").write_bytes(b"half")
    found = check(store.root)
    whats = ["static", "model", "snapshot 5", "snapshot 10", "snapshot 7", "model.safetensors.part"]
    assert [each.what for each in found.troubles] == whats
    report = check(store.root, repair=True)
    assert report.whole
    assert report.aside
    kept = sorted(path.name for path in report.aside.rglob("*") if path.is_file())
    assert kept == ["5.safetensors", "model.safetensors", "model.safetensors.part", "snapshots.jsonl",
                    "static.safetensors"]  # fmt: skip
    assert store.snapshots(run_id).steps.tolist() == [7]
    assert check(store.root).troubles == []
    assert store.get(run_id).status == "interrupted"
    fake.resumed(store, run_id)
    assert float(store.model(run_id)[0]["weight"]) == fake.expected(12)[-1]


def test_a_folder_that_the_database_lost_comes_back(store: Store) -> None:
    run_id, stranger = trained(store), store.root / "runs" / "stranger"
    before = store.get(run_id)
    sql(store.root, "DELETE FROM runs")
    stranger.mkdir()
    (stranger / "file").write_text("x")
    young = store.root / "runs" / "young"  # perhaps a run that is just being made
    young.mkdir()
    for path in (store.folder(run_id).path, stranger):
        old(path)
    report = check(store.root, repair=True)
    assert report.whole
    assert store.get(run_id) == before
    assert len(store.metrics(run_id).curves["objective"].steps) == 12
    assert report.aside
    assert (report.aside / "runs" / "stranger" / "file").read_text() == "x"
    assert young.exists()


def test_rows_without_a_run_and_without_numbers_are_set_aside(store: Store) -> None:
    run_id = trained(store)
    sql(
        store.root,
        "INSERT INTO metrics (run_id, step, epoch, name, value) VALUES ('gone', 1, 1.0, 'm', 1.0)",
        "UPDATE metrics SET step = 'x' WHERE run_id != 'gone' AND step = 3 AND name = 'loss'",
    )
    with pytest.raises(StoreError, match="must be numbers"):
        store.metrics(run_id)
    assert store.get(run_id).status == "finished"
    report = check(store.root, repair=True)
    assert report.aside
    assert len((report.aside / "metrics.jsonl").read_text().splitlines()) == 2
    assert len(store.metrics(run_id).curves["loss"].steps) == 11


def test_a_run_that_is_under_way_is_left_alone(store: Store) -> None:
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        (store.folder(run_id).path / "model.safetensors.part").write_bytes(b"half")
        old(store.folder(run_id).path)
        assert check(store.root, repair=True).troubles == []
        writer.write(Snapshot(1, 0.2, {"omega": fake.frequencies(1)}))
    assert store.snapshots(run_id).steps.tolist() == [1]


# -- the database


def broken(path: Path, pages: slice) -> None:
    """Overwrite some of the database's pages."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        (size,) = database.execute("PRAGMA page_size").fetchone()
    blob = bytearray(path.read_bytes())
    for page in range(len(blob) // size)[pages]:
        blob[page * size : (page + 1) * size] = b"\xa5" * size
    path.write_bytes(blob)


def test_a_damaged_database_is_copied_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        ids = [trained(store, steps=200) for _ in range(4)]
    sql(tmp_path, "ALTER TABLE runs DROP COLUMN starred")  # as an older version wrote it
    broken(tmp_path / "kernlab.db", slice(6, None, 9))
    for path in (tmp_path / "runs").iterdir():
        old(path)
    found = check(tmp_path)
    assert found.troubles[0].what == "kernlab.db"
    assert not found.whole
    report = check(tmp_path, repair=True)
    assert report.whole
    assert report.aside
    assert (report.aside / "kernlab.db").exists()
    assert check(tmp_path).troubles == []
    with Store(tmp_path) as store:
        # Rows, or the copies of the records in the folders.
        assert {(run.id, run.starred, run.damage) for run in store.list()} == {(run_id, False, ()) for run_id in ids}
        points = sum(len(store.metrics(run_id).curves.get("objective", [[]])[0]) for run_id in ids)
        assert points > 400
        assert trained(store) in [run.id for run in store.list()]


def test_a_database_that_is_none_is_made_anew_from_the_folders(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        run_id = trained(store)
        before = store.get(run_id)
    (tmp_path / "kernlab.db").write_bytes(b"something else entirely " * 100)
    old(tmp_path / "runs" / run_id)
    with pytest.raises(StoreError, match=r"Restore kernlab\.db .* check --repair"):
        Store(tmp_path)
    assert not check(tmp_path).whole
    assert check(tmp_path, repair=True).whole
    with Store(tmp_path) as store:
        assert store.get(run_id) == before
        assert store.snapshots(run_id).steps.tolist() == [5, 10]


def test_a_database_in_use_is_not_replaced(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        trained(store, steps=200)
    broken(tmp_path / "kernlab.db", slice(6, None, 9))
    other = sqlite3.connect(tmp_path / "kernlab.db", isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM sqlite_master").fetchone()
    report = check(tmp_path, repair=True)
    other.close()
    assert not report.whole
    assert "must not be in use" in report.troubles[0].why

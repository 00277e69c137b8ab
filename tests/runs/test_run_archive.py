"""One file carries a whole run, and no file can carry anything else in."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import fake_training as fake
import numpy as np
import pytest

from kernlab.errors import StoreError
from kernlab.runs.store import Run, Store
from kernlab.training.control import Control
from kernlab.training.events import Evaluated


@pytest.fixture
def run_id(store: Store) -> str:
    made = store.create(fake.spec(12), "The good one")
    with store.writer(made) as writer:
        for event in fake.train(fake.spec(12), control=Control(), resume=None):
            writer.write(event)
            if type(event).__name__ == "Snapshot":
                writer.write(Evaluated(event.step, event.epoch, {"bound/total": float("nan"), "gap": float("inf")}))
    store.annotate(made, "Ünïcode, \N{SNOWMAN}")
    store.star(made)
    return made


@pytest.fixture
def packed(store: Store, run_id: str, tmp_path: Path) -> Path:
    store.export(run_id, tmp_path / "run.zip")
    return tmp_path / "run.zip"


def repack(packed: Path, change: Callable[[dict[str, bytes]], None]) -> io.BytesIO:
    """The archive with its members changed."""
    with zipfile.ZipFile(packed) as pack:
        members = {name: pack.read(name) for name in pack.namelist()}
    change(members)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, blob in members.items():
            pack.writestr(name, blob)
    return made


def about(members: dict[str, bytes], **changes: object) -> None:
    record = json.loads(members["run.json"])
    record["run"] |= changes
    members["run.json"] = json.dumps(record).encode()


def without(run: Run, *names: str) -> dict[str, object]:
    return {name: value for name, value in vars(run).items() if name not in names}


def test_a_run_moves_to_another_store_unchanged(store: Store, run_id: str, packed: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "elsewhere") as other:
        moved = other.import_(packed)
        assert without(other.get(moved), "id") == without(store.get(run_id), "id")
        here, there = store.metrics(run_id).curves, other.metrics(moved).curves
        assert here.keys() == there.keys()
        for name, curve in here.items():
            for mine, yours in zip(curve, there[name], strict=True):
                np.testing.assert_array_equal(mine, yours)
        assert other.snapshots(moved).steps.tolist() == [5, 10]
        assert other.snapshots(moved).epochs.tolist() == [1.0, 2.0]
        for step in (5, 10):
            np.testing.assert_array_equal(other.snapshot(moved, step)["omega"], fake.frequencies(step))
        assert other.checkpoint(moved) == store.checkpoint(run_id)
        assert other.model(moved) == store.model(run_id)
        assert other.static(moved).keys() == {"view_points"}


def test_an_open_file_does_as_well_and_the_same_run_may_come_twice(store: Store, run_id: str) -> None:
    upload = io.BytesIO()
    store.export(run_id, upload)
    again = store.import_(upload)
    assert again != run_id
    assert [run.name for run in store.list()] == ["The good one"] * 2
    store.delete(again)  # no process has locked it
    store.purge(again)
    assert store.get(run_id).status == "finished"


def test_a_run_under_way_arrives_as_interrupted_and_can_go_on(store: Store) -> None:
    run_id, upload = store.create(fake.spec()), io.BytesIO()
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        store.export(run_id, upload)
    moved = store.get(store.import_(upload))
    assert (moved.status, moved.resumable) == ("interrupted", True)


def add(name: str, blob: bytes = b"x") -> Callable[[dict[str, bytes]], None]:
    return lambda members: members.__setitem__(name, blob)


BAD = {
    "a path upwards": add("../evil.safetensors"),
    "a deep path upwards": add("snapshots/../../../evil.safetensors"),
    "an absolute path": add("/evil.safetensors"),
    "a windows path": add("snapshots\\..\\..\\evil.safetensors"),
    "a pickle": add("model.pkl"),
    "a lock": add("lock"),
    "no record": lambda members: members.pop("run.json") and None,
    "no metrics": lambda members: members.pop("metrics.safetensors") and None,
    "no JSON": add("run.json", b"{"),
    "JSON of another shape": add("run.json", b"[1, 2]"),
    "another format": add("run.json", b'{"format": "other", "run": {}, "snapshots": {}}'),
    "a missing field": lambda members: members.update({"run.json": members["run.json"].replace(b'"name"', b'"nam"')}),
    "a status that is none": lambda members: about(members, status="excellent"),
    "facts of the wrong type": lambda members: about(members, facts={"steps_per_epoch": "many"}),
    "a number beyond the database": lambda members: about(members, step=10**30),
    "a damaged model": lambda members: members.update({"model.safetensors": members["model.safetensors"][:-1]}),
    "a snapshot too many": lambda members: members.update({"snapshots/7.safetensors": members["model.safetensors"]}),
    "a snapshot too few": lambda members: members.pop("snapshots/5.safetensors") and None,
    "metrics of another shape": lambda members: members.update({"metrics.safetensors": members["model.safetensors"]}),
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD.keys())
def test_anything_but_a_run_is_refused_and_nothing_of_it_stays(
    store: Store, exported: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    bad = repack(exported, change)
    before = sorted(path for path in tmp_path.rglob("*") if path.suffix not in (".db-wal", ".db-shm"))
    with pytest.raises(StoreError, match="a run as kernlab exports it"):
        store.import_(bad)
    assert sorted(path for path in tmp_path.rglob("*") if path.suffix not in (".db-wal", ".db-shm")) == before
    assert store.list() == []


def test_an_untouched_copy_is_not_refused(store: Store, exported: Path) -> None:
    """The refusals above are for what was changed, not for having been packed again."""
    assert store.get(store.import_(repack(exported, lambda members: None))).name == "ASKL on digits"


def test_a_link_is_refused(store: Store, exported: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(exported) as old, zipfile.ZipFile(made, "w") as pack:
        for name in old.namelist():
            if name != "checkpoint.safetensors":
                pack.writestr(name, old.read(name))
        link = zipfile.ZipInfo("checkpoint.safetensors")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        pack.writestr(link, "/etc/passwd")
    with pytest.raises(StoreError, match=r"checkpoint\.safetensors is damaged"):
        store.import_(made)


def test_a_flipped_bit_is_noticed(store: Store, exported: Path) -> None:
    blob = bytearray(exported.read_bytes())
    blob[blob.index(fake.frequencies(5).tobytes()) + 2] ^= 1
    with pytest.raises(StoreError, match="Bad CRC-32"):
        store.import_(io.BytesIO(bytes(blob)))


def test_a_file_that_is_no_archive_or_does_not_exist_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="BadZipFile"):
        store.import_(io.BytesIO(b"a,b,c\n1,2,3\n"))
    with pytest.raises(StoreError, match="must exist"):
        store.import_(tmp_path / "nothing.zip")


def test_a_run_larger_than_the_disk_is_refused_before_it_is_unpacked(
    store: Store, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kernlab.runs import archive

    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(archive.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(StoreError, match="must fit on the disk"):
        store.import_(exported)


def test_an_export_that_cannot_be_written_leaves_the_old_file(store: Store, run_id: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="export must be written"):
        store.export(run_id, tmp_path / "file" / "run.zip")

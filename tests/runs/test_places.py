"""Where a store lies and when: a full disk, a folder that can only be read, a network share, a clock that was set back,
another version of kernlab."""

from __future__ import annotations

import io
import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import fake_training as fake
import pytest
from fake_training import sql, trained

from kernlab.errors import StoreError
from kernlab.runs import database
from kernlab.runs.check import check
from kernlab.runs.store import Store
from kernlab.training.events import Step


def mounted(where: Path, *how: str) -> bool:
    """Whether this user may mount, and has."""
    where.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    return bool(mount) and subprocess.run([mount, *how, str(where)], capture_output=True).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    disk = tmp_path / "disk"
    if sys.platform != "linux" or not mounted(disk, "-t", "tmpfs", "-o", "size=1m", "tmpfs"):
        pytest.skip("only root may mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A store of one run and one that looks alive, on a disk that can only be read."""
    home = tmp_path / "home"
    with Store(home) as store:
        trained(store)
        run_id = store.create(fake.spec())
        with store.writing() as connection:  # as a killed process leaves it
            connection.exec_driver_sql("UPDATE runs SET status = 'running' WHERE id = ?", (run_id,))
    if sys.platform != "linux" or not mounted(home, "--bind", str(home)):
        pytest.skip("only root may mount a folder to read it only")
    subprocess.run(["mount", "-o", "remount,ro,bind", str(home)], check=True)
    yield home
    subprocess.run(["umount", "-l", str(home)], check=True)


FILL = """
    import sys
    sys.path.insert(0, sys.argv[2])
    import numpy as np, fake_training as fake
    from kernlab.errors import StoreError
    from kernlab.runs.store import Store
    from kernlab.training.events import *
    if len(sys.argv) > 3:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
    store = Store(sys.argv[1])
    run_id = store.create(fake.spec(10**6))
    try:
        with store.writer(run_id) as writer:
            writer.write(fake.started(fake.spec(10**6)))
            for step in range(1, 10**6):
                writer.write(Step(step, step / 5, {f"metric {k}": step / 7 for k in range(50)}))
                if step % 20 == 0:
                    writer.write(Snapshot(step, step / 5, {"omega": np.zeros(5000)}))
                    writer.write(Checkpoint(step, {"weight": np.full(8 * step, 1.0)}, {}))
    except StoreError as error:
        print(error)
    store.close()
"""


def fill(home: Path, *limit: int) -> str:
    command = [sys.executable, "-c", textwrap.dedent(FILL), str(home), str(Path(__file__).parent), *map(str, limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def readable(store: Store) -> None:
    """Everything that was stored before the end."""
    (run,) = store.list()
    assert run.status in ("failed", "interrupted")
    curve = store.metrics(run.id).curves["metric 0"]
    assert curve.values.tolist() == [step / 7 for step in range(1, len(curve.steps) + 1)]
    for step in store.snapshots(run.id).steps:
        assert store.snapshot(run.id, step)["omega"].shape == (5000,)
    checkpoint = store.checkpoint(run.id)
    assert checkpoint is not None
    assert 20 <= checkpoint.step <= len(curve.steps)
    store.export(run.id, io.BytesIO())


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot limit the size of files")
def test_where_files_may_not_grow_training_ends_with_a_sentence_and_all_steps_stay(tmp_path: Path) -> None:
    message = fill(tmp_path / "home", 600_000)
    assert "Free some space there, or point KERNLAB_HOME at another folder." in message
    with Store(tmp_path / "home") as store:
        readable(store)
    assert check(tmp_path / "home", repair=True).whole  # a snapshot may have come before its row


def test_on_a_full_disk_training_ends_with_a_sentence_and_all_steps_stay(small_disk: Path) -> None:
    message = fill(small_disk / "home")
    assert "Free some space there" in message
    filler = small_disk / "filler"
    for size in (4096, 64):
        with suppress(OSError), open(filler, "ab") as file:
            while True:
                file.write(b"x" * size)
                file.flush()
    with Store(small_disk / "home") as store:  # not a byte is left
        readable(store)
        with pytest.raises(StoreError, match="Free some space"):
            [store.create(fake.spec()) for _ in range(1000)]  # the last page has room for a few
        filler.unlink(missing_ok=True)
        for file in store.root.rglob("snapshots/*"):
            file.unlink()
        assert trained(store) == store.list()[0].id  # the same store, once there is space again


def test_a_store_that_can_only_be_read_is_read(read_only: Path, tmp_path: Path) -> None:
    with Store(read_only) as store:
        looks_alive, run = store.list()
        assert (looks_alive.status, run.status) == ("interrupted", "finished")
        assert [each.id for each in store.list(status="interrupted")] == [looks_alive.id]
        assert len(store.metrics(run.id).curves["objective"].steps) == 12
        store.export(run.id, tmp_path / "run.zip")
        assert "can only be read" in store.notes[0]
        for change in (
            lambda: store.create(fake.spec()), lambda: store.star(run.id), lambda: store.delete(run.id),
            lambda: store.import_(tmp_path / "run.zip"), lambda: store.writer(looks_alive.id),
        ):  # fmt: skip
            with pytest.raises(StoreError, match="Make the folder writable, or point KERNLAB_HOME at another folder"):
                change()
        assert len(store.list()) == 2
    assert check(read_only).whole
    with pytest.raises(StoreError, match="Make the folder writable"):
        check(read_only, repair=True)


@pytest.mark.parametrize("killed", [False, True])
def test_a_database_is_read_without_writing_beside_it(tmp_path: Path, killed: bool) -> None:
    """Also the last changes of a process that was killed, which still lie in the log."""
    end = "os._exit(0)" if killed else "store.close()"
    code = f"import os, sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    code += f"from fake_training import trained, Store\nstore = Store({str(tmp_path)!r}); trained(store); {end}"
    subprocess.run([sys.executable, "-c", code], check=True)
    (tmp_path / "kernlab.db-shm").unlink(missing_ok=True)
    assert (tmp_path / "kernlab.db-wal").exists() == killed
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    tmp_path.chmod(0o555)
    try:
        scratch = tmp_path.parent / "scratch"
        scratch.mkdir(exist_ok=True)
        with database.readable(tmp_path / "kernlab.db", scratch).connect() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM metrics").scalar_one() > 20
    finally:
        tmp_path.chmod(0o755)
    if os.geteuid():  # root may write beside it
        assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


# -- the clock


def test_a_clock_that_is_set_back_changes_no_order_and_no_duration(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    first = store.create(fake.spec())
    with store.writer(first) as writer:
        writer.write(fake.started(fake.spec()))
        writer.write(Step(1, 0.2, {"loss": 1.0}))
        now, nanos = time.time(), time.time_ns()
        monkeypatch.setattr(time, "time", lambda: now - 3600)
        monkeypatch.setattr(time, "time_ns", lambda: nanos - 3600 * 10**9)
        writer.write(Step(2, 0.4, {"loss": 1.0}))
    second, third = trained(store), trained(store)
    assert [run.id for run in store.list()] == [third, second, first]
    assert [run.id for run in store.list(limit=1)] == [third]
    assert all(0 <= run.seconds < 60 for run in store.list())
    assert check(store.root).whole


# -- network shares


def on_a_share(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(database, "_mounts", lambda: iter([(Path("/"), "ext4"), (folder, "nfs4")]))


@pytest.mark.skipif(os.name == "nt", reason="Windows is asked in another way")
def test_on_a_network_share_there_is_no_write_ahead_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path / "share") as store:  # begun on the server itself, with a log
        first = trained(store)
        assert store.notes == []
    assert sql(tmp_path / "share", "PRAGMA journal_mode") == [("wal",)]
    on_a_share(monkeypatch, tmp_path / "share")
    with Store(tmp_path / "share") as store, Store(tmp_path / "share") as other:
        assert "network share (nfs4)" in store.notes[0]
        second = trained(store)
        assert [run.id for run in other.list()] == [second, first]
        assert other.get(second).status == "finished"
        assert not (tmp_path / "share" / "kernlab.db-wal").exists()
    assert sql(tmp_path / "share", "PRAGMA journal_mode") == [("delete",)]


def test_a_mount_table_is_read(tmp_path: Path) -> None:
    assert database.share(tmp_path) == ""
    if sys.platform == "linux":
        assert ("/proc", "proc") in [(str(place), kind) for place, kind in database._mounts()]


# -- versions


def version_1(home: Path) -> None:
    """The store that the first published version left, with one run."""
    home.mkdir()
    with closing(sqlite3.connect(home / "kernlab.db")) as connection:
        connection.executescript((Path(__file__).parent / "version_1" / "kernlab.sql").read_text())
    ((run_id,), *_) = sql(home, "PRAGMA user_version = 1", "SELECT id FROM runs")
    with zipfile.ZipFile(Path(__file__).parent / "version_1" / "run.zip") as pack:
        for name in pack.namelist():
            if name not in ("run.json", "metrics.safetensors"):
                pack.extract(name, home / "runs" / run_id)


def test_the_store_and_the_archive_of_the_version_before_are_read(tmp_path: Path) -> None:
    version_1(tmp_path / "home")
    with Store(tmp_path / "home") as store:
        (run,) = store.list()
        assert (run.name, run.method, run.status, run.damage) == ("The first", "ASKL", "finished", ())
        again = store.get(store.import_(Path(__file__).parent / "version_1" / "run.zip"))
        for each in (run, again):
            assert store.metrics(each.id).curves["test_metric"].values[-1] == pytest.approx(run.summary["test_metric"])
            assert store.snapshots(each.id).steps.tolist() == [0, 1]
            assert store.snapshot(each.id, 1).keys() >= {"omega", "view_scores"}
            assert store.model(each.id)[1]["task"] == "regression"
            assert store.checkpoint(each.id) is not None
    assert check(tmp_path / "home").troubles == []


def test_an_older_store_is_brought_up_to_date_and_keeps_its_runs(tmp_path: Path) -> None:
    version_1(tmp_path / "home")
    drops = (f"ALTER TABLE runs DROP COLUMN {column}" for column in ("starred", "rewound", "versions"))
    sql(tmp_path / "home", *drops, "PRAGMA user_version = 0")
    with Store(tmp_path / "home") as store:
        (run,) = store.list()
        assert (run.status, run.starred, run.versions) == ("finished", False, {})
        assert len(store.metrics(run.id).curves) > 3
        assert trained(store) in [each.id for each in store.list()]


def test_a_newer_kernlab_that_takes_the_store_over_is_noticed_at_once(store: Store) -> None:
    run_id = store.create(fake.spec())
    with store.writer(run_id) as writer:
        writer.write(fake.started(fake.spec()))
        sql(store.root, "PRAGMA user_version = 99")
        with pytest.raises(StoreError, match=r"version 99, of a newer kernlab\. Update kernlab"):
            writer.flush()
        for ask in (store.list, lambda: Store(store.root)):
            with pytest.raises(StoreError, match="Update kernlab"):
                ask()
        sql(store.root, "PRAGMA user_version = 1")

"""Notes at moments of a run: kept, changed, removed, exported, and refused or mended where they are damaged."""

from __future__ import annotations

import json
import threading
import zipfile

import fake_training as fake
import pytest

from kernlab.errors import KernlabError, StoreError, UnknownNameError
from kernlab.runs.check import check
from kernlab.runs.notes import LONGEST
from kernlab.runs.store import Store


def texts(store: Store, run_id: str) -> list[tuple[int, float, str]]:
    return [(note.step, note.epoch, note.text) for note in store.pinned(run_id)]


def test_notes_are_kept_in_the_order_of_their_moments_changed_and_removed(store):
    run_id = fake.trained(store)
    assert store.pinned(run_id) == ()
    store.pin(run_id, 10, 2.0, "  here the rank\n falls <b>&</b> ")
    store.pin(run_id, 5, 1.0, "first")
    assert texts(store, run_id) == [(5, 1.0, "first"), (10, 2.0, "here the rank falls <b>&</b>")]
    store.pin(run_id, 5, 1.0, "second")
    store.pin(run_id, 10, 2.0, " ")
    assert texts(store, run_id) == [(5, 1.0, "second")]
    store.purge(run_id)
    assert store.pinned(run_id) == ()


def test_notes_travel_with_the_run_and_an_archive_without_them_still_opens(store, tmp_path):
    run_id = fake.trained(store)
    store.export(run_id, tmp_path / "without.zip")
    store.pin(run_id, 5, 1.0, "ω “moves” ✓")
    store.export(run_id, tmp_path / "with.zip")
    with Store(tmp_path / "other") as other:
        assert texts(other, other.import_(tmp_path / "with.zip")) == [(5, 1.0, "ω “moves” ✓")]
        assert other.pinned(other.import_(tmp_path / "without.zip")) == ()


@pytest.mark.parametrize("content", ["{", "{}", '[{"step": 1}]', '[{"step": -1, "epoch": 0, "text": "a"}]',
                                     json.dumps([{"step": 1, "epoch": 0.5, "text": "a" * 999}])])  # fmt: skip
def test_a_damaged_file_is_named_refused_and_set_aside(store, tmp_path, content):
    run_id = fake.trained(store)
    store.pin(run_id, 5, 1.0, "a")
    file = store.folder(run_id).notes
    store.export(run_id, tmp_path / "run.zip")
    with zipfile.ZipFile(tmp_path / "run.zip") as old, zipfile.ZipFile(tmp_path / "bad.zip", "w") as new:
        for name in old.namelist():
            new.writestr(name, content if name == "notes.json" else old.read(name))
    with pytest.raises(StoreError, match=r"must be a run as kernlab exports it.*notes\.json"):
        store.import_(tmp_path / "bad.zip")
    file.write_text(content)
    with pytest.raises(StoreError, match="the notes of a run must be"):
        store.pinned(run_id)
    assert [trouble.what for trouble in check(store.root).troubles] == ["notes.json"]
    assert check(store.root, repair=True).whole
    assert store.pinned(run_id) == ()


def test_what_is_too_long_or_of_no_run_is_refused(store):
    run_id = fake.trained(store)
    with pytest.raises(KernlabError, match=f"a note must have at most {LONGEST} characters"):
        store.pin(run_id, 5, 1.0, "a" * (LONGEST + 1))
    with pytest.raises(UnknownNameError):
        store.pin("000000000abc", 5, 1.0, "a")
    for step in range(200):
        store.pin(run_id, step, step / 5, "a")
    with pytest.raises(KernlabError, match="at most 200 notes"):
        store.pin(run_id, 200, 40.0, "a")


def test_two_who_pin_at_once_lose_nothing(store):
    run_id = fake.trained(store)
    threads = [threading.Thread(target=store.pin, args=(run_id, step, step / 5, f"note {step}")) for step in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [step for step, _, _ in texts(store, run_id)] == list(range(16))

"""Records on disk: whole or not at all, found again, claimed by one at a time."""

from __future__ import annotations

import errno
import logging
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_comparison import done, numbers, small

from kernlab import files as module
from kernlab.compare import Comparison, Record, Tuning
from kernlab.compare.records import RecordStore
from kernlab.compare.run import compare
from kernlab.data import DataSpec
from kernlab.errors import StoreError, UnknownNameError


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@given(
    st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20), st.lists(st.floats(-1e9, 1e9), max_size=4)
)
def test_a_record_comes_back_as_it_was(tmp_path_factory, value, message, curve):
    store = RecordStore(tmp_path_factory.getbasetemp() / "records")
    record = Record("a" * 32, {"method": "SK"}, "done", message, test=value, curve={"test_metric": curve})
    store.put(record)
    assert store.get(record.key) == record


def test_a_damaged_record_is_computed_again_with_a_warning(store, caplog):
    before = done(small(), store)
    path = store.root / "cells" / f"{before[1].key}.json"
    for damage in ("", '{"key": "x"}', '{"key": 3', "[]", path.read_text()[:-20], '{"nothing": 1}'):
        path.write_text(damage)
        with caplog.at_level(logging.WARNING):
            caplog.clear()
            after = done(small(), store)
        assert numbers(after) == numbers(before)
        assert path.name in caplog.text
    with caplog.at_level(logging.WARNING):
        caplog.clear()
        done(small(), store)
    assert caplog.text == ""


def test_no_space_is_reported_and_nothing_is_lost(store, monkeypatch):
    events = compare(small(), backend="here", store=store)
    kept = [next(events), next(events), next(events)][1:]
    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(StoreError, match=r"free space.*Free some space there.*what is finished is kept"):
        list(events)
    assert all(store.get(event.record.key) == event.record for event in kept)
    assert not list(store.root.rglob("*.part"))
    monkeypatch.undo()
    assert len(done(small(), store)) == 6


def test_the_old_record_stays_where_the_new_one_does_not_fit(store, monkeypatch):
    old = Record("k", {}, "failed", "once")
    store.put(old)
    monkeypatch.setattr(module.os, "replace", full)
    with pytest.raises(StoreError, match="free space"):
        store.put(Record("k", {}, "done"))
    assert store.get("k") == old
    assert [path.name for path in (store.root / "cells").iterdir()] == ["k.json"]


def test_a_folder_that_cannot_be_used_is_reported(tmp_path):
    (tmp_path / "comparisons").write_text("a file")
    with pytest.raises(StoreError, match="KERNLAB_HOME"):
        RecordStore(tmp_path)


def test_a_cell_is_claimed_by_one_at_a_time(store):
    first = store.claim("k")
    assert first is not None
    assert store.claim("k") is None
    assert RecordStore(store.root.parent).claim("k") is None
    other = store.claim("j")
    first.release()
    again = store.claim("k")
    assert again is not None
    for claim in (other, again):
        claim.release()
    assert os.listdir(store.root / "cells") == []


def test_comparisons_are_listed_and_named(store):
    first = store.keep(small())
    assert store.keep(small()) == first
    assert first.name == "SK, ASKL on iris"
    renamed = store.keep(small(), "mine", ("k",))
    assert (renamed.id, renamed.name, renamed.created) == (first.id, "mine", first.created)
    assert store.keep(small()) == renamed
    second = store.keep(small(repeats=5, tuning=Tuning(trials=3)))
    assert store.comparisons() == [second, renamed]
    assert store.comparison(second.id).comparison.tuning == Tuning(trials=3)
    store.delete(second.id)
    assert store.comparisons() == [renamed]
    with pytest.raises(UnknownNameError):
        store.comparison(second.id)
    (store.root / "broken.json").write_text("{")
    assert store.comparisons() == [renamed]


def test_a_comparison_comes_back_as_it_was():
    data = (DataSpec.build(dataset="iris", test_size=0.3), DataSpec.build(dataset="moons", source={"n_samples": 50}))
    asked = Comparison(("SK", "ASKL"), data, 4, {"epochs": 2}, {"SK": {"n_features": 9}}, Tuning(folds=3), 7)
    assert Comparison.from_dict(asked.to_dict()) == asked

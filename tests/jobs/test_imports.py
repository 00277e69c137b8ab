"""Imports in the background: their progress, their end by a person, by a mistake and by success."""

import threading

import pytest
from waiting import PATIENCE

from kernlab.data import load, tables
from kernlab.data.recipe import Recipe
from kernlab.errors import DataError, StoreError, UnknownNameError
from kernlab.jobs import manager
from kernlab.ui.news import import_news

TABLE = b"a,b,y\n" + b"".join(b"%d,%d,%s\n" % (k, k % 7, b"yes" if k % 2 else b"no") for k in range(400))
RECIPE = Recipe(("y",), "classification", {"a": "number", "b": "number", "y": "category"})


@pytest.fixture
def imports(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    yield manager().imports
    manager().shutdown()


def prepared(progress, cancelled):
    return tables.prepare(TABLE, RECIPE, "mine", file_name="mine.csv", progress=progress, cancelled=cancelled)


def test_an_import_ends_with_a_data_set_that_can_be_loaded(imports):
    id = imports.start("mine", prepared)
    state = imports.wait(id, PATIENCE)
    assert (state.status, state.done, state.stored.name) == ("finished", 1.0, "mine")
    assert load("mine").n == 400
    facts = import_news(imports, id).facts
    assert (facts["phase"], facts["live"], facts["done"]) == (["finished"], False, 1.0)


def test_a_job_under_way_says_how_far_it_is_and_is_cancelled(imports):
    going, go_on = threading.Event(), threading.Event()

    def slow(progress, cancelled):
        progress(tables.Progress(0.25, "measuring", 1200, 7.0))
        going.set()
        go_on.wait(PATIENCE)
        return None if cancelled() else prepared(progress, cancelled)

    id = imports.start("mine", slow)
    assert going.wait(PATIENCE)
    (state,) = manager().states()
    assert (state.kind, state.name, state.done, state.remaining) == ("import", "mine", 0.25, 7.0)
    words = import_news(imports, id).facts["words"]
    assert "reading: 1\u202f200 rows · 25 % · about 7.0 s left" in words.replace("\u2009", "\u202f").replace(
        "\xa0", "\u202f"
    )
    with pytest.raises(StoreError, match="cannot be paused"):
        imports.pause(id)
    manager().steer(id, "cancel")
    go_on.set()
    assert imports.wait(id, PATIENCE).status == "stopped"
    assert tables.names() == []


def test_a_mistake_is_a_sentence_and_an_unknown_import_too(imports):
    def wrong(progress, cancelled):
        raise DataError("every cell must be readable", "row 3", "correct it")

    state = imports.wait(imports.start("mine", wrong), PATIENCE)
    assert state.status == "failed"
    assert "row 3" in state.error
    assert "row 3" in import_news(imports, state.id).facts["error"]
    with pytest.raises(UnknownNameError, match="Import the table again"):
        imports.snapshot("import-0")

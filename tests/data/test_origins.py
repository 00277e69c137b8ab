"""The registry's sets and OpenML's, from a server on this machine that answers as the real ones do."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace

import numpy as np
import pytest
from faulty_server import Served, faulty_server

from kernlab.data import SOURCES, catalogue, known, load, openml, origins
from kernlab.data import download as module
from kernlab.data.download import git_blob
from kernlab.data.registered import About, registered
from kernlab.errors import DataError, UnknownNameError

FOLDERS = os.environ.get("KERNLAB_DATA", "")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    monkeypatch.setattr(module, "WAIT", 0.01)
    return tmp_path / "home"


def blob(body: bytes) -> str:
    digest = git_blob(len(body))
    digest.update(body)
    return digest.hexdigest()


RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3)).round(3).astype(np.float32)
CODES = RANDOM.integers(0, 3, 60)
ABOUT = About("classification", 60, 3, "A table.", "A place", "Someone.", "free", classes=3, labels=("A", "B", "C"),
              train_rows=40, columns=("a", "b", "c"), content=origins.content(X, CODES))  # fmt: skip


def lines(rows, first=False, separator=","):
    cells = [[*map(str, x.tolist())] for x in X[rows]]
    labels = ["ABC"[k] for k in CODES[rows]]
    return "\n".join(separator.join([y, *x] if first else [*x, y]) for x, y in zip(cells, labels, strict=True)).encode()


@pytest.fixture
def served(monkeypatch):
    """A registry with one set, whose files a test gives."""

    def put(server, *files, **changes):
        listed = []
        for place, (body, more) in enumerate(files):
            server.pages[f"/{place}.data"] = Served(body)
            listed.append({"url": server.at(f"{place}.data"), "git": blob(body), **more})
        about = replace(ABOUT, files=tuple(listed), **changes)
        for each in (origins, catalogue):
            monkeypatch.setattr(each, "registered", lambda: {**registered(), "mine": about})

    return put


@pytest.mark.parametrize("case", ["one file", "target first", "two files", "beside", "blanks"])
def test_a_set_is_put_together_as_the_registry_knows_it(served, case):
    whole, head, tail = slice(None), slice(0, 40), slice(40, 60)
    inputs = "\n".join(",".join(map(str, x.tolist())) for x in X[tail]).encode()
    labels = "\n".join("ABC"[k] for k in CODES[tail]).encode()
    files = {
        "one file": [(lines(whole), {})],
        "target first": [(lines(whole, first=True), {})],
        "two files": [(lines(head), {}), (lines(tail), {})],
        "beside": [(lines(head), {}), (inputs, {}), (labels, {"beside": True})],
        "blanks": [(lines(whole, separator="  "), {})],
    }[case]
    with faulty_server() as server:
        served(server, *files)
        stored = origins.get("mine")
    data = load("mine")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, CODES)
    assert (data.feature_names, data.target_names, data.source_train_rows) == (("a", "b", "c"), ("A", "B", "C"), 40)
    assert (stored.rows, data.description) == (60, "A table.")
    assert [each.name for each in known() if each.name == "mine"] == ["mine"]


def test_another_table_than_the_registry_knows_is_refused(served, home):
    other = lines(slice(None)).replace(b"A", b"Z", 1)
    with faulty_server() as server:
        served(server, (other, {}))
        with pytest.raises(DataError, match="must be the registry's"):
            origins.get("mine")
        server.pages["/0.data"].body += b"\n"
        (home / "downloads" / "mine" / "0.data").unlink()
        with pytest.raises(DataError, match="checksum"):
            origins.get("mine")
    assert not (home / "data").exists()


def test_words_are_coded_as_the_registry_says(served):
    sexes = RANDOM.integers(1, 4, 60)
    table = np.column_stack([sexes, X[:, 1:]]).astype(np.float32)
    body = "\n".join(f"{' MFI'[s]},{x[1]},{x[2]},{'ABC'[k]}" for s, x, k in zip(sexes, X, CODES, strict=True)).encode()
    with faulty_server() as server:
        served(server, (body, {}), words={"0": ["M", "F", "I"]}, content=origins.content(table, CODES))
        origins.get("mine")
    np.testing.assert_array_equal(load("mine").X, table)


def test_the_registry_knows_origin_and_checksum_of_every_set_that_is_not_bundled():
    sets = {name: about for name, about in registered().items() if name not in SOURCES}
    assert len(sets) == 21
    assert set(origins.available()) == set(sets)
    for about in sets.values():
        assert len(about.content) == 64
        assert about.files or about.openml
        assert all(len(each["git"]) == 40 and each["url"].startswith("https:") for each in about.files)


@pytest.mark.parametrize("name", ["segment", "space_ga", "mg", "balloon", "abalone"])
def test_the_contents_in_the_registry_are_those_of_the_prepared_files(name, monkeypatch):
    monkeypatch.setenv("KERNLAB_DATA", FOLDERS)
    if not [each for each in known() if each.name == name]:
        pytest.skip("the prepared table is not here")
    data = load(name)
    assert origins.content(data.X, data.y) == registered()[name].content


# -- OpenML -------------------------------------------------------------------------------------------------------

ARFF = b"""% from a catalogue
@RELATION houses
@ATTRIBUTE id INTEGER
@ATTRIBUTE area REAL
@ATTRIBUTE town {Ely,'St Ives'}
@ATTRIBUTE price REAL
@ATTRIBUTE remark STRING
@DATA
""" + b"\n".join(b"%d,%d.5,%s,%d,'r %d'" % (k, 40 + k, (b"Ely", b"'St Ives'")[k % 2], 3 * k, k) for k in range(80))


def described(server, **changes):
    return {
        "id": "61", "name": "houses", "version": "2", "format": "ARFF", "licence": "Public", "status": "active",
        "description": "Houses\nand their prices.", "url": server.at("data/v1/download/61/houses.arff"),
        "default_target_attribute": "price", "row_id_attribute": "id", "ignore_attribute": ["remark"],
        "md5_checksum": hashlib.md5(ARFF, usedforsecurity=False).hexdigest(), **changes,
    }  # fmt: skip


@pytest.fixture
def listing(monkeypatch):
    with faulty_server() as server:
        monkeypatch.setenv(openml.VARIABLE, server.at(""))

        def answer(path, document, status=200):
            server.pages[f"/api/v1/json/data/{path}"] = Served(json.dumps(document).encode(), statuses=[status] * 9)

        server.answer = answer
        answer("61", {"data_set_description": described(server)})
        listed = [{"did": 70, "name": "houses", "version": 3}, {"did": 61, "name": "houses", "version": 2}]
        answer("list/data_name/houses/limit/20/status/active/", {"data": {"dataset": listed}})
        for path in ("9", "list/data_name/palaces/limit/20/status/active/"):
            answer(path, {"error": {"code": "372", "message": "No results"}}, 412)
        server.pages["/data/v1/download/61/houses.arff"] = Served(ARFF)
        yield server


@pytest.mark.parametrize("name", ["openml:61", "openml:houses"])
def test_a_table_of_openml_by_name_or_number(listing, name):
    stored = origins.get(name)
    data = load("houses")
    assert (stored.rows, data.task, data.feature_names) == (80, "regression", ("area", "town=Ely", "town=St Ives"))
    np.testing.assert_array_equal(data.X[:, 0], np.arange(80) + 40.5)
    np.testing.assert_array_equal(data.y[:, 0], 3 * np.arange(80))
    assert "OpenML 61, houses version 2. Licence: Public." in data.origin


@pytest.mark.parametrize("name", ["openml:9", "openml:palaces", "openml:", "nothing"])
def test_a_table_that_openml_has_not(listing, name):
    with pytest.raises(UnknownNameError):
        origins.get(name)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"md5_checksum": "0" * 32}, "checksum"), ({"url": None}, "begin with http"), ({"id": "x"}, "description")],
)
def test_what_openml_gives_is_verified(listing, home, changes, message):
    listing.answer("61", {"data_set_description": described(listing, **changes)})
    with pytest.raises(DataError, match=message):
        origins.get("openml:61")
    assert not (home / "data").exists()


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"data_set_description": 3}'])
def test_answers_that_are_none(listing, body):
    listing.pages["/api/v1/json/data/61"] = Served(body)
    with pytest.raises(DataError, match="OpenML must answer"):
        openml.find(61)

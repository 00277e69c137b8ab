"""Every format gives the same table, and what cannot be read is one sentence that names the place."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from openpyxl.worksheet._reader import WorkSheetParser
from sklearn.datasets import dump_svmlight_file

from kernlab.data import load
from kernlab.data.readers import Reading, Upload, delimited, excel, opened
from kernlab.data.tables import look, prepare
from kernlab.errors import DataError, KernlabError, OptionError, UnknownNameError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)


def mixed() -> pd.DataFrame:
    random = np.random.default_rng(1)
    n = 60
    frame = pd.DataFrame(
        {
            "width": random.normal(size=n).round(4),
            "maker": random.choice(["Köln & Co", "it's", "a, b"], n),
            "when": pd.Timestamp("2023-05-01") + pd.to_timedelta(random.integers(0, 99, n), unit="D"),
            "new": random.choice([True, False], n),
            "grade": random.choice(["good", "bad"], n),
        }
    )
    frame.loc[3, "width"] = np.nan
    frame.loc[5, "maker"] = None
    return frame


def buffered(write) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def arff(frame: pd.DataFrame) -> bytes:
    def word(cell: object) -> str:
        if cell is None or cell != cell:
            return "?"
        text = cell.strftime("%Y-%m-%d") if hasattr(cell, "strftime") else str(cell)
        return "'" + text.replace("'", r"\'") + "'" if isinstance(cell, str) else text

    kinds = {"width": "NUMERIC", "when": "DATE 'yyyy-MM-dd'", "new": "{True,False}", "grade": "{good,bad}"}
    lines = ["% a table", "@RELATION 'mixed table'", ""]
    lines += [f"@ATTRIBUTE '{name}' {kinds.get(name, 'STRING')}" for name in frame]
    lines += ["", "@DATA", *(", ".join(map(word, row)) for row in frame.itertuples(index=False))]
    return "\n".join(lines).encode()


def text(
    separator: str = ",", encoding: str = "utf-8", decimal: str = ".", end: str = "\n", mark: bytes = b""
) -> bytes:
    frame = mixed()
    frame["new"] = frame["new"].map({True: "yes", False: "no"})
    frame["when"] = frame["when"].dt.strftime("%d.%m.%Y")
    return mark + frame.to_csv(sep=separator, index=False, decimal=decimal, lineterminator=end).encode(encoding)


FILES = {
    "commas.csv": lambda: text(),
    "tabs.tsv": lambda: text("\t"),
    "german.csv": lambda: text(";", "cp1252", ","),
    "pipes.txt": lambda: text("|", end="\r\n"),
    "marked.csv": lambda: text(mark=b"\xef\xbb\xbf"),
    "wide.csv": lambda: text(";", "utf-16"),
    "big-endian.csv": lambda: text("\t", "utf-16-be"),
    "table.parquet": lambda: buffered(mixed().to_parquet),
    "table.arff": lambda: arff(mixed()),
    "table.xlsx": lambda: buffered(lambda file: mixed().to_excel(file, index=False)),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_data(name):
    frame, seen = mixed(), look(FILES[name](), name)
    assert [each.name for each in seen.columns] == list(frame)
    kinds = {"new": "boolean", "maker": "category", "when": "date"}
    seen_recipe = replace(seen.with_kinds(kinds), targets=("grade",), missing="indicator")
    assert (seen.rows, seen.exact, seen.recipe.targets, seen.recipe.task) == (60, True, ("grade",), "classification")
    prepare(FILES[name](), seen_recipe, "mine", file_name=name)
    data = load("mine")
    makers = ["Köln & Co", "a, b", "it's"]
    assert data.feature_names == (
        "width", "when", "new", "width missing", *(f"maker={each}" for each in makers), "maker=(missing)"
    )  # fmt: skip
    np.testing.assert_allclose(data.X[:, 0], frame.width.fillna(frame.width.mean()), rtol=1e-6)
    np.testing.assert_array_equal(data.X[:, 1], (frame.when - pd.Timestamp("1970-01-01")).dt.days)
    np.testing.assert_array_equal(data.X[:, 2], frame.new)
    np.testing.assert_array_equal(data.X[:, 3], frame.width.isna())
    np.testing.assert_array_equal(data.X[:, 4:7], np.stack([frame.maker == each for each in makers], 1))
    np.testing.assert_array_equal(data.X[:, 7], frame.maker.isna())
    assert [data.target_names[code] for code in data.y] == list(frame.grade)


@pytest.mark.parametrize("format", ["svmlight", "npz", "npz in Fortran order", "csv without header", "blanks"])
def test_formats_of_numbers(format):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(50, 7)), random.integers(1, 4, 50)
    X[random.random(X.shape) < 0.5] = 0
    X[:, 6] += 1
    order = np.asfortranarray if "Fortran" in format else np.ascontiguousarray
    name, content = {
        "svmlight": ("t.svm", lambda: buffered(lambda file: dump_svmlight_file(X, y, file, comment="a b"))),
        "npz": ("t.npz", lambda: buffered(lambda file: np.savez(file, X=order(X), y=y))),
        "csv without header": ("t.csv", lambda: pd.DataFrame(X).assign(y=y).to_csv(header=False, index=False).encode()),
        "blanks": ("t.dat", lambda: "\n".join("  ".join(map(repr, [*map(float, r), int(c)]))
                                              for r, c in zip(X, y, strict=True)).encode()),
    }[format.removesuffix(" in Fortran order")]  # fmt: skip
    seen = look(content(), name)
    assert (seen.recipe.task, len(seen.columns), seen.rows) == ("classification", 8, 50)
    prepare(content(), seen.recipe, "mine", file_name=name)
    data = load("mine")
    np.testing.assert_array_equal(data.X, X.astype(np.float32))
    assert [int(data.target_names[code]) for code in data.y] == list(y)


def test_sparse_arff_rows_have_zeros_and_first_levels():
    content = b"@relation s\n@attribute a numeric\n@attribute b {u,v}\n@attribute class {x,y}\n@data\n" + (
        b"{0 1.5, 2 y}\n{1 v}\n{ }\n" * 5
    )
    prepare(content, look(content, "s.arff").recipe, "mine", file_name="s.arff")
    data = load("mine")
    np.testing.assert_array_equal(data.X[:3], [[1.5, 1, 0], [0, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(data.y[:3], [1, 0, 0])


def test_sparse_rows_have_as_many_features_as_are_asked_for():
    content = b"1 1:2 3:4\n2 2:5\n" * 10
    assert len(look(content, "t.svm").columns) == 4
    seen = look(content, "t.svm", Reading(features=6))
    prepare(content, seen.recipe, "wide", file_name="t.svm")
    np.testing.assert_array_equal(load("wide").X[:2], [[2, 0, 4, 0, 0, 0], [0, 5, 0, 0, 0, 0]])
    with pytest.raises(DataError, match="Given: 2, and an index of 3"):
        look(content, "t.svm", Reading(features=2))


def test_what_was_understood_can_be_changed():
    content = b"1;2;x\n3;4;y\n5;6;x\n"
    seen = look(content, "t.csv", Reading(header=True, delimiter=";"))
    assert [each.name for each in seen.columns] == ["1", "2", "x"]
    assert [each.name for each in look(content, "t.csv").columns] == ["x1", "x2", "x3"]
    assert len(look(content, "t.csv", Reading(delimiter=",")).columns) == 1
    for wrong in ({"delimiter": "ab"}, {"decimal": "x"}, {"delimiter": '"', "quote": '"'}, {"encoding": "rot13"},
                  {"encoding": "no such"}):  # fmt: skip
        with pytest.raises(OptionError):
            look(content, "t.csv", Reading(**wrong))
    with pytest.raises(UnknownNameError, match="file format"):
        look(content, "t.csv", Reading(format="sas"))


def test_rarer_ways_to_write_numbers():
    content = b"price;count\n1.234,50;+1\n2.000.000,00; 2 \n?;3\n-0,5;1e3\n"
    seen = look(content, "t.csv")
    assert [each.kind for each in seen.columns] == ["number", "number"]
    np.testing.assert_array_equal(seen.values("price"), [1234.5, 2e6, np.nan, -0.5])
    np.testing.assert_array_equal(seen.values("count"), [1, 2, 3, 1000])


REFUSED = {
    "a row too long": ("t.csv", b"a,b\n1,2\n" * 1 + b"3,4,5\n", r"must have 2 cells\. Given: row 2: 3 cells"),
    "a zero byte": ("t.csv", b"a,b\n1,2\n3,\x004\n", "line 3: a zero byte"),
    "nothing": ("t.csv", b"", "empty file"),
    "blank lines": ("t.csv", b"\n \n\n", "must contain rows"),
    "no rows": ("t.arff", b"@relation r\n@attribute a real\n@data\n", "must contain rows"),
    "no @data": ("t.arff", b"@relation r\n@attribute a real\n", "a line @data"),
    "an attribute without type": ("t.arff", b"@attribute a\n@data\n1\n", "line 1: '@attribute a'"),
    "too few cells": ("t.arff", b"@attribute a real\n@attribute 'b' real\n@data\n1,2\n3 \n", "row 2: 1 in '3'"),
    "a place too high": ("t.arff", b"@attribute a real\n@data\n{3 1}\n", "row 1: '3 1'"),
    "falling indices": ("t.svm", b"1 1:1 2:1\n1 2:1 1:3\n", "row 2: '1 2:1 1:3'"),
    "no pair": ("t.svm", b"1 1:1\n1 x:3\n", "row 2: 'x:3'"),
    "an index too high": ("t.svm", b"1 999999:3\n", "an index of 999999"),
    "pickled objects": ("t.npz", buffered(lambda f: np.savez(f, X=np.array([1, "a"], object))), "never read"),
    "no archive": ("t.npz", b"PK\x03\x04 and no more", "whole NPZ archive"),
    "unequal rows": ("t.npz", buffered(lambda f: np.savez(f, X=np.eye(3), y=np.arange(2))), "equally many rows"),
    "no workbook": ("t.xlsx", b"PK\x03\x04 and no more", "must be an Excel workbook"),
    "half a Parquet file": ("t.parquet", buffered(pd.DataFrame({"a": [1.0]}).to_parquet)[:-9], "readable Parquet file"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_one_sentence(case):
    name, content, message = REFUSED[case]
    with pytest.raises(DataError, match=message):
        look(content, name)


@pytest.mark.parametrize(("row", "cells"), [(b"1", "1 cell"), (b"1,\xb6,3", "3 cells")], ids=["plain", "not UTF-8"])
def test_a_ragged_row_far_down_is_numbered(tmp_path, monkeypatch, row, cells):
    threads = pa.cpu_count()
    pa.set_cpu_count(4)  # with several PyArrow does not number rows
    monkeypatch.setattr(delimited, "_BLOCK", 2**18)
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n3,1\n" * 150_000 + row + b"\n")
    try:
        with pytest.raises(DataError, match=rf"row 300,001: {cells} in '1"):
            prepare(path, look(path, reading=Reading(encoding="utf-8")).recipe, "t")
    finally:
        pa.set_cpu_count(threads)


def test_bytes_of_another_encoding_far_down_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n2,y\n" * 800_000 + b"1,\xfcber\n" + b"1,x\n2,y\n" * 800_000)
    seen = look(path)
    with pytest.raises(KernlabError, match=r"column 'b': bytes that are not UTF-8.*Choose its encoding"):
        prepare(path, replace(seen.recipe, reading=replace(seen.reading, encoding="utf-8")), "t")


def test_a_workbook_needs_its_package(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(DataError, match=r"kernlab\[excel\]"):
        look(FILES["table.xlsx"](), "table.xlsx")


def test_a_workbook_that_does_not_state_its_size_is_read_once_and_says_how_far_it_is(monkeypatch):
    """openpyxl reads a sheet without its size to the end, only to look for it, whenever the workbook is opened."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (["a", "target"], *([i, i % 2] for i in range(20_000))):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    monkeypatch.setattr(WorkSheetParser, "parse_dimensions", lambda self: pytest.fail("read for its size"))
    monkeypatch.setattr(excel, "_ROWS", 1000)
    reader = opened(Upload.of(buffer.getvalue(), "t.xlsx"), Reading())
    parts = [(batch.num_rows, share) for batch, share in reader.batches()]
    assert [rows for rows, _ in parts] == [1000] * 20
    shares = [share for _, share in parts]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.2
    assert 0.4 < shares[9] < 0.6
    assert shares[-1] > 0.9

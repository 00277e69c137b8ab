"""Files made to do harm, and files as people really have them: each is read or refused in one sentence, and soon."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import time
import zipfile
from contextlib import suppress

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from serving import ROOT
from waiting import PATIENCE

from kernlab.data import known, load
from kernlab.data.tables import look, names, prepare
from kernlab.errors import DataError, KernlabError


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    return tmp_path / "home"


class Payload:
    """Unpickled, it would write a file."""

    def __reduce__(self):
        return (os.system, ("touch unpickled",))


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return buffer.getvalue()


def npy(shape, fortran=False, descr="<f8", body=b"") -> bytes:
    text = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode()
    text += b" " * (63 - (len(text) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


def workbook(rows) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def inflated_workbook() -> bytes:
    """A workbook with a part of 300 MB that is packed to a few hundred kilobytes."""
    buffer = io.BytesIO(workbook([["a", "b"], [1, 2]]))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/worksheets/x.xml", "w") as out:
        for _ in range(300):
            out.write(bytes(2**20))
    return buffer.getvalue()


def entities() -> bytes:
    """A workbook whose words are entities of entities."""
    whole = io.BytesIO(workbook([["a", "b"], [1, 2]]))
    laughs = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 12))
    strings = f'<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY l0 "lol">{laughs}]><sst><si><t>&l11;</t></si></sst>'
    parts = {}
    with zipfile.ZipFile(whole) as archive:
        for name in archive.namelist():
            parts[name] = archive.read(name)
    parts["xl/workbook.xml"] = strings.encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def deep_json() -> bytes:
    table = pa.table({"a": [1.0, 2.0], "target": [0, 1]}).replace_schema_metadata({"pandas": "[" * 100_000})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


REFUSED = {
    "a pickle": ("t.npz", lambda: pickle.dumps(Payload())),
    "a pickle called CSV": ("t.csv", lambda: pickle.dumps(Payload())),
    "a pickled array": ("t.npz", lambda: zipped(X_dot_npy=npy((1,), descr="|O", body=pickle.dumps(Payload())))),
    "a bomb of zeros": ("t.npz", lambda: zipped(X_dot_npy=npy((2**40, 2)))),
    "a shape that is not there": ("t.npz", lambda: zipped(X_dot_npy=npy((10**6, 10)))),
    "a shape that overflows": ("t.npz", lambda: zipped(X_dot_npy=npy((2**62, 2**62)))),
    "a negative shape": ("t.npz", lambda: zipped(X_dot_npy=npy((-1, 5)))),
    "a header without an end": ("t.npz", lambda: zipped(X_dot_npy=npy((2,)).replace(b"}", b"{"))),
    "characters that are none": ("t.npz", lambda: zipped(y_dot_npy=npy((2,), descr="<U1", body=b"\xff" * 8))),
    "an array of structures": ("t.npz", lambda: zipped(X_dot_npy=npy((3,), descr=[("a", "<f8"), ("b", "|O")]))),
    "an inflated workbook": ("t.xlsx", inflated_workbook),
    "entities of entities": ("t.xlsx", entities),
    "an archive called Excel": ("t.xlsx", lambda: zipped(a_dot_txt=b"x")),
    "a million columns": (
        "t.csv",
        lambda: b",".join(b"c%d" % k for k in range(10**6)) + b"\n" + b"1," * 999_999 + b"1\n",
    ),
    "a million attributes": ("t.arff", lambda: b"@attribute a real\n" * 200_000 + b"@data\n"),
    "a line without an end": ("t.csv", lambda: b"a,b\n1," + b"x" * 20_000_000),
    "a quote without an end": ("t.csv", lambda: b'a,b\n1,"' + b"x,\n" * 6_000_000),
    "zero bytes": ("t.csv", lambda: b"a,b\n1,2\n" + bytes(5000)),
    "zero bytes alone": ("t.csv", lambda: bytes(100)),
    "ragged rows": ("t.csv", lambda: b"a,b\n1,2\n3\n4,5,6\n"),
    "half a character": ("t.csv", lambda: "a,b\n1,ü\n".encode("utf-16")[:-1]),
    "an index of a billion": ("t.svm", lambda: b"1 1:1 1000000000:1\n"),
    "an index beyond every number": ("t.svm", lambda: b"1 " + b"9" * 400 + b":1\n"),
    "a terminal's signs": ("t.arff", lambda: b"@attribute \x1b[31m\n@data\n1\n"),
}


def test_an_error_of_either_parser_of_xml_is_a_sentence(monkeypatch, home):
    """openpyxl parses with lxml where that is installed; its XMLSyntaxError is a SyntaxError, as Python's own is."""
    from openpyxl.reader import excel

    def refuse(*arguments, **options):
        raise SyntaxError("Maximum entity amplification factor exceeded")

    content = workbook([["a", "b"], [1, 2]])
    monkeypatch.setattr(excel, "load_workbook", refuse)
    with pytest.raises(DataError, match=r"must be an Excel workbook .*amplification"):
        look(content, "t.xlsx")


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_sentence_and_soon(case, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, make = REFUSED[case]
    content, began = make(), time.process_time()
    with pytest.raises(KernlabError) as refused:
        prepare(content, look(content, name).recipe, "mine", file_name=name)
    assert time.process_time() - began < 5
    assert len(str(refused.value)) < 1000
    assert {"an inflated workbook": "must not unpack", "a pickled array": "never read"}.get(case, "") in str(
        refused.value
    )
    assert "\x1b" not in str(refused.value)
    assert not (tmp_path / "unpickled").exists()
    assert not list(home.glob("data/*"))


USUAL = {
    "UTF-16": "a,b,target\n1,ä,x\n2,ö,y\n".encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbfa,b,target\n1,2,x\n2,3,y\n",
    "CRLF": b"a,b,target\r\n1,2,x\r\n2,3,y\r\n",
    "CR alone": b"a,b,target\r1,2,x\r2,3,y\r",
    "the same name twice": b"a,a,target\n1,2,x\n2,3,y\n",
    "no name": b"a,,target\n1,2,x\n2,3,y\n",
    "HTML and formulas": b"a,b,target\n1,<script>alert(1)</script>,=cmd()\n2,<b>x</b>,+1+1\n3,<b>x</b>,=cmd()\n",
    "mixed types": b"a,b,target\n1,2,x\ntwo,3,y\n3,4,x\n",
    "decimal commas": b"a;b;target\n1,5;2,5;x\n2,5;3,5;y\n",
    "blank lines and blanks": b"\n\n a , b ,target\n 1 , 2 ,x\n\n2,3,y\n\n",
    "a target called as inputs are": b"target_a,input target_a,target\n1,2,x\n2,3,y\n",
}


@pytest.mark.parametrize("case", USUAL)
def test_read_as_it_is_meant(case):
    seen = look(USUAL[case], "t.csv")
    assert len(seen.columns) == 3
    prepare(USUAL[case], seen.with_kinds({each.name: "category" for each in seen.columns if each.kind == "text"}),
            "mine", file_name="t.csv")  # fmt: skip
    data = load("mine")
    assert data.n == len(data.y) == {"HTML and formulas": 3, "mixed types": 3}.get(case, 2)
    assert len(set(data.feature_names)) == data.d
    if case == "decimal commas":
        np.testing.assert_array_equal(data.X[:, 0], [1.5, 2.5])
    if case == "HTML and formulas":  # words are kept as they are; who shows them escapes them
        assert data.target_names == ("+1+1", "=cmd()")
    if case == "blank lines and blanks":
        assert data.feature_names == ("a", "b")


def test_a_formula_gives_its_last_value_and_is_never_computed():
    book = openpyxl.Workbook()
    for row in (["a", "b", "target"], [1, "=1+1", "x"], [2, '=HYPERLINK("http://127.0.0.1/","y")', "y"]):
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    seen = look(buffer.getvalue(), "t.xlsx")
    assert {each.name: each.kind for each in seen.columns}["b"] == "drop"  # openpyxl stores no values


@pytest.mark.parametrize("name", ["../away", "a/b", "a\\b", "", ".hidden", "a" * 120, "x\n", "con.", "-rf", "~root"])
def test_names_cannot_leave_their_folder(name, home):
    content = b"a,target\n1,x\n2,y\n"
    with pytest.raises(DataError, match="name of a data set"):
        prepare(content, look(content, "t.csv").recipe, name, file_name="t.csv")
    assert not home.exists()


def test_links_and_pipes(tmp_path, home):
    table = tmp_path / "table.csv"
    table.write_bytes(b"a,target\n1,x\n2,y\n")
    (tmp_path / "link.csv").symlink_to(table)
    assert look(tmp_path / "link.csv").rows == 2
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    (tmp_path / "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    for path in ("loop.csv", "zero.csv", "pipe.csv", "nothing.csv", "."):
        with pytest.raises(DataError):
            look(tmp_path / path)
    # A link in the folder of prepared sets is replaced, and what it led to stays.
    (home / "data").mkdir(parents=True)
    precious = tmp_path / "precious"
    precious.write_text("as it was")
    (home / "data" / "mine.parquet").symlink_to(precious)
    prepare(table, look(table).recipe, "mine", replacing=True)
    assert precious.read_text() == "as it was"
    assert load("mine").n == 2


def test_metadata_of_a_prepared_file_is_not_trusted(home):
    content = b"a,target\n1,x\n2,y\n3,x\n"
    stored = prepare(content, look(content, "t.csv").recipe, "mine", file_name="t.csv")
    table = pq.read_table(stored.path)
    for lie in (
        b"{}",
        b"[",
        b'{"task": "classification", "features": 1, "labels": ["x"], "notes": 3}',
        b'{"task": "classification", "features": 1, "labels": ["x", "y"], "preparation": {"inputs": 3}}',
    ):
        pq.write_table(table.replace_schema_metadata({"kernlab": lie}), stored.path)
        with suppress(KernlabError):
            assert load("mine").n == 3
        assert [each.name for each in known() if each.name == "mine"] == ["mine"]
    assert names() == ["mine"]


def test_a_parquet_file_with_strange_metadata_is_read():
    assert look(deep_json(), "t.parquet").rows == 2


CRASH = """
from kernlab.data.readers import delimited
from kernlab.data.tables import look, prepare
from kernlab.errors import KernlabError
delimited._BLOCK = 2**16
body = b"a,b,target\\n" + b"1,2,x\\n2,3,y\\n" * 50_000
recipe = look(body, "t.csv").recipe
for more in (b"1,2\\n", b"1," + b"z" * 100_000 + b",x\\n", b"1,oops,x\\n"):
    try:
        prepare(body + more + body[11:], recipe, "t", file_name="t.csv")
        print("kept")
    except KernlabError:
        print("refused")
print(prepare(body, recipe, "t", file_name="t.csv", cancelled=lambda: True))
"""


def test_a_refused_or_cancelled_file_leaves_no_thread_that_keeps_the_process(home):
    done = subprocess.run([sys.executable, "-c", CRASH], capture_output=True, text=True, timeout=PATIENCE, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["refused", "refused", "refused", "None"]

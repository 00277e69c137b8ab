"""Any bytes at all: every reader gives a table or refuses it in a sentence, within two seconds, and keeps nothing.

KERNLAB_FUZZ=50000 python -m pytest -n 0 tests/data/test_reader_fuzz.py      the long run, a job of its own
"""

from __future__ import annotations

import io
import os
import time
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kernlab.data.readers import READERS, Reading
from kernlab.data.tables import look, prepare
from kernlab.errors import KernlabError

#: Inputs over all readers; the time of one is bounded in processor seconds, since other tests share the machine.
INPUTS = int(os.environ.get("KERNLAB_FUZZ", "900"))
SLOW = 2.0


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    before = os.environ.get("KERNLAB_HOME")
    os.environ["KERNLAB_HOME"] = str(folder)
    yield folder
    os.environ.pop("KERNLAB_HOME") if before is None else os.environ.update(KERNLAB_HOME=before)


def buffered(write) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


FRAME = pd.DataFrame({"a": [1.5, None, 3.0, 4.0], "b": ["x", "y", None, "x"], "c": pd.to_datetime(["2024-01-02"] * 4),
                      "target": ["u", "v", "u", "v"]})  # fmt: skip

WHOLE = {
    "csv": FRAME.to_csv(index=False).encode(),
    "parquet": buffered(FRAME.to_parquet),
    "arff": b"@relation r\n@attribute a real\n@attribute 'b c' {x,'y z'}\n@attribute class {u,v}\n@data\n"
    b"1.5,x,u\n?,'y z',v\n{0 2}\n",
    "svmlight": b"+1 1:0.5 3:2 # a\n-1 2:1 qid:3\n1 1:1\n",
    "npz": buffered(lambda file: np.savez(file, X=np.arange(8.0).reshape(4, 2), y=np.array(["a", "b", "a", "b"]))),
    "excel": buffered(lambda file: FRAME.to_excel(file, index=False)),
}
SIGNS = [",", ";", "\t", "|", " ", "\n", "\r\n", '"', "'", "{", "}", "#", "%", "\\", "\x7f", "\u2028", "\ufeff"]
CELLS = ["a", "target", "1", "-2.5", "1,5", "1e999", "nan", "?", "NA", "2024-01-02", "31.12.2024", "true", "ja", "ü",
         "=1+1", "<b>", "x" * 50, "0" * 30]  # fmt: skip
TOKENS = [*SIGNS, *CELLS, "@data\n", "@attribute a real\n", "@attribute class {u,v}\n", "0 1", "1:2", "3:4.5", "qid:1"]

TEXTS = st.lists(st.sampled_from(TOKENS) | st.text(max_size=3), max_size=60).map("".join)
ENCODED = st.tuples(TEXTS, st.sampled_from(["utf-8", "utf-16", "utf-16-be", "cp1252", "utf-8-sig"])).map(
    lambda pair: pair[0].encode(pair[1], "replace")
)
GRIDS = st.tuples(
    st.lists(st.lists(st.sampled_from(CELLS), min_size=3, max_size=3), min_size=2, max_size=12),
    st.sampled_from([",", ";", "\t", " "]),
).map(lambda pair: "\n".join(pair[1].join(row) for row in pair[0]).encode())


@st.composite
def damaged(draw, whole: bytes) -> bytes:
    """A sound file with some bytes changed, left out, doubled or put in."""
    body = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(body) - 1)))
        length = draw(st.integers(0, 40))
        part = draw(
            st.binary(max_size=8) | st.sampled_from([b"\n", b",", b'"', bytes(4), b"\xff" * 8, bytes(body[:length])])
        )
        body[at : at + draw(st.sampled_from([0, 1, len(part), length]))] = part
    return bytes(body)


@st.composite
def repacked(draw, whole: bytes) -> bytes:
    """An archive whose parts are damaged inside, with checksums that fit."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(buffer, "w") as new:
        parts = old.namelist()
        chosen = draw(st.sampled_from(parts))
        for name in parts:
            content = old.read(name)
            new.writestr(name, draw(damaged(content)) if name == chosen else content)
    return buffer.getvalue()


def contents(format: str) -> st.SearchStrategy[bytes]:
    several = [damaged(WHOLE[format]), st.binary(max_size=200)]
    if format in ("csv", "arff", "svmlight"):
        several += [ENCODED, GRIDS]
    if format in ("npz", "excel"):
        several.append(repacked(WHOLE[format]))
    return st.one_of(several)


def tried(content: bytes, format: str, home) -> None:
    began, sentence = time.process_time(), ""
    try:
        seen = look(content, f"t.{format}", Reading(format=format))
        kept = prepare(content, seen.recipe, "fuzz", file_name=f"t.{format}", replacing=True)
        assert kept is not None
        assert kept.rows > 0
    except KernlabError as error:
        sentence = str(error)
    assert len(sentence) < 2000
    spent = time.process_time() - began
    for path in (home / "data").glob("*"):
        assert path.name == "fuzz.parquet"  # whole, and nothing else
        path.unlink()
    assert spent < SLOW, f"{spent:.1f} s"


@pytest.mark.parametrize("format", READERS)
def test_any_bytes_are_read_or_refused(format, home):
    share = max(10, INPUTS // len(READERS) // (4 if format == "excel" and INPUTS < 5000 else 1))

    @settings(max_examples=share, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(contents(format))
    @example(WHOLE[format])
    @example(WHOLE[format][:-3])
    @example(b"\n")
    @example(WHOLE["arff"].replace(b"b c", b"b \0"))
    def run(content: bytes) -> None:
        tried(content, format, home)

    run()


READINGS = st.builds(
    Reading,
    delimiter=st.sampled_from([None, ",", ";", "\t", " "]),
    encoding=st.sampled_from([None, "utf-8", "utf-16", "cp1252", "shift_jis"]),
    header=st.sampled_from([None, True, False]),
    decimal=st.sampled_from([None, "."]),
    quote=st.sampled_from([None, "'"]),
)


def test_any_text_under_any_reading_is_read_or_refused(home):
    @settings(max_examples=max(10, INPUTS // 6), database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(ENCODED | GRIDS, READINGS)
    def run(content: bytes, reading: Reading) -> None:
        with suppress(KernlabError):
            look(content, "t.csv", reading)

    run()

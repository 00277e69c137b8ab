"""Parquet files in folders: what they become, which goes first, and an error for each fault."""

import ast
import datetime
import decimal
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from waiting import PATIENCE

from kernlab.data import DataSpec, known, load, prepare
from kernlab.errors import DataError, UnknownNameError

N = 40


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path))
    return tmp_path


def columns(**more):
    rng = np.random.default_rng(0)
    return {"a": rng.standard_normal(N), "b": np.arange(N), **more}


def write(path, **more):
    pd.DataFrame(columns(**more)).to_parquet(path, index=False)


def entry(name):
    return next(each for each in known() if each.name == name)


def test_values_arrive_as_they_were_written(folder, monkeypatch):
    monkeypatch.setattr("kernlab.data.folder._BATCH", 30)  # several batches
    a, flag = np.random.default_rng(1).standard_normal(N), np.arange(N) % 3 == 0
    small, dotted = np.arange(N, dtype=np.uint8), [decimal.Decimal(i) / 4 for i in range(N)]
    frame = pd.DataFrame({"a": a, "flag": flag, "small": small, "dot.ted": dotted, "target": np.arange(N) % 2 * 5})
    frame.to_parquet(folder / "mine.parquet", index=False, row_group_size=17)
    data = load("mine")
    np.testing.assert_array_equal(data.X, np.stack([a, flag, small, np.arange(N) / 4], 1).astype(np.float32))
    np.testing.assert_array_equal(data.y, np.arange(N) % 2)
    assert data.feature_names == ("a", "flag", "small", "dot.ted")
    assert data.target_names == ("0", "5")
    assert data.X.flags.c_contiguous
    assert entry("mine")[1:6] == ("classification", "folder", N, 4, 2)


@pytest.mark.parametrize(
    ("target", "task", "names"),
    [
        (["yes", "no"] * (N // 2), "classification", ("no", "yes")),
        ([True, False] * (N // 2), "classification", ("false", "true")),
        (pd.Categorical(["lo", "hi"] * (N // 2), ["lo", "hi"]), "classification", ("hi", "lo")),
        (np.tile([-1, 1], N // 2), "classification", ("-1", "1")),
        (np.linspace(0, 1, N), "regression", ("target",)),
        ([decimal.Decimal(i) / 8 for i in range(N)], "regression", ("target",)),
    ],
    ids=["words", "bools", "category", "signs", "floats", "decimals"],
)
def test_the_task_follows_the_target(folder, target, task, names):
    write(folder / "mine.parquet", target=target)
    data = load("mine")
    assert (data.task, data.target_names) == (task, names)
    assert entry("mine").task == task
    assert prepare(data, DataSpec(), 0).X_train.shape == (32, 2)


def test_many_whole_numbers_are_a_quantity(folder):
    frame = pd.DataFrame({"a": np.arange(300.0), "target": np.arange(300)})
    frame.to_parquet(folder / "mine.parquet", index=False)
    data = load("mine")
    assert data.task == entry("mine").task == "regression"
    np.testing.assert_array_equal(data.y[:, 0], np.arange(300))
    assert "300 different whole numbers" in data.warnings[0]


def test_two_decimal_values_raise_a_question(folder):
    write(folder / "mine.parquet", target=np.tile([0.0, 1.0], N // 2))
    assert "store it as whole numbers" in load("mine").warnings[0]


def test_several_targets(folder):
    write(folder / "mine.parquet", target_1=np.arange(N) * 2.0, target_0=np.arange(N))
    data = load("mine")
    np.testing.assert_array_equal(data.y, np.stack([2.0 * np.arange(N), np.arange(N)], 1))
    assert (data.task, data.target_names) == ("regression", ("target_1", "target_0"))


def test_a_pandas_index_is_no_feature(folder):
    pd.DataFrame(columns(target=np.arange(N) / 2), index=np.arange(N) + 7).to_parquet(folder / "mine.parquet")
    assert load("mine").feature_names == ("a", "b")


DAY = datetime.date(2020, 1, 1)
WRONG = {
    "no-target": ({"goal": np.arange(N)}, "column named target.*the last one 'goal'.*[Rr]ename"),
    "words": ({"c": ["x", "y"] * 20, "target": np.arange(N)}, "must hold numbers.*column 'c' of type (large_)?string"),
    "dates": ({"c": [DAY] * N, "target": np.arange(N)}, "must hold numbers.*column 'c' of type date"),
    "nan": ({"c": [np.nan, *range(N - 1)], "target": np.arange(N)}, "column 'c': 1 missing.*fill in"),
    "null": ({"c": pd.array([None, *range(N - 1)], "Int64"), "target": np.arange(N)}, "column 'c': 1 missing"),
    "inf": ({"c": [np.inf, *range(N - 1)], "target": np.arange(N)}, "column 'c': 1 infinite"),
    "nan-target": ({"target": [np.nan, *np.arange(N - 1) / 2]}, "target.*1 missing"),
    "null-target": ({"target": [None] * 3 + ["x", "y"] * 18 + ["x"]}, "must have a target.*3 missing"),
    "list-target": ({"target": [[1, 2]] * N}, "one number or word per row.*target_0, target_1"),
    "words-and-numbers": ({"target_0": ["x"] * N, "target_1": np.arange(N)}, "must be numbers.*'target_0'"),
    "one-class": ({"target": np.ones(N, int)}, "at least two classes.*only class '1'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_tables_that_cannot_be_used(folder, case):
    more, words = WRONG[case]
    write(folder / "mine.parquet", **more)
    with pytest.raises(DataError, match=words):
        load("mine")


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"a": [1.0], "target": [1]}), "at least two rows"),
        (pd.DataFrame({"a": np.array([], float), "target": np.array([], int)}), "must have rows"),
        (pd.DataFrame({"target": [1, 2]}), "at least one feature column"),
        (pd.DataFrame({"a": [1.0, 1.0], "target": [1, 2]}), "at least one feature that varies"),
    ],
)
def test_tables_that_are_too_small(folder, frame, words):
    frame.to_parquet(folder / "mine.parquet", index=False)
    with pytest.raises(DataError, match=words):
        load("mine")


def test_an_identifier_is_no_class(folder):
    frame = pd.DataFrame({"a": np.arange(1500.0), "target": [f"id{i}" for i in range(1500)]})
    frame.to_parquet(folder / "mine.parquet", index=False)
    with pytest.raises(DataError, match=r"1500 in mine\.parquet.*identifier"):
        load("mine")


@pytest.mark.parametrize("damage", ["head", "middle", "tail", "empty", "text"])
def test_damaged_files(folder, damage):
    path = folder / "mine.parquet"
    write(path, target=np.arange(N) % 2)
    whole = path.read_bytes()
    third = len(whole) // 3
    path.write_bytes(
        {
            "head": b"\0" * 8 + whole[8 : -third // 2],
            "middle": whole[:4] + b"\xff" * (whole.index(b"ARROW:schema") - 400) + whole[-800:],
            "tail": whole[:-third],
            "empty": b"",
            "text": b"a,b,target\n1,2,3\n",
        }[damage]
    )
    with pytest.raises(DataError, match=r"mine\.parquet must be a readable Parquet file"):
        load("mine")


def test_a_damaged_file_does_not_hide_the_others(folder):
    (folder / "bad.parquet").write_bytes(b"no")
    write(folder / "good.parquet", target=np.arange(N) % 2)
    assert not entry("bad").available
    assert "readable Parquet file" in entry("bad").description
    assert entry("good").available


def test_a_folder_that_does_not_exist(tmp_path, monkeypatch):
    missing = tmp_path / "nowhere"
    monkeypatch.setenv("KERNLAB_DATA", os.pathsep.join([str(tmp_path), str(missing)]))
    for ask in (known, lambda: load("digits"), lambda: load("letter")):
        with pytest.raises(DataError, match=r"KERNLAB_DATA must exist.*nowhere.*missing"):
            ask()
    missing.write_text("")
    with pytest.raises(DataError, match="which is a file"):
        known()


def test_a_bundled_set_goes_before_a_file_with_a_warning(folder):
    write(folder / "iris.parquet", target=np.arange(N) % 2)
    data = load("iris")
    assert data.n == 150
    assert "iris.parquet has the same name and is not used" in data.warnings[0]
    assert [each.group for each in known() if each.name == "iris"] == ["bundled"]


def test_the_first_folder_goes_first_with_a_warning(tmp_path, monkeypatch):
    for each, shift in (("one", 0), ("two", 100)):
        (tmp_path / each).mkdir()
        write(tmp_path / each / "mine.parquet", c=np.arange(N) + shift, target=np.arange(N) % 2)
    monkeypatch.setenv("KERNLAB_DATA", os.pathsep.join([str(tmp_path / "two"), str(tmp_path / "one"), ""]))
    data = load("mine")
    assert data.X[0, 2] == 100
    assert str(tmp_path / "one" / "mine.parquet") in data.warnings[0]
    monkeypatch.setenv("KERNLAB_DATA", os.pathsep.join([str(tmp_path / "two")] * 2))
    assert not load("mine").warnings  # the same folder twice is no conflict


def test_a_table_takes_no_options(folder):
    write(folder / "mine.parquet", target=np.arange(N) % 2)
    with pytest.raises(UnknownNameError, match="option of mine"):
        load("mine", n_samples=5)


def test_the_registry_wins_over_the_guess_for_its_own_table_only(folder):
    rng = np.random.default_rng(0)

    def mg(n):
        frame = pd.DataFrame(rng.standard_normal((n, 6)), columns=list("abcdef"))
        frame.assign(target=rng.integers(0, 3, n)).to_parquet(folder / "mg.parquet", index=False)
        return load("mg")

    whole = mg(1385)
    assert (whole.task, whole.target_names) == ("regression", ("next value",))
    assert "Mackey-Glass" in whole.description
    namesake = mg(100)
    assert (namesake.task, namesake.n_outputs) == ("classification", 3)
    assert "is not the 'mg' of the registry" in namesake.warnings[0]


def test_the_registry_gives_boundary_and_labels(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((10992, 16)), columns=[f"p{j}" for j in range(16)])
    frame.assign(target=rng.permutation(np.arange(10992) % 10)).to_parquet(folder / "pendigits.parquet", index=False)
    data = load("pendigits")
    assert data.source_train_rows == 7494
    made = prepare(data, DataSpec(split="source"), 0)
    assert (len(made.train_rows), len(made.test_rows)) == (7494, 3498)
    assert data.target_names == tuple("0123456789")


# -- what is no table, or too large a one -------------------------------------------------------------------------


LISTED = """
from kernlab.data import known, load
print([(e.name, e.available, e.description) for e in known()])
try:
    load("pipe")
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_regular_file_is_never_opened(folder):
    os.mkfifo(folder / "pipe.parquet")
    (folder / "device.parquet").symlink_to("/dev/zero")
    (folder / "loop.parquet").symlink_to("loop.parquet")
    (folder / "astray.parquet").symlink_to("nothing")
    (folder / "below.parquet").mkdir()
    (folder / "elsewhere").mkdir()
    write(folder / "elsewhere" / "table.parquet", target=np.arange(N) % 2)
    (folder / "linked.parquet").symlink_to(folder / "elsewhere" / "table.parquet")
    # In a process of its own, which must end in time: opening a named pipe would wait for ever.
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, timeout=PATIENCE, check=True)
    listed, refused = done.stdout.splitlines()
    assert refused == "DataError"
    found = {name: (available, description) for name, available, description in ast.literal_eval(listed)}
    assert found["linked"][0]
    for name, kind in (("pipe", "a named pipe"), ("device", "a device"), ("below", "a folder")):
        available, message = found[name]
        assert not available
        assert message.startswith(f"{name}.parquet must be a regular file, or a symbolic link to one. Given: ")
        assert f"{name}.parquet, which is {kind}." in message
    for name in ("loop", "astray"):
        assert not found[name][0]
        assert f"{name}.parquet must be a readable Parquet file" in found[name][1]


def test_a_table_of_as_many_columns_as_may_be_is_loaded_in_time_and_one_of_more_refused(folder):
    write(folder / "good.parquet", target=np.arange(N) % 2)
    widest = pa.table([pa.array([0, 1, 1])] * 20_000, ["target", *(f"c{j}" for j in range(19_999))])
    pq.write_table(widest, folder / "wide.parquet")
    began = time.process_time()
    assert load("wide").d == entry("wide").features == 19_999
    assert time.process_time() - began < 60
    pq.write_table(widest.append_column("more", [[0, 1, 2]]), folder / "wide.parquet")
    assert "wide.parquet must have at most 20000 columns. Given: 20001 columns." in entry("wide").description
    assert entry("good").available
    with pytest.raises(DataError, match="at most 20000 columns"):
        load("wide")


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("_LARGEST_FOOTER", 500, r"footer of mine\.parquet.* at most 500 bytes.*fewer columns"),
        ("_MOST_NUMBERS", 2 * N, rf"at most {2 * N} numbers, rows times columns. Given: {N} rows of 3 columns"),
        ("_LONGEST_NAME", 3, r"at most 3 characters. Given: 'target'"),
        ("_MOST_COLUMNS", 2, r"at most 2 columns. Given: 3 columns"),
    ],
)
def test_limits_are_sentences(folder, monkeypatch, limit, value, message):
    write(folder / "mine.parquet", target=np.arange(N) % 2)
    assert entry("mine").available
    monkeypatch.setattr(f"kernlab.data.folder.{limit}", value)
    with pytest.raises(DataError, match=message):
        load("mine")
    assert not entry("mine").available


def test_the_list_reads_the_first_targets_of_a_long_table_alone(folder, monkeypatch):
    write(folder / "mine.parquet", target=np.arange(N) // 10)
    monkeypatch.setattr("kernlab.data.folder._GLANCED", 20)
    assert (entry("mine").rows, entry("mine").classes) == (N, 2)
    assert load("mine").n_outputs == 4

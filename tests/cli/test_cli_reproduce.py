"""``kernlab reproduce``: published comparisons run anew."""

from __future__ import annotations

import csv
import json
import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from waiting import PATIENCE

from kernlab.compare import Tuning
from kernlab.papers.base import over_repeats
from kernlab.papers.tables import TABLES, comparison_of


def test_the_linear_example_stands_beside_what_was_published(kernlab, tmp_path):
    found = kernlab("reproduce", "lkrf-examples", "--datasets", "linear", "--json", "--out", tmp_path / "new")
    assert found.code == 0
    rows = {row["method"]: row for row in found.json["rows"]}
    assert rows["LKRF"]["published_test_error"] == 0.051
    assert rows["LKRF"]["test_error"] < 0.1 < 0.3 < rows["RF"]["test_error"]
    with (tmp_path / "new" / "lkrf-examples.csv").open(newline="") as file:
        written = {row["method"]: row for row in csv.DictReader(file)}
    assert float(written["LKRF"]["test_error"]) == rows["LKRF"]["test_error"]
    assert json.loads((tmp_path / "new" / "lkrf-examples.json").read_text())[0]["example"] == "linear"


def test_repeats_are_averaged():
    turns = [[{"method": "A", "error": e, "free": None}] for e in (1.0, 2.0, 6.0)]
    (row,) = over_repeats(turns, ("error", "free"))
    assert row == {"method": "A", "error": 3.0, "error_std": pytest.approx(7**0.5), "free": None, "repeats": 3}


# -- printed tables -----------------------------------------------------------------------------------------------

QUICK = ("fks-table2", "--methods", "FKS-Fourier,eSVR-rbf", "--backend", "here")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Small files that carry the names of two data sets of the papers' table, and are easy to learn."""
    random = np.random.default_rng(0)
    data = tmp_path / "data"
    data.mkdir()
    for name, inputs in (("mg", 2), ("space_ga", 3)):
        X = random.uniform(-1, 1, (80, inputs))
        columns = {f"x{j}": X[:, j] for j in range(inputs)}
        pq.write_table(pa.table({**columns, "target": np.sin(3 * X[:, 0])}), data / f"{name}.parquet")
    return data


@pytest.fixture
def reproduce(kernlab, folder, monkeypatch):
    """The command, with those two data sets at hand."""
    monkeypatch.setenv("KERNLAB_DATA", str(folder))
    return lambda *arguments: kernlab("reproduce", *arguments)


def numbers(rows):
    """The rows without times."""
    return [{key: value for key, value in row.items() if "seconds" not in key} for row in rows]


def test_a_table_has_ours_the_printed_figures_the_constant_and_the_marks(reproduce, tmp_path):
    found = reproduce(*QUICK, "--repeats", 2, "--json", "--out", tmp_path / "new")
    assert found.code == 0, found.err
    assert found.json["left_out"] == [name for name in TABLES["fks-table2"].datasets if name not in ("mg", "space_ga")]
    rows = {(row["dataset"], row["method"]): row for row in found.json["rows"]}
    for dataset, mark in (("mg", ""), ("space_ga", "not on the stated scale")):
        ours, constant = rows[dataset, "FKS-Fourier"], rows[dataset, "constant"]
        assert (ours["n"], ours["mark"]) == (2, mark)
        assert ours["mean"] < 0.2 * ours["constant"]
        assert ours["constant"] == constant["mean"]
        assert rows[dataset, "MKL"]["mean"] is None
    assert rows["mg", "FKS-Fourier"]["beats"] is (rows["mg", "FKS-Fourier"]["mean"] < 0.0068)
    assert rows["space_ga", "FKS-Fourier"]["beats"] is None
    assert found.json["seconds"]["training"] == pytest.approx(
        2 * sum(row["seconds"] for row in rows.values() if row["seconds"] is not None)
    )
    assert found.json["seconds"]["tuning"] == 0
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "new").iterdir()}
    assert sorted(files) == ["fks-table2-cells.csv", "fks-table2.csv", "fks-table2.json", "fks-table2.tex"]
    assert json.loads(files["fks-table2.json"]) == found.json
    written = {(row["dataset"], row["method"]): row for row in csv.DictReader(files["fks-table2.csv"].splitlines())}
    assert float(written["mg", "constant"]["mean"]) == rows["mg", "constant"]["mean"]
    assert len(list(csv.DictReader(files["fks-table2-cells.csv"].splitlines()))) == 2 * 2 * 3
    assert files["fks-table2.tex"].count("not on the stated scale") == 6


def test_people_read_the_same_and_the_times_cost_nothing_more(reproduce):
    text = reproduce(*QUICK, "--repeats", 2).out
    assert "space_ga: MSE, targets in [0,1], 2 splits" in text
    lines = [line.split() for line in text.splitlines()]
    assert [line[-4:] for line in lines if line[:1] == ["FKS-Fourier"]][1] == ["on", "the", "stated", "scale"]
    assert sum(line[:1] == ["constant"] for line in lines) == 2
    assert "s of training in all cells together" in text
    timed = reproduce("fks-table3", *QUICK[1:], "--repeats", 2)
    assert "12 cells, 12 of them known" in timed.err
    assert "ours / FKS" in timed.out
    assert "better" not in timed.out


def test_a_budget_is_the_whole_tables(reproduce):
    asked = (*QUICK, "--repeats", 2, "--datasets", "mg", "--tune", "--trials", 2, "--budget", 400)
    found = reproduce(*asked, "--json")
    assert found.json["tuning"]["seconds"] == 100  # 2 splits of 2 methods, one at a time
    assert found.json["budget"] == 400
    assert "100 s of tuning in each cell" in found.err
    tuned = [row for row in found.json["rows"] if row["tuning_seconds"]]
    assert {row["trials"] for row in tuned if row["method"] != "constant"} == {2}
    assert found.json["seconds"]["tuning"] == pytest.approx(2 * sum(row["tuning_seconds"] for row in tuned))
    again = reproduce(*asked, "--json")
    assert "6 cells, 6 of them known" in again.err
    assert again.json["rows"] == found.json["rows"]
    plan = comparison_of("fks-table2", datasets=["mg"], repeats=2, tuning=Tuning(), budget=24, workers=3)
    assert plan.tuning.seconds == 24 * 3 / (2 * 6)


def test_interrupted_and_resumed_is_as_if_never_interrupted(reproduce, start, folder, home, monkeypatch):
    asked = (*QUICK, "--repeats", 12, "--datasets", "mg")
    process = start("reproduce", *asked)
    while not process.stderr.readline().startswith("3/36"):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert "the same command goes on from here" in err
    assert "Traceback" not in err
    kept = {path.name: path.stat().st_mtime_ns for path in home.glob("comparisons/cells/*.json")}
    assert 3 <= len(kept) < 36
    resumed = reproduce(*asked, "--json")
    assert f"36 cells, {len(kept)} of them known" in resumed.err
    after = {path.name: path.stat().st_mtime_ns for path in home.glob("comparisons/cells/*.json")}
    assert len(after) == 36
    assert {name: after[name] for name in kept} == kept
    monkeypatch.setenv("KERNLAB_HOME", str(home / "other"))
    whole = reproduce(*asked, "--json")
    assert "36 cells\n" in whole.err
    assert numbers(whole.json["rows"]) == numbers(resumed.json["rows"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fks-table2", "--datasets", "mgg"), "Did you mean mg"),
        (("fks-table2", "--datasets", "mg,cadata"), "Given: cadata, which are missing. Set KERNLAB_DATA"),
        (("askl-table2", "--datasets", "segment"), "Given: segment, which are missing"),
        (("fks-table2", "--methods", "FKS-Fouriers"), "Did you mean FKS-Fourier"),
        (("fks-table2", "--budget", "60"), "Given: --budget. Add --tune"),
        (("fks-table2", "--tune", "--budget", "-1"), "above 0"),
        (("fks-table2", "--tune", "--budget", "9", "--backend", "dask", "--address", "tcp://h:1"), "with --workers"),
        (("fks-table2", "--repeats", "0"), "x>=1"),
        (("fks-table4",), "Did you mean fks-table"),
        (("lkrf-example",), "Did you mean lkrf-examples"),
        (("lkrf-examples", "--datasets", "ball"), "Known: linear, shell"),
        (("di-figures", "--datasets", "nowhere"), "'nowhere'"),
        (("di-figures", "--datasets", "digits"), "Choose split=random"),
        (("lkrf-examples", "--methods", "RF", "--tune"), "Given: --methods, --tune. Drop the others"),
        (("di-figures", "--workers", "2"), "di-figures has the options --datasets"),
    ],
)
def test_a_mistake_is_one_sentence_and_nothing_is_computed(reproduce, home, arguments, words):
    found = reproduce(*arguments)
    assert found.code == 2, found
    assert words in found.err
    assert found.out == ""
    assert "Traceback" not in found.err
    assert not list(home.glob("comparisons/cells/*"))

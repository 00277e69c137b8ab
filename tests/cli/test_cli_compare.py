"""``kernlab compare``: a table, one JSON document, files, and sentences for mistakes."""

from __future__ import annotations

import csv
import json

import pytest

from kernlab.cli.compare import print_comparison
from kernlab.compare import Record
from kernlab.compare.summary import summarise

QUICK = ("--backend", "here", "--set", "n_features=20", "--set", "epochs=2", "--dataset", "iris")


def test_one_json_document_says_how_every_method_stands(kernlab):
    answer = kernlab("compare", "--methods", "SK,ASKL,svm-rbf", *QUICK, "--repeats", 3, "--json")
    assert answer.code == 0
    rows = {row["method"]: row for row in answer.json["rows"]}
    assert list(rows) == ["SK", "ASKL", "svm-rbf", "constant"]
    for row in rows.values():
        assert row["mean"] == pytest.approx(sum(row["values"]) / 3)
        assert len(row["values"]) == 3
    (best,) = [name for name, row in rows.items() if row["best"]]
    assert rows[best]["mean"] == max(row["mean"] for row in rows.values())
    assert rows[best]["p"] is None
    assert all(0 <= rows[name]["p"] <= 1 for name in ("SK", "ASKL", "svm-rbf") if name != best)
    assert rows["constant"]["mean"] == pytest.approx(100 / 3)
    assert all(rows[name]["seconds"] > 0 for name in ("SK", "ASKL", "svm-rbf"))
    assert answer.json["comparison"]["options"] == {"n_features": "20", "epochs": "2"}
    assert "9/9" in answer.err


def test_the_table_has_marks_and_a_constant_row(kernlab):
    answer = kernlab("compare", "--methods", "SK,svm-rbf", *QUICK, "--repeats", 2)
    assert "svm-rbf" in answer.out
    assert " best " in answer.out
    assert "constant  33.33" in answer.out
    assert "paired t-test" in answer.out
    again = kernlab("compare", "--methods", "SK,svm-rbf", *QUICK, "--repeats", 2, "--test", "corrected")
    assert "4 cells, 4 of them known" in again.err
    assert "Nadeau and Bengio" in again.out


def test_one_repeat_is_no_test(kernlab):
    answer = kernlab("compare", "--methods", "SK,NSK", *QUICK, "--repeats", 1)
    assert answer.code == 0
    assert "No test: it takes at least two repeats." in answer.out


def test_files_are_written(kernlab, tmp_path):
    answer = kernlab("compare", "--methods", "SK,NSK", *QUICK, "--repeats", 2, "--out", tmp_path / "new" / "folder")
    assert answer.code == 0
    folder = tmp_path / "new" / "folder"
    assert {path.name for path in folder.iterdir()} == {
        "comparison.csv", "comparison.tex", "comparison.json", "costs.tex", "cells.csv",
    }  # fmt: skip
    with (folder / "cells.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 4
    assert json.loads((folder / "comparison.json").read_text("utf-8"))["methods"] == ["SK", "NSK"]
    assert r"\toprule" in (folder / "comparison.tex").read_text("utf-8")


def test_a_folder_that_cannot_be_written_loses_nothing(kernlab, tmp_path):
    (tmp_path / "taken").write_text("a file")
    answer = kernlab("compare", "--methods", "SK", *QUICK, "--repeats", 2, "--out", tmp_path / "taken" / "x")
    assert answer.code == 2
    assert "without computing anything" in answer.err
    assert "2 of them known" in kernlab("compare", "--methods", "SK", *QUICK, "--repeats", 2).err


def test_tuning_is_reported(kernlab):
    answer = kernlab("compare", "--methods", "SK", *QUICK, "--repeats", 2, "--tune", "--trials", 2, "--json")
    (row, _) = answer.json["rows"]
    assert row["tuning_seconds"] > 0
    assert answer.json["comparison"]["tuning"]["trials"] == 2


def test_a_failing_method_says_why_and_the_rest_goes_on(kernlab):
    answer = kernlab("compare", "--methods", "SK,eSVR-rbf", *QUICK, "--repeats", 2, "--json")
    assert answer.code == 0
    rows = {row["method"]: row for row in answer.json["rows"]}
    assert rows["eSVR-rbf"]["failed"] == 2
    assert "classification data set" in rows["eSVR-rbf"]["messages"][0]
    assert rows["SK"]["best"]
    assert kernlab("compare", "--methods", "eSVR-rbf", "--dataset", "iris", "--backend", "here").code == 1


def test_options_of_single_methods_of_data_and_of_all(kernlab):
    wanted = ("--set", "NSK.n_features=9", "--set", "scaling=none", "--test-size", 0.4)
    comparison = kernlab("compare", "--methods", "SK,NSK", *QUICK, *wanted, "--repeats", 1, "--json").json["comparison"]
    assert comparison["own"] == {"NSK": {"n_features": "9"}}
    assert (comparison["datasets"][0]["scaling"], comparison["datasets"][0]["test_size"]) == ("none", 0.4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--methods", "SK,ASKLL"), "Did you mean ASKL"),
        (("--methods", "SK,SK"), "may stand once"),
        (("--methods", ","), "at least one method"),
        (("--repeats", "0"), "2 or more allow a test"),
        (("--set", "n_feature=3"), "n_features"),
        (("--set", "n_features"), "KEY=VALUE"),
        (("--trials", "3"), "Add --tune"),
        (("--tune", "--trials", "0"), "trials must be a whole number"),
        (("--level", "2"), "level"),
        (("--datasets", "iris,irs"), "Did you mean iris"),
        (("--backend", "dask"), "address"),
        (("--test-size", "0.001"), "at least one row for each"),
        (("--device", "cuda:7"), "device must be one that this machine has"),
    ],
)
def test_a_mistake_is_one_sentence_and_nothing_is_computed(kernlab, home, arguments, words):
    found = kernlab("compare", *QUICK, *arguments)
    assert found.code == 2, found
    assert words in found.err
    assert "Traceback" not in found.err
    assert not list(home.glob("comparisons/cells/*"))


def test_better_where_it_finished_is_neither_blank_nor_not_worse(capsys):
    """A method that failed on one of four splits, five points ahead on the others."""
    values = {"SK": [80.0, 81.0, 79.0, 80.5], "ASKL": [85.0, 86.1, 84.0, None], "RF": [70.0, 71.1, 69.0, 70.4]}
    records = [
        Record(f"{name}-{seed}", {"method": name, "seed": seed, "data": {"dataset": "iris"}},
               "failed" if test is None else "done", metric="accuracy", test=test, message="" if test else "diverged",
               constant=33.3, n_train=120, n_test=30, seconds=1.0)
        for name, tests in values.items() for seed, test in enumerate(tests)
    ]  # fmt: skip
    print_comparison(summarise(records))
    out = capsys.readouterr().out
    lines = {line.split()[0]: line for line in reversed(out.splitlines()) if line.split()}
    assert " best " in lines["SK"]
    assert " better " in lines["ASKL"]
    assert "1 failed" in lines["ASKL"]
    assert not any(word in lines["RF"] for word in ("best", "better", "not worse", "failed"))
    assert "ASKL is significantly better than SK on the 3 splits that both finished, but failed on 1 of 4" in out

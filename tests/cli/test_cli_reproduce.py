"""``kernlab reproduce``: published comparisons run anew."""

from __future__ import annotations

import csv
import json

import pytest

from kernlab.bench.base import over_repeats
from kernlab.cli import main


def run(capsys, *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", *words])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


def test_the_linear_example_stands_beside_what_was_published(capsys, tmp_path):
    code, out, _ = run(capsys, "lkrf-examples", "--datasets", "linear", "--json", "--out", str(tmp_path / "there"))
    assert code == 0
    rows = {row["method"]: row for row in json.loads(out)["rows"]}
    assert rows["LKRF"]["published_test_error"] == 0.051
    assert rows["LKRF"]["test_error"] < 0.1 < 0.3 < rows["RF"]["test_error"]
    with (tmp_path / "there" / "lkrf-examples.csv").open(newline="") as file:
        written = {row["method"]: row for row in csv.DictReader(file)}
    assert float(written["LKRF"]["test_error"]) == rows["LKRF"]["test_error"]
    assert json.loads((tmp_path / "there" / "lkrf-examples.json").read_text())[0]["example"] == "linear"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lkrf-example"], "Did you mean lkrf-examples"),
        (["lkrf-examples", "--datasets", "ball"], "Known: linear, shell"),
        (["di-figures", "--datasets", "nowhere"], "'nowhere'"),
        (["di-figures", "--datasets", "digits"], "Choose split=random"),
    ],
)
def test_a_mistake_is_a_sentence_and_code_2(capsys, words, said):
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_repeats_are_averaged():
    turns = [[{"method": "A", "error": e, "free": None}] for e in (1.0, 2.0, 6.0)]
    (row,) = over_repeats(turns, ("error", "free"))
    assert row == {"method": "A", "error": 3.0, "error_std": pytest.approx(7**0.5), "free": None, "repeats": 3}

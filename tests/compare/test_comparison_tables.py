"""Text of a comparison: CSV and JSON read back as they were written, LaTeX that is well formed whatever the names."""

import csv
import io
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_comparison import failed, record

from kernlab.compare import summary as summary_module
from kernlab.compare import tables
from kernlab.compare.summary import Published, summarise
from kernlab.compare.tables import (
    escape,
    number,
    to_json,
    to_latex,
    to_latex_costs,
    to_latex_published,
    to_long_csv,
    to_wide_csv,
)  # fmt: skip

rng = np.random.default_rng(0)
NAMES = st.text(st.sampled_from('\\&%$#_{}~^<>|"aB 1νλ−±é\n\t'), min_size=1, max_size=12)


def records(methods=("SK", "ASKL", "boosting"), dataset="segment"):
    base = rng.normal(90, 1, 6)
    return [
        record(name, s, float(base[s] + 2 * (i > 0) + 0.5 * rng.normal()), dataset)
        for s in range(6)
        for i, name in enumerate(methods)
    ]


def errors():
    values = {"SK": 8.35, "ASKL": 7.8}
    common = {"metric": "rmse", "constant": 11.5, "chosen": {"learning_rate": 0.01}}
    return [record(m, s, v + 0.01 * s * s, "abalone", **common) for m, v in values.items() for s in range(4)]


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_long_csv_has_every_cell():
    every = [
        *records(),
        *errors(),
        record("SK", 9, None, status="failed", message='it said "no", then left'),
    ]
    rows = read(to_long_csv(every))
    assert len(rows) == len(every)
    for r, written in zip(every, rows, strict=True):
        assert (written["method"], written["dataset"]) == (r.cell["method"], r.cell["data"]["dataset"])
        assert int(written["seed"]) == r.cell["seed"]
        assert (float(written["test"]) if written["test"] else None) == r.test
        assert written["message"] == r.message
    assert json.loads(rows[-2]["chosen"]) == {"learning_rate": 0.01}


def test_the_wide_csv_has_every_method_and_its_printed_figure():
    printed = [Published("t2", "abalone", "ASKL", "rmse", 7.88, 0.16, 11.5)]
    summary = summarise([*records(), *errors()], published=printed)
    rows = read(to_wide_csv(summary))
    expected = [row for table in summary.tables for row in table.rows]
    assert [r["method"] for r in rows] == [e.method for e in expected]
    for written, row in zip(rows, expected, strict=True):
        assert float(written["mean"]) == row.mean
        assert float(written["std"]) == row.std
        assert written["best"] == str(row.best)
        assert (float(written["p"]) if written["p"] else None) == row.p
    assert (rows[-1]["table"], rows[-1]["published_mean"], rows[-1]["beats_published"]) == ("t2", "7.88", "True")
    assert rows[0]["published_mean"] == ""


def test_the_json_is_everything():
    every = [*records(), *errors(), record("SK", 5, None, status="failed", message="no")]
    printed = [Published("t2", "abalone", "ASKL", "rmse", 70.88, 0.16, 11.5)]
    summary = summarise(every, published=printed)
    written = json.loads(to_json(summary), parse_constant=pytest.fail)
    assert written["note"] == summary.note
    assert written["ranks"]["average"] == list(summary.ranks.average)
    first, second = written["tables"]
    assert first["rows"][0]["values"][5] is None
    assert math.isnan(summary.tables[0].rows[0].values[5])
    assert second["rows"][1]["mean"] == summary.tables[1].rows[1].mean
    assert second["published"][0]["published"]["mark"] == "not on the stated scale"


def test_a_column_reaches_every_output_by_its_line_alone(monkeypatch):
    """The page and the command line iterate over the same columns."""
    width = summary_module.Column("width", "D", "Features D", lambda r: r.extra.get("width"))
    for module in (summary_module, tables):
        monkeypatch.setattr(module, "COLUMNS", (*summary_module.COLUMNS, width))
    every = [*(replace(r, extra={"width": 10.0 + r.cell["seed"]}) for r in records()), *errors()]
    summary = summarise(every)
    assert [column.short for column in summary.columns] == ["seconds", "D"]  # nothing was searched
    assert [table.rows[0].measured["width"] for table in summary.tables] == [12.5, None]
    assert [row["width"] for row in read(to_long_csv(every))][3:6] == ["11.0"] * 3
    assert [row["width"] for row in read(to_wide_csv(summary))] == ["12.5"] * 3 + [""] * 2
    written = json.loads(to_json(summary))["tables"]
    assert [row["width"] for table in written for row in table["rows"]] == [12.5] * 3 + [None] * 2
    lines = structure(to_latex_costs(summary))
    assert lines[0].split("&")[2:] == [" Training (s) ", " Features D "]
    assert lines[1].split("&")[2:] == [" 2.000 ", " 12.500 "]


def structure(text):
    """Structural check of a LaTeX table: braces, dollars, environments, and as many cells in each row as columns."""
    plain = re.sub(r"^%.*$", "", text, flags=re.M)
    plain = plain.replace(r"\\", "\n").replace(r"\&", "").replace(r"\%", "").replace(r"\$", "").replace(r"\_", "")
    plain = plain.replace(r"\{", "").replace(r"\}", "").replace(r"\#", "")
    assert "%" not in plain, "the rest of a line would be a comment"
    assert "#" not in plain
    assert plain.count("$") % 2 == 0
    outside = re.sub(r"\$[^$]*\$", "", plain)
    assert not set("_^~<>|") & set(re.sub(r"\\label\{[^}]*\}", "", outside))
    depth = 0
    for letter in plain:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    assert set(re.findall(r"\\([A-Za-z]+)", plain)) <= COMMANDS
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", plain):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    ((columns, body),) = re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*)\\end\{tabular\}", plain, flags=re.S)
    rows = [line for line in body.split("\n") if "&" in line]
    assert {line.count("&") + 1 for line in rows} == {len(columns)}
    return rows


COMMANDS = set(
    re.findall(
        r"\w+",
        """begin end centering caption label toprule midrule bottomrule textbf underline pm uparrow downarrow cdot times
        textbackslash textasciitilde textasciicircum textless textgreater textbar textquotedbl
        gamma varepsilon epsilon lambda nu rho sigma phi chi omega""",
    )
)


def test_the_latex_table():
    summary = summarise([*records(), *errors()])
    text = to_latex(summary)
    rows = structure(text)
    assert len(rows) == 3
    segment, abalone = rows[1:]
    by_method = {row.method: row for row in summary.tables[0].rows}
    for name, cell in zip(("SK", "ASKL", "boosting"), segment.split("&")[1:], strict=False):
        assert (r"\textbf" in cell) == by_method[name].best
        assert (r"\underline" in cell) == by_method[name].not_worse
        assert f"{by_method[name].mean:.2f} $\\pm$ {by_method[name].std:.2f}" in cell
    assert r"$\downarrow$" in abalone
    assert abalone.split("&")[3].strip() == "--"  # not run there
    assert abalone.strip().endswith("11.500")
    caption = re.search(r"\\caption\{(.*)\}", text)[1]
    for phrase in ("5 \\%", "paired t-test", "6 splits" if "4 to 6" not in caption else "4 to 6 splits", "20\\,\\%"):
        assert phrase in caption
    assert "4 to 6" in caption


def test_failures_stand_in_brackets_and_are_explained():
    every = [*records(), record("SK", 5, None, status="failed", message="no")]
    text = to_latex(summarise(every))
    assert "(5)" in structure(text)[1].split("&")[1]
    assert "In brackets" in text
    dead = [failed("SK", s) for s in range(2)]
    assert "failed" in structure(to_latex(summarise(dead)))[1]
    structure(to_latex(summarise([])))


def test_one_repeat_promises_no_test():
    text = to_latex(summarise([record("SK", 0, 90.0), record("ASKL", 0, 91.0)]))
    structure(text)
    assert "on 1 split that" in text
    assert "No test" in text
    assert "underlined" not in text
    assert "$\\pm$" not in text


@settings(max_examples=60)
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_no_name_breaks_the_table(names):
    every = [record(name, s, 90.0 + s + i, f"{names[0]} set") for i, name in enumerate(names) for s in range(2)]
    printed = [Published(names[0], f"{names[0]} set", name, "accuracy", 1.0, None) for name in names]
    summary = summarise(every, published=printed)
    structure(to_latex(summary, label=names[0]))
    structure(to_latex_published(summary))


def test_printed_figures_as_latex():
    printed = [
        Published("t", "abalone", "ASKL", "rmse", 7.88, 0.16, 11.5),
        Published("t", "abalone", "SK", "rmse", 50.0, 0.1, 11.5),
    ]
    rows = structure(to_latex_published(summarise(errors(), published=printed)))
    assert "not on the stated scale" not in rows[1]
    assert "not on the stated scale" in rows[2]
    assert r"7.8800 $\pm$ 0.1600" in rows[1]


def test_escaping_letter_by_letter():
    assert escape("a_b & 50%") == r"a\_b \& 50\%"
    assert escape("\\") == r"\textbackslash{}"
    assert escape("ν-SVR\nλ") == r"$\nu$-SVR $\lambda$"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (95.016, 2, "95.02"),
        (-1.5, 1, "$-1.5$"),
        (0.0, 2, "0.00"),
        (None, 2, "--"),
        (math.inf, 2, "--"),
        (1.5e9, 2, r"$1.50 \cdot 10^{9}$"),
        (2e-7, 4, r"$2.00 \cdot 10^{-7}$"),
    ],
)
def test_numbers(value, digits, text):
    assert number(value, digits) == text

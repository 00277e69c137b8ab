"""Each question about a table is answered with the columns and rows that it is about."""

from __future__ import annotations

import numpy as np
import pytest

from kernlab.data import DataSpec, load, make_dataset, prepare
from kernlab.data.findings import (
    constant_columns,
    copies_across_split,
    duplicate_columns,
    duplicate_rows,
    empty_columns,
    findings_of,
    identifiers,
    outliers,
    telltale_columns,
    tiny_classes,
)
from kernlab.data.tables import look, trial

N = 400


@pytest.fixture
def table():
    random = np.random.default_rng(0)
    X = random.normal(size=(N, 8)).astype(np.float32)
    y = (X[:, 0] + random.normal(0, 0.5, N) > 0).astype(int)
    y[:3] = 2
    X[:, 1] = 5
    X[:, 2] = X[:, 3]
    X[:, 4] = np.arange(N)
    X[:, 5] = 10 * y + random.uniform(0, 1, N)
    X[7, 6] = 1000
    X[50:60], y[50:60] = X[40:50], y[40:50]
    return make_dataset("t", X, y, "classification", list("abcdefgh"))


def test_every_question_has_its_columns_and_rows(table):
    assert constant_columns(table).columns == ("b",)
    assert duplicate_columns(table).columns == ("d",)
    assert telltale_columns(table).columns == ("f",)
    assert (outliers(table).columns, outliers(table).rows) == (("g",), (7,))
    assert tiny_classes(table).columns == ("2",)
    assert duplicate_rows(table).rows == tuple(range(50, 60))
    kinds = [each.kind for each in findings_of(table)]
    assert kinds[:2] == ["telltale", "duplicate rows"]


def test_copies_across_the_split_are_those_of_a_plain_search(table):
    parts = prepare(table, DataSpec(), 3)
    rows = [(*x, t) for x, t in zip(table.X.tolist(), table.y.tolist(), strict=True)]
    training = {rows[i] for i in parts.train_rows}
    expected = {int(i) for i in parts.test_rows if rows[i] in training}
    assert expected
    assert set(copies_across_split(parts).rows) == expected


def test_rows_in_order_are_an_identifier():
    X = np.stack([np.arange(N) * 3 + 7, np.random.default_rng(0).permutation(N), np.arange(N) % 7], 1)
    found = identifiers(make_dataset("t", X, np.arange(N) % 2, "classification", ["id", "shuffled", "weekday"]))
    assert found.columns == ("id", "shuffled")


def test_words_that_all_differ_and_empty_columns_are_found_in_the_raw_table():
    lines = [f"name-{k},{'' if k % 3 else k},{k * k % 17},{k % 2}" for k in range(90)]
    preview = look(("name,rare,number,target\n" + "\n".join(lines)).encode(), "t.csv")
    found = {each.kind: each.columns for each in findings_of(trial(preview, preview.recipe), preview=preview)}
    assert found["identifier"] == ("name",)
    assert found["empty"] == ("rare",)
    assert empty_columns(preview).number == 1


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "diabetes", "moons", "breast_cancer"])
def test_sound_tables_have_no_column_that_gives_the_target_away(name):
    data = load(name)
    assert telltale_columns(data) is None
    assert identifiers(data) is None
    assert duplicate_columns(data) is None
    assert tiny_classes(data) is None


def test_a_target_in_other_units_gives_itself_away():
    random = np.random.default_rng(0)
    y = random.normal(size=300)
    X = np.stack([random.normal(size=300), 3 * y - 1, y + random.normal(0, 0.3, 300)], 1)
    assert telltale_columns(make_dataset("t", X, y, "regression", ["a", "b", "c"])).columns == ("b",)

"""Reproduced tables: the papers' protocol, budgets, and ours beside what was printed without false claims."""

from __future__ import annotations

import statistics

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlab.compare import Record, Tuning
from kernlab.compare.run import plan
from kernlab.compare.summary import OFF_SCALE
from kernlab.data import known
from kernlab.errors import DataError, OptionError, UnknownNameError
from kernlab.papers.tables import TABLES, available, beside, comparison_of, printed

FKS = ["FKS-Fourier", "eSVR-poly", "eSVR-rbf", "nuSVR-poly", "nuSVR-rbf", "MKL"]
AT_HAND = {each.name for each in known() if each.available}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stand-ins for every data set of the papers' tables, by name only: nothing is read of them."""
    for table in TABLES:
        for name in TABLES[table].datasets:
            (tmp_path / f"{name}.parquet").touch()
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path))
    return tmp_path


def record(dataset, method, seed=0, test=None, **changes):
    """The record of a cell, with the fields that a table reads."""
    scale = changes.pop("target_scale", "[0,100]")
    cell = {"method": method, "seed": seed, "data": {"dataset": dataset, "target_scale": scale}}
    fields = {"metric": "rmse", "n_train": 80, "n_test": 20, "seconds": 1.0, **changes}
    return Record(f"{dataset} {method} {seed}", cell, "done" if test is not None else "failed", test=test, **fields)


def by_method(table, records):
    return {(row["dataset"], row["method"]): row for row in beside(table, records)}


# -- what is compared ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "methods", "datasets", "data"),
    [
        ("askl-table2", ["SK", "NSK", "SKL", "NSKL", "ASKL"], 12, ("auto", "[0,100]", 0.2)),
        ("fks-table2", FKS, 11, ("[-1,1]", "[0,1]", 0.5)),
        ("fks-table3", FKS, 11, ("[-1,1]", "[0,1]", 0.5)),
    ],
)
def test_the_comparison_follows_the_printed_protocol(folder, table, methods, datasets, data):
    found = comparison_of(table)
    assert sorted(found.methods[:-1]) == sorted(methods)
    assert found.methods[-1] == "constant"
    assert len(found.datasets) == datasets == len(available(table))
    assert {(each.scaling, each.target_scale, each.test_size) for each in found.datasets} == {data}
    assert {each.split for each in found.datasets} == {"random"}
    assert (found.repeats, found.seed, found.tuning) == (30, 0, None)
    assert comparison_of(table, repeats=2, seed=7, datasets=["abalone"]).seeds == (7, 8)


def test_table_3_times_the_cells_of_table_2(folder):
    def keys(table):
        asked = comparison_of(table, datasets=["mg"], repeats=2, tuning=Tuning())
        return {cell.key for cell in asked.cells({"mg": "x"}, dict.fromkeys(asked.methods, ()))}

    assert keys("fks-table2") == keys("fks-table3")


def test_what_a_table_fixes_is_not_searched(folder):
    """Order 30, γ = 1 and p = 2 are defaults, but a tuned cell names them, since named options are not searched."""
    table = {f"x{i}": [float(j * i % 7) for j in range(40)] for i in (1, 2)} | {"target": [0.1 * j for j in range(40)]}
    pq.write_table(pa.table(table), folder / "mg.parquet")

    def options(tuning):
        asked = comparison_of("fks-table2", datasets=["mg"], repeats=1, tuning=tuning)
        return {cell.method: dict(cell.options) for cell in plan(asked).cells}

    tuned = options(Tuning())
    assert tuned["FKS-Fourier"] == {"order": 30, "gamma": 1.0}
    assert tuned["MKL"] == {"p": 2.0}
    assert tuned["eSVR-rbf"] == {}
    assert not any(options(None).values())


def test_the_constant_predictor_is_always_compared(folder):
    assert comparison_of("askl-table2", methods=["ASKL"]).methods == ("ASKL", "constant")
    assert comparison_of("askl-table2", methods=["constant", "svm-rbf"]).methods == ("constant", "svm-rbf")


def test_only_what_is_at_hand_is_compared_unless_it_is_named(folder):
    for name in ("usps", "mnist"):
        (folder / f"{name}.parquet").unlink()
    assert {"usps", "mnist"}.isdisjoint(available("askl-table2"))
    assert [each.dataset for each in comparison_of("askl-table2").datasets] == available("askl-table2")
    with pytest.raises(DataError, match=r"Given: mnist, which are missing\. Set KERNLAB_DATA .* name others: segment"):
        comparison_of("askl-table2", datasets=["segment", "mnist"])


def test_where_nothing_is_at_hand_it_says_what_is_missing(monkeypatch):
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    assert available("fks-table2") == []
    with pytest.raises(DataError, match=r"mg, balloon, space_ga.*KERNLAB_DATA"):
        comparison_of("fks-table2")


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"table": "askl-table3"}, UnknownNameError, "Did you mean askl-table2"),
        ({"datasets": ["letters"]}, UnknownNameError, "Did you mean letter"),
        ({"datasets": ["wine"]}, UnknownNameError, "data set of askl-table2"),
        ({"datasets": ["letter", "letter"]}, OptionError, "may stand once"),
        ({"methods": ["SK", "SK"]}, OptionError, "may stand once"),
        ({"repeats": 0}, OptionError, "repeats must be"),
        ({"budget": 60.0}, OptionError, "without tuning"),
        ({"budget": 0.0, "tuning": Tuning()}, OptionError, "above 0"),
        ({"budget": float("nan"), "tuning": Tuning()}, OptionError, "above 0"),
    ],
)
def test_mistakes_are_refused_with_a_sentence(folder, changes, error, sentence):
    with pytest.raises(error, match=sentence):
        comparison_of(**{"table": "askl-table2", **changes})


DATASETS = list(TABLES["askl-table2"].datasets)


@given(
    budget=st.floats(1, 1e6),
    workers=st.integers(1, 64),
    repeats=st.integers(1, 40),
    datasets=st.lists(st.sampled_from(DATASETS), min_size=1, unique=True),
    methods=st.lists(st.sampled_from(["SK", "ASKL", "svm-rbf", "constant"]), min_size=1, unique=True),
)
def test_the_workers_spend_the_budget_and_no_more(budget, workers, repeats, datasets, methods):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kernlab.papers.tables.files", lambda: dict.fromkeys(DATASETS))
        asked = {"datasets": datasets, "methods": methods, "repeats": repeats, "workers": workers}
        found = comparison_of("askl-table2", tuning=Tuning(trials=7), budget=budget, **asked)
        assert found == comparison_of("askl-table2", tuning=Tuning(trials=7), budget=budget, **asked)
    assert found.tuning.trials == 7
    tuned = len(datasets) * repeats * len(set(methods) - {"constant"})
    if tuned:
        assert found.tuning.seconds * tuned / workers == pytest.approx(budget)


# -- ours beside theirs -------------------------------------------------------------------------------------------


def test_an_error_off_the_stated_scale_is_marked_and_never_beaten():
    """ASKL Table 2 prints 11.34 for space_ga and 46.34 for cadata, where predicting the mean gives 6.27 and 23.8."""
    ours = {"space_ga": 3.0, "cadata": 11.0, "abalone": 7.7, "cpusmall": 3.2}
    rows = by_method("askl-table2", [record(dataset, "ASKL", test=test) for dataset, test in ours.items()])
    assert {key[0]: (row["mark"], row["beats"]) for key, row in rows.items() if key[1] == "ASKL"} == {
        "space_ga": (OFF_SCALE, None), "cadata": (OFF_SCALE, None), "abalone": ("", True), "cpusmall": ("", False),
    }  # fmt: skip
    assert [row["published_mean"] for row in rows.values() if row["method"] == "ASKL"] == [11.34, 46.34, 7.88, 2.42]


@given(test=st.floats(1e-6, 1e3))
def test_nothing_is_claimed_from_a_marked_figure_whatever_ours_is(test):
    tables = (("askl-table2", "[0,100]"), ("fks-table2", "[0,1]"))
    for table, scale in tables:
        marked = {(each.dataset, each.method) for each in printed(table) if each.mark}
        records = [record(*key, test=test, target_scale=scale) for key in marked]
        rows = by_method(table, records)
        assert all(rows[key]["beats"] is None and rows[key]["mark"] == OFF_SCALE for key in marked)


def test_errors_are_squared_on_the_scale_of_the_frames_table():
    scale = {"target_scale": "[0,1]"}
    ours = [record("mg", "FKS-Fourier", seed, test, **scale) for seed, test in enumerate((0.06, 0.08))]
    mean = [record("mg", "constant", seed, test, **scale) for seed, test in enumerate((0.25, 0.26))]
    rows = by_method("fks-table2", [*ours, *mean])
    row, constant = rows["mg", "FKS-Fourier"], rows["mg", "constant"]
    assert row["metric"] == "mse"
    assert row["mean"] == pytest.approx((0.06**2 + 0.08**2) / 2)
    assert row["std"] == pytest.approx(statistics.stdev((0.06**2, 0.08**2)))
    assert (row["n"], row["published_mean"], row["published_std"], row["beats"]) == (2, 0.0068, 0.0024, True)
    assert constant["mean"] == row["constant"] == pytest.approx((0.25**2 + 0.26**2) / 2)
    assert (constant["published_mean"], constant["beats"], constant["mark"]) == (None, None, "")
    assert list(rows)[-1] == ("mg", "constant")


def test_seconds_of_another_machine_are_no_win_but_ratios_stand_side_by_side():
    seconds = {"FKS-Fourier": 0.01, "eSVR-rbf": 0.04, "constant": 0.001}
    made = [record("mg", name, test=0.1, target_scale="[0,1]", seconds=took) for name, took in seconds.items()]
    rows = by_method("fks-table3", made)
    assert [rows["mg", name]["mean"] for name in seconds] == [0.01, 0.04, 0.001]
    assert {row["beats"] for row in rows.values()} == {None}
    assert rows["mg", "eSVR-rbf"]["times"] == pytest.approx(4)
    assert rows["mg", "eSVR-rbf"]["published_times"] == pytest.approx(0.0227 / 0.0178)
    assert rows["mg", "MKL"]["times"] is None
    assert rows["mg", "MKL"]["published_times"] == pytest.approx(2.0823 / 0.0178)
    assert rows["mg", "constant"]["constant"] is None


def test_what_was_not_run_and_what_was_never_printed_have_their_rows():
    accuracy = {"metric": "accuracy"}
    records = [record("segment", "ASKL", test=97.0, **accuracy), record("segment", "svm-rbf", test=96.0, **accuracy)]
    rows = by_method("askl-table2", records)
    assert [name for _, name in rows] == ["SK", "NSK", "SKL", "NSKL", "ASKL", "svm-rbf"]
    assert rows["segment", "ASKL"]["beats"] is True
    for name in ("SK", "NSKL"):
        row = rows["segment", name]
        assert (row["mean"], row["n"], row["beats"], row["seconds"]) == (None, 0, None, None)
        assert row["published_mean"] > 89
    baseline = rows["segment", "svm-rbf"]
    assert (baseline["mean"], baseline["published_mean"], baseline["beats"]) == (96.0, None, None)


def test_a_failed_cell_is_counted_and_says_why():
    records = [record("mg", "MKL", 0, 0.1, target_scale="[0,1]", trials=3, tuning_seconds=2.0),
               record("mg", "MKL", 1, message="It must fit.", target_scale="[0,1]")]  # fmt: skip
    row = by_method("fks-table2", records)["mg", "MKL"]
    assert (row["n"], row["failed"], row["messages"]) == (1, 1, ["It must fit."])
    assert (row["mean"], row["std"]) == (pytest.approx(0.01), None)
    assert (row["trials"], row["tuning_seconds"]) == (3, 2.0)
    assert beside("fks-table2", []) == []


@pytest.mark.skipif("mg" not in AT_HAND, reason="needs mg.parquet in a folder of KERNLAB_DATA")
def test_on_the_real_data_the_constant_is_what_was_measured_of_the_whole_set_and_is_beaten(tmp_path):
    from kernlab.compare.records import RecordStore
    from kernlab.compare.run import compare

    asked = comparison_of("fks-table2", datasets=["mg"], methods=["FKS-Fourier", "eSVR-rbf"], repeats=2)
    *_, last = compare(asked, backend="here", store=RecordStore(tmp_path))
    rows = by_method("fks-table2", last.records)
    assert rows["mg", "constant"]["mean"] == pytest.approx(0.0634, rel=0.1)
    assert all(rows["mg", name]["mean"] < 0.4 * rows["mg", name]["constant"] for name in ("FKS-Fourier", "eSVR-rbf"))

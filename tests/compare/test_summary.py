"""Records in, tables out: on splits that all share, tested, beside the constant predictor and printed figures."""

import csv
import math

import numpy as np
import pytest
from scipy import stats
from small_comparison import failed, record

from kernlab.compare.bands import band, bands
from kernlab.compare.summary import OFF_SCALE, Published, summarise
from kernlab.compare.tables import to_json, to_latex, to_wide_csv
from kernlab.errors import OptionError

rng = np.random.default_rng(0)


def row(table, method):
    return next(each for each in table.rows if each.method == method)


def comparison(J=10, methods=("SK", "ASKL", "svm-rbf"), dataset="segment", **values):
    base = rng.normal(90, 1, J)
    tests = {name: base + 3 * i + rng.normal(0, 0.2, J) for i, name in enumerate(methods)}
    return tests, [
        record(name, s, float(tests[name][s]), dataset=dataset, **values) for s in range(J) for name in methods
    ]


def test_a_table_is_what_numpy_and_scipy_make_of_it():
    tests, records = comparison()
    (table,) = summarise(records).tables
    assert [each.method for each in table.rows] == ["SK", "ASKL", "svm-rbf"]
    assert (table.metric, table.direction, table.splits, table.waiting) == ("accuracy", "more", tuple(range(10)), 0)
    for each in table.rows:
        assert each.values == tuple(tests[each.method])
        assert each.mean == pytest.approx(tests[each.method].mean())
        assert each.std == pytest.approx(tests[each.method].std(ddof=1))
        assert (each.n, each.failed, each.seconds, each.beats_constant) == (10, 0, 2.0, True)
    assert row(table, "svm-rbf").best
    assert row(table, "SK").p == pytest.approx(stats.ttest_rel(tests["SK"], tests["svm-rbf"]).pvalue)
    assert row(table, "SK").p_corrected > row(table, "SK").p
    assert (table.constant, table.constant_std) == (14.0, 0.0)


def test_the_order_of_records_does_not_matter_and_that_of_methods_is_kept():
    _, records = comparison()
    shuffled = [records[i] for i in rng.permutation(len(records))]
    order = ("ASKL", "svm-rbf", "SK")
    one, other = (summarise(some, methods=(*order, "never run")) for some in (records, shuffled))
    assert one == other
    assert one.methods == order


def test_while_it_runs_only_splits_that_all_have_reported_count():
    tests, records = comparison()
    (table,) = summarise(records[: 3 * 4 + 1]).tables  # four whole splits, and one method's fifth
    assert (table.splits, table.waiting) == ((0, 1, 2, 3), 1)
    assert row(table, "SK").mean == pytest.approx(tests["SK"][:4].mean())
    (nothing,) = summarise([record("SK", 0, 90.0), record("ASKL", 1, 91.0)]).tables
    assert (nothing.splits, nothing.waiting) == ((), 2)
    assert all(each.mean is None for each in nothing.rows)


def test_a_failed_cell_says_why_and_the_rest_goes_on():
    tests, records = comparison()
    records[1] = failed("ASKL", 0, message="diverged")
    records[4] = record("ASKL", 1, math.nan)
    (table,) = summarise(records).tables
    askl = row(table, "ASKL")
    assert (askl.n, askl.failed) == (8, 2)
    assert askl.messages == ("diverged", "the test metric is not finite")
    assert np.isnan(askl.values[:2]).all()
    assert askl.mean == pytest.approx(tests["ASKL"][2:].mean())
    assert askl.p == pytest.approx(stats.ttest_rel(tests["ASKL"][2:], tests["svm-rbf"][2:]).pvalue)
    assert row(table, "SK").n == 10


def test_better_on_the_finished_splits_is_stated_wherever_the_verdict_is():
    _, records = comparison()  # svm-rbf is the best, three points ahead of ASKL
    records = [r for r in records if r.cell["method"] != "SK"]
    records[1] = failed("svm-rbf", 0)
    summary = summarise(records)
    (table,) = summary.tables
    fragile = row(table, "svm-rbf")
    assert (fragile.best, fragile.better, fragile.not_worse, fragile.failed) == (False, True, True, 1)
    assert row(table, "ASKL").best
    sentence = (
        "svm-rbf is significantly better than ASKL on the 9 splits that both finished, but failed on 1 of 10, so that "
        "it is not called the best."
    )
    assert table.remarks() == [sentence]
    assert sentence in to_latex(summary)
    assert '"better": true' in to_json(summary)
    by_method = {each["method"]: each for each in csv.DictReader(to_wide_csv(summary).splitlines())}
    assert (by_method["svm-rbf"]["better"], by_method["ASKL"]["better"]) == ("True", "False")


def test_where_all_failed_the_table_still_stands():
    records = [failed("ASKL", s) for s in (0, 1)]
    summary = summarise(records)
    (only,) = summary.tables[0].rows
    assert (only.n, only.failed, only.mean, only.seconds) == (0, 2, None, None)
    assert (only.best, only.beats_constant) == (False, None)
    assert summary.tables[0].metric == ""
    assert summary.ranks.methods == ()
    assert summarise([]).tables == ()


def test_errors_are_better_when_they_are_less_and_worse_than_a_constant_is_shown():
    values = {"good": 7.0, "bad": 12.0}
    records = [record(m, s, v + 0.1 * s, metric="rmse", dataset="abalone") for m, v in values.items() for s in range(3)]
    (table,) = summarise(records).tables
    assert (row(table, "good").best, row(table, "good").beats_constant) == (True, True)
    assert (row(table, "bad").best, row(table, "bad").beats_constant) == (False, False)


def test_one_repeat_is_no_test():
    summary = summarise([record("SK", 0, 90.0), record("ASKL", 0, 91.0)])
    assert summary.note.startswith("No test")
    assert not any(each.not_worse for each in summary.tables[0].rows)
    assert row(summary.tables[0], "ASKL").best


def test_the_corrected_test_can_decide():
    d = [0.3, 0.9, 0.1, 0.8, 0.6, -0.3, 0.5, 0.4]
    records = [record("a", s, 90 + v, n_test=40) for s, v in enumerate(d)] + [record("b", s, 90.0) for s in range(8)]
    records = [r if r.cell["method"] == "a" else record("b", r.cell["seed"], 90.0, n_test=40) for r in records]
    plain, corrected = summarise(records), summarise(records, test="corrected")
    assert not row(plain.tables[0], "b").not_worse
    assert row(corrected.tables[0], "b").not_worse
    assert "corrected" in corrected.note


def test_a_source_split_is_shown():
    records = [record("SK", s, 90.0 + s, data={"split": "source"}) for s in range(3)]
    assert "source" in summarise(records).note


def test_ranks_over_data_sets_leave_the_constant_out():
    records = []
    for dataset in ("segment", "satimage", "letter", "usps"):
        records += comparison(dataset=dataset)[1]
        records += [record("constant", s, 14.0, dataset=dataset) for s in range(10)]
    found = summarise(records).ranks
    assert found.methods == ("svm-rbf", "ASKL", "SK")
    assert found.average == (1.0, 2.0, 3.0)
    assert len(found.datasets) == 4
    assert found.friedman == pytest.approx(stats.friedmanchisquare([1] * 4, [2] * 4, [3] * 4).pvalue)


def test_a_method_does_not_gain_ranks_by_failing():
    """On one data set the best method fails on a split, on another on all of them: it comes last on both."""
    records = [each for dataset in ("segment", "satimage", "letter") for each in comparison(dataset=dataset)[1]]
    assert summarise(records).ranks.average == (1.0, 2.0, 3.0)
    assert "ranks" not in summarise(records).note
    for dataset, seeds in (("segment", [4]), ("letter", range(10))):
        records += [failed("svm-rbf", seed, dataset) for seed in seeds]  # the last record of a cell counts
    summary = summarise(records)
    assert dict(zip(summary.ranks.methods, summary.ranks.average, strict=True)) == pytest.approx(
        {"ASKL": 4 / 3, "SK": 7 / 3, "svm-rbf": 7 / 3}
    )
    assert summary.ranks.left_out == ()
    assert summary.note.endswith(
        " In the average ranks a method comes after those that finished more splits of a data set: svm-rbf on segment, "
        "svm-rbf on letter."
    )
    assert summarise([failed("SK", 0, "letter"), failed("ASKL", 0, "letter")]).ranks.left_out == ("letter",)


def test_the_last_of_two_records_of_a_cell_counts():
    (table,) = summarise([record("SK", 0, 1.0), record("SK", 0, 2.0)]).tables
    assert row(table, "SK").values == (2.0,)


def printed(mean, metric="rmse", method="ASKL", dataset="abalone", constant=11.5):
    return Published("table", dataset, method, metric, mean, 0.2, constant)


def abalone(value, **values):
    return [record("ASKL", s, value + 0.01 * s, metric="rmse", dataset="abalone", **values) for s in range(3)]


def test_printed_figures_stand_beside_ours_on_their_scale():
    records = abalone(2.0, extra={"test_rmse_range100": 7.0})
    rmse, mse = printed(7.9), printed(0.0045, "mse", constant=0.0132)
    (table,) = summarise(records, published=[rmse, mse, printed(7.0, dataset="cadata")]).tables
    first, second = table.published
    assert (first.published, first.mean, first.beats) == (rmse, 7.0, True)
    assert (second.mean, second.beats) == (pytest.approx(0.0049), False)


@pytest.mark.parametrize(("scale", "factor"), [("[0,100]", 1.0), ("[0,1]", 100.0)])
def test_the_unit_of_the_targets_is_known_from_the_split(scale, factor):
    (table,) = summarise(abalone(7.0 / factor, data={"target_scale": scale}), published=[printed(7.9)]).tables
    assert table.published[0].mean == pytest.approx(7.0 + 0.01 * factor)


def test_a_figure_in_another_unit_claims_nothing():
    (table,) = summarise(abalone(2.0, data={"target_scale": "original"}), published=[printed(7.9)]).tables
    assert table.published[0][1:] == (None, None, None)
    (table,) = summarise(abalone(2.0), published=[printed(90.0, "accuracy")]).tables
    assert table.published[0].mean is None


def test_a_printed_error_worse_than_a_constant_is_marked_and_never_beaten():
    off = printed(11.6)
    assert off.mark == OFF_SCALE
    assert printed(11.4).mark == printed(99.0, constant=None).mark == ""
    (table,) = summarise(abalone(2.0, extra={"test_rmse_range100": 3.0}), published=[off]).tables
    assert table.published[0].mean == 3.0
    assert table.published[0].beats is None


def test_seconds_of_another_machine_are_shown_and_not_compared():
    (table,) = summarise(abalone(2.0), published=[printed(0.06, "train_seconds", constant=None)]).tables
    assert (table.published[0].mean, table.published[0].beats) == (2.0, None)


def test_a_method_that_was_not_run_keeps_its_printed_figure():
    (table,) = summarise(abalone(2.0), published=[printed(7.9, method="SK")]).tables
    assert table.published[0][1:] == (None, None, None)


def test_an_unknown_metric_is_refused():
    with pytest.raises(OptionError, match="metric"):
        summarise([record("SK", 0, 1.0, metric="speed")])


def test_a_band_on_the_same_epochs_is_numpys():
    Y = rng.normal(size=(5, 4))
    found = band("SK", [([1, 2, 3, 4], y) for y in Y])
    np.testing.assert_allclose(found.x, [1, 2, 3, 4])
    np.testing.assert_allclose(found.mean, Y.mean(0), rtol=1e-5)
    np.testing.assert_allclose(found.high - found.mean, Y.std(0, ddof=1), rtol=1e-4)
    np.testing.assert_allclose(found.mean - found.low, Y.std(0, ddof=1), rtol=1e-4)
    whole = band("SK", [([1, 2, 3, 4], y) for y in Y], spread="range")
    np.testing.assert_allclose(whole.low, Y.min(0), rtol=1e-6)
    np.testing.assert_allclose(whole.high, Y.max(0), rtol=1e-6)
    assert found.n == 5


def test_curves_meet_on_a_common_grid():
    # Between its points a repeat is linear; after its end it keeps its last value; nothing stands before all began.
    found = band("SK", [([0, 2, 4], [0, 2, 4]), ([1, 2], [10, 20])])
    np.testing.assert_allclose(found.x, [1, 2, 4])
    np.testing.assert_allclose(found.mean, [5.5, 11, 12])


def test_long_curves_keep_to_the_limit_and_straight_lines():
    x = np.arange(5000)
    found = band("SK", [(x, 2.0 * x), (x, 4.0 * x)], limit=50)
    assert len(found.x) == 50
    np.testing.assert_allclose(found.mean, 3 * found.x, rtol=1e-5, atol=1e-3)


def test_one_repeat_has_no_band_and_what_is_not_finite_is_left_out():
    found = band("SK", [([1, 2, 3], [1, np.nan, 3])])
    np.testing.assert_allclose(found.mean, [1, 3])
    np.testing.assert_allclose(found.low, found.high)
    assert band("SK", [([1], [np.nan]), ([], [])]) is None


def test_bands_of_a_comparison():
    def curve(v):
        return {"epoch": [1, 2], "test_metric": [v, v + 1], "train_metric": [v + 5, v + 6]}

    records = [record(m, s, 90.0, curve=curve(90 + s)) for s in range(3) for m in ("SK", "ASKL")]
    records += [record("svm-rbf", 0, 95.0), record("SK", 3, None, status="failed", curve=curve(0))]
    records += [record("SK", 0, 1.0, dataset="letter", curve=curve(1))]
    found = bands(records, "segment", methods=("ASKL",))
    assert [each.method for each in found.bands] == ["ASKL", "SK"]
    np.testing.assert_allclose(found.bands[1].mean, [91, 92])
    assert (found.bands[1].n, found.metric, found.constant) == (3, "accuracy", 14.0)
    np.testing.assert_allclose(bands(records, "segment", curve="train_metric").bands[0].mean, [96, 97])
    assert bands(records, "nowhere").bands == ()

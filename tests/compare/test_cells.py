"""One cell: the numbers of a training by itself, nothing of the test part in it, and failures as sentences."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from small_comparison import QUICK

from kernlab import RunSpec, devices, fit
from kernlab.compare import Cell, Tuning, cells
from kernlab.compare.cells import prepared_for, run_cell, training_part
from kernlab.data import Dataset, DataSpec, fingerprint, load
from kernlab.errors import TrainingError
from kernlab.training import replicates

DATA = {name: load(name) for name in ("iris", "diabetes")}


@cache
def mark(name: str) -> str:
    return fingerprint(DATA[name])


def cell(method: str, dataset: str = "iris", seed: int = 0, tuning: Tuning | None = None, **options: object) -> Cell:
    return Cell(method, DataSpec.build(dataset=dataset), mark(dataset), seed, options, tuning)


@pytest.mark.parametrize(
    ("method", "dataset"), [("ASKL", "iris"), ("NSK", "diabetes"), ("RFDI", "iris"), ("KRR", "iris")]
)
def test_a_cell_reaches_what_a_training_by_itself_reaches(method, dataset):
    options = {} if method == "KRR" else QUICK
    record = run_cell(cell(method, dataset, 3, **options), dataset=DATA[dataset])
    alone = fit(RunSpec.of(method, dataset, seed=3, device="cpu", **options)).summary
    assert record.status == "done", record.message
    assert (record.test, record.train) == pytest.approx((alone["test_metric"], alone["train_metric"]), rel=1e-6)
    assert (record.metric, record.constant, record.n_test) == (alone["metric"], alone["constant"], alone["n_test"])
    assert record.extra.get("test_rmse_range100") == pytest.approx(alone.get("test_rmse_range100"))
    assert record.curve["test_metric"][-1] == record.test
    assert len({len(values) for values in record.curve.values()}) == 1


@pytest.mark.parametrize("method", ["ASKL", "svm-rbf"])
def test_a_shown_curve_or_baseline_needs_no_more_than_the_cell(method):
    """Loading by name and taking the data that are at hand are the same."""
    one = run_cell(cell(method, **(QUICK if method == "ASKL" else {})), dataset=DATA["iris"])
    other = run_cell(cell(method, **(QUICK if method == "ASKL" else {})))
    assert (one.test, one.train, one.curve) == (other.test, other.train, other.curve)


@pytest.mark.parametrize("method", ["ASKL", "RFDI", "svm-rbf"])
def test_nothing_of_the_test_part_decides_anything(method):
    """Other labels and other inputs in the test part: the same search, the same settings, the same training."""
    tuned = cell(method, seed=1, tuning=Tuning(trials=4), **({} if method == "svm-rbf" else QUICK))
    data = prepared_for(tuned, DATA["iris"])
    rng = np.random.default_rng(0)
    other = replace(data, y_test=rng.permutation(data.y_test), X_test=rng.normal(size=data.X_test.shape).astype("f4"))
    before, after = run_cell(tuned, prepared=data), run_cell(tuned, prepared=other)
    assert before.status == after.status == "done", (before.message, after.message)
    assert before.trials > 1
    for name in ("chosen", "trials", "train"):
        assert getattr(before, name) == getattr(after, name)
    assert before.extra["options"] == after.extra["options"]
    assert before.curve.get("train_metric") == after.curve.get("train_metric")
    assert before.test != after.test


def test_a_search_is_shown_no_test_row():
    part = training_part(prepared_for(cell("SK"), DATA["iris"]))
    assert len(part.X_test) == len(part.y_test) == len(part.test_rows) == 0
    assert len(part.X_train) == 120


@pytest.mark.parametrize(
    ("tried", "message"),
    [
        (cell("SVC-rbf", "diabetes"), "regression data set"),
        (cell("ASKL", batch_size=1000), "at least one mini-batch"),
        (cell("ASKL", n_features=-1), "n_features"),
        (cell("svm-rbf", nothing=1), "nothing"),
        (replace(cell("SK"), fingerprint="0" * 64), "another content of 'iris'"),
        (cell("SK", "diabetes", learning_rate=100, optimizer="sgd", n_features=20, epochs=50), "finite"),
    ],
)
def test_what_goes_wrong_becomes_a_sentence(tried, message):
    record = run_cell(tried)
    assert (record.status, record.test, record.key) == ("failed", None, tried.key)
    assert message in record.message


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (TrainingError("it must go on"), "it must go on."),
        (MemoryError(), "must fit into memory"),
        (torch.linalg.LinAlgError("no"), "must stay finite"),
        (ZeroDivisionError("oh"), "An error inside kernlab (ZeroDivisionError: oh)."),
    ],
)
def test_whatever_is_raised_inside_stays_inside(monkeypatch, raised, message):
    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(replicates, "start", fail)
    assert message in run_cell(cell("SK", **QUICK), dataset=DATA["iris"]).message


def test_a_cell_takes_one_thread_and_gives_the_others_back(monkeypatch):
    seen = []
    threads = torch.get_num_threads()
    original = replicates.start

    def look(*arguments, **named):
        seen.append((torch.get_num_threads(), devices.cores(), devices.threads_for(1e12)))
        return original(*arguments, **named)

    monkeypatch.setattr(replicates, "start", look)
    torch.set_num_threads(2)
    try:
        run_cell(cell("SK", **QUICK), dataset=DATA["iris"])
        assert seen == [(1, 1, 1)]
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("method", ["ASKL", "svm-rbf"])
def test_a_record_has_the_time_of_predictions(method, monkeypatch):
    """Three passes, of which the second is the fastest."""
    clock = iter([0.0, 0.2, 1.0, 1.1, 2.0, 2.15])
    monkeypatch.setattr(cells, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    record = run_cell(cell(method, **(QUICK if method == "ASKL" else {})), dataset=DATA["iris"])
    assert record.extra["prediction_ms"] == pytest.approx(100)


@pytest.mark.parametrize("n", [30, 4000])
def test_a_thousand_rows_are_predicted_and_once_where_that_takes_long(n, monkeypatch):
    clock, seen, X = iter([0.0, 0.7]), [], np.arange(2.0 * n).reshape(n, 2)
    monkeypatch.setattr(cells, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert cells.prediction_ms(seen.append, X) == pytest.approx(700)
    (rows,) = seen
    assert np.array_equal(rows, X[np.arange(1000) % n])


def test_the_methods_own_scaling_is_taken():
    assert prepared_for(cell("RFDI"), DATA["iris"]).inputs.kind == "[0,1]"
    assert prepared_for(cell("ASKL"), DATA["iris"]).inputs.kind == "standardize"
    chosen = replace(cell("RFDI"), data=DataSpec.build(dataset="iris", scaling="standardize"))
    assert prepared_for(chosen, DATA["iris"]).inputs.kind == "standardize"


def test_data_that_cannot_be_split_fail_the_cell():
    y = np.array([0] * 20 + [1])
    data = Dataset("tiny", np.arange(42, dtype="f4").reshape(21, 2), y, "classification", ("a", "b"), ("0", "1"))
    assert "at least two rows" in run_cell(cell("SK"), dataset=data).message

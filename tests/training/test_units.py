"""Scores in the unit that was asked for, computed again from the model's own predictions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from small import classes, curve, events, spec, targets

from kernlab.data import SOURCES, DataSpec, load, prepare
from kernlab.errors import CompositionError
from kernlab.methods import METHODS
from kernlab.model import Model
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

UPPER = {"[0,1]": 1.0, "[0,100]": 100.0}


def stretched(y: np.ndarray, upper: float) -> np.ndarray:
    return upper * (y - y.min(axis=0)) / (y.max(axis=0) - y.min(axis=0))


def rmse(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.sqrt(np.mean((a - b) ** 2)))


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("scale", ["original", "[0,1]", "[0,100]"])
def test_the_rmse_is_that_of_the_predictions_in_the_reported_unit(scale, K):
    data = targets(K=K, target_scale=scale)
    result = fit(spec(epochs=20), data=data)
    dataset = data.dataset
    truth = dataset.y if scale == "original" else stretched(dataset.y, UPPER[scale])
    predicted = result.model.predict(dataset.X)
    assert predicted.shape == truth.shape
    for part, rows in (("train", data.train_rows), ("test", data.test_rows)):
        assert result.summary[f"{part}_metric"] == pytest.approx(rmse(predicted[rows], truth[rows]), rel=1e-5)
    assert result.summary["target_unit"] == scale
    assert result.summary["metric"] == "rmse"
    mean = truth[data.train_rows].mean(axis=0)
    assert result.summary["constant"] == pytest.approx(rmse(mean, truth[data.test_rows]), rel=1e-5)


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("scale", ["original", "[0,1]", "[0,100]"])
def test_the_comparable_rmse_stretches_each_target_to_a_hundred(scale, K):
    data = targets(K=K, target_scale=scale)
    result = fit(spec(epochs=20), data=data)
    y = data.dataset.y
    in_original = result.model.predict(data.dataset.X)
    if scale != "original":
        in_original = in_original / UPPER[scale] * (y.max(axis=0) - y.min(axis=0)) + y.min(axis=0)
    on_100 = 100 * (in_original - y.min(axis=0)) / (y.max(axis=0) - y.min(axis=0))
    expected = rmse(on_100[data.test_rows], stretched(y, 100.0)[data.test_rows])
    assert result.summary["test_rmse_range100"] == pytest.approx(expected, rel=1e-5)


def test_the_unit_of_the_report_changes_nothing_that_is_learned():
    finals = [fit(spec(), data=targets(target_scale=scale)) for scale in ("original", "[0,100]")]
    a, b = (result.summary["test_rmse_range100"] for result in finals)
    assert a == pytest.approx(b, rel=1e-4)


def test_the_accuracy_is_that_of_the_predicted_labels():
    data = classes()
    result = fit(spec(), data=data)
    labels = np.asarray(data.dataset.target_names)[data.dataset.y]
    right = result.model.predict(data.dataset.X) == labels
    assert result.summary["train_metric"] == pytest.approx(100 * right[data.train_rows].mean())
    assert result.summary["test_metric"] == pytest.approx(100 * right[data.test_rows].mean())
    largest = np.bincount(data.y_train).argmax()
    assert result.summary["constant"] == pytest.approx(100 * (data.y_test == largest).mean())


def test_the_first_measurement_is_of_a_model_that_says_zero():
    data = targets()
    scale = data.targets.scale
    first = next(curve(events(spec(), data), "test_metric"))
    assert first == pytest.approx(float(np.sqrt(np.mean((data.y_test * scale) ** 2))), rel=1e-5)


def serves(name: str, dataset: str) -> bool:
    try:
        METHODS[name].check(SOURCES[dataset].task)
    except CompositionError:
        return False
    return True


ON_REAL_DATA = [(m, d) for m in METHODS for d in ("iris", "wine", "breast_cancer", "diabetes") if serves(m, d)]


@pytest.mark.parametrize(("method", "dataset"), ON_REAL_DATA)
def test_every_method_beats_the_constant_predictor_on_real_data(method, dataset):
    spec = METHODS[method]
    # Where a ridge follows, features must be few against a hundred rows; of candidates most are dropped.
    features = 1000 if spec.feature_map.name == "weighted" else 30 if spec.two_stage else 100
    small = {"n_features": features, "epochs": 15, "order": 5, "g": 1e-3, "C": 0.3}
    run = RunSpec.of(method, dataset, **{key: value for key, value in small.items() if key in spec.schema()})
    summary = fit(run, data=prepare(load(dataset), prepared_as(run), 0)).summary
    if summary["metric"] == "accuracy":
        assert summary["test_metric"] > summary["constant"] + 20
    else:
        assert summary["test_metric"] < 0.95 * summary["constant"]


def prepared_as(run: RunSpec) -> DataSpec:
    """The run's data, scaled as the method wants them."""
    return run.data.replace(scaling=run.method.input_scaling or "auto")


@pytest.mark.parametrize("data", [classes(), targets(K=3)], ids=["classes", "targets"])
def test_a_model_predicts_the_same_after_it_was_saved(data, tmp_path):
    model = fit(spec(), data=data).model
    model.save(tmp_path / "model.safetensors")
    again = Model.load(tmp_path / "model.safetensors")
    X = data.dataset.X
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert (again.method, again.task, again.names) == (model.method, model.task, model.names)
    assert again.feature_names == data.dataset.feature_names


def test_predictions_do_not_depend_on_the_other_rows(monkeypatch):
    """Rows are taken in blocks, so that n × D never has to fit in memory."""
    data = classes()
    model = fit(spec(), data=data).model
    whole = model.decision_function(data.dataset.X)
    np.testing.assert_allclose(
        np.concatenate([model.decision_function(row[None]) for row in data.dataset.X]), whole, atol=1e-5
    )
    wide = fit(spec(n_features=150_000, epochs=1), data=data).model  # 26 rows a block
    X = np.tile(data.dataset.X, (2, 1))
    scores = wide.decision_function(X)
    np.testing.assert_allclose(scores[:60], scores[60:], atol=1e-5)


def test_fitting_leaves_the_number_of_threads_as_it_was():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        fit(spec(), data=classes())
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)

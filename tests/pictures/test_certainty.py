"""Calibration, intervals and the band of a regression against their definitions, for a run of each kind."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct

from kernlab.bench.pages import stored
from kernlab.errors import DataError
from kernlab.heads.calibration import intervals, reliability
from kernlab.methods import METHODS
from kernlab.pictures import run_data
from kernlab.pictures.certainty import band_at, certainty_at, regression_at
from kernlab.pictures.gallery import PICTURES, seen
from kernlab.pictures.recorded import RecordedRun
from kernlab.pictures.run_data import rows_at
from kernlab.runs.store import Store


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("certainty")


def run_of(home, method, dataset, **options):
    options = {"n_features": 40, "epochs": 3, **options}
    run = RecordedRun(Store(home), stored(home, method, dataset, **options))
    run.refresh()
    return run


@pytest.fixture(scope="module")
def chirp(home):
    return run_of(home, "ASKL", "chirp", validation=0)


def test_a_model_that_is_right_as_often_as_it_says_is_calibrated():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.ones(3), 20_000)
    codes = (chances.cumsum(1) < rng.random((20_000, 1))).sum(1)
    found = reliability(chances, codes)
    assert found.error < 0.02
    np.testing.assert_allclose(found.observed, found.promised, atol=0.05)
    assert found.loss == pytest.approx(-np.log(chances[np.arange(20_000), codes]).mean())
    assert reliability(chances**8 / (chances**8).sum(1, keepdims=True), codes).error > 0.15  # far too sure
    assert found.counts.sum() == 20_000


def test_intervals_of_the_true_deviation_hold_what_they_promise():
    rng = np.random.default_rng(0)
    mean, deviation = rng.normal(size=20_000), rng.uniform(0.5, 2, 20_000)
    y = mean + deviation * rng.normal(size=20_000)
    assert intervals(mean, deviation, y).error < 0.01
    narrow = intervals(mean, deviation / 2, y)
    assert (narrow.observed < narrow.promised).all()
    assert narrow.loss > intervals(mean, deviation, y).loss


def test_the_band_is_the_gaussian_process_of_the_features_in_the_unit_of_the_targets(chirp):
    at = seen(chirp)
    rows = rows_at(at)
    found = regression_at(at, rows, rows.Phi)
    noise = float(found.noise[0])
    kernel = ConstantKernel(noise / found.penalty, "fixed") * DotProduct(0.0, "fixed")
    machine = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None).fit(rows.Phi.numpy(), rows.Y.numpy()[:, 0])
    mean, deviation = machine.predict(rows.features(at.static["view_points"]).numpy(), return_std=True)
    ours, band, _ = band_at(at)
    targets = rows.data.targets
    assert targets
    expected = targets.inverse(mean[:, None])[:, 0]  # it crosses zero
    np.testing.assert_allclose(ours[:, 0], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())
    np.testing.assert_allclose(band[:, 0], np.sqrt(deviation**2 + noise) * targets.scale[0], rtol=1e-5)


def test_the_function_of_one_input_has_its_band_and_most_points_are_in_it(chirp):
    drawn = PICTURES["function"].make(seen(chirp))
    band = next(trace for trace in drawn.data if trace.name.startswith("±2σ"))
    points = next(trace for trace in drawn.data if trace.name == "training points")
    half = len(band.x) // 2
    low, high = (np.interp(points.x, *ends) for ends in ((band.x[:half], band.y[:half]),
                                                         (band.x[half:][::-1], band.y[half:][::-1])))  # fmt: skip
    assert np.mean((points.y >= low) & (points.y <= high)) > 0.9


@pytest.mark.parametrize(("method", "dataset"), [("ASKL", "moons"), ("Deep-ASKL", "moons"), ("RFDI", "iris")])
def test_classes_have_a_calibration_at_every_kind_of_map(home, method, dataset):
    at = seen(run_of(home, method, dataset))
    found = certainty_at(at)
    assert 0 <= found.calibration.error < 0.25
    assert found.evidence < 0
    assert PICTURES["calibration"].make(at).layout.title.text == "Calibration on test rows"


def test_training_makes_the_test_rows_less_surprising(home):
    run = run_of(home, "ASKL", "checkerboard", n_features=100, epochs=20, n_samples=500, validation=0)
    first, last = (certainty_at(seen(run, at)) for at in ({"at": "0"}, {}))
    assert last.calibration.loss < first.calibration.loss
    drawn = PICTURES["certainty"].make(seen(run))
    assert [len(trace.x) for trace in drawn.data] == [min(10, len(run.snapshots.steps))] * 2


def test_a_run_whose_data_have_changed_says_so_and_its_function_is_still_drawn(chirp, monkeypatch):
    monkeypatch.setattr(run_data, "fingerprint", lambda dataset: "another")
    run_data._data.cache_clear()
    monkeypatch.setattr("kernlab.pictures.base._computed", OrderedDict())
    at = seen(chirp)
    with pytest.raises(DataError, match="a data set that has changed"):
        certainty_at(at)
    names = [trace.name for trace in PICTURES["function"].make(at).data]
    assert "prediction" in names
    assert not [name for name in names if name.startswith("±2σ")]
    run_data._data.cache_clear()


@pytest.mark.parametrize(
    ("method", "dataset"), [("ASKL", "iris"), ("RF", "chirp"), ("KRR", "chirp"), ("SVC-rbf", "iris")]
)
def test_the_summary_of_a_run_says_how_sure_it_is(home, method, dataset):
    options = {"n_features": 40, "epochs": 5, "validation": 0}
    known = {name: value for name, value in options.items() if name in METHODS[method].schema()}
    run = RecordedRun(Store(home), stored(home, method, dataset, **known))
    found = run.run.summary["certainty"]
    assert found.get("features") == (None if method in ("KRR", "SVC-rbf") else 40)
    assert found["rows"] <= run.run.summary["n_train"]
    run.refresh()
    page = certainty_at(seen(run))
    assert found["test_loss"] == pytest.approx(page.calibration.loss, abs=0.1)
    assert found["log_evidence"] == pytest.approx(page.evidence, abs=0.1)
    assert 0 <= found["calibration_error"] < 0.25

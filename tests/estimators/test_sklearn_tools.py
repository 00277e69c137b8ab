"""Pipelines, searches, cross-validation, pickle, pandas, workers: what people do with scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from estimators_small import blobs, cases, estimator, waves
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernlab.estimators import TRANSFORMERS, KernelClassifier, KernelRegressor, StationaryFeatures


def test_a_pipeline_scales_first():
    X, y = blobs()
    options = {"frequency_scale": 0.5, "random_state": 0}
    piped = make_pipeline(StandardScaler(), KernelClassifier("RF", scaling="none", **options)).fit(X, y)
    alone = KernelClassifier("RF", scaling="standardize", **options).fit(X, y)
    assert np.allclose(piped.decision_function(X), alone.decision_function(X), rtol=1e-6, atol=1e-6)


def test_features_then_a_linear_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (np.linalg.norm(X, axis=1) > 1.18).astype(int)  # no line tells them apart
    linear = cross_val_score(RidgeClassifier(), X, y).mean()
    kernel = cross_val_score(make_pipeline(StationaryFeatures(n_features=200, random_state=0), RidgeClassifier()), X, y)
    assert linear < 0.65 < 0.9 < kernel.mean()


def test_a_search_goes_over_methods_and_their_options():
    X, y = blobs(90, K=3)
    search = GridSearchCV(
        KernelClassifier(n_features=20, epochs=3, compile="off", random_state=0),
        {"method": ["SK", "ASKL"], "frequency_scale": np.logspace(-1, 0, 2), "batch_size": np.array([8, 16])},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert search.best_score_ > 0.7
    assert search.best_estimator_.method_.options()["batch_size"] in (8, 16)


def test_an_option_that_a_method_lacks_fails_that_fit_alone():
    X, y = blobs()
    search = GridSearchCV(
        KernelClassifier(random_state=0), {"method": ["RF", "KRR"], "density": ["laplacian"]}, cv=2
    )  # fmt: skip
    failed = pytest.warns(FitFailedWarning, match="option of KRR must be one")
    with failed, pytest.warns(UserWarning, match="non-finite"):
        search.fit(X, y)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]


@pytest.mark.parametrize(("name", "task"), cases())
def test_pickle_and_clone(name, task):
    X, y = blobs() if task == "classification" else waves()
    fitted = estimator(name, task).fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    again = clone(fitted)
    assert not hasattr(again, "model_")
    assert np.array_equal(again.fit(X, y).predict(X), fitted.predict(X))


def test_random_states():
    X, y = waves()
    same = [KernelRegressor("RF", random_state=3).fit(X, y).predict(X) for _ in range(2)]
    assert np.array_equal(*same)
    assert not np.array_equal(KernelRegressor("RF", random_state=4).fit(X, y).predict(X), same[0])
    shared = np.random.RandomState(0)
    drawn = [KernelRegressor("RF", random_state=shared).fit(X, y).predict(X) for _ in range(2)]
    assert not np.array_equal(*drawn)  # a generator goes on
    with pytest.raises(ValueError, match="cannot be used to seed"):
        KernelRegressor("RF", random_state="now").fit(X, y)


def test_pandas_in_and_out():
    pandas = pytest.importorskip("pandas")
    X, y = blobs()
    frame = pandas.DataFrame(X, columns=list("abc"), index=np.arange(100, 160))
    fitted = KernelClassifier("RF", random_state=0).fit(frame, pandas.Series(y, index=frame.index))
    assert list(fitted.feature_names_in_) == list("abc")
    assert fitted.model_.feature_names == ("a", "b", "c")
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["b", "a", "c"]])
    features = StationaryFeatures(n_features=4, random_state=0).set_output(transform="pandas").fit_transform(frame)
    assert list(features.columns) == [f"stationaryfeatures{j}" for j in range(4)]
    assert features.index.equals(frame.index)


@pytest.mark.parametrize("cls", [KernelClassifier, *TRANSFORMERS.values()])
def test_torch_keeps_its_threads(cls):
    """A fit leaves the number of threads as it was, and never takes more: workers share the cores."""
    X, y = blobs()
    before = torch.get_num_threads()
    most = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            hook = torch.nn.functional.one_hot

            def watched(*args, **options):
                most.append((threads, torch.get_num_threads()))  # noqa: B023
                return hook(*args, **options)  # noqa: B023

            torch.nn.functional.one_hot = watched
            try:
                cls(**({"method": "RF"} if cls is KernelClassifier else {})).fit(X, y)
            finally:
                torch.nn.functional.one_hot = hook
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert all(during <= allowed for allowed, during in most)
    assert most or cls is not KernelClassifier


def test_workers():
    X, y = blobs(90)
    here = cross_val_score(KernelClassifier("RF", random_state=0), X, y, cv=3)
    there = cross_val_score(KernelClassifier("RF", random_state=0), X, y, cv=3, n_jobs=2)
    assert np.array_equal(here, there)

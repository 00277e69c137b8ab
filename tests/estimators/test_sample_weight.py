"""Weights: where they are offered, a weight of k is k copies of the row, at any size."""

from __future__ import annotations

import numpy as np
import pytest
from estimators_small import blobs, cases, estimator, waves
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from kernlab.estimators import KernelClassifier, KernelRegressor
from kernlab.estimators.inputs import typical_rows
from kernlab.methods import METHODS

#: Drawn mini-batches, and landmarks taken from the rows, cannot count a row exactly k times.
OFFERED = {
    "RF", "LKRF", "LKRF-resampled", "FKS-Fourier", "FKS-wavelet", "eSVR-rbf", "eSVR-poly", "nuSVR-rbf", "nuSVR-poly",
    "SVC-rbf", "KRR", "Fastfood", "ArcCosine",
}  # fmt: skip


@pytest.mark.parametrize(("name", "task"), cases())
def test_who_offers_them(name, task):
    unfitted = estimator(name, task)
    assert has_fit_parameter(unfitted, "sample_weight") == (name in OFFERED)
    if name not in OFFERED:
        X, y = blobs()
        with pytest.raises(TypeError, match="sample_weight"):
            unfitted.fit(X, y, sample_weight=np.ones(60))


def test_landmarks_and_other_heads():
    assert not has_fit_parameter(KernelClassifier("RF", feature_map="nystroem"), "sample_weight")
    assert has_fit_parameter(KernelClassifier("RF", head="logistic"), "sample_weight")


@pytest.mark.parametrize("name", ["RF", "LKRF", "KRR"])
def test_copies_beyond_the_rows_that_a_scale_is_read_off(name):
    """600 rows, 1200 with copies: more than the thousand from which an automatic scale is read."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), rng.normal(size=600)
    counts = rng.integers(0, 5, size=600)
    assert counts.sum() > 1100
    stopping = {"early_stopping": False} if "validation" in METHODS[name].schema() else {}  # rows are held, not copies
    weighted = estimator(name, "regression", **stopping).fit(X, y, sample_weight=counts)
    copies = np.repeat(np.arange(600), counts)
    order = rng.permutation(copies)
    repeated = estimator(name, "regression", **stopping).fit(X[order], y[order])
    assert weighted.method_.feature_map.frequency_scale == repeated.method_.feature_map.frequency_scale
    assert np.allclose(weighted.predict(X), repeated.predict(X), rtol=1e-6, atol=1e-8)


def test_weighted_ridge_is_the_weighted_ridge():
    """Against scikit-learn's own, on the same features of inputs scaled with the weights."""
    X, y = waves(80)
    weight = np.random.default_rng(2).uniform(0.1, 3, 80)
    fitted = KernelRegressor("RF", n_features=20, ridge=0.3, random_state=0, scaling="standardize")
    fitted.fit(X, y, sample_weight=weight)
    scaled = StandardScaler().fit(X, sample_weight=weight).transform(X)
    z = scaled @ fitted.model_.params["omega"][:, 0].numpy()
    Phi = np.sqrt(2 / 20) * np.hstack([np.cos(z), np.sin(z)])
    spread = np.sqrt(np.cov(y, aweights=weight, ddof=0))
    middle = np.average(y, weights=weight)
    oracle = Ridge(alpha=0.3).fit(Phi, (y - middle) / spread, sample_weight=weight)
    assert np.allclose(fitted.predict(X), oracle.predict(Phi) * spread + middle, rtol=1e-8)


def test_rows_without_weight_are_ignored():
    X, y = blobs(90, K=3)
    weight = (y < 2).astype(float)
    fitted = KernelClassifier("KRR").fit(X, y, sample_weight=weight)
    assert list(fitted.classes_) == [0, 1]
    assert np.array_equal(fitted.predict(X), KernelClassifier("KRR").fit(X[y < 2], y[y < 2]).predict(X))


@pytest.mark.parametrize(("weight", "sentence"), [(0.0, "zero"), (-1.0, "negative")])
def test_weights_that_cannot_be(weight, sentence):
    X, y = blobs()
    with pytest.raises(ValueError, match=rf"[Ss]ample weights must .*{sentence}"):
        KernelClassifier("RF").fit(X, y, sample_weight=np.full(60, weight))


def test_typical_rows_know_no_order_and_no_copies():
    rng = np.random.default_rng(0)
    X, counts = rng.normal(size=(700, 3)), rng.integers(0, 9, size=700)
    kept = counts > 0
    weighted = typical_rows(X[kept], counts[kept].astype(float))
    order = rng.permutation(np.repeat(np.arange(700), counts))
    assert np.array_equal(weighted, typical_rows(X[order]))
    shares = np.array([(weighted == row).all(axis=1).sum() for row in X]) / 1000
    assert np.abs(shares - counts / counts.sum()).max() <= 1e-3

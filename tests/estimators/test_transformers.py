"""Features as transformers: the maps' own, their products the kernels'; y matters only where they learn."""

from __future__ import annotations

import numpy as np
import pytest
from estimators_small import blobs, waves
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from kernlab.errors import CompositionError, DataError, UnknownNameError
from kernlab.estimators import (
    TRANSFORMERS,
    DeepFeatures,
    FourierFrameFeatures,
    NystroemFeatures,
    SpectralFeatures,
    StationaryFeatures,
    WeightedFeatures,
)


@pytest.mark.parametrize(("density", "kernel"), [("gaussian", rbf_kernel), ("laplacian", laplacian_kernel)])
def test_products_are_the_kernel(density, kernel):
    X, _ = blobs(30)
    Phi = StationaryFeatures(n_features=40_000, density=density, lengthscale=1.5, random_state=0).fit_transform(X)
    gamma = 1 / (2 * 1.5**2) if density == "gaussian" else 1 / 1.5
    assert np.abs(Phi @ Phi.T - kernel(X, gamma=gamma)).max() < 0.03
    same = StationaryFeatures(n_features=40_000, density=density, gamma=gamma, random_state=0).fit_transform(X)
    assert np.allclose(same, Phi, atol=1e-3)


def test_nystroem_with_all_rows_is_exact():
    X, _ = blobs(40)
    ours = NystroemFeatures(n_features=40, gamma=0.2, random_state=0).fit_transform(X)
    theirs = Nystroem(gamma=0.2, n_components=40, random_state=0).fit_transform(X)
    assert np.allclose(ours @ ours.T, rbf_kernel(X, gamma=0.2), atol=1e-6)
    assert np.allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-6)


def test_inputs_are_taken_as_they_are_but_for_frames():
    X, _ = blobs()
    plain = StationaryFeatures(n_features=6, frequency_scale=1.0, random_state=0).fit(X)
    z = X @ plain.params_["omega"][:, 0].numpy()
    assert np.allclose(plain.transform(X), np.sqrt(2 / 6) * np.hstack([np.cos(z), np.sin(z)]))
    framed = FourierFrameFeatures(order=2).fit(X)
    low, high = X.min(axis=0), X.max(axis=0)
    Z = (2 * X - low - high) / (high - low)
    assert np.allclose(framed.transform(X)[:, 1], np.cos(Z[:, 0]))
    with pytest.raises(DataError, match=r"must lie in \[-1, 1\]"):
        FourierFrameFeatures(order=2, scaling="none").fit(X)


def test_y_is_not_looked_at_where_nothing_is_learned():
    X, y = blobs()
    for name, cls in TRANSFORMERS.items():
        assert np.array_equal(cls(random_state=0).fit_transform(X), cls(random_state=0).fit(X, y).transform(X)), name


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (NystroemFeatures, {"method": "NysDI", "n_features": 6, "epochs": 60, "learning_rate": 0.05}),
        (StationaryFeatures, {"method": "RFDI", "n_features": 6, "epochs": 60, "learning_rate": 0.05}),
        (WeightedFeatures, {"method": "LKRF", "n_features": 2000, "resample": 10, "radius": 0.1}),
        (SpectralFeatures, {"method": "ASKL", "n_features": 6, "epochs": 25, "learning_rate": 0.1, "compile": "off"}),
        (DeepFeatures, {"learned": True, "n_features": 6, "hidden": 10, "epochs": 25, "learning_rate": 0.1}),
    ],
)
def test_learned_features_serve_better_than_drawn_ones(make, options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    y = np.where(np.linalg.norm(X[:, :2], axis=1) > 1.18, "out", "in")  # four columns say nothing

    def accuracy(features) -> float:
        Phi = features.fit(X[:400], y[:400]).transform(X)
        return RidgeClassifier(alpha=1e-3).fit(Phi[:400], y[:400]).score(Phi[400:], y[400:])

    width = 10 if make is WeightedFeatures else 6
    drawn = accuracy(make(n_features=width, random_state=0))
    assert accuracy(make(random_state=0, **options)) > drawn + 0.05


def test_targets_may_be_numbers():
    X, y = waves(300)
    learned = StationaryFeatures(method="RFDI", n_features=8, epochs=30, learning_rate=0.03, random_state=0).fit(X, y)
    drawn = StationaryFeatures(n_features=8, random_state=0).fit(X)
    scores = [LinearRegression().fit(each.transform(X), y).score(each.transform(X), y) for each in (learned, drawn)]
    assert scores[0] > scores[1]
    counts = np.round(10 * y).astype(int)
    as_numbers = StationaryFeatures(method="RFDI", n_features=8, epochs=2, task="regression", random_state=0)
    assert as_numbers.fit(X, counts).transform(X).shape == (300, 8)


@pytest.mark.parametrize("name", ["StationaryFeatures", "NonStationaryFeatures", "WeightedFeatures", "DeepFeatures"])
def test_sparse_inputs_give_what_dense_ones_give(name):
    X = sparse.random_array((120, 50), density=0.1, format="csr", rng=np.random.default_rng(0))
    made = TRANSFORMERS[name](n_features=30, random_state=0)
    assert np.allclose(made.fit(X).transform(X), made.fit(X.toarray()).transform(X.toarray()))
    assert made.fit_transform(X.tocoo()).dtype == np.float64
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        made.set_params(scaling="standardize").fit(X)


def test_sparse_inputs_are_not_made_dense():
    """A table of 10⁵ columns with 20 numbers a row: dense it would be 8 GB."""
    rng, ends = np.random.default_rng(0), np.arange(0, 200_001, 20)
    X = sparse.csr_array((rng.normal(size=200_000), rng.integers(0, 100_000, 200_000), ends), shape=(10_000, 100_000))
    features = StationaryFeatures(n_features=2, frequency_scale=0.1, random_state=0).fit_transform(X)
    assert features.shape == (10_000, 2)


def test_what_cannot_be_used_is_refused():
    X, y = blobs()
    with pytest.raises(CompositionError, match="NystroemFeatures has the map nystroem"):
        NystroemFeatures(method="RFDI").fit(X, y)
    with pytest.raises(UnknownNameError, match="option of RFDI"):
        StationaryFeatures(method="RFDI", radius=0.1).fit(X, y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        StationaryFeatures(method="RFDI").fit(X)
    with pytest.raises(ValueError, match="task must be auto"):
        StationaryFeatures(method="RFDI", task="ranking").fit(X, y)
    with pytest.raises(DataError, match="one class"):
        StationaryFeatures(method="RFDI").fit(X, np.ones(60))

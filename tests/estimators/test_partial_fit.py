"""Passes over rows as they come, and probabilities: who has them, and that they are what they say."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from estimators_small import blobs, cases, estimator, waves
from scipy.special import softmax

from kernlab.errors import DataError
from kernlab.estimators import KernelClassifier, KernelRegressor

BY_PASSES = {"SK", "NSK", "SKL", "NSKL", "ASKL", "Deep-ASKL", "A-la-carte"}


@pytest.mark.parametrize(("name", "task"), cases())
def test_who_has_passes(name, task):
    assert hasattr(estimator(name, task), "partial_fit") == (name in BY_PASSES)


@pytest.mark.parametrize("name", sorted(BY_PASSES))
def test_passes_learn(name):
    X, y = waves(200)
    learner = estimator(name, "regression", learning_rate=0.03)
    scores = []
    for _ in range(30):
        learner.partial_fit(X, y)
        scores.append(learner.score(X, y))
    assert learner.n_iter_ == 30
    assert scores[-1] > max(scores[0], 0.5)


def test_a_pass_is_the_optimizer_going_on():
    """Against Adam written out on the squared loss of fixed features: all rows seen, momentum kept, rate constant."""
    X, y = waves(50)  # one mini-batch of 32 and one of 18
    learner = KernelRegressor("SK", n_features=6, learning_rate=0.01, frobenius=0, random_state=0, batch_size=32)
    for _ in range(3):
        learner.partial_fit(X, y)
    omega = learner.model_.params["omega"][:, 0].double()
    Z = torch.from_numpy((X - X.mean(0)) / X.std(0))
    target = torch.from_numpy((y - y.mean()) / y.std())[:, None]
    Phi = np.sqrt(2 / 6) * torch.cat([torch.cos(Z @ omega), torch.sin(Z @ omega)], dim=1)
    W = torch.zeros(6, 1, dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([W], lr=0.01)
    from kernlab.training.gradient import row_order

    for number in range(3):
        for rows in torch.split(row_order(0, number, 50), 32):
            adam.zero_grad()
            (Phi[rows] @ W - target[rows]).square().mean().backward()
            adam.step()
    assert torch.allclose(learner.model_.params["weight"].double(), W.detach(), atol=1e-6)


def test_it_goes_on_from_fit_and_through_pickle():
    X, y = blobs(100)
    fitted = estimator("ASKL", "classification").fit(X, y)
    before = fitted.model_.params["omega"].clone()
    fitted.partial_fit(X, y)
    assert 0 < (fitted.model_.params["omega"] - before).abs().max() < 2
    twin = pickle.loads(pickle.dumps(fitted))
    fitted.partial_fit(X, y)
    twin.partial_fit(X, y)
    assert np.array_equal(twin.decision_function(X), fitted.decision_function(X))
    fitted.fit(X, y)
    assert torch.equal(fitted.model_.params["omega"], before)  # fit starts anew


def test_rows_may_come_one_by_one():
    X, y = blobs(20)
    learner = estimator("SK", "classification")
    for row, label in zip(X, y, strict=True):
        learner.partial_fit(row[None], [label], classes=[0, 1])
    assert learner.n_iter_ == 20


def test_labels_must_be_known():
    X, y = blobs()
    learner = estimator("SK", "classification")
    with pytest.raises(DataError, match="classes must be given at the first call"):
        learner.partial_fit(X, y)
    learner.partial_fit(X, y, classes=[0, 1, 2])
    assert learner.decision_function(X).shape == (60, 3)
    with pytest.raises(DataError, match="every label must be one of the classes"):
        learner.partial_fit(X, y + 5)
    with pytest.raises(DataError, match="must stay those of the first call"):
        learner.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(DataError, match="number of targets must stay the same"):
        KernelRegressor("SK", n_features=5).partial_fit(X, y).partial_fit(X, np.stack([y, y], axis=1))


@pytest.mark.parametrize(("name", "task"), cases())
def test_probabilities_exist_only_after_cross_entropy(name, task):
    assert not hasattr(estimator(name, task), "predict_proba")


@pytest.mark.parametrize(
    "options",
    [
        {"method": "SKL", "objective": "cross_entropy", "epochs": 30, "n_features": 50},
        {"method": "RF-CE", "head": "joint", "epochs": 60, "learning_rate": 0.03},
        {"method": "RF", "head": "logistic"},
        {"method": "LKRF", "head": "logistic"},
    ],
)
def test_probabilities(options):
    X, y = blobs(400, K=3)
    fitted = KernelClassifier(random_state=0, **options).fit(X, y)
    P = fitted.predict_proba(X)
    assert np.allclose(P, softmax(fitted.decision_function(X), axis=1))
    assert np.allclose(np.log(P), fitted.predict_log_proba(X))
    # They are frequencies: among rows with probability about p of class 1, a share of about p is of it.
    between = (P[:, 1] > 0.3) & (P[:, 1] < 0.7)
    if between.sum() >= 20:
        assert abs((y[between] == 1).mean() - P[between, 1].mean()) < 0.25
    assert fitted.score(X, y) > 0.8

"""``probability="laplace"``: calibrated probabilities of every classifier, against the plain ones on held-out rows."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import has_fit_parameter

from kernlab.estimators import KernelClassifier
from kernlab.heads.calibration import reliability


def rows(n=900, seed=0):
    """Two classes of a known probability, which is nowhere near 0 or 1 for long."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    chance = 1 / (1 + np.exp(-3 * np.sin(2 * X[:, 0]) - X[:, 1]))
    return X, (rng.random(n) < chance).astype(int)


def test_on_rows_that_were_held_out_they_come_true_where_the_plain_ones_do_not():
    plain, calibrated = [], []
    for seed in range(3):
        X, y = rows(seed=seed)
        for found, probability in ((plain, "plain"), (calibrated, "laplace")):
            one = KernelClassifier("SK", objective="cross_entropy", n_features=150, epochs=100, learning_rate=0.3,
                                   frequency_scale=1.5, frobenius=1e-8, early_stopping=False, random_state=seed,
                                   probability=probability)  # fmt: skip
            chances = one.fit(X[:250], y[:250]).predict_proba(X[250:])
            np.testing.assert_allclose(chances.sum(1), 1)
            np.testing.assert_allclose(np.exp(one.predict_log_proba(X[250:])), chances)
            found.append(reliability(chances, y[250:]))
    assert np.mean([each.loss for each in calibrated]) < np.mean([each.loss for each in plain]) - 0.05
    assert np.mean([each.error for each in calibrated]) < 0.8 * np.mean([each.error for each in plain])


@pytest.mark.parametrize("method", ["ASKL", "RF", "SVC-rbf", "KRR"])
def test_every_method_has_them_and_predicts_the_most_probable_class(method):
    X, y = rows(400)
    some = {"n_features": 40, "epochs": 4} if method == "ASKL" else {"n_features": 40} if method == "RF" else {}
    labels = np.array(["no", "yes"])[y]
    one = KernelClassifier(method, random_state=0, probability="laplace", **some).fit(X[:200], labels[:200])
    chances = one.predict_proba(X[200:])
    assert one.predict(X[200:]).tolist() == one.classes_[chances.argmax(1)].tolist()
    assert one.score(X[200:], labels[200:]) > 0.65
    assert reliability(chances, y[200:]).error < 0.15
    np.testing.assert_allclose(pickle.loads(pickle.dumps(one)).predict_proba(X[200:]), chances)


def test_it_passes_the_checks_of_scikit_learn():
    check_estimator(KernelClassifier("RF", n_features=40, random_state=0, probability="laplace"))


def test_what_it_cannot_do_is_a_sentence(tmp_path):
    X, y = rows(80)
    one = KernelClassifier("RF", n_features=20, random_state=0, probability="laplace")
    assert not has_fit_parameter(one, "sample_weight")
    assert has_fit_parameter(clone(one).set_params(probability="plain"), "sample_weight")
    with pytest.raises(ValueError, match='"plain" or "laplace"'):
        clone(one).set_params(probability="sure").fit(X, y)
    with pytest.raises(ValueError, match="no place in the file"):
        one.fit(X, y).save(tmp_path / "one.safetensors")
    assert not hasattr(KernelClassifier("ASKL", probability="laplace"), "partial_fit")

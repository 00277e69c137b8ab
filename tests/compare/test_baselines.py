"""Baselines: what scikit-learn does by itself, judged as kernlab judges."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, root_mean_squared_error
from sklearn.svm import SVC, SVR

from kernlab.compare.base import Tuning
from kernlab.compare.baselines import BASELINES
from kernlab.compare.tuning import tune
from kernlab.data import DataSpec, Prepared, constant_metric, make_dataset, prepare
from kernlab.errors import DataError, OptionError, TrainingError, UnknownNameError


def plane(task: str, n: int = 120, K: int = 1, **options: object) -> Prepared:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3)) * [1, 5, 0.2] + 7
    signal = np.sin(X[:, 0]) + (X[:, 1] - 7) / 5
    y = np.digitize(signal, [-0.7, 0.7]) if task == "classification" else 30 * signal[:, None] ** np.arange(1, K + 1)
    return prepare(make_dataset("plane", X, y, task), DataSpec.build(**options), 0)


@pytest.fixture(scope="module")
def classes() -> Prepared:
    return plane("classification")


@pytest.fixture(scope="module")
def targets() -> Prepared:
    return plane("regression", target_scale="[0,1]")


def fit_score(name: str, data: Prepared, seed: int = 0, **options: object) -> dict[str, float]:
    return BASELINES[name].build(**options).fit_score(data, seed)[0]


def units(data: Prepared, part: str) -> np.ndarray:
    """Targets as they are reported."""
    return data.targets.inverse(getattr(data, f"y_{part}"))


def test_constant_is_the_constant_metric(classes, targets):
    for data in (classes, targets):
        assert fit_score("constant", data, 0)["test"] == pytest.approx(constant_metric(data), rel=1e-6)


def test_svm_is_scikit_learns_with_its_usual_width(classes, targets):
    machine = SVC(C=10, gamma="scale").fit(classes.X_train, classes.y_train)
    found = fit_score("svm-rbf", classes, 0)
    assert found["test"] == pytest.approx(100 * accuracy_score(classes.y_test, machine.predict(classes.X_test)))
    assert found["train"] == pytest.approx(100 * accuracy_score(classes.y_train, machine.predict(classes.X_train)))

    machine = SVR(C=3, gamma=0.5, epsilon=0.2).fit(targets.X_train, targets.y_train[:, 0])
    found = fit_score("svm-rbf", targets, 0, C=3, gamma=0.5, epsilon=0.2)
    predicted = targets.targets.inverse(machine.predict(targets.X_test)[:, None])
    assert found["test"] == pytest.approx(root_mean_squared_error(units(targets, "test"), predicted))
    assert found["test_rmse_range100"] == pytest.approx(100 * found["test"])


def test_trees_are_scikit_learns(classes, targets):
    machine = ExtraTreesClassifier(200, max_features=1, random_state=5).fit(classes.X_train, classes.y_train)
    expected = 100 * accuracy_score(classes.y_test, machine.predict(classes.X_test))
    assert fit_score("extra-trees", classes, 5)["test"] == pytest.approx(expected)

    y = targets.y_train[:, 0]
    for name, machine in (
        ("extra-trees", ExtraTreesRegressor(200, random_state=5)),
        ("boosting", HistGradientBoostingRegressor(max_iter=200, early_stopping=False, random_state=5)),
    ):
        predicted = targets.targets.inverse(machine.fit(targets.X_train, y).predict(targets.X_test)[:, None])
        found = fit_score(name, targets, 5)
        assert found["test"] == pytest.approx(root_mean_squared_error(units(targets, "test"), predicted))


@pytest.mark.parametrize("name", list(BASELINES))
def test_every_baseline_takes_every_task_and_beats_the_constant(name, classes):
    several = plane("regression", K=2)
    for data in (classes, several):
        found = fit_score(name, data, 0)
        constant = constant_metric(data)
        assert found["seconds"] > 0
        if name == "constant":
            continue
        assert found["test"] > constant + 10 if data.targets is None else found["test"] < 0.8 * constant
    assert BASELINES[name].title
    for key, each in BASELINES[name]().space(classes).items():
        assert BASELINES[name].build(**{key: each.at(0.0)}) != BASELINES[name].build(**{key: each.at(1.0)})


def test_more_rows_than_an_svm_can_take_are_refused_at_once():
    rng = np.random.default_rng(0)
    data = prepare(make_dataset("many", rng.normal(size=(25_010, 1)), rng.normal(size=(25_010, 1)), "regression"),
                   DataSpec(), 0)  # fmt: skip
    with pytest.raises(DataError, match=r"at most 20000 training rows.*20008"):
        fit_score("svm-rbf", data, 0)
    with pytest.raises(DataError, match="at most 20000"):  # before a search that looks at few rows is paid for
        tune("svm-rbf", {}, data, Tuning(trials=1, rows=100))


def test_mistakes_are_sentences(classes):
    with pytest.raises(UnknownNameError, match="gamma"):
        fit_score("svm-rbf", classes, 0, gama=1.0)
    with pytest.raises(OptionError, match="learning_rate must be a number above 0"):
        fit_score("boosting", classes, 0, learning_rate=2)
    with pytest.raises(UnknownNameError, match="svm-rbf"):
        BASELINES["svm"]
    broken = np.full_like(classes.X_train, np.nan)
    with pytest.raises(TrainingError, match="RBF-SVM must be fitted"):
        fit_score("svm-rbf", Prepared(**{**vars(classes), "X_train": broken}), gamma=1.0)

"""Early stopping by scikit-learn's names: what is held out, what is kept, and what has nothing to stop."""

import numpy as np
import pytest
from estimators_small import blobs, waves
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from kernlab.errors import OptionError
from kernlab.estimators import KernelClassifier, KernelRegressor, StationaryFeatures
from kernlab.estimators.persistence import from_version_1
from kernlab.methods import METHODS

SMALL = {"n_features": 20, "compile": "off", "random_state": 0}
QUICK = {**SMALL, "epochs": 6, "n_iter_no_change": 2}


def share(fitted):
    return fitted.method_.solver.options()["validation"]


def test_true_holds_a_fifth_out_and_says_what_was_kept():
    X, y = blobs(100)
    fitted = KernelClassifier("ASKL", early_stopping=True, **QUICK).fit(X, y)
    assert share(fitted) == 0.2
    assert fitted.kept_.keys() == {"epoch", "of", "rows", "penalty", "learned"}
    assert (fitted.kept_["of"], fitted.kept_["rows"]) == (6, 20)
    assert fitted.n_iter_ == fitted.kept_["epoch"] <= 6
    assert fitted.score(X, y) > 0.8


def test_the_fraction_is_that_of_the_rows_and_false_holds_none():
    X, y = blobs(100)
    half = KernelClassifier("ASKL", early_stopping=True, validation_fraction=0.5, **QUICK).fit(X, y)
    assert (share(half), half.kept_["rows"]) == (0.5, 50)
    none = KernelClassifier("ASKL", early_stopping=False, **QUICK).fit(X, y)
    assert (share(none), none.kept_, none.n_iter_) == (0, None, 6)


@pytest.mark.parametrize("n", [99, 100])
def test_auto_holds_rows_out_from_a_hundred_on_where_epochs_are_left_open(n):
    X, y = blobs(n)
    fast = {**SMALL, "batch_size": 64, "n_iter_no_change": 1}
    auto = KernelClassifier("SK", **fast).fit(X, y)
    assert (auto.kept_ is not None) is (n >= 100)
    fraction = KernelClassifier("SK", validation_fraction=0.3, **fast).fit(X, y)
    assert share(fraction) == (0.3 if n >= 100 else 0)
    assert KernelClassifier("SK", **{**fast, "epochs": 2}).fit(X, y).kept_ is None


def test_it_is_the_same_as_the_option_of_the_run():
    X, y = waves(100)
    named = KernelRegressor("ASKL", early_stopping=True, validation_fraction=0.25, **QUICK).fit(X, y)
    method = METHODS["ASKL"].with_options({"validation": 0.25, "n_features": 20, "epochs": 6, "n_iter_no_change": 2})
    own = KernelRegressor(method, compile="off", random_state=0).fit(X, y)
    assert np.array_equal(named.predict(X), own.predict(X))
    assert named.kept_ == own.kept_


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "SVC-rbf", "early_stopping": True}, "early_stopping=True needs a method that learns from mini"),
        ({"early_stopping": "yes"}, 'early_stopping must be "auto", True or False'),
        ({"early_stopping": 1}, 'early_stopping must be "auto", True or False'),
        ({"validation_fraction": 0.0}, "validation_fraction must be a number above 0 and at most 0.5"),
        ({"validation_fraction": 0.6}, "validation_fraction must be a number above 0 and at most 0.5"),
        ({"validation_fraction": "a"}, "validation_fraction must be a number above 0 and at most 0.5"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(options, sentence):
    X, y = blobs()
    with pytest.raises(OptionError, match=sentence):
        KernelClassifier(**options).fit(X, y)


@pytest.mark.parametrize("early_stopping", ["auto", False])
def test_a_method_with_nothing_to_stop_is_left_alone(early_stopping):
    X, y = blobs()
    fitted = KernelClassifier("SVC-rbf", early_stopping=early_stopping).fit(X, y)
    assert fitted.kept_ is None


def test_the_flat_option_is_no_parameter_of_its_own():
    for made in (KernelClassifier(), KernelRegressor(), StationaryFeatures()):
        assert "validation" not in made.get_params()
        assert made.get_params()["early_stopping"] == "auto"
        assert made.get_params()["validation_fraction"] is None
    with pytest.raises(TypeError, match="validation"):
        KernelClassifier(validation=0.2)


def test_it_is_cloned_searched_saved_and_read(tmp_path):
    X, y = blobs(100)
    made = clone(KernelClassifier("ASKL", early_stopping=True, **QUICK))
    assert made.get_params()["early_stopping"] is True
    search = GridSearchCV(made, {"validation_fraction": [0.1, 0.3], "early_stopping": [True, False]}, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    fitted = made.fit(X, y)
    fitted.save(tmp_path / "model")
    found = KernelClassifier.load(tmp_path / "model")
    assert (found.kept_, found.n_iter_, found.get_params()) == (fitted.kept_, fitted.n_iter_, fitted.get_params())
    assert np.array_equal(found.predict(X), fitted.predict(X))


def test_a_pass_uses_all_rows():
    X, y = blobs(100)
    fitted = KernelClassifier("ASKL", early_stopping=True, **QUICK).fit(X, y)
    before = fitted.n_iter_
    fitted.partial_fit(X, y)
    assert (fitted.n_iter_, fitted.kept_) == (before + 1, None)


def test_a_learned_map_stops_too():
    X, y = blobs(200)
    options = {"method": "RFDI", "epochs": 3, "batch_size": 60, **SMALL}
    apart = [StationaryFeatures(early_stopping=stop, **options).fit(X, y).transform(X) for stop in (True, False)]
    assert not np.array_equal(*apart)
    with pytest.raises(OptionError, match="early_stopping=True needs"):
        StationaryFeatures(method="RF", n_features=8, early_stopping=True).fit(X, y)


def test_landmarks_are_no_more_than_the_rows_that_learn():
    X, y = blobs(100)
    fitted = KernelClassifier("Nys-CE", early_stopping=True, epochs=2, compile="off", random_state=0).fit(X, y)
    assert len(fitted.model_.params["landmarks"]) <= 80


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"method": "ASKL"}, {"early_stopping": False}),
        ({"method": "FKS-Fourier", "g": 0.5}, {"early_stopping": False, "g": 0.5}),
        ({"method": "FKS-Fourier", "g": None}, {"early_stopping": False, "g": 1e-5}),
        ({"method": "LKRF", "radius": 0.1, "ridge": None}, {"early_stopping": False, "radius": 0.1, "ridge": 0.05}),
    ],
)
def test_what_version_1_left_open_keeps_its_meaning_and_what_it_stated_too(params, expected):
    found = from_version_1(params, METHODS[params["method"]], KernelClassifier().get_params())
    assert found.items() >= expected.items()
    assert "validation" not in found

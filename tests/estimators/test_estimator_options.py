"""Every option of every method is a parameter that scikit-learn can read, set, clone and search over."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from estimators_small import blobs, cases, estimator, waves
from sklearn.base import clone

from kernlab import METHODS
from kernlab import KernelClassifier as exported
from kernlab.errors import CompositionError, DataError, KernlabError, OptionError, UnknownNameError
from kernlab.estimators import KernelClassifier, KernelRegressor
from kernlab.methods import method


@pytest.mark.parametrize("name", METHODS)
def test_every_option_of_every_method_is_a_parameter(name):
    spec = METHODS[name]
    aliases = {alias for part in spec.parts for alias in part.aliases}
    options = set(spec.schema()) - {"validation"}  # early_stopping and validation_fraction say it
    assert options | aliases <= set(KernelClassifier().get_params())


def test_the_signature_is_explicit():
    parameters = inspect.signature(KernelClassifier).parameters
    own = ["method", "random_state", "device", "scaling", "probability", "early_stopping", "validation_fraction"]
    assert list(parameters)[: len(own)] == own
    assert {each.kind for each in list(parameters.values())[1:]} == {inspect.Parameter.KEYWORD_ONLY}
    assert {each.default for each in list(parameters.values())[6:]} == {None}
    assert exported is KernelClassifier
    assert "frequency_scale : default=None" in str(KernelClassifier.__doc__)
    with pytest.raises(TypeError, match="n_feature"):
        KernelClassifier(n_feature=3)


def test_options_are_set_where_they_belong():
    X, y = blobs()
    fitted = KernelClassifier(
        "SK", n_features=np.int64(8), gamma=np.float64(0.5), epochs=2, frobenius=0.25, batch_size=16, random_state=0
    ).fit(X, y)
    assert fitted.method_.options() | {"n_features": 8, "frequency_scale": 1.0, "frobenius": 0.25} == (
        fitted.method_.options()
    )
    assert fitted.model_.params["omega"].shape == (3, 1, 4)  # pairs of cosine and sine
    assert fitted.n_iter_ == 2
    assert isinstance(fitted.method_.solver.learning_rate, float)


def test_without_options_it_is_the_method_itself():
    assert KernelClassifier("ASKL")._method() == METHODS["ASKL"]


def test_a_composition_of_ones_own():
    X, y = blobs()
    mine = method("RF", n_features=9, density="laplacian", head="logistic")
    fitted = clone(KernelClassifier(mine, random_state=0)).fit(X, y)
    assert fitted.method_.feature_map.density == "laplacian"
    assert fitted.method_.head.name == "logistic"
    assert fitted.score(X, y) > 0.8


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"method": "ASKLL"}, UnknownNameError, "Did you mean .*ASKL"),
        ({"method": ["ASKL"]}, UnknownNameError, "method must be one that kernlab knows"),
        ({"method": "SK", "ridge": 1.0}, UnknownNameError, "option of SK must be one that kernlab knows.*'ridge'"),
        ({"method": "RF", "C": 1.0}, UnknownNameError, "option of RF"),  # of the head that is reported beside it
        ({"n_features": 0}, OptionError, "n_features must be a whole number"),
        ({"n_features": True}, OptionError, "n_features must be a whole number"),
        ({"scaling": "log"}, OptionError, "scaling must be one of auto"),
        ({"method": "eSVR-rbf"}, CompositionError, "regression"),
        ({"method": "Nys", "n_features": 61}, DataError, "61 landmarks and 60 rows"),
        ({"method": "RFDI", "n_features": 60, "epochs": 1}, DataError, "more rows than there are features"),
    ],
)
def test_what_cannot_be_used_is_refused_by_fit(options, error, sentence):
    X, y = blobs()
    unfitted = KernelClassifier(**options)
    with pytest.raises(error, match=sentence) as caught:
        unfitted.fit(X, y)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, KernlabError)


def test_small_data_need_no_options():
    X, y = blobs(n=12)
    for name in ("SK", "Nys", "NysDI", "RFDI"):
        fitted = KernelClassifier(name, random_state=0, epochs=1 if name not in ("Nys",) else None).fit(X, y)
        assert fitted.predict(X).shape == (12,)
        assert fitted.method_.options()["n_features"] <= (2000 if name == "SK" else 12)


@pytest.mark.parametrize(("name", "task"), cases())
def test_multi_output_where_the_method_can(name, task):
    if task == "classification":
        return
    X, Y = waves(K=3)
    fitted = estimator(name, task).fit(X, Y)
    assert fitted.predict(X[:7]).shape == (7, 3)
    spread = fitted.predict(X).std(axis=0)  # in the targets' own units, each ten times the last one's
    assert spread[2] > 3 * spread[1] > 3 * spread[0]
    assert np.abs(fitted.predict(X).mean(axis=0) - Y.mean(axis=0))[2] < Y.std(axis=0)[2]


def test_one_column_comes_back_as_it_was_given():
    X, y = waves()
    fitted = KernelRegressor("KRR").fit(X, y[:, None])
    assert fitted.predict(X).shape == (60, 1)
    assert np.array_equal(fitted.fit(X, y).predict(X), KernelRegressor("KRR").fit(X, y[:, None]).predict(X)[:, 0])


def test_string_labels_and_a_single_class():
    X, y = blobs()
    words = np.array(["no", "yes"])[y]
    fitted = KernelClassifier("RF", random_state=0).fit(X, words)
    assert list(fitted.classes_) == ["no", "yes"]
    assert set(fitted.predict(X)) == {"no", "yes"}
    assert np.array_equal(fitted.predict(X) == "yes", fitted.decision_function(X) > 0)
    with pytest.raises(DataError, match=r"at least two classes.*one class"):
        KernelClassifier("RF").fit(X, np.ones(60))


def test_the_same_numbers_as_the_engine():
    """The estimator is a shell: same method, scaling and seed give what the trainer gives."""
    from kernlab.data import DataSpec, make_dataset, prepare
    from kernlab.training.trainer import trained

    X, y = blobs(200)
    data = prepare(make_dataset("blobs", X, y, "classification"), DataSpec(test_size=0.5), 0)
    options = {"n_features": 30, "epochs": 3, "frequency_scale": 0.5, "compile": "off"}
    model = trained(method("ASKL", **options), data, seed=4).model()
    rows = data.train_rows
    fitted = KernelClassifier("ASKL", random_state=4, **options).fit(data.dataset.X[rows], y[rows])
    scores = model.decision_function(X)
    assert np.allclose(fitted.decision_function(X), scores[:, 1] - scores[:, 0], rtol=1e-4, atol=1e-5)

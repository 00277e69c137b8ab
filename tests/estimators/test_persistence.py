"""Files of tensors and JSON: the same predictions to the last bit, and nothing in a file is ever run."""

from __future__ import annotations

import json
import os
import pickle

import numpy as np
import pytest
from estimators_small import blobs, cases, estimator, waves
from safetensors.numpy import save_file

from kernlab import Model
from kernlab.errors import StoreError
from kernlab.estimators import TRANSFORMERS, KernelClassifier, KernelRegressor
from kernlab.methods import method


@pytest.mark.parametrize(("name", "task"), cases())
def test_every_method_comes_back(name, task, tmp_path):
    X, y = blobs(K=3) if task == "classification" else waves()
    fitted = estimator(name, task).fit(X, y)
    fitted.save(tmp_path / "it.safetensors")
    loaded = type(fitted).load(tmp_path / "it.safetensors")
    assert np.array_equal(loaded.predict(X), fitted.predict(X))
    assert loaded.predict(X).dtype == fitted.predict(X).dtype
    assert loaded.get_params() == fitted.get_params()
    assert loaded.method_ == fitted.method_
    assert (loaded.n_iter_, loaded.n_features_in_) == (fitted.n_iter_, 3)
    if task == "classification":
        assert np.array_equal(loaded.decision_function(X), fitted.decision_function(X))
    assert np.array_equal(
        Model.load(tmp_path / "it.safetensors").decision_function(X), fitted.model_.decision_function(X)
    )
    assert np.array_equal(loaded.fit(X, y).predict(X), fitted.predict(X))  # and learns the same again


@pytest.mark.parametrize(
    "labels", [["a", "b"], [-1, 1], [1.0, 2.0], [False, True], np.array(["no", "yes"], dtype=object)]
)
def test_labels_of_any_kind(labels, tmp_path):
    X, y = blobs()
    fitted = KernelClassifier("RF", random_state=0).fit(X, np.asarray(labels)[y])
    fitted.save(tmp_path / "it")
    loaded = KernelClassifier.load(tmp_path / "it")
    assert loaded.classes_.dtype == fitted.classes_.dtype
    assert np.array_equal(loaded.predict(X), fitted.predict(X))


def test_columns_with_names_and_compositions(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = waves()
    frame = pandas.DataFrame(X, columns=["width", "height", "depth"])
    mine = method("RF", n_features=9)
    fitted = KernelRegressor(mine, random_state=np.random.RandomState(0)).fit(frame, y[:, None])
    fitted.save(tmp_path / "it")
    loaded = KernelRegressor.load(tmp_path / "it")
    assert list(loaded.feature_names_in_) == ["width", "height", "depth"]
    assert loaded.method == mine
    assert loaded.random_state is None
    assert np.array_equal(loaded.predict(frame), fitted.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"width": "breadth"}))


@pytest.mark.parametrize("name", TRANSFORMERS)
def test_every_transformer_comes_back(name, tmp_path):
    X, _ = blobs()
    fitted = TRANSFORMERS[name](random_state=0).fit(X)
    fitted.save(tmp_path / "it")
    loaded = TRANSFORMERS[name].load(tmp_path / "it")
    assert np.array_equal(loaded.transform(X), fitted.transform(X))
    assert list(loaded.get_feature_names_out()) == list(fitted.get_feature_names_out())
    with pytest.raises(StoreError, match="that kernlab saved"):
        KernelClassifier.load(tmp_path / "it")


class Malicious:
    """Unpickling it makes a file."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("cls", [KernelClassifier, KernelRegressor, TRANSFORMERS["StationaryFeatures"]])
def test_a_pickle_is_refused_and_not_run(cls, tmp_path):
    file, mark = tmp_path / "it.safetensors", tmp_path / "ran"
    file.write_bytes(pickle.dumps(Malicious(mark)))
    with pytest.raises(StoreError, match="must be a"):
        cls.load(file)
    assert not mark.exists()
    pickle.loads(file.read_bytes())
    assert mark.exists()  # it would have run


def test_files_of_others_are_refused(tmp_path):
    X, y = blobs()
    fitted = KernelClassifier("RF", random_state=0).fit(X, y)
    fitted.save(tmp_path / "classifier")
    fitted.model_.save(tmp_path / "model")
    save_file({"x": np.zeros(3)}, str(tmp_path / "tensors"))
    fitted.model_.save(tmp_path / "odd", estimator={"class": "KernelClassifier", "params": {"evil": 1, "method": "RF"}})
    for cls, name in [
        (KernelRegressor, "classifier"), (KernelClassifier, "model"), (KernelClassifier, "tensors"),
        (KernelClassifier, "odd"), (KernelClassifier, "nowhere"),
        (TRANSFORMERS["StationaryFeatures"], "classifier"),
    ]:  # fmt: skip
        with pytest.raises(StoreError):
            cls.load(tmp_path / name)


def test_the_description_is_plain_json(tmp_path):
    from safetensors import safe_open

    X, y = blobs()
    KernelClassifier("RF", random_state=0).fit(X, y).save(tmp_path / "it")
    with safe_open(str(tmp_path / "it"), "numpy") as file:
        found = json.loads(file.metadata()["estimator"])
    assert found["class"] == "KernelClassifier"
    assert found["arrays"]["classes_"]["values"] == [0, 1]


@pytest.mark.parametrize(
    "kind", [lambda: KernelClassifier("RF", random_state=0), lambda: TRANSFORMERS["StationaryFeatures"](random_state=0)]
)
def test_a_disk_that_fills_up_leaves_what_was_saved_before(tmp_path, monkeypatch, kind):
    def full(_):
        raise OSError(28, "No space left on device")

    X, y = blobs()
    fitted = kind().fit(X, y)
    fitted.save(tmp_path / "it")
    before = (tmp_path / "it").read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        fitted.save(tmp_path / "it")
    assert (tmp_path / "it").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_what_cannot_be_saved_is_reported(tmp_path):
    X, y = blobs()
    with pytest.raises(StoreError, match="must be writable"):
        KernelClassifier("RF").fit(X, y).save(tmp_path / "no" / "folder")
    with pytest.raises(ValueError, match="not fitted"):
        KernelClassifier("RF").save(tmp_path / "it")

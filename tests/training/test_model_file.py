"""A model's file is data: it loads without running code, and a damaged one is refused with a sentence."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import save_file
from small import classes, spec

from kernlab.errors import DataError, StoreError
from kernlab.model import Model
from kernlab.training.trainer import fit


@pytest.fixture(scope="module")
def model() -> Model:
    return fit(spec(epochs=1), data=classes()).model


@pytest.fixture
def path(model, tmp_path):
    model.save(tmp_path / "model.safetensors")
    return tmp_path / "model.safetensors"


def refused(path) -> None:
    with pytest.raises(StoreError, match="must be a model that kernlab saved") as caught:
        Model.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_file_that_was_cut_off(path, share):
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    refused(path)


def test_a_missing_file(tmp_path):
    refused(tmp_path / "none.safetensors")


def test_something_else(path):
    path.write_bytes(pickle.dumps({"weight": [1, 2]}))
    refused(path)
    path.write_text("not a model")
    refused(path)


def test_tensors_of_somebody_else(path):
    save_file({"weight": np.zeros(3)}, str(path))
    refused(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, meta: meta.update(method=[]),
        lambda arrays, meta: meta["method"]["feature_map"].update(kind="none"),
        lambda arrays, meta: meta["method"]["feature_map"].update(n_features=-3),
        lambda arrays, meta: meta.pop("names"),
        lambda arrays, meta: meta.update(feature_names=3),
        lambda arrays, meta: arrays.pop("param/omega"),
        lambda arrays, meta: arrays.pop("inputs/center"),
        lambda arrays, meta: arrays.update({"inputs/kind": np.array(77)}),
        lambda arrays, meta: arrays.update({"param/weight": np.zeros((2, 3), np.float32)}),
    ],
)
def test_a_part_that_is_missing_or_does_not_fit(model, path, change):
    arrays, meta = model.to_arrays()
    meta = json.loads(json.dumps(meta))
    save_file(arrays, str(path), {"kernlab": json.dumps(meta)})
    Model.load(path)  # as it was, it is a model
    change(arrays, meta)
    save_file(arrays, str(path), {"kernlab": json.dumps(meta)})
    refused(path)


def test_a_place_that_cannot_be_written(model, tmp_path):
    with pytest.raises(StoreError, match="Choose another place"):
        model.save(tmp_path / "no" / "such" / "folder" / "model")


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.zeros((2, 4)), "inputs must have rows of 3 columns"),
        (np.zeros(3), "inputs must have rows of 3 columns"),
        (np.zeros((0, 3)), "inputs must have rows of 3 columns"),
        ([[0.0, 1.0, float("nan")]], "inputs must be finite"),
        ([[0.0, 1.0, float("inf")]], "inputs must be finite"),
        ([["a", "b", "c"]], "inputs must be numbers"),
        ([[0.0, 1.0, 1e300]], "must fit into 32-bit numbers"),
    ],
)
def test_inputs_that_cannot_be_predicted(model, X, sentence):
    with pytest.raises(DataError, match=sentence):
        model.predict(X)


def test_inputs_may_come_as_lists_whole_numbers_or_objects(model):
    X = [[0, 1, 2], [1, 1, 1]]
    expected = model.decision_function(np.array(X, np.float64))
    for same in (X, np.array(X), np.array(X, object)):
        np.testing.assert_array_equal(model.decision_function(same), expected)

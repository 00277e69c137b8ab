"""Splits keep the classes' shares, scaling sees the training part only, the constant predictor is exact."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.data import DataSpec, constant_metric, load, make_dataset, prepare, rescaled
from kernlab.errors import DataError, OptionError
from kernlab.methods import METHODS
from kernlab.model import Model
from kernlab.pictures.landmarks import landmarks
from kernlab.spec import RunSpec
from kernlab.training.events import Finished, Snapshot, Started
from kernlab.training.trainer import train


def table(n=100, task="regression", K=1, seed=0, **more):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    y = rng.integers(0, 3, n) if task == "classification" else 5 + 2 * rng.standard_normal((n, K))
    return make_dataset("made", X, y, task, **more)


def spec(**values):
    return DataSpec.build(dataset="made", **values)


@settings(max_examples=40)
@given(
    counts=st.lists(st.integers(5, 60), min_size=2, max_size=5),
    test_size=st.floats(0.2, 0.8),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_random_split_is_a_stratified_partition(counts, test_size, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    data = make_dataset("made", np.random.default_rng(0).standard_normal((len(y), 2)), y, "classification")
    made = prepare(data, spec(test_size=test_size), seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([made.train_rows, made.test_rows])), np.arange(len(y)))
    assert len(made.test_rows) == int(np.ceil(test_size * len(y)))
    share = len(made.test_rows) / len(y)
    assert np.all(np.abs(np.bincount(made.y_test, minlength=len(counts)) - share * np.array(counts)) <= 1)
    np.testing.assert_array_equal(made.y_train, y[made.train_rows])


def test_the_seed_decides_the_split():
    data = table()
    first, again, other = (prepare(data, spec(), seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.train_rows, again.train_rows)
    np.testing.assert_array_equal(first.X_train, again.X_train)
    assert set(first.test_rows) != set(other.test_rows)
    assert not np.array_equal(first.train_rows, np.sort(first.train_rows))  # shuffled


@pytest.mark.parametrize("scaling", ["auto", "standardize", "[0,1]", "[-1,1]", "normal-scores"])
def test_test_rows_do_not_influence_the_scaling(scaling):
    data = table()
    before = prepare(data, spec(scaling=scaling), 0)
    X, y = data.X.copy(), data.y.copy()
    X[before.test_rows] *= 100
    y[before.test_rows] += 50
    after = prepare(dataclasses.replace(data, X=X, y=y), spec(scaling=scaling), 0)
    np.testing.assert_array_equal(before.inputs.center, after.inputs.center)
    np.testing.assert_array_equal(before.inputs.scale, after.inputs.scale)
    np.testing.assert_array_equal(before.X_train, after.X_train)
    np.testing.assert_array_equal(before.y_train, after.y_train)
    assert not np.array_equal(before.X_test, after.X_test)


def test_training_part_is_standardised():
    made = prepare(table(500, K=2), spec(), 0)
    assert made.inputs.kind == "standardize"
    for part in (made.X_train, made.y_train):
        np.testing.assert_allclose(part.mean(axis=0, dtype=float), 0, atol=1e-6)
        np.testing.assert_allclose(part.std(axis=0, dtype=float), 1, atol=1e-6)
        assert part.dtype == np.float32
    np.testing.assert_allclose(made.targets.inverse(made.y_test), made.dataset.y[made.test_rows], atol=1e-6)
    np.testing.assert_allclose(made.inputs.inverse(made.X_test), made.dataset.X[made.test_rows], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", ["[-1,1]", "normal-scores", "standardize"])
@pytest.mark.parametrize("name", ["digits", "diabetes"])
def test_scaled_again_is_as_scaled_at_once(name, kind):
    again = rescaled(prepare(load(name), DataSpec(scaling="none"), 0), kind)
    once = prepare(load(name), DataSpec(scaling=kind), 0)
    assert again.inputs.kind == kind
    assert again.d == (2 if kind == "normal-scores" else 1) * again.dataset.d
    np.testing.assert_array_equal(again.X_train, once.X_train)
    np.testing.assert_array_equal(again.X_test, once.X_test)
    np.testing.assert_array_equal(again.train_rows, once.train_rows)


def test_pictures_go_to_minus_one_to_one_with_one_range():
    made = prepare(load("digits"), DataSpec(), 0)
    assert made.inputs.kind == "[-1,1]"
    np.testing.assert_array_equal(made.X_train, made.dataset.X[made.train_rows] / 8 - 1)  # grey values 0 … 16
    assert prepare(load("digits"), DataSpec(scaling="standardize"), 0).inputs.kind == "standardize"


@pytest.mark.parametrize(("unit", "upper"), [("[0,1]", 1.0), ("[0,100]", 100.0)])
def test_target_units(unit, upper):
    data = table(200, K=2)
    made = prepare(data, spec(target_scale=unit), 0)
    low, high = data.y.min(axis=0), data.y.max(axis=0)
    reported = upper * (data.y - low) / (high - low)
    np.testing.assert_allclose(made.targets.inverse(made.y_train), reported[made.train_rows], atol=1e-5 * upper)
    np.testing.assert_allclose(made.range100, 100 / upper)
    assert made.target_unit == unit


def test_range100_takes_the_original_unit_to_the_common_one():
    data = table(200)
    original, common = prepare(data, spec(), 0), prepare(data, spec(target_scale="[0,100]"), 0)
    np.testing.assert_allclose(constant_metric(original) * original.range100[0], constant_metric(common), rtol=1e-6)


def test_constant_metric_of_a_regression():
    data = table(80, K=2)
    made = prepare(data, spec(), 1)
    errors = data.y[made.test_rows] - data.y[made.train_rows].mean(axis=0)
    assert constant_metric(made) == pytest.approx(np.sqrt((errors**2).mean()), rel=1e-6)


def test_constant_metric_of_classes():
    y = np.array([0] * 10 + [1] * 30 + [2] * 20)
    made = prepare(make_dataset("made", np.arange(60.0)[:, None], y, "classification"), spec(test_size=0.5), 0)
    assert constant_metric(made) == 50.0


def test_the_source_boundary_is_kept_in_order():
    made = prepare(table(50, source_train_rows=30), spec(split="source"), 0)
    np.testing.assert_array_equal(made.train_rows, np.arange(30))
    np.testing.assert_array_equal(made.test_rows, np.arange(30, 50))


@pytest.mark.parametrize(
    ("data", "values", "words"),
    [
        (table(), {"split": "source"}, "no such boundary.*split=random"),
        (table(10), {"test_size": 0.99}, "leaves 0 to train on"),
        (
            table(30, "classification"),
            {"test_size": 0.01},
            "each of the 3 classes.*leaves 29 to train on and 1 to test",
        ),
        (
            make_dataset("made", np.arange(9.0)[:, None], [0, 0, 0, 0, 1, 1, 1, 1, 2], "classification", (), "abc"),
            {},
            "one row of class 'c'.*remove|Remove",
        ),
        (
            make_dataset(
                "made", np.arange(9.0)[:, None], [0, 0, 0, 0, 1, 1, 1, 1, 1], "classification", source_train_rows=4
            ),
            {"split": "source"},
            "only class '0' among 4 rows",
        ),
        (
            make_dataset("made", np.arange(5.0)[:, None], [1, 1, 1, 1, 2.0], "regression", source_train_rows=4),
            {"split": "source"},
            "'target' is constant in the 4 training rows",
        ),
    ],
)
def test_splits_that_cannot_be_trained_on(data, values, words):
    with pytest.raises(DataError, match=words):
        prepare(data, spec(**values), 0)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_out_of_range(seed):
    with pytest.raises(OptionError, match="4294967295"):
        prepare(table(), spec(), seed)


# -- normal scores, seen from a run -------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("name", ["ASKL", "NysDI"])
def test_a_run_on_normal_scores_is_drawn_saved_and_used_in_the_units_of_the_data(d, name, tmp_path):
    rng = np.random.default_rng(0)
    X = np.exp(rng.standard_normal((80, d)))
    data = prepare(make_dataset("made", X, np.log(X[:, :1]), "regression"), spec(scaling="normal-scores"), 0)
    options = {"n_features": 8, "epochs": 3, "batch_size": 32, "compile": "off"}
    run = RunSpec(method=METHODS[name].with_options(options), data=spec(scaling="normal-scores"), device="cpu")
    happened = list(train(run, data=data))
    started = next(event for event in happened if isinstance(event, Started))
    assert (started.facts["d"], len(started.facts["feature_names"]), started.facts["scaling"]) == (
        2 * d,
        2 * d,
        "normal-scores",
    )
    finished = happened[-1]
    assert isinstance(finished, Finished)
    model = Model.from_arrays(finished.model, finished.meta)
    model.save(tmp_path / "model.safetensors")
    predicted = model.predict(X)
    np.testing.assert_array_equal(Model.load(tmp_path / "model.safetensors").predict(X), predicted)
    errors = predicted[data.test_rows] - data.dataset.y[data.test_rows]
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(finished.summary["test_metric"], rel=1e-4)
    if name == "NysDI":
        snapshot = next(event.arrays for event in happened if isinstance(event, Snapshot))
        seen = landmarks(snapshot, started.arrays, started.facts)
        assert np.isfinite(seen.x).all()
        if d == 2:  # landmarks start as rows of the data, and are drawn where those are
            nearest = np.abs(X[:, None] - np.stack([seen.x, seen.y], 1)).max(axis=2).min(axis=0)
            np.testing.assert_allclose(nearest, 0, atol=1e-4)

"""What "auto" comes to: read from the data, never from a name."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from small import classes, spec, targets

from kernlab.data import DataSpec, load, make_dataset, prepare
from kernlab.errors import CompositionError, DataError
from kernlab.methods import METHODS
from kernlab.objectives import Hinge, MapObjective, Squared
from kernlab.spec import RunSpec
from kernlab.training.events import Started
from kernlab.training.rules import EPOCHS, STEPS, compiled_from, resolve, resolve_data
from kernlab.training.trainer import train
from kernlab.training.views import view_of

AUTO = {"learning_rate": "auto", "epochs": "auto", "frequency_scale": "auto"}


def digits():
    return prepare(load("digits"), DataSpec(dataset="digits"), 0)


def test_nothing_automatic_is_left():
    for data in (classes(), targets()):
        for method in METHODS.values():
            try:
                method.check(data.dataset.task)
            except CompositionError:
                continue
            changes = {"batch_size": 8} if method.schema().get("batch_size") and not method.two_stage else {}
            if isinstance(method.objective, MapObjective):  # fewer features than the rows of a mini-batch
                changes["n_features"] = 8
            if data.dataset.n_outputs > 1 and not method.head.multi_output and data.dataset.task == "regression":
                continue
            described = resolve(method.with_options(changes), data).to_dict()
            described["solver"].pop("compile", None)  # decided for the machine, with the step function
            for part in (described["objective"] or {}, *described["heads"]):
                for penalty in ("rho", "ridge"):  # chosen with features at hand
                    part.pop(penalty, None)
            assert "auto" not in json.dumps(described)


@pytest.mark.parametrize("dataset", ["iris", "wine", "diabetes"])
def test_every_method_starts_at_its_own_settings_on_small_tables(dataset):
    loaded = load(dataset)
    for name, method in METHODS.items():
        try:
            method.check(loaded.task)
        except CompositionError:
            continue
        run = RunSpec.of(name, dataset)
        assert isinstance(next(train(run, data=prepare(loaded, resolve_data(run.data, method), 0))), Started), name


@pytest.mark.parametrize("name", ["RFDI", "NysDI", "Nys-LS", "Nys-CE", "Nys"])
def test_a_number_of_features_that_nobody_has_set_is_one_that_the_rows_suffice_for(name):
    few = prepare(load("iris"), DataSpec(dataset="iris"), 0)
    found = resolve(METHODS[name], few)
    rows = len(few.X_train)
    rows -= round(rows * found.solver.options().get("validation", 0.0))
    if isinstance(found.objective, MapObjective):
        assert found.feature_map.width_for(few.d) == len(few.X_train) // 2 < rows
    else:
        assert found.feature_map.n_features == rows
    assert resolve(METHODS[name], digits()).feature_map.n_features == METHODS[name].feature_map.n_features
    # A number that somebody has set is no rule's business.
    with pytest.raises(DataError, match=r"Given: \d+ (rows and 160 features|landmarks and \d+ rows)"):
        next(train(RunSpec.of(name, "iris", n_features=160), data=few))


def test_what_was_set_stays():
    kept = {"validation": 0.1, "n_iter_no_change": 7}
    chosen = spec(frequency_scale=0.3, learning_rate=0.07, objective="squared", **kept).method
    assert resolve(chosen, classes()) == chosen


def test_the_loss_follows_the_task():
    assert resolve(spec().method, classes()).objective == Hinge()
    assert resolve(spec().method, targets()).objective == Squared()


def test_the_scale_is_one_over_the_median_distance_of_scaled_inputs():
    from scipy.spatial.distance import pdist

    data = classes()
    scale = resolve(spec(**AUTO).method, data).feature_map.frequency_scale
    assert scale == pytest.approx(1 / np.median(pdist(data.X_train)), rel=0.01)


def test_the_scale_does_not_follow_the_unit_of_the_inputs():
    data = classes()
    dataset = data.dataset
    blown_up = prepare(make_dataset("clouds", dataset.X * 1000 + 7, dataset.y, "classification"), DataSpec(), 0)
    a, b = (resolve(spec(**AUTO).method, d).feature_map.frequency_scale for d in (data, blown_up))
    assert a == pytest.approx(b, rel=1e-3)


def test_a_step_moves_no_phase_far():
    """Adam moves each entry of a frequency by about η, so ωᵀx by up to η‖x‖₁: long inputs get a smaller η."""
    long = classes(d=200)
    length = np.abs(long.X_train.astype(float)).sum(axis=1).mean()
    shrunk = {}
    for optimizer in ("adam", "sgd", "adadelta"):
        method = spec(**AUTO, optimizer=optimizer).method
        near, far = (resolve(method, d).solver.learning_rate for d in (classes(), long))
        shrunk[optimizer] = far / near
        if optimizer == "adam":
            assert near == 1e-2
            assert far * length == pytest.approx(0.6, rel=1e-2)
    assert shrunk["sgd"] == pytest.approx(shrunk["adam"], rel=1e-2)
    assert shrunk["adadelta"] == pytest.approx(shrunk["adam"], rel=1e-2)


@pytest.mark.parametrize("n", [60, 600, 24_000])
def test_few_rows_are_passed_more_often(n):
    """Ten epochs, or as many as make enough steps: one fewer would be too few."""
    solver = resolve(spec(**AUTO, batch_size=16).method, classes(n)).solver
    epochs, rows = solver.epochs, int(0.8 * n)
    steps_per_epoch = (rows - round(rows * solver.validation)) // 16
    assert epochs * steps_per_epoch >= STEPS
    assert epochs == EPOCHS or (epochs - 1) * steps_per_epoch < STEPS
    assert epochs >= EPOCHS


def test_the_name_of_the_data_decides_nothing():
    data = classes()
    renamed = prepare(make_dataset("digits", data.dataset.X, data.dataset.y, "classification"), DataSpec(), 0)
    assert resolve(spec(**AUTO).method, data) == resolve(spec(**AUTO).method, renamed)


def test_compiling_is_for_long_learned_runs_on_a_cpu_with_a_compiler(monkeypatch):
    cpu, cuda = torch.device("cpu"), torch.device("cuda")
    big = METHODS["ASKL"].with_options({"n_features": 2000})
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/c++" if name == "c++" else None)
    begin = compiled_from(big, 1_000_000, cpu)
    assert begin is not None
    assert begin * big.solver.batch_size * big.feature_map.cosines == pytest.approx(2e9, rel=0.01)
    assert compiled_from(big, 120_000, cpu) == 15_000 < begin
    assert compiled_from(big, 100, cpu) is None
    assert compiled_from(big, 1_000_000, cuda) is None
    assert compiled_from(METHODS["NSK"], 1_000_000, cpu) is None
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert compiled_from(big, 1_000_000, cpu) is None
    assert compiled_from(big.with_options({"compile": "on"}), 1, cpu) == 0
    assert compiled_from(big.with_options({"compile": "on"}), 80, cpu) == 10
    assert compiled_from(big.with_options({"compile": "off"}), 1_000_000, cpu) is None


def view(X, **options):
    y = np.arange(len(X)) % 2
    return view_of(prepare(make_dataset("points", X, y, "classification"), DataSpec(**options), 0), 0)


def test_the_view_of_one_input_is_a_line():
    X = np.random.default_rng(0).uniform(2, 4, size=(50, 1))
    facts, arrays = view(X)
    assert facts["view"] == "curve"
    axes = arrays["view_axes"]
    assert axes.shape == (400,)
    assert axes[0] < X.min() < X.max() < axes[-1]
    inside = np.random.default_rng(0).uniform(2, 4, size=(50, 1))
    scaled = (axes - inside[:, 0].mean()) / inside[:, 0].std()
    assert np.corrcoef(arrays["view_points"][:, 0], scaled)[0, 1] == pytest.approx(1.0)
    assert {tuple(row) for row in arrays["data_points"]} <= {tuple(row) for row in X.astype(np.float32)}


def test_the_view_of_two_inputs_is_a_grid():
    X = np.random.default_rng(0).normal(size=(50, 2))
    facts, arrays = view(X)
    assert (facts["view"], facts["view_grid"]) == ("regions", [72, 72])
    grid = arrays["view_axes"].reshape(72, 72, 2)
    assert (grid[:, :, 0] == grid[:1, :, 0]).all()  # x runs along the rows, y across them
    assert (grid[:, :, 1] == grid[:, :1, 1]).all()
    assert (grid.min(axis=(0, 1)) < X.min(axis=0)).all()
    assert (grid.max(axis=(0, 1)) > X.max(axis=0)).all()


def test_the_view_of_more_inputs_has_the_principal_axes_of_the_test_part():
    rng = np.random.default_rng(0)
    facts, arrays = view(rng.normal(size=(200, 6)) * [5, 3, 1, 1, 1, 1], scaling="none")
    assert facts["view"] == "projection"
    shadow, points = arrays["view_projection"], arrays["view_points"]
    assert shadow.shape == (40, 2)
    values = np.sort(np.linalg.eigvalsh(np.cov(points.T)))[::-1]
    np.testing.assert_allclose(shadow.var(axis=0, ddof=1), values[:2], rtol=1e-4)
    assert arrays["view_labels"].shape == (40,)


def test_a_single_test_row_still_has_two_axes():
    data = prepare(
        make_dataset("one", np.random.default_rng(0).normal(size=(10, 5)), np.arange(10.0), "regression"),
        DataSpec(test_size=0.1),
        0,
    )
    _, arrays = view_of(data, 0)
    assert arrays["view_projection"].shape == (1, 2)


def test_targets_are_shown_in_the_reported_unit():
    data = targets(K=2, target_scale="[0,100]")
    _, arrays = view_of(data, 0)
    shown = arrays["view_labels"]
    low, high = data.dataset.y.min(axis=0), data.dataset.y.max(axis=0)
    expected = 100 * (data.dataset.y - low) / (high - low)
    for row in shown:
        assert np.abs(expected - row).max(axis=1).min() < 1e-3

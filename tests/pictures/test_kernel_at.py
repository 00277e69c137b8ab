"""The kernel that a snapshot holds is the model's own."""

import numpy as np
import pytest
import torch
from drawn import whole_kernel

from kernlab.feature_maps import ExactKernel
from kernlab.model import Model
from kernlab.pictures.kernel_at import kernel_at
from kernlab.pictures.sample import sorted_sample
from kernlab.spec import RunSpec
from kernlab.training import measure
from kernlab.training.events import Finished, Snapshot, Started
from kernlab.training.trainer import train

SMALL = {"n_features": 40, "epochs": 2}


def ran(method, dataset="digits", **options):
    spec = RunSpec.of(method, dataset, **options)
    started, *between, finished = train(spec)
    assert isinstance(started, Started)
    assert isinstance(finished, Finished)
    snapshots = [event for event in between if isinstance(event, Snapshot)]
    return started, snapshots, Model.from_arrays(finished.model, finished.meta)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("SKL", SMALL),
        ("SKL", {**SMALL, "phase": "shared"}),
        ("ASKL", SMALL),
        ("ASKL", {**SMALL, "phase": "independent"}),
        ("ASKL", {**SMALL, "phase": "shared"}),
        ("RFDI", {**SMALL, "batch_size": 200}),
        ("NysDI", {**SMALL, "batch_size": 200}),
        ("LKRF", {"n_features": 200}),
        ("LKRF", {"n_features": 200, "phase": "shared"}),
        ("SVC-rbf", {}),
    ],
)
def test_the_last_snapshot_holds_the_kernel_of_the_model(method, options):
    started, snapshots, model = ran(method, **options)
    X = started.arrays["view_points"][:30]
    at = kernel_at(model.method, snapshots[-1].arrays)
    whole = whole_kernel(model.method, model.params)
    np.testing.assert_allclose(at.gram(X), whole.gram(X), atol=1e-6)
    np.testing.assert_allclose(at.gram(X, X[:4]), whole.gram(X)[:, :4], atol=1e-6)
    assert at.kept == at.total == whole.total
    if not isinstance(at.representation, ExactKernel):
        np.testing.assert_allclose(at.features(X) @ at.features(X).T, at.gram(X), atol=1e-12)


@pytest.mark.parametrize(("method", "options"), [("FKS-Fourier", {"order": 4}), ("MKL", {})])
def test_kernels_for_real_targets(method, options):
    started, snapshots, model = ran(method, "diabetes", **options)
    X = started.arrays["view_points"][:30]
    at = kernel_at(model.method, snapshots[-1].arrays)
    np.testing.assert_allclose(at.gram(X), whole_kernel(model.method, model.params).gram(X), atol=1e-6)


def test_the_kernel_before_training_is_the_one_it_started_from():
    started, snapshots, model = ran("ASKL", **SMALL)
    X = started.arrays["view_points"][:30]
    before = kernel_at(model.method, {}, initial=started.arrays)
    np.testing.assert_allclose(before.gram(X), kernel_at(model.method, snapshots[0].arrays).gram(X), atol=1e-12)
    assert np.abs(before.gram(X) - kernel_at(model.method, snapshots[-1].arrays).gram(X)).max() > 1e-3


def test_a_share_of_the_features_makes_the_same_kernel_with_more_noise(monkeypatch):
    monkeypatch.setattr(measure, "SNAPSHOT_BYTES", 64 * 4 * 2 * 500)
    started, snapshots, model = ran("ASKL", n_features=4000, epochs=1, batch_size=512)
    at, whole = kernel_at(model.method, snapshots[-1].arrays), whole_kernel(model.method, model.params)
    assert 900 < at.kept < 1100 < at.total == 4000  # 500 pairs
    X = started.arrays["view_points"][:30]
    error = np.abs(at.gram(X) - whole.gram(X)).max()
    assert 1e-4 < error < 6 / np.sqrt(at.kept)


@pytest.mark.parametrize("phase", ["paired", "shared"])
def test_re_weighted_features_that_are_left_out_give_their_weight_to_the_rest(phase):
    _, snapshots, model = ran("LKRF", n_features=400, phase=phase)
    arrays = dict(snapshots[-1].arrays)
    few = len(arrays["q"]) // 2
    arrays |= {name: arrays[name][:, :few] for name in ("omega", "phase") if name in arrays}
    at = kernel_at(model.method, arrays)
    assert at.kept == few * (2 if phase == "paired" else 1)
    assert at.total == len(arrays["q"]) * at.kept // few
    assert float(at.params["q"].sum()) == pytest.approx(float(torch.as_tensor(arrays["q"]).sum()))


def test_stacked_layers_are_not_held_by_a_snapshot():
    _, snapshots, model = ran("Deep-ASKL", **SMALL, hidden=16)
    assert kernel_at(model.method, snapshots[-1].arrays) is None


def test_a_sample_is_sorted_by_class():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 5)).astype(np.float32), rng.integers(0, 3, 300)
    found = sorted_sample({"view_points": X, "view_labels": y}, ["a", "b", "c"], rows=100)
    assert found.X.shape == (100, 5)
    np.testing.assert_array_equal(found.X, X[found.rows])
    assert (np.diff(found.targets) >= 0).all()
    np.testing.assert_array_equal(found.borders, np.cumsum(np.bincount(y[:100])))
    assert found.names == ("a", "b", "c")
    assert found.classes


def test_a_sample_of_real_targets_goes_from_small_to_large():
    rng = np.random.default_rng(0)
    static = {
        "data_points": rng.random((50, 1)),
        "data_inputs": rng.random((50, 1)),
        "data_targets": rng.random((50, 2)),
    }
    found = sorted_sample(static, output=1)
    np.testing.assert_array_equal(found.targets, np.sort(static["data_targets"][:, 1]))
    assert not found.classes
    assert sorted_sample({"view_points": static["data_points"]}) is None

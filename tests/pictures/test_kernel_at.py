"""The kernel that a snapshot holds is the model's own; "exact" is the average over very many features."""

import numpy as np
import pytest
import torch
from drawn import whole_kernel

from kernlab.feature_maps import ExactKernel, NonStationary, Nystroem, Stationary, Weighted
from kernlab.feature_maps.frames import FourierFrame
from kernlab.kernels import gaussian
from kernlab.methods import method
from kernlab.model import Model
from kernlab.pictures.kernel_at import exact_of, kernel_at
from kernlab.pictures.sample import sorted_sample
from kernlab.spec import RunSpec
from kernlab.training import measure
from kernlab.training.events import Finished, Snapshot, Started
from kernlab.training.trainer import train

SMALL = {"n_features": 40, "epochs": 2}


def ran(name, dataset="digits", **options):
    spec = RunSpec.of(name, dataset, **options)
    started, *between, finished = train(spec)
    assert isinstance(started, Started)
    assert isinstance(finished, Finished)
    snapshots = [event for event in between if isinstance(event, Snapshot)]
    return started, snapshots, Model.from_arrays(finished.model, finished.meta)


@pytest.mark.parametrize(
    ("name", "options"),
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
def test_the_last_snapshot_holds_the_kernel_of_the_model(name, options):
    started, snapshots, model = ran(name, "wine" if name == "LKRF" else "digits", **options)
    X = started.arrays["view_points"][:30]
    at = kernel_at(model.method, snapshots[-1].arrays)
    whole = whole_kernel(model.method, model.params)
    np.testing.assert_allclose(at.gram(X), whole.gram(X), atol=1e-6)
    np.testing.assert_allclose(at.gram(X, X[:4]), whole.gram(X)[:, :4], atol=1e-6)
    assert at.kept == at.total == whole.total
    if not isinstance(at.representation, ExactKernel):
        np.testing.assert_allclose(at.features(X) @ at.features(X).T, at.gram(X), atol=1e-12)


@pytest.mark.parametrize(("name", "options"), [("FKS-Fourier", {"order": 4}), ("MKL", {})])
def test_kernels_for_real_targets(name, options):
    started, snapshots, model = ran(name, "diabetes", **options)
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
    _, snapshots, model = ran("LKRF", "moons", n_features=100, phase=phase)
    arrays = dict(snapshots[-1].arrays)
    few = len(arrays["q"]) // 2
    arrays |= {name: arrays[name][:, :few] for name in ("omega", "phase") if name in arrays}
    at = kernel_at(model.method, arrays)
    assert at.kept == few * (2 if phase == "paired" else 1)
    assert at.total == len(arrays["q"]) * at.kept // few
    assert float(at.params["q"].sum()) == pytest.approx(float(torch.as_tensor(arrays["q"]).sum()))


def test_a_snapshot_does_not_contain_stacked_layers():
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


# -- the exact kernel ---------------------------------------------------------------------------------------------

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3)).astype(np.float32) * 0.7


def moment(map, name="ASKL", seed=0, **params):
    inputs = torch.as_tensor(X)
    found = map.init(inputs, torch.Generator().manual_seed(seed)) | params
    spec = method(name)
    return spec, whole_kernel(spec.__class__(feature_map=map, learned=spec.learned), found)


@pytest.mark.parametrize("density", ["gaussian", "laplacian", "cauchy", "matern"])
@pytest.mark.parametrize("kind", [Stationary, NonStationary])
def test_features_average_to_the_assigned_kernel(kind, density):
    map = kind(n_features=60_000, frequency_scale=0.8, density=density, nu=1.5)
    spec, at = moment(map)
    exact = exact_of(spec, at, learned=False)
    assert not exact.same
    assert np.abs(at.gram(X) - exact.gram(X, X)).max() < 0.03


def test_independent_phases_leave_half_of_a_stationary_kernel():
    map = NonStationary(n_features=40_000, frequency_scale=1.0, phase="independent")
    spec, at = moment(map)
    for learned in (False, True):
        exact = exact_of(spec, at, learned=learned)
        assert np.abs(at.gram(X) - exact.gram(X, X)).max() < 0.03
        assert exact.gram(X, X).diagonal() == pytest.approx(0.5)


def test_learned_pairs_are_averaged_as_yaglom_says():
    map = NonStationary(n_features=40, frequency_scale=1.0)
    spec, at = moment(map)
    first, second = at.params["omega"].double().numpy().transpose(1, 0, 2)
    x, z = X[3].astype(float), X[8].astype(float)
    a, b, c, e = first.T @ x, second.T @ x, first.T @ z, second.T @ z
    expected = 0.25 * np.mean(np.cos(a - e) + np.cos(b - c) + np.cos(a - c) + np.cos(b - e))
    assert exact_of(spec, at).gram(X, X)[3, 8] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "map", [NonStationary(n_features=50, phase="paired"), Stationary(n_features=50, phase="paired")]
)
def test_the_paired_form_is_its_own_exact_kernel(map):
    spec, at = moment(map.replace(frequency_scale=1.0))
    exact = exact_of(spec, at)
    assert exact.same
    np.testing.assert_allclose(at.gram(X), exact.gram(X, X), atol=1e-12)


def test_weights_count_in_the_average():
    q = rng.dirichlet(np.full(20, 0.3))
    map = Weighted(n_features=40, frequency_scale=1.0)
    spec, at = moment(map, "LKRF", q=torch.as_tensor(q))
    omega = at.params["omega"][:, 0].double().numpy()
    expected = q @ np.cos(omega.T @ (X[0] - X[1]).astype(float))
    assert exact_of(spec, at).gram(X, X)[0, 1] == pytest.approx(expected, abs=1e-6)


def test_landmarks_stand_for_their_kernel_and_frames_for_themselves():
    spec, at = moment(Nystroem(n_features=10, frequency_scale=0.7), "NysDI")
    exact = exact_of(spec, at)
    Z = torch.as_tensor(X).double()
    np.testing.assert_allclose(exact.gram(X, X), gaussian(Z, Z, 1 / 0.7), atol=1e-12)
    assert "Gaussian kernel" in exact.words
    rows = np.clip(X, -1, 1)
    map, spec = FourierFrame(order=3), method("FKS-Fourier")
    at = whole_kernel(spec, map.init(torch.as_tensor(rows), torch.Generator()))._replace(representation=map)
    exact = exact_of(spec, at)
    assert exact.same
    np.testing.assert_allclose(exact.gram(rows, rows), at.gram(rows))


def test_an_exact_kernel_has_no_error():
    spec = method("KRR")
    at = whole_kernel(spec, {})
    at = at._replace(representation=spec.feature_map.replace(frequency_scale=1.0))
    assert exact_of(spec, at).same
    Z = torch.as_tensor(X).double()
    np.testing.assert_allclose(exact_of(spec, at).gram(X, X), gaussian(Z, Z), atol=1e-12)

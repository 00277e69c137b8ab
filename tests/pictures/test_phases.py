"""Features and the kernel of their own frequencies after real training: one for pairs, two with random phases."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from drawn import whole_kernel

from kernlab import RunSpec
from kernlab.feature_maps import NonStationary, Stationary, Weighted
from kernlab.pictures.kernel_at import KernelAt, kernel_at
from kernlab.pictures.phases import has_phases, phase_distance, phase_history
from kernlab.training.events import Finished, Snapshot
from kernlab.training.trainer import train

rng = np.random.default_rng(0)


def by_frequencies(omega: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Yaglom's average (Bochner's for one matrix) over the very frequencies omega [d P D], in plain NumPy."""
    z = np.einsum("nd,dpj->npj", X.astype(np.float64), omega.astype(np.float64))
    P = omega.shape[1]
    K = np.zeros((len(X), len(X)))
    for p in range(P):
        for q in range(P):
            K += np.cos(z[:, None, p] - z[None, :, q]).mean(axis=-1) / P**2
    return K


def trained(method: str, **options):
    """A real run on a real data set: the diabetes data of scikit-learn, 442 rows and 10 inputs."""
    spec = RunSpec.of(method, "diabetes", n_features=300, epochs=40, validation=0, compile="off", **options)
    started, *between, finished = train(spec)
    assert isinstance(finished, Finished)
    from kernlab import Model

    return started, [e for e in between if isinstance(e, Snapshot)], Model.from_arrays(finished.model, finished.meta)


@pytest.mark.parametrize("method", ["ASKL", "SKL"])
def test_trained_pairs_are_the_kernel_of_their_frequencies(method):
    started, snapshots, model = trained(method)
    X = started.arrays["view_points"][:80]
    K = by_frequencies(model.params["omega"].numpy(), X)
    before = by_frequencies(snapshots[0].arrays["omega"][:, None], X) if method == "SKL" else None
    at = whole_kernel(model.method, model.params)
    np.testing.assert_allclose(at.gram(X), K, rtol=0, atol=1e-5)
    assert K.diagonal().max() <= 1 + 1e-12
    assert before is None or np.abs(K - before).max() > 0.05  # it has learned something
    assert not has_phases(at)
    assert max(phase_distance(at, X)) < 1e-6


@pytest.mark.parametrize("method", ["ASKL", "SKL"])
def test_trained_features_with_phases_are_another_kernel(method):
    started, snapshots, model = trained(method, phase="shared")
    X = started.arrays["view_points"][:80]
    K = by_frequencies(model.params["omega"].numpy(), X)
    at = whole_kernel(model.method, model.params)
    own = np.linalg.norm(at.gram(X) - K) / np.linalg.norm(K)
    found = phase_distance(at, X)
    assert found.own == pytest.approx(own, rel=1e-4)
    assert found.own > 0.1
    assert found.own > 1.8 * found.redrawn
    history = [phase_distance(kernel_at(model.method, each.arrays), X) for each in snapshots]
    view = phase_history([each.epoch for each in snapshots], history, len(X))
    assert view.own[-1] == pytest.approx(found.own, rel=1e-3)
    assert view.own[0] < 0.6 * view.own[-1]  # phases that were just drawn are noise and no more


@pytest.mark.parametrize("cls", [Stationary, NonStationary, Weighted])
@pytest.mark.parametrize("phase", ["shared", "independent"])
def test_phases_that_were_drawn_are_noise_of_one_over_the_root_of_the_features(cls, phase):
    X = rng.normal(size=(40, 3))

    def at(D: int) -> KernelAt:
        map = cls(n_features=D, frequency_scale=0.7, phase=phase)
        return KernelAt(map, map.init(torch.from_numpy(X), torch.Generator().manual_seed(1)), D, D)

    few, many = (phase_distance(at(D), X) for D in (400, 6400))
    assert few.own == pytest.approx(few.redrawn, rel=0.6)
    assert few.redrawn / many.redrawn == pytest.approx(4.0, rel=0.4)

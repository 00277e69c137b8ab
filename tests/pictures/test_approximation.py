"""Errors of growing sets of features against closed forms of the errors themselves."""

import numpy as np
import pytest
import torch
from drawn import keeps_promises

from kernlab.feature_maps import NonStationary, Nystroem, Stationary
from kernlab.feature_maps.weighted import Weighted
from kernlab.pictures.approximation import (
    Errors,
    approximation,
    drawn_errors,
    eigenvector_errors,
    landmark_errors,
    plot_approximation,
    subset_errors,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))


def gram(A, B):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(2) / 2)


def test_errors_are_those_of_the_matrices():
    Phi = rng.normal(size=(6, 4))
    K = np.eye(6)
    (row,) = zip(*subset_errors("all", Phi, K)[1:], strict=True)
    E = Phi @ Phi.T - K
    assert row == pytest.approx((4, np.linalg.norm(E) / np.sqrt(6), np.abs(E).mean(), np.abs(E).max()))


def test_a_part_of_the_features_counts_as_often_as_all():
    Phi = np.repeat(rng.normal(size=(6, 1)), 64, axis=1) / 8  # 64 equal columns: any part makes the same kernel
    found = subset_errors("part", Phi, Phi @ Phi.T)
    assert found.size.tolist() == [4, 8, 16, 32, 64]
    assert found.largest.max() < 1e-12


def test_cosine_and_sine_stay_together():
    columns = rng.normal(size=(6, 2, 1)) * np.ones((1, 2, 16)) / 4
    Phi = columns.reshape(6, 32)
    assert subset_errors("pairs", Phi, Phi @ Phi.T, paired=True).largest.max() < 1e-12
    assert subset_errors("torn", Phi, Phi @ Phi.T).largest.max() > 0.01


def test_error_falls_like_one_over_the_root_with_the_right_height():
    D = 2**14
    omega, b = rng.normal(size=(3, D)), rng.uniform(0, 2 * np.pi, D)
    K = gram(X, X)
    found = subset_errors("iid", np.sqrt(2 / D) * np.cos(X @ omega + b), K)
    view = approximation([found], "relative", rows=40)
    (curve,) = view.curves
    assert curve.slope == pytest.approx(-0.5, abs=0.05)
    # With random phases 2 cos z cos z' = cos ωΔ + cos(z + z'), so its variance is ½ + ½E cos 2ωΔ + ½ − k² …
    pair = X[:, None] - X[None]
    variance = 1 + 0.5 * np.exp(-2 * (pair**2).sum(2)) - K**2
    expected = np.sqrt(variance.sum() / 64) / np.linalg.norm(K)
    assert found.relative[found.size == 64] == pytest.approx(expected, rel=0.25)
    np.testing.assert_allclose(view.law * np.sqrt(view.law_size), view.law[0] * 2)


@pytest.mark.parametrize("kind", [Stationary, NonStationary])
def test_independent_draws_have_slope_one_half_and_low_discrepancy_beats_them(kind):
    line = X[:, :1]
    found = {each.name: each for each in drawn_errors(kind(frequency_scale=1.0), line)}
    assert list(found) == ["independent", "orthogonal", "quasi-Monte-Carlo"]
    view = approximation(list(found.values()), "mean", rows=40)
    slopes = {curve.name: curve.slope for curve in view.curves}
    assert slopes["independent"] == pytest.approx(-0.5, abs=0.12)
    assert slopes["quasi-Monte-Carlo"] < -0.7
    assert found["quasi-Monte-Carlo"].mean[-1] < 0.3 * found["independent"].mean[-1]


def test_orthogonal_frequencies_beat_independent_ones_in_many_inputs():
    wide = rng.normal(size=(40, 16)) / 4
    independent, orthogonal, _ = drawn_errors(Stationary(frequency_scale=1.0), wide)
    assert (orthogonal.relative[2:] < 0.8 * independent.relative[2:]).all()  # from 16 = one whole block on


def test_every_density_is_drawn_as_it_allows():
    names = [each.name for each in drawn_errors(Stationary(frequency_scale=1.0, density="laplacian"), X, largest=64)]
    assert names == ["independent", "quasi-Monte-Carlo"]
    weighted = drawn_errors(Weighted(frequency_scale=1.0), X, largest=64)
    plain = drawn_errors(Stationary(frequency_scale=1.0), X, largest=64)
    assert weighted[0].mean.tolist() == plain[0].mean.tolist()


def test_landmarks_follow_nystroem_features():
    Z = rng.normal(size=(32, 3))
    found = landmark_errors("rows", gram, X, Z, seed=3)
    order = np.random.default_rng(3).permutation(32)
    map = Nystroem(n_features=8, frequency_scale=1.0)
    Phi = map.apply({"landmarks": torch.as_tensor(Z[order[:8]])}, torch.as_tensor(X)).numpy()
    K = gram(X, X)
    assert found.size.tolist() == [4, 8, 16, 32]
    assert found.relative[1] == pytest.approx(np.linalg.norm(Phi @ Phi.T - K) / np.linalg.norm(K), rel=1e-6)
    best = eigenvector_errors("best", K, 32)
    values = np.linalg.eigvalsh(K)[::-1]
    assert best.relative[1] == pytest.approx(np.sqrt((values[8:] ** 2).sum() / (values**2).sum()))
    assert (best.relative <= found.relative).all()


def test_landmarks_on_the_rows_themselves_leave_no_error():
    found = landmark_errors("same", gram, X, X)
    assert found.largest[-1] < 1e-6
    curve = approximation([found], "largest", rows=40).curves[0]
    assert curve.slope < 0


def test_no_error_has_no_slope():
    Phi = rng.normal(size=(5, 4))
    view = approximation([subset_errors("same", Phi, Phi @ Phi.T)], rows=5)
    assert len(view.curves[0].size) == 0
    assert view.curves[0].slope is None
    assert len(view.law) == 0


def test_slopes_are_in_the_legend_and_nothing_is_drawn_without_error():
    size = 2 ** np.arange(2, 8)
    first, second, none = (
        Errors(name, size, level / np.sqrt(size), level / size, level / size**0.3)
        for name, level in (("a", 1), ("b", 2), ("none", 0))
    )
    figure = plot_approximation(approximation([first, second], rows=9))
    keeps_promises(figure)
    assert [trace.name for trace in figure.data] == ["a: slope −0.50", "b: slope −0.50", "c/√D: slope −0.5"]
    exact = plot_approximation(approximation([first, none], "mean", rows=9), letter="J")
    assert [trace.name for trace in exact.data] == ["a: slope −1.00", "c/√J: slope −0.5"]

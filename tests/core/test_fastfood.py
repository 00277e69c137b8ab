"""Fastfood against its matrices written out, the Gaussian kernel, and what the paper promises of its rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.linalg import hadamard
from scipy.spatial.distance import cdist

from kernlab.feature_maps import Fastfood, fastfood
from kernlab.methods import METHODS
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

SIGMA = 0.6


def drawn(D: int, d: int, seed: int = 0, n: int = 12):
    random = torch.Generator().manual_seed(seed)
    X = torch.randn(n, d, generator=torch.Generator().manual_seed(99), dtype=torch.float64)
    map = Fastfood(n_features=D, frequency_scale=SIGMA)
    return map, map.init(X, random), X


def matrix(params, s: int) -> np.ndarray:
    """Ωᵀ [s d] as the product S H G Π H B, every factor a matrix of NumPy."""
    B, P, G, S = (params[name].numpy() for name in "BPGS")
    (k, p), d = G.shape, B.shape[1]
    H, rows = hadamard(p).astype(float), []
    for b in range(k):
        Pi = np.eye(p)[P[b].astype(int) - b * p]
        assert sorted(Pi.argmax(1)) == list(range(p))
        full = np.diag(S[b]) @ H @ np.diag(G[b]) @ Pi @ H @ np.diag(np.pad(B[b], (0, p - d)))
        rows.append(full[:, :d] / math.sqrt(p))
    return np.concatenate(rows)[:s]


@pytest.mark.parametrize("p", [1, 2, 4, 32, 64, 256, 2048])
def test_the_fast_transform_is_the_product_with_a_hadamard_matrix(p):
    U = torch.randn(3, p, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(p))
    expected = hadamard(p).astype(float) @ U.numpy()
    np.testing.assert_allclose(fastfood.walsh_hadamard(U, fastfood.hadamard(p, U)), expected, atol=1e-12 * p)


@pytest.mark.parametrize(("D", "d"), [(2, 1), (40, 5), (41, 8), (300, 17), (64, 32)])
def test_the_features_are_those_of_the_matrices_written_out(D, d):
    map, params, X = drawn(D, d)
    omega = matrix(params, map.draws)
    z = X.numpy() @ omega.T
    expected = np.concatenate([np.cos(z), np.sin(z)], axis=1) / math.sqrt(map.draws)
    np.testing.assert_allclose(map.apply(params, X), expected, atol=1e-12)
    np.testing.assert_allclose(map.frequencies(params)["omega"], omega.T, atol=1e-12)


def test_blocks_of_samples_give_the_same_features_and_gradients(monkeypatch):
    map, params, X = drawn(40, 5)
    cotangent = torch.randn(12, 40, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    Phi, pullback = map.pullback(params, X)
    monkeypatch.setattr(fastfood, "CACHED", 5 * params["S"].numel())  # 5, 5 and 2 of 12 samples
    again, in_blocks = map.pullback(params, X)
    torch.testing.assert_close(again, Phi)
    torch.testing.assert_close(map.apply(params, X), Phi)
    for name, value in pullback(cotangent).items():
        torch.testing.assert_close(in_blocks(cotangent)[name], value)


def test_its_kernel_is_the_gaussian_and_the_error_falls_as_the_root_of_the_features():
    """Averages over draws: the mean of the kernel is the Gaussian, and its error at D is about c/√D."""
    d, draws, errors = 12, 60, []
    X = drawn(2, d)[2].numpy()
    K = np.exp(-(SIGMA**2) * cdist(X, X, "sqeuclidean") / 2)
    sizes = (32, 128, 512, 2048)
    for D in sizes:
        grams = []
        for seed in range(draws):
            map, params, rows = drawn(D, d, seed)
            Phi = map.apply(params, rows).numpy()
            grams.append(Phi @ Phi.T)
        distances = np.array(grams) - K
        errors.append(np.sqrt((distances**2).mean()))
        # The mean over draws is within what √draws of them leave: it is unbiased.
        assert np.abs(distances.mean(0)).max() < 5 * errors[-1] / math.sqrt(draws)
        np.testing.assert_allclose(map.exact(params, learned=False).gram(X, X), K, atol=1e-12)
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.06)


@pytest.mark.parametrize("d", [8, 5])
def test_each_frequency_is_a_draw_from_the_normal_law(d):
    map, _, _ = drawn(16, d)
    omega = np.concatenate([map.frequencies(drawn(16, d, seed)[1])["omega"][:, 0].numpy() for seed in range(300)])
    assert stats.kstest(omega / SIGMA, "norm").pvalue > 0.01


def test_learned_diagonals_make_a_kernel_of_their_own_frequencies():
    map, params, X = drawn(40, 5)
    random = torch.Generator().manual_seed(1)
    for name in map.trainable:
        params[name] = params[name] + 0.3 * torch.randn(params[name].shape, generator=random, dtype=torch.float64)
    exact = map.exact(params, learned=True)
    Phi = map.apply(params, X).numpy()
    assert exact.same
    np.testing.assert_allclose(exact.gram(X.numpy(), X.numpy()), Phi @ Phi.T, atol=1e-12)
    np.testing.assert_allclose(map.frequencies(params)["omega"].mT, matrix(params, map.draws), atol=1e-12)


def test_learning_the_diagonals_beats_leaving_them():
    def reached(**options):
        small = {"n_features": 60, "n_samples": 400, "epochs": 40, "validation": 0, "compile": "off"}
        return fit(RunSpec.of("A-la-carte", "checkerboard", **small, **options)).summary["train_metric"]

    assert METHODS["A-la-carte"].learned
    assert reached() > reached(learned=False) + 3


def test_few_numbers_are_stored():
    map, params, _ = drawn(20_000, 500)
    assert sum(value.numel() for value in params.values()) < 5 * 10_240
    assert map.draws == 10_000

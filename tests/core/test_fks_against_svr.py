"""The comparison of frame selection with support vector regression, on generated rows."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab.bench import BENCHMARKS, frames
from kernlab.bench.frames import PAPER_G, _together, chosen_frame, fks_against_svr
from kernlab.feature_maps import FourierFrame
from kernlab.solvers import Problem
from kernlab.solvers.frame_selection import lasso, means, penalty_constant


def rows(n: int, frequency: float = 3.0, noise: float = 0.3) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 2))
    y = np.sin(frequency * X[:, :1]) + noise * rng.normal(size=(n, 1))
    return torch.from_numpy(X), torch.from_numpy((y - y.mean()) / y.std())


def test_means_of_folds_are_the_means_of_their_rows():
    X, y = rows(90)

    def of(X, y):
        return means(Problem(FourierFrame(order=3), None, X, y, 1, "regression"))

    parts = [(of(*part), len(part[0])) for part in ((X[:20], y[:20]), (X[20:50], y[20:50]), (X[50:], y[50:]))]
    whole, joined = of(X, y), _together(parts)
    np.testing.assert_allclose(joined.gram, whole.gram, atol=1e-14)
    np.testing.assert_allclose(joined.cross, whole.cross, atol=1e-14)
    assert joined.square == pytest.approx(whole.square)


def test_the_chosen_g_is_the_best_of_plain_cross_validation(monkeypatch):
    monkeypatch.setattr(frames, "ORDER", 4)
    X, y = rows(100)
    omega, g = chosen_frame(X, y, omegas=(1.0,))

    def error(g: float) -> float:
        found = []
        for part in np.split(np.arange(100), 5):
            rest = np.setdiff1d(np.arange(100), part)
            of = means(Problem(FourierFrame(order=4), None, X[rest], y[rest], 1, "regression"))
            mu = lasso(of, penalty_constant(g, 1.0, 1.0), 1e-3, 5000)
            found.append(float((FourierFrame(order=4).frame(X[part]) @ mu - y[part]).square().mean()))
        return float(np.mean(found))

    assert omega == 1.0
    assert g < min(PAPER_G)  # the paper's grid is too coarse for targets of unit variance
    assert error(g) <= min(error(4 * g), error(g / 4)) * (1 + 1e-3)


def test_a_fast_target_needs_a_higher_base_frequency(monkeypatch):
    monkeypatch.setattr(frames, "ORDER", 4)
    assert chosen_frame(*rows(300, frequency=8.0))[0] > 1
    assert chosen_frame(*rows(300, frequency=1.0))[0] == 1


def test_data_that_are_not_at_hand_are_left_out_with_a_sentence(monkeypatch):
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    figures = fks_against_svr(["nowhere"])
    assert "data set must be one that kernlab knows" in figures["nowhere_skipped"]
    assert BENCHMARKS["fks-against-svr"] is fks_against_svr


def test_a_data_set_gives_both_errors_and_both_times(monkeypatch):
    monkeypatch.setattr(frames, "TIMED", ("diabetes",))
    monkeypatch.setattr(frames, "SVR_GRID", {"C": [1.0], "gamma": [0.1], "epsilon": [0.05]})
    threads = torch.get_num_threads()
    figures = fks_against_svr(["diabetes"], sizes=(100,))
    assert torch.get_num_threads() == threads
    assert 0 < figures["diabetes_fks_mse"] < figures["diabetes_constant_mse"]
    assert figures["diabetes_mse_ratio"] == figures["diabetes_fks_mse"] / figures["diabetes_svr_mse"]
    assert figures["diabetes_n_train"] == 221
    for n in (100, 221):
        assert figures[f"diabetes_n{n}_times_faster"] > 0

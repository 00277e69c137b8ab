"""The second descent: its figures against scikit-learn and the definitions, and that it is one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab.data import load, prepare
from kernlab.errors import DataError, OptionError
from kernlab.methods import METHODS
from kernlab.pictures import interpolation
from kernlab.pictures.interpolation import PENALTIES, descend, plot_errors, plot_promise, plot_sizes, sizes
from kernlab.spec import RunSpec
from kernlab.training import rules


def prepared(dataset, **options):
    spec = RunSpec.of("RF", dataset, **options)
    source = rules.resolve_data(spec.data, spec.method)
    data = prepare(load(source), source, spec.seed)
    return rules.resolve(spec.method, data).feature_map, data


def descended(dataset, rows, **options):
    steps = list(descend(*prepared(dataset, **options), rows=rows))
    shares = [share for share, _ in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert [found for _, found in steps[:-1]] == [None] * (len(steps) - 1)
    return steps[-1][1]


@pytest.fixture(scope="module")
def digits():
    return descended("digits", 150)


def test_the_test_error_has_a_peak_where_the_rows_can_just_be_fitted_and_falls_again(digits):
    peak, plain = int(np.argmax(digits.test[:, 0])), digits.test[:, 0]
    assert digits.sizes[peak] == digits.rows == 150
    assert plain[peak] > 3 * plain[0]
    assert plain[-1] < plain[:peak].min()
    assert digits.train[digits.sizes > 150, 0].max() < 1e-10
    assert digits.norm[:, 0].argmax() == digits.condition[:, 0].argmax() == peak
    assert digits.promised[:, 0].argmax() == peak  # the bound has it too
    assert digits.wrong[-1, 0] < digits.wrong[peak, 0] / 2


def test_a_penalty_takes_the_peak_away(digits):
    assert np.all(np.diff(digits.norm, axis=1) <= 1e-9)  # a larger penalty, smaller weights
    assert digits.test[:, -4].max() < 1.01 * digits.test[0, -4]
    assert np.all(np.diff(digits.effective, axis=1) <= 1e-9)
    np.testing.assert_allclose(digits.effective[:, 0], np.minimum(digits.sizes, 150), rtol=1e-4)


@pytest.mark.parametrize("D", [7, 29, 30, 45, 90])
@pytest.mark.parametrize("place", [6, 10])
def test_the_figures_are_those_of_ridge_regression_on_the_first_features(D, place):
    rng = np.random.default_rng(0)
    Phi, Psi, Y, T = (rng.normal(size=shape) for shape in ((30, 90), (20, 90), (30, 2), (20, 2)))
    tensors = [torch.from_numpy(each) for each in (Phi / np.sqrt(90), Psi / np.sqrt(90), Y, T)]
    wanted = [7, 29, 30, 45, 90]
    figures = list(interpolation.nested(*tensors, wanted))[wanted.index(D)]
    train, test, norm, condition, effective, promised, risk = (each[place] for each in figures)
    # A plain solution of the normal equations, in NumPy alone.
    Phi, Psi, Y, T = Phi[:, :D] / np.sqrt(D), Psi[:, :D] / np.sqrt(D), Y - Y.mean(0), T - Y.mean(0)
    rho = PENALTIES[place] * np.square(Phi).sum()
    W = np.linalg.solve(Phi.T @ Phi + rho * np.eye(D), Phi.T @ Y)
    left, missed = Phi @ W - Y, Psi @ W - T
    assert train == pytest.approx(np.square(left).sum() / np.square(Y).sum(), rel=1e-6)
    assert test == pytest.approx(np.square(missed).sum() / np.square(T).sum(), rel=1e-6)
    assert norm == pytest.approx(np.linalg.norm(W), rel=1e-6)
    s = np.linalg.svd(Phi, compute_uv=False) ** 2
    assert condition == pytest.approx((s[0] + rho) / (s[-1] + rho), rel=1e-4)
    assert effective == pytest.approx((s / (s + rho)).sum(), rel=1e-6)
    clipped = np.minimum(1, np.linalg.norm(left, axis=1)).mean()
    complexity = 2 * np.sqrt(2) * norm * np.sqrt(np.square(Phi).sum()) / 30
    assert promised == pytest.approx(clipped + complexity + 3 * np.sqrt(np.log(40) / 60), rel=1e-6)
    assert risk == pytest.approx(np.minimum(1, np.linalg.norm(missed, axis=1)).mean(), rel=1e-6)


@pytest.mark.parametrize("D", [10, 60])
def test_without_a_penalty_it_is_the_solution_of_the_smallest_weights(D):
    rng = np.random.default_rng(1)
    Phi, Psi, Y, T = (rng.normal(size=shape) for shape in ((30, D), (20, D), (30, 1), (20, 1)))
    (figures,) = interpolation.nested(*(torch.from_numpy(each) for each in (Phi, Psi, Y, T)), [D])
    W = np.linalg.lstsq(Phi, Y - Y.mean(0), rcond=None)[0]
    assert figures[2][0] == pytest.approx(np.linalg.norm(W), rel=1e-6)
    missed = Psi @ W - T + Y.mean(0)
    assert figures[1][0] == pytest.approx(np.square(missed).sum() / np.square(T - Y.mean(0)).sum(), rel=1e-6)


def test_as_many_rows_are_taken_as_half_a_minute_allows(monkeypatch):
    monkeypatch.setattr(interpolation, "_pace", lambda: 2e10)
    every = [interpolation.fitting(n, 60, 10) for n in (100, 1000, 2000, 4000)]
    assert every[:2] == [100, 1000]
    assert every == sorted(every)
    monkeypatch.setattr(interpolation, "_pace", lambda: 1e13)
    assert interpolation.fitting(4000, 60, 10) == 4000
    assert interpolation.work(4000, 60, 10) > 8 * interpolation.work(1500, 60, 10)


def test_sizes_go_from_ten_to_four_times_the_rows():
    for n in (20, 400, 1500, 4000):
        found = sizes(n)
        assert (found[0], found[-1]) == (10, 4 * n)
        assert n in found
        assert np.all(np.diff(found) > 0)


def test_of_targets_and_every_picture(digits):
    found = descended("diabetes", 60)
    assert found.wrong is None
    for each in (digits, found):
        for make in (plot_errors, plot_sizes, plot_promise):
            one, other = (make(each, place) for place in (0, 8))
            assert one.layout.yaxis.range == other.layout.yaxis.range  # they can be compared
            assert all(np.isfinite(trace.y).all() for trace in one.data)
    assert "60 of 353 training rows" in plot_errors(found, 0).layout.title.subtitle.text


def test_what_cannot_be_computed_is_a_sentence():
    with pytest.raises(DataError, match="at most 5000 rows"):
        list(descend(*prepared("moons", n_samples=6000)))
    for method in ("NysDI", "KRR"):
        with pytest.raises(OptionError, match="features can be drawn"):
            list(descend(METHODS[method].feature_map, prepared("moons")[1]))

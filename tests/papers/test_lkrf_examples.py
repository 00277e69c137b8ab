"""The paper's two examples, made small: what is computed is what the released protocol says."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from kernlab.data import SOURCES, load
from kernlab.papers.lkrf import EXAMPLES, _errors, lkrf_examples

SHELL, LINEAR = EXAMPLES
SMALL = (
    SHELL._replace(n=2000, n_test=500, candidates=3000, radius=0.02),
    LINEAR._replace(n=1500, n_test=500, d=100, candidates=100, radius=0.08),
)


def test_the_published_figures_are_met():
    """At full size, within what another draw of the rows and the frequencies moves them by."""
    for row in lkrf_examples():
        published = row["published_test_error"]
        assert published is None or row["test_error"] == pytest.approx(published, abs=0.03)
        if row["example"] == "shell":
            assert 300 <= row["features"] <= 345


@pytest.fixture(scope="module")
def rows():
    lines: list[str] = []
    found = lkrf_examples(lines.append, examples=SMALL)
    assert len(lines) == 2
    return {(row["example"], row["method"]): row for row in found}


@pytest.mark.parametrize("example", SMALL, ids=["shell", "linear"])
def test_reweighted_features_beat_as_many_plain_ones(rows, example):
    plain, learned = (rows[example.name, method] for method in ("RF", "LKRF"))
    assert plain["features"] == learned["features"] < example.candidates
    assert learned["chi_square"] == pytest.approx(example.radius * example.candidates, rel=1e-6)
    assert plain["chi_square"] is None
    assert learned["test_error"] < 0.85 * plain["test_error"]
    assert (learned["published_train_error"], learned["published_test_error"]) == example.published["LKRF"]
    assert rows[example.name, "LKRF with bias"]["published_test_error"] is None


def test_the_linear_example_in_numpy(rows):
    """Inputs by (Xᵀy)², then (ZᵀZ + λI)⁻¹Zᵀ(y − mean y) on the kept ones, mean y put back."""
    data = load("halfspace", n_samples=2000, dimension=100, data_seed=0)
    X, y = data.X.astype(float), 2.0 * data.y - 1
    v = (X[:1500].T @ y[:1500]) ** 2
    kept = np.argsort(-v)[: rows["linear", "LKRF"]["features"]]
    Z, mean = X[:, kept], y[:1500].mean()
    weight = np.linalg.solve(Z[:1500].T @ Z[:1500] + 0.01 * np.eye(len(kept)), Z[:1500].T @ (y[:1500] - mean))
    wrong = np.sign(Z @ weight + mean) != y
    assert rows["linear", "LKRF"]["train_error"] == pytest.approx(wrong[:1500].mean())
    assert rows["linear", "LKRF"]["test_error"] == pytest.approx(wrong[1500:].mean())
    # With a bias: ordinary centred least squares, nearly.
    A = np.column_stack([Z, np.ones(len(Z))])
    weight = np.linalg.lstsq(A[:1500], y[:1500], rcond=None)[0]
    wrong = np.sign(A @ weight) != y
    assert rows["linear", "LKRF with bias"]["test_error"] == pytest.approx(wrong[1500:].mean(), abs=0.005)


def test_the_mean_of_unequal_classes_is_put_back():
    random = np.random.default_rng(0)
    Z = random.standard_normal((300, 4)) + 0.5
    y = np.where(Z @ [1, -1, 0.5, 0] + 0.5 * random.standard_normal(300) > 1.2, 1.0, -1.0)
    example = SHELL._replace(n=200, penalty=3.0)
    mean = y[:200].mean()
    weight = np.linalg.solve(Z[:200].T @ Z[:200] + 3.0 * np.eye(4), Z[:200].T @ (y[:200] - mean))
    wrong = np.sign(Z @ weight + mean) != y
    found = _errors(torch.from_numpy(Z), torch.from_numpy(y), example, False)
    assert found == pytest.approx((wrong[:200].mean(), wrong[200:].mean()))


def test_a_bias_serves_cosines_of_low_frequency(rows):
    assert rows["shell", "LKRF with bias"]["test_error"] < rows["shell", "LKRF"]["test_error"]


def test_a_seed_fixes_the_rows():
    (first, *_), (again, *_), (other, *_) = (lkrf_examples(seed=seed, examples=SMALL[1:]) for seed in (1, 1, 2))
    assert first == again != other


def test_the_settings_are_the_papers():
    assert SHELL[2:8] == (10_000, 1000, 10, 20_000, 0.005, 0.05)
    assert LINEAR[2:8] == (10_000, 1000, 1000, 1000, 0.01, 0.01)
    assert {name: test for name, (_, test) in SHELL.published.items()} == {"RF": 0.355, "LKRF": 0.143}
    assert {name: test for name, (_, test) in LINEAR.published.items()} == {"RF": 0.373, "LKRF": 0.051}
    assert all(example.data in SOURCES for example in EXAMPLES)

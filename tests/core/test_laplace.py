"""Laplace's approximation of softmax regression against scikit-learn, a dense Hessian and draws from the posterior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
import torch
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from kernlab.heads.laplace import laplace
from kernlab.linalg import eigh


def some(n=200, D=4, K=2, seed=0, size=2.0):
    rng = np.random.default_rng(seed)
    Phi = rng.normal(size=(n, D))
    W = size * rng.normal(size=(D, K))
    chances = np.exp(Phi @ W) / np.exp(Phi @ W).sum(1, keepdims=True)
    return torch.from_numpy(Phi), torch.from_numpy(np.array([rng.choice(K, p=row) for row in chances]))


def extended(found, Phi):
    return torch.cat([Phi, torch.full((len(Phi), 1), found.constant, dtype=Phi.dtype)], 1)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("alpha", [0.1, 5.0])
def test_its_most_probable_weights_are_scikit_learns(K, alpha):
    Phi, y = some(K=K)
    found = laplace(Phi, y, K, precision=alpha)
    # Of two classes scikit-learn has one column, whose square counts half.
    machine = LogisticRegression(C=(2 if K == 2 else 1) / alpha, fit_intercept=False, tol=1e-10, max_iter=5000)
    machine.fit(extended(found, Phi).numpy(), y.numpy())
    chances = torch.softmax(found.scores(Phi), 1)
    np.testing.assert_allclose(chances, machine.predict_proba(extended(found, Phi).numpy()), atol=1e-4)


def dense_hessian(found, Phi, alpha):
    """Of the negative logarithm of the posterior, by automatic differentiation."""
    Psi = extended(found, Phi)

    def loss(flat):
        F = Psi @ flat.reshape(found.weight.shape)
        return torch.logsumexp(F, 1).sum() + alpha / 2 * flat.square().sum()  # the labels enter linearly

    return torch.func.hessian(loss)(found.weight.flatten())


def test_of_two_classes_covariance_and_evidence_are_those_of_the_whole_hessian():
    Phi, y = some()
    alpha = 0.7
    found = laplace(Phi, y, 2, precision=alpha)
    H = dense_hessian(found, Phi, alpha)
    J = torch.stack([torch.kron(row, torch.tensor([1.0, -1.0], dtype=row.dtype)) for row in extended(found, Phi[:9])])
    variance = torch.einsum("ij,jk,ik->i", J, torch.linalg.inv(H), J)
    torch.testing.assert_close(found.spread(Phi[:9]), variance, rtol=1e-5, atol=1e-9)
    likelihood = torch.log_softmax(found.scores(Phi), 1)[torch.arange(len(y)), y].sum()
    penalty = alpha / 2 * found.weight.square().sum()
    exact = likelihood - penalty + len(H) / 2 * np.log(alpha) - torch.linalg.slogdet(H)[1] / 2
    assert found.log_evidence == pytest.approx(float(exact), rel=1e-6)


def test_of_three_classes_one_kronecker_product_is_near_the_whole_hessian():
    Phi, y = some(K=3, size=0.5)
    found = laplace(Phi, y, 3, precision=0.7)
    H = dense_hessian(found, Phi, 0.7)
    pairs = [torch.tensor(pair, dtype=Phi.dtype) for pair in ([1, -1, 0], [1, 0, -1], [0, 1, -1])]
    inverse = torch.linalg.inv(H)
    exact = [
        np.mean([float(torch.kron(row, pair) @ inverse @ torch.kron(row, pair)) for pair in pairs])
        for row in extended(found, Phi[:20])
    ]
    np.testing.assert_allclose(found.spread(Phi[:20]), exact, rtol=0.15)


def test_with_more_features_than_rows_it_is_the_same_in_fewer_dimensions(monkeypatch):
    Phi, y = some(n=30, D=40, size=0.3)
    found = laplace(Phi, y, 2, precision=0.7)
    monkeypatch.setattr("kernlab.heads.laplace.row_space", lambda Psi: torch.eye(Psi.shape[1], dtype=Psi.dtype))
    other = laplace(Phi, y, 2, precision=0.7)
    new = torch.cat([Phi[:5], some(n=20, D=40, seed=1)[0]])
    torch.testing.assert_close(found.spread(new), other.spread(new), rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(found.scores(new), other.scores(new), rtol=1e-3, atol=1e-4)
    assert found.log_evidence == pytest.approx(other.log_evidence, rel=1e-5)


def test_far_classes_have_probabilities_that_come_true():
    """Laplace's approximation alone is far too modest on digits; its temperature is not."""
    X, codes = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    Phi = torch.from_numpy(np.cos(X @ rng.normal(0, 0.05, (64, 300)) + rng.uniform(0, 6.3, 300)) / np.sqrt(150))
    order = rng.permutation(len(X))
    train, test = order[:1200], order[1200:]
    found = laplace(Phi[train], torch.from_numpy(codes[train]), 10)
    errors = {}
    for name, each in (("fitted", found), ("alone", replace(found, sharpness=1.0))):
        chances = each.probabilities(Phi[test]).numpy()
        errors[name] = abs(chances.max(1).mean() - (chances.argmax(1) == codes[test]).mean())
    assert errors["fitted"] < 0.03 < errors["alone"]


def test_its_probabilities_are_the_means_over_draws_from_the_posterior():
    Phi, y = some(n=40, size=3.0)
    found = laplace(Phi, y, 2, precision=0.2, temperature=False)
    new = 2 * some(n=30, seed=5)[0]
    covariance = torch.linalg.inv(dense_hessian(found, Phi, 0.2))
    draws = torch.distributions.MultivariateNormal(found.weight.flatten(), covariance).sample((20_000,))
    F = torch.einsum("md,sdk->smk", extended(found, new), draws.reshape(-1, *found.weight.shape))
    torch.testing.assert_close(found.probabilities(new), torch.softmax(F, 2).mean(0), atol=0.03, rtol=0)
    plain = torch.softmax(found.scores(new), 1)
    assert (found.probabilities(new).max(1).values < plain.max(1).values).all()
    assert torch.equal(found.probabilities(new).argmax(1), plain.argmax(1))


def test_the_precision_it_finds_has_about_the_largest_evidence():
    Phi, y = some(n=300, D=6, K=3)
    found = laplace(Phi, y, 3)
    evidences = [laplace(Phi, y, 3, precision=found.precision * 10.0**k).log_evidence for k in (-1, -0.5, 0.5, 1)]
    assert found.log_evidence > max(evidences)
    assert 0 < found.determined <= 2 * 7


def test_on_labels_of_a_known_chance_its_probabilities_are_calibrated():
    """Few rows and many features: the most probable weights alone are far too sure."""
    own, plain = [], []
    for seed in range(12):
        Phi, y = some(n=260, D=25, seed=seed, size=0.4)
        found = laplace(Phi[:60], y[:60], 2)
        raw = laplace(Phi[:60], y[:60], 2, precision=1e-3)
        for losses, chances in ((own, found.probabilities(Phi[60:])), (plain, torch.softmax(raw.scores(Phi[60:]), 1))):
            losses.append(-float(chances[torch.arange(200), y[60:]].log().mean()))
    assert np.mean(own) < 0.7 < np.mean(plain)


def test_a_class_without_rows_and_separable_rows_stay_finite():
    Phi = torch.cat([torch.full((5, 1), -1.0), torch.full((5, 1), 1.0)])
    y = torch.tensor([0] * 5 + [1] * 5)
    found = laplace(Phi, y, 3)
    chances = found.probabilities(Phi)
    assert bool(chances.isfinite().all())
    torch.testing.assert_close(chances.sum(1), torch.ones(10, dtype=torch.float64))
    assert chances.argmax(1).tolist() == y.tolist()
    assert float(chances[:, 2].max()) < 0.2


def test_eigenvalues_are_found_where_divide_and_conquer_gives_up(monkeypatch):
    random = torch.Generator().manual_seed(3)
    A = torch.randn(12, 5, generator=random, dtype=torch.float64)
    A = A @ A.mT
    expected = np.linalg.eigvalsh(A.numpy())

    def gives_up(A):
        raise torch.linalg.LinAlgError("ill-conditioned, or too many repeated eigenvalues")

    monkeypatch.setattr(torch.linalg, "eigh", gives_up)
    values, vectors = eigh(A)
    assert np.allclose(values, expected, atol=1e-12)
    assert torch.allclose(vectors * values @ vectors.mT, A, atol=1e-10)
    A[0, 0] = torch.nan
    with pytest.raises(torch.linalg.LinAlgError):
        eigh(A)


def test_the_weights_are_found_on_one_core_and_the_others_are_given_back(monkeypatch):
    """Threads of two libraries that wait for each other take many times as long."""
    seen, find = [], scipy.optimize.minimize

    def counted(*arguments, **options):
        seen.append(torch.get_num_threads())
        return find(*arguments, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", counted)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        laplace(torch.randn(60, 5, generator=torch.Generator().manual_seed(0)), torch.arange(60) % 3, 3)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert set(seen) == {1}

"""Heads against scikit-learn's own estimators, closed forms and their conditions of optimality."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special
from sklearn import kernel_ridge, linear_model, preprocessing, svm

from kernlab.errors import DataError
from kernlab.feature_maps import Exact, Stationary
from kernlab.heads import SVC, EpsilonSVR, Fitting, KernelRidge, LinearSVM, Logistic, NuSVR, Ridge, base, dual
from kernlab.heads.kernel_ridge import leave_one_out
from kernlab.heads.libsvm import decode
from kernlab.heads.svm import _standardize

SCALE = 0.8
GAMMA = SCALE**2 / 2
KERNEL = Exact(frequency_scale=SCALE)


def points(n: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(n, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def targets(X: torch.Tensor, seed: int = 0) -> torch.Tensor:
    noise = 0.1 * torch.randn(len(X), 2, generator=torch.Generator().manual_seed(seed + 100), dtype=X.dtype)
    return torch.stack([torch.sin(2 * X[:, 0]), X[:, 1] * X[:, 2]], dim=1) + noise


def classes(X: torch.Tensor, K: int, seed: int = 0) -> torch.Tensor:
    random = torch.Generator().manual_seed(seed + 200)
    value = X[:, 0] + X[:, 1] ** 2 + 0.4 * torch.randn(len(X), generator=random, dtype=X.dtype)
    return torch.bucketize(value, value.quantile(torch.linspace(0, 1, K + 1, dtype=X.dtype)[1:-1]))


def weights(n: int, seed: int = 0) -> torch.Tensor:
    return 2 * torch.rand(n, generator=torch.Generator().manual_seed(seed + 300), dtype=torch.float64)


def predicted(head, fitting: Fitting, Z: torch.Tensor) -> np.ndarray:
    params = {**fitting.params, **head.fit(fitting)}
    return head.scores(params, fitting.representation.apply(params, Z)).numpy()


def features(X: torch.Tensor) -> tuple[Stationary, dict[str, torch.Tensor]]:
    feature_map = Stationary(n_features=15, frequency_scale=SCALE)
    return feature_map, feature_map.init(X, torch.Generator().manual_seed(0))


# -- exact kernels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_ridge(weighted):
    X, Z = points(80), points(50, seed=1)
    Y, w = targets(X), weights(80) if weighted else torch.ones(80, dtype=torch.float64)
    F = predicted(KernelRidge(ridge=1e-3), Fitting(KERNEL, {}, X, Y, 2, "regression", weight=w), Z)
    mean = np.average(Y.numpy(), axis=0, weights=w)
    peer = kernel_ridge.KernelRidge(alpha=1e-3 * float(w.sum()), kernel="rbf", gamma=GAMMA)
    peer.fit(X.numpy(), Y.numpy() - mean, sample_weight=w.numpy())
    np.testing.assert_allclose(F, peer.predict(Z.numpy()) + mean, atol=1e-8)


def test_a_singular_gram_matrix_gets_a_bounded_jitter_that_is_reported():
    X = points(10).repeat(4, 1)
    Y = targets(X)
    found = KernelRidge(ridge=1e-18).fit(Fitting(KERNEL, {}, X, Y, 2, "regression"))
    assert 0 < float(found["jitter"]) <= 1.5e-8
    assert found["dual"].isfinite().all()
    regular = KernelRidge(ridge=0.01).fit(Fitting(KERNEL, {}, points(10), targets(points(10)), 2, "regression"))
    assert float(regular["jitter"]) == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_an_automatic_penalty_has_the_smallest_error_on_rows_left_out(weighted):
    """Of kernel ridge regressions by scikit-learn, each without one copy of a row; the bias stays that of all rows."""
    X, n = points(40), 40
    Y = targets(X) + torch.randn(40, 2, generator=torch.Generator().manual_seed(9), dtype=torch.float64)
    w = torch.from_numpy(np.random.default_rng(0).integers(1, 4, n)).double() if weighted else torch.ones(n).double()
    residual, total = (Y - w @ Y / w.sum()).numpy(), float(w.sum())
    path = [10.0 ** (k / 2) for k in range(-18, 3)]
    expected = []
    for g in path:
        errors = []
        for i in range(n):
            rest = w.numpy() - (np.arange(n) == i)
            kept = rest > 0
            peer = kernel_ridge.KernelRidge(alpha=g * total, kernel="rbf", gamma=GAMMA)
            peer.fit(X[kept].numpy(), residual[kept], sample_weight=rest[kept])
            errors.append(np.square(peer.predict(X[i : i + 1].numpy()) - residual[i]).sum())
        expected.append(float(w.numpy() @ errors) / total)
    fitting = Fitting(KERNEL, {}, X, Y, 2, "regression", weight=w if weighted else None)
    root = w.sqrt()[:, None]
    K = KERNEL.gram({}, X, X) * root * root.mT
    np.testing.assert_allclose(leave_one_out(K, torch.from_numpy(residual), w, path), expected, rtol=1e-6)
    assert float(KernelRidge().fit(fitting)["penalty"]) == pytest.approx(path[int(np.argmin(expected))])
    smooth = KERNEL.gram({}, X, X[:3])  # no noise: the smallest that is tried
    noiseless = Fitting(KERNEL, {}, X, smooth - smooth.mean(0), 3, "regression")
    assert float(KernelRidge().fit(noiseless)["penalty"]) == pytest.approx(path[0])
    nothing = Fitting(KERNEL, {}, X, 0 * Y, 2, "regression")
    assert float(KernelRidge().fit(nothing)["penalty"]) == pytest.approx(path[-1])  # of equal errors the largest


def test_an_automatic_penalty_is_against_the_mean_of_the_kernel_and_chosen_on_rows_spread_evenly(monkeypatch):
    X, rows, kernel = points(40), np.linspace(0, 39, 15).astype(int), Exact(kernel="polynomial", normalized=False)
    Y, K = targets(X), (X.numpy() @ X.numpy().T + 1) ** 3
    path = [K.trace() / 40 * 10.0 ** (k / 2) for k in range(-18, 3)]
    centred = (Y - Y.mean(0)).numpy()[rows]
    errors = []
    for g in path:
        hat = (part := K[np.ix_(rows, rows)]) @ np.linalg.inv(part + g * 15 * np.eye(15))
        errors.append(np.square((centred - hat @ centred) / (1 - hat.diagonal()[:, None])).sum())
    monkeypatch.setattr("kernlab.heads.kernel_ridge.LEFT_OUT", 15)
    found = KernelRidge().fit(Fitting(kernel, {}, X, Y, 2, "regression"))
    assert float(found["penalty"]) == pytest.approx(path[int(np.argmin(errors))])


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_as_libsvm_predicts_them(K, seed, weighted):
    X, Z = points(150, seed), points(600, seed + 50)
    y, w = classes(X, K, seed), weights(150, seed) if weighted else None
    F = predicted(SVC(C=3.0, tolerance=1e-8), Fitting(KERNEL, {}, X, y, K, "classification", weight=w), Z)
    peer = svm.SVC(C=3.0, gamma=GAMMA, tol=1e-8, break_ties=K > 2)
    peer.fit(X.numpy(), y.numpy(), sample_weight=None if w is None else w.numpy())
    assert (F.argmax(1) == peer.predict(Z.numpy())).all()
    scores = F if K > 2 else F[:, 1]
    np.testing.assert_allclose(scores, peer.decision_function(Z.numpy()), atol=1e-5)


def test_votes_come_before_margins():
    """Class 0 wins two of three narrowly; class 1 loses to it by a hair and wins by a mile."""
    F = torch.tensor([[0.01, 0.01, 100.0]])  # pairs 01, 02, 12
    assert decode(F).argmax() == 0
    circle = torch.tensor([[1.0, -3.0, 1.0]])  # 0 beats 1, 2 beats 0, 1 beats 2: the margins decide
    assert decode(circle).argmax() == 2
    assert decode(torch.zeros(1, 3)).tolist() == [[0, 1, 2]]  # f_ij > 0 says class i


@pytest.mark.parametrize(
    ("head", "peer"),
    [
        (EpsilonSVR(C=2.0, epsilon=0.05, tolerance=1e-8), svm.SVR(C=2.0, epsilon=0.05, gamma=GAMMA, tol=1e-8)),
        (NuSVR(C=2.0, nu_svr=0.4, tolerance=1e-8), svm.NuSVR(C=2.0, nu=0.4, gamma=GAMMA, tol=1e-8)),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_support_vector_regression(head, peer, weighted):
    X, Z = points(100), points(50, seed=1)
    Y, w = targets(X), weights(100) if weighted else None
    F = predicted(head, Fitting(KERNEL, {}, X, Y, 2, "regression", weight=w), Z)
    for k in range(2):
        peer.fit(X.numpy(), Y[:, k].numpy(), sample_weight=None if w is None else w.numpy())
        np.testing.assert_allclose(F[:, k], peer.predict(Z.numpy()), atol=1e-6)


@given(st.floats(0.1, 0.9), st.integers(0, 20))
@settings(max_examples=10)
def test_nu_bounds_the_rows_outside_the_tube_and_the_support(nu, seed):
    X = points(80, seed)
    Y = targets(X, seed)[:, :1]
    fitting = Fitting(KERNEL, {}, X, Y, 1, "regression")
    head = NuSVR(C=1.0, nu_svr=nu, tolerance=1e-8)
    params = head.fit(fitting)
    dual_ = params["dual"].abs()
    at_the_bound = int((dual_ > 1.0 * (1 - 1e-6)).sum())  # LibSVM's box is C: those lie outside the tube
    assert at_the_bound <= nu * 80 + 1
    assert len(dual_) >= nu * 80 - 1


@pytest.mark.parametrize("kernel", [KERNEL, Exact(kernel="polynomial", degree=3, coef0=1.0, normalized=False)])
def test_too_many_rows_for_a_gram_matrix_go_to_libsvm_as_inputs(kernel, monkeypatch):
    X, Z = points(60), points(30, seed=1)
    fitting = Fitting(kernel, {}, X, targets(X), 2, "regression")
    head = EpsilonSVR(C=0.1, tolerance=1e-8)
    by_matrix = predicted(head, fitting, Z)
    monkeypatch.setattr(dual, "GRAM", 59**2)
    np.testing.assert_allclose(predicted(head, fitting, Z), by_matrix, atol=1e-5)


def test_a_gram_matrix_is_formed_up_to_its_limit_and_not_beyond(monkeypatch):
    X = points(60)
    fitting = Fitting(KERNEL, {}, X, targets(X), 2, "regression")
    for rows, kernel in ((61, "precomputed"), (60, "precomputed"), (59, "rbf")):
        monkeypatch.setattr(dual, "GRAM", rows**2)
        assert EpsilonSVR.inputs(fitting)[0]["kernel"] == kernel
    monkeypatch.setattr(dual, "GRAM", 60**2)
    assert len(KernelRidge().fit(fitting)["support"]) == 60


@pytest.mark.parametrize("head", [KernelRidge(), EpsilonSVR()])
def test_too_many_rows_are_refused_with_the_size_where_the_matrix_is_needed(head, monkeypatch):
    X = points(60)
    monkeypatch.setattr(dual, "GRAM", 59**2)
    with pytest.raises(DataError, match=r"60 rows, .* at most 59 rows.*feature_map="):
        head.fit(Fitting(Exact(kernel="laplacian", frequency_scale=1.0), {}, X, targets(X), 2, "regression"))


def test_a_tube_around_everything_leaves_one_support_point_and_a_constant():
    X = points(30)
    fitting = Fitting(KERNEL, {}, X, targets(X), 2, "regression")
    params = EpsilonSVR(epsilon=100.0).fit(fitting)
    assert params["support"].shape == (1, 3)
    F = predicted(EpsilonSVR(epsilon=100.0), fitting, points(5, 1))
    np.testing.assert_allclose(F, np.broadcast_to(params["bias"].numpy(), F.shape))


# -- features -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_ridge(weighted):
    X = points(90)
    Y, w = targets(X), weights(90) if weighted else None
    feature_map, params = features(X)
    F = predicted(Ridge(ridge=0.3), Fitting(feature_map, params, X, Y, 2, "regression", weight=w), X)
    Phi = feature_map.apply(params, X).numpy()
    peer = linear_model.Ridge(alpha=0.3).fit(Phi, Y.numpy(), sample_weight=None if w is None else w.numpy())
    np.testing.assert_allclose(F, peer.predict(Phi), atol=1e-9)


@pytest.mark.parametrize("unit_variance", [True, False])
@pytest.mark.parametrize("K", [2, 4])
def test_linear_svm_on_classes(K, unit_variance):
    X = points(200)
    y = classes(X, K)
    feature_map, params = features(X)
    head = LinearSVM(C=0.5, unit_variance=unit_variance, max_iter=100_000)
    F = predicted(head, Fitting(feature_map, params, X, y, K, "classification"), X)
    Phi = feature_map.apply(params, X).numpy()
    Phi = preprocessing.StandardScaler().fit_transform(Phi) if unit_variance else Phi
    peer = svm.LinearSVC(C=0.5, dual="auto", random_state=0, max_iter=100_000).fit(Phi, y.numpy())
    expected = peer.decision_function(Phi)
    np.testing.assert_allclose(F if K > 2 else F[:, 1], expected, atol=1e-4)  # where liblinear stops
    np.testing.assert_allclose(F.argmax(1), peer.predict(Phi))


def test_a_feature_matrix_comes_in_blocks_and_is_formed_up_to_its_limit(monkeypatch):
    X = points(7)
    feature_map, params = features(X)
    fitting, Phi = Fitting(feature_map, params, X, targets(X), 2, "regression"), feature_map.apply(params, X)
    for numbers, rows in ((1, 1), (32, 2), (10**6, 7)):
        monkeypatch.setattr(base, "BLOCK", numbers)
        blocks = list(fitting.blocks())
        assert len(blocks[0]) == rows
        torch.testing.assert_close(torch.cat(blocks), Phi)
        torch.testing.assert_close(fitting.matrix(), Phi)
    monkeypatch.setattr(base, "MATRIX", Phi.numel())
    torch.testing.assert_close(fitting.matrix(), Phi)
    monkeypatch.setattr(base, "MATRIX", Phi.numel() - 1)
    with pytest.raises(DataError, match=r"7 rows of 16 features"):
        fitting.matrix()


def test_linear_svm_on_weighted_targets():
    X = points(200)
    Y, w = targets(X), weights(200)
    feature_map, params = features(X)
    head = LinearSVM(epsilon=0.2, max_iter=100_000)
    F = predicted(head, Fitting(feature_map, params, X, Y, 2, "regression", weight=w), X)
    Phi = feature_map.apply(params, X).numpy()
    Phi = preprocessing.StandardScaler().fit(Phi, sample_weight=w.numpy()).transform(Phi)
    for k in range(2):
        loss = "squared_epsilon_insensitive"
        peer = svm.LinearSVR(epsilon=0.2, loss=loss, dual="auto", random_state=0, max_iter=100_000)
        peer.fit(Phi, Y[:, k].numpy(), w.numpy())
        np.testing.assert_allclose(F[:, k], peer.predict(Phi), atol=1e-5)


def test_a_constant_feature_is_left_alone():
    X = torch.cat([points(50), torch.full((50, 1), 3.0, dtype=torch.float64)], dim=1)
    feature_map = Stationary(n_features=6, frequency_scale=SCALE)
    params = feature_map.init(X, torch.Generator().manual_seed(0))
    params["omega"][:, :, 2] = 0
    found = LinearSVM().fit(Fitting(feature_map, params, X, classes(X, 3), 3, "classification"))
    assert found["weight"].isfinite().all()
    assert float(found["weight"].abs().max()) < 1e3


def test_a_feature_that_varies_little_beside_its_mean_is_brought_to_variance_one():
    Phi = torch.tensor([[99.999], [100.001], [99.999], [100.001]], dtype=torch.float64)
    _, deviation = _standardize(Phi, None)
    assert float(deviation[0]) == pytest.approx(1e-3, rel=1e-6)
    np.testing.assert_allclose(Phi[:, 0], [-1, 1, -1, 1], rtol=1e-6)


@pytest.mark.parametrize("K", [2, 4])
def test_the_softmax_of_logistic_scores_are_the_probabilities(K):
    X = points(200)
    y = classes(X, K)
    feature_map, params = features(X)
    F = predicted(Logistic(C=0.7), Fitting(feature_map, params, X, y, K, "classification"), X)
    Phi = feature_map.apply(params, X).numpy()
    # For two classes scikit-learn penalises one vector w of logits; here W has the two halves ∓w/2, ‖W‖² = ½‖w‖².
    peer = linear_model.LogisticRegression(C=1.4 if K == 2 else 0.7, max_iter=1000).fit(Phi, y.numpy())
    np.testing.assert_allclose(torch.from_numpy(F).softmax(1), peer.predict_proba(Phi), atol=1e-9)


@pytest.mark.parametrize("C", [0.05, 2.0])
@pytest.mark.parametrize("present", [[0, 1], [0, 1, 2], [0, 2]])
@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_regression_minimises_its_formula(C, present, weighted):
    """½‖W‖² + C Σ w_i (−log softmax_{y_i}), minimised by SciPy's L-BFGS over the classes that have rows."""
    X = points(120)
    codes = classes(X, len(present))
    y, w = torch.tensor(present)[codes], weights(120) if weighted else torch.ones(120, dtype=torch.float64)
    feature_map, params = features(X)
    fitting = Fitting(feature_map, params, X, y, max(present) + 1, "classification", weight=w if weighted else None)
    found = Logistic(C=C).fit(fitting)
    Phi, onehot, w = feature_map.apply(params, X).numpy(), np.eye(len(present))[codes.numpy()], w.numpy()

    def objective(flat):
        W, b = np.split(flat.reshape(-1, len(present)), [-1])
        F = Phi @ W + b
        P = special.softmax(F, axis=1)
        G = C * w[:, None] * (P - onehot)
        value = 0.5 * (W**2).sum() - C * w @ (onehot * special.log_softmax(F, axis=1)).sum(1)
        return value, np.concatenate([Phi.T @ G + W, G.sum(0)[None]]).ravel()

    start = np.zeros((Phi.shape[1] + 1) * len(present))
    best = optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 1e-15})
    W, b = found["weight"][:, present], found["bias"][present]
    ours = torch.cat([W, (b - b.mean())[None]]).numpy()
    theirs = best.x.reshape(ours.shape)
    assert objective(ours.ravel())[0] == pytest.approx(best.fun, rel=1e-5)  # where scikit-learn stops
    np.testing.assert_allclose(ours, theirs - np.eye(len(ours))[-1:].T * theirs[-1].mean(), atol=0.03)

"""Nyström features against the exact kernel, landmarks that coincide, and gradients of kernels."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import kmeans_plusplus

from kernlab.errors import DataError
from kernlab.feature_maps import FEATURE_MAPS, Exact, Nystroem
from kernlab.kernels import KERNELS, matern_profile
from kernlab.linalg import inverse_sqrt

KINDS = ["gaussian", "laplacian", "matern", "cauchy", "polynomial"]
N, D_IN = 30, 3


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def started(kernel: str = "gaussian", n_features: int = 5, **options):
    nystroem = Nystroem(n_features=n_features, kernel=kernel, frequency_scale=0.8, **options)
    X = normal(N, D_IN)
    return nystroem, nystroem.init(X, torch.Generator().manual_seed(0)), X


def exact(nystroem: Nystroem, X: torch.Tensor, Z: torch.Tensor) -> torch.Tensor:
    own = ("kernel", "frequency_scale", "nu", "degree", "coef0", "normalized")
    return Exact(**{name: getattr(nystroem, name) for name in own}).gram({}, X, Z)


@pytest.mark.parametrize("kernel", KINDS)
def test_the_kernel_it_gives_is_the_projected_one_and_on_its_landmarks_the_exact_one(kernel):
    nystroem, params, X = started(kernel)
    G, B = (exact(nystroem, each, params["landmarks"]).numpy() for each in (X, params["landmarks"]))
    Phi, at = (nystroem.apply(params, each).numpy() for each in (X, params["landmarks"]))
    np.testing.assert_allclose(Phi @ at.T, G, atol=1e-7)
    np.testing.assert_allclose(Phi @ Phi.T, G @ np.linalg.solve(B, G.T), atol=1e-7)
    values, U = np.linalg.eigh(B)
    paper = G @ U / np.sqrt(values)  # the same features up to a rotation
    np.testing.assert_allclose(Phi @ U, paper, atol=1e-6)


@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize("normalized", [True, False])
def test_the_trace_is_at_most_that_of_the_kernel_and_reaches_it_on_landmarks(kernel, normalized):
    nystroem, params, X = started(kernel, normalized=normalized)
    squares = [float(nystroem.apply(params, at).square().sum(1).max()) for at in (X, params["landmarks"])]
    if kernel == "polynomial" and not normalized:
        assert nystroem.largest_trace == np.inf
        assert min(squares) > 2
    else:
        assert nystroem.largest_trace == pytest.approx(squares[1], abs=1e-6) == 1
        assert squares[0] <= 1 + 1e-6


def test_the_error_falls_as_landmarks_are_added():
    X = normal(200, 2)
    errors = []
    for J in (5, 15, 50, 200):
        nystroem = Nystroem(n_features=J, frequency_scale=1.0)
        Phi = nystroem.apply(nystroem.init(X, torch.Generator().manual_seed(0)), X)
        errors.append(float((Phi @ Phi.mT - exact(nystroem, X, X)).norm()))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-5 * errors[0]


def test_landmarks_are_rows_or_centroids():
    X = normal(300, 2)
    rows = Nystroem(n_features=20).init(X, torch.Generator().manual_seed(0))["landmarks"]
    assert all((row == X).all(1).any() for row in rows)
    assert len(rows.unique(dim=0)) == 20
    before = X.clone()
    rows.add_(1)
    assert torch.equal(X, before)  # learning does not change the data
    rows.sub_(1)
    centres = Nystroem(n_features=20, selection="kmeans").init(X, torch.Generator().manual_seed(0))["landmarks"]
    nearest = torch.cdist(X, centres).argmin(1)
    means = torch.stack([X[nearest == j].mean(0) for j in range(20)])
    torch.testing.assert_close(centres, means, rtol=0, atol=1e-4)
    seeds = torch.as_tensor(kmeans_plusplus(X.numpy(), 20, random_state=0)[0])
    assert torch.cdist(X, centres).amin(1).square().sum() < torch.cdist(X, seeds).amin(1).square().sum()


def test_centroids_of_many_rows_are_found_by_mini_batches(monkeypatch):
    monkeypatch.setattr("kernlab.feature_maps.nystroem.LARGE", 100)
    X = torch.cat([normal(50, 2) * 0.01 + 5 * c for c in range(4)])
    centres = Nystroem(n_features=4, selection="kmeans").init(X, torch.Generator().manual_seed(1))["landmarks"]
    torch.testing.assert_close(centres[:, 0].sort().values, 5.0 * torch.arange(4).double(), rtol=0, atol=0.05)


def test_more_landmarks_than_rows_and_a_kernel_that_overflows_are_refused():
    for selection in ("rows", "kmeans"):
        with pytest.raises(DataError, match=r"31 landmarks and 30 rows.*[Ss]et n_features to 30"):
            started(n_features=N + 1, selection=selection)
    nystroem = Nystroem(n_features=2, kernel="polynomial", frequency_scale=1.0, degree=9, normalized=False)
    with pytest.raises(DataError, match="finite on the landmarks"):
        nystroem.init(1e40 * normal(N, 2), torch.Generator())


@pytest.mark.parametrize("selection", ["rows", "kmeans"])
@pytest.mark.parametrize("kernel", KINDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equal_landmarks_give_the_features_of_the_different_ones(kernel, selection, dtype):
    nystroem = Nystroem(n_features=6, kernel=kernel, frequency_scale=0.8, selection=selection)
    X = normal(3, D_IN).repeat(4, 1).to(dtype)  # only three different rows
    params = nystroem.init(X, torch.Generator().manual_seed(0))
    Phi, pullback = nystroem.pullback(params, X)
    torch.testing.assert_close(Phi @ Phi.mT, exact(nystroem, X, X), rtol=0, atol=1e-5)
    assert pullback(torch.ones_like(Phi))["landmarks"].isfinite().all()


@pytest.mark.parametrize("kernel", [*KINDS, "matern-0.7"])
def test_gradients_through_kernel_evaluations(kernel):
    """Against automatic differentiation of the kernel's plain formula; ∂/∂B need not be symmetric."""
    kernel, _, nu = kernel.partition("-")
    nystroem, params, X = started(kernel, nu=float(nu or 1.5))
    X = X + 0.05  # off the landmarks, where the Laplacian has a kink
    Z = params["landmarks"].clone().requires_grad_()

    def k(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        difference = (A[:, None] - B[None]) * 0.8
        squares = difference.pow(2).sum(-1)
        if kernel == "gaussian":
            return torch.exp(-squares / 2)
        if kernel == "laplacian":
            return torch.exp(-difference.abs().sum(-1))
        if kernel == "cauchy":
            return 1 / (1 + difference**2).prod(-1)
        if kernel == "polynomial":
            norms = ((A * A).sum(1) + 1)[:, None] * ((B * B).sum(1) + 1)[None]
            return (A @ B.mT + 1) ** 3 / norms**1.5
        t = (2 * nystroem.nu * squares + 1e-300).sqrt()
        return matern_profile(t, nystroem.nu) if nu else (1 + t) * torch.exp(-t)

    G, B, back = nystroem.kernel_pullback(params, X)
    dG, dB = normal(N, 5, seed=3), normal(5, 5, seed=4)
    ((k(X, Z) * dG).sum() + (k(Z, Z) * dB).sum()).backward()
    torch.testing.assert_close(G, k(X, Z).detach(), rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(back(dG, dB)["landmarks"], Z.grad, rtol=1e-8, atol=1e-10)
    assert B.shape == (5, 5)


@settings(max_examples=25)
@given(nu=st.floats(0.1, 30), t=st.floats(1e-3, 30))
def test_the_matern_kernel_of_any_smoothness(nu, t):
    at = torch.tensor([t], dtype=torch.float64, requires_grad=True)
    value = matern_profile(at, nu)
    origin, away = torch.zeros(1, 1, dtype=torch.float64), at.detach()[:, None]
    oracle = KERNELS["matern"](origin, away, float(np.sqrt(2 * nu)), nu)
    assert float(value.detach()) == pytest.approx(float(oracle), rel=1e-9, abs=1e-300)
    value.backward()
    h = 1e-3 * t
    ahead, behind = (matern_profile(torch.tensor([t + s * h], dtype=torch.float64), nu) for s in (1, -1))
    slope = float(ahead - behind) / (2 * h)
    assert float(at.grad) == pytest.approx(slope, rel=1e-4, abs=1e-12 / h)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 40.0])
def test_matern_slopes_are_elementary_or_where_the_bessel_function_overflows_the_leading_term(nu):
    points = [1e-12, 1e-8] if nu == 40.0 else [0.0, 1e-9, 0.3, 2.0, 40.0]
    at = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    matern_profile(at, nu).sum().backward()
    t = at.detach()
    slopes = {0.5: -torch.exp(-t) * (t > 0), 1.5: -t * torch.exp(-t), 2.5: -t * (1 + t) / 3 * torch.exp(-t)}
    slopes[40.0] = -t / 78  # κ(t) = 1 − t²/(4(ν − 1)) + …
    torch.testing.assert_close(at.grad, slopes[nu], rtol=1e-8, atol=1e-300)


@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_the_inverse_root_is_scipys(shift):
    root = normal(6, 4)
    B = root @ root.mT + (0.1 if not shift else 0.0) * torch.eye(6)
    oracle = scipy.linalg.inv(scipy.linalg.sqrtm(B.numpy() + shift * np.eye(6)).real)
    torch.testing.assert_close(inverse_sqrt(B, shift), torch.as_tensor(oracle), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("spread", [1.0, 0.0], ids=["different eigenvalues", "equal eigenvalues"])
def test_the_gradient_of_the_inverse_root(spread):
    B = 2 * torch.eye(4, dtype=torch.float64) + spread * torch.diag(torch.arange(4.0, dtype=torch.float64))
    C, E = normal(4, 4, seed=1), normal(4, 4, seed=2)
    leaf = B.clone().requires_grad_()
    (inverse_sqrt(leaf) * C).sum().backward()
    E = E + E.mT
    h = 1e-5
    slope = float(((inverse_sqrt(B + h * E) - inverse_sqrt(B - h * E)) * C).sum()) / (2 * h)
    assert float((leaf.grad * E).sum()) == pytest.approx(slope, rel=1e-8)


def test_the_scale_is_set_and_found_as_for_random_features():
    other = Nystroem.build(gamma=4)
    assert other.frequency_scale == pytest.approx(8**0.5)
    X = normal(N, D_IN)
    assert Nystroem().resolve(X).frequency_scale == FEATURE_MAPS["stationary"]().resolve(X).frequency_scale
    G, _, _ = other.replace(n_features=2).kernel_pullback({"landmarks": X[:2]}, X)
    torch.testing.assert_close(G, torch.exp(-4 * torch.cdist(X, X[:2]) ** 2))
    nystroem, params, X = started()
    difference = nystroem.apply({"landmarks": params["landmarks"].float()}, X.float()) - nystroem.apply(params, X)
    assert difference.abs().max() < 1e-5  # single precision is computed in double

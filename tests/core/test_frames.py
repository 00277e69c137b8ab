"""Frames: kernels in closed form, tightness, eigenvalues of the integral operator, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from kernlab.errors import DataError, OptionError
from kernlab.feature_maps import FourierFrame, WaveletFrame


def inputs(n: int, d: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).uniform(-1, 1, (n, d)))


def period(n: int, d: int = 1) -> torch.Tensor:
    """A grid over one period of ω₀ = π, the end left out: there sums of cosines are exact integrals."""
    line = np.linspace(-1, 1, n, endpoint=False)
    return torch.from_numpy(np.stack([axis.ravel() for axis in np.meshgrid(*[line] * d)], axis=1))


def start(frame, X):
    return frame.init(X, torch.Generator())


def dirichlet(difference: np.ndarray, N: int, omega: float) -> np.ndarray:
    """½ + Σ_{i≤N} cos(iωΔ) in closed form."""
    half = omega * difference / 2
    safe = np.where(np.abs(np.sin(half)) < 1e-9, 1.0, np.sin(half))
    return np.where(np.abs(np.sin(half)) < 1e-9, N + 0.5, np.sin((2 * N + 1) * half) / (2 * safe))


@given(N=st.integers(1, 20), omega=st.floats(0.1, math.pi), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_the_flat_fourier_frame_is_the_dirichlet_kernel(N, omega, seed):
    X = inputs(7, 3, seed)
    Phi = FourierFrame(order=N, omega_0=omega).frame(X).numpy()
    difference = X.numpy()[:, None, :] - X.numpy()[None, :, :]
    each = dirichlet(difference, N, omega)
    np.testing.assert_allclose(Phi @ Phi.T, each.sum(2) - 0.5 * 2, atol=1e-9)  # the constant stands once
    product = FourierFrame(order=min(N, 3), omega_0=omega, combine="multiplicative").frame(X).numpy()
    np.testing.assert_allclose(product @ product.T, dirichlet(difference, min(N, 3), omega).prod(2), atol=1e-9)


def test_columns_are_weighted_by_the_root_of_the_spectrum():
    X, frame = inputs(5, 2), FourierFrame(order=2)
    spectrum = torch.arange(9.0, dtype=torch.float64)
    Phi = frame.apply({"spectrum": spectrum}, X).numpy()
    x, z = X.numpy().T
    columns = [np.full(5, 0.5**0.5)]
    for each in (x, z):
        columns += [np.cos(each), np.cos(2 * each), np.sin(each), np.sin(2 * each)]
    np.testing.assert_allclose(Phi, np.stack(columns, 1) * np.sqrt(np.arange(9)), atol=1e-15)
    assert (Phi[:, 0] == 0).all()


@pytest.mark.parametrize("combine", ["additive", "multiplicative"])
@pytest.mark.parametrize("frame", [FourierFrame(order=2), WaveletFrame(j_min=-1, j_max=1, mother="morlet")])
def test_the_description_rebuilds_every_column(frame, combine):
    frame = frame.replace(combine=combine)
    X = inputs(6, 2)
    params = start(frame, X)
    Phi, described = frame.apply(params, X).numpy(), {k: v.numpy() for k, v in frame.described(params).items()}
    assert all(len(value) == Phi.shape[1] == frame.columns(params) for value in described.values())
    for j in range(Phi.shape[1]):
        column = np.ones(6)
        parts = zip(*(described[f"frame_{name}"][j] for name in ("dimension", "kind", "level", "shift")), strict=True)
        for dimension, kind, level, shift in parts:
            x = X.numpy()[:, dimension]
            assert (dimension == -1) == (kind == 0 and combine == "additive")  # the constant stands for no input
            scale = 2.0**level
            t = (x - shift * 0.5 * scale) / scale
            wavelet = np.sqrt(2 / scale) * np.pi**-0.25 * np.cos(5 * t) * np.exp(-(t**2) / 2)
            column = column * [np.full(6, 0.5**0.5), np.cos(level * x), np.sin(level * x), wavelet][kind]
        np.testing.assert_allclose(Phi[:, j], column, atol=1e-12)


@pytest.mark.parametrize("mother", ["mexican_hat", "morlet"])
def test_wavelets_have_norm_one_and_no_mean(mother):
    frame = WaveletFrame(mother=mother, j_min=-4, j_max=-4)
    _, _, shifts = frame.kinds()
    centre = shifts.index(0)  # narrow enough that all of it lies in [-1, 1]

    def value(x: float) -> float:
        return float(frame.frame(torch.tensor([[x]], dtype=torch.float64))[0, centre])

    assert quad(lambda x: value(x) ** 2, -1, 1, limit=400)[0] == pytest.approx(1, rel=1e-5)
    assert quad(value, -1, 1, limit=400)[0] == pytest.approx(0, abs=1e-5)


def test_shifts_cover_the_inputs_at_every_scale():
    frame = WaveletFrame(j_min=-3, j_max=2)
    _, levels, shifts = (np.array(each) for each in frame.kinds())
    assert sorted(set(levels)) == [-3, -2, -1, 0, 1, 2]
    for j in set(levels):
        centres = shifts[levels == j] * 0.5 * 2.0**j
        assert (centres.min(), centres.max()) == (-max(1, 0.5 * 2.0**j), max(1, 0.5 * 2.0**j))


def test_on_a_whole_period_the_eigenvalues_are_a_half_of_the_spectrum_and_the_eigenfunctions_the_frames_own():
    X, frame = period(64), FourierFrame(order=20, omega_0=math.pi)
    spectrum = torch.from_numpy(np.random.default_rng(0).exponential(size=41))
    Phi, plain = frame.apply({"spectrum": spectrum}, X), frame.frame(X)
    found = np.linalg.eigvalsh((Phi @ Phi.mT / 64).numpy())[::-1][:41]
    # How far rounding moves an eigenvalue is a share of the largest, not of itself.
    rounding = 64 * np.finfo(float).eps * found[0]
    np.testing.assert_allclose(found, np.sort(spectrum.numpy() / 2)[::-1], rtol=0, atol=rounding)
    torch.testing.assert_close(Phi @ (Phi.mT @ plain) / 64, plain * (spectrum / 2))  # T_K φ_i = ½λ_i φ_i
    assert frame.frame_constant(X) == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize(("combine", "constant"), [("additive", 0.5), ("multiplicative", 0.25)])
def test_two_inputs_over_whole_periods(combine, constant):
    X, frame = period(16, 2), FourierFrame(order=3, omega_0=math.pi, combine=combine)
    Phi = frame.frame(X).numpy()
    np.testing.assert_allclose(Phi.T @ Phi / len(X), constant * np.eye(Phi.shape[1]), atol=1e-12)


@given(order=st.integers(1, 12), d=st.integers(1, 3), omega=st.floats(0.2, math.pi), seed=st.integers(0, 99))
@settings(max_examples=25)
def test_on_any_inputs_the_frame_constant_bounds_every_eigenvalue(order, d, omega, seed):
    X, frame = inputs(60, d, seed), FourierFrame(order=order, omega_0=omega)
    spectrum = torch.from_numpy(np.random.default_rng(seed).exponential(size=1 + 2 * order * d) ** 2)
    Phi = frame.apply({"spectrum": spectrum}, X).numpy()
    found = np.linalg.eigvalsh(Phi @ Phi.T / len(X))[::-1]
    count = min(len(found), len(spectrum))
    allowed = frame.frame_constant(X) * np.sort(spectrum.numpy())[::-1]
    assert (found[:count] <= allowed[:count] * (1 + 1e-4) + 1e-12).all()


def test_on_part_of_a_period_the_explicit_eigenvalues_are_wrong():
    # FKS Theorem 2 takes tight for orthogonal: on [-1, 1] with ω₀ = 1 the flat spectrum has very unequal eigenvalues.
    X, frame = inputs(2000, 1), FourierFrame(order=10)
    Phi = frame.frame(X).numpy()
    found = np.linalg.eigvalsh(Phi.T @ Phi / len(X))
    assert found[0] < 1e-6 < 1 < found[-1]
    assert frame.frame_constant(X) == pytest.approx(found[-1], rel=1e-4)
    assert found[-1] < math.pi / 2 * 1.1  # A of the whole frame on uniform [-1, 1] is π/(2ω₀)
    for rows in (1, 2, 3, 50, 1999):  # evenly spread, of which the first and the last are two
        some = Phi[np.linspace(0, 1999, rows).astype(int)]
        assert frame.frame_constant(X, rows) == pytest.approx(np.linalg.norm(some, 2) ** 2 / rows, rel=1e-5)


@pytest.mark.parametrize("frame", [FourierFrame(), WaveletFrame()])
def test_inputs_outside_are_refused_at_the_start_and_clipped_to_the_border_later(frame):
    X = inputs(5, 2)
    params = start(frame, X)
    with pytest.raises(DataError, match=r"in \[-1, 1\].*from -0\.\d+ to 3.*scaling=\[-1,1\]"):
        start(frame, X.abs().add(-0.1).index_fill(0, torch.tensor([2]), 3.0))
    start(frame, X.sign() * (1 + 1e-6))  # rounding
    with pytest.raises(DataError, match=r"in \[-1, 1\]"):
        start(frame, X.sign() * (1 + 1e-4))
    torch.testing.assert_close(frame.apply(params, 5 * X.sign()), frame.apply(params, X.sign()))


@pytest.mark.parametrize(
    ("frame", "d", "advice"),
    [
        (FourierFrame(), 784, "47041 columns for 784 inputs. Set order=6 or less"),
        (FourierFrame(combine="multiplicative"), 4, r"61\^4 columns.*order=4 or less, or combine=additive"),
        (FourierFrame(combine="multiplicative"), 300, r"61\^300 columns.*fewer inputs, or combine=additive"),
        (FourierFrame(max_width=10), 6, "361 columns.*raise max_width"),
        (FourierFrame(combine="multiplicative", max_width=343), 3, r"61\^3 columns.*order=3 or less"),  # 7³, exactly
        (WaveletFrame(combine="multiplicative"), 3, r"70\^3 columns.*Raise j_min.*combine=additive"),
        (WaveletFrame(), 500, "35000 columns.*Raise j_min.*choose fewer inputs"),
    ],
)
def test_too_many_columns_are_refused_with_what_would_fit(frame, d, advice):
    with pytest.raises(DataError, match=advice):
        start(frame, torch.zeros(1, d))


def test_the_advised_order_fits():
    assert start(FourierFrame(order=2, max_width=13), torch.zeros(1, 3))["spectrum"].shape == (13,)
    assert start(FourierFrame(order=6), torch.zeros(1, 784))["spectrum"].shape == (1 + 2 * 6 * 784,)
    assert start(FourierFrame(order=4, combine="multiplicative"), torch.zeros(1, 4))["spectrum"].shape == (9**4,)


def test_options_without_a_frame_are_refused():
    with pytest.raises(OptionError, match="j_min must be at most j_max"):
        start(WaveletFrame(j_min=1, j_max=0), torch.zeros(1, 1))
    with pytest.raises(OptionError, match="omega_0"):  # [-1, 1] would hold more than a period
        FourierFrame.build(omega_0=3.2)


def test_a_gradient_stays_finite_where_columns_vanish():
    frame, X = FourierFrame(order=2), inputs(4, 1)
    spectrum = torch.tensor([1.0, 0.0, -0.5, 1e-20, 2.0], dtype=torch.float64)
    Phi, pullback = frame.pullback({"spectrum": spectrum}, X)
    gradient = pullback(torch.ones_like(Phi))["spectrum"]
    assert gradient.isfinite().all()
    assert (gradient[1:4] == 0).all()
    assert (Phi[:, 1:3] == 0).all()

"""The arithmetic of the Kernel lab, computed by Node, against NumPy, SciPy and closed forms."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats
from waiting import PATIENCE

from kernlab.pictures import theme
from kernlab.ui import densities

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")

ANSWER = Path(__file__).parent / "lab" / "answer.mjs"
LATTICE, NODES, HALF = 4000, 64, 16
SCALES = {"scale": 6.0, "nu": 2.5, "centre": 20.0, "share": 0.4, "correlation": 0.5}
#: At most this far from NumPy.
CLOSE = {"rtol": 1e-6, "atol": 1e-6}


def asked(*questions):
    """What the modules answer, all in one process."""
    text = json.dumps([[name, given] for name, given in questions], default=lambda array: np.asarray(array).tolist())
    done = subprocess.run(["node", str(ANSWER)], input=text, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ask(question, /, **given):
    return asked((question, given))[0]


def place(i):
    return 2 * np.asarray(i) / LATTICE - 1


def places(n, seed):
    return np.random.default_rng(seed).choice(LATTICE + 1, n, replace=False)


def density(kind, seed, zeros=0.3):
    rng = np.random.default_rng(seed)
    count = NODES if kind == "line" else (HALF + 1) ** 2
    return rng.exponential(size=count) * (rng.uniform(size=count) > zeros)


def line_kernel(values, range_, x, z):
    """Bochner's integral by the trapezoidal rule over −range … range."""
    omega = np.arange(-(NODES - 1), NODES) * range_ / NODES
    both = np.concatenate([values[:0:-1], values])
    return np.cos(omega * (x[:, None] - z[None, :])[..., None]) @ both / both.sum()


def square(values):
    """The density over all pairs of frequencies: rows ω', columns ω."""
    found = np.zeros((2 * HALF + 1, 2 * HALF + 1))
    j = 0
    for a in range(HALF + 1):
        for b in range(-a, a + 1):
            for p, q in {(a, b), (b, a), (-a, -b), (-b, -a)}:
                found[q + HALF, p + HALF] = values[j]
            j += 1
    return found


def pair_kernel(values, range_, x, z):
    """Yaglom's integral over every pair of frequencies of the square."""
    step = range_ / HALF
    s = square(values) / square(values).sum()
    w = np.arange(-HALF, HALF + 1) * step
    K = np.zeros((len(x), len(z)))
    for i, a in enumerate(x):
        for j, b in enumerate(z):
            first = np.cos(w[None, :] * a - w[:, None] * b) + np.cos(w[:, None] * a - w[None, :] * b)
            second = np.cos(w[None, :] * (a - b)) + np.cos(w[:, None] * (a - b))
            K[i, j] = 0.25 * (s * (first + second)).sum()
    return K


KERNELS = {"line": line_kernel, "pairs": pair_kernel}


# -- Cholesky and regression -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 60, 200])
def test_cholesky_of_a_sound_matrix_is_that_of_numpy(n):
    A = np.random.default_rng(n).normal(size=(n, n + 3))
    K = A @ A.T
    found = ask("cholesky", K=K.ravel(), n=n)
    assert found["jitter"] == 0
    np.testing.assert_allclose(np.reshape(found["L"], (n, n)), np.linalg.cholesky(K), **CLOSE)


@pytest.mark.parametrize("rank", [1, 5, 40])
def test_a_singular_matrix_gets_the_smallest_jitter_that_lets_every_pivot_be_positive(rank):
    A = np.random.default_rng(rank).normal(size=(60, rank))
    K = A @ A.T
    found = ask("cholesky", K=K.ravel(), n=60)
    mean = np.trace(K) / 60
    assert any(found["jitter"] == pytest.approx(share * mean) for share in (1e-12, 1e-10, 1e-8))
    L = np.reshape(found["L"], (60, 60))
    np.testing.assert_allclose(L @ L.T, K + found["jitter"] * np.eye(60), atol=1e-12 * mean * 60)


def test_a_matrix_that_is_not_positive_semi_definite_is_refused_with_a_sentence():
    done = subprocess.run(["node", str(ANSWER)], input=json.dumps([["cholesky", {"K": [1, 2, 2, 1], "n": 2}]]),
                          capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
    assert "must be positive semi-definite" in done.stderr


@pytest.mark.parametrize("kind", ["line", "pairs"])
@pytest.mark.parametrize(("n", "noise", "twice"), [(1, 0.1, False), (30, 0.1, False), (200, 0.05, False),
                                                   (60, 0.001, True), (200, 0.001, True)])  # fmt: skip
def test_gram_posterior_evidence_and_leave_one_out_are_those_of_numpy(kind, n, noise, twice):
    rng = np.random.default_rng(n)
    a, b, range_ = places(n, n), places(40, n + 1), 10.0
    if twice:  # places that are twice there and a narrow density: the matrix without noise is singular
        a[: n // 2] = a[n // 2 : 2 * (n // 2)]
    values = density(kind, n)
    if twice and kind == "line":
        values[8:] = 0
    gram, back = asked(("gram", {"kind": kind, "values": values, "range": range_, "a": a, "b": b}),
                       ("gram", {"kind": kind, "values": values, "range": range_, "a": b, "b": a}))  # fmt: skip
    x, z = place(a), place(b)
    few = slice(0, min(n, 30))  # the double sum over pairs is slow
    K, cross = np.reshape(gram["within"], (n, n)), np.reshape(back["between"], (40, n))
    np.testing.assert_allclose(K[few, few], KERNELS[kind](values, range_, x[few], x[few]), **CLOSE)
    np.testing.assert_allclose(cross[:, few], KERNELS[kind](values, range_, z, x[few]), **CLOSE)
    np.testing.assert_allclose(gram["own"], np.diag(K), **CLOSE)
    np.testing.assert_allclose(K, K.T, **CLOSE)
    y = np.sin(5 * x) + noise * rng.normal(size=n)
    found = ask("regression", K=K.ravel(), y=y, variance=noise**2, cross=cross.ravel(), own=back["own"])
    assert found["jitter"] == 0
    A = K + noise**2 * np.eye(n)
    alpha = np.linalg.solve(A, y)
    np.testing.assert_allclose(found["mean"], cross @ alpha, **CLOSE)
    variance = np.array(back["own"]) - np.einsum("pn,np->p", cross, np.linalg.solve(A, cross.T))
    np.testing.assert_allclose(np.square(found["deviation"]), np.maximum(variance, 0), **CLOSE)
    assert found["evidence"] == pytest.approx(stats.multivariate_normal(np.zeros(n), A).logpdf(y), rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(np.reshape(found["inverse"], (n, n)) @ A, np.eye(n), atol=1e-6)
    for i in range(0, n, max(1, n // 12)):  # each point by a regression on all the others
        rest = np.arange(n) != i
        without = K[i, rest] @ np.linalg.solve(A[np.ix_(rest, rest)], y[rest])
        assert found["residuals"][i] == pytest.approx(y[i] - without, rel=1e-6, abs=1e-6)


# -- densities and their kernels -------------------------------------------------------------------------------


def matern(tau, nu, scale):
    z = np.sqrt(2 * nu) * np.abs(tau) * scale
    return np.where(z == 0, 1, 2 ** (1 - nu) / special.gamma(nu) * z**nu * special.kv(nu, np.where(z == 0, 1, z)))


@pytest.mark.parametrize(
    ("name", "scale", "nu", "range_", "kernel", "tail"),
    [
        ("gaussian", 5.0, 1, 60, lambda t: np.exp(-0.5 * (5 * t) ** 2), lambda w: 2 * stats.norm.sf(w / 5)),
        ("laplace", 3.0, 1, 100, lambda t: 1 / (1 + (3 * t) ** 2), lambda w: np.exp(-w / 3)),
        ("matern", 4.0, 1.5, 4000, lambda t: matern(t, 1.5, 4), lambda w: 2 * stats.t.sf(w / 4, 3)),
        ("matern", 4.0, 2.5, 4000, lambda t: matern(t, 2.5, 4), lambda w: 2 * stats.t.sf(w / 4, 5)),
        ("cauchy", 2.0, 1, 40_000, lambda t: np.exp(-2 * t), lambda w: 2 * stats.cauchy.sf(w / 2)),
    ],
)
def test_the_quadrature_is_the_closed_form_but_for_what_lies_beyond_the_grid(name, scale, nu, range_, kernel, tail):
    taus = np.linspace(0, 2, 41)
    question = {"name": name, "options": {**SCALES, "scale": scale, "nu": nu}, "taus": taus}
    wide, page = asked(("line", {**question, "range": range_, "nodes": 200_000}),
                       ("line", {**question, "range": 40, "nodes": NODES}))  # fmt: skip
    np.testing.assert_allclose(wide["kernel"], kernel(taus), atol=2 * tail(range_) + 1e-6)
    assert page["beyond"] == pytest.approx(tail(40), rel=0.01, abs=1e-6)
    # On the page's own grid the kernel returns every 2π/step (Poisson): its sum over those turns, at 0 scaled to one.
    turns = 2 * np.pi * NODES / 40 * np.arange(-500, 501)
    folded = kernel(np.abs(taus[:, None] + turns)).sum(axis=1)
    np.testing.assert_allclose(page["kernel"], folded / folded[0], atol=2 * tail(40) + 1e-4)


def test_the_sums_over_pairs_are_those_of_a_gaussian_of_independent_frequencies():
    (values,) = asked(("named", {"kind": "pairs", "name": "gaussian", "range": 20,
                                 "options": {**SCALES, "scale": 4.0, "correlation": 0.0}}))  # fmt: skip
    a, b = places(12, 0), places(9, 1)
    found = ask("gram", kind="pairs", values=values, range=20, a=a, b=b)
    x, z = place(a)[:, None], place(b)[None, :]
    exact = 0.5 * np.exp(-8 * (x - z) ** 2) + 0.5 * np.exp(-8 * (x**2 + z**2))
    np.testing.assert_allclose(np.reshape(found["between"], (12, 9)), exact, atol=1e-5)
    assert found["nonstationarity"] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("correlation", [-0.6, 0.7])
def test_a_correlation_of_the_frequencies_is_that_of_the_density(correlation):
    options = {**SCALES, "scale": 4.0, "correlation": correlation}
    values = ask("named", kind="pairs", name="gaussian", range=20, options=options)
    found = ask("gram", kind="pairs", values=values, range=20, a=places(3, 0), b=[0])
    assert found["nonstationarity"] == pytest.approx((1 - correlation) / 2, abs=0.01)
    s, w = square(np.array(values)), np.arange(-HALF, HALF + 1) * 20 / HALF
    assert (s * w[None, :] ** 2).sum() / s.sum() == pytest.approx(16, rel=0.02)


def test_pairs_on_the_diagonal_are_a_stationary_kernel():
    (values,) = asked(("named", {"kind": "pairs", "name": "gaussian", "range": 20,
                                 "options": {**SCALES, "scale": 4.0, "correlation": 1}}))  # fmt: skip
    a, b = places(10, 0), places(10, 1)
    found = ask("gram", kind="pairs", values=values, range=20, a=a, b=b)
    apart = place(a)[:, None] - place(b)[None, :]
    np.testing.assert_allclose(np.reshape(found["between"], (10, 10)), np.exp(-8 * apart**2), atol=1e-5)
    assert found["nonstationarity"] == 0
    np.testing.assert_allclose(found["own"], 1, atol=1e-12)


@pytest.mark.parametrize("name", ["gaussian", "laplace", "matern", "cauchy", "mixture"])
@pytest.mark.parametrize("kind", ["line", "pairs"])
def test_every_density_gives_positive_semi_definite_matrices(kind, name):
    values = ask("named", kind=kind, name=name, range=20, options=SCALES)
    assert min(values) >= 0
    found = ask("gram", kind=kind, values=values, range=20, a=places(150, 0), b=[0])
    eigenvalues = np.linalg.eigvalsh(np.reshape(found["within"], (150, 150)))
    assert eigenvalues.min() > -1e-12 * 150
    assert sum(found["shares"]) == pytest.approx(1)


def test_grids_and_colours_are_those_of_the_server():
    known = ask("known")
    assert known["ranges"] == {view: list(ranges) for view, ranges in densities.RANGES.items()}
    assert (known["nodes"], len(known["pairs"])) == (densities.NODES, (densities.HALF + 1) ** 2)
    assert known["pairs"] == [[a, b] for a in range(densities.HALF + 1) for b in range(-a, a + 1)]
    light = {name: both[0] for name, both in known["colours"].items()}
    assert light == {name: theme.COLOURS[name] for name in light}


def test_every_cell_of_the_square_has_its_place():
    known = ask("known")
    every = [(a, b) for a in range(-HALF, HALF + 1) for b in range(-HALF, HALF + 1)]
    (cells,) = asked(("cells", every))
    for (a, b), j in zip(every, cells, strict=True):
        assert tuple(known["pairs"][j]) in {(a, b), (b, a), (-a, -b), (-b, -a)}


@pytest.mark.parametrize("kind", ["line", "pairs"])
def test_drawn_functions_have_the_covariance_of_the_kernel(kind):
    values, a = density(kind, 3), places(6, 2)
    common = {"kind": kind, "values": values, "range": 10, "a": a}
    functions, gram = asked(("drawn", {**common, "seed": 1, "count": 4000}), ("gram", {**common, "b": [0]}))
    found = np.cov(np.transpose(functions), bias=True)
    np.testing.assert_allclose(found, np.reshape(gram["within"], (6, 6)), atol=5 / np.sqrt(4000))


@pytest.mark.parametrize("kind", ["line", "pairs"])
def test_two_deviations_have_95_percent_of_functions_of_the_prior(kind):
    # Half widths of 0.9545; several functions of a few, far places each, so that they say different things.
    share = ask("covered", kind=kind, values=density(kind, 5), range=10, a=places(12, 6), b=places(4, 7), noise=0.2,
                seed=2, count=2500)  # fmt: skip
    assert share == pytest.approx(0.9545, abs=0.02)


# -- the ascent ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["line", "pairs"])
def test_the_ratio_of_the_ascent_is_made_of_the_derivative_of_the_evidence(kind):
    values, a, rng = density(kind, 8, zeros=0), places(25, 9), np.random.default_rng(0)
    y = np.sin(4 * place(a)) + 0.1 * rng.normal(size=25)
    theta, variance = values / values.sum(), 0.04

    def atom(j):  # B_j: the kernel of a density that is one cell
        one = np.zeros(len(values))
        one[j] = 1
        return KERNELS[kind](one, 10.0, place(a), place(a))

    some = rng.choice(len(values), 5, replace=False)
    K = np.reshape(ask("gram", kind=kind, values=values, range=10, a=a, b=[0])["within"], (25, 25))

    def evidence(matrix):
        return stats.multivariate_normal(np.zeros(25), matrix + variance * np.eye(25)).logpdf(y)

    inverse = np.linalg.inv(K + variance * np.eye(25))
    alpha = inverse @ y
    plus, minus = asked(*(("traces", {"kind": kind, "values": values, "range": 10, "a": a, "Q": Q.ravel()})
                          for Q in (np.outer(alpha, alpha), inverse)))  # fmt: skip
    assert theta.sum() == pytest.approx(1)
    for j in some:
        step = 1e-4 * atom(j)
        slope = (evidence(K + step) - evidence(K - step)) / 2e-4
        assert 0.5 * (plus[j] - minus[j]) == pytest.approx(slope, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("kind", ["line", "pairs"])
@pytest.mark.parametrize("learns_noise", [True, False])
def test_the_ascent_raises_the_evidence_in_every_step_and_finds_the_frequency(kind, learns_noise):
    a, rng = places(60, 1), np.random.default_rng(1)
    range_, wanted = (40, 20 * 40 / NODES) if kind == "line" else (20, 10 * 20 / HALF)
    y = 0.8 * np.cos(wanted * place(a) + 1) + 0.1 * rng.normal(size=60)
    values = np.ones(NODES if kind == "line" else (HALF + 1) ** 2)
    found = ask("ascent", kind=kind, values=values, range=range_, a=a, y=y, amplitude=1, noise=0.3, steps=60,
                learnsNoise=learns_noise)  # fmt: skip
    evidence = np.array(found["evidence"])
    assert len(evidence) > 10
    assert (np.diff(evidence) >= 0).all()
    assert evidence[-1] > evidence[0] + 20
    theta = np.array(found["theta"])
    if kind == "line":
        assert abs(theta.argmax() - 20) <= 1
        assert theta[18:23].sum() > 0.9 * theta.sum()
    else:
        a, b = ask("known")["pairs"][int(theta.argmax())]
        assert abs(a - 10) <= 1
        assert abs(abs(b) - 10) <= 1
    if learns_noise:
        assert np.sqrt(found["variance"]) == pytest.approx(0.1, abs=0.04)
    else:
        assert found["variance"] == pytest.approx(0.09)

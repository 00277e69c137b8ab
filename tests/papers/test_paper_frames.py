"""What shows the errors in the theory of frame kernels, against oracles of its own."""

import numpy as np
import pytest
from scipy.special import zeta

from kernlab.papers.frames import products, rates, roots


@pytest.mark.parametrize("a", [1e-6, 1e-3, 0.3, 3.0])
@pytest.mark.parametrize("b", [1e-6, 1e-3, 0.3, 3.0])
def test_the_root_is_numpys_and_where_iterating_ends(a, b):
    view = roots(a, b)
    assert view.root == pytest.approx(np.roots([1, -a, -b]).max(), rel=1e-9)
    assert view.searched == pytest.approx(view.root, rel=1e-6)
    assert view.root <= view.corrected
    assert (view.printed < view.root) == (a + b < 1)
    assert view.printed_root == pytest.approx(np.roots([1, -a, -(b**2)]).max(), rel=1e-9)
    np.testing.assert_allclose(view.complexity**2, a * view.r + b)
    assert view.r[0] < min(view.root, view.printed_root)
    assert view.r[-1] > view.corrected


@pytest.mark.parametrize(("gamma", "c"), [(1.25, 1.0), (2.0, 10.0), (4.0, 0.01)])
def test_the_best_root_is_the_fixed_point_and_has_the_rate(gamma, c):
    view = rates(gamma, c, 5000)
    marks, iterated = view.iterated
    places = np.searchsorted(view.m, marks * (1 - 1e-9))
    np.testing.assert_allclose(view.root[places], iterated, rtol=1e-7)
    late = view.m > 1e6

    def slope(y) -> float:
        return float(np.polyfit(np.log(view.m[late]), np.log(y[late]), 1)[0])

    assert slope(view.printed) == pytest.approx(-1)
    assert slope(view.fixed) == pytest.approx(-0.5, abs=0.06)
    assert slope(view.root) == pytest.approx(-gamma / (gamma + 1), abs=0.1)
    assert slope(view.order) == pytest.approx(-gamma / (gamma + 1))
    assert (view.root <= view.fixed * (1 + 1e-12)).all()
    assert view.printed[-1] < view.root[-1]
    # One of them by sums over all t up to 3000, the tail by the zeta function.
    t = np.arange(1, 3001)
    unit = 8 / 5000
    a, b = unit * t, unit * c * zeta(gamma, t + 1.0)
    found = [np.roots([1, -x, -y]).max() for x, y in zip(a, b, strict=True)]
    assert view.here[:2] == pytest.approx((5000, min(found)), rel=1e-6)
    assert view.here[2] == pytest.approx(unit * (t + c * t ** (1 - gamma) / (gamma - 1)).min())


def test_a_sum_is_no_better_than_the_decomposition_of_the_variance_allows_and_products_are():
    view = products(3)
    assert (view.additive > 0.97 * view.floor).all()
    assert (view.additive < 1.3 * view.floor + 0.01).all()
    assert (view.multiplicative[3:] < 0.1 * view.additive[3:]).all()
    assert view.columns == (181, 125)
    assert np.all(np.diff(view.floor[:5]) > 0)
    assert (products(2, 0.3).multiplicative > view.multiplicative[0]).all()


def test_the_floor_is_what_sampling_finds():
    rng, turn = np.random.default_rng(0), 1.0
    theta = rng.uniform(-turn, turn, (200_000, 2))

    def distance(theta):
        angles = np.cumsum(theta, axis=-1)
        return np.sqrt((np.cos(angles).mean(-1) - 0.1) ** 2 + (np.sin(angles).mean(-1) - 0.1) ** 2)

    y = distance(theta)
    alone = 0.0
    for j in range(2):  # Var E[y | θ_j] = Cov(y, y') of two that share θ_j alone (Sobol)
        other = rng.uniform(-turn, turn, theta.shape)
        other[:, j] = theta[:, j]
        alone += np.cov(y, distance(other))[0, 1]
    view = products(2)
    place = list(view.reach).index(turn)
    assert view.floor[place] == pytest.approx(1 - alone / y.var(), abs=0.01)

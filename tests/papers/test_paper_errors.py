"""Every number that shows an error in a paper, against an oracle of its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import zeta

from kernlab.papers.askl import complexities, learned_phases, phases, shrinkage, widths
from kernlab.papers.discriminant import scatters
from kernlab.papers.frames import signs, spectra, tails
from kernlab.papers.lkrf import cauchy_kernels
from kernlab.papers.scale import against_constant
from kernlab.papers.tables import printed

X = np.array([[0.55, 0.40, 0.35], [0.35, 0.60, 0.47]])


def test_one_phase_gives_the_kernel_and_two_give_half_of_a_stationary_one():
    view = phases(0.9, 100_000)
    rng = np.random.default_rng(1)
    omega = rng.normal(size=(400_000, 3))
    other = 0.9 * omega + np.sqrt(1 - 0.81) * rng.normal(size=omega.shape)
    a, b = omega @ X.T, other @ X.T
    yaglom = (
        np.cos(a[:, 0] - b[:, 1]) + np.cos(b[:, 0] - a[:, 1]) + np.cos(a[:, 0] - a[:, 1]) + np.cos(b[:, 0] - b[:, 1])
    ) / 4
    assert view.exact == pytest.approx(yaglom.mean(), abs=5 * yaglom.std() / np.sqrt(len(yaglom)))
    assert (round(view.exact, 3), round(view.stationary, 3)) == (0.926, 0.477)
    assert view.shared[-1] == pytest.approx(view.exact, abs=0.02)
    assert view.independent[-1] == pytest.approx(view.stationary, abs=0.02)
    assert abs(view.independent[-1] - view.exact) > 0.4


def test_features_are_added_one_after_the_other():
    few, many = phases(0.5, 100, 3), phases(0.5, 100, 4)
    assert (few.counts[0], few.counts[-1]) == (1, 100)
    assert np.all(np.diff(few.counts) > 0)
    assert not np.array_equal(few.shared, many.shared)
    assert few.exact == many.exact


def test_with_correlation_one_the_kernel_is_stationary():
    view = phases(1.0, 1000)
    assert view.exact == pytest.approx(np.exp(-np.square(X[0] - X[1]).sum() / 2))
    assert view.exact == pytest.approx(2 * view.stationary)


def test_learning_takes_features_with_phases_away_from_the_kernel_of_their_frequencies():
    view = learned_phases()
    assert (view.steps[0], view.steps[-1]) == (0, 24)
    assert view.own["paired"].max() < 1e-6
    for form, times in (("shared", 3.0), ("independent", 1.5)):
        assert view.own[form][-1] > times * view.own[form][0]
    assert view.own["shared"][-1] > 1.8 * view.redrawn[-1]


def test_frequencies_that_are_not_learned_stay_as_near_as_the_draw_left_them():
    still = learned_phases(learning_rate=0.0, steps=20)
    for form in ("shared", "independent"):
        assert still.own[form] == pytest.approx(still.own[form][0])
    many = learned_phases(learning_rate=0.0, steps=1, n_features=20_000)
    assert many.redrawn[0] < still.redrawn[0] / 4  # a hundred times the features have a tenth of the noise


@settings(max_examples=25)
@given(threshold=st.floats(0, 2.5), steps=st.integers(1, 8))
def test_thresholding_subtracts_and_stays_at_zero(threshold, steps):
    view = shrinkage(threshold, steps)
    sigma = 2 * 0.75 ** np.arange(12)
    assert view.before == pytest.approx(sigma)
    assert view.clamped == pytest.approx(np.maximum(sigma - threshold * steps, 0), abs=1e-12)
    free = sigma
    for _ in range(steps):
        free = np.sort(np.abs(free - threshold))[::-1]
    assert view.free == pytest.approx(free, abs=1e-9)
    once = np.maximum(sigma - threshold, 0)
    assert view.objectives[0] == pytest.approx(0.5 * np.square(sigma - once).sum() + threshold * once.sum())
    assert view.objectives[0] <= view.objectives[1] + 1e-12


def test_without_the_clamp_the_rank_does_not_fall():
    view = shrinkage(0.4, 3)
    assert view.ranks == (2, 12)  # two of the twelve are above 3 · 0.4


@pytest.mark.parametrize("sigma", [0.3, 1.0, 2.0])
def test_each_reading_of_sigma_is_the_transform_of_its_density(sigma):
    view = widths(sigma)
    readings = (view.width, view.inverse, view.frequency)
    for curve, deviation in zip(readings, (1 / sigma, sigma**-0.5, sigma), strict=True):
        for at in (0, 40, 120):
            delta = view.distance[at]

            def density(w, deviation=deviation, delta=delta):
                return np.cos(w * delta) * np.exp(-0.5 * (w / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))

            value = quad(density, -12 * deviation, 12 * deviation, limit=400)[0]
            assert curve[at] == pytest.approx(value, abs=1e-8)
    assert np.allclose(view.width, view.frequency) == (sigma == 1)


def test_norms_are_ordered_and_agree_for_one_output():
    for scale in (0.01, 1.0, 10.0):
        view = complexities(scale, n=80, most=6, draws=8)
        assert np.all(view.spectral <= view.frobenius + 1e-12)
        assert np.all(view.frobenius <= view.paper + 1e-12)
        assert view.spectral[0] == pytest.approx(view.frobenius[0])
    assert view.paper[5] == pytest.approx(view.paper[0] * np.sqrt(6))


def test_features_of_one_direction_leave_no_gap_and_many_directions_a_wide_one():
    alike, many = complexities(0.001), complexities(10.0)
    assert alike.frobenius == pytest.approx(alike.spectral, rel=1e-3)
    assert many.paper[-1] > 2.5 * many.spectral[-1]


@settings(max_examples=40)
@given(
    gamma=st.floats(1, 4),
    mu=st.floats(0.1, 3).flatmap(lambda v: st.sampled_from([v, -v])),
    g=st.floats(0.1, 5),
    b=st.floats(0.1, 5),
)
def test_the_corrected_minimiser_is_the_one_that_a_search_finds(gamma, mu, g, b):
    view = spectra(gamma, mu, g, b)
    grid = np.geomspace(1e-4, 1e4, 200_001)
    values = g * mu**2 / grid + b * grid**gamma
    assert view.corrected[1] == pytest.approx(values.min(), rel=1e-6)
    assert view.corrected[0] == pytest.approx(grid[values.argmin()], rel=1e-2)
    assert view.numeric[1] == pytest.approx(view.corrected[1], rel=1e-9)
    paper = (g * mu**2 / b) ** (1 / (gamma + 1))
    c = 2 * (g * b ** (1 / gamma)) ** (gamma / (gamma + 1))
    assert view.printed[0] == pytest.approx(paper)
    assert view.printed[1] == pytest.approx(c * abs(mu) ** (2 * gamma / (gamma + 1)))
    assert view.objective == pytest.approx(g * mu**2 / view.spectrum + b * view.spectrum**gamma)


def test_the_printed_minimiser_is_right_at_one_only():
    at_one = spectra(1.0)
    assert at_one.printed == pytest.approx(at_one.corrected)
    values = [spectra(gamma) for gamma in (1.5, 2.0, 3.0)]
    assert all(view.printed[1] > 1.01 * view.numeric[1] for view in values)


def test_the_usual_sign_ends_at_the_soft_threshold_and_the_printed_one_does_not_shrink_negatives():
    view = signs(1.0, 2000)
    soft = np.where(np.abs(view.a) > 0.5, view.a - 0.5 * np.sign(view.a), 0.0)
    assert view.exact == pytest.approx(soft)
    assert view.usual == pytest.approx(soft, abs=2e-3)
    assert view.printed[view.a < 0] == pytest.approx(view.a[view.a < 0], abs=2e-3)
    assert view.printed[view.a > 0] == pytest.approx(soft[view.a > 0], abs=2e-3)
    assert 0.0 in view.a


def test_without_a_penalty_both_signs_agree():
    view = signs(0.0)
    assert view.usual == pytest.approx(view.a)
    assert view.printed == pytest.approx(view.a)


@pytest.mark.parametrize("t", [1, 10])
def test_the_tail_is_summed_and_bounded_and_has_no_end_at_one(t):
    view = tails(t)
    total = [zeta(g) - sum(i**-g for i in range(1, t + 1)) for g in view.gamma]
    assert view.sum == pytest.approx(total, rel=1e-6, abs=1e-9)
    areas = [quad(lambda i, g=g: i**-g, t, np.inf)[0] for g in view.gamma[-40:]]
    assert view.bound[-40:] == pytest.approx(areas, rel=1e-5)
    assert np.all(view.sum <= view.bound)
    assert view.bound[0] > 100
    assert view.counted[-1][1] == pytest.approx(np.log(1e6 / t), rel=0.1)
    assert view.counted[0][1] < view.counted[1][1] < view.counted[2][1]


@pytest.mark.parametrize("largest", [0.34, 0.8, 0.95])
def test_unit_columns_give_the_between_class_scatter(largest):
    view = scatters(largest)
    assert sum(view.sizes) == 600
    assert view.difference[1] < 1e-12
    assert view.unit == pytest.approx(view.between)
    for shares in (view.between, view.plain, view.unit):
        assert shares.sum() == pytest.approx(1)
    weighted = view.between * np.array(view.sizes)
    assert view.plain == pytest.approx(weighted / weighted.sum())


def test_equal_classes_have_equal_shares_either_way():
    view = scatters(1 / 3)
    assert view.plain == pytest.approx(view.unit)
    assert view.difference[0] == pytest.approx(199)  # N_c times as large as it should be


@pytest.mark.parametrize("d", [1, 4])
def test_the_printed_cauchy_kernel_is_two_to_the_d_at_zero(d):
    view = cauchy_kernels(d)
    assert view.printed[0] == 2**d
    assert view.drawn[0] == pytest.approx(1)
    assert view.drawn == pytest.approx(view.scaled, abs=0.05)
    transform = [quad(lambda w, x=x: np.cos(w * x) * np.exp(-w), 0, 60, limit=400)[0] for x in view.distance[::40]]
    assert view.scaled[::40] == pytest.approx(transform, abs=1e-6)


def test_printed_errors_are_divided_by_the_constant_of_their_scale():
    askl = {(a.figure.dataset, a.figure.method): a.ratio for a in against_constant(printed("askl-table2"))}
    assert {dataset for dataset, _ in askl} == {"abalone", "space_ga", "cpusmall", "cadata"}
    assert askl["cadata", "ASKL"] == pytest.approx(46.34 / 23.7922)
    assert askl["abalone", "ASKL"] < 1
    worse = {dataset for (dataset, _), ratio in askl.items() if ratio > 1}
    assert worse == {"space_ga", "cadata"}
    fks = {(a.figure.dataset, a.figure.method): a.ratio for a in against_constant(printed("fks-table2"))}
    assert fks["kin8nm", "MKL"] == pytest.approx(0.2699 / 0.185843**2)
    assert against_constant(printed("fks-table3")) == ()
    marked = [figure.mark for figure in printed("fks-table2")]
    assert [bool(mark) for mark in marked] == [a.ratio > 1 for a in against_constant(printed("fks-table2"))]

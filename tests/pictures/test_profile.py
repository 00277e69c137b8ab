"""The kernel along a line: the features' own kernel, the closed form of what was drawn, and parts that add up."""

import numpy as np
import pytest
import torch
from drawn import same
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlab.errors import OptionError
from kernlab.feature_maps import FEATURE_MAPS
from kernlab.feature_maps.densities import DENSITIES, draw
from kernlab.feature_maps.law import FrequencyLaw
from kernlab.pictures.directions import coordinate
from kernlab.pictures.profile import part, plot_part, plot_profile, plot_profile_change, profile, profile_change, reach
from kernlab.pictures.spectrum import Spectrum

rng = np.random.default_rng(6)


def spectrum(density="gaussian", d=3, count=4000, scale=1.3, pairs=1, seed=0):
    generator = torch.Generator().manual_seed(seed)
    drawn = draw(d, count, pairs=pairs, density=density, scale=scale, nu=2.0, generator=generator).numpy()
    return Spectrum(*(drawn[:, p] for p in range(pairs)))


@pytest.mark.parametrize("pairs", [1, 2])
@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("away", [False, True])
def test_assigned_frequencies_give_their_kernel_within_the_error(density, pairs, away):
    law = FrequencyLaw(density, 1.3, nu=2.0, pairs=pairs)
    origin = np.array([0.4, -0.2, 0.5]) if away else None
    found = profile([1, 2, -1], spectrum(density, pairs=pairs), law=law, origin=origin)
    gap = np.abs(found.now - found.exact)
    assert (gap <= 4.5 * found.error + 1e-6).all()
    assert found.error.max() < 0.02
    middle = len(found.tau) // 2
    assert found.tau[middle] == 0
    if not away:
        assert found.now[middle] == pytest.approx(1)


def test_the_standard_error_is_the_spread_over_draws():
    many = [profile([1, 0], spectrum(d=2, count=50, seed=seed), width=3.0) for seed in range(400)]
    values = np.array([each.now for each in many])
    expected = np.sqrt(np.mean([each.error**2 for each in many], axis=0))
    apart = np.abs(many[0].tau) > 0.5
    assert values.std(axis=0)[apart] == pytest.approx(expected[apart], rel=0.2)


@settings(max_examples=20)
@given(st.sampled_from(["stationary", "paired", "independent"]), st.integers(1, 4), st.integers(1, 30), st.booleans())
def test_the_profile_is_the_features_kernel_along_the_line(kind, d, count, away):
    """Without phases exactly; with independent ones the average over them, which leaves a stationary kernel."""
    omega = rng.normal(size=(d, 2, count))
    line = coordinate(d, 0) + 0.5 * coordinate(d, d - 1)
    line /= np.linalg.norm(line)
    start = 2 * rng.normal(size=d) if away else np.zeros(d)
    now = Spectrum(omega[:, 0], None if kind == "stationary" else omega[:, 1])
    found = profile(line, now, origin=start if away else None, crossed=kind != "independent", width=2.0)
    X = start + found.tau[:, None].astype(float) * line
    if kind == "independent":
        expected = np.cos((X - start) @ omega.reshape(d, -1)).mean(axis=1) / 2
    else:
        name, form = ("stationary", {"phase": "paired"}) if kind == "stationary" else ("nonstationary", {"phase": kind})
        features = FEATURE_MAPS[name](n_features=2 * count, frequency_scale=1.0, **form)
        params = {"omega": torch.tensor(omega[:, : features.pairs])}
        phi = [features.apply(params, torch.tensor(each)) for each in (X, start[None])]
        expected = (phi[0] @ phi[1].mT).numpy()[:, 0]
    assert found.now == pytest.approx(expected, abs=1e-5)


def test_weights_change_the_kernel():
    """Weights exp(−3ω²/2) turn Gaussian frequencies of scale 1 into ones of scale ½."""
    omega = rng.normal(size=(1, 40_000))
    found = profile([1], Spectrum(omega, weights=np.exp(-1.5 * omega[0] ** 2)), Spectrum(omega))
    assert found.now == pytest.approx(np.exp(-(found.tau**2) / 8), abs=0.02)
    assert found.before == pytest.approx(np.exp(-(found.tau**2) / 2), abs=0.02)
    assert (found.exact, found.total) == (None, 40_000)


def test_reach_is_four_lengthscales_whatever_the_tails():
    assert reach([1, 0], spectrum(d=2, scale=0.1, count=20_000)) == pytest.approx(40, rel=0.05)
    assert np.isfinite(reach([1, 0], spectrum("laplacian", d=2)))
    assert reach([1, 0], Spectrum(np.zeros((2, 5)))) == 1


@settings(max_examples=30)
@given(st.sets(st.integers(0, 19)), st.booleans(), st.booleans(), st.booleans())
def test_parts_add_up_to_the_kernel(selected, pairs, weighted, away):
    now = Spectrum(
        rng.normal(size=(3, 20)), rng.normal(size=(3, 20)) if pairs else None, rng.random(20) if weighted else None
    )
    origin = rng.normal(size=3) if away else None
    found = part([1, 1, 0], now, list(selected), origin=origin)
    assert found.part + found.rest == pytest.approx(found.whole, abs=1e-12)
    assert found.whole == pytest.approx(profile([1, 1, 0], now, origin=origin).now, abs=1e-6)
    assert found.share == pytest.approx(now.shares[list(selected)].sum())
    assert (found.selected, found.total) == (len(selected), 20)


def test_a_part_is_the_kernel_of_those_frequencies_alone_times_their_share():
    now = Spectrum(rng.normal(size=(2, 12)), rng.normal(size=(2, 12)))
    mine = [1, 5, 6]
    found = part([1, 0], now, mine, width=2.0)
    alone = profile([1, 0], now.taken(mine), width=2.0)
    assert found.part == pytest.approx(alone.now * 3 / 12, abs=1e-6)
    with pytest.raises(OptionError, match="from 0 to 11"):
        part([1, 0], now, [12])


def test_what_has_changed_between_two_moments():
    one, two = spectrum(seed=1), spectrum(seed=2)
    now, then = (profile([1, 0, 0], each, width=2.0, what="here") for each in (one, two))
    found = profile_change(now, then)
    assert found.values == pytest.approx(now.now - then.now, abs=1e-6)
    assert not profile_change(now, now).values.any()
    same(plot_profile_change(found, "step 3").data[0], x=found.tau, y=found.values)


def test_the_figure_has_a_band_of_two_standard_errors():
    law = FrequencyLaw("gaussian", 1.3, pairs=2)
    found = profile([1, 0, 0], spectrum(pairs=2), spectrum(pairs=2, seed=1), law=law, what="here")
    traces = {trace.name: trace for trace in plot_profile(found).data}
    same(traces["now"], x=found.tau, y=found.now)
    same(traces["before training"], y=found.before)
    same(traces["Gaussian pair kernel, exact"], y=found.exact)
    upper, lower = np.split(np.asarray(traces["± 2 standard errors"].y), 2)
    np.testing.assert_allclose(upper - lower[::-1], 4 * found.error, atol=1e-6)
    alone = plot_profile(found._replace(exact=None, before=None))
    assert [trace.name for trace in alone.data] == ["± 2 standard errors", "now"]
    assert alone.layout.uirevision == plot_profile(found).layout.uirevision
    assert alone.layout.uirevision != plot_profile(found._replace(what="elsewhere")).layout.uirevision


def test_the_figure_of_a_part_has_the_whole_and_the_rest():
    found = part([1, 0, 0], spectrum(count=2000), [3, 77, 1999], what="here")
    figure = plot_part(found)
    for trace, values in zip(figure.data, (found.whole, found.rest, found.part), strict=True):
        same(trace, x=found.tau, y=values.astype(np.float32))
    assert [trace.name for trace in figure.data] == ["whole kernel", "the rest", "selected"]
    assert "3 of 2000" in figure.layout.title.subtitle.text

"""Frequencies have the law that Bochner's theorem asks for, however they are drawn."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from kernlab.errors import CompositionError
from kernlab.feature_maps.densities import DENSITIES, draw

SIGMA, NU = 0.7, 1.5
MARGINALS = {
    "gaussian": stats.norm(scale=SIGMA),
    "laplacian": stats.cauchy(scale=SIGMA),
    "cauchy": stats.laplace(scale=SIGMA),
    "matern": stats.t(df=2 * NU, scale=SIGMA),
}


def frequencies(d: int, count: int, *, seed: int = 0, **options) -> np.ndarray:
    generator = torch.Generator().manual_seed(seed)
    drawn = draw(d, count, scale=SIGMA, nu=NU, generator=generator, **options)
    assert drawn.shape == (d, options.get("pairs", 1), count)
    assert drawn.dtype == torch.float32
    return drawn.numpy().astype(np.float64)


@pytest.mark.parametrize("sampling", ["iid", "sobol"])
@pytest.mark.parametrize("density", DENSITIES)
def test_each_coordinate_has_the_marginal_law(density, sampling):
    omega = frequencies(3, 4096, pairs=2, density=density, sampling=sampling)
    for coordinate in omega.reshape(6, -1):
        assert stats.kstest(coordinate, MARGINALS[density].cdf).pvalue > 1e-3


@pytest.mark.parametrize("density", DENSITIES)
def test_a_law_of_another_scale_would_be_noticed(density):
    omega = frequencies(1, 4096, density=density)[0, 0]
    assert stats.kstest(np.sqrt(2) * omega, MARGINALS[density].cdf).pvalue < 1e-6


@pytest.mark.parametrize("sampling", ["iid", "orthogonal", "sobol"])
@pytest.mark.parametrize(
    ("density", "d", "law"), [("gaussian", 5, stats.chi2(5)), ("matern", 4, stats.f(4, 2 * NU, scale=4))]
)
def test_squared_lengths_have_the_law_of_one_vector(density, d, law, sampling):
    """‖ω/σ‖² is χ²_d, or d·F(d, 2ν) for a Student vector; independent Student coordinates would have another law."""
    squares = (frequencies(d, 3000, density=density, sampling=sampling)[:, 0] / SIGMA) ** 2
    assert stats.kstest(squares.sum(axis=0), law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("density", DENSITIES)
def test_sobol_points_fill_the_law_more_evenly_than_independent_ones(density):
    distance = {
        sampling: max(
            stats.kstest(row, MARGINALS[density].cdf).statistic
            for row in frequencies(2, 2048, density=density, sampling=sampling)[:, 0]
        )
        for sampling in ("iid", "sobol")
    }
    assert distance["sobol"] < distance["iid"] / 3


@pytest.mark.parametrize("sampling", ["iid", "sobol"])
@pytest.mark.parametrize("density", DENSITIES)
def test_the_two_frequencies_of_a_pair_are_independent(density, sampling):
    omega = frequencies(2, 4096, pairs=2, density=density, sampling=sampling)
    law = MARGINALS[density]
    for a in omega[:, 0]:
        for b in omega[:, 1]:
            cells, _, _ = np.histogram2d(law.cdf(a), law.cdf(b), bins=8, range=[[0, 1], [0, 1]])
            # 64 equal cells of 64 frequencies each; dependence leaves cells empty
            assert stats.chisquare(cells.ravel()).statistic < stats.chi2(63).ppf(0.9999)


@pytest.mark.parametrize("density", ["gaussian", "matern"])
def test_orthogonal_blocks_are_orthogonal_and_right_in_law(density):
    d = 4
    omega = frequencies(d, 800 * d, density=density, sampling="orthogonal")[:, 0]
    blocks = omega.T.reshape(800, d, d)
    gram = blocks @ blocks.transpose(0, 2, 1)
    lengths = np.sqrt(np.einsum("bii->bi", gram))
    cosines = gram / (lengths[:, :, None] * lengths[:, None, :])
    np.testing.assert_allclose(cosines, np.broadcast_to(np.eye(d), cosines.shape), atol=1e-5)
    unfinished = frequencies(5, 7, density=density, sampling="orthogonal")[:, 0]
    np.testing.assert_allclose(unfinished[:, 5] @ unfinished[:, 6], 0, atol=1e-5)
    one_per_block = blocks[:, 0, :]  # independent, unlike the columns of one block
    for coordinate in one_per_block.T:
        assert stats.kstest(coordinate, MARGINALS[density].cdf).pvalue > 1e-3


@pytest.mark.parametrize("sampling", ["iid", "orthogonal", "sobol"])
def test_a_seed_fixes_the_draw_and_the_generator_moves_on(sampling):
    np.testing.assert_array_equal(frequencies(3, 10, sampling=sampling), frequencies(3, 10, sampling=sampling))
    generator = torch.Generator().manual_seed(0)
    first, second = (draw(3, 10, sampling=sampling, generator=generator) for _ in range(2))
    assert not torch.equal(first, second)


@pytest.mark.parametrize("sampling", ["iid", "orthogonal", "sobol"])
def test_any_number_of_frequencies_can_be_drawn(sampling):
    for count in (1, 2, 3, 64, 65):
        assert np.isfinite(frequencies(2, count, sampling=sampling, pairs=2)).all()
    assert np.isfinite(frequencies(784, 10, sampling=sampling, pairs=2)).all()


def test_what_cannot_be_drawn_is_refused():
    for density in ("laplacian", "cauchy"):
        with pytest.raises(CompositionError, match="the same in every direction"):
            frequencies(3, 10, density=density, sampling="orthogonal")
    with pytest.raises(CompositionError, match="at most 21201 dimensions"):
        frequencies(11_000, 1, pairs=2, sampling="sobol")

import numpy as np
import pytest
from scipy.stats import entropy

from kernlab.pictures.effective_rank import effective_rank, plot_effective_rank


def test_it_is_the_exponential_of_scipys_entropy():
    values = np.random.default_rng(0).gamma(1.0, size=12)
    found = effective_rank(values)
    assert found.rank == pytest.approx(np.exp(entropy(values / values.sum())))
    assert found.share[0] == 0
    assert found.share[-1] == pytest.approx(1)
    assert (np.diff(found.share, 2) <= 1e-12).all()  # the largest come first


def test_equal_values_count_fully_and_tiny_ones_hardly():
    assert effective_rank(np.full(7, 0.3)).rank == pytest.approx(7)
    assert effective_rank([5.0, 1e-9, 1e-9]).rank == pytest.approx(1, abs=1e-6)
    assert effective_rank([0.0, 0.0]).rank == 0


def test_the_subtitle_says_the_number():
    figure = plot_effective_rank(effective_rank([2.0, 2.0, 0.0]))
    assert "effective rank 2.00 of 3" in figure.layout.title.subtitle.text

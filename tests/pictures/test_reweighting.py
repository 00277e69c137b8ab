"""Weights of features and of kernels: their numbers, and the pictures that hold them."""

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.feature_maps import Dictionary
from kernlab.pictures.density import direction_density, length_density, plot_density
from kernlab.pictures.reweighting import (
    feature_weights,
    mixture,
    plot_feature_weights,
    plot_mixture,
    plot_weight_mass,
    weight_mass,
)
from kernlab.pictures.spectrum import Spectrum

rng = np.random.default_rng(0)
q = rng.dirichlet(np.full(300, 0.5))
NOW, BEFORE = Spectrum(rng.normal(size=(10, 300)) / 2, weights=q), Spectrum(rng.normal(size=(10, 2000)))
CASES = {
    "weights": lambda: plot_feature_weights(feature_weights(q, 20_000)),
    "uniform": lambda: plot_feature_weights(feature_weights(np.full(20_000, 1.0), 20_000)),
    "one": lambda: plot_feature_weights(feature_weights([1.0], 5)),
    "mass": lambda: plot_weight_mass(weight_mass(q, 20_000)),
    "density": lambda: plot_density(direction_density(np.eye(10)[0], NOW, BEFORE, what="here")),
    "length": lambda: plot_density(length_density(NOW, BEFORE)),
}


@pytest.mark.parametrize("name", CASES)
def test_every_picture_keeps_its_promises(name):
    figure = CASES[name]()
    layout = keeps_promises(figure)
    assert layout.xaxis.title.text
    assert layout.yaxis.title.text
    assert all(trace.hovertemplate for trace in figure.data)
    assert has_values(figure)


def test_weights_fall_and_zeros_are_left_out():
    found = feature_weights([0.25, 0.0, 0.5, 0.25, 0.0], 8)
    assert found.rank.tolist() == [1, 2, 3]
    assert found.q.tolist() == [0.5, 0.25, 0.25]
    assert (found.support, found.candidates, found.uniform) == (3, 8, 0.125)
    assert found.effective == pytest.approx(1 / 0.375)
    figure = plot_feature_weights(found)
    learned, uniform = figure.data
    np.testing.assert_array_equal((learned.x, learned.y), (found.rank, found.q))
    assert (list(uniform.x), list(uniform.y)) == ([1, 8], [0.125, 0.125])
    assert learned.line.dash != uniform.line.dash
    assert figure.layout.title.subtitle.text == "3 of 8 kept, worth 3 of equal weight"
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")


def test_uniform_weights_lie_on_the_uniform_line_and_are_thinned():
    found = feature_weights(np.full(20_000, 1 / 20_000, np.float32), 20_000)
    assert found.support == 20_000
    assert found.q == pytest.approx(np.full(len(found.q), found.uniform), rel=1e-6)
    assert (found.rank[0], found.rank[-1]) == (1, 20_000)
    assert len(found.rank) <= 1000
    assert found.effective == pytest.approx(20_000)
    assert feature_weights([1.0], 3).effective == 1


def test_the_mass_of_the_heaviest():
    found = weight_mass([0.1, 0.2, 0.6, 0.1, 0.0], 10)
    assert found.rank.tolist() == [0, 1, 2, 3, 4]
    assert found.mass == pytest.approx([0, 0.6, 0.8, 0.9, 1.0])
    assert found.marks == ((0.5, 1), (0.9, 3), (0.99, 4))
    assert (found.support, found.candidates) == (4, 10)
    curve, marks = plot_weight_mass(found).data
    np.testing.assert_array_equal((curve.x, curve.y), (found.rank, found.mass))
    assert (list(marks.x), list(marks.y), list(marks.text)) == ([1, 3, 4], [0.5, 0.9, 0.99], ["1", "3", "4"])
    assert weight_mass([1.0], 3).marks == ((0.5, 1), (0.9, 1), (0.99, 1))


def test_the_marks_of_a_thinned_curve_are_exact():
    found = weight_mass(np.full(5000, 1 / 5000, np.float32), 5000)
    assert len(found.rank) <= 1000
    assert found.marks == ((0.5, 2500), (0.9, 4500), (0.99, 4950))
    assert found.mass[-1] == pytest.approx(1)


def test_kernel_weights_are_shares_named_by_their_kernels():
    theta = np.arange(1.0, 24.0)
    view = mixture(theta, np.full(23, 0.2), Dictionary.terms)
    assert view.share == pytest.approx(theta / theta.sum(), rel=1e-6)
    assert view.start == pytest.approx(np.full(23, 1 / 23), rel=1e-6)
    assert view.effective == pytest.approx(theta.sum() ** 2 / (theta**2).sum())
    assert (view.names[0], view.names[12], view.names[13], view.names[22]) == ("γ = 2⁻⁹", "γ = 2³", "s = 1", "s = 10")
    assert len(view.names) == Dictionary.count
    gaussian, polynomial, start = plot_mixture(view).data
    assert (len(gaussian.x), len(polynomial.x), len(start.x)) == (13, 10, 23)
    assert [*gaussian.y, *polynomial.y] == pytest.approx(view.share)

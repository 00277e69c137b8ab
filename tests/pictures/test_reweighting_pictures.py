"""The pictures of re-weighted features hold the numbers of their NamedTuples and keep what all pictures promise."""

from __future__ import annotations

import time

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.pictures.density import direction_density, length_density, plot_density
from kernlab.pictures.reweighting import feature_weights, plot_feature_weights, plot_weight_mass, weight_mass

rng = np.random.default_rng(0)
q = rng.dirichlet(np.full(300, 0.5))
omega, initial = rng.normal(size=(10, 300)) / 2, rng.normal(size=(10, 2000))
CASES = {
    "weights": lambda: plot_feature_weights(feature_weights(q, 20_000)),
    "plain_axes": lambda: plot_feature_weights(feature_weights(q, 20_000), log_x=False, log_y=False),
    "uniform": lambda: plot_feature_weights(feature_weights(np.full(20_000, 1.0), 20_000)),
    "one": lambda: plot_feature_weights(feature_weights([1.0], 5)),
    "mass": lambda: plot_weight_mass(weight_mass(q, 20_000)),
    "density": lambda: plot_density(direction_density(np.eye(10)[0], omega, initial, weights=q, what="here")),
    "length": lambda: plot_density(length_density(omega, initial, weights=q)),
}


@pytest.mark.parametrize("name", CASES)
def test_every_picture_keeps_its_promises(name):
    times = []
    for _ in range(5):
        start = time.thread_time()
        figure = CASES[name]()
        times.append(time.thread_time() - start)
    assert min(times) < 0.15
    layout = keeps_promises(figure)
    assert layout.xaxis.title.text
    assert layout.yaxis.title.text
    assert all(trace.hovertemplate and len(trace.x) <= 2000 for trace in figure.data)
    assert has_values(figure)


def test_weights_stand_beside_the_line_they_began_on():
    view = feature_weights([0.5, 0.3, 0.2], 10)
    figure = plot_feature_weights(view)
    learned, uniform = figure.data
    np.testing.assert_array_equal(learned.x, view.rank)
    np.testing.assert_array_equal(learned.y, view.q)
    assert (list(uniform.x), list(uniform.y)) == ([1, 10], [0.1, 0.1])
    assert learned.line.dash != uniform.line.dash
    assert figure.layout.title.subtitle.text == "3 of 10 kept, worth 3 of equal weight"
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    plain = plot_feature_weights(view, log_x=False, log_y=False)
    assert plain.layout.xaxis.type is None
    assert plain.layout.uirevision != figure.layout.uirevision


def test_the_mass_is_marked():
    view = weight_mass([0.1, 0.2, 0.6, 0.1], 10)
    curve, marks = plot_weight_mass(view).data
    np.testing.assert_array_equal(curve.x, view.rank)
    np.testing.assert_array_equal(curve.y, view.mass)
    assert list(marks.x) == [1, 3, 4]
    assert list(marks.text) == ["1", "3", "4"]
    assert list(marks.y) == [0.5, 0.9, 0.99]

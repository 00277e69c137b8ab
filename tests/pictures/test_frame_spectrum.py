"""Weights by input and frequency, and eigenvalues under their power law."""

import numpy as np
import pytest
import torch
from drawn import has_values, keeps_promises

from kernlab.errors import OptionError
from kernlab.feature_maps import FourierFrame, WaveletFrame
from kernlab.pictures.frame_spectrum import (
    frame_eigenvalues,
    frame_input,
    frame_spectrum,
    plot_frame_eigenvalues,
    plot_frame_input,
    plot_frame_spectrum,
)


def described(feature_map, d):
    X = torch.zeros(1, d)
    params = feature_map.init(X, torch.Generator())
    return len(params["spectrum"]), {name: value.numpy() for name, value in feature_map.described(params).items()}


def test_weights_of_an_additive_fourier_frame_stand_where_they_belong():
    _, static = described(FourierFrame(order=2), 2)
    #            constant | input 1: cos 1, 2, sin 1, 2 | input 2
    spectrum = [7.0, 0.1, 0.2, 0.3, 0.4, 1.0, 2.0, 0.0, 0.0]
    found = frame_spectrum(spectrum, static, ["height"])
    assert found.inputs == ("height", "input 2")
    assert found.levels.tolist() == [1, 2]
    np.testing.assert_allclose(found.weight, [[0.4, 0.6], [1.0, 2.0]], rtol=1e-6)
    assert (found.constant, found.nonzero, found.columns) == (7.0, 7, 9)
    assert (found.what, found.products) == ("frequency index", False)

    along = frame_input(spectrum, static, 1)
    assert [(each.name, each.x.tolist(), each.weight.tolist()) for each in along.series] == [
        ("cosine", [1, 2], [1, 2]),
        ("sine", [1, 2], [0, 0]),
    ]
    assert (along.name, along.nonzero, along.columns) == ("input 2", 2, 4)


def test_a_product_counts_for_each_of_its_inputs():
    D, static = described(FourierFrame(order=1, combine="multiplicative"), 2)
    spectrum = np.zeros(D)
    spectrum[3 * 1 + 2] = 5.0  # cosine of the first input times sine of the second
    spectrum[0] = 2.0  # constant in both
    found = frame_spectrum(spectrum, static)
    assert found.levels.tolist() == [0, 1]
    np.testing.assert_allclose(found.weight, [[2, 5], [2, 5]])
    assert found.products
    assert {each.name: each.weight.tolist() for each in frame_input(spectrum, static, 1).series} == {
        "constant": [2],
        "cosine": [0],
        "sine": [5],
    }


def test_wavelets_stand_at_their_centres():
    frame = WaveletFrame(j_min=-1, j_max=0)
    D, static = described(frame, 1)
    found = frame_input(np.arange(D), static, 0, ["x"], dilation=frame.dilation, tau=frame.tau)
    fine, coarse = found.series
    assert (fine.name, coarse.name) == ("scale -1", "scale 0")
    np.testing.assert_allclose(fine.x, np.arange(-4, 5) * 0.25)
    np.testing.assert_allclose(coarse.x, [-1, -0.5, 0, 0.5, 1])
    assert fine.weight.tolist() == list(range(9))
    assert frame_spectrum(np.ones(D), static).what == "scale"


def test_the_largest_of_many_stems_are_drawn():
    D, static = described(FourierFrame(order=1000), 1)
    spectrum = np.arange(D, dtype=float)
    cosine, sine = frame_input(spectrum, static, 0).series
    assert len(cosine.x) == len(sine.x) == 600
    assert cosine.x.tolist() == list(range(401, 1001))


def test_an_unknown_input_is_refused():
    D, static = described(FourierFrame(order=1), 2)
    with pytest.raises(OptionError, match="from 0 to 1"):
        frame_input(np.ones(D), static, 2)


def test_eigenvalues_fall_and_lie_under_their_envelope():
    spectrum = np.random.default_rng(0).permutation(np.concatenate([np.zeros(40), 3 * np.arange(1, 2001.0) ** -1.7]))
    found = frame_eigenvalues(spectrum, 0.5)
    assert (found.nonzero, found.columns, found.frame_constant) == (2000, 2040, 0.5)
    assert (found.constant, found.exponent) == pytest.approx((1.5, 1.7), rel=1e-6)
    assert found.place[[0, -1]].tolist() == [1, 2000]
    assert len(found.place) <= 400
    np.testing.assert_allclose(found.value, 1.5 * found.place.astype(float) ** -1.7, rtol=1e-5)
    assert (found.value <= found.envelope * (1 + 1e-6)).all()
    assert found.total == pytest.approx(0.5 * spectrum.sum())


def test_a_spectrum_of_nothing_has_no_eigenvalues():
    found = frame_eigenvalues(np.zeros(5))
    assert (found.nonzero, len(found.value), found.constant, found.frame_constant) == (0, 0, 0.0, None)


d, N = 40, 30
STATIC = {
    "frame_dimension": np.concatenate([[-1], np.repeat(np.arange(d), 2 * N)])[:, None],
    "frame_kind": np.concatenate([[0], np.tile(np.repeat([1, 2], N), d)])[:, None],
    "frame_level": np.concatenate([[0], np.tile(np.arange(1, N + 1), 2 * d)])[:, None],
    "frame_shift": np.zeros((1 + 2 * N * d, 1), int),
}
SPECTRUM = np.abs(np.random.default_rng(0).normal(size=1 + 2 * N * d)).astype(np.float32)
SPECTRUM[5::3] = 0
PICTURES = {
    "spectrum": lambda: plot_frame_spectrum(frame_spectrum(SPECTRUM, STATIC, ["age"])),
    "input": lambda: plot_frame_input(frame_input(SPECTRUM, STATIC, 2)),
    "eigenvalues": lambda: plot_frame_eigenvalues(frame_eigenvalues(SPECTRUM, 0.5)),
    "nothing learned": lambda: plot_frame_eigenvalues(frame_eigenvalues(np.zeros(3))),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_keeps_its_promises(name):
    figure = PICTURES[name]()
    layout = keeps_promises(figure)
    assert figure.data
    assert layout.xaxis.title.text
    assert layout.yaxis.title.text
    assert all(trace.hovertemplate for trace in figure.data)
    assert has_values(figure) or name == "nothing learned"


def test_the_spectrum_is_a_map_of_inputs_and_frequencies():
    (cells,) = PICTURES["spectrum"]().data
    assert np.asarray(cells.z).shape == (d, N)
    assert (cells.y[0], cells.y[1]) == ("age", "input 2")
    assert cells.z[3][4] == pytest.approx(SPECTRUM[1 + 60 * 3 + 4] + SPECTRUM[1 + 60 * 3 + 34])


def test_stems_rise_from_zero():
    cosine, sine = PICTURES["input"]().data
    assert (cosine.name, sine.name) == ("cosine", "sine")
    np.testing.assert_array_equal(cosine.y[:6], [0, SPECTRUM[121], np.nan, 0, SPECTRUM[122], np.nan])
    np.testing.assert_array_equal(cosine.x[:4], [1, 1, 1, 2])
    assert sine.y[1] == SPECTRUM[151]


def test_eigenvalues_and_their_power_law():
    view = frame_eigenvalues(SPECTRUM, 0.5)
    values, law = PICTURES["eigenvalues"]().data
    np.testing.assert_array_equal(values.y, view.value)
    np.testing.assert_array_equal(law.y, view.envelope)
    assert f"γ = {view.exponent:.3g}" in law.name
    figure = PICTURES["eigenvalues"]()
    assert figure.layout.yaxis.title.text == "Aλ<sub>i</sub>"
    assert PICTURES["nothing learned"]().layout.yaxis.title.text == "λ<sub>i</sub>"

"""The pictures of a frame hold exactly the numbers they were given, and what every picture promises."""

import numpy as np
import pytest
from drawn import has_values, keeps_promises

from kernlab.pictures.frame_spectrum import (
    frame_eigenvalues,
    frame_input,
    frame_spectrum,
    plot_frame_eigenvalues,
    plot_frame_input,
    plot_frame_spectrum,
)

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

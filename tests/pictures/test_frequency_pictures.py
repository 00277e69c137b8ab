"""Frequencies as pictures, tiled into one mosaic, and the figure that holds exactly these numbers."""

import numpy as np
import pytest
from drawn import same

from kernlab.errors import OptionError
from kernlab.pictures.frequency_pictures import frequency_pictures, plot_frequency_pictures
from kernlab.pictures.mosaic import mosaic
from kernlab.pictures.spectrum import Spectrum

start = np.arange(1.0, 6)[None, :] * np.ones((6, 1))  # column j is j + 1 everywhere: the last is the longest
moves = np.array([0.0, 0, 9, 1, 0]) * np.ones((6, 1))


def tile(found, place):
    top, left = round(float(found.y[place]) - 0.5), round(float(found.x[place]) - 1)
    return found.mosaic[top : top + 2, left : left + 3]


def test_tiles_have_the_stated_centres():
    omega = np.random.default_rng(8).normal(size=(6, 11))
    found = frequency_pictures(Spectrum(omega), (2, 3), count=7, order="first")
    assert found.shown.tolist() == list(range(7))
    for place, column in enumerate(found.shown):
        assert tile(found, place) == pytest.approx(omega[:, column].reshape(2, 3), abs=1e-6)
    assert found.length == pytest.approx(np.linalg.norm(omega[:, :7], axis=0), abs=1e-6)
    assert (found.moved, found.total, found.size) == (None, 11, (2, 3))


def test_orders():
    now, then = Spectrum(start + moves, weights=np.array([1, 5, 2, 3, 4.0])), Spectrum(start)

    def shown(order, **rest):
        return frequency_pictures(now, (2, 3), then=then, order=order, **rest).shown.tolist()

    assert shown("longest") == [2, 3, 4, 1, 0]
    assert shown("most moved")[:2] == [2, 3]
    assert shown("heaviest") == [1, 4, 3, 2, 0]
    assert shown("first") == [0, 1, 2, 3, 4]
    assert shown("longest", selected=[0, 4])[:3] == [4, 0, 2]
    alone = frequency_pictures(Spectrum(start), (2, 3), order="most moved")  # nothing is known of that
    assert alone.shown.tolist() == [4, 3, 2, 1, 0]
    assert alone.order == "the longest"


def test_changes_and_the_second_of_a_pair():
    now, then = Spectrum(start, start + moves), Spectrum(start, start)
    found = frequency_pictures(now, (2, 3), then=then, prime=True, change=True, order="most moved")
    assert (found.name, found.change) == ("ω'", True)
    assert tile(found, 0) == pytest.approx(np.full((2, 3), 9))
    assert found.moved[0] == pytest.approx(9 * np.sqrt(6))
    dropped = frequency_pictures(now, (2, 3), then=Spectrum(start[:, :2], start[:, :2]), change=True)
    assert not dropped.change  # there is nothing to subtract: the frequencies themselves are shown
    assert not frequency_pictures(Spectrum(start), (2, 3), prime=True).name.endswith("'")


def test_the_selected_are_marked():
    found = frequency_pictures(Spectrum(start), (2, 3), selected=[1, 3], count=4)
    assert found.marked.tolist() == [0, 1]
    assert "selected" in found.order
    with pytest.raises(OptionError, match="from 0 to 4"):
        frequency_pictures(Spectrum(start), (2, 3), selected=[5])
    with pytest.raises(OptionError, match="6 inputs"):
        frequency_pictures(Spectrum(start), (2, 2))


def test_the_figure_names_every_tile_and_frames_the_selected_ones():
    now, then = Spectrum(start + moves), Spectrum(start)
    found = frequency_pictures(now, (2, 3), then=then, selected=[1, 3], count=4)
    figure = plot_frequency_pictures(found)
    heat, middles = figure.data
    same(heat, z=found.mosaic)
    same(middles, x=found.x, y=found.y, customdata=found.shown)
    assert middles.text[0] == f"length {found.length[0]:.3g}, moved {found.moved[0]:.3g}"
    assert plot_frequency_pictures(found._replace(moved=None)).data[1].text[0] == f"length {found.length[0]:.3g}"
    frame = figure.layout.shapes[0]
    assert len(figure.layout.shapes) == 2
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (-0.5, 2.5, -0.5, 1.5)
    assert (figure.layout.dragmode, figure.layout.selections) == ("select", ())


def test_columns_are_tiled_in_their_order():
    omega = np.array([[1.0, 3.0, 2.0], [0, 0, 0], [0, 0, 0], [0.5, 1.5, 1]])
    found = mosaic(omega, (2, 2), [1, 2, 0])
    assert found.shown.tolist() == [1, 2, 0]
    gap = np.nan
    expected = [[3, 0, gap, 2, 0], [0, 1.5, gap, 0, 1], [gap] * 5, [1, 0, gap, gap, gap], [0, 0.5, gap, gap, gap]]
    np.testing.assert_array_equal(found.mosaic, np.array(expected, np.float32))
    assert found.limit == pytest.approx(3, rel=0.05)
    assert mosaic(omega, (2, 2), [2, 1, 0], count=2).shown.tolist() == [2, 1]


def test_large_pictures_show_fewer_tiles():
    found = mosaic(np.ones((100 * 100, 64)), (100, 100), range(64))
    assert len(found.shown) == 2
    assert found.mosaic.shape == (100, 201)
    found = mosaic(np.ones((28 * 28, 64)), (28, 28), range(64))
    assert len(found.shown) == 30  # five rows of six: 33 would fit, but not in full rows
    assert found.mosaic.shape == (5 * 29 - 1, 6 * 29 - 1)

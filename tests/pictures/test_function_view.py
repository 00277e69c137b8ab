import numpy as np
import pytest

from kernlab.errors import OptionError
from kernlab.pictures.function_view import (
    Line,
    Projection,
    Regions,
    Scores,
    Surface,
    decide,
    function_view,
    line,
    projection,
    regions,
    scores,
    surface,
)
from kernlab.pictures.mosaic import mosaic

# A grid of 2 rows (y = 10, 20) and 3 columns (x = 0, 1, 2), x running fastest.
ROW_MAJOR = np.array([[0, 10], [1, 10], [2, 10], [0, 20], [1, 20], [2, 20]], float)
POINTS, CODES = np.array([[0.5, 12.0], [1.5, 18.0]]), np.array([0, 2])
SCORES = np.array([[5, 1, 0], [0, 2, 1], [0, 0, 4], [1, 0, 0], [0, 9, 8], [3, 0, 1]], float)
CLASSES = ("a", "b", "c")


def test_decisions_and_margins():
    codes, margin = decide(SCORES)
    assert codes.tolist() == [0, 1, 2, 0, 1, 0]
    assert margin.tolist() == [4, 1, 4, 1, 1, 2]


def test_regions_lie_where_the_scores_say():
    found = regions(SCORES, ROW_MAJOR, (2, 3), POINTS, CODES, CLASSES, features=("u", "v"))
    assert found.x.tolist() == [0, 1, 2]
    assert found.y.tolist() == [10, 20]
    assert found.codes.tolist() == [[0, 1, 2], [0, 1, 0]]
    assert found.margin.tolist() == [[4, 1, 4], [1, 1, 2]]
    assert np.floor(found.ink).astype(int).tolist() == found.codes.tolist()
    assert found.ink[0, 0] == pytest.approx(0.99)
    assert found.points.value.tolist() == [0, 2]


def test_the_other_order_of_the_grid_gives_the_same_picture():
    turned = ROW_MAJOR.reshape(2, 3, 2).swapaxes(0, 1).reshape(6, 2)
    there = SCORES.reshape(2, 3, 3).swapaxes(0, 1).reshape(6, 3)
    first = regions(SCORES, ROW_MAJOR, (2, 3), POINTS, CODES, CLASSES)
    second = regions(there, turned, (3, 2), POINTS, CODES, CLASSES)
    assert second.codes.tolist() == first.codes.tolist()
    assert second.x.tolist() == first.x.tolist()
    assert second.y.tolist() == first.y.tolist()


def test_untrained_scores_make_no_margin():
    found = regions(np.zeros((6, 3)), ROW_MAJOR, (2, 3), POINTS, CODES, CLASSES)
    assert not found.ink.any()


def test_surface_shares_colours_with_the_targets():
    found = surface(np.arange(6.0), ROW_MAJOR, (2, 3), POINTS, [-1.0, 7.0])
    assert found.values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found.limits == (-1, 7)


def test_line_keeps_its_numbers():
    found = line([1, 2, 3], [[0.0], [1.0], [2.0]], [[0.5]], [9.0], [4, 5, 6], feature="t", target="y")
    assert (found.x.tolist(), found.y.tolist(), found.true.tolist()) == ([0, 1, 2], [1, 2, 3], [4, 5, 6])
    assert (found.points.x.tolist(), found.points.y.tolist()) == ([0.5], [9])


def test_scores_put_the_points_beneath_the_curves():
    found = scores([[0, 4.0], [1, 2.0]], [[0.0], [1.0]], [[0.2], [0.8]], [0, 1], ("no", "yes"))
    assert found.values.tolist() == [[0, 4], [1, 2]]
    assert found.points.y == pytest.approx([-0.4, -0.64])


def test_projection_marks_what_is_wrong():
    found = projection(SCORES, ROW_MAJOR, [0, 1, 0, 0, 1, 0], CLASSES)
    assert found.wrong.tolist() == [False, False, True, False, False, False]
    assert found.score == pytest.approx(5 / 6)


def test_projection_of_a_regression_reports_its_error():
    found = projection([[1.0], [5.0]], [[0, 0], [1, 1]], [[1.0], [2.0]])
    assert found.score == pytest.approx(np.sqrt(4.5))
    assert not found.wrong.any()


def test_the_score_of_a_projection_is_that_of_all_points():
    true = np.arange(5000) % 3
    values = np.eye(3)[np.where(np.arange(5000) % 10 == 1, (true + 1) % 3, true)]
    found = projection(values, np.zeros((5000, 2)), true, CLASSES)
    assert len(found.x) == 1000
    assert found.total == 5000
    assert found.score == pytest.approx(0.9)


def test_frequencies_are_tiled_longest_first():
    omega = np.array([[1.0, 3.0, 2.0], [0, 0, 0], [0, 0, 0], [0.5, 1.5, 1]])
    found = mosaic(omega, (2, 2))
    assert found.shown.tolist() == [1, 2, 0]
    gap = np.nan
    expected = [[3, 0, gap, 2, 0], [0, 1.5, gap, 0, 1], [gap] * 5, [1, 0, gap, gap, gap], [0, 0.5, gap, gap, gap]]
    np.testing.assert_array_equal(found.mosaic, np.array(expected, np.float32))
    assert found.limit == pytest.approx(3, rel=0.05)
    assert mosaic(omega, (2, 2), order="index", count=2).shown.tolist() == [0, 1]
    assert mosaic(omega, (2, 2), order=[2]).shown.tolist() == [2]


def test_each_tile_on_its_own_scale():
    found = mosaic(np.array([[1.0, -8.0], [0, 4.0]]), (1, 2), each=True, order="index")
    assert np.nanmax(np.abs(found.mosaic)) == 1
    assert found.mosaic[0, -2:].tolist() == [-1, 0.5]


def test_large_pictures_show_fewer_tiles():
    found = mosaic(np.ones((100 * 100, 64)), (100, 100))
    assert len(found.shown) == 2
    assert found.mosaic.shape == (100, 201)
    found = mosaic(np.ones((28 * 28, 64)), (28, 28))
    assert len(found.shown) == 30  # five rows of six: 33 would fit, but not in full rows
    assert found.mosaic.shape == (5 * 29 - 1, 6 * 29 - 1)


def test_the_wrong_size_of_picture_is_a_sentence():
    with pytest.raises(OptionError, match="must be the 6 inputs"):
        mosaic(np.ones((6, 3)), (2, 2))


CLASSIFY = {"task": "classification", "classes": CLASSES, "feature_names": ["u", "v"]}
REGRESS = {"task": "regression", "classes": ["p", "q"], "feature_names": ["u", "v"]}


def test_the_view_follows_the_facts():
    two = {"view_axes": ROW_MAJOR, "data_points": POINTS, "data_targets": CODES}
    found = function_view({"view_scores": SCORES}, two, CLASSIFY | {"view": "regions", "view_grid": [2, 3]})
    assert isinstance(found, Regions)
    assert found.features == ("u", "v")

    outputs = np.stack([np.arange(6.0), -np.arange(6.0)], 1)
    two |= {"data_targets": np.array([[0.0, 1], [2, 3]])}
    facts = REGRESS | {"view": "regions", "view_grid": [2, 3]}
    found = function_view({"view_scores": outputs}, two, facts, output=1)
    assert isinstance(found, Surface)
    assert found.values[1, 2] == -5
    assert found.points.value.tolist() == [1, 3]
    assert found.target == "q"

    one = {"view_axes": [[0.0], [1.0]], "data_points": [[0.5]], "data_targets": [2.0], "view_labels": [8.0, 9.0]}
    found = function_view({"view_scores": [3.0, 4.0]}, one, REGRESS | {"view": "curve"})
    assert isinstance(found, Line)
    assert found.true.tolist() == [8, 9]
    one |= {"data_targets": [1]}
    found = function_view({"view_scores": np.eye(2)}, one, CLASSIFY | {"view": "curve", "classes": ("no", "yes")})
    assert isinstance(found, Scores)
    assert found.classes == ("no", "yes")

    flat = {"view_projection": ROW_MAJOR, "view_labels": outputs}
    found = function_view({"view_scores": outputs + 1}, flat, REGRESS | {"view": "projection"}, output=1)
    assert isinstance(found, Projection)
    assert (found.classes, found.target, found.score) == ((), "q", 1)

    flat = {"view_projection": ROW_MAJOR, "view_labels": [0, 1, 2, 0, 1, 0]}
    found = function_view({"view_scores": SCORES}, flat, CLASSIFY | {"view": "projection"})
    assert isinstance(found, Projection)
    assert found.score == 1


def test_an_output_that_is_not_there_is_a_sentence():
    with pytest.raises(OptionError, match="from 0 to 1"):
        function_view({"view_scores": np.ones((6, 2))}, {}, REGRESS | {"view": "regions"}, output=2)

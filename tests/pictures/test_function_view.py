"""The function in the view that suits its data, and figures that hold exactly its numbers."""

import numpy as np
import pytest
from drawn import same

from kernlab.errors import OptionError
from kernlab.pictures.function_view import (
    Line,
    Projection,
    Regions,
    Scores,
    Surface,
    curve,
    decide,
    function_view,
    plot_function,
    projection,
    regions,
    scores,
    surface,
)

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
    other = SCORES.reshape(2, 3, 3).swapaxes(0, 1).reshape(6, 3)
    first = regions(SCORES, ROW_MAJOR, (2, 3), POINTS, CODES, CLASSES)
    second = regions(other, turned, (3, 2), POINTS, CODES, CLASSES)
    assert second.codes.tolist() == first.codes.tolist()
    assert second.x.tolist() == first.x.tolist()
    assert second.y.tolist() == first.y.tolist()

    heat, a, b, c = plot_function(first).data
    same(heat, x=first.x, y=first.y, z=first.ink, customdata=first.margin, text=np.array(CLASSES)[first.codes])
    assert (heat.zmin, heat.zmax) == (0, 3)
    assert [stop for stop, _ in heat.colorscale] == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])
    same(a, x=[0.5], y=[12])
    same(c, x=[1.5], y=[18])
    assert len(b.x) == 0
    assert len({trace.marker.symbol for trace in (a, b, c)}) == 3
    assert not regions(np.zeros((6, 3)), ROW_MAJOR, (2, 3), POINTS, CODES, CLASSES).ink.any()


def test_surface_shares_colours_with_the_targets():
    found = surface(np.arange(6.0), ROW_MAJOR, (2, 3), POINTS, [-1.0, 7.0])
    assert found.values.tolist() == [[0, 1, 2], [3, 4, 5]]
    heat, points = plot_function(found).data
    same(heat, z=found.values)
    same(points.marker, color=[-1, 7])
    assert (heat.zmin, heat.zmax) == (points.marker.cmin, points.marker.cmax) == found.limits == (-1, 7)


def test_a_curve_and_its_points():
    found = curve([1, 2, 3], [[0.0], [1.0], [2.0]], [[0.5]], [9.0], [4, 5, 6], feature="t", target="q")
    figure = plot_function(found)
    points, predicted, true = figure.data
    same(points, x=[0.5], y=[9])
    same(predicted, x=[0, 1, 2], y=[1, 2, 3])
    same(true, y=[4, 5, 6])
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("t", "q")
    assert len(plot_function(found._replace(true=None)).data) == 2


def test_scores_put_the_points_beneath_the_curves():
    found = scores([[0, 4.0], [1, 2.0]], [[0.0], [1.0]], [[0.2], [0.8]], [0, 1], ("no", "yes"))
    assert found.points.y == pytest.approx([-0.4, -0.64])
    no, no_points, yes, yes_points = plot_function(found).data
    same(no, x=[0, 1], y=[0, 1])
    same(yes, y=[4, 2])
    same(no_points, x=np.float32([0.2]))
    same(yes_points, x=np.float32([0.8]))
    assert no.line.dash != yes.line.dash


def test_projection_marks_what_is_wrong():
    found = projection(np.eye(3)[[0, 1, 0]], [[1, 2], [3, 4], [5, 6]], [0, 1, 2], CLASSES)
    assert found.wrong.tolist() == [False, False, True]
    figure = plot_function(found)
    a, b, wrong = figure.data
    same(a, x=[1, 5], text=["a", "c"])
    same(b, x=[3], y=[4])
    same(wrong, x=[5], y=[6])
    assert "66.7% right" in figure.layout.title.subtitle.text


def test_projection_of_a_regression_reports_its_error():
    found = projection([[1.0], [5.0]], [[1, 2], [3, 4]], [[1.0], [2.0]])
    assert found.score == pytest.approx(np.sqrt(4.5))
    assert not found.wrong.any()
    (points,) = plot_function(found).data
    same(points, x=[1, 3], customdata=[1, 2])
    same(points.marker, color=[1, 5])


def test_another_value_has_no_picture():
    with pytest.raises(TypeError, match="no picture for int"):
        plot_function(3)


def test_the_score_of_a_projection_is_that_of_all_points():
    true = np.arange(5000) % 3
    values = np.eye(3)[np.where(np.arange(5000) % 10 == 1, (true + 1) % 3, true)]
    found = projection(values, np.zeros((5000, 2)), true, CLASSES)
    assert len(found.x) == 1000
    assert found.total == 5000
    assert found.score == pytest.approx(0.9)


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


def test_a_missing_output_is_a_sentence():
    with pytest.raises(OptionError, match="from 0 to 1"):
        function_view({"view_scores": np.ones((6, 2))}, {}, REGRESS | {"view": "regions"}, output=2)

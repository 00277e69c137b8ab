"""Landmarks on the data and as pictures: their places, and the figures that hold them."""

import numpy as np
import pytest

from kernlab.errors import OptionError
from kernlab.pictures.function_view import Points
from kernlab.pictures.landmarks import (
    LINES,
    SHOWN,
    Landmarks,
    landmark_pictures,
    landmarks,
    plot_landmark_pictures,
    plot_landmarks,
)

rng = np.random.default_rng(0)
START = np.array([[0.0, 0], [1, -1], [2, 2]])
NOW = START + np.array([[3, 4], [0, 0], [0, 1]])
PLANE = {
    "landmarks_initial": START,
    "inputs_center": np.array([10.0, 20]),
    "inputs_scale": np.array([2.0, 5]),
    "data_points": np.array([[1.0, 2], [3, 4]]),
    "data_targets": np.array([1, 0]),
}
FACTS = {"view": "regions", "task": "classification", "classes": ["no", "yes"], "feature_names": ["a", "b"]}


def test_in_the_plane_they_stand_in_original_units():
    found = landmarks({"landmarks": NOW}, PLANE, FACTS)
    np.testing.assert_allclose(np.stack([found.x, found.y], 1), NOW * [2, 5] + [10, 20])
    np.testing.assert_allclose(np.stack([found.start_x, found.start_y], 1), START * [2, 5] + [10, 20])
    assert found.moved == pytest.approx((5 + 0 + 1) / 3)
    assert (found.axes, found.classes, found.curve) == (("a", "b"), ("no", "yes"), None)
    assert found.points.y.tolist() == [2, 4]
    assert found.points.value.tolist() == [1, 0]


def test_of_a_regression_one_output_colours_the_data():
    facts = {**FACTS, "task": "regression", "classes": ["height", "weight"]}
    found = landmarks({"landmarks": NOW}, PLANE | {"data_targets": np.array([[5.0, 6], [7, 8]])}, facts, output=1)
    assert found.points.value.tolist() == [6, 8]
    assert (found.target, found.classes) == ("weight", ())


def test_beyond_two_inputs_they_are_projected_as_the_test_points_are():
    center, basis = rng.normal(size=4), np.linalg.qr(rng.normal(size=(4, 4)))[0]
    start, plane = rng.normal(size=(6, 4)), rng.normal(size=(9, 2))
    now = start + 0.5 * basis[2]  # moved across the plane that is looked at: not to be seen in it
    static = {
        "landmarks_initial": start,
        "view_center": center,
        "view_directions": basis[:2],
        "view_projection": plane,
        "view_labels": rng.integers(0, 2, 9),
    }
    found = landmarks({"landmarks": now}, static, {**FACTS, "view": "projection"})
    np.testing.assert_allclose(found.x, (start - center) @ basis[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose([found.x, found.y], [found.start_x, found.start_y], atol=1e-6)
    np.testing.assert_array_equal(found.points.x, plane[:, 0].astype(np.float32))
    assert found.moved == pytest.approx(0.5)


LINE = {
    "landmarks_initial": np.array([[-1.0], [0]]),
    "inputs_center": np.array([2.0]),
    "inputs_scale": np.array([2.0]),
    "data_points": np.array([[0.0], [4]]),
    "data_targets": np.array([[1.0], [9]]),
    "view_axes": np.array([0.0, 1, 2, 3, 4]),
}


def test_on_a_line_they_stand_on_the_curve():
    snapshot = {"landmarks": np.array([[-0.75], [0.5]]), "view_scores": np.array([[0.0], [1], [4], [9], [16]])}
    found = landmarks(snapshot, LINE, {"view": "curve", "task": "regression", "classes": ["y"], "feature_names": ["t"]})
    assert found.x.tolist() == [0.5, 3]
    assert found.y.tolist() == [0.5, 9]
    assert found.start_y.tolist() == [0, 4]
    assert found.points.y.tolist() == [1, 9]
    assert found.axes == ("t", "y")


def test_of_a_classification_on_a_line_they_stand_on_the_highest_score():
    snapshot = {
        "landmarks": np.array([[-1.0], [1.0]]),
        "view_scores": np.array([[0.0, 1], [0, 0], [2, 0], [3, 0], [4, 0]]),
    }
    facts = {**FACTS, "view": "curve"}
    found = landmarks(snapshot, LINE | {"data_targets": np.array([0, 1])}, facts)
    assert found.y.tolist() == [1, 4]
    assert found.axes[1] == "highest score"
    assert max(found.points.y) < 0  # beneath the curve
    assert found.points.y[0] != found.points.y[1]


def test_of_many_an_even_sample_is_drawn_and_fewer_lines():
    start = rng.normal(size=(1000, 2))
    found = landmarks({"landmarks": start + 1}, PLANE | {"landmarks_initial": start}, FACTS)
    assert (len(found.x), len(found.start_x), len(found.lined), found.total) == (SHOWN, SHOWN, LINES, 1000)
    assert found.lined.max() == SHOWN - 1
    assert found.x[-1] == pytest.approx((start[-1, 0] + 1) * 2 + 10)
    assert found.moved == pytest.approx(np.sqrt(2))


def test_pictures_show_those_that_moved_farthest():
    start = np.zeros((3, 6))
    now = start + np.array([[0.1], [-3], [2]])
    found = landmark_pictures(now, start, (2, 3), count=2)
    assert (found.shown.tolist(), found.total) == ([1, 2], 3)
    np.testing.assert_array_equal(found.mosaic[:, :3], -3)
    np.testing.assert_array_equal(found.mosaic[:, 4:], 2)
    assert found.limits == (-3, 2)


def test_a_change_is_shown_on_a_scale_round_zero():
    start = rng.normal(size=(1, 6))
    found = landmark_pictures(start + np.arange(6), start, (2, 3), change=True)
    np.testing.assert_allclose(found.mosaic, [[0, 1, 2], [3, 4, 5]], atol=1e-6)
    assert found.limits[0] == -found.limits[1] < -4.5


def test_pictures_of_another_size_are_refused():
    with pytest.raises(OptionError, match="height times width"):
        landmark_pictures(np.zeros((2, 6)), np.zeros((2, 6)), (2, 2))


F = np.float32
VIEW = Landmarks(
    F([1, 2]), F([3, 4]), F([0, 2]), F([3, 5]), np.array([1]), 9, 0.5,
    Points(F([7, 8, 9]), F([1, 1, 2]), np.array([0, 1, 0]), 3), None, ("no", "yes"), ("a", "b"), "",
)  # fmt: skip


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def test_landmarks_on_classes():
    figure = plot_landmarks(VIEW)
    drawn = by_name(figure)
    assert list(drawn) == ["no", "yes", "from its start", "landmarks"]
    assert list(drawn["no"].x) == [7, 9]
    assert list(drawn["landmarks"].x) == [1, 2]
    np.testing.assert_array_equal(drawn["from its start"].x, [2, 2, np.nan])
    np.testing.assert_array_equal(drawn["from its start"].y, [5, 4, np.nan])
    assert "2 of 9 landmarks, lines for 1 of them" in figure.layout.title.subtitle.text
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("a", "b")


def test_landmarks_on_targets_take_their_colours():
    drawn = by_name(plot_landmarks(VIEW._replace(classes=(), target="q")))
    assert list(drawn["data"].marker.color) == [0, 1, 0]


def test_landmarks_on_a_curve_are_ticks():
    drawn = by_name(plot_landmarks(VIEW._replace(classes=(), curve=(F([0, 5]), F([2, 6])))))
    assert list(drawn["prediction"].y) == [2, 6]
    assert drawn["landmarks"].marker.symbol == "line-ns-open"
    assert isinstance(drawn["data"].marker.color, str)


@pytest.mark.parametrize("change", [False, True])
def test_landmarks_as_pictures(change):
    found = landmark_pictures(np.arange(12.0).reshape(2, 6), np.zeros((2, 6)), (2, 3), change=change)
    figure = plot_landmark_pictures(found)
    np.testing.assert_array_equal(figure.data[0].z, found.mosaic)
    assert (figure.data[0].zmin, figure.data[0].zmax) == found.limits
    assert "2 of 2" in figure.layout.title.subtitle.text

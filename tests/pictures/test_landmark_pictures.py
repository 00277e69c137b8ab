"""The pictures of landmarks and of DI's identity hold exactly the numbers they were given."""

import numpy as np
import pytest

from kernlab.pictures.curves import Curves, curves
from kernlab.pictures.function_view import Points
from kernlab.pictures.identity import Identity, identity, plot_identity
from kernlab.pictures.landmarks import Landmarks, landmark_pictures, plot_landmark_pictures, plot_landmarks

F = np.float32
VIEW = Landmarks(
    x=F([1, 2]),
    y=F([3, 4]),
    start_x=F([0, 2]),
    start_y=F([3, 5]),
    lined=np.array([1]),
    total=9,
    moved=0.5,
    points=Points(F([7, 8, 9]), F([1, 1, 2]), np.array([0, 1, 0]), 3),
    curve=None,
    classes=("no", "yes"),
    axes=("a", "b"),
    target="",
)


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


def test_the_measured_error_lies_as_rings_on_the_predicted_band():
    steps = np.arange(3)
    named = {"target_norm": [4, 4, 4], "discriminant_information": [1, 2, 3], "predicted_error": [3, 2, 1]}
    history = {f"bound/{k}": (steps, steps, np.array(v, float)) for k, v in named.items()}
    figure = plot_identity(identity(history | {"bound/ridge_error": history["bound/predicted_error"]}))
    drawn = by_name(figure)
    band, rings = drawn["‖Ȳ‖² − DI"], drawn["ridge error, measured"]
    np.testing.assert_array_equal(band.y, rings.y)
    assert band.line.width > rings.marker.size
    assert (rings.mode, rings.marker.symbol) == ("markers", "circle-open")
    assert list(drawn)[-1] == "ridge error, measured"  # on top
    assert "at most 0.0e+00" in figure.layout.title.subtitle.text
    assert plot_identity(identity(history), log_y=True).layout.yaxis.type == "log"


def test_an_identity_of_one_moment_is_points():
    lone = curves({"predicted_error": ([1], [1], [2.0])}, ["predicted_error"])
    assert plot_identity(Identity(lone, None)).data[0].mode == "markers"
    assert plot_identity(Identity(Curves("epoch", ()), None)).data == ()

"""The identity of discriminant information: both sides at the same steps, and their picture."""

import numpy as np
import pytest

from kernlab.pictures.curves import curves
from kernlab.pictures.identity import Identity, identity, plot_identity


def history(**metrics):
    return {f"bound/{k}": (np.arange(len(v)) * 10, np.arange(len(v)), np.array(v, float)) for k, v in metrics.items()}


def test_the_difference_is_measured_in_units_of_the_targets():
    terms = {"discriminant_information": [1, 3], "target_norm": [4, 4], "predicted_error": [3, 1]}
    found = identity(history(**terms, ridge_error=[3, 1.2], gap=[0, 0]))
    names = ["target_norm", "discriminant_information", "predicted_error", "ridge_error"]
    assert [curve.name for curve in found.curves] == names
    assert found.curves[3].y == pytest.approx([3, 1.2])
    assert found.apart == pytest.approx(0.05)


def test_only_values_of_the_same_step_are_compared():
    both = history(predicted_error=[3, 1, 5])
    both["bound/ridge_error"] = ([0, 10, 15, 20], [0, 1, 1.5, 2], [3.3, np.nan, 99, 5])
    assert identity(both).apart == pytest.approx(0.06)  # over the largest predicted value
    for step, value in ((5, 3.0), (0, np.nan)):
        both["bound/ridge_error"] = ([step], [step / 10], [value])
        assert identity(both).apart is None


def test_what_is_not_known_is_not_drawn():
    assert identity({}).curves == ()
    assert identity(history(discriminant_information=[1.0])).apart is None
    assert identity(history(predicted_error=[0.0], ridge_error=[0.0])).apart == 0


def test_the_measured_error_lies_as_rings_on_the_predicted_band():
    named = history(target_norm=[4, 4, 4], discriminant_information=[1, 2, 3], predicted_error=[3, 2, 1])
    figure = plot_identity(identity(named | {"bound/ridge_error": named["bound/predicted_error"]}))
    drawn = {trace.name: trace for trace in figure.data}
    band, rings = drawn["‖Ȳ‖² − DI"], drawn["ridge error, measured"]
    np.testing.assert_array_equal(band.y, rings.y)
    assert band.line.width > rings.marker.size
    assert (rings.mode, rings.marker.symbol) == ("markers", "circle-open")
    assert list(drawn)[-1] == "ridge error, measured"  # on top
    assert "at most 0.0e+00" in figure.layout.title.subtitle.text
    assert plot_identity(identity(named), log_y=True).layout.yaxis.type == "log"


def test_an_identity_of_one_moment_is_points():
    lone = curves({"predicted_error": ([1], [1], [2.0])}, ["predicted_error"]).curves
    assert plot_identity(Identity(lone, None)).data[0].mode == "markers"
    assert plot_identity(Identity((), None)).data == ()

import numpy as np
import pytest

from kernlab.pictures.identity import identity


def history(**metrics):
    return {f"bound/{k}": (np.arange(len(v)) * 10, np.arange(len(v)), np.array(v, float)) for k, v in metrics.items()}


def test_the_difference_is_measured_in_units_of_the_targets():
    found = identity(
        history(
            discriminant_information=[1, 3],
            target_norm=[4, 4],
            predicted_error=[3, 1],
            ridge_error=[3, 1.2],
            gap=[0, 0],
        )
    )
    assert [curve.name for curve in found.curves.curves] == [
        "target_norm",
        "discriminant_information",
        "predicted_error",
        "ridge_error",
    ]
    assert found.curves.curves[3].y == pytest.approx([3, 1.2])
    assert found.apart == pytest.approx(0.05)


def test_only_values_of_the_same_step_are_compared():
    both = history(predicted_error=[3, 1, 5])
    both["bound/ridge_error"] = ([0, 10, 15, 20], [0, 1, 1.5, 2], [3.3, np.nan, 99, 5])
    assert identity(both).apart == pytest.approx(0.06)  # over the largest predicted value
    for step, value in ((5, 3.0), (0, np.nan)):
        both["bound/ridge_error"] = ([step], [step / 10], [value])
        assert identity(both).apart is None


def test_what_is_not_known_is_not_drawn():
    assert identity({}).curves.curves == ()
    assert identity(history(discriminant_information=[1.0])).apart is None
    assert identity(history(predicted_error=[0.0], ridge_error=[0.0])).apart == 0

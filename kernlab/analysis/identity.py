"""The identity of discriminant information, over training.

    min over W, b of ‖ΦW + 1bᵀ − Y‖² + ρ‖W‖²  =  ‖Ȳ‖² − DI

What the left-hand side comes to is measured by fitting the ridge regression; the right-hand side is the
criterion that the map was trained by. The two are one number computed in two ways. Source: DI eq. 6–10.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from kernlab.analysis.curves import Curves, History, curves

__all__ = ["Identity", "identity"]

#: Metric of each curve, by its name, in legend order.
_METRICS = ("target_norm", "discriminant_information", "predicted_error", "ridge_error")
_PREDICTED, _MEASURED = "bound/predicted_error", "bound/ridge_error"


class Identity(NamedTuple):
    """Both sides of the identity.

    Attributes:
        curves: target_norm ‖Ȳ‖², discriminant_information, predicted_error ‖Ȳ‖² − DI and ridge_error (measured),
            as far as known.
        apart: largest |measured − predicted| over ‖Ȳ‖² (over the largest of the predicted, where that is not
            known); None where the two were never known at the same step.
    """

    curves: Curves
    apart: float | None


def identity(history: History, *, axis: Literal["step", "epoch"] = "epoch", method: str = "") -> Identity:
    """Both sides of the identity over training.

    Args:
        history: metric name to (steps, epochs, values) with the entries ``bound/discriminant_information``,
            ``bound/target_norm``, ``bound/predicted_error`` and ``bound/ridge_error``.
        axis, method: as in :func:`kernlab.analysis.curves.curves`.
    """
    terms = {name: history[f"bound/{name}"] for name in _METRICS if f"bound/{name}" in history}
    return Identity(curves(terms, _METRICS, axis=axis, method=method), _apart(history))


def _apart(history: History) -> float | None:
    if not {_PREDICTED, _MEASURED} <= history.keys():
        return None
    predicted, measured = (_by_step(history, name) for name in (_PREDICTED, _MEASURED))
    both = predicted.keys() & measured.keys()
    if not both:
        return None
    whole = _by_step(history, "bound/target_norm") if "bound/target_norm" in history else {}
    size = max((abs(value) for value in (whole or predicted).values()), default=0.0)
    largest = max(abs(measured[step] - predicted[step]) for step in both)
    return largest / size if size else largest


def _by_step(history: History, name: str) -> dict[int, float]:
    """Finite values by their step."""
    steps, _, values = history[name]
    pairs = zip(np.asarray(steps).tolist(), np.asarray(values, np.float64).tolist(), strict=True)
    return {int(step): value for step, value in pairs if np.isfinite(value)}

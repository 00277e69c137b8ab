"""What a run reached, head by head: training and test metric beside the constant predictor's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Result", "Results", "results"]


class Result(NamedTuple):
    """One head's training and test metric; None where it was not measured."""

    head: str
    train: float | None
    test: float | None


class Results(NamedTuple):
    """Every head of one method.

    Attributes:
        heads: the results, the model's own head first.
        constant: the constant predictor's test metric, None where it is unknown.
        percent: the metric is an accuracy in percent; else an error.
    """

    heads: tuple[Result, ...]
    constant: float | None
    percent: bool


def results(
    values: Mapping[str, float],
    names: Mapping[str, str],
    *,
    heads: Mapping[str, Mapping[str, Any]] | None = None,
    constant: float | None = None,
    percent: bool = True,
) -> Results:
    """Results of one moment.

    Args:
        values: ``train_metric`` and ``test_metric`` of the model's own head.
        names: head to its title, the model's own first.
        heads: head to its ``train_metric`` and ``test_metric``, where all were measured (at a run's end).
        constant, percent: as in :class:`Results`.
    """
    first = next(iter(names))
    measured = heads or {first: values}
    found = tuple(
        Result(title, measured[head].get("train_metric"), measured[head].get("test_metric"))
        for head, title in names.items()
        if head in measured
    )
    return Results(found, constant, percent)

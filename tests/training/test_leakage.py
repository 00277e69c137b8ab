"""The test part has no say: with its labels permuted the run is the same to the last bit, but for what is measured on
it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from small import classes, prepared_arrays, targets

from kernlab.spec import RunSpec
from kernlab.training.events import Checkpoint, Evaluated, Finished, Kept, Snapshot, Step
from kernlab.training.trainer import train

CASES = [
    ("ASKL", classes, {"epochs": 6, "n_features": 20}),
    ("ASKL", targets, {"epochs": 6, "n_features": 20}),
    ("RFDI", classes, {"epochs": 4, "n_features": 8, "batch_size": 30}),
    ("NysDI", classes, {"epochs": 4, "n_features": 8, "batch_size": 30}),
    ("LKRF", classes, {"n_features": 100, "validation": 0.25}),
    ("FKS-Fourier", partial(prepared_arrays, "regression", scaling="[-1,1]"), {"order": 3}),
]


def run(method, data, options):
    spec = RunSpec.of(method, "moons", **{"validation": 0.25, **options})
    return list(train(spec, data=data))


def plain(arrays):
    return {name: np.asarray(value).tobytes() for name, value in arrays.items()}


def parts(event):
    """What an event states, but for the test part and the clock."""
    place = type(event).__name__, getattr(event, "step", 0)
    if isinstance(event, Step | Evaluated):
        about_test = ("test_", "bound/")  # the gap of a bound is measured on the test part
        return *place, {name: value for name, value in event.metrics.items() if not name.startswith(about_test)}
    if isinstance(event, Snapshot | Checkpoint):
        return *place, plain(event.arrays)
    if isinstance(event, Finished):
        return *place, plain(event.model), event.summary.get("kept")
    return *place, dict(event.facts) if isinstance(event, Kept) else None


@pytest.mark.parametrize(("method", "make", "options"), CASES)
def test_labels_of_the_test_part_change_nothing_but_the_test_metrics(method, make, options):
    data = make(n=160)
    y = np.random.default_rng(0).permutation(data.y_test)
    one, other = run(method, data, options), run(method, replace(data, y_test=y), options)
    kinds = [event for events in (one, other) for event in events if not isinstance(event, Checkpoint)]
    half = len(kinds) // 2
    assert [parts(event) for event in kinds[:half]] == [parts(event) for event in kinds[half:]]
    assert one[-1].summary["test_metric"] != other[-1].summary["test_metric"]

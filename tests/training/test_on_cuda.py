"""A GPU changes where a method is trained, not what it becomes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from small import classes, events, of, targets
from test_compositions import SMALL

from kernlab.data import DataSpec, prepare
from kernlab.errors import CompositionError
from kernlab.estimators import KernelClassifier, StationaryFeatures
from kernlab.methods import METHODS
from kernlab.model import Model
from kernlab.spec import RunSpec
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Finished
from kernlab.training.trainer import train

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")

CLASSES = prepare(classes().dataset, DataSpec.build(scaling="[-1,1]"), 0)  # as frames need them


def small(name: str, device: str, **options) -> RunSpec:
    known = METHODS[name].schema()
    chosen = {key: value for key, value in {**SMALL, "n_features": 20, **options}.items() if key in known}
    return RunSpec.of(name, "moons", device=device, **chosen)


@pytest.mark.parametrize("data", [CLASSES, targets(K=1, scaling="[-1,1]")], ids=["classes", "targets"])
@pytest.mark.parametrize("name", METHODS)
def test_a_method_predicts_as_if_it_had_been_trained_on_the_cpu(name, data):
    try:
        METHODS[name].check(data.dataset.task)
    except CompositionError:
        pytest.skip("a method for the other task")
    outputs = []
    for device in ("cpu", "cuda"):
        (last,) = of(Finished, events(small(name, device), data))
        outputs.append(Model.from_arrays(last.model, last.meta).decision_function(data.dataset.X))
    here, there = outputs
    # What rounding decides, a tie or the sign of a gradient of 0, differs; no output may depend on it.
    assert np.linalg.norm(there - here) < 0.02 * np.linalg.norm(here)


@pytest.mark.parametrize("name", ["ASKL", "RFDI", "FKS-Fourier", "MKL"])
def test_a_run_stopped_on_cuda_goes_on_bit_for_bit(name):
    spec, data = small(name, "cuda", epochs=6, max_turns=6, max_steps=6), CLASSES
    control, checkpoint = Control(), None
    (whole,) = of(Finished, events(spec, data))
    for event in train(spec, control=control, data=data):
        if isinstance(event, Checkpoint):
            checkpoint = event
            control.cancel()
    assert isinstance(event, Cancelled | Finished)
    (resumed,) = of(Finished, events(spec, data, resume=checkpoint))
    assert all(np.array_equal(resumed.model[key], whole.model[key]) for key in whole.model)


def test_what_is_learned_on_cuda_is_kept_on_the_cpu():
    """Its file, and a machine without a GPU, predict the same to the last bit."""
    X, y = classes().dataset.X, classes().dataset.y
    fitted = KernelClassifier("ASKL", device="cuda", n_features=20, random_state=0).fit(X, y)
    assert {value.device.type for value in fitted.model_.params.values()} == {"cpu"}
    drawn = StationaryFeatures(n_features=20, device="cuda", random_state=0).fit(X)
    assert {value.device.type for value in drawn.params_.values()} == {"cpu"}
    assert np.array_equal(
        drawn.transform(X), StationaryFeatures(n_features=20, device="cpu", random_state=0).fit(X).transform(X)
    )

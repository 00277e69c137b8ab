"""What cannot be trained is refused before anything starts; what diverges ends as failed and keeps what it had."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from small import classes, events, of, spec, targets

from kernlab import devices
from kernlab.errors import CompositionError, DataError, DeviceError, TrainingError, UnknownNameError
from kernlab.spec import RunSpec
from kernlab.training.events import Evaluated, Failed, Snapshot, Started, Step
from kernlab.training.trainer import fit, train

WILD = {"optimizer": "sgd", "learning_rate": 100.0, "schedule": "constant", "objective": "squared"}


@pytest.mark.parametrize("K", [1, 2, 3])
@pytest.mark.parametrize("epochs", [20, 2000])
@pytest.mark.parametrize("method", ["NSKL", "ASKL"])
def test_a_divergence_ends_as_failed_with_advice_and_keeps_what_it_had(method, epochs, K):
    """Short and long runs, one and several outputs: numbers are summed up, and W is factored, at other moments."""
    happened = events(spec(method, epochs=epochs, **WILD), targets(K=K))
    last = happened[-1]
    assert isinstance(last, Failed)
    assert "the objective must stay finite" in last.message
    assert "Set a learning_rate below 100" in last.message
    assert isinstance(happened[0], Started)
    assert of(Snapshot, happened)
    kept = of(Step, happened) + of(Evaluated, happened)
    assert len(of(Step, happened)) >= 5
    assert np.isfinite([event.metrics.get("objective", 0.0) for event in kept]).all()
    assert last.step >= max(event.step for event in kept)


def test_fit_raises_the_message_of_the_run():
    with pytest.raises(TrainingError, match="Set a learning_rate below 100"):
        fit(spec("NSKL", epochs=2000, **WILD), data=targets())


def test_no_memory_ends_as_failed_with_advice(monkeypatch):
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("kernlab.solvers.proximal_gradient.proximal_step", full)
    last = events(spec(), classes())[-1]
    assert isinstance(last, Failed)
    assert "Set a smaller n_features or batch_size" in last.message


@pytest.mark.parametrize("batch", [49, 1_000_000])
def test_fewer_rows_than_a_batch(batch):
    with pytest.raises(DataError, match=f"48 rows for batches of {batch}.*Set batch_size=24 or less"):
        next(train(spec(batch_size=batch), data=classes()))


@pytest.mark.parametrize("objective", ["discriminant", "ridge_loss"])
def test_a_batch_with_fewer_rows_than_features_is_refused_before_the_start(objective):
    few = spec("SKL", objective=objective, frobenius=0, head="ridge", n_features=24, batch_size=24)
    with pytest.raises(DataError, match=r"24 rows and 24 features.*[Ss]et batch_size to 48"):
        next(train(few, data=classes()))


def test_as_many_rows_as_a_batch_are_enough():
    assert events(spec(batch_size=48), classes())[-1].summary["steps"] == 4


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
@pytest.mark.parametrize("device", ["cuda", "cuda:0"])
def test_cuda_where_there_is_none(device):
    run = RunSpec.from_dict({**spec().to_dict(), "device": device})
    with pytest.raises(DeviceError, match=r"must be one that this machine has.*choose one of: auto, cpu|Choose one of"):
        next(train(run, data=classes()))


@pytest.mark.parametrize("device", ["gpu", "cuda:99", "", "CPU"])
def test_a_device_that_no_machine_has(device):
    with pytest.raises(DeviceError, match="auto, cpu"):
        devices.resolve(device)


def test_the_automatic_device_is_available():
    assert devices.resolve("cpu") == torch.device("cpu")
    kind = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    assert devices.resolve("auto").type == kind
    assert devices.describe(torch.device("cpu")).startswith("CPU: ")
    assert devices.threads_for(1e3) == 1
    assert devices.threads_for(1e12) == max(1, devices.cores() // 2)


def test_a_loss_for_classes_cannot_serve_targets():
    with pytest.raises(CompositionError, match="hinge objective is for classification"):
        next(train(spec(objective="hinge"), data=targets()))


def test_a_penalty_that_cannot_act_is_refused():
    with pytest.raises(CompositionError, match="feature_norm with learned=false"):
        next(train(spec(learned=False), data=classes()))


def test_orthogonal_frequencies_of_a_density_with_preferred_directions_are_refused():
    with pytest.raises(CompositionError, match="same in every direction"):
        next(train(spec(density="laplacian", sampling="orthogonal"), data=classes()))


def test_an_unknown_data_set_offers_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean iris"):
        next(train(RunSpec.of("ASKL", "irsi")))

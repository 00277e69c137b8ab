"""A resumed run equals the uninterrupted one, bit for bit: weights, and every number from there on."""

from __future__ import annotations

import numpy as np
import pytest
from small import checkpoints, classes, events, of, same, same_event, spec, targets, through_bytes

from kernlab.errors import KernlabError
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Evaluated, Finished, Started, Step
from kernlab.training.trainer import train

OPTIMIZERS = ["adam", "sgd", "adadelta"]
SCHEDULES = ["cosine", "step", "constant"]


def after(step: int, happened):
    """Events after ``step``; checkpoints come by the clock and are no part of it."""
    return [e for e in happened if not isinstance(e, Started | Checkpoint) and e.step > step]


def assert_goes_on(run, data, checkpoint, whole=None) -> None:
    whole = whole or events(run, data)
    rest = events(run, data, resume=through_bytes(checkpoint))
    assert rest[0].facts["start_step"] == checkpoint.step
    expected, got = after(checkpoint.step, whole), after(checkpoint.step, rest)
    assert len(got) == len(expected) > 0
    assert all(map(same_event, got, expected))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_and_schedule_goes_on_where_it_was(optimizer, schedule):
    run, data = spec(optimizer=optimizer, schedule=schedule), classes()
    saved, whole = checkpoints(run, data), events(run, data)
    assert [c.step for c in saved] == list(range(12))
    for checkpoint in (saved[1], saved[5], saved[11]):
        assert_goes_on(run, data, checkpoint, whole)


@pytest.mark.parametrize("method", ["SK", "NSK", "SKL", "NSKL", "ASKL"])
def test_every_method_goes_on_from_any_step(method):
    run, data = spec(method, epochs=2), classes()
    whole = events(run, data)
    for checkpoint in checkpoints(run, data):
        assert_goes_on(run, data, checkpoint, whole)


@pytest.mark.parametrize(
    "options", [{"phase": "shared"}, {"phase": "independent"}, {"momentum": 0.0, "optimizer": "sgd"}]
)
def test_other_forms_go_on_too(options):
    run, data = spec(**options), targets()
    assert_goes_on(run, data, checkpoints(run, data)[4])


class AtStep(Control):
    """Asks for a checkpoint before a step that no event comes from."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self.looks, self.wanted = 0, step

    def take_checkpoint(self) -> bool:  # the trainer looks once before each step
        self.looks += 1
        return self.looks == self.wanted + 1


def test_the_means_of_a_half_filled_window_travel_with_the_checkpoint():
    """Over 1002 steps a point of the curve is the mean of two; after 952 steps one is waiting for its second."""
    run, data = spec("SK", epochs=334, n_features=4), classes()
    whole = list(train(run, data=data, control=AtStep(952)))
    saved = next(event for event in whole if isinstance(event, Checkpoint) and event.step == 952)
    assert saved.state["summed"] == 1
    assert_goes_on(run, data, saved, whole)


def test_a_stopped_run_goes_on():
    run, data = spec(), classes()
    control, stopped = Control(), []
    for event in train(run, data=data, control=control):
        stopped.append(event)
        if isinstance(event, Step) and event.step == 7:
            control.cancel()
    assert isinstance(stopped[-1], Cancelled)
    assert isinstance(stopped[-2], Checkpoint)
    assert stopped[-2].step == stopped[-1].step == 7
    whole, rest = events(run, data), events(run, data, resume=through_bytes(stopped[-2]))
    assert same_event(rest[-1], whole[-1])
    # Together the two parts have the events of the whole run.
    both = [e for e in stopped[:-2] + rest if isinstance(e, Step | Evaluated)]
    assert len(both) == len(of(Step, whole)) + len(of(Evaluated, whole))
    assert all(map(same_event, both, [e for e in whole if isinstance(e, Step | Evaluated)]))


def test_a_run_can_be_stopped_and_resumed_again_and_again():
    run, data = spec(), classes()
    checkpoint = None
    for _ in range(20):
        control = Control()
        happened = []
        for event in train(run, data=data, control=control, resume=checkpoint):
            happened.append(event)
            if isinstance(event, Step):
                control.cancel()
        if isinstance(happened[-1], Finished):
            break
        checkpoint = through_bytes(of(Checkpoint, happened)[-1])
    assert isinstance(happened[-1], Finished)
    assert same_event(happened[-1], events(run, data)[-1])


@pytest.mark.parametrize("other", [{"n_features": 8}, {"phase": "shared"}, {"feature_map": "stationary"}])
def test_a_checkpoint_of_another_method_is_refused(other):
    data = classes()
    saved = checkpoints(spec(), data)[3]
    with pytest.raises(KernlabError, match="must belong to the same method and data"):
        next(train(spec(**other), data=data, resume=saved))


def test_a_checkpoint_holds_the_optimizer_for_every_learned_tensor():
    saved = checkpoints(spec(), classes())[4]
    assert {name for name in saved.arrays if name.startswith("optimizer/")} == {
        f"optimizer/{name}/{key}" for name in ("weight", "omega") for key in ("step", "exp_avg", "exp_avg_sq")
    }
    assert all(isinstance(value, np.ndarray) for value in saved.arrays.values())
    assert same(through_bytes(saved).arrays, saved.arrays)

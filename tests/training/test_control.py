"""Pause, step, stop and checkpoint, asked from another thread as the page asks them."""

from __future__ import annotations

import queue
import threading

import pytest
from small import FINAL, classes, events, of, same, same_event, spec
from waiting import PATIENCE, until

from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Evaluated, Finished, Snapshot, Step
from kernlab.training.trainer import train


class Awaited(Control):
    """A control that knows whether the training waits for a request."""

    waits = False

    def wait(self) -> None:
        self.waits = True
        super().wait()
        self.waits = False

    @property
    def idle(self) -> bool:
        """The training waits, and nothing is asked for: no event comes before the next request."""
        return self.waits and self.paused and not self.noted


class Watched:
    """A training in its own thread, and its events so far."""

    def __init__(self, run, *, paused: bool = False) -> None:
        self.control, self.events, self.new = Awaited(paused=paused), [], queue.Queue()
        self.thread = threading.Thread(target=self._work, args=(run,), daemon=True)
        self.thread.start()

    def _work(self, run) -> None:
        for event in train(run, data=classes(), control=self.control):
            self.new.put(event)

    def until(self, kind, step: int = 0):
        """The next event of that kind from that step on."""
        while True:
            event = self.new.get(timeout=PATIENCE)
            self.events.append(event)
            if isinstance(event, kind) and getattr(event, "step", 0) >= step:
                return event

    def rest(self) -> None:
        """Take the events up to where the training waits for the next request."""
        until(lambda: self.control.idle)
        while not self.new.empty():
            self.events.append(self.new.get())

    def still(self) -> bool:
        """The training waits for the next request, and there is no event that was not taken."""
        until(lambda: self.control.idle)
        return self.new.empty()

    def end(self):
        event = self.until(FINAL)
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        assert self.new.empty()
        return event


def test_a_paused_run_waits_for_its_first_step():
    run = Watched(spec(), paused=True)
    run.rest()
    assert len(of(Snapshot, run.events)) == 1
    assert of(Step, run.events) == []
    run.control.resume()
    assert isinstance(run.end(), Finished)


def test_one_mini_batch_is_one_step_measured_and_shown():
    run = Watched(spec(), paused=True)
    for step in range(1, 5):
        run.control.step("batch")
        assert run.until(Step).step == step
        assert run.until(Evaluated).step == step
        assert run.until(Snapshot).step == step
        assert run.still()
        assert run.control.paused
    run.control.cancel()
    assert run.end() == Cancelled(4)


def test_an_epoch_goes_on_to_its_end_from_wherever_it_is():
    run = Watched(spec(), paused=True)
    run.control.step("batch")
    run.until(Snapshot, step=1)
    for end in (3, 6):
        run.control.step("epoch")
        assert run.until(Snapshot, step=end).step == end
        assert run.still()
    run.control.cancel()
    assert run.end() == Cancelled(6)
    assert [event.step for event in of(Step, run.events)] == [1, 2, 3, 4, 5, 6]


def test_a_mini_batch_that_ends_an_epoch_uses_up_the_step():
    run = Watched(spec(), paused=True)
    for step in (1, 2, 3):
        run.control.step("batch")
        run.until(Snapshot, step=step)
    assert run.still()
    run.control.step("batch")
    assert run.until(Snapshot, step=4).step == 4
    run.control.cancel()
    run.end()


def test_a_running_training_can_be_paused_and_resumed():
    run = Watched(spec(epochs=20_000))
    run.until(Step, step=8)
    run.control.pause()
    run.rest()
    paused_at = of(Step, run.events)[-1].step
    run.control.resume()
    assert run.until(Step, step=paused_at + 1)
    run.control.cancel()
    assert run.end().step > paused_at


def test_a_stopped_run_leaves_a_checkpoint_just_before_its_last_word():
    run = Watched(spec(epochs=20_000))
    run.until(Step, step=8)
    run.control.cancel()
    last = run.end()
    assert isinstance(last, Cancelled)
    assert isinstance(run.events[-2], Checkpoint)
    assert run.events[-2].step == last.step


def test_a_paused_run_can_be_stopped():
    run = Watched(spec(), paused=True)
    run.until(Snapshot)
    run.control.cancel()
    assert run.end() == Cancelled(0)


def test_a_checkpoint_can_be_requested_while_paused_and_the_run_stays_paused():
    run = Watched(spec(), paused=True)
    run.control.step("batch")
    run.until(Snapshot, step=1)
    run.control.request_checkpoint()
    assert run.until(Checkpoint, step=1).step == 1
    assert run.still()
    assert run.control.paused
    run.control.resume()
    assert isinstance(run.end(), Finished)


def test_a_checkpoint_can_be_requested_while_running():
    run = Watched(spec(epochs=20_000))
    run.until(Step, step=8)
    run.control.request_checkpoint()
    assert run.until(Checkpoint, step=1).step >= 8
    run.control.cancel()
    run.end()


def test_stepping_through_a_run_changes_no_number_of_it():
    """Paused, stepped by batch and by epoch, evaluated more often: the model and shared evaluations are the same."""
    whole = events(spec(), classes())
    run = Watched(spec(), paused=True)
    for step, unit in ((1, "batch"), (2, "batch"), (3, "epoch"), (4, "batch"), (6, "epoch")):
        run.control.step(unit)
        run.until(Snapshot, step=step)
    run.control.resume()
    assert same_event(run.end(), whole[-1])
    stepped = {event.step: event for event in of(Evaluated, run.events)}
    assert all(same_event(stepped[event.step], event) for event in of(Evaluated, whole))
    assert [e.metrics for e in of(Step, run.events)] == [e.metrics for e in of(Step, whole)]


def test_two_trainings_side_by_side_do_not_mix():
    alone = [events(spec(seed=seed), classes())[-1] for seed in (1, 2)]
    runs = [Watched(spec(seed=seed)) for seed in (1, 2)]
    for run, expected in zip(runs, alone, strict=True):
        assert same(run.end().model, expected.model)


@pytest.mark.parametrize("unit", ["batch", "epoch"])
def test_pause_takes_back_a_step_that_was_granted(unit):
    control = Control(paused=True)
    control.step(unit)
    assert not control.paused
    control.pause()
    assert control.paused
    assert not control.spent(unit)


def test_a_grant_is_used_up_once_and_only_by_its_own_unit():
    control = Control(paused=True)
    control.step("batch")
    assert not control.spent("epoch")
    assert control.spent("batch")
    assert not control.spent("batch")
    assert control.paused


def test_a_request_for_a_checkpoint_is_served_once():
    control = Control()
    assert not control.take_checkpoint()
    control.request_checkpoint()
    control.request_checkpoint()
    assert control.take_checkpoint()
    assert not control.take_checkpoint()


def test_waiting_ends_at_any_request_and_only_then():
    for ask in (Control.resume, Control.step, Control.cancel, Control.request_checkpoint):
        control = Control(paused=True)
        waiter = threading.Thread(target=control.wait, daemon=True)
        waiter.start()
        control.pause()
        waiter.join(0.05)
        assert waiter.is_alive()
        ask(control)
        waiter.join(PATIENCE)
        assert not waiter.is_alive()

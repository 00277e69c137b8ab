"""Options that change while a run trains: against a plain loop, live and repeated, paused, resumed, and refused."""

from __future__ import annotations

import json
import math
import threading

import numpy as np
import pytest
from small import checkpoints, classes, events, of, same, same_event, spec, through_bytes
from test_one_step import Adam, outer_gradient

from kernlab.errors import KernlabError
from kernlab.methods.changes import Change
from kernlab.spec import RunSpec
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Changed, Checkpoint, Kept, Started, Step
from kernlab.training.trainer import train

CHANGES = [(3, "trace_norm", 0.3), (5, "feature_norm", 0.7), (6, "learning_rate", 0.01), (9, "trace_norm", 0.0)]


def plain_loop(start, X, y, steps: int):
    """ASKL in NumPy on whole batches; λ₁, λ₂ and η are lists with one entry a step. W after each step."""
    W, omega = start["param/weight"].astype(float), start["param/omega"].astype(float)
    trace = [0.1] * 3 + [0.3] * 6 + [0.0] * (steps - 9)
    feature = [0.2] * 5 + [0.7] * (steps - 5)
    eta = [0.05] * 6 + [0.01] * (steps - 6)
    scale, (rule_W, rule_omega) = math.sqrt(2 / 16) / 2, (Adam(), Adam())
    for t in range(steps):
        z = np.einsum("nd,dpk->npk", X, omega)
        Phi = scale * np.concatenate([np.cos(z), np.sin(z)], axis=2).sum(axis=1)
        G = outer_gradient("hinge", Phi @ W, y)
        on_Phi = G @ W.T + feature[t] * 2 * Phi / len(X)
        on_z = scale * (np.cos(z) * on_Phi[:, None, z.shape[2] :] - np.sin(z) * on_Phi[:, None, : z.shape[2]])
        rate = eta[t] * 0.5 * (1 + math.cos(math.pi * t / steps))
        W, omega = W - rule_W(Phi.T @ G, rate), omega - rule_omega(np.einsum("nd,npk->dpk", X, on_z), rate)
        U, s, Vt = np.linalg.svd(W, full_matrices=False)
        W = U @ np.diag(np.maximum(s - rate * trace[t], 0)) @ Vt
        yield W


def test_changed_options_give_the_numbers_of_a_plain_loop():
    data, steps = classes(), 12
    whole = {"batch_size": 48, "epochs": steps, "learning_rate": 0.05, "frequency_scale": 0.5, "validation": 0}
    run = spec(trace_norm=0.1, feature_norm=0.2, **whole, changes=CHANGES)
    states, final = checkpoints(run, data), events(run, data)[-1]
    X, y = data.X_train.astype(float), data.y_train
    expected = [*plain_loop(states[0].arrays, X, y, steps)]
    got = [*(state.arrays["param/weight"] for state in states[1:]), final.model["param/weight"]]
    assert all(np.allclose(a, b, atol=2e-5) for a, b in zip(got, expected, strict=True))
    unchanged = events(spec(trace_norm=0.1, feature_norm=0.2, **whole), data)[-1]
    assert not np.allclose(unchanged.model["param/weight"], expected[-1], atol=1e-3)


def test_a_change_is_an_event_before_the_step_in_which_it_counts_and_no_mean_is_over_two_values():
    happened = events(spec(changes=[(5, "trace_norm", 0.3), (5, "learning_rate", 0.02)]), classes())
    (change,) = of(Changed, happened)
    assert (change.step, change.epoch) == (5, 5 / 3)
    assert change.values == {"trace_norm": 0.3, "learning_rate": 0.02}
    assert change.changes == [[5, "trace_norm", 0.3], [5, "learning_rate", 0.02]]
    before, after = happened[: happened.index(change)], happened[happened.index(change) :]
    assert max(event.step for event in before[1:]) == 5
    assert min(event.step for event in of(Step, after)) > 5
    for event in of(Step, happened):
        weight = 0.3 if event.step > 5 else 0.01
        parts = event.metrics["loss"] + 0.01 * event.metrics["feature_norm"] + weight * event.metrics["trace_norm"]
        assert event.metrics["objective"] == pytest.approx(parts, rel=1e-6)


class At(Control):
    """Asks for other values when the trainer stands before a step."""

    def __init__(self, *asked: tuple[int, str, float]) -> None:
        super().__init__()
        self.looks, self.asked = -1, asked

    def take_values(self):  # the trainer looks once before each step
        self.looks += 1
        for step, option, value in self.asked:
            if step == self.looks:
                self.change({option: value})
        return super().take_values()


@pytest.mark.parametrize("options", [{}, {"optimizer": "sgd", "schedule": "step"}, {"schedule": "plateau"}])
def test_what_is_changed_live_is_repeated_to_the_same_bits_by_spec_python_and_command(options):
    data, asked = classes(), [(2, "learning_rate", 0.02), (7, "trace_norm", 0.3), (7, "feature_norm", 0.0)]
    run = spec(validation=0, **options)
    live = [*train(run, data=data, control=At(*asked))]
    again = RunSpec.from_dict({**run.to_dict(), "changes": of(Changed, live)[-1].changes})
    assert again == spec(validation=0, **options, changes=asked)
    repeated = events(again, data)
    assert same_event(repeated[-1], live[-1])
    assert same(live[-1].summary["spec"], again.to_dict() | {"method": live[-1].summary["spec"]["method"]})
    assert not np.array_equal(repeated[-1].model["param/weight"], events(run, data)[-1].model["param/weight"])

    called = {}
    exec(again.python().split("\n\n")[1].splitlines()[0], {"RunSpec": RunSpec, "fit": lambda s: called.update(spec=s)})
    assert called["spec"] == again
    assert "--at 7:trace_norm=0.3" in again.command()
    assert [Change.read(word) for word in again.command().split() if ":" in word] == list(again.changes)


@pytest.mark.parametrize("options", [{"validation": 0}, {"validation": 0.3, "epochs": 6}])
def test_a_run_with_changes_goes_on_bit_for_bit_from_any_step(options):
    data = classes(200)
    run = spec(**options, changes=[(3, "trace_norm", 0.2), (9, "learning_rate", 0.05), (11, "feature_norm", 0.0)])
    whole = events(run, data)
    saved = checkpoints(run, data)
    for checkpoint in saved[::5] + saved[2:5] + saved[-1:]:
        rest = events(run, data, resume=through_bytes(checkpoint))
        later = [
            [e for e in happened if not isinstance(e, Started | Checkpoint | Changed) and e.step > checkpoint.step]
            for happened in (whole, rest)
        ]
        assert len(later[0]) == len(later[1]) > 0
        assert all(map(same_event, *later))


@pytest.mark.parametrize("change", [{"trace_norm": 0.2}, {"feature_norm": 0.5}, {"learning_rate": 0.003}])
@pytest.mark.parametrize("options", [{"validation": 0}, {"validation": 0.3, "epochs": 6}])
def test_a_change_before_the_first_step_is_the_option_itself_in_both_stretches(change, options):
    """Where validation rows choose it counts for the assigned map beside, and in the repetition on all rows."""
    data = classes(200)
    ((option, value),) = change.items()
    changed = events(spec(**options, changes=[(0, option, value)]), data)[-1]
    plain = events(spec(**options, **change), data)[-1]
    assert same(changed.model, plain.model)
    assert changed.summary["test_metric"] == plain.summary["test_metric"]
    assert changed.summary["objective"] == pytest.approx(plain.summary["objective"], abs=1e-7)


def test_changes_made_while_choosing_are_repeated_at_their_epochs_and_later_ones_are_not_moved():
    data = classes(200)
    run = spec(validation=0.3, epochs=6)
    first = next(iter(of(Kept, events(run, data))))
    control = At((14, "trace_norm", 0.2), (first.step + 3, "learning_rate", 0.02))
    happened = [*train(run, data=data, control=control)]
    per_epoch = of(Started, happened)[0].facts["steps_per_epoch"]
    kept = of(Kept, happened)[0]
    found = [(event.step, event.values) for event in of(Changed, happened)]
    assert per_epoch == 7
    assert kept.facts["kept"]["epoch"] > 2, "the change must be reached again"
    # The 14th of 7 steps an epoch ends the second epoch; on all rows an epoch has 10 steps. The control looks once
    # before each step, so that its count in the second stretch lacks the step that returns to the start.
    assert found == [(14, {"trace_norm": 0.2}), (kept.step + 4, {"learning_rate": 0.02}),
                     (kept.step + 20, {"trace_norm": 0.2})]  # fmt: skip
    again = RunSpec.from_dict({**run.to_dict(), "changes": of(Changed, happened)[-1].changes})
    assert [each.step for each in again.changes] == [14, kept.step + 4]
    assert same_event(events(again, data)[-1], happened[-1])


def test_a_paused_run_takes_a_change_at_once_and_steps_with_it_later():
    data, run, control = classes(), spec(validation=0), Control()
    happened = []
    for event in train(run, data=data, control=control):
        happened.append(event)
        if isinstance(event, Step) and event.step == 4:
            control.pause()
            threading.Timer(0.1, control.change, [{"trace_norm": 0.3}]).start()
        if isinstance(event, Changed):
            assert control.paused
            control.resume()
    assert of(Changed, happened)[0].step == 4
    assert same_event(happened[-1], events(spec(validation=0, changes=[(4, "trace_norm", 0.3)]), data)[-1])


def test_a_change_that_comes_with_the_end_of_a_run_is_not_lost_for_its_resumption():
    data, run, control = classes(), spec(validation=0), Control()
    happened = []
    for event in train(run, data=data, control=control):
        happened.append(event)
        if isinstance(event, Step) and event.step == 6:
            control.change({"trace_norm": 0.3})
            control.cancel()
    assert isinstance(happened[-1], Cancelled)
    assert [event.step for event in of(Changed, happened)] == [6]


@pytest.mark.parametrize(
    ("method", "change", "words"),
    [
        ("ASKL", (5, "trace_norm", -1), "trace_norm must be a number from 0"),
        ("ASKL", (5, "learning_rate", 0), "learning_rate must be a number"),
        ("ASKL", (5, "learning_rate", math.nan), "learning_rate must be a number"),
        ("ASKL", (5, "learning_rate", "auto"), "must be to a number"),
        ("ASKL", (-1, "trace_norm", 0.1), "the step of a change must be a whole number"),
        ("ASKL", (True, "trace_norm", 0.1), "the step of a change must be a whole number"),
        ("ASKL", (5, "n_features", 10), "what can be changed while ASKL trains is learning_rate or"),
        ("ASKL", (5, "batch_size", 16), "Start a run with another value"),
        ("ASKL", (5, "trace_nrom", 0.1), "Did you mean trace_norm"),
        ("RF", (5, "learning_rate", 0.1), "only what is learned from mini-batches"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(method, change, words):
    with pytest.raises(KernlabError, match=words):
        RunSpec.of(method, "moons", changes=[change])


def test_a_change_after_the_end_is_refused_before_anything_starts():
    with pytest.raises(KernlabError, match="a change must come before the end of the run, which has 12 steps at most"):
        next(train(spec(validation=0, changes=[(12, "trace_norm", 0.1)]), data=classes()))
    # 4 epochs of 8 steps on 143 of 204 rows, the return to the start, and 4 epochs of 12 steps on all of them.
    with pytest.raises(KernlabError, match="which has 81 steps at most"):
        next(train(spec(validation=0.3, epochs=4, changes=[(81, "trace_norm", 0.1)]), data=classes(255)))


@pytest.mark.parametrize("text", ["", "5", "5:trace_norm", "x:trace_norm=1", "5:trace_norm=much", "1.5:trace_norm=1"])
def test_a_text_that_is_no_change_is_refused(text):
    with pytest.raises(KernlabError, match="a change must be STEP:OPTION=VALUE"):
        Change.read(text)


def test_a_spec_with_changes_round_trips_and_one_from_before_has_none():
    run = spec(changes=[(7, "trace_norm", 0.3), (2, "learning_rate", 0.1)])
    assert [each.step for each in run.changes] == [2, 7]
    assert RunSpec.from_dict(json.loads(json.dumps(run.to_dict()))) == run
    assert "changes" not in spec().to_dict()
    assert RunSpec.from_dict(spec().to_dict()).changes == ()
    for wrong in ("5:trace_norm=1", [[5, "trace_norm"]], [5], [["5", "trace_norm", 1]]):
        with pytest.raises(KernlabError):
            RunSpec.from_dict({**spec().to_dict(), "changes": wrong})
    assert run.with_change(7, "trace_norm", 0.5).changes[-1].value == 0.5

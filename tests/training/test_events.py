"""What a run says: in which order, how often, and with which content."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import FINAL, classes, events, of, same_event, spec, targets

from kernlab.bounds import SPECTRAL
from kernlab.data import constant_metric
from kernlab.training.events import Checkpoint, Evaluated, Finished, Snapshot, Started, Step
from kernlab.training.trainer import _points, fit, milestones

METRICS = {"train_metric", "test_metric", "train_loss", "test_loss", *(f"bound/{t.key}" for t in SPECTRAL.terms)}


@pytest.mark.parametrize("method", ["SK", "NSK", "SKL", "NSKL", "ASKL"])
def test_a_run_begins_once_ends_once_and_never_goes_back(method):
    happened = events(spec(method), classes())
    assert [i for i, event in enumerate(happened) if isinstance(event, Started)] == [0]
    assert [i for i, event in enumerate(happened) if isinstance(event, FINAL)] == [len(happened) - 1]
    assert isinstance(happened[-1], Finished)
    assert all(a.step <= b.step for a, b in pairwise(happened[1:]))
    assert happened[-1].step == 12  # 48 rows in batches of 16, four times


def test_each_measurement_comes_with_a_snapshot_at_the_milestones():
    happened = events(spec(), classes())
    evaluated = [(event.step, type(event)) for event in happened if isinstance(event, Evaluated | Snapshot)]
    steps = milestones(12, 3)
    assert evaluated == [pair for step in steps for pair in ((step, Evaluated), (step, Snapshot))]
    assert all(event.epoch == pytest.approx(event.step / 3) for event in of(Evaluated, happened))


def test_each_step_says_the_objective_and_its_parts():
    data = classes()
    happened = events(spec(), data)
    steps = of(Step, happened)
    assert [event.step for event in steps] == list(range(1, 13))
    for event in steps:
        m = event.metrics
        assert set(m) == {"loss", "feature_norm", "trace_norm", "objective", "learning_rate"}
        assert m["objective"] == pytest.approx(m["loss"] + 0.01 * m["feature_norm"] + 0.01 * m["trace_norm"])
    assert steps[0].metrics["loss"] == 1.0  # the hinge loss of f = 0
    rates = [event.metrics["learning_rate"] for event in steps]
    assert rates[0] == happened[0].spec["method"]["solver"]["learning_rate"]
    assert all(a > b for a, b in pairwise(rates))


def test_a_long_run_draws_a_curve_of_about_five_hundred_points_that_are_means():
    """1002 steps: the first eight one by one, then in twos."""
    run = spec("SK", epochs=334, n_features=4, learning_rate=1e-3)
    steps = of(Step, events(run, classes()))
    assert 500 <= len(steps) <= 700
    covered = [b.step - a.step for a, b in pairwise(steps)]
    assert covered[:7] == [1] * 7
    assert max(covered) == 2


@pytest.mark.parametrize(("epochs", "per_epoch", "least"), [(4000, 45, 380), (334, 3, 500), (60, 160, 500), (2, 9, 18)])
def test_a_point_of_the_curve_comes_with_a_snapshot_or_far_from_one(epochs, per_epoch, least):
    total = epochs * per_epoch
    snapshots = milestones(total, per_epoch)
    points = sorted(_points(snapshots, total))
    assert least <= len(points) <= 600
    assert {*snapshots} <= {*points}
    for begin, end in pairwise([step for step in snapshots if step >= max(8, per_epoch)]):
        gaps = [b - a for a, b in pairwise([step for step in points if begin <= step <= end])]
        assert max(gaps) - min(gaps) <= 1
        assert sum(gaps) == end - begin


def test_every_measured_number_is_finite_and_named():
    for data in (classes(), targets()):
        for event in of(Evaluated, events(spec(), data)):
            assert set(event.metrics) == METRICS
            assert np.isfinite(list(event.metrics.values())).all()


def test_the_summary_agrees_with_the_last_measurement():
    """On 48 and 12 rows every look sees all of them; only the random signs meet the rows in another order."""
    happened = events(spec(), classes())
    summary, last = happened[-1].summary, of(Evaluated, happened)[-1].metrics
    assert list(summary["bound"]) == [t.key for t in SPECTRAL.terms]
    assert summary["bound"]["dual_norm"] == pytest.approx(
        last["bound/dual_norm"], abs=4 * np.hypot(summary["bound"]["dual_norm_se"], last["bound/dual_norm_se"])
    )
    for key in ("train_metric", "test_metric"):
        assert summary[key] == last[key]
    for key in set(summary["bound"]) - {"dual_norm", "dual_norm_se"}:
        assert summary["bound"][key] == pytest.approx(last[f"bound/{key}"], rel=1e-5)


def test_events_can_be_written_as_json():
    for data in (classes(), targets()):
        for event in events(spec(), data):
            for part in ("spec", "facts", "metrics", "state", "summary", "meta"):
                json.dumps(getattr(event, part, None), allow_nan=False)


def test_the_start_says_what_was_chosen():
    data = classes()
    started = events(spec(learning_rate="auto", frequency_scale="auto", objective="auto"), data)[0]
    chosen = json.loads(json.dumps(started.spec["method"]))
    assert chosen["solver"].pop("compile") == "auto"  # what came of it is the fact "compiled"
    assert "auto" not in json.dumps(chosen)
    assert started.facts["compiled"] is False
    facts = started.facts
    assert (facts["n_train"], facts["n_test"], facts["d"], facts["K"]) == (48, 12, 3, 3)
    assert (facts["task"], facts["metric"], facts["classes"]) == ("classification", "accuracy", ["0", "1", "2"])
    assert (facts["total_steps"], facts["steps_per_epoch"], facts["start_step"]) == (12, 3, 0)
    assert facts["constant"] == constant_metric(data)
    assert started.arrays["view_points"].shape == (12, 3)


def test_a_snapshot_holds_what_the_pictures_need():
    data = classes()
    happened = events(spec(), data)
    first = happened[0].arrays
    for event in of(Snapshot, happened):
        a = event.arrays
        assert a["omega"].shape == a["omega_prime"].shape == (3, 8)  # pairs: two columns a draw
        assert a["weight_singular_values"].shape == (3,)
        assert a["view_scores"].shape == (12, 3)
        assert a["diagonal"].shape == (48,)
    start, end = (of(Snapshot, happened)[i].arrays for i in (0, -1))
    np.testing.assert_array_equal(start["omega"], first["omega_initial"])
    np.testing.assert_array_equal(start["omega_prime"], first["omega_prime_initial"])
    assert (start["view_scores"] == 0).all()
    assert (end["omega"] != start["omega"]).any()


def test_arrays_are_never_changed_after_they_are_sent():
    """No array of an event is a view of a tensor that goes on learning."""
    data = classes()
    kept, seen = [], []
    from kernlab.training.trainer import train

    for event in train(spec(), data=data):
        kept.append(event)
        arrays = getattr(event, "arrays", {})
        seen.append({name: np.array(value) for name, value in arrays.items()})
    for event, arrays in zip(kept, seen, strict=True):
        for name, value in arrays.items():
            np.testing.assert_array_equal(event.arrays[name], value)


@given(st.integers(1, 5000), st.integers(1, 400), st.integers(2, 60))
@settings(max_examples=60)
def test_milestones(epoch, epochs, limit):
    total = epoch * epochs
    found = milestones(total, epoch, limit)
    assert found == sorted(set(found))
    assert found[0] == 0
    assert found[-1] == total
    ends = [step for step in found if step and step % epoch == 0]
    powers = [2**k for k in range(2, 40) if 2**k < (epoch if epoch > 1 else total)]
    assert set(powers) <= set(found)
    assert min(epochs, limit) <= len(ends) <= min(epochs, limit) + (len(powers) if epoch == 1 else 0)
    assert all(step % epoch == 0 or step in powers for step in found)


def test_a_few_milestones_by_hand():
    assert milestones(3, 3) == [0, 3]
    assert milestones(40, 20) == [0, 4, 8, 16, 20, 40]
    assert milestones(100, 10, limit=3) == [0, 4, 8, 10, 50, 100]


def test_two_runs_say_the_same_to_the_last_bit():
    data = classes()
    for method in ("NSK", "ASKL"):
        first, again = ([e for e in events(spec(method), data) if not isinstance(e, Checkpoint)] for _ in range(2))
        assert len(first) == len(again)
        assert all(map(same_event, first, again))


def test_loading_the_data_by_name_gives_what_handing_them_over_gives():
    from kernlab.data import load, prepare
    from kernlab.spec import RunSpec

    run = RunSpec.of("ASKL", "iris", n_features=8, epochs=1, seed=3)
    by_name = fit(run)
    handed = fit(run, data=prepare(load(run.data), run.data, 3))
    for name, value in by_name.model.params.items():
        np.testing.assert_array_equal(value, handed.model.params[name])


def test_another_seed_draws_other_frequencies_and_another_order():
    from kernlab.training.gradient import row_order

    one, other = spec(), spec(seed=5)
    a, b = (events(run, classes())[0].arrays["omega_initial"] for run in (one, other))
    assert (a != b).any()
    orders = [row_order(seed, epoch, 50).tolist() for seed in (0, 1) for epoch in (0, 1)]
    assert len({tuple(order) for order in orders}) == 4
    assert all(sorted(order) == list(range(50)) for order in orders)

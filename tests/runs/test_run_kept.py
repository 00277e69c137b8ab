"""What the held-out rows chose, in numbers and in words."""

import pytest

from kernlab.runs.kept import epoch_at, held_out_rows, kept

CHOICE = {"epoch": 3, "of": 36, "stopped": 20, "rows": 320, "loss": 0.5, "penalty": None, "learned": True}
# 20 epochs of 40 steps on the other rows, then 3 of 50 on all.
FRESH = {"n_train": 1600, "n_held": 320, "steps_per_epoch": 40, "total_steps": 950, "kept": CHOICE}
RESUMED = {**FRESH, "n_held": 0, "steps_per_epoch": 50}


def test_the_words():
    assert kept(FRESH).sentence == "kept: epoch 3 of 20, chosen on 320 rows that did not train"
    assert kept({"kept": {**CHOICE, "learned": False}}).label == "kept: epoch 3 of 20, assigned map"
    assert kept({"kept": {**CHOICE, "learned": False, "epoch": 0}}).label == "kept: epoch 0, the map as it was drawn"
    assert kept({}) is None


@pytest.mark.parametrize("facts", [FRESH, RESUMED])
def test_epochs_are_counted_through_both_stretches(facts):
    """An epoch on all rows has more steps than one on a part of them, wherever the facts were stated."""
    found = [epoch_at(facts, step) for step in (0, 40, 400, 800, 850, 925, 950)]
    assert found == pytest.approx([0, 1, 10, 20, 21, 22.5, 23])
    assert held_out_rows(facts) == 320


def test_runs_without_held_out_rows_count_as_ever():
    assert epoch_at({"steps_per_epoch": 40}, 100) == 2.5
    assert epoch_at({}, 100) == 0.0
    assert held_out_rows({}) == 0

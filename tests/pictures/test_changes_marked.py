"""Changed options in pictures over time: which changes there were, and with which λ a penalty enters the objective."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pytest

from kernlab.methods import METHODS
from kernlab.pictures.changes import mark_turns, turns, values_at
from kernlab.runs.store import Curve

METHOD = METHODS["ASKL"].with_options({"trace_norm": 0.01, "learning_rate": 0.1})


def curve(*points: tuple[int, float, float]) -> Curve:
    steps, epochs, values = zip(*points, strict=True)
    return Curve(np.array(steps), np.array(epochs, float), np.array(values, float))


def run(facts=None, **changed: Curve):
    history = {f"changed/{name}": points for name, points in changed.items()}
    history["objective"] = curve((1, 0.1, 3.0), (100, 10.0, 1.0))
    return SimpleNamespace(facts=facts or {}, method=METHOD, history=history)


def test_each_change_has_the_value_before_and_one_that_is_taken_back_is_none():
    found = turns(run(trace_norm=curve((10, 1.0, 0.1), (10, 1.0, 0.2), (30, 3.0, 0.01), (40, 4.0, 0.01)),
                      learning_rate=curve((20, 2.0, 0.5))))  # fmt: skip
    assert [(t.step, t.option, t.before, t.value) for t in found] == [
        (10, "trace_norm", 0.01, 0.2), (20, "learning_rate", 0.1, 0.5), (30, "trace_norm", 0.2, 0.01),
    ]  # fmt: skip
    assert found[0].sentence == "λ₁ from 0.01 to 0.2"
    assert not any(turn.again for turn in found)


def test_the_repetition_on_all_rows_begins_with_the_values_of_the_start():
    kept = {"epoch": 4, "of": 5, "stopped": 5, "rows": 20, "loss": 1.0, "penalty": None, "learned": True}
    facts = {"steps_per_epoch": 10, "n_held": 20, "kept": kept, "total_steps": 51 + 48, "total_epochs": 9.0}
    changed = run(facts, trace_norm=curve((20, 2.0, 0.5), (51 + 24, 7.0, 0.5), (51 + 36, 8.0, 0.9)))
    assert [(t.before, t.value, t.again) for t in turns(changed)] == [
        (0.01, 0.5, False), (0.01, 0.5, True), (0.5, 0.9, False),
    ]  # fmt: skip
    steps = [20, 21, 50, 52, 75, 76, 88]
    assert values_at(changed, "trace_norm", 0.01, steps).tolist() == [0.01, 0.5, 0.5, 0.01, 0.01, 0.5, 0.9]
    assert values_at(changed, "learning_rate", 0.1, steps).tolist() == [0.1] * 7


def test_every_change_has_a_line_and_those_apart_have_words():
    changed = run(trace_norm=curve((10, 1.0, 0.1), (12, 1.2, 0.2)), learning_rate=curve((10, 1.0, 0.5), (50, 5.0, 0.2)))
    figure = go.Figure()
    mark_turns(figure, changed)
    assert [line.x0 for line in figure.layout.shapes] == [1.0, 1.2, 5.0]
    assert [note.text for note in figure.layout.annotations] == ["λ₁ = 0.1, η = 0.5", "η = 0.2"]
    empty = go.Figure()
    mark_turns(empty, run())
    assert not empty.layout.shapes


def test_an_early_change_keeps_its_words_however_long_the_run_becomes():
    changed = run(trace_norm=curve((10, 0.7, 0.1)))
    changed.history["objective"] = curve((1, 0.1, 3.0), (100_000, 4000.0, 1.0))
    figure = go.Figure()
    mark_turns(figure, changed)
    assert [note.text for note in figure.layout.annotations] == ["λ₁ = 0.1"]


@pytest.mark.parametrize("name", ["changed/unknown", "changed/"])
def test_what_the_method_does_not_have_is_no_change(name):
    other = run()
    other.history[name] = curve((10, 1.0, 0.1))
    assert turns(other) == []

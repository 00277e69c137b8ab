"""A run that is changed while it trains: kept, killed and resumed to the same numbers, exported and repeated."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from waiting import PATIENCE

from kernlab.errors import KernlabError
from kernlab.jobs.trainings import Trainings
from kernlab.runs.store import Store
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

SPEC = RunSpec.of(
    "ASKL", "moons", n_features=20, batch_size=16, epochs=40, validation=0, trace_norm=1e-3, feature_norm=1e-3
)  # 40 epochs of 50 steps

#: Trains, changes λ₁ and then η, says at which steps, and goes on until it is killed.
SCRIPT = """
import json, sys, time
from pathlib import Path
from kernlab.jobs.trainings import Trainings
from kernlab.runs.store import Store
from kernlab.spec import RunSpec

store = Store(Path(sys.argv[1]))
jobs = Trainings(store)
run = jobs.submit(RunSpec.from_dict(json.loads(sys.argv[2])))

def wait(what):
    while not what():
        time.sleep(0.01)

def changes():
    return store.get(run).spec.get("changes", [])

wait(lambda: jobs.snapshot(run).step > 60)
jobs.change(run, trace_norm=0.05)
wait(lambda: len(changes()) == 1)
begun = jobs.snapshot(run).step
wait(lambda: jobs.snapshot(run).step > begun + 30)
jobs.change(run, learning_rate=0.002)
wait(lambda: len(changes()) == 2)
print(run, flush=True)
jobs.wait(run)
"""


@pytest.fixture
def trainings(store: Store) -> Iterator[Trainings]:
    made = Trainings(store)
    yield made
    made.shutdown()


def killed_after_two_changes(root: Path) -> str:
    """The id of a run whose process was killed."""
    command = [sys.executable, "-c", SCRIPT, str(root), json.dumps(SPEC.to_dict())]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout
        run_id = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    return run_id


def test_a_killed_run_with_changes_goes_on_to_the_numbers_of_the_spec_it_has_become(store, trainings, tmp_path):
    run_id = killed_after_two_changes(store.root)
    run = store.get(run_id)
    assert run.status == "interrupted"
    spec = RunSpec.from_dict(run.spec)
    assert [each.option for each in spec.changes] == ["trace_norm", "learning_rate"]
    assert 60 < spec.changes[0].step < spec.changes[1].step < 2000

    trainings.resume_run(run_id)
    assert trainings.wait(run_id, PATIENCE).status == "finished"
    resumed = store.model(run_id)[0]
    whole = fit(spec)
    expected = whole.model.to_arrays()[0]
    assert resumed.keys() == expected.keys()
    assert all(np.array_equal(resumed[name], expected[name]) for name in expected)
    assert store.get(run_id).summary["test_metric"] == whole.summary["test_metric"]

    # Each change is stored once a step, however often its step was taken, and travels with the run.
    for option in ("trace_norm", "learning_rate"):
        found = store.metrics(run_id).curves[f"changed/{option}"]
        (change,) = [each for each in spec.changes if each.option == option]
        assert set(found.steps.tolist()) == {change.step}
        assert set(found.values.tolist()) == {change.value}
    store.export(run_id, tmp_path / "run.zip")
    with Store(tmp_path / "elsewhere") as other:
        again = other.get(other.import_(tmp_path / "run.zip"))
        assert RunSpec.from_dict(again.spec) == spec
        assert RunSpec.from_dict(again.resolved).changes == spec.changes


def test_only_what_makes_sense_is_changed_in_a_run_under_way(store, trainings):
    run_id = trainings.submit(SPEC, paused=True)
    for values, words in (
        ({"trace_norm": -1.0}, "trace_norm must be a number from 0"),
        ({"batch_size": 16.0}, "what can be changed while ASKL trains"),
        ({"n_features": 3}, "what can be changed while ASKL trains"),
    ):
        with pytest.raises(KernlabError, match=words):
            trainings.change(run_id, **values)
    trainings.cancel(run_id)
    trainings.wait(run_id, PATIENCE)
    assert "changes" not in store.get(run_id).spec
    with pytest.raises(KernlabError, match="must be under way to be steered"):
        trainings.change(run_id, trace_norm=0.1)

"""``kernlab train --at``: options that change while it trains, kept with the run, and repeated by its own command."""

from __future__ import annotations

import shlex

from kernlab.runs.store import Store
from kernlab.spec import RunSpec

QUICK = ("train", "--dataset", "moons", "--epochs", 2, "--set", "n_features=10", "--set", "validation=0")


def test_a_change_is_reported_kept_and_repeated_by_the_command_of_the_run(kernlab, home):
    first = kernlab(*QUICK, "--at", "30:trace_norm=0.5", "--at", "9:learning_rate=0.02", "--json")
    assert first.code == 0
    assert "after step 9: learning_rate = 0.02" in first.err
    assert "after step 30: trace_norm = 0.5" in first.err
    with Store(home) as store:
        spec = RunSpec.from_dict(store.get(first.json["run"]).spec)
        store.pin(first.json["run"], 0, 0.0, "drawn")
    assert [str(each) for each in spec.changes] == ["9:learning_rate=0.02", "30:trace_norm=0.5"]
    again = kernlab(*shlex.split(spec.command())[1:], "--no-keep", "--json").json
    assert {k: again[k] for k in ("objective", "test_metric")} == {
        k: first.json[k] for k in ("objective", "test_metric")
    }
    plain = kernlab(*QUICK, "--no-keep", "--json").json
    assert plain["objective"] != again["objective"]
    assert "at 0: drawn" in kernlab("runs", "show", first.json["run"]).out


def test_a_change_that_makes_no_sense_is_a_mistake_and_nothing_is_stored(kernlab, home):
    for change, words in (
        ("30:trace_norm", "a change must be STEP:OPTION=VALUE"),
        ("30:n_features=5", "what can be changed while ASKL trains"),
        ("30:trace_norm=-1", "trace_norm must be a number from 0"),
        ("9999999:trace_norm=1", "a change must come before the end of the run"),
    ):
        refused = kernlab(*QUICK, "--at", change)
        assert refused.code == 2
        assert words in refused.err
    with Store(home) as store:
        assert store.list() == []

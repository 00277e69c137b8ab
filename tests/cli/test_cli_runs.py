"""Runs from the command line: looked at, moved, thrown away, stopped, killed and resumed."""

import json
import os
import signal
import time
from contextlib import contextmanager

import pytest

from kernlab.runs.store import Store

MOONS = ("train", "--method", "ASKL", "--dataset", "moons", "--seed", 5, "--json")
SHORT = (*MOONS, "--epochs", 60, "--set", "n_features=50")  # 1500 steps: under a second
LONG = (*MOONS, "--epochs", 300, "--set", "n_features=200")  # seconds, so that checkpoints are written on the way
SAME = ("test_metric", "train_metric", "objective", "bound", "steps", "spec")


@contextmanager
def child(process):
    """Is never left running."""
    with process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(process, start):
    """Its standard error up to a line that starts so."""
    lines = []
    for line in process.stderr:
        lines.append(line)
        if line.startswith(start):
            return lines
    pytest.fail("".join(lines))


def test_list_show_export_import_delete_undo_purge(kernlab, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = kernlab(*SHORT).json
    run = result["run"]

    assert [row["id"] for row in kernlab("runs", "list", "--json").json] == [run]
    assert kernlab("runs", "list", "--method", "SK", "--json").json == []
    assert kernlab("runs", "list", "--text", "MOONS", "--status", "finished", "--json").json[0]["id"] == run
    assert run in kernlab("runs", "list").out

    shown = kernlab("runs", "show", run, "--json").json
    assert (shown["status"], shown["step"], shown["summary"]["objective"]) == ("finished", 1500, result["objective"])
    assert shown["snapshots"][0] == 0
    assert shown["last"]["test_metric"] == result["test_metric"]
    words = kernlab("runs", "show", run).out
    assert "kernlab train --method ASKL --dataset moons --seed 5" in words

    assert kernlab("runs", "export", run, "--json").json == {"id": run, "file": f"{run}.zip"}
    assert kernlab("runs", "export", run, "--out", tmp_path).code == 0
    copy = kernlab("runs", "import", f"{run}.zip", "--json").json["id"]
    assert copy != run
    again = kernlab("runs", "show", copy, "--json").json
    assert {**again, "id": run} == shown

    assert kernlab("runs", "delete", copy, "--json").json == {"id": copy, "state": "deleted"}
    assert [row["id"] for row in kernlab("runs", "list", "--deleted", "--json").json] == [copy]
    assert kernlab("runs", "delete", copy, "--undo").code == 0
    assert len(kernlab("runs", "list", "--json").json) == 2
    assert kernlab("runs", "delete", copy, "--purge").code == 0
    assert [row["id"] for row in kernlab("runs", "list", "--json").json] == [run]
    assert not (home / "runs" / copy).exists()


def test_an_empty_list_invites(kernlab):
    assert "kernlab train" in kernlab("runs", "list").out
    assert kernlab("runs", "list", "--json").json == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to send")
def test_a_run_stopped_by_ctrl_c_goes_on_to_the_same_numbers(kernlab, start):
    with child(start(*SHORT)) as process:
        lines_until(process, "epoch   1.00")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    (row,) = kernlab("runs", "list", "--json").json
    assert f"kernlab runs resume {row['id']}" in err
    assert (row["status"], row["resumable"]) == ("stopped", True)
    assert 25 <= row["step"] < 1500

    resumed = kernlab("runs", "resume", row["id"], "--json")
    whole = kernlab(*SHORT)
    assert resumed.code == 0
    assert "epoch   0.00" not in resumed.err  # not from the start
    assert {key: resumed.json[key] for key in SAME} == {key: whole.json[key] for key in SAME}
    (row, _) = reversed(kernlab("runs", "list", "--json").json)
    assert (row["status"], row["step"], row["resumable"]) == ("finished", 1500, False)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals to send")
def test_a_polite_kill_stops_as_well(kernlab, start):
    with child(start(*LONG)) as process:
        lines_until(process, "epoch   1.00")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 130
    assert kernlab("runs", "list", "--json").json[0]["status"] == "stopped"


def test_a_killed_run_is_interrupted_and_goes_on_to_the_same_numbers(kernlab, start, home):
    with child(start(*LONG)) as process:
        run = lines_until(process, "run ")[-1].split()[1]
        store = Store(home)
        until = time.monotonic() + 120
        while not ((kept := store.checkpoint(run)) and kept.step):
            assert process.poll() is None, "the run ended before it wrote a checkpoint"
            assert time.monotonic() < until
            time.sleep(0.05)
        process.kill()
        process.wait(30)
    (row,) = kernlab("runs", "list", "--json").json
    assert (row["id"], row["status"], row["resumable"]) == (run, "interrupted", True)
    curve = store.metrics(run).curves["objective"]
    every = 7500 // 500  # steps between two points
    assert curve.steps[-1] > store.checkpoint(run).step - every  # everything up to there can be read

    resumed = kernlab("runs", "resume", run, "--json")
    assert "epoch   0.00" not in resumed.err  # not from the start
    whole = kernlab(*LONG[:-4], "--no-keep", *LONG[-4:]).json
    assert {key: resumed.json[key] for key in SAME} == {key: whole[key] for key in SAME}
    steps = store.metrics(run).curves["objective"].steps
    assert len(set(steps.tolist())) == len(steps)  # no point twice
    store.close()


def test_another_process_is_not_disturbed(kernlab, start):
    with child(start(*LONG)) as process:
        run = lines_until(process, "epoch   0.00")[0].split()[1]
        for command in ("resume", "delete"):
            said = kernlab("runs", command, run)
            assert said.code == 2
            assert "running" in said.err
        assert json.loads(kernlab("runs", "show", run, "--json").out)["status"] == "running"
        assert process.poll() is None

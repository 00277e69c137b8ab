"""Runs from the command line: listed, shown, exported, deleted, stopped, killed and resumed."""

import json
import os
import signal
import sqlite3
from contextlib import contextmanager

import pytest
from waiting import PATIENCE, until

from kernlab.runs import tensors
from kernlab.runs.store import Store

MOONS = ("train", "--method", "ASKL", "--dataset", "moons", "--seed", 5, "--json")
SHORT = (*MOONS, "--epochs", 60, "--set", "n_features=50")  # 1500 steps: under a second
LONG = (*MOONS, "--epochs", 300, "--set", "n_features=200")  # seconds, so that checkpoints are written on the way
SAME = ("test_metric", "train_metric", "objective", "bound", "steps", "spec")


@contextmanager
def child(process):
    """A process that is ended at the latest with the test."""
    with process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(process, start):
    """Its standard error up to the first line that begins with ``start``."""
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
        out, err = process.communicate(timeout=PATIENCE)
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


def test_a_run_of_another_process_is_left_alone_and_goes_on_to_the_same_numbers_when_that_is_killed(
    kernlab, start, home
):
    with child(start(*LONG)) as process:
        run = lines_until(process, "epoch   0.00")[0].split()[1]
        for command in ("resume", "delete"):
            refused = kernlab("runs", command, run)
            assert refused.code == 2
            assert "running" in refused.err
        assert kernlab("runs", "show", run, "--json").json["status"] == "running"
        store = Store(home)
        until(lambda: process.poll() is not None or ((kept := store.checkpoint(run)) and kept.step))
        assert process.poll() is None, "the run ended before it wrote a checkpoint"
        process.kill()
        process.wait(PATIENCE)
    (row,) = kernlab("runs", "list", "--json").json
    assert (row["id"], row["status"], row["resumable"]) == (run, "interrupted", True)
    curve = store.metrics(run).curves["objective"]
    every = 7500 // 500  # steps between two points
    assert curve.steps[-1] > store.checkpoint(run).step - every  # everything up to there can be read

    # Side by side and without the checks of shapes that the tests' own process adds to every step.
    processes = start("runs", "resume", run, "--json"), start(*LONG, "--no-keep")
    (resumed, err), (whole, _) = (process.communicate(timeout=PATIENCE) for process in processes)
    assert "epoch   0.00" not in err  # not from the start
    assert {key: json.loads(resumed)[key] for key in SAME} == {key: json.loads(whole)[key] for key in SAME}
    steps = store.metrics(run).curves["objective"].steps
    assert len(set(steps.tolist())) == len(steps)  # no point twice
    store.close()


def test_one_damaged_run_is_reported_by_every_command_and_stops_none(kernlab, home, tmp_path):
    good, bad = (kernlab(*SHORT, "--epochs", 2).json["run"] for _ in range(2))
    with sqlite3.connect(home / "kernlab.db") as database:
        database.execute("UPDATE runs SET spec = '{' WHERE id = ?", (bad,))
    database.close()
    listed = kernlab("runs", "list", "--json")
    assert [(row["id"], row["status"]) for row in listed.json] == [(bad, "damaged"), (good, "finished")]
    assert listed.json[0]["damage"][0].startswith("spec is not JSON")
    assert f"run {bad}" in kernlab("runs", "list").err
    shown = kernlab("runs", "show", bad, "--json")
    assert (shown.code, shown.json["status"], "test_metric" in shown.json["last"]) == (0, "damaged", True)
    assert "check --repair" in kernlab("runs", "show", bad).err
    for command in ("export", "resume"):
        answer = kernlab("runs", command, bad)
        assert (answer.code, "Traceback" in answer.err) == (2, False)
        assert "check --repair" in answer.err
    assert kernlab("runs", "export", good, "--out", tmp_path).code == 0
    assert kernlab("runs", "import", tmp_path / f"{good}.zip").code == 0
    assert kernlab(*SHORT, "--epochs", 2).code == 0

    found = kernlab("runs", "check", "--json")
    assert (found.code, found.json["whole"], found.json["troubles"][0]["run"]) == (1, False, bad)
    assert kernlab("runs", "check").code == 1
    mended = kernlab("runs", "check", "--repair")
    assert mended.code == 0
    assert "copy in the run's folder" in mended.out
    assert kernlab("runs", "check").out.endswith("everything is whole.\n")
    assert kernlab("runs", "show", bad, "--json").json["status"] == "finished"
    assert kernlab("runs", "delete", bad, "--purge").code == 0


@pytest.mark.parametrize("state", [{}, {"step": 3, "sums": 7, "summed": 1}, {"step": "x", "sums": {}, "summed": 0},
                                   {"step": 9**9, "sums": {}, "summed": 0}])  # fmt: skip
def test_a_checkpoint_of_another_kind_is_a_sentence(kernlab, home, state):
    run = kernlab(*SHORT, "--epochs", 2).json["run"]
    with Store(home) as store:
        checkpoint = store.checkpoint(run)
        tensors.save(store.folder(run).checkpoint, checkpoint.arrays, {"step": checkpoint.step, "state": state})
        with store.writing() as connection:
            connection.exec_driver_sql("UPDATE runs SET status = 'stopped'")
    answer = kernlab("runs", "resume", run)
    assert (answer.code, "Traceback" in answer.err) == (2, False)
    assert "a checkpoint must belong to the same method and data" in answer.err

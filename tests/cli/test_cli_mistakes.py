"""A mistake is answered by code 2 and one sentence, and leaves the run store as it was."""

import socket
from functools import partial

import numpy as np
import pandas as pd
import pytest
import torch

QUICK = ("train", "--dataset", "iris", "--epochs", 1, "--set", "n_features=10")


def contents(home):
    """Everything in the store that a run consists of."""
    return {file.relative_to(home): file.read_bytes() for file in (home / "runs").rglob("*") if file.is_file()}


@pytest.fixture
def refused(kernlab, home, monkeypatch):
    """The sentence a command is refused with, after checking that nothing changed."""
    run = kernlab(*QUICK, "--json").json["run"]
    before, rows = contents(home), kernlab("runs", "list", "--json").json

    def check(*arguments):
        answer = kernlab(*arguments)
        assert answer.code == 2, answer
        assert answer.out == ""
        assert "Traceback" not in answer.err
        assert len(answer.err.strip().splitlines()) <= 4
        monkeypatch.delenv("KERNLAB_DATA", raising=False)
        assert contents(home) == before
        assert kernlab("runs", "list", "--json").json == rows
        assert kernlab("runs", "list", "--deleted", "--json").json == []
        return answer.err

    check.run = run
    return check


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "ASLK"), "did you mean ASKL"),
        (("--dataset", "digit"), "Did you mean digits"),
        (("--set", "n_feature=10"), "n_features"),
        (("--set", "n_features"), "KEY=VALUE"),
        (("--set", "n_features=0"), "from 1 to"),
        (("--set", "n_features=many"), "whole number"),
        (("--set", "n_features=2.5"), "whole number"),
        (("--set", "learning_rate=nan"), "learning_rate must be a number above 0"),
        (("--set", "frequency_scale=-1"), "frequency_scale must be a number above 0"),
        (("--set", "phase=both"), "one of paired"),
        (("--set", "objective=squared", "--method", "SKL", "--dataset", "chirp", "--set", "objective=hinge"), "hinge"),
        (("--set", "learned=false"), "learned"),
        (("--set", "batch_size=1000"), "batch_size=60"),
        (("--set", "test_size=1"), "test_size"),
        (("--set", "scaling=big"), "scaling"),
        (("--set", "split=source"), "boundary"),
        (("--set", "data.noise=1"), "noise"),
        (("--epochs", "0"), "epochs"),
        (("--epochs", "ten"), "epochs"),
        (("--seed", "-1"), "seed"),
        (("--seed", "x"), "integer"),
        (("--device", "tpu"), "auto, cpu"),
        (("--out", "no/such/folder/model"), "folder"),
        (("--nonsense",), "--nonsense"),
    ],
    ids=str,
)
def test_an_impossible_training(refused, arguments, words):
    assert words.lower() in refused("train", "--dataset", "iris", *arguments).lower()


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")
def test_cuda_where_there_is_none(refused):
    assert "one that this machine has" in refused(*QUICK, "--device", "cuda")


def table(folder, name, **columns):
    n = 60
    plain = {"a": np.arange(n) / n, "b": np.arange(n) % 7.0, "target": np.arange(n) % 2}
    pd.DataFrame({**plain, **columns}).to_parquet(folder / f"{name}.parquet")


def damaged(folder, name):
    table(folder, name)
    path = folder / f"{name}.parquet"
    path.write_bytes(path.read_bytes()[:200])


def no_target(folder, name):
    pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}).to_parquet(folder / f"{name}.parquet")


def one_row(folder, name):
    pd.DataFrame({"a": [1.0], "target": [1]}).to_parquet(folder / f"{name}.parquet")


holes = np.where(np.arange(60) == 5, np.nan, 1.0 * np.arange(60))
peaks = np.where(np.arange(60) == 5, np.inf, 1.0 * np.arange(60))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (partial(table, a=holes), "'a': 1 missing"),
        (partial(table, a=peaks), "'a': 1 infinite"),
        (partial(table, target=holes), "target"),
        (partial(table, target=np.ones(60, int)), "class"),
        (partial(table, target=np.ones(60)), "vary"),
        (partial(table, a=np.ones(60), b=np.zeros(60)), "feature that varies"),
        (partial(table, b=["word"] * 60), "numbers"),
        (damaged, "readable Parquet"),
        (no_target, "column named target"),
        (one_row, "two rows"),
    ],
    ids=["nan", "infinity", "nan-target", "one-class", "one-value", "constant", "words", "damaged", "no-target",
         "one-row"],
)  # fmt: skip
def test_data_that_cannot_be_used(refused, tmp_path, monkeypatch, make, words):
    folder = tmp_path / "tables"
    folder.mkdir()
    make(folder, "mine")
    monkeypatch.setenv("KERNLAB_DATA", str(folder))
    assert words in refused("train", "--dataset", "mine", "--epochs", 1)


def test_good_data_of_the_same_kind_are_used(kernlab, tmp_path, monkeypatch):
    table(tmp_path, "mine")
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path))
    assert (
        kernlab("train", "--dataset", "mine", "--epochs", 1, "--set", "n_features=10", "--json").json["n_train"] == 48
    )
    assert "mine" in {row["name"] for row in kernlab("datasets", "--json").json}


@pytest.mark.parametrize("command", [("datasets",), ("datasets", "--json"), ("train", "--dataset", "letter")])
def test_a_missing_data_folder(refused, monkeypatch, tmp_path, command):
    monkeypatch.setenv("KERNLAB_DATA", str(tmp_path / "nowhere"))
    assert "correct or unset KERNLAB_DATA" in refused(*command).replace("Correct", "correct")


def test_a_run_folder_that_cannot_be_made(kernlab, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("KERNLAB_HOME", str(tmp_path / "file" / "home"))
    for command in (QUICK, ("runs", "list")):
        answer = kernlab(*command)
        assert answer.code == 2
        assert "KERNLAB_HOME" in answer.err
        assert "Traceback" not in answer.err
    assert (tmp_path / "file").read_text() == "no folder"


def test_a_port_that_is_taken(refused):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"--port {port + 1}" in refused("app", "--port", port, "--no-browser")
    assert "65535" in refused("app", "--port", 0, "--no-browser")


@pytest.mark.parametrize("command", ["show", "export", "delete", "resume"])
def test_an_unknown_run(refused, command):
    near = refused.run[:-1]
    assert refused.run in refused("runs", command, near)
    assert "a run must be one that the store has" in refused("runs", command, "../x")


def test_runs_in_the_wrong_state(refused, tmp_path):
    assert "finished" in refused("runs", "resume", refused.run)
    assert "exclude each other" in refused("runs", "delete", refused.run, "--undo", "--purge")
    assert "must exist" in refused("runs", "import", tmp_path / "nothing.zip")
    (tmp_path / "bad.zip").write_bytes(b"PK but no archive")
    assert "as kernlab exports it" in refused("runs", "import", tmp_path / "bad.zip")
    assert "folder" in refused("runs", "export", refused.run, "--out", tmp_path / "no" / "where.zip")


def test_an_unknown_benchmark(refused):
    assert "Known:" in refused("bench", "--only", "nothing")


def test_a_divergence_fails_with_advice_and_is_kept(kernlab):
    answer = kernlab("train", "--method", "SKL", "--dataset", "chirp", "--epochs", 5, "--set", "n_features=50",
                   "--set", "optimizer=sgd", "--set", "learning_rate=100", "--json")  # fmt: skip
    assert answer.code == 1
    assert answer.out == ""
    assert "learning_rate below 100" in answer.err
    (row,) = kernlab("runs", "list", "--json").json
    assert (row["status"], row["resumable"]) == ("failed", True)
    shown = kernlab("runs", "show", row["id"], "--json").json
    assert "learning_rate below 100" in shown["error"]
    assert shown["last"]

"""What the command prints when all is well."""

import subprocess
import sys

import numpy as np
import pytest
from serving import ROOT

import kernlab as package
from kernlab.cli import cli
from kernlab.methods import METHODS
from kernlab.model import Model

QUICK = ("--epochs", 2, "--set", "n_features=20")


def test_help_and_version_need_no_heavy_module():
    code = (
        "import sys; from kernlab.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print({'torch', 'numpy', 'streamlit', 'sqlalchemy', 'pydantic'} & set(sys.modules))"
    )
    for arguments, words in ((["--help"], "Commands:"), (["--version"], package.__version__)):
        ended = subprocess.run([sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True)
        assert words in ended.stdout
        assert ended.stdout.rstrip().endswith("set()")


def test_a_warning_of_a_library_is_a_sentence_without_its_file(start):
    options = ("head=linear_svm", "max_iter=1", "n_features=20")
    started = start(
        "train", "--method", "RF", "--dataset", "iris", *[word for each in options for word in ("--set", each)]
    )
    _, errors = started.communicate()
    (warning,) = {line for line in errors.splitlines() if "failed to converge" in line}
    assert (started.returncode, warning[:9]) == (0, "kernlab: ")
    assert ".py" not in errors


@pytest.mark.parametrize("module", ["kernlab", "kernlab.cli"])
def test_the_package_runs_as_a_module(module):
    ended = subprocess.run([sys.executable, "-m", module, "--version"], cwd=ROOT, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, f"kernlab, version {package.__version__}\n")


def test_every_command_explains_itself(kernlab):
    commands = [[name] for name in cli.commands]
    commands += [["runs", name] for name in cli.commands["runs"].commands]
    for command in commands:
        answer = kernlab(*command, "--help")
        assert answer.code == 0
        assert len(answer.out.splitlines()) > 3


def test_methods(kernlab):
    rows = kernlab("methods", "--json").json
    assert [row["name"] for row in rows] == list(METHODS)
    assert {"title", "source", "feature_map", "regularizers", "options"} <= set(rows[0])
    assert rows[0]["options"]["n_features"]["default"] == 2000
    words = kernlab("methods").out
    assert all(name in words for name in METHODS)


def test_datasets(kernlab):
    here, known = kernlab("datasets", "--json").json, kernlab("datasets", "--all", "--json").json
    names = {row["name"] for row in here}
    assert {"digits", "breast_cancer", "wine", "iris", "diabetes", "moons", "chirp"} <= names
    assert all(row["available"] for row in here)
    assert {row["name"] for row in known} > names
    assert "iris" in kernlab("datasets").out


def test_train_prints_one_document_with_every_field(kernlab):
    answer = kernlab("train", "--method", "ASKL", "--dataset", "iris", *QUICK, "--seed", 3, "--json")
    assert answer.code == 0
    fields = {"method", "dataset", "spec", "seed", "device", "n_train", "n_test", "epochs", "train_metric"}
    fields |= {"test_metric", "metric", "objective", "bound", "seconds", "steps", "constant", "run"}
    assert fields <= set(answer.json)
    assert (answer.json["method"], answer.json["dataset"], answer.json["seed"]) == ("ASKL", "iris", 3)
    assert [answer.json[key] for key in ("n_train", "n_test", "epochs", "steps")] == [120, 30, 2, 6]
    assert answer.json["metric"] == "accuracy"
    assert answer.json["constant"] == pytest.approx(100 / 3)
    assert answer.json["spec"]["method"]["solver"]["epochs"] == 2
    terms = {"empirical_risk", "weight_norm", "rank", "mean_trace", "rademacher", "worst_case", "dual_norm"}
    assert terms | {"dual_norm_se", "complexity", "confidence", "total", "gap"} <= set(answer.json["bound"])
    assert "epoch" in answer.err  # progress


def test_train_prints_words(kernlab):
    answer = kernlab("train", "--method", "SKL", "--dataset", "diabetes", *QUICK)
    assert answer.code == 0
    assert "rmse" in answer.out
    assert "measured gap" in answer.out


def test_the_same_seed_gives_the_same_numbers_and_another_one_others(kernlab):
    def objective(seed):
        return kernlab("train", "--dataset", "moons", *QUICK, "--seed", seed, "--no-keep", "--json").json["objective"]

    assert objective(1) == objective(1) != objective(2)


def test_the_run_is_kept_unless_an_option_says_no(kernlab, home):
    assert kernlab("train", "--dataset", "iris", *QUICK, "--no-keep", "--json").json["run"] is None
    assert not home.exists()
    run = kernlab("train", "--dataset", "iris", *QUICK, "--name", "mine", "--json").json["run"]
    (row,) = kernlab("runs", "list", "--json").json
    assert (row["id"], row["name"], row["status"], row["step"]) == (run, "mine", "finished", 6)


def test_the_model_is_saved_and_predicts(kernlab, tmp_path):
    path = tmp_path / "iris.safetensors"
    answer = kernlab("train", "--dataset", "iris", "--epochs", 20, "--set", "n_features=50", "--out", path, "--json")
    assert answer.json["test_metric"] > 80
    assert Model.load(path).predict(np.array([[5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3]])).tolist() == [
        "setosa",
        "virginica",
    ]


def test_generators_and_scaling_take_options(kernlab):
    answer = kernlab("train", "--method", "SKL", "--dataset", "shell", "--set", "dimension=5", "--set", "n_samples=200",
                   "--set", "scaling=none", "--set", "test_size=0.5", *QUICK, "--json")  # fmt: skip
    assert answer.json["n_test"] == 100
    assert answer.json["spec"]["data"]["source"] == {"dimension": 5, "n_samples": 200}

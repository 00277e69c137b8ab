"""The README is true: its commands, its Python, its tables and its links."""

from __future__ import annotations

import re

import numpy as np
import pytest
from click.testing import CliRunner
from serving import ROOT
from test_architecture import LAYERS

from kernlab import METHODS, RunSpec, fit
from kernlab.cli import cli
from kernlab.data import make_dataset, prepare
from kernlab.regularizers import REGULARIZERS
from kernlab.ui.forms import from_text

TEXT = (ROOT / "README.md").read_text("utf-8")
GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")


def blocks(language: str, text: str = TEXT) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_there_are_two_set_up_commands_of_one_line_each():
    commands = [line for block in blocks("sh") for line in block.splitlines() if "venv" in line]
    assert len(commands) == 2
    start, test = commands
    for command in commands:
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install -q ")
    assert start.endswith(" && .venv/bin/kernlab app")
    assert test.endswith(" && .venv/bin/python -m pytest")


def test_ci_runs_the_test_command_as_it_stands_here():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    pattern = re.search(r"grep -E '(\^.*?)' README\.md", script)
    assert pattern
    (found,) = [line for line in TEXT.splitlines() if re.search(pattern[1], line)]
    assert found.endswith("-m pytest")
    assert not re.search(r"^[^#]*-m pytest", script, re.MULTILINE)  # and has no command of its own


def test_the_first_lines_of_python_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = blocks("python")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    exec(code, {})
    printed = capsys.readouterr().out
    assert float(re.search(r"([\d.]+) % of the test points", printed)[1]) > 80
    assert printed.rstrip().splitlines()[-1].startswith("Finished")
    assert (tmp_path / "moons.safetensors").is_file()


def test_the_estimators_do_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(blocks("python")[1], names)
    assert "method" in capsys.readouterr().out
    assert names["search"].best_score_ > 0.85
    assert names["Phi"].shape == (1797, 50)
    assert (tmp_path / "digits.safetensors").is_file()


def test_own_arrays_are_trained_on_as_it_says():
    (call,) = re.findall(r"`(fit\(spec, data=.*?)`", TEXT)
    X = np.random.default_rng(0).normal(size=(200, 2))
    names = {"X": X, "y": (X[:, 0] > 0).astype(int), "spec": RunSpec.of("SKL", "mine", n_features=50, epochs=30)}
    names |= {"fit": fit, "make_dataset": make_dataset, "prepare": prepare}
    assert eval(call, names).summary["test_metric"] > 90


def test_the_penalty_is_a_whole_one(monkeypatch):
    monkeypatch.setattr(REGULARIZERS, "_entries", {**REGULARIZERS})  # forgotten again afterwards
    exec(blocks("python", GUIDE)[-1], {"__name__": __name__})

    def zeros(**options):
        spec = RunSpec.of("SK", "moons", n_features=100, epochs=5, optimizer="sgd", frobenius=0, **options)
        return int((fit(spec).model.params["weight"] == 0).sum())

    assert zeros(absolute=0.03) > 20 > zeros()


def test_the_table_of_methods_is_the_registry():
    table = CliRunner().invoke(cli, ["methods", "--markdown"]).output
    assert len(table.splitlines()) == 2 + len(METHODS)
    assert table in TEXT


def test_the_table_of_commands_names_every_command():
    table = TEXT[TEXT.index("## On the command line") : TEXT.index("## What it computes")]
    for name, command in cli.commands.items():
        assert f"`kernlab {name}" in table
        for inner in getattr(command, "commands", ()):
            assert re.search(rf"`(kernlab {name} )?{inner}`", table), inner


@pytest.mark.parametrize("words", sorted(set(re.findall(r"`?kernlab (\w+)((?: --\w+)*)", TEXT))), ids=" ".join)
def test_every_command_and_option_it_names_exists(words):
    name, options = words
    if name in cli.commands:
        printed = CliRunner().invoke(cli, [name, "--help"]).output
        for option in options.split():
            assert option in printed


def test_every_option_it_names_is_one():
    for key, value in re.findall(r"`(\w+)=([\w.]+)`", TEXT):
        same = [spec.schema()[key] for spec in METHODS.values() if key in spec.schema()]
        assert any(value in option.choices or from_text(option, value) != value for option in same), (key, value)


def test_every_file_it_links_to_exists():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT) + re.findall(r'src(?:set)?="([^"]+)"', TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []
    assert [link for link in re.findall(r"\]\(([^)#]+)\)", GUIDE) if not (ROOT / ".github" / link).is_file()] == []


def test_every_place_that_the_guide_names_exists():
    layout, text = blocks("", GUIDE)[0], re.sub(r"^```.*?^```", "", GUIDE, flags=re.MULTILINE | re.DOTALL)
    named = {name for line in layout.splitlines() for name in re.findall(r"[a-z_]+", re.split(r"  ", line)[0])}
    assert named - {"pages", "app", "py"} <= {family for layer in LAYERS for family in layer}
    files = [name for name in re.findall(r"`([\w./]+\.(?:py|toml))`", text) if "NAME" not in name]
    assert [name for name in files if not any((ROOT / top / name).is_file() for top in ("", "kernlab"))] == []

"""The ``kernlab`` command, called in this process or started as one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from serving import ROOT

from kernlab.cli import main


class Answer(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON document and nothing else."""
        return json.loads(self.out)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty run folder, and no data but those that come with kernlab."""
    folder = tmp_path / "home"
    monkeypatch.setenv("KERNLAB_HOME", str(folder))
    monkeypatch.delenv("KERNLAB_DATA", raising=False)
    return folder


@pytest.fixture
def kernlab(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """``kernlab("train", "--json")`` as a user would type it."""

    def run(*arguments: object) -> Answer:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(each) for each in arguments])
        return Answer(int(end.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def start(home: Path) -> Callable[..., subprocess.Popen[str]]:
    """The command as a process of its own, its standard error as text."""

    def run(*arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "kernlab.cli", *map(str, arguments)]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return run

"""The compiled step gives the eager step's numbers, for any number of runs in one process.

It runs in a process of its own: the shape checks of the tests wrap every function, and the compiler cannot
see through them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("g++", "clang++", "c++")), reason="compiling needs a C++ compiler"
)

SCRIPT = """
import json
import numpy as np
import torch
from small import classes, events, spec
from kernlab.training.trainer import train

data = classes()
runs = {how: events(spec(compile=how), data) for how in ("on", "off")}
fast, eager = (runs[how][-1].model for how in ("on", "off"))
found = {
    "compiled": {how: run[0].facts["compiled"] for how, run in runs.items()},
    "apart": max(float(np.abs(fast[name] - eager[name]).max()) for name in eager),
    "said": {how: [type(event).__name__ for event in run] for how, run in runs.items()},
    "many": [],
}
build = torch.compile
torch.compile = lambda f, **options: build(f, backend="aot_eager", **options)  # traces, and skips the C++
for D in range(17, 27):
    run = train(spec(n_features=D, compile="on"), data=data)
    found["many"].append(next(run).facts["compiled"])
    run.close()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    path = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_compiled_step_equals_the_eager_one(found):
    assert found["compiled"] == {"on": True, "off": False}
    assert found["apart"] < 1e-5
    assert found["said"]["on"] == found["said"]["off"]


def test_a_process_can_compile_for_more_runs_than_the_compiler_keeps_of_one_function(found):
    """A server that has trained eight models must not fall back to the eager step, or fail, at the ninth."""
    assert found["many"] == [True] * 10

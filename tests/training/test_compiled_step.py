"""The compiled step follows the eager one and gives its numbers, for any number of runs in one process.

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
from waiting import PATIENCE

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("g++", "clang++", "c++")), reason="compiling needs a C++ compiler"
)

SCRIPT = """
import json
import gc
import subprocess
import sys
import threading
import numpy as np
import psutil
import torch
from small import checkpoints, classes, events, of, same_event, spec, through_bytes
from kernlab import processes
from kernlab.errors import KernlabError
from kernlab.training import compiling
from kernlab.training.control import Control
from kernlab.training.events import Cancelled, Checkpoint, Started, Step
from kernlab.training.trainer import train

data, run = classes(), spec(epochs=8, compile="on", validation=0)  # 24 steps
calls, real = [], compiling.compiled_step

def counted(*parts):
    step = real(*parts)
    def call(*rows):
        calls.append(rows)
        return step(*rows)
    return call

compiling.compiled_step = counted

# While the other process is at work the training waits at its step, and answers requests. This one works for ever.
started = processes.started
processes.started = lambda *order, **options: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1e6)"])
control = Control()
waiting = train(run, data=data, control=control)
for event in waiting:
    if isinstance(event, Step) and event.step == 3:  # the last before the compiled ones
        helpers = psutil.Process().children()
        threading.Timer(0.5, control.cancel).start()
found = {"helpers": len(helpers), "stopped": type(event).__name__, "at": event.step, "early": len(calls)}
del waiting
gc.collect()
found["left"] = sum(each.is_running() for each in helpers)
processes.started = started

whole, eager = events(run, data), events(spec(epochs=8, compile="off", validation=0), data)
found |= {
    "compiled": [run[0].facts["compiled"] for run in (whole, eager)],
    "from": [run[0].facts["compiled_from"] for run in (whole, eager)],
    "calls": len(calls),
    "apart": max(float(np.abs(whole[-1].model[name] - eager[-1].model[name]).max()) for name in eager[-1].model),
    "events": [[type(event).__name__ for event in run if not isinstance(event, Checkpoint)] for run in (whole, eager)],
    "resumed": [],
}
for saved in checkpoints(run, data)[1:6:2]:
    rest = events(run, data, resume=through_bytes(saved))
    pair = [
        [e for e in happened if not isinstance(e, Started | Checkpoint) and e.step > saved.step]
        for happened in (whole, rest)
    ]
    found["resumed"].append([saved.step, len(pair[0]) == len(pair[1]) and all(map(same_event, *pair))])

# Options that change keep the compiled step: λ and η are no part of the program.
compiles, work = [], compiling.Compiler.step
compiling.Compiler.step = lambda *parts: compiles.append(parts) or work(*parts)
changes = [(2, "feature_norm", 0.2), (6, "trace_norm", 0.3), (9, "learning_rate", 0.002), (12, "trace_norm", 0.0)]
calls.clear()
changed = events(spec(epochs=8, compile="on", validation=0, changes=changes), data)
plain = events(spec(epochs=8, compile="off", validation=0, changes=changes), data)
found |= {
    "changed": [len(compiles), len(calls)],
    "changed_apart": max(float(np.abs(changed[-1].model[name] - plain[-1].model[name]).max())
                         for name in plain[-1].model),
    "unchanged_apart": float(np.abs(whole[-1].model["param/weight"] - changed[-1].model["param/weight"]).max()),
    "changed_resumed": [],
}
run = spec(epochs=8, compile="on", validation=0, changes=changes)
for saved in checkpoints(run, data)[1:14:4]:
    rest = events(run, data, resume=through_bytes(saved))
    found["changed_resumed"].append(same_event(rest[-1], changed[-1]))

# A penalty that was 0 is no part of the program: the steps are eager from its change to its end.
raised = {"feature_norm": 0, "changes": [(6, "feature_norm", 0.2), (15, "feature_norm", 0.0)], "validation": 0}
calls.clear()
switched = events(spec(epochs=8, compile="on", **raised), data)
plain = events(spec(epochs=8, compile="off", **raised), data)
found |= {
    "switched": len(calls),
    "switched_apart": max(float(np.abs(switched[-1].model[name] - plain[-1].model[name]).max())
                          for name in plain[-1].model),
    "never_apart": float(np.abs(switched[-1].model["param/weight"] - events(spec(
        epochs=8, compile="off", validation=0, feature_norm=0), data)[-1].model["param/weight"]).max()),
}
run_raised = spec(epochs=8, compile="on", **raised)
found["switched_resumed"] = [same_event(events(run_raised, data, resume=through_bytes(saved))[-1], switched[-1])
                             for saved in checkpoints(run_raised, data)[1:18:8]]

def broken(*parts):
    raise RuntimeError("no such compiler")

compiling.compiled_step = broken
try:
    events(run, data)
except KernlabError as error:
    found["refused"] = str(error)
compiling.compiled_step = real

found["many"] = []
build = torch.compile
torch.compile = lambda f, **options: build(f, backend="aot_eager", **options)  # traces, and skips the C++
torch._dynamo.config.recompile_limit = 2
for D in range(17, 21):
    calls.clear()
    compiling.compiled_step = counted
    compiling._compiled.clear()
    compiling.Compiler.start = lambda self: None
    found["many"].append([type(events(spec(n_features=D, compile="on", epochs=1, validation=0), data)[-1]).__name__,
                          len(calls)])
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
        timeout=4 * PATIENCE,  # it waits for compilers, which give way to everything else on the machine
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_compiled_step_equals_the_eager_one(found):
    assert found["compiled"] == [True, False]
    assert found["from"] == [3, None]
    assert found["calls"] == 24 - 3
    assert 0 < found["apart"] < 1e-5
    assert found["events"][0] == found["events"][1]


def test_a_run_that_waits_for_the_compiler_can_be_stopped_and_leaves_no_process(found):
    assert found["helpers"] == 1
    assert (found["stopped"], found["at"], found["early"]) == ("Cancelled", 3, 0)
    assert found["left"] == 0


def test_a_run_goes_on_bit_for_bit_from_before_and_after_the_first_compiled_step(found):
    assert found["resumed"] == [[1, True], [3, True], [5, True]]


def test_a_changed_option_needs_no_other_program_and_counts_in_a_compiled_step_as_in_a_plain_one(found):
    assert found["changed"] == [1, 24 - 3]
    assert 0 < found["changed_apart"] < 1e-5
    assert found["unchanged_apart"] > 1e-3
    assert found["changed_resumed"] == [True] * 4


def test_a_penalty_that_was_0_when_the_step_was_compiled_counts_from_its_change_on(found):
    assert found["switched"] == 24 - 3 - (15 - 6)
    assert 0 < found["switched_apart"] < 1e-5
    assert found["never_apart"] > 1e-3
    assert found["switched_resumed"] == [True] * 3


def test_a_compiler_that_does_not_work_is_named(found):
    assert "compile=on needs a working C++ compiler" in found["refused"]
    assert "no such compiler" in found["refused"]


def test_a_process_can_compile_for_more_runs_than_the_compiler_keeps_of_one_function(found):
    """A server that has trained eight models must not fall back to the eager step, or fail, at the ninth."""
    assert found["many"] == [["Finished", 3]] * 4

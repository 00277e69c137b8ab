"""Training on a machine whose cores are all taken: how many times slower than on the same machine when it is idle.

With one process on every core beside it, a training that uses every core has half of the machine: twice is its fair
share. Much more means that its threads wait for each other in vain.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from kernlab import devices
from kernlab.bench.base import BENCHMARKS, in_turns, medians, ratio
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

__all__ = ["busy"]

METHODS = ("ASKL", "FKS-Fourier", "MKL", "LKRF")  # mini-batches, frame selection, two with many small operations


@BENCHMARKS.register("busy")
def busy() -> dict[str, Any]:
    """Seconds of a training of breast_cancer while the machine is idle and while it is not, and their ratio."""
    runs = {method: partial(fit, RunSpec.of(method, "breast_cancer")) for method in METHODS}
    idle = in_turns(runs, rounds=3)
    with _cores_taken():
        taken = in_turns(runs, rounds=3)
    slower = {f"{method}_times_slower": ratio(taken[method], idle[method]) for method in METHODS}
    return {"cores": devices.cores()} | slower | medians(idle, "idle_") | medians(taken, "busy_")


@contextmanager
def _cores_taken() -> Iterator[None]:
    """One process on every core that computes without a pause."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(devices.cores())]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()

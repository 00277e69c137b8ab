"""What the defaults reach on real tables: 80/20 split, seed 0, targets in [0,100] for errors.

Needs the Parquet files in a folder of KERNLAB_DATA; a table that is not there is skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kernlab.data import known
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

# One easy and one noisy table of each task; the larger ones are measured by "kernlab bench".
ACCURACY = {"segment": 96.0, "satimage": 90.5}
RMSE = {"space_ga": 3.4, "cpusmall": 3.6}


def summary(name):
    if name not in {each.name for each in known()}:
        pytest.skip(f"{name}.parquet is in no folder of KERNLAB_DATA")
    return fit(RunSpec.of("ASKL", name)).summary


@pytest.mark.parametrize(("name", "least"), ACCURACY.items())
def test_askl_with_its_defaults_classifies(name, least):
    found = summary(name)
    assert found["test_metric"] >= least
    assert found["test_metric"] > found["constant"]


@pytest.mark.parametrize(("name", "most"), RMSE.items())
def test_askl_with_its_defaults_predicts(name, most):
    found = summary(name)
    assert found["test_rmse_range100"] <= most
    assert found["test_metric"] < found["constant"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks of memory are read from Linux's /proc")
def test_training_on_half_a_million_rows_stays_small(tmp_path):
    """covtype, 581 012 × 54, to the end: the features of all rows alone would be 2.3 GB."""
    if "covtype" not in {each.name for each in known()}:
        pytest.skip("covtype.parquet is in no folder of KERNLAB_DATA")
    # VmHWM and not getrusage: a process inherits the latter's peak from the one that started it.
    code = (
        "import re; from pathlib import Path; from kernlab import RunSpec, fit\n"
        "fit(RunSpec.of('ASKL', 'covtype', n_features=1000, epochs=1, batch_size=4096, compile='off'))\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[-1]) < 2.5e6  # kilobytes

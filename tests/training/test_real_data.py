"""What the defaults reach on real tables: 80/20 split, seed 0, targets in [0,100] for errors.

Needs the Parquet files in a folder of KERNLAB_DATA; a table that is not there is skipped.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from kernlab.data import known
from kernlab.spec import RunSpec
from kernlab.training.trainer import fit

ACCURACY = {"segment": 96.0, "satimage": 90.5, "pendigits": 99.2, "letter": 97.0}
RMSE = {"abalone": 7.9, "space_ga": 3.4, "cpusmall": 3.6, "cadata": 11.8}


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


def test_training_on_half_a_million_rows_stays_small(tmp_path):
    """covtype, 581 012 × 54, D = 2000, to the end: the process never holds more than 2.5 GB."""
    if "covtype" not in {each.name for each in known()}:
        pytest.skip("covtype.parquet is in no folder of KERNLAB_DATA")
    code = (
        "import resource; from kernlab import RunSpec, fit\n"
        "fit(RunSpec.of('ASKL', 'covtype', epochs=1, batch_size=4096, compile='off'))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    kilobytes = int(done.stdout.split()[-1]) / (1024 if sys.platform == "darwin" else 1)
    assert kilobytes < 2.5e6

"""How the threads of a training wait for each other: OpenMP itself prints the settings with which it was loaded."""

import os
import re
import subprocess
import sys

import pytest
from serving import ROOT

SETTINGS = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")


def turns(package, **chosen):
    """How many turns a waiting thread spins before it sleeps, where a package is imported before torch."""
    environment = {key: value for key, value in os.environ.items() if key not in SETTINGS} | chosen
    done = subprocess.run(
        [sys.executable, "-c", f"import {package}, torch"], cwd=ROOT, env={**environment, "OMP_DISPLAY_ENV": "verbose"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = re.search(r"GOMP_SPINCOUNT = '(\d+)'", done.stderr)
    if not found:
        pytest.skip("this build of torch has another OpenMP, which does not print its settings")
    return int(found[1])


@pytest.mark.parametrize("package", ["kernlab", "kernlab.methods", "kernlab.ui.serving"])
def test_threads_sleep_while_they_wait(package):
    assert turns(package) == 0


def test_the_users_own_choice_stays():
    assert turns("kernlab", OMP_WAIT_POLICY="active") > 1e9

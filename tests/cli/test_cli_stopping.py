"""Comparisons that are interrupted or killed, as processes of their own: they leave nothing running or half written."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import psutil
import pytest
from waiting import PATIENCE, until

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX signals")

#: Cells that take minutes; no test waits for one.
LONG = ("compare", "--methods", "ASKL", "--dataset", "digits", "--repeats", 4,
        "--set", "n_features=2000", "--set", "epochs=20000", "--set", "batch_size=8")  # fmt: skip


def busy(process: psutil.Process) -> bool:
    """Whether it computes a cell by now: it has used more time than it takes to import everything."""
    try:
        return sum(process.cpu_times()[:2]) > 8
    except psutil.NoSuchProcess:
        return False


def workers_of(pid: int, number: int = 2) -> list[psutil.Process]:
    """The workers, once they compute."""
    found: list[psutil.Process] = []

    def computing() -> bool:
        found[:] = [each for each in psutil.Process(pid).children(recursive=True) if busy(each)]
        return len(found) == number

    until(computing)
    return found


def gone(processes: list[psutil.Process]) -> bool:
    return not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in processes)


def test_workers_end_with_a_comparison_that_is_killed(start):
    process = start(*LONG, "--workers", 2)
    workers_of(process.pid)
    everyone = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    _, err = process.communicate(timeout=PATIENCE)
    assert err.startswith("4 cells\n")
    assert "Warning" not in err  # of what a process of loky's removes
    until(lambda: gone(everyone))


def test_idle_workers_end_with_a_comparison_that_is_killed(start):
    process = start("compare", "--methods", "SK,ASKL", "--dataset", "iris", "--repeats", 40, "--workers", 2,
                    "--set", "epochs=1", "--set", "ASKL.epochs=20000", "--set", "batch_size=1")  # fmt: skip
    process.stderr.readline()
    process.stderr.readline()  # a cell is finished
    everyone = psutil.Process(process.pid).children(recursive=True)
    assert len(everyone) >= 2
    process.send_signal(signal.SIGSTOP)  # the workers get no more tasks
    process.send_signal(signal.SIGKILL)
    process.wait()
    until(lambda: gone(everyone))


@pytest.mark.parametrize(("backend", "number"), [("local", signal.SIGINT), ("here", signal.SIGTERM)])
def test_the_first_interrupt_says_so_at_once_and_the_second_drops_what_is_under_way(start, home, backend, number):
    how = ("--workers", 2) if backend == "local" else ("--backend", "here")
    process = start(*LONG, *how)
    assert process.stderr.readline() == "4 cells\n"
    if backend == "local":
        everyone = workers_of(process.pid)
    else:
        everyone = [psutil.Process(process.pid)]
        until(lambda: busy(everyone[0]))
    process.send_signal(number)
    sentence = process.stderr.readline()  # while the cells go on for minutes
    assert sentence == "stopping after the cells under way; a second Ctrl-C drops them and ends at once\n"
    assert process.poll() is None
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    took = time.monotonic() - began
    assert process.returncode == 130
    assert out == ""
    assert err == "dropped what was under way; the same command goes on from here\n"
    until(lambda: gone(everyone))
    assert took < 60  # a second on a machine with nothing else to do; the cells would take minutes
    assert cells(home) == []


def test_what_was_finished_before_the_second_interrupt_is_kept_and_the_rest_computed_again(start, kernlab, home):
    arguments = ["compare", "--methods", "SK,ASKL", "--dataset", "iris", "--repeats", 2, "--workers", 2,
                 "--set", "SK.epochs=1", "--set", "n_features=50", "--set", "batch_size=1"]  # fmt: skip
    process = start(*arguments, "--set", "ASKL.epochs=80")
    assert process.stderr.readline() == "4 cells\n"
    assert process.stderr.readline().startswith("1/4")
    process.send_signal(signal.SIGINT)
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    finished = len(cells(home))
    assert finished >= 1
    again = kernlab(*arguments, "--set", "ASKL.epochs=80", "--json")
    assert f"4 cells, {finished} of them known" in again.err
    assert [len(row["values"]) for row in again.json["rows"]][:2] == [2, 2]


def cells(home: Path) -> list[Path]:
    """Files of finished cells, all of which can be read; none is incomplete."""
    folder = home / "comparisons" / "cells"
    assert not list(folder.glob("*.part")) + list(folder.glob(".*.part"))
    found = list(folder.glob("*.json"))
    assert all(json.loads(path.read_text())["status"] == "done" for path in found)
    return found

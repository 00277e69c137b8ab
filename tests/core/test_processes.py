"""Pools of processes: a worker that has loaded much is the same worker."""

import pytest

from kernlab import processes

pytest.importorskip("psutil")  # without it loky does not look at a worker's memory

PID = "__import__('os').getpid()"
#: What a worker keeps, written to, so that it takes room; and more time than lies between two looks of loky.
GROW = "__import__('builtins').__dict__.update(kept=b'x' * 400 * 2**20) or __import__('time').sleep(1.5)"


def test_a_worker_that_has_grown_is_not_replaced():
    with processes.pool(1) as pool:
        first = pool.submit(eval, PID).result()
        pool.submit(eval, GROW).result()
        assert [pool.submit(eval, PID).result() for _ in range(2)] == [first, first]

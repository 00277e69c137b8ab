"""Where a run computes, and with how many threads."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

from kernlab.errors import DeviceError

__all__ = ["describe", "one_thread", "resolve", "threads_for"]

_alone: ContextVar[bool] = ContextVar("one core for this thread", default=False)


def resolve(device: str = "auto") -> torch.device:
    """The torch device for "auto" (CUDA, then MPS, then CPU), "cpu", "cuda", "cuda:1", "mps".

    Raises:
        DeviceError: this machine has no such device.
    """
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if device == "auto":
        return torch.device("cuda" if cuda else "mps" if mps else "cpu")
    there = ["auto", "cpu"]
    if cuda:
        there += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if mps:
        there.append("mps")
    if device not in there:
        raise DeviceError(
            "device must be one that this machine has", repr(device), f"choose one of: {', '.join(there)}"
        )
    return torch.device(device)


def describe(device: torch.device) -> str:
    """One line for a page: what training runs on."""
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        return f"GPU: {properties.name}, {properties.total_memory / 2**30:.0f} GiB"
    if device.type == "mps":
        return "GPU: Apple (MPS)"
    return f"CPU: {platform.machine()}, {cores()} core{'s' if cores() > 1 else ''}"


def cores() -> int:
    """Cores this process may use; one within :func:`one_thread`."""
    if _alone.get():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it this thread computes on one core, as one of several workers does.

    Sums depend on the number of threads in their last digits: with one, a result is the same on every machine
    of a kind.
    """
    before, token = torch.get_num_threads(), _alone.set(True)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        _alone.reset(token)
        torch.set_num_threads(before)


def threads_for(flops_per_step: float) -> int:
    """Threads for one CPU training step: one, or half of the cores where a step is large.

    Handing small steps over costs more than it gains, and threads that wait for a busy core cost more
    still (measured: six times slower with two threads on two cores while a page is served), so half of the
    cores stay free.
    """
    return 1 if flops_per_step < 1e8 else max(1, cores() // 2)

"""The device on which a run computes, and its number of threads."""

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
    known = ["auto", "cpu"]
    if cuda:
        known += ["cuda", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
    if mps:
        known.append("mps")
    if device not in known:
        fix = f"choose one of: {', '.join(known)}"
        raise DeviceError("device must be one that this machine has", repr(device), fix)
    return torch.device(device)


def describe(device: torch.device) -> str:
    """A line for a page: the name of the device."""
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

    The last digits of a sum depend on the number of threads; with one thread they depend on the machine's kind alone.
    """
    before, token = torch.get_num_threads(), _alone.set(True)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        _alone.reset(token)
        torch.set_num_threads(before)


def threads_for(flops_per_step: float) -> int:
    """Threads for one training step on the CPU: one for a small step, half of the cores for a large one.

    A small step costs more to distribute than it saves, and threads that wait for a busy core cost more still (six
    times slower, measured with two threads on two cores while a page was served), so half of the cores stay free.
    """
    return 1 if flops_per_step < 1e8 else max(1, cores() // 2)

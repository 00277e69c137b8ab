"""The registry of benchmarks, and the harness: candidates are timed in turns, and figures are medians and ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

from kernlab.registry import Registry

__all__ = ["BENCHMARKS", "in_turns", "medians", "ratio"]

BENCHMARKS: Registry[Callable[[], dict[str, Any]]] = Registry("benchmark")


def in_turns(candidates: Mapping[str, Callable[[], object]], rounds: int = 7) -> dict[str, list[float]]:
    """Seconds of each candidate in several rounds, after one round to warm up.

    Each round times every candidate once, so that a slow period of a shared machine affects all of them alike.
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for turn in range(rounds + 1):
        for name, candidate in candidates.items():
            begin = time.perf_counter()
            candidate()
            if turn:
                seconds[name].append(time.perf_counter() - begin)
    return seconds


def ratio(slow: list[float], fast: list[float]) -> float:
    """How many times faster: the median over the rounds of slow/fast in the same round."""
    return statistics.median(a / b for a, b in zip(slow, fast, strict=True))


def medians(seconds: Mapping[str, list[float]], prefix: str = "") -> dict[str, float]:
    """The median seconds of each candidate, as figures of a benchmark."""
    return {f"{prefix}{name}_seconds": statistics.median(values) for name, values in seconds.items()}

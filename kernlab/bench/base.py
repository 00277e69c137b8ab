"""The registries of benchmarks and of published results to reproduce, and timing in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kernlab.registry import Registry

__all__ = ["BENCHMARKS", "REPRODUCTIONS", "in_turns", "over_repeats", "ratio"]

BENCHMARKS: Registry[Callable[[], dict[str, Any]]] = Registry("benchmark")

#: (progress, *, datasets, repeats, seed) -> rows of a table: ours, and the published figures where there are any.
REPRODUCTIONS: Registry[Callable[..., list[dict[str, Any]]]] = Registry("reproduction")


def in_turns(candidates: Mapping[str, Callable[[], object]], rounds: int = 7) -> dict[str, list[float]]:
    """Seconds of each candidate, in every round one after the other, so that a slow spell of a shared
    machine hits all of them alike. One uncounted round warms up.
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


def over_repeats(turns: Sequence[Sequence[Mapping[str, Any]]], measured: Sequence[str]) -> list[dict[str, Any]]:
    """One table from one of each repeat: what was measured becomes its mean, with ``…_std`` where there are several."""
    rows = []
    for same in zip(*turns, strict=True):
        row = dict(same[0])
        for key in measured:
            values = [each[key] for each in same if each[key] is not None]
            if values:
                row[key] = statistics.fmean(values)
            if len(values) > 1:
                row[f"{key}_std"] = statistics.stdev(values)
        rows.append({**row, "repeats": len(same)})
    return rows

"""Measurements of speed: every figure is a ratio to a named baseline in the same run, a median of several.

A benchmark is a function registered in :data:`BENCHMARKS` that returns figures by name.
"""

from kernlab.bench import discriminant, frames, step, watching  # noqa: F401  (they register themselves)
from kernlab.bench.base import BENCHMARKS

__all__ = ["BENCHMARKS"]

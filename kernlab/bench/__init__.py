"""Measurements of speed: every figure is a ratio to a named baseline in the same run, a median of several.

A benchmark is a function registered in :data:`BENCHMARKS` that returns figures by name.
"""

# They register themselves.
from kernlab.bench import defaults, discriminant, fastfood, frames, replicates, scrubbing, step, watching  # noqa: F401
from kernlab.bench.base import BENCHMARKS

__all__ = ["BENCHMARKS"]
